/** What a part of an answer is to whoever checks it. */
export type PartKind =
  | { readonly kind: 'text'; readonly text: string }
  /** The chat waits for it, and servers check texts only. */
  | { readonly kind: 'call' }
  | { readonly kind: 'data' }
  /** The model's thoughts, and whatever else there may be. */
  | { readonly kind: 'other' };

export interface WrappedAnswerOptions<P> {
  /** Whether servers may change the text: what they have to see first is held back. */
  readonly isChecked: boolean;
  readonly kindOf: (part: P) => PartKind;
  readonly report: (part: P) => void;
  readonly textPart: (text: string) => P;
}

/** The answer of a base model on its way to whoever asked: each part as it came, at once or when it was checked. */
export class WrappedAnswer<P> {
  readonly #options: WrappedAnswerOptions<P>;
  readonly #held: { readonly part: P; readonly kind: PartKind }[] = [];
  readonly #texts: string[] = [];

  constructor(options: WrappedAnswerOptions<P>) {
    this.#options = options;
  }

  get text(): string {
    return this.#texts.join('');
  }

  take(part: P): void {
    const { isChecked, kindOf, report } = this.#options;
    const kind = kindOf(part);
    if (kind.kind === 'text') this.#texts.push(kind.text);
    if (isChecked && kind.kind !== 'call') this.#held.push({ part, kind });
    else report(part);
  }

  /** `text` is what may be shown. Changed, it takes the place of the text; thoughts may hold what was taken out of it. */
  release(text: string): void {
    const { isChecked, report, textPart } = this.#options;
    if (!isChecked) return;
    const isChanged = text !== this.text;
    const held = this.#held.splice(0);
    const first = held.findIndex(({ kind }) => kind.kind === 'text');
    if (isChanged && first === -1) report(textPart(text));
    for (const [index, { part, kind }] of held.entries()) {
      if (!isChanged || kind.kind === 'data') report(part);
      else if (index === first && text !== '') report(textPart(text));
    }
  }
}
