import type { PatchableState } from '../../../core/states/patches/patches.ts';

/**
 * Characters of parsed states that stay in memory: a state of some 10 MB for each of a few heads. One that is larger
 * than all of this stays alone.
 */
const MOST_CHARACTERS = 32_000_000;

/** Parsed states of what was worked on last. What stands at a place never changes, whoever else writes to the file. */
export class LiveStates {
  /** The one that was used last is the last. */
  readonly #byPlace = new Map<number, PatchableState>();

  get(place: number): PatchableState | undefined {
    const found = this.#byPlace.get(place);
    if (found === undefined) return undefined;
    this.#byPlace.delete(place);
    this.#byPlace.set(place, found);
    return found;
  }

  put(place: number, state: PatchableState): void {
    this.#byPlace.delete(place);
    this.#byPlace.set(place, state);
    let characters = 0;
    for (const [each, { size }] of [...this.#byPlace].reverse())
      if ((characters += size) > MOST_CHARACTERS && each !== place) this.#byPlace.delete(each);
  }

  /** What was the state of one place was changed in place into that of another. */
  move(from: number, to: number): void {
    const state = this.#byPlace.get(from);
    if (state === undefined) return;
    this.#byPlace.delete(from);
    this.put(to, state);
  }

  clear(): void {
    this.#byPlace.clear();
  }
}
