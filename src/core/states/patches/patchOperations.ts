import type { Json, JsonObject } from '../../base/json.ts';
import { STATE_BOUNDS } from '../../model/lineage.ts';
import type { PatchDocument, Location } from './patchDocument.ts';
import { parsePointer, quotedPointer, type Tokens } from './patchPointer.ts';
import { Measuring, SIZE_OF_COMMA, sizeOfKey } from './patchSize.ts';
import { areEqual, clone, PatchEffort, type Value, type Container } from './patchValues.ts';
import { applyPatch } from 'rfc6902';

/** Why an operation fails: the end of a sentence. */
type Misfit = string | undefined;

interface Pointer {
  readonly text: string;
  readonly tokens: Tokens;
}

const NOTHING = 'there is nothing at that place';
const NOT_ADDABLE = 'nothing can be put at that place';
const TOO_DEEP = `the state would nest deeper than ${STATE_BOUNDS.depth} levels`;
const TOO_LARGE = `the state would be larger than ${STATE_BOUNDS.state / 1e6} million characters`;
const TOO_MUCH = 'the patch is too much work';

/** Maximum characters that one patch may read: a few passes over the largest state. */
const MAX_EFFORT = 4 * STATE_BOUNDS.state;

/** Applies the operations of one patch in order. The document records the changes. */
export class PatchOperations {
  readonly #document: PatchDocument;
  readonly #effort = new PatchEffort(MAX_EFFORT);
  readonly #measuring = new Measuring(this.#effort);
  #size: number;
  #left = 0;
  /** Whether the library handles the current value correctly. */
  #isPlain = true;

  constructor(document: PatchDocument, size: number) {
    this.#document = document;
    this.#size = size;
  }

  /** Characters removed from the state. */
  get left(): number {
    return this.#left;
  }

  /** Characters read. */
  get effort(): number {
    return Math.ceil(MAX_EFFORT - this.#effort.left);
  }

  /** Current size of the state in characters. */
  get size(): number {
    return this.#size;
  }

  run(operation: JsonObject): Misfit {
    const misfit = this.#run(operation);
    return misfit ?? (this.#effort.isSpent ? TOO_MUCH : undefined);
  }

  #run(operation: JsonObject): Misfit {
    const { op } = operation;
    if (op === 'add' || op === 'replace' || op === 'test') return this.#runWithValue(op, operation);
    if (op === 'copy' || op === 'move') return this.#runWithSource(op, operation);
    if (op !== 'remove') return op === undefined ? 'it has no "op"' : 'there is no such operation';
    const path = pointerIn(operation, 'path');
    return typeof path === 'string' ? path : this.#remove(path);
  }

  #runWithValue(op: 'add' | 'replace' | 'test', operation: JsonObject): Misfit {
    const path = pointerIn(operation, 'path');
    if (typeof path === 'string') return path;
    const { value } = operation;
    if (value === undefined) return 'it has no "value"';
    if (op === 'test') return this.#test(path, value);
    return op === 'add' ? this.#add(path, value) : this.#replace(path, value);
  }

