import type { NameLookups } from './nameWalk.ts';

/** Node has four threads for file access. A lookup on a dead drive blocks one until it ends. */
const MAX_LOOKUPS = 2;
/** Never reached while drives respond. */
export const MAX_WAITING = 5_000;

/** Queues lookups, and rejects those whose caller no longer waits. */
export function inTurn(lookups: NameLookups, turns: Turns, waiting: { readonly isOver: boolean }): NameLookups {
  const take = <T>(lookup: () => Promise<T>): Promise<T> =>
    turns.take(() => (waiting.isOver ? Promise.reject(new Error('Too late.')) : lookup()));
  return {
    isLink: (path) => take(() => lookups.isLink(path)),
    targetOf: (link) => take(() => lookups.targetOf(link)),
    realOf: (path) => take(() => lookups.realOf(path)),
  };
}

/** Limits parallel lookups. The others wait in order. */
export class Turns {
  readonly #waiting: (() => void)[] = [];
  #free = MAX_LOOKUPS;

  async take<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else if (this.#waiting.length < MAX_WAITING) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else throw new Error('Too many wait.');
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free++;
      else next();
    }
  }
}
