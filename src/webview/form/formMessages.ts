/**
 * Messages between the Call Tool page and the editor. The page makes no decisions: it displays the complete state that
 * it receives, and sends back user actions.
 */
import { isRecord } from '../shared/messageChecks.ts';

/** The members of a form field that the page needs. */
export type FieldView =
  | (FieldTexts & { readonly kind: 'text'; readonly multiline: boolean } & TextView)
  | (FieldTexts & { readonly kind: 'number' } & NumberView)
  | (FieldTexts & { readonly kind: 'boolean' })
  | (FieldTexts & { readonly kind: 'choice' | 'choices'; readonly options: readonly OptionView[] })
  | (FieldTexts & { readonly kind: 'list'; readonly item: ItemView })
  | (FieldTexts & { readonly kind: 'group'; readonly fields: readonly FieldView[] })
  | (FieldTexts & { readonly kind: 'json'; readonly expects: 'object' | 'array' | 'any' });

interface FieldTexts {
  readonly id: string;
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly required: boolean;
  readonly examples: readonly string[];
}

export type ItemView = ({ readonly kind: 'text' } & TextView) | ({ readonly kind: 'number' } & NumberView);

export interface TextView {
  readonly format: string | undefined;
  readonly pattern: string | undefined;
}

export interface NumberView {
  readonly integer: boolean;
  readonly min: number | undefined;
  readonly max: number | undefined;
}

interface OptionView {
  readonly label: string;
  readonly description: string;
}

export type ValueView = string | boolean | readonly string[];
export type ValuesView = Readonly<Record<string, ValueView>>;

export interface ToolView {
  readonly server: string;
  readonly tool: string;
  /** False until the server has listed the tool, for which it must be running. */
  readonly known: boolean;
  readonly title: string;
  /** The server and the tool, for display. */
  readonly origin: string;
  readonly description: string;
  /** The server's hints about the tool, one phrase each. */
  readonly hints: readonly string[];
  readonly fields: readonly FieldView[];
  /** Whether the form covers all arguments of the tool. */
  readonly complete: boolean;
  /** The initial values of the form: the defaults. */
  readonly values: ValuesView;
  /** Why the tool cannot be called now, and whether a button can start the server. */
  readonly blocked: { readonly reason: string; readonly canStart: boolean } | undefined;
}

export type RunView =
  | { readonly kind: 'idle' }
  | {
      readonly kind: 'running';
      readonly elapsedMs: number;
      readonly message: string;
      /** From 0 to 1, if the server reports it. */
      readonly fraction: number | undefined;
    }
  | {
      readonly kind: 'done';
      readonly elapsedMs: number;
      readonly isError: boolean;
      readonly blocks: readonly BlockView[];
      readonly structured: string | undefined;
      /** What happened to the state in the result. */
      readonly kept?: string;
    }
  /** Cancelled by the user. */
  | { readonly kind: 'cancelled'; readonly elapsedMs: number }
  | {
      readonly kind: 'failed';
      readonly elapsedMs: number;
      readonly message: string;
      readonly suggestion: string;
      /** The host did not send the call, but does if the user insists. */
      readonly canSendAnyway: boolean;
    };

/** A part of a result. `note` states what is not shown, or the source. */
export type BlockView =
  | { readonly kind: 'text'; readonly text: string; readonly note: string }
  | { readonly kind: 'image'; readonly source: string; readonly note: string };

export type ToPage =
  | { readonly type: 'tool'; readonly tool: ToolView }
  | { readonly type: 'run'; readonly run: RunView }
  /** Errors by field id. The empty id is for the whole input. `refused`: the call was not sent because of them. */
  | { readonly type: 'errors'; readonly errors: Readonly<Record<string, string>>; readonly refused?: RefusedView }
  /** The sent arguments, for the history. */
  | { readonly type: 'sent'; readonly json: string }
  | { readonly type: 'json'; readonly text: string }
  | { readonly type: 'form'; readonly values: ValuesView };

export interface RefusedView {
  readonly reason: string;
  /** The input is JSON that does not match the schema. It is sent if the user insists. */
  readonly canSendAnyway: boolean;
}

export type Entered =
  { readonly mode: 'form'; readonly values: ValuesView } | { readonly mode: 'json'; readonly text: string };

export type FromPage =
  | { readonly type: 'ready' }
  /** `anyway`: send even if the input does not match the schema. */
  | { readonly type: 'run'; readonly entered: Entered; readonly anyway: boolean }
  | { readonly type: 'cancel' }
  /** Sends the last arguments again, without validation. */
  | { readonly type: 'sendAnyway' }
  /** Converts the input between form and JSON. */
  | { readonly type: 'switch'; readonly entered: Entered }
  | { readonly type: 'copy' }
  | { readonly type: 'open' }
  | { readonly type: 'start' }
  | { readonly type: 'log' };

/** State that the page keeps while hidden and across a window reload. */
export interface PageState {
  readonly server: string;
  readonly tool: string;
  readonly mode: 'form' | 'json';
  readonly values: ValuesView;
  readonly text: string;
  /** Sent arguments, newest first. */
  readonly history: readonly string[];
}

/** Maximum text from a page. More than a user would type or paste. */
const MAX_TEXT = 16_000_000;
const SIGNALS = ['ready', 'cancel', 'sendAnyway', 'copy', 'open', 'start', 'log'] as const;

/** Decodes a message from the page. A compromised page can send anything, so unknown messages are ignored. */
export function decodeFromPage(value: unknown): FromPage | undefined {
  if (!isRecord(value)) return undefined;
  const signal = SIGNALS.find((type) => type === value['type']);
  if (signal !== undefined) return { type: signal };
  const { type } = value;
  if (type !== 'run' && type !== 'switch') return undefined;
  const entered = decodeEntered(value['entered']);
  if (entered === undefined) return undefined;
  return type === 'run' ? { type, entered, anyway: value['anyway'] === true } : { type, entered };
}

function decodeEntered(value: unknown): Entered | undefined {
  if (!isRecord(value)) return undefined;
  const { mode, text } = value;
  if (mode === 'json') return isText(text) ? { mode, text } : undefined;
  const values = decodeValues(value['values']);
  return mode === 'form' && values !== undefined ? { mode, values } : undefined;
}

/** Decodes form values from a page. */
export function decodeValues(value: unknown): ValuesView | undefined {
  if (!isRecord(value)) return undefined;
  const entries: [string, ValueView][] = [];
  for (const [id, entered] of Object.entries(value)) {
    if (typeof entered === 'boolean' || isText(entered)) entries.push([id, entered]);
    else if (isTextList(entered)) entries.push([id, entered]);
    else return undefined;
  }
  return Object.fromEntries(entries);
}

/** Decodes stored page state, which an older version may have written. */
export function decodePageState(value: unknown): PageState | undefined {
  if (!isRecord(value)) return undefined;
  const { server, tool, mode, text, history } = value;
  const values = decodeValues(value['values']);
  if (!isText(server) || !isText(tool) || !isText(text) || !isTextList(history) || values === undefined)
    return undefined;
  return mode === 'form' || mode === 'json' ? { server, tool, mode, values, text, history } : undefined;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_TEXT;
}

function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(isText);
}
