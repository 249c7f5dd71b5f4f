import type { MemberPath } from '../base/unreadJson.ts';
import { ByteList } from './byteList.ts';
import type { DecodeUtf8 } from './decodeUtf8.ts';
import { JsonMachine } from './jsonMachine.ts';

/** Messages from this size on are lifted. */
export const LONG_MESSAGE = 256 * 1024;
/** Smaller values are parsed with the message, which is fast enough. */
const SHORTEST = 64 * 1024;
/** Bytes decoded at once. */
const PIECE = 64 * 1024;
/** Longer names cannot match any path, however they are escaped. */
const MAX_NAME = 256;

/** A value extracted from its message. */
export interface LiftedValue {
  readonly path: MemberPath;
  readonly text: string;
}

export interface LiftedMessage {
  /** The message with `0` in place of each extracted value. */
  readonly text: string;
  readonly values: readonly LiftedValue[];
}

/** A tree of the member names that lead to the paths. */
interface PathNode {
  readonly name: readonly number[];
  readonly path: MemberPath;
  /** The value here is wanted. */
  readonly isWanted: boolean;
  readonly members: readonly PathNode[];
  readonly parent: PathNode | undefined;
}

interface Span {
  readonly path: MemberPath;
  /** Its position in the rest. */
  readonly at: number;
  readonly pieces: string[];
  characters: number;
}

/**
 * Extracts the values at some paths from a JSON message while its bytes arrive, without parsing them: parsing a state
 * of 10 MB at once blocks for a tenth of a second. Validates the JSON on the way. Any oddity (a duplicate or escaped
 * name, invalid JSON) leaves the message whole for the usual parser.
 */
export class ValueLifter {
  readonly #decode: DecodeUtf8;
  readonly #machine = new JsonMachine();
  readonly #rest = new ByteList();
  readonly #spans: Span[] = [];
  readonly #seen = new Set<PathNode>();
  /** Bytes of the current value that are not decoded yet. */
  readonly #bytes = new ByteList();
  /** The watched object. */
  #node: PathNode | undefined;
  /** The member whose name was passed. */
  #member: PathNode | undefined;
  /** Bytes of the current name. */
  #name: number[] | undefined;
  #span: Span | undefined;
  #size = 0;
  #isWhole = false;
  readonly #root: PathNode;

  constructor(paths: readonly MemberPath[], decode: DecodeUtf8) {
    this.#decode = decode;
    this.#root = nodeOf([], paths, undefined);
  }

  /** Bytes of the message so far. */
  get size(): number {
    return this.#size;
  }

  /** The bytes outside extracted values so far. */
  get rest(): ByteList {
    return this.#rest;
  }

