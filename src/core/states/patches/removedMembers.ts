import { memberOf, type Members, setMember, type Value } from './patchValues.ts';

/** A member removed from its object. */
export interface RemovedMember {
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
  readonly removed: ReadonlyMap<string, RemovedMember>;
}

/** Maximum placeholders. Deleting them takes time linear in the size of the object. */
const MAX_OPEN = 1_024;
/** Maximum characters removed from the state, because placeholders keep them in memory. */
const MAX_LEFT = 1_000_000;

/**
 * Preserves the position of removed members, so that a removal can be undone exactly: key order is part of a state's
 * text. Recording the key order of a wide object at each removal costs a thousand times the removal. A removed member
 * therefore stays as `undefined`, which JSON does not have, until the whole value is read.
 */
export class RemovedMembers {
  /** By object and key. */
  readonly #open = new Map<Members, Map<string, RemovedMember>>();
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
    if (this.#count > MAX_OPEN || this.#left > MAX_LEFT) this.clear();
  }

  remove(members: Members, key: string, value: Value): RemovedMember {
    const removed: RemovedMember = { members, key, value, patch: this.#patch, cleared: undefined };
    this.#reopen(removed);
    return removed;
  }

  /** Restores a member. All later changes must be undone first. */
  restore(removed: RemovedMember): void {
    if (removed.cleared !== undefined) this.#restore(removed.cleared);
    this.#fill(removed);
    setMember(removed.members, removed.key, removed.value);
  }

  /**
   * Whether a member can be added at its old position. Only within one patch, during which the value cannot be read.
   */
  refill(members: Members, key: string): boolean {
    const removed = this.#count === 0 ? undefined : this.#open.get(members)?.get(key);
    if (removed?.patch !== this.#patch) return false;
    this.#fill(removed);
    return true;
  }

  /** Makes an added member the last key. Returns the number of keys read. */
  makeRoom(members: Members, key: string): number {
    const removed = this.#count === 0 ? undefined : this.#open.get(members);
    if (removed === undefined || !removed.has(key)) return 0;
    const older = new Map([...removed].filter(([, { patch }]) => patch < this.#patch));
    for (const removed of older.values()) this.#fill(removed);
    return clear(members, older);
  }

  /** Forgets a placeholder, because the member exists again or is about to. */
  #fill({ members, key }: RemovedMember): void {
    if (this.#open.get(members)?.delete(key) === true) this.#count--;
  }

  #reopen(removed: RemovedMember): void {
    setMember(removed.members, removed.key, undefined);
    const others = this.#open.get(removed.members);
    if (others === undefined) this.#open.set(removed.members, new Map([[removed.key, removed]]));
    else others.set(removed.key, removed);
    this.#count++;
  }

  clear(): void {
    for (const [members, removed] of this.#open) if (removed.size > 0) clear(members, removed);
    this.#open.clear();
    this.#count = 0;
    this.#left = 0;
  }

  /** Restores the key order, including placeholders. */
  #restore({ members, order, removed }: Clearing): void {
    for (const key of order) {
      const member = removed.get(key);
      if (member !== undefined) {
        member.cleared = undefined;
        this.#reopen(member);
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
function clear(members: Members, removed: ReadonlyMap<string, RemovedMember>): number {
  const clearing = { members, order: Object.keys(members), removed };
  for (const member of removed.values()) {
    member.cleared = clearing;
    delete members[member.key];
  }
  return clearing.order.length;
}
