import { StringDecoder } from 'node:string_decoder';

/** Longer than any command: what comes as one line beyond it is dropped and told of. */
const MAX_LINE = 64_000_000;

/** Lines out of chunks that may end anywhere, within a character too. Blank lines are left out. */
export class Lines {
  readonly #decoder = new StringDecoder('utf8');
  readonly #onLine: (line: string) => void;
  #parts: string[] = [];
  #length = 0;
  #isTooLong = false;

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  read(chunk: Buffer): void {
    const [first = '', ...rest] = this.#decoder.write(chunk).split('\n');
    this.#keep(first);
    for (const part of rest) {
      this.end();
      this.#keep(part);
    }
  }

  /** The last line may come without its end. */
  end(): void {
    // Handed on although it is no whole line, so that it is answered as the mistake that it is.
    const line = this.#isTooLong ? '(a line that is too long)' : this.#parts.join('');
    this.#parts = [];
    this.#length = 0;
    this.#isTooLong = false;
    if (line.trim() !== '') this.#onLine(line);
  }

  #keep(part: string): void {
    this.#length += part.length;
    if (this.#length <= MAX_LINE) {
      this.#parts.push(part);
      return;
    }
    this.#isTooLong = true;
    this.#parts = [];
  }
}
