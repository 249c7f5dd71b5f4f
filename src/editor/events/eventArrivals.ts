import type { EventInbox, InboundEvent } from '../../core/index.ts';

/** Maximum remembered ids: more than arrive between two looks. */
const MAX_SEEN = 4_096;

/** Finds events that are new since the last look, oldest first. */
export class EventArrivals {
  readonly #inbox: Pick<EventInbox, 'list'>;
  readonly #since: number;
  #seen: readonly string[] = [];

  constructor(inbox: Pick<EventInbox, 'list'>, since: number) {
    this.#inbox = inbox;
    this.#since = since;
  }

  next(): readonly InboundEvent[] {
    const seen = new Set(this.#seen);
    const fresh: InboundEvent[] = [];
    // Newest first: older events follow a known one.
    for (const event of this.#inbox.list()) {
      if (seen.has(event.id) || event.receivedAt < this.#since) break;
      fresh.push(event);
    }
    this.#seen = [...fresh.map(({ id }) => id), ...this.#seen].slice(0, MAX_SEEN);
    return fresh.reverse();
  }
}