  #runWithSource(op: 'copy' | 'move', operation: JsonObject): Misfit {
    const path = pointerIn(operation, 'path');
    if (typeof path === 'string') return path;
    const from = pointerIn(operation, 'from');
    if (typeof from === 'string') return from;
    return op === 'copy' ? this.#copy(from, path) : this.#move(from, path);
  }

  #copy(from: Pointer, path: Pointer): Misfit {
    const value = this.#document.find(from.tokens);
    return value === undefined ? nothingAt(from) : this.#add(path, value);
  }

  #add(path: Pointer, value: Json): Misfit {
    const location = this.#document.locationFor(path.tokens);
    if (location === undefined) return NOT_ADDABLE;
    const misfit = this.#grow(path, value, location, location.kind === 'item' ? undefined : location.value);
    if (misfit !== undefined) return misfit;
    this.#effort.left -= this.#document.noteAddition(location);
    return this.#write('add', path, value, location);
  }

  #replace(path: Pointer, value: Json): Misfit {
    const location = this.#document.existing(path.tokens);
    if (location === undefined) return NOTHING;
    const misfit = this.#grow(path, value, location, location.value);
    if (misfit !== undefined) return misfit;
    this.#document.noteExchange(location);
    return this.#write('replace', path, value, location);
  }

  #write(op: 'add' | 'replace', { text }: Pointer, value: Json, location: Location): Misfit {
    if (this.#isPlain && location.kind === 'item') return carryOut(location.list, op, lastToken(text), value);
    if (this.#isPlain && location.kind === 'member' && location.key !== '__proto__')
      return carryOut(location.members, op, lastToken(text), value);
    if (op === 'add') this.#document.add(location, clone(value));
    else this.#document.exchange(location, clone(value));
    return undefined;
  }

  #remove(path: Pointer): Misfit {
    const location = this.#document.existing(path.tokens);
    if (location === undefined) return NOTHING;
    if (location.kind === 'root') return 'the whole state cannot be removed';
    const size = this.#sizeOf(location.value);
    this.#left += size;
    this.#size -= size + overheadOf(location);
    this.#effort.left -= this.#document.remove(location);
    return undefined;
  }

  #move(from: Pointer, path: Pointer): Misfit {
    const source = this.#document.existing(from.tokens);
    if (source === undefined) return nothingAt(from);
    if (from.text === path.text) return undefined;
    if (source.kind === 'root' || path.text.startsWith(`${from.text}/`)) return 'a value cannot be moved into itself';
    const { value } = source;
    this.#effort.left -= this.#document.remove(source);
    this.#size -= this.#sizeOf(value) + overheadOf(source);
    // Looked up after the removal, which shifts later items of a list (RFC 6902 §4.4).
    const location = this.#document.locationFor(path.tokens);
    if (location === undefined) return NOT_ADDABLE;
    const misfit = this.#grow(path, value, location, location.kind === 'item' ? undefined : location.value);
    if (misfit !== undefined) return misfit;
    this.#effort.left -= this.#document.noteAddition(location);
    this.#document.add(location, value);
    return undefined;
  }

  #test(path: Pointer, value: Json): Misfit {
    const actual = this.#document.find(path.tokens);
    if (actual === undefined) return NOTHING;
    return areEqual(actual, value, this.#effort) ? undefined : 'the value at that place is another one';
  }

  #sizeOf(value: Value): number {
    return this.#measuring.measure(value, Infinity);
  }

  /** Updates the size for a new value that may replace an old one. Returns an error if the value is not allowed. */
  #grow(path: Pointer, value: Json, location: Location, old: Value | undefined): Misfit {
    const before = old === undefined ? 0 : location.kind === 'root' ? this.#size : this.#sizeOf(old);
    const size = this.#measuring.measure(value, STATE_BOUNDS.depth + 1 - path.tokens.length);
    if (this.#measuring.isTooDeep) return TOO_DEEP;
    if (this.#effort.isSpent) return TOO_MUCH;
    this.#isPlain = this.#measuring.isPlain;
    const overhead = old === undefined && location.kind !== 'root' ? overheadOf(location) : 0;
    const grown = size + overhead - before;
    if (grown > 0 && this.#size + grown > STATE_BOUNDS.state) return TOO_LARGE;
    this.#size += grown;
    this.#left += before;
    return undefined;
  }
}

function lastToken(pointer: string): string {
  return pointer.slice(pointer.lastIndexOf('/'));
}

/** Returns the pointer, or an error. */
function pointerIn(operation: JsonObject, member: 'path' | 'from'): Pointer | string {
  const text = operation[member];
  if (typeof text !== 'string') return `it has no "${member}"`;
  const tokens = parsePointer(text);
  return tokens === undefined ? `its "${member}" is no JSON Pointer` : { text, tokens };
}

function nothingAt({ text }: Pointer): string {
  return `there is nothing at ${quotedPointer(text)}`;
}

/** Characters of the key or comma that a value needs at its location. */
function overheadOf(location: Exclude<Location, { readonly kind: 'root' }>): number {
  return location.kind === 'member' ? sizeOfKey(location.key) : SIZE_OF_COMMA;
}

/**
 * Uses the library to write a copy of a value into a container. The location must exist, and is named by its last token
 * alone, which avoids a second lookup. The library is not used for other operations: it cannot replace the root, loses
 * the order of removed members, looks up the target of a move before removing, compares lists with unbounded memory,
 * and replaces the prototype for `__proto__`.
 */
function carryOut(container: Container, op: 'add' | 'replace', path: string, value: Json): string | undefined {
  const [error] = applyPatch(container, [{ op, path, value }]);
  return error === null ? undefined : 'it could not be carried out';
}
