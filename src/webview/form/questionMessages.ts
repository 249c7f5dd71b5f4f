import { type BlockView, decodeValues, type FieldView, type ValuesView } from './formMessages.ts';

/** Messages between the question page and the editor. */
export interface QuestionView {
  /** The server's name, as the host words it. */
  readonly title: string;
  /** The server's text. */
  readonly message: string;
  /** Warnings of the host, one sentence each. */
  readonly remarks: readonly string[];
  /** Read-only content. */
  readonly blocks: readonly BlockView[];
  readonly fields: readonly FieldView[];
  /** The text if there are no fields. */
  readonly noFields: string;
  readonly values: ValuesView;
  readonly errors: Readonly<Record<string, string>>;
  readonly accept: string;
  readonly decline: string;
  /** Accept is enabled once the user has scrolled to the end. */
  readonly readFirst?: boolean | undefined;
  /** The effect of *Cancel*, if no server waits for an answer. */
  readonly cancelHint?: string | undefined;
}

export type ToQuestionPage =
  | { readonly type: 'question'; readonly question: QuestionView }
  | { readonly type: 'errors'; readonly errors: Readonly<Record<string, string>> };

export type FromQuestionPage =
  | { readonly type: 'ready' | 'decline' | 'cancel' }
  /** The values so far. A hidden page loses them, and they are stored nowhere else. */
  | { readonly type: 'entered'; readonly values: ValuesView }
  | { readonly type: 'accept'; readonly values: ValuesView };

const SIGNALS = ['ready', 'decline', 'cancel'] as const;

/** Decodes a message from the page. Unknown messages are ignored. */
export function decodeFromQuestionPage(value: unknown): FromQuestionPage | undefined {
  if (typeof value !== 'object' || value === null || !('type' in value)) return undefined;
  const signal = SIGNALS.find((known) => known === value.type);
  if (signal !== undefined) return { type: signal };
  if (value.type !== 'entered' && value.type !== 'accept') return undefined;
  const values = 'values' in value ? decodeValues(value.values) : undefined;
  return values === undefined ? undefined : { type: value.type, values };
}
