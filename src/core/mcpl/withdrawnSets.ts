import type { FeatureSet } from '../model/mcpl.ts';

/** One withdrawn set is enough to keep tools off, so more than this need not be known. */
const MOST = 256;

/**
 * Feature sets that the server of this connection no longer declares, or declares without `tools`. Their tools stay off:
 * otherwise a server could free the tools of a set by withdrawing it.
 */
export class WithdrawnSets {
  readonly #sets = new Map<string, FeatureSet>();

  get all(): readonly FeatureSet[] {
    return [...this.#sets.values()];
  }

  clear(): void {
    this.#sets.clear();
  }

  /** The server declares `set` in the place of `before`. */
  replaced(before: FeatureSet | undefined, set: FeatureSet): void {
    if (set.uses.includes('tools')) this.#sets.delete(set.name);
    else if (before?.uses.includes('tools') === true) this.removed(before);
  }

  removed(set: FeatureSet | undefined): void {
    // A set that was declared without `tools` meanwhile counts as it was before.
    if (set !== undefined && this.#sets.size < MOST && !this.#sets.has(set.name)) this.#sets.set(set.name, set);
  }
}
