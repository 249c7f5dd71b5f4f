import { type RemovedMember, RemovedMembers } from './removedMembers.ts';
import { indexIn, type Tokens } from './patchPointer.ts';
import { isContainer, isList, type List, memberOf, type Members, setMember, type Value } from './patchValues.ts';

/** A location for a value: the root, a list item or the end of a list, or a member. */
export type Place =
  | { readonly kind: 'root'; readonly value: Value }
  | ItemPlace
  | { readonly kind: 'member'; readonly members: Members; readonly key: string; readonly value: Value | undefined };

interface ItemPlace {
  readonly kind: 'item';
  readonly list: List;
  readonly index: number;
  /** The current value, which moves when another is inserted here. */
  readonly value: Value | undefined;
}

/** A location that has a value. */
type TakenPlace = Place & { readonly value: Value };

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
  placeFor(tokens: Tokens): Place | undefined {
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
  placeOf(tokens: Tokens): TakenPlace | undefined {
    const place = this.placeFor(tokens);
    return place !== undefined && isTaken(place) ? place : undefined;
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
  noteAddition(place: Place): number {
    if (place.kind === 'item') {
      this.#steps.push({ kind: 'inserted', list: place.list, index: place.index });
      return (place.list.length - place.index) / MOVED_AT_ONCE;
    }
    if (place.kind === 'root' || isTaken(place)) {
      this.noteExchange(place);
      return 0;
    }
    // Needs no record, because undoing the removal in the same patch also undoes this.
    if (this.#removed.refill(place.members, place.key)) return 0;
    const cost = this.#removed.makeRoom(place.members, place.key) * EACH_KEY;
    this.#steps.push({ kind: 'created', members: place.members, key: place.key });
    return cost;
  }

  /** Records the replacement of a value. */
  noteExchange(place: TakenPlace): void {
    const { value } = place;
    if (place.kind === 'root') this.#steps.push({ kind: 'root', value });
    else if (place.kind === 'item')
      this.#steps.push({ kind: 'exchanged', list: place.list, index: place.index, value });
    else this.#steps.push({ kind: 'changed', members: place.members, key: place.key, value });
  }

  add(place: Place, value: Value): void {
    if (place.kind === 'item') place.list.splice(place.index, 0, value);
    else this.exchange(place, value);
  }

  exchange(place: Place, value: Value): void {
    if (place.kind === 'root') this.#root = value;
    else if (place.kind === 'item') place.list[place.index] = value;
    else setMember(place.members, place.key, value);
  }

  /** Removes the value at a location other than the root. Returns the cost. */
  remove(place: Exclude<TakenPlace, { readonly kind: 'root' }>): number {
    const { value } = place;
    if (place.kind === 'member') {
      this.#steps.push({ kind: 'buried', removed: this.#removed.remove(place.members, place.key, value) });
      return 0;
    }
    this.#steps.push({ kind: 'taken', list: place.list, index: place.index, value });
    place.list.splice(place.index, 1);
    return (place.list.length - place.index) / MOVED_AT_ONCE;
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

function isTaken(place: Place): place is TakenPlace {
  return place.value !== undefined;
}
