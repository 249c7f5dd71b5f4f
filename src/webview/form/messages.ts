/**
 * The contract between the Call Tool page and the editor, in both directions. The page decides nothing: it shows what it
 * is sent, whole each time, and sends back what a person did.
 */

/** A field as the page draws it. The editor's own fields have more members, which the page does not need. */
export type FieldView =
  | (FieldTexts & { readonly kind: 'text'; readonly multiline: boolean } & TextView)
  | (FieldTexts & { readonly kind: 'number' } & NumberView)
  | (FieldTexts & { readonly kind: 'boolean' })
  | (FieldTexts & { readonly kind: 'choice' | 'choices'; readonly options: readonly OptionView[] })
  | (FieldTexts & { readonly kind: 'list'; readonly item: ItemView })
  | (FieldTexts & { readonly kind: 'group'; readonly fields: readonly FieldView[] })
  | (FieldTexts & { readonly kind: 'json'; readonly expects: 'object' | 'array' | 'any' });

export interface FieldTexts {
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

export interface OptionView {
  readonly label: string;
  readonly description: string;
}

export type ValueView = string | boolean | readonly string[];
export type ValuesView = Readonly<Record<string, ValueView>>;

export interface ToolView {
  readonly server: string;
  readonly tool: string;
  /** False until the server has listed the tool, which a server that does not run cannot have done. */
  readonly known: boolean;
  readonly title: string;
  /** The server and the tool, as they may be shown. */
  readonly origin: string;
  readonly description: string;
  /** What the server says that the tool does, one phrase each. */
  readonly hints: readonly string[];
  readonly fields: readonly FieldView[];
  /** Whether the form can send all that the tool takes. */
  readonly complete: boolean;
  /** What the form shows first: the defaults. */
  readonly values: ValuesView;
  /** Why the tool cannot be called now, with the button that helps. */
  readonly blocked: { readonly reason: string; readonly canStart: boolean } | undefined;
}

export type RunView =
  | { readonly kind: 'idle' }
  | {
      readonly kind: 'running';
      readonly elapsedMs: number;
      readonly message: string;
      /** From 0 to 1, where the server tells it. */
      readonly fraction: number | undefined;
    }
  | {
      readonly kind: 'done';
      readonly elapsedMs: number;
      readonly isError: boolean;
      readonly blocks: readonly BlockView[];
      readonly structured: string | undefined;
      /** What became of the state that came with it. */
      readonly kept?: string;
    }
  /** Ended by the person. */
  | { readonly kind: 'cancelled'; readonly elapsedMs: number }
  | {
      readonly kind: 'failed';
      readonly elapsedMs: number;
      readonly message: string;
      readonly suggestion: string;
      /** The host did not send it, and does when the person insists. */
      readonly canSendAnyway: boolean;
    };

/** A piece of a result. `note` says what is not shown, or where it comes from. */
export type BlockView =
  | { readonly kind: 'text'; readonly text: string; readonly note: string }
  | { readonly kind: 'image'; readonly source: string; readonly note: string };

export type ToPage =
  | { readonly type: 'tool'; readonly tool: ToolView }
  | { readonly type: 'run'; readonly run: RunView }
  /** Problems by field id; under the empty id a problem of the whole. `refused`: a call was not sent for them. */
  | { readonly type: 'errors'; readonly errors: Readonly<Record<string, string>>; readonly refused?: RefusedView }
  /** The arguments that were sent, to be offered again. */
  | { readonly type: 'sent'; readonly json: string }
  | { readonly type: 'json'; readonly text: string }
  | { readonly type: 'form'; readonly values: ValuesView };

export interface RefusedView {
  readonly reason: string;
  /** The input is JSON that does not fit the schema, and is sent when the person insists. */
  readonly canSendAnyway: boolean;
}

export type Entered =
  { readonly mode: 'form'; readonly values: ValuesView } | { readonly mode: 'json'; readonly text: string };

export type FromPage =
  | { readonly type: 'ready' }
  /** `anyway`: also where the input does not fit the schema. */
  | { readonly type: 'run'; readonly entered: Entered; readonly anyway: boolean }
  | { readonly type: 'cancel' }
  /** The last arguments once more, unchecked. */
  | { readonly type: 'sendAnyway' }
  /** Shows what was entered in the other way: form as JSON, JSON as form. */
  | { readonly type: 'switch'; readonly entered: Entered }
  | { readonly type: 'copy' }
  | { readonly type: 'open' }
  | { readonly type: 'start' }
  | { readonly type: 'log' };

/** What the page keeps while it is hidden, and over a reload of the window. */
export interface PageState {
  readonly server: string;
  readonly tool: string;
  readonly mode: 'form' | 'json';
  readonly values: ValuesView;
  readonly text: string;
  /** Arguments that were sent, the newest first. */
  readonly history: readonly string[];
}

/** Longest text that a page may send: what a person can type or paste, not what could fill the memory. */
const MAX_TEXT = 16_000_000;
const SIGNALS = ['ready', 'cancel', 'sendAnyway', 'copy', 'open', 'start', 'log'] as const;

/** Reads a message of the page. A page can be made to say anything, so what is not understood is nothing. */
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

/** What a form holds, as a page sends it. */
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

/** Reads what a page kept: it may be of an older version of the extension. */
export function decodePageState(value: unknown): PageState | undefined {
  if (!isRecord(value)) return undefined;
  const { server, tool, mode, text, history } = value;
  const values = decodeValues(value['values']);
  if (!isText(server) || !isText(tool) || !isText(text) || !isTextList(history) || values === undefined)
    return undefined;
  return mode === 'form' || mode === 'json' ? { server, tool, mode, values, text, history } : undefined;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_TEXT;
}

function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(isText);
}
