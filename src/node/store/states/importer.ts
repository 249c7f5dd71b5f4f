import type { DatabaseSync } from 'node:sqlite';
import { type LineageKey, STATE_BOUNDS } from '../../../core/model/lineage.ts';
import type { StateImport } from '../../../core/index.ts';
import { StoreError } from '../sqlite.ts';
import { LineDigest, linesOf } from './fileLines.ts';
import { ForeignNodes } from './foreignNodes.ts';
import { decodeEnd, decodeHeader, decodeNode, fileFailed, type FileHeader, type FileNode } from './lineageFile.ts';
import type { LineageIndex, LineageRecord } from './lineageIndex.ts';
import type { Materialiser } from './materialiser.ts';
import type { StateRecorder } from './recorder.ts';

interface Reading {
  header: FileHeader | undefined;
  /** Places of what was read, in the order of the file. */
  readonly places: number[];
  added: number;
  head: number | undefined;
  blockedBy: number | undefined;
  isEnded: boolean;
}

/**
 * Adds what a file holds to a lineage. The file is a stranger's: every patch is applied as if its server had just sent
 * it, and what does not fit is as broken as it would be then. Whoever calls holds a transaction.
 */
export class Importer {
  readonly #index: LineageIndex;
  readonly #materialiser: Materialiser;
  readonly #nodes: ForeignNodes;

  constructor(database: DatabaseSync, index: LineageIndex, materialiser: Materialiser, recorder: StateRecorder) {
    this.#index = index;
    this.#materialiser = materialiser;
    this.#nodes = new ForeignNodes(database, recorder);
  }

  read(key: LineageKey, file: string): StateImport {
    try {
      return this.#read(key, file);
    } finally {
      // States that were made on the way are of no further use, and of none at all if this is taken back.
      this.#materialiser.forget();
    }
  }

  #read(key: LineageKey, file: string): StateImport {
    const before = this.#index.lineage(key);
    const reading: Reading = {
      header: undefined,
      places: [],
      added: 0,
      head: undefined,
      blockedBy: undefined,
      isEnded: false,
    };
    const digest = new LineDigest();
    let number = 0;
    for (const line of linesOf(file)) {
      number++;
      this.#onLine(`Line ${number} of ${file} cannot be taken`, () => this.#take(key, before, reading, line, digest));
      digest.add(line);
    }
    if (!reading.isEnded)
      throw fileFailed(`The file ${file} cannot be taken`, `It ends too early, after line ${number}.`);
    this.#settle(key, before, reading);
    return { added: reading.added, known: reading.places.length - reading.added };
  }

  #onLine(what: string, work: () => void): void {
    try {
      work();
    } catch (error) {
      // Of the database, of a full disk above all, its own words are to be heard.
      if (error instanceof StoreError || !isOfTheFile(error)) throw error;
      throw fileFailed(what, error);
    }
  }

  #take(key: LineageKey, before: LineageRecord | undefined, reading: Reading, line: Buffer, digest: LineDigest): void {
    if (reading.isEnded) throw new TypeError('There is more after its end.');
    const value = parsed(line);
    const end = decodeEnd(value);
    if (reading.header === undefined) reading.header = admitted(decodeHeader(value), before);
    else if (end === undefined) this.#add(key, reading, reading.header, value);
    else {
      if (end.sha256 !== digest.hex) throw new TypeError('What stands before it was changed since it was written.');
      const counts = new Set([end.count, reading.header.count, reading.places.length]);
      if (counts.size > 1) throw new TypeError(`It holds ${reading.places.length} checkpoints, and not ${end.count}.`);
      reading.isEnded = true;
    }
  }

  #add(key: LineageKey, reading: Reading, header: FileHeader, value: unknown): void {
    const node = decodeNode(value, reading.places.length);
    if (reading.places.length >= header.count) throw new TypeError(`It holds more than ${header.count} checkpoints.`);
    const { place, isNew } = this.#nodes.add({ ...key, keeper: header.keeper }, node, placeOfParent(node, reading));
    reading.places.push(place);
    if (isNew) reading.added++;
    if (node.isHead) reading.head = place;
    if (node.isBlocking) reading.blockedBy = place;
  }

  /** Nobody who works on is moved by what comes in. */
  #settle(key: LineageKey, before: LineageRecord | undefined, { header, head, blockedBy }: Reading): void {
    const isNew = before === undefined || before.count === 0;
    const after = this.#index.lineage(key);
    if (after === undefined || header === undefined) return;
    const stands = isNew ? { head, blockedBy, keeper: header.keeper } : before;
    this.#nodes.settle(after.id, stands.keeper, stands.head, stands.blockedBy);
  }
}

function placeOfParent({ parent }: FileNode, { places }: Reading): number | undefined {
  return parent === undefined ? undefined : places[parent];
}

function admitted(header: FileHeader, before: LineageRecord | undefined): FileHeader {
  if (before === undefined || before.count === 0 || before.keeper === header.keeper) return header;
  const whose = (keeper: string): string => (keeper === 'host' ? 'kept by MCP Live' : 'kept by its server');
  throw new TypeError(`Its states are ${whose(header.keeper)}, those of this lineage are ${whose(before.keeper)}.`);
}

/** Mistakes of a stranger's file; what SQLite throws has a code. */
function isOfTheFile(error: unknown): boolean {
  return error instanceof TypeError || error instanceof SyntaxError || error instanceof RangeError;
}

function parsed(line: Buffer): unknown {
  const text = new TextDecoder('utf-8', { fatal: true }).decode(line);
  if (depthOf(text) > STATE_BOUNDS.depth + 1) throw new TypeError(`It nests deeper than ${STATE_BOUNDS.depth}.`);
  return JSON.parse(text);
}

/** Looked at before it is parsed: what nests without end ends the parser. */
function depthOf(json: string): number {
  let depth = 0;
  let deepest = 0;
  let isInText = false;
  for (let i = 0; i < json.length; i++) {
    const character = json[i];
    if (isInText) {
      if (character === '\\') i++;
      else if (character === '"') isInText = false;
    } else if (character === '"') isInText = true;
    else if (character === '{' || character === '[') deepest = Math.max(deepest, ++depth);
    else if (character === '}' || character === ']') depth--;
  }
  return deepest;
}
