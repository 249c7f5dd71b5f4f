import type { DatabaseSync } from 'node:sqlite';
import type { LineageKey } from '../../../core/model/lineage.ts';
import type { StateImport } from '../../../core/index.ts';
import { StoreError } from '../sqlite.ts';
import { LineDigest, linesOf } from './fileLines.ts';
import type { Joining } from '../states/joining.ts';
import { decodeEnd, decodeHeader, decodeNode, fileFailed, type FileHeader, parsedLine } from './lineageFile.ts';
import type { LineageIndex, LineageRecord } from '../states/lineageIndex.ts';
import type { TimeSlice } from '../states/timeSlice.ts';
import { StagedNodes } from '../states/stagedNodes.ts';
import { Overtaken, type Staging, type Stagings } from '../states/stagings.ts';

/**
 * Maximum characters written for a file, plus a factor of its size: short patches can create large states, each of
 * which may need a snapshot.
 */
const MAX_WRITTEN = 256_000_000;
const MAX_FOR_EACH = 8;

/** The parts of the store that reading a file needs. */
interface Surroundings {
  readonly database: DatabaseSync;
  readonly index: LineageIndex;
  readonly stagings: Stagings;
  readonly joining: Joining;
}

/** The staging area for imported checkpoints. */
interface OpenImport {
  readonly header: FileHeader;
  readonly staging: Staging;
  readonly nodes: StagedNodes;
}

/**
 * One attempt at reading a file, which is untrusted: every patch is applied as if the server had just sent it, and
 * fails in the same way.
 */
export class FileReading {
  readonly #surroundings: Surroundings;
  readonly #key: LineageKey;
  readonly #file: string;
  /** The lineage at the start, unless it was empty. */
  readonly #before: LineageRecord | undefined;
  readonly #lines: Generator<Buffer>;
  readonly #digest = new LineDigest();
  /** In file order. */
  readonly #rowIds: number[] = [];
  #import: OpenImport | undefined;
  #number = 0;
  #added = 0;
  /** Bytes read. */
  #length = 0;
  #written = 0;
  #head: number | undefined;
  #blockedBy: number | undefined;
  #changedAt = 0;
  #isEnded = false;
  /** Imported checkpoints were compared with the lineage up to this row id. */
  #seen: number;

  constructor(surroundings: Surroundings, key: LineageKey, file: string) {
    this.#surroundings = surroundings;
    this.#key = key;
    this.#file = file;
    const lineage = surroundings.index.lineage(key);
    this.#before = lineage?.count === 0 ? undefined : lineage;
    this.#seen = this.#before === undefined ? 0 : surroundings.joining.lastRowId(this.#before.id);
    this.#lines = linesOf(file);
  }

  /** Returns undefined if there is more to do. */
  step(pace: TimeSlice): StateImport | undefined {
    this.#look();
    const isRead = this.#read(pace);
    this.#count();
    return isRead ? this.#join(pace) : undefined;
  }

