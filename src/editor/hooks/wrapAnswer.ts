/** The kind of an answer part, as checks distinguish it. */
export type PartKind =
  | { readonly kind: 'text'; readonly text: string }
  /** A tool call: the chat waits for it, and servers only check text. */
  | { readonly kind: 'call' }
  | { readonly kind: 'data' }
  /** The model's thoughts, and unknown parts. */
  | { readonly kind: 'other' };

interface WrappedAnswerOptions<P> {
  /** Whether servers may change the text. It is then held back. */
  readonly isChecked: boolean;
  readonly kindOf: (part: P) => PartKind;
  readonly report: (part: P) => void;
  readonly textPart: (text: string) => P;
}

/** Forwards a base model's answer: each part at once, or after the check. */
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

  /**
   * `text` is the checked text. If it changed, it replaces the original, and thoughts are dropped because they may
   * contain removed text.
   */
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
