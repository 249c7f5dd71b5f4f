import type { TraceDirection } from './traceEntry.ts';

/** Requests that nobody answers must not fill the memory. */
const MAX_OPEN = 2_000;

/** The methods of requests by their ids, so that an answer can be told with what it answers. */
export class OpenRequests {
  readonly #methods = { sent: new Map<string, string>(), received: new Map<string, string>() };

  asked(direction: TraceDirection, id: number | string, method: string): void {
    const open = this.#methods[direction];
    open.set(String(id), method);
    if (open.size <= MAX_OPEN) return;
    const [oldest] = open.keys();
    if (oldest !== undefined) open.delete(oldest);
  }

  /** An answer goes the other way than its request. Some servers echo a number as text. */
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
