import type { ProtocolTrace } from './protocolTrace.ts';
import type { TraceEntry, TraceFilter } from './traceEntry.ts';

/**
 * The messages of a trace that match a filter, by position. Positions stay the same when old messages are removed, so
 * that a scrolled view does not move.
 */
export class TraceSelection {
  readonly filter: TraceFilter;
  readonly #trace: ProtocolTrace;
  /** Numbers of the matching messages. */
  #numbers: number[] = [];
  /** Position of the first entry in `#numbers`. */
  #offset = 0;
  #seen = 0;

  constructor(trace: ProtocolTrace, filter: TraceFilter) {
    this.#trace = trace;
    this.filter = filter;
    this.update();
  }

  /** Position of the oldest message. */
  get start(): number {
    return this.#offset;
  }

  /** Position after the newest message. */
  get end(): number {
    return this.#offset + this.#numbers.length;
  }

  /** Adds new messages and drops removed ones. */
  update(): void {
    for (const { n } of this.#trace.entries(this.#seen, Infinity, this.filter)) this.#numbers.push(n);
    this.#seen = this.#trace.next;
    const { first } = this.#trace;
    const gone = this.#numbers.findIndex((n) => n >= first);
    const left = gone < 0 ? this.#numbers.length : gone;
    if (left === 0) return;
    this.#numbers = this.#numbers.slice(left);
    this.#offset += left;
  }

  page(from: number, count: number): readonly TraceEntry[] {
    const at = Math.max(0, from - this.#offset);
    const until = Math.max(0, from + count - this.#offset);
    return this.#numbers.slice(at, until).flatMap((n) => this.#trace.get(n) ?? []);
  }
}
