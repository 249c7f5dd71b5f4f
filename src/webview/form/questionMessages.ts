import { type BlockView, decodeValues, type FieldView, type ValuesView } from './messages.ts';

/** The contract between the page of a server's question and the editor. */
export interface QuestionView {
  /** Who asks, in words of ours. */
  readonly title: string;
  /** What the server says. */
  readonly message: string;
  /** Warnings of ours, a sentence each. */
  readonly remarks: readonly string[];
  /** What is shown and cannot be changed. */
  readonly blocks: readonly BlockView[];
  readonly fields: readonly FieldView[];
  /** What is said where there are none. */
  readonly noFields: string;
  readonly values: ValuesView;
  readonly errors: Readonly<Record<string, string>>;
  readonly accept: string;
  readonly decline: string;
  /** It can be accepted once the person has scrolled to its end. */
  readonly readFirst?: boolean | undefined;
  /** The effect of *Cancel*, if no server waits for an answer. */
  readonly cancelHint?: string | undefined;
}

export type ToQuestionPage =
  | { readonly type: 'question'; readonly question: QuestionView }
  | { readonly type: 'errors'; readonly errors: Readonly<Record<string, string>> };

export type FromQuestionPage =
  | { readonly type: 'ready' | 'decline' | 'cancel' }
  /** What is entered so far: the page forgets it when it is hidden, and it is kept nowhere else. */
  | { readonly type: 'entered'; readonly values: ValuesView }
  | { readonly type: 'accept'; readonly values: ValuesView };

const SIGNALS = ['ready', 'decline', 'cancel'] as const;

/** Reads a message of the page: what is not understood is nothing. */
export function decodeFromQuestionPage(value: unknown): FromQuestionPage | undefined {
  if (typeof value !== 'object' || value === null || !('type' in value)) return undefined;
  const signal = SIGNALS.find((known) => known === value.type);
  if (signal !== undefined) return { type: signal };
  if (value.type !== 'entered' && value.type !== 'accept') return undefined;
  const values = 'values' in value ? decodeValues(value.values) : undefined;
  return values === undefined ? undefined : { type: value.type, values };
}
