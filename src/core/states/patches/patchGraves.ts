import { memberOf, type Members, setMember, type Value } from './patchValues.ts';

/** A member removed from its object. */
export interface Grave {
  readonly members: Members;
  readonly key: string;
  readonly value: Value;
  /** Number of the patch that removed it. */
  readonly patch: number;
  cleared: Clearing | undefined;
}

/** The record of deleting an object's placeholders. */
interface Clearing {
  readonly members: Members;
  /** All keys before the deletion, in order. */
  readonly order: readonly string[];
  readonly graves: ReadonlyMap<string, Grave>;
}

/** Maximum placeholders. Deleting them takes time linear in the size of the object. */
const MOST_OPEN = 1_024;
/** Maximum characters removed from the state, because placeholders keep them in memory. */
const MOST_LEFT = 1_000_000;

/**
 * Preserves the position of removed members, so that a removal can be undone exactly: key order is part of a state's
 * text. Recording the key order of a wide object at each removal costs a thousand times the removal. A removed member
 * therefore stays as `undefined`, which JSON does not have, until the whole value is read.
 */
export class Graves {
  /** By object and key. */
  readonly #open = new Map<Members, Map<string, Grave>>();
  #count = 0;
  #left = 0;
  #patch = 0;

  /**
   * Starts a new patch; `left` is the number of characters that the last one removed. Bounds the placeholders even if
   * the value is never read.
   */
  beginPatch(left: number): void {
    this.#patch++;
    this.#left += left;
    if (this.#count > MOST_OPEN || this.#left > MOST_LEFT) this.clear();
  }

  bury(members: Members, key: string, value: Value): Grave {
    const grave: Grave = { members, key, value, patch: this.#patch, cleared: undefined };
    this.#reopen(grave);
    return grave;
  }

  /** Restores a member. All later changes must be undone first. */
  digUp(grave: Grave): void {
    if (grave.cleared !== undefined) this.#restore(grave.cleared);
    this.#fill(grave);
    setMember(grave.members, grave.key, grave.value);
  }

  /**
   * Whether a member can be added at its old position. Only within one patch, during which the value cannot be read.
   */
  refill(members: Members, key: string): boolean {
    const grave = this.#count === 0 ? undefined : this.#open.get(members)?.get(key);
    if (grave?.patch !== this.#patch) return false;
    this.#fill(grave);
    return true;
  }

  /** Makes an added member the last key. Returns the number of keys read. */
  makeRoom(members: Members, key: string): number {
    const graves = this.#count === 0 ? undefined : this.#open.get(members);
    if (graves === undefined || !graves.has(key)) return 0;
    const older = new Map([...graves].filter(([, { patch }]) => patch < this.#patch));
    for (const grave of older.values()) this.#fill(grave);
    return clear(members, older);
  }

  /** Forgets a placeholder, because the member exists again or is about to. */
  #fill({ members, key }: Grave): void {
    if (this.#open.get(members)?.delete(key) === true) this.#count--;
  }

  #reopen(grave: Grave): void {
    setMember(grave.members, grave.key, undefined);
    const others = this.#open.get(grave.members);
    if (others === undefined) this.#open.set(grave.members, new Map([[grave.key, grave]]));
    else others.set(grave.key, grave);
    this.#count++;
  }

  clear(): void {
    for (const [members, graves] of this.#open) if (graves.size > 0) clear(members, graves);
    this.#open.clear();
    this.#count = 0;
    this.#left = 0;
  }

  /** Restores the key order, including placeholders. */
  #restore({ members, order, graves }: Clearing): void {
    for (const key of order) {
      const grave = graves.get(key);
      if (grave !== undefined) {
        grave.cleared = undefined;
        this.#reopen(grave);
      } else if (Object.hasOwn(members, key)) {
        const value = memberOf(members, key);
        delete members[key];
        setMember(members, key, value);
      }
    }
  }
}

/**
 * Deletes placeholders of an object, including all that are older than the newest of them: a position is only known
 * while later removed keys keep theirs. Returns the number of keys.
 */
function clear(members: Members, graves: ReadonlyMap<string, Grave>): number {
  const clearing = { members, order: Object.keys(members), graves };
  for (const grave of graves.values()) {
    grave.cleared = clearing;
    delete members[grave.key];
  }
  return clearing.order.length;
}
