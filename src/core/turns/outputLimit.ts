interface OutputLimitOptions {
  readonly maxTokens: number;
  /** Never rejects. */
  count(text: string): Promise<number>;
  /** Receives the next piece of the text within the limit. */
  onText(piece: string): void;
  /** Called at the limit, after the last piece. */
  onCut(): void;
}

/** With smaller steps the model would count more than it writes. */
const SMALLEST_STEP = 16;

/**
 * Passes on a model's text up to a token limit, for models without such a limit. A text has at most as many tokens as
 * bytes, so most of it needs no counting. Beyond that, text is passed on only after counting, because it cannot be
 * taken back.
 */
export class OutputLimit {
  readonly #options: OutputLimitOptions;
  #passed = '';
  #passedSize = 0;
  #waiting = '';
  #waitingSize = 0;
  /** Size of waiting text that triggers the next count. */
  #step = 0;
  #work: Promise<void> | undefined;
  #state: 'open' | 'cut' | 'closed' = 'open';

  constructor(options: OutputLimitOptions) {
    this.#options = options;
  }

  /** The text that was passed on. */
  get text(): string {
    return this.#passed;
  }

  write(delta: string): void {
    if (this.#state !== 'open') return;
    this.#waiting += delta;
    this.#waitingSize += byteBound(delta);
    if (this.#work === undefined) this.#work = this.#proceed();
  }

  /** Ends the input. Resolves after all text within the limit was passed on. */
  async finish(): Promise<void> {
    await this.#work;
    if (this.#state !== 'open' || this.#waiting === '') return;
    if (this.#isSurelyWithin) this.#pass(this.#waiting.length);
    else await this.#check(this.#passed + this.#waiting);
  }

  /** Stops passing on text. */
  close(): void {
    if (this.#state === 'open') this.#state = 'closed';
  }

  get #isSurelyWithin(): boolean {
    return this.#passedSize + this.#waitingSize <= this.#options.maxTokens;
  }

  /** Returns undefined if nothing was awaited, so that text passes in the same event loop turn. */
  #proceed(): Promise<void> | undefined {
    if (this.#isSurelyWithin) {
      this.#pass(wholeLength(this.#waiting));
      return undefined;
    }
    return this.#isDue() ? this.#checkAll() : undefined;
  }

  async #checkAll(): Promise<void> {
    while (this.#isDue()) await this.#check(this.#passed + this.#waiting.slice(0, wholeLength(this.#waiting)));
    this.#work = undefined;
  }

  #isDue(): boolean {
    return this.#state === 'open' && this.#waitingSize >= this.#step && wholeLength(this.#waiting) > 0;
  }

  async #check(candidate: string): Promise<void> {
    const { maxTokens } = this.#options;
    const tokens = await this.#options.count(candidate);
    const isWithin = tokens <= maxTokens;
    const end = isWithin ? candidate.length : await this.#longestWithin(candidate);
    if (this.#state !== 'open') return;
    this.#pass(end - this.#passed.length);
    if (isWithin) {
      this.#step = Math.max(SMALLEST_STEP, Math.floor((maxTokens - tokens) / 2));
      return;
    }
    this.#state = 'cut';
    this.#options.onCut();
  }

  /** Binary search for the longest text within the limit. The passed text is within it, the whole is not. */
  async #longestWithin(candidate: string): Promise<number> {
    let within = this.#passed.length;
    let beyond = candidate.length;
    while (this.#state === 'open') {
      const middle = cutBetween(candidate, within, beyond);
      if (middle === undefined) break;
      if ((await this.#options.count(candidate.slice(0, middle))) <= this.#options.maxTokens) within = middle;
      else beyond = middle;
    }
    return within;
  }

  #pass(length: number): void {
    if (length <= 0) return;
    const piece = this.#waiting.slice(0, length);
    const size = byteBound(piece);
    this.#waiting = this.#waiting.slice(length);
    this.#waitingSize -= size;
    this.#passed += piece;
    this.#passedSize += size;
    this.#options.onText(piece);
  }
}

/** At least the size in UTF-8. Lone surrogates count separately, so that sizes of parts add up. */
function byteBound(text: string): number {
  let size = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    size += code < 0x80 ? 1 : code < 0x800 ? 2 : 3;
  }
  return size;
}

/** Length without a trailing half of a surrogate pair, whose rest may follow. */
function wholeLength(text: string): number {
  return isHighSurrogate(text, text.length - 1) ? text.length - 1 : text.length;
}

/** A position near the middle that splits no character, if there is one. */
function cutBetween(text: string, low: number, high: number): number | undefined {
  const middle = Math.floor((low + high) / 2);
  const cuts = isHighSurrogate(text, middle - 1) ? [middle - 1, middle + 1] : [middle];
  return cuts.find((cut) => cut > low && cut < high);
}

function isHighSurrogate(text: string, at: number): boolean {
  return /[\uD800-\uDBFF]/.test(text.charAt(at));
}
