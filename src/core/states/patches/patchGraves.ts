import { memberOf, type Members, setMember, type Value } from './patchValues.ts';

/** A member that was removed from its object. */
export interface Grave {
  readonly members: Members;
  readonly key: string;
  readonly value: Value;
  /** The patch that removed it. */
  readonly patch: number;
  cleared: Clearing | undefined;
}

/** That the graves of one object were taken away. */
interface Clearing {
  readonly members: Members;
  /** All keys before that, in their order. */
  readonly order: readonly string[];
  readonly graves: ReadonlyMap<string, Grave>;
}

/** So many may wait. Each clearing costs time by the width of the object. */
const MOST_OPEN = 1_024;
/** Characters of what may have left the state meanwhile: graves in it would keep it in memory. */
const MOST_LEFT = 1_000_000;

/**
 * Keeps the place of removed members, so that a removal can be taken back exactly: their order is part of the text of a
 * state, and noting down the order of a wide object at each removal costs a thousand times the removal. A removed
 * member therefore stays, as `undefined`, which JSON does not have, until somebody looks at the whole.
 */
export class Graves {
  /** By the objects that they are in, and their keys. */
  readonly #open = new Map<Members, Map<string, Grave>>();
  #count = 0;
  #left = 0;
  #patch = 0;

  /**
   * What is removed from now on is of another patch; so many characters left the state with the last. Keeps the graves
   * bounded where nobody ever looks.
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

  /** Everything that happened since has to be taken back before. */
  digUp(grave: Grave): void {
    if (grave.cleared !== undefined) this.#restore(grave.cleared);
    this.#fill(grave);
    setMember(grave.members, grave.key, grave.value);
  }

  /** Whether a member can come again where it was: within one patch only, so that nobody can tell who looked between. */
  refill(members: Members, key: string): boolean {
    const grave = this.#count === 0 ? undefined : this.#open.get(members)?.get(key);
    if (grave?.patch !== this.#patch) return false;
    this.#fill(grave);
    return true;
  }

  /** What comes again later comes last. Says how many keys had to be looked at. */
  makeRoom(members: Members, key: string): number {
    const graves = this.#count === 0 ? undefined : this.#open.get(members);
    if (graves === undefined || !graves.has(key)) return 0;
    const older = new Map([...graves].filter(([, { patch }]) => patch < this.#patch));
    for (const grave of older.values()) this.#fill(grave);
    return clear(members, older);
  }

  /** The member is there again, or will be at once. */
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

  /** Puts the keys into the order that they had, with the graves among them. */
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
 * Takes graves of an object away; all that were there before the youngest of them are among these, or gone. Where a key
 * stood is known only as long as those that left later are still in their places. Says how many keys there were.
 */
function clear(members: Members, graves: ReadonlyMap<string, Grave>): number {
  const clearing = { members, order: Object.keys(members), graves };
  for (const grave of graves.values()) {
    grave.cleared = clearing;
    delete members[grave.key];
  }
  return clearing.order.length;
}
