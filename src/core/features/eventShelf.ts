import { sizeOf } from '../model/content.ts';
import type { InboundEvent } from '../model/event.ts';

/** Beyond what may be kept, before the oldest go: putting them out one by one costs more than all at once. */
const SLACK = 256;
/** Of text and base64 in memory: a thousand events may be 4 MB each. What does not fit is in the store only. */
const MOST_CHARACTERS = 32_000_000;

/**
 * Emptied when its event goes: a map whose keys come and go leaves its old tables behind, and all that was in one of them
 * lives on until the next full collection. At a thousand events a second that is all of them.
 */
interface Place {
  event: InboundEvent | undefined;
}

/** The newest events of all servers, as many as there is room for. */
export class EventShelf {
  readonly #most: () => number;
  /** The oldest first. */
  #places = new Map<string, Place>();
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
    this.#list ??= this.#all().reverse();
    return this.#list;
  }

  find(id: string): InboundEvent | undefined {
    return this.#places.get(id)?.event;
  }

  /** How many characters it is. */
  add(event: InboundEvent): number {
    const before = this.#characters;
    this.#put(event);
    const size = this.#characters - before;
    if (this.#places.size > this.#most() + SLACK || this.#characters > MOST_CHARACTERS) this.#trim();
    return size;
  }

  change(id: string, change: Partial<Pick<InboundEvent, 'inferenceId' | 'isRead' | 'outcome'>>): void {
    const event = this.find(id);
    if (event !== undefined) this.#put({ ...event, ...change });
  }

  /** Takes in what is older than everything here. What is here already is here in its newest form. */
  addOlder(newestFirst: readonly InboundEvent[]): void {
    const newer = this.#places;
    this.#places = new Map();
    for (const event of [...newestFirst].reverse()) if (!newer.has(event.id)) this.#put(event);
    for (const [id, place] of newer) this.#places.set(id, place);
    this.#list = undefined;
    this.#trim();
  }

  /** Of one server, or all. */
  clear(server: string | undefined): void {
    for (const event of this.#all()) if (server === undefined || event.server === server) this.#drop(event);
  }

  #all(): InboundEvent[] {
    const all: InboundEvent[] = [];
    for (const { event } of this.#places.values()) if (event !== undefined) all.push(event);
    return all;
  }

  #trim(): void {
    const most = Math.max(1, this.#most());
    for (const { event } of this.#places.values()) {
      const isTooMuch = this.#characters > MOST_CHARACTERS && this.#places.size > 1;
      if (this.#places.size <= most && !isTooMuch) return;
      if (event !== undefined) this.#drop(event);
    }
  }

  #put(event: InboundEvent): void {
    const place = this.#places.get(event.id);
    if (place === undefined) this.#places.set(event.id, { event });
    else {
      if (place.event !== undefined) this.#count(place.event, -1);
      place.event = event;
    }
    this.#count(event, 1);
  }

  #drop(event: InboundEvent): void {
    const place = this.#places.get(event.id);
    if (place !== undefined) place.event = undefined;
    this.#places.delete(event.id);
    this.#count(event, -1);
  }

  #count(event: InboundEvent, sign: 1 | -1): void {
    this.#list = undefined;
    if (!event.isRead) this.#unread += sign;
    this.#characters += sign * sizeOf(event.content);
  }
}