  /** Appends `bytes[start, end)`. Large pieces are referenced, so they must not change afterwards. */
  take(bytes: Uint8Array, start: number, end: number): void {
    this.#size += end - start;
    let from = start;
    while (from < end && !this.#isWhole) {
      const to = this.#machine.run(bytes, from, end);
      // The parser passes the first byte of a value to recognize it.
      const begins = this.#beginsSpan() ? to - 1 : to;
      this.#put(bytes, from, begins);
      if (this.#name !== undefined && this.#name.length < MAX_NAME)
        this.#name.push(...bytes.subarray(from, Math.min(to, from + MAX_NAME)));
      this.#follow();
      this.#put(bytes, begins, to);
      if (this.#machine.mark === 'valueEnds') this.#endSpan();
      from = to;
    }
    this.#put(bytes, from, end);
  }

  /** Ends the message. Nothing may be appended afterwards. */
  finish(): LiftedMessage {
    this.#endSpan();
    const rest = this.#rest.join();
    const isLifted = !this.#isWhole && this.#machine.isComplete;
    const values: LiftedValue[] = [];
    const texts: string[] = [];
    let from = 0;
    for (const { path, at, pieces, characters } of this.#spans) {
      const text = pieces.join('');
      const isTaken = isLifted && characters >= SHORTEST;
      if (isTaken) values.push({ path, text });
      texts.push(this.#decode(rest, from, at), isTaken ? '0' : text);
      from = at;
    }
    texts.push(this.#decode(rest, from, rest.length));
    return { text: texts.join(''), values };
  }

  #put(bytes: Uint8Array, from: number, to: number): void {
    if (from === to) return;
    if (this.#span === undefined) this.#rest.append(bytes, from, to);
    else {
      this.#bytes.append(bytes, from, to);
      if (this.#bytes.size >= PIECE) this.#decodeBytes(this.#span, false);
    }
  }

  #beginsSpan(): boolean {
    const { mark } = this.#machine;
    return (mark === 'objectBegins' || mark === 'valueBegins') && this.#member?.isWanted === true;
  }

  #follow(): void {
    const machine = this.#machine;
    switch (machine.mark) {
      case 'nameBegins':
        this.#name = [];
        return;
      case 'nameEnds':
        this.#named();
        return;
      case 'objectBegins':
        if (machine.watched === 0) this.#enter(this.#root);
        else if (this.#member?.isWanted === false) this.#enter(this.#member);
        else this.#beginSpan();
        return;
      case 'valueBegins':
        // Values are not extracted from batches.
        if (machine.watched === 0) this.#isWhole = true;
        else this.#beginSpan();
        return;
      case 'left':
        machine.watched--;
        this.#node = this.#node?.parent;
        this.#member = undefined;
        return;
      default:
        if (machine.isBad) this.#isWhole = true;
    }
  }

  #enter(node: PathNode): void {
    this.#machine.watched++;
    this.#node = node;
    this.#member = undefined;
  }

  #named(): void {
    const name = this.#name ?? [];
    this.#name = undefined;
    // With escapes it could be any name.
    if (name.length < MAX_NAME && name.includes(0x5c)) this.#isWhole = true;
    // Both names include the closing quotation mark.
    this.#member = this.#node?.members.find((node) => isSame(node.name, name));
    if (this.#member === undefined) return;
    if (this.#seen.has(this.#member)) this.#isWhole = true;
    this.#seen.add(this.#member);
  }

  #beginSpan(): void {
    if (this.#member?.isWanted !== true) return;
    this.#span = { path: this.#member.path, at: this.#rest.size, pieces: [], characters: 0 };
    this.#spans.push(this.#span);
  }

  #endSpan(): void {
    if (this.#span === undefined) return;
    this.#decodeBytes(this.#span, true);
    this.#span = undefined;
  }

  #decodeBytes(span: Span, isAll: boolean): void {
    const bytes = this.#bytes.join();
    const end = isAll ? bytes.length : endOfWhole(bytes);
    const text = this.#decode(bytes, 0, end);
    span.pieces.push(text);
    span.characters += text.length;
    const left = bytes.slice(end);
    this.#bytes.free(left);
    this.#bytes.append(left, 0, left.length);
  }
}

function nodeOf(path: MemberPath, paths: readonly MemberPath[], parent: PathNode | undefined): PathNode {
  const members: PathNode[] = [];
  const depth = path.length;
  const further = paths.filter((each) => each.length > depth && path.every((name, at) => each[at] === name));
  const name = Array.from(`${path.at(-1) ?? ''}"`, (char) => char.charCodeAt(0));
  const node: PathNode = { name, path, isWanted: further.length === 0, members, parent };
  for (const next of new Set(further.flatMap((each) => each[depth] ?? [])))
    members.push(nodeOf([...path, next], further, node));
  return node;
}

/** The start of an incomplete character at the end. */
function endOfWhole(bytes: Uint8Array): number {
  const { length } = bytes;
  for (let back = 1; back <= Math.min(3, length); back++) {
    const byte = bytes[length - back] ?? 0;
    if (byte < 0x80) return length;
    if (byte < 0xc0) continue;
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return back < needed ? length - back : length;
  }
  return length;
}

function isSame(one: readonly number[], other: readonly number[]): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
}
