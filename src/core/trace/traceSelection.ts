import type { ProtocolTrace } from './protocolTrace.ts';
import type { TraceEntry, TraceFilter } from './traceEntry.ts';

/**
 * Those messages of a trace that match a filter, by position. A position never changes, however many of the older ones
 * are forgotten: who looks at a part of a long list keeps seeing it.
 */
export class TraceSelection {
  readonly filter: TraceFilter;
  readonly #trace: ProtocolTrace;
  /** Numbers of the messages that match. */
  #numbers: number[] = [];
  /** The position of the first of `#numbers`. */
  #offset = 0;
  #seen = 0;

  constructor(trace: ProtocolTrace, filter: TraceFilter) {
    this.#trace = trace;
    this.filter = filter;
    this.update();
  }

  /** The position of the oldest one. */
  get start(): number {
    return this.#offset;
  }

  /** The position after the newest one. */
  get end(): number {
    return this.#offset + this.#numbers.length;
  }

  /** Takes up what came since, and lets go of what was forgotten. */
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
