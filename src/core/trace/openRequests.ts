import type { TraceDirection } from './traceEntry.ts';

/** Bounds the memory that unanswered requests take. */
const MAX_OPEN = 2_000;

/** Maps request ids to methods, so that the trace can show the method of an answer. */
export class OpenRequests {
  readonly #methods = { sent: new Map<string, string>(), received: new Map<string, string>() };

  asked(direction: TraceDirection, id: number | string, method: string): void {
    const open = this.#methods[direction];
    open.set(String(id), method);
    if (open.size <= MAX_OPEN) return;
    const [oldest] = open.keys();
    if (oldest !== undefined) open.delete(oldest);
  }

  /** An answer travels in the opposite direction. Some servers echo a numeric id as text. */
  answered(direction: TraceDirection, id: number | string): string | undefined {
    const open = this.#methods[direction === 'sent' ? 'received' : 'sent'];
    const method = open.get(String(id));
    open.delete(String(id));
    return method;
  }

  clear(): void {
    this.#methods.sent.clear();
    this.#methods.received.clear();
  }
}
