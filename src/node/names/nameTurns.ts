import type { NameLookups } from './nameWalk.ts';

/** Of the four threads that Node has for all files: one that waits for a dead drive is gone for as long as it waits. */
const MAX_LOOKUPS = 2;
/** More than wait while drives answer. */
export const MAX_WAITING = 5_000;

/** Lookups one after the other, and none once nobody waits for them. */
export function inTurn(lookups: NameLookups, turns: Turns, waiting: { readonly isOver: boolean }): NameLookups {
  const take = <T>(lookup: () => Promise<T>): Promise<T> =>
    turns.take(() => (waiting.isOver ? Promise.reject(new Error('Too late.')) : lookup()));
  return {
    isLink: (path) => take(() => lookups.isLink(path)),
    targetOf: (link) => take(() => lookups.targetOf(link)),
    realOf: (path) => take(() => lookups.realOf(path)),
  };
}

/** So many at once; the others wait in the order in which they came. */
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
