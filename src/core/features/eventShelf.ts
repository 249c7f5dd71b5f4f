import type { ContentBlock } from '../model/content.ts';
import type { InboundEvent } from '../model/event.ts';

/** Beyond what may be kept, before the oldest go: putting them out one by one costs more than all at once. */
const SLACK = 256;
/** Of text and base64 in memory: a thousand events may be 4 MB each. What does not fit is in the store only. */
const MOST_CHARACTERS = 32_000_000;

/** The newest events of all servers, as many as there is room for. */
export class EventShelf {
  readonly #most: () => number;
  /** The oldest first. */
  #events = new Map<string, InboundEvent>();
  #characters = 0;
  #unread = 0;
  #list: readonly InboundEvent[] | undefined;

  constructor(most: () => number) {
    this.#most = most;
  }

  get unread(): number {
    this.#trim();
    return this.#unread;
  }

  /** The newest first. The same list until something changes. */
  list(): readonly InboundEvent[] {
    this.#trim();
    this.#list ??= [...this.#events.values()].reverse();
    return this.#list;
  }

  find(id: string): InboundEvent | undefined {
    return this.#events.get(id);
  }

  add(event: InboundEvent): void {
    this.#put(event);
    if (this.#events.size > this.#most() + SLACK || this.#characters > MOST_CHARACTERS) this.#trim();
  }

  change(id: string, change: Partial<Pick<InboundEvent, 'inferenceId' | 'isRead' | 'outcome'>>): void {
    const event = this.#events.get(id);
    if (event !== undefined) this.#put({ ...event, ...change });
  }

  /** Takes in what is older than everything here. What is here already is here in its newest form. */
  addOlder(newestFirst: readonly InboundEvent[]): void {
    const newer = this.#events;
    this.#events = new Map();
    for (const event of [...newestFirst].reverse()) if (!newer.has(event.id)) this.#put(event);
    for (const [id, event] of newer) this.#events.set(id, event);
    this.#list = undefined;
    this.#trim();
  }

  /** Of one server, or all. */
  clear(server: string | undefined): void {
    for (const event of this.#events.values()) if (server === undefined || event.server === server) this.#drop(event);
  }

  #trim(): void {
    const most = Math.max(1, this.#most());
    for (const event of this.#events.values()) {
      const isTooMuch = this.#characters > MOST_CHARACTERS && this.#events.size > 1;
      if (this.#events.size <= most && !isTooMuch) return;
      this.#drop(event);
    }
  }

  #put(event: InboundEvent): void {
    const before = this.#events.get(event.id);
    if (before !== undefined) this.#count(before, -1);
    this.#events.set(event.id, event);
    this.#count(event, 1);
  }

  #drop(event: InboundEvent): void {
    this.#events.delete(event.id);
    this.#count(event, -1);
  }

  #count(event: InboundEvent, sign: 1 | -1): void {
    this.#list = undefined;
    if (!event.isRead) this.#unread += sign;
    for (const block of event.content) this.#characters += sign * charactersOf(block);
  }
}

function charactersOf(block: ContentBlock): number {
  switch (block.type) {
    case 'text':
      return block.text.length;
    case 'image':
    case 'audio':
      return block.data.length;
    case 'resource_link':
      return block.uri.length + block.name.length;
    case 'resource':
      return JSON.stringify(block.resource).length;
    case 'unknown':
      return JSON.stringify(block.value).length;
  }
}
