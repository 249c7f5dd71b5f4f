import type { Json } from '../base/json.ts';

/** Per half. */
const MOST = 1_000;
const AGE_MS = 24 * 60 * 60_000;

/** A class instead of an object literal; see `NEW_EVENT`. */
class Remembered {
  readonly at: number;
  readonly answer: Promise<Json>;

  constructor(at: number, answer: Promise<Json>) {
    this.at = at;
    this.answer = answer;
  }
}

/**
 * The answers to recent events of each server (MCPL §9.4). A repeated event gets the first answer, even while it is
 * pending. Servers may use the same id for different events.
 */
export class PushDedupe {
  readonly #servers = new Map<string, Generations>();

  find(server: string, eventId: string, now: number): Promise<Json> | undefined {
    const events = this.#servers.get(server);
    const known = events?.find(eventId);
    if (events === undefined || known === undefined) return undefined;
    if (now - known.at < AGE_MS) return known.answer;
    events.delete(eventId);
    return undefined;
  }

  remember(server: string, eventId: string, now: number, answer: Promise<Json>): void {
    let events = this.#servers.get(server);
    if (events === undefined) this.#servers.set(server, (events = new Generations()));
    events.put(eventId, new Remembered(now, answer));
  }

  /** Allows the event to be sent again, because it was not accepted. */
  forget(server: string, eventId: string): void {
    this.#servers.get(server)?.delete(eventId);
  }
}

/**
 * Keeps at least the last thousand entries and those used since. Deleting the oldest entry of a Map one by one makes
 * each lookup of the oldest scan deleted entries, so the older half is dropped at once.
 */
class Generations {
  #newer = new Map<string, Remembered>();
  #older = new Map<string, Remembered>();

  find(eventId: string): Remembered | undefined {
    const known = this.#newer.get(eventId);
    if (known !== undefined) return known;
    const older = this.#older.get(eventId);
    if (older !== undefined) this.put(eventId, older);
    return older;
  }

  put(eventId: string, remembered: Remembered): void {
    if (this.#newer.size >= MOST) {
      this.#older = this.#newer;
      this.#newer = new Map();
    }
    this.#newer.set(eventId, remembered);
  }

  delete(eventId: string): void {
    this.#newer.delete(eventId);
    this.#older.delete(eventId);
  }
}
