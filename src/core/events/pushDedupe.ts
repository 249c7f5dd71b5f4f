import type { Json } from '../base/json.ts';

/** Of each half. */
const MOST = 1_000;
const AGE_MS = 24 * 60 * 60_000;

/** A class, and no literal, for the reason that `NEW_EVENT` gives. */
class Remembered {
  readonly at: number;
  readonly answer: Promise<Json>;

  constructor(at: number, answer: Promise<Json>) {
    this.at = at;
    this.answer = answer;
  }
}

/**
 * The answers to the last events of each server (MCPL §9.4): a repeated event gets the first answer again,
 * even while that is still pending. Two servers may use one id for different events.
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

  /** It was not taken after all, and may come again. */
  forget(server: string, eventId: string): void {
    this.#servers.get(server)?.delete(eventId);
  }
}

/**
 * At least the last thousand, and what was asked for since then. Of a map that loses one entry for each that it gets,
 * every lookup of the oldest walks over those that are gone: the older half goes as a whole instead.
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
