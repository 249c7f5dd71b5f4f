import type { Json } from '../base/json.ts';

const MOST = 1_000;
const AGE_MS = 24 * 60 * 60_000;

interface Remembered {
  readonly at: number;
  readonly answer: Promise<Json>;
}

/**
 * What was answered to the last events of each server (MCPL §9.4): one that comes again gets the first answer again,
 * also while that is still to be given. Two servers may use one id for different events.
 */
export class PushDedupe {
  readonly #servers = new Map<string, Map<string, Remembered>>();

  find(server: string, eventId: string, now: number): Promise<Json> | undefined {
    const events = this.#servers.get(server);
    const known = events?.get(eventId);
    if (events === undefined || known === undefined) return undefined;
    events.delete(eventId);
    if (now - known.at >= AGE_MS) return undefined;
    // In a map, what was put in last is last: the first is what nobody asked for the longest.
    events.set(eventId, known);
    return known.answer;
  }

  remember(server: string, eventId: string, now: number, answer: Promise<Json>): void {
    const events = this.#servers.get(server) ?? new Map<string, Remembered>();
    if (events.size === 0) this.#servers.set(server, events);
    events.set(eventId, { at: now, answer });
    if (events.size <= MOST) return;
    const oldest = events.keys().next();
    if (oldest.done !== true) events.delete(oldest.value);
  }

  /** It was not taken after all, and may come again. */
  forget(server: string, eventId: string): void {
    this.#servers.get(server)?.delete(eventId);
  }
}
