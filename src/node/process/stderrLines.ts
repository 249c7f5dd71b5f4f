import { StringDecoder } from 'node:string_decoder';
import { clip, type Clock, LogLimiter } from '../../core/index.ts';

/** More lines than this are not readable anyway. */
export const STDERR_LIMITS = { lines: 200, perMs: 1_000 };
const MAX_LINE = 4_000;
const LAST_LINES = 10;
const MAX_LAST_LINE = 300;
/** Kept beyond the limit, so that no secret is cut before it is removed. */
const SECRET_ROOM = 2_000;

/** A server's stderr in lines, with a rate limit. Reading never stops, so that the server does not block. */
export class StderrLines {
  readonly #limiter: LogLimiter;
  readonly #decoder = new StringDecoder('utf8');
  readonly #redact: (text: string) => string;
  readonly #last: string[] = [];
  #open = '';

  /** `redact` removes secrets, which servers print in errors. */
  constructor(clock: Clock, onLine: (line: string) => void, redact: (text: string) => string = (text) => text) {
    this.#redact = redact;
    this.#limiter = new LogLimiter(clock, STDERR_LIMITS, onLine);
  }

  /** The newest lines, oldest first, including suppressed ones. */
  get last(): readonly string[] {
    return this.#last;
  }

  push(chunk: Buffer): void {
    const text = this.#open + this.#decoder.write(chunk);
    const lines = text.split(/\r?\n/);
    // Bounds the incomplete line too: a progress bar never ends its line.
    this.#open = (lines.pop() ?? '').slice(0, MAX_LINE + SECRET_ROOM);
    for (const line of lines) this.#line(line);
  }

  end(): void {
    if (this.#open !== '') this.#line(this.#open);
    this.#open = '';
    this.#limiter.dispose();
  }

  #line(line: string): void {
    if (line.trim() === '') return;
    const clean = this.#redact(line.slice(0, MAX_LINE + SECRET_ROOM));
    this.#last.push(clip(clean, MAX_LAST_LINE));
    if (this.#last.length > LAST_LINES) this.#last.shift();
    this.#limiter.line(clip(clean, MAX_LINE));
  }
}
