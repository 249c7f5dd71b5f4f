import { AgingMap } from '../base/agingMap.ts';
import { sizeOf } from '../model/content.ts';
import type { InboundEvent } from '../model/inboundEvent.ts';

/** Slack above the limit, because removing events in batches is cheaper. */
const SLACK = 256;
/** Maximum text and base64 in memory: a thousand events may have 4 MB each. Others stay in the store only. */
const MAX_CHARACTERS = 32_000_000;

/** Above the default limit of a host. */
const AT_ONCE = 10_000;

/** Number of steps, unless they get too small. */
const PARTS = 4;

/** The newest events of all servers, up to the limits. */
export class RecentEvents {
  readonly #most: () => number;
  /** Oldest first. */
  #events = this.#none();
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

  /** Newest first. Returns the same list until something changes. */
  list(): readonly InboundEvent[] {
    this.#trim();
    this.#list ??= this.#all().reverse();
    return this.#list;
  }

  find(id: string): InboundEvent | undefined {
    return this.#events.get(id);
  }

  /** Adds a new event. Returns its size in characters. */
  add(event: InboundEvent): number {
    const before = this.#characters;
    this.#events.add(event.id, event);
    this.#count(event, 1);
    const size = this.#characters - before;
    if (this.#events.size > this.#most() + SLACK || this.#characters > MAX_CHARACTERS) this.#trim();
    return size;
  }

  change(id: string, change: Partial<Pick<InboundEvent, 'inferenceId' | 'isRead' | 'outcome'>>): void {
    const event = this.find(id);
    if (event === undefined) return;
    const changed = { ...event, ...change };
    this.#count(event, -1);
    this.#events.replace(id, changed);
    this.#count(changed, 1);
  }

  /**
   * Adds events older than all in memory. Events in memory are already current. Yields between steps: 100,000 at once
   * took 50 ms.
   */
  *addOlder(newestFirst: readonly InboundEvent[]): Generator<void, void, void> {
    const events = this.#none();
    let [characters, unread] = [0, 0];
    for (const event of newestFirst.toReversed()) {
      if (this.#events.get(event.id) !== undefined) continue;
      events.add(event.id, event);
      characters += sizeOf(event.content);
      if (!event.isRead) unread++;
      if (events.size % AT_ONCE === 0) yield;
    }
    for (const event of this.#events.values()) {
      // Events that arrived between the steps are already current.
      const copy = events.get(event.id);
      if (copy !== undefined) {
        events.delete(copy.id);
        characters -= sizeOf(copy.content);
        if (!copy.isRead) unread--;
      }
      events.add(event.id, event);
    }
    this.#events = events;
    this.#characters += characters;
    this.#unread += unread;
    this.#list = undefined;
    this.#trim();
  }

  /** Removes the events of one server, or all. */
  clear(server: string | undefined): void {
    if (server === undefined) {
      this.#events = this.#none();
      [this.#characters, this.#unread, this.#list] = [0, 0, undefined];
    } else for (const event of this.#all()) if (event.server === server) this.#drop(event);
  }

  #none(): AgingMap<string, InboundEvent> {
    return new AgingMap(() => Math.max(SLACK, this.#most() / PARTS));
  }

  #all(): InboundEvent[] {
    return [...this.#events.values()];
  }

  #trim(): void {
    const most = Math.max(1, this.#most());
    for (const event of this.#events.values()) {
      const isTooMuch = this.#characters > MAX_CHARACTERS && this.#events.size > 1;
      if (this.#events.size <= most && !isTooMuch) return;
      this.#drop(event);
    }
  }

  #drop(event: InboundEvent): void {
    this.#events.delete(event.id);
    this.#count(event, -1);
  }

  #count(event: InboundEvent, sign: 1 | -1): void {
    this.#list = undefined;
    if (!event.isRead) this.#unread += sign;
    this.#characters += sign * sizeOf(event.content);
  }
}