  leave(): void {
    this.#lines.return(undefined);
    if (this.#import !== undefined) this.#surroundings.stagings.giveUp(this.#import.staging);
  }

  /** Detects changes by others since the last step. */
  #look(): void {
    const { index, stagings } = this.#surroundings;
    if (this.#before !== undefined && index.lineage(this.#key)?.id !== this.#before.id) throw new Overtaken();
    if (this.#import === undefined) return;
    stagings.find(this.#import.staging);
    this.#import.nodes.begin();
  }

  /** Returns whether all lines were read. */
  #read(pace: TimeSlice): boolean {
    for (let next = this.#lines.next(); next.done !== true; next = this.#lines.next()) {
      const line = next.value;
      this.#number++;
      this.#onLine(() => this.#take(line));
      this.#digest.add(line);
      this.#length += line.length;
      if (pace.isOver) return false;
    }
    if (this.#isEnded) return true;
    throw fileFailed(`The file ${this.#file} cannot be taken`, `It ends too early, after line ${this.#number}.`);
  }

  #onLine(work: () => void): void {
    try {
      work();
    } catch (error) {
      // Errors of the database, such as a full disk, keep their message.
      if (error instanceof StoreError || !isOfTheFile(error)) throw error;
      throw fileFailed(`Line ${this.#number} of ${this.#file} cannot be taken`, error);
    }
  }

  #take(line: Buffer): void {
    if (this.#isEnded) throw new TypeError('There is more after its end.');
    const value = parsedLine(line);
    const end = decodeEnd(value);
    if (this.#import === undefined) this.#import = this.#begin(decodeHeader(value));
    else if (end === undefined) this.#add(this.#import, value);
    else {
      if (end.sha256 !== this.#digest.hex)
        throw new TypeError('What stands before it was changed since it was written.');
      const { count } = this.#import.header;
      const held = this.#rowIds.length;
      if (held !== count || held !== end.count)
        throw new TypeError(
          `It holds ${held} of the ${count} checkpoints that its first line names; its last line names ${end.count}.`,
        );
      this.#isEnded = true;
    }
  }

  #begin(header: FileHeader): OpenImport {
    if (this.#before !== undefined) admit(header, this.#before);
    const { database, stagings } = this.#surroundings;
    const staging = stagings.begin(header.keeper);
    const foreign = { id: staging.id, keeper: header.keeper, target: this.#before?.id };
    return { header, staging, nodes: new StagedNodes(database, foreign) };
  }

  #add({ header, nodes }: OpenImport, value: unknown): void {
    const node = decodeNode(value, this.#rowIds.length);
    if (this.#rowIds.length >= header.count) throw new TypeError(`It holds more than ${header.count} checkpoints.`);
    const before = nodes.size;
    const { rowId, isNew } = nodes.add(node, node.parent === undefined ? undefined : this.#rowIds[node.parent]);
    this.#written += nodes.size - before;
    if (this.#written > MAX_WRITTEN + MAX_FOR_EACH * this.#length)
      throw new TypeError('Its states take far more room than the file itself.');
    this.#rowIds.push(rowId);
    if (node.isHead) this.#head = rowId;
    if (node.isBlocking) this.#blockedBy = rowId;
    if (!isNew) return;
    this.#added++;
    this.#changedAt = Math.max(this.#changedAt, node.at);
  }

  #count(): void {
    if (this.#import !== undefined) this.#surroundings.stagings.add(this.#import.staging, this.#import.nodes);
  }

  #join(pace: TimeSlice): StateImport | undefined {
    const { index, joining } = this.#surroundings;
    if (this.#import === undefined) return undefined;
    const { header, staging, nodes } = this.#import;
    const target = index.lineage(this.#key);
    if (target !== undefined && target.count > 0)
      try {
        // The lineage may have been created in the meantime.
        admit(header, target);
      } catch (error) {
        throw fileFailed(`The file ${this.#file} cannot be taken`, error);
      }
    const next = joining.step(
      {
        key: this.#key,
        staging,
        keeper: header.keeper,
        head: this.#head,
        blockedBy: this.#blockedBy,
        changedAt: this.#changedAt,
        fillings: nodes.fillings,
      },
      this.#seen,
      pace,
    );
    if (next === undefined) return { added: this.#added, known: this.#rowIds.length - this.#added };
    this.#seen = next;
    return undefined;
  }
}

function admit(header: FileHeader, { keeper }: LineageRecord): void {
  if (keeper === header.keeper) return;
  const whose = (each: string): string => (each === 'host' ? 'kept by MCP Live' : 'kept by its server');
  throw new TypeError(`Its states are ${whose(header.keeper)}, those of this lineage are ${whose(keeper)}.`);
}

/** Errors in the file. Errors of SQLite have a code. */
function isOfTheFile(error: unknown): boolean {
  return error instanceof TypeError || error instanceof SyntaxError || error instanceof RangeError;
}
