import { type RemovedMember, RemovedMembers } from './removedMembers.ts';
import { indexIn, type Tokens } from './patchPointer.ts';
import { isContainer, isList, type List, memberOf, type Members, setMember, type Value } from './patchValues.ts';

/** A location for a value: the root, a list item or the end of a list, or a member. */
export type Location =
  | { readonly kind: 'root'; readonly value: Value }
  | ItemLocation
  | { readonly kind: 'member'; readonly members: Members; readonly key: string; readonly value: Value | undefined };

interface ItemLocation {
  readonly kind: 'item';
  readonly list: List;
  readonly index: number;
  /** The current value, which moves when another is inserted here. */
  readonly value: Value | undefined;
}

/** A location that has a value. */
type ExistingLocation = Location & { readonly value: Value };

/** An undo record. */
export type PatchStep =
  | { readonly kind: 'root'; readonly value: Value }
  | { readonly kind: 'inserted'; readonly list: List; readonly index: number }
  | { readonly kind: 'taken'; readonly list: List; readonly index: number; readonly value: Value }
  | { readonly kind: 'exchanged'; readonly list: List; readonly index: number; readonly value: Value }
  | { readonly kind: 'created'; readonly members: Members; readonly key: string }
  | { readonly kind: 'changed'; readonly members: Members; readonly key: string; readonly value: Value }
  | { readonly kind: 'buried'; readonly removed: RemovedMember };

/** A value that is changed in place. Each change is recorded first, so that it can be undone. */
export class PatchDocument {
  #root: Value;
  #steps: PatchStep[] = [];
  readonly #removed = new RemovedMembers();

  constructor(root: Value) {
    this.#root = root;
  }

  /** The value during patching, in which removed members may still be `undefined`. */
  get root(): Value {
    return this.#root;
  }

  /** Deletes the placeholders of removed members. */
  clear(): void {
    this.#removed.clear();
  }

  /** Returns the undo records of a patch. `left` is the number of characters that it removed. */
  takeSteps(left: number): readonly PatchStep[] {
    const steps = this.#steps;
    this.#steps = [];
    this.#removed.beginPatch(left);
    return steps;
  }

  /** The location of a pointer. `undefined` if no value can be there. */
  locationFor(tokens: Tokens): Location | undefined {
    const token = tokens[tokens.length - 1];
    if (tokens.length === 1 || token === undefined) return { kind: 'root', value: this.#root };
    const container = this.find(tokens, tokens.length - 1);
    if (!isContainer(container)) return undefined;
    if (!isList(container))
      return { kind: 'member', members: container, key: token, value: memberOf(container, token) };
    const index = token === '-' ? container.length : indexIn(token);
    return index < 0 || index > container.length
      ? undefined
      : { kind: 'item', list: container, index, value: container[index] };
  }

  /** The location of an existing value. */
  existing(tokens: Tokens): ExistingLocation | undefined {
    const location = this.locationFor(tokens);
    return location !== undefined && isTaken(location) ? location : undefined;
  }

  /** The value at the first tokens of a pointer. */
  find(tokens: Tokens, length: number = tokens.length): Value | undefined {
    let value: Value | undefined = this.#root;
    for (let i = 1; i < length; i++) {
      if (!isContainer(value)) return undefined;
      const token = tokens[i] ?? '';
      value = isList(value) ? value[indexIn(token)] : memberOf(value, token);
    }
    return value;
  }

  /** Records an addition. Returns its extra cost. */
  noteAddition(location: Location): number {
    if (location.kind === 'item') {
      this.#steps.push({ kind: 'inserted', list: location.list, index: location.index });
      return (location.list.length - location.index) / MOVED_AT_ONCE;
    }
    if (location.kind === 'root' || isTaken(location)) {
      this.noteExchange(location);
      return 0;
    }
    // Needs no record, because undoing the removal in the same patch also undoes this.
    if (this.#removed.refill(location.members, location.key)) return 0;
    const cost = this.#removed.makeRoom(location.members, location.key) * EACH_KEY;
    this.#steps.push({ kind: 'created', members: location.members, key: location.key });
    return cost;
  }

  /** Records the replacement of a value. */
  noteExchange(location: ExistingLocation): void {
    const { value } = location;
    if (location.kind === 'root') this.#steps.push({ kind: 'root', value });
    else if (location.kind === 'item')
      this.#steps.push({ kind: 'exchanged', list: location.list, index: location.index, value });
    else this.#steps.push({ kind: 'changed', members: location.members, key: location.key, value });
  }

  add(location: Location, value: Value): void {
    if (location.kind === 'item') location.list.splice(location.index, 0, value);
    else this.exchange(location, value);
  }

  exchange(location: Location, value: Value): void {
    if (location.kind === 'root') this.#root = value;
    else if (location.kind === 'item') location.list[location.index] = value;
    else setMember(location.members, location.key, value);
  }

  /** Removes the value at a location other than the root. Returns the cost. */
  remove(location: Exclude<ExistingLocation, { readonly kind: 'root' }>): number {
    const { value } = location;
    if (location.kind === 'member') {
      this.#steps.push({ kind: 'buried', removed: this.#removed.remove(location.members, location.key, value) });
      return 0;
    }
    this.#steps.push({ kind: 'taken', list: location.list, index: location.index, value });
    location.list.splice(location.index, 1);
    return (location.list.length - location.index) / MOVED_AT_ONCE;
  }

  takeBack(steps: readonly PatchStep[]): void {
    for (let i = steps.length - 1; i >= 0; i--) {
      const step = steps[i];
      if (step !== undefined) this.#takeBack(step);
    }
  }

  #takeBack(step: PatchStep): void {
    switch (step.kind) {
      case 'root':
        this.#root = step.value;
        break;
      case 'inserted':
        step.list.splice(step.index, 1);
        break;
      case 'taken':
        step.list.splice(step.index, 0, step.value);
        break;
      case 'exchanged':
        step.list[step.index] = step.value;
        break;
      case 'created':
        delete step.members[step.key];
        break;
      case 'changed':
        setMember(step.members, step.key, step.value);
        break;
      case 'buried':
        this.#removed.restore(step.removed);
    }
  }
}

/** Cost of reordering a key, in characters read. */
const EACH_KEY = 8;

/** List items that move at the cost of reading one character. */
const MOVED_AT_ONCE = 4;

function isTaken(location: Location): location is ExistingLocation {
  return location.value !== undefined;
}
