import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { LineageKey, StateKeeper } from '../../../core/model/lineage.ts';
import { integer, optionalText, type Row, record } from '../contract.ts';
import { StoreError } from '../sqlite.ts';
import { LineDigest, LineWriter } from './fileLines.ts';
import { endLine, fileFailed, type FileNode, headerLine, nodeLine } from './lineageFile.ts';
import type { LineageIndex, LineageRecord } from '../states/lineageIndex.ts';
import { TimeSlice } from '../states/timeSlice.ts';
import { CHECKPOINT_COLUMNS, checkpointOf } from '../states/stateAnswers.ts';

/** Maximum attempts, because parts of a lineage may be removed during the export. */
const MAX_ATTEMPTS = 4;

/** The size of a lineage up to a row id. */
interface Extent {
  readonly last: number;
  readonly count: number;
  readonly roots: number;
}

/** Exports lineages to files. */
export class Exporter {
  readonly #index: LineageIndex;
  readonly #extent: StatementSync;
  readonly #rows: StatementSync;

  constructor(database: DatabaseSync, index: LineageIndex) {
    this.#index = index;
    this.#extent = database.prepare(
      `SELECT coalesce(max(place), 0) AS last, count(*) AS count, count(*) - count(parent) AS roots
       FROM checkpoints WHERE lineage = ?`,
    );
    // A root needs a complete state: its own, or else its snapshot.
    this.#rows = database.prepare(
      `SELECT ${CHECKPOINT_COLUMNS}, parent_name, body,
         iif(parent IS NULL, (SELECT state FROM snapshots WHERE snapshots.place = checkpoints.place), NULL) AS state
       FROM checkpoints WHERE lineage = ? AND place > ? AND place <= ? ORDER BY place`,
    );
  }

  begin(key: LineageKey, file: string): ExportRun {
    return new ExportRun(file, () => this.#begin(key, file));
  }

  #begin(key: LineageKey, file: string): FileWriting {
    const lineage = this.#index.lineage(key);
    if (lineage === undefined) throw fileFailed(`The file ${file} was not written`, 'There is no such lineage.');
    const { last, count, roots } = record(this.#extent.get(lineage.id));
    const extent = {
      last: integer(last, 'last'),
      count: integer(count, 'count'),
      roots: integer(roots, 'roots'),
    };
    const rowsBehind = (rowId: number): Iterable<unknown> => this.#rows.iterate(lineage.id, rowId, extent.last);
    return new FileWriting(file, lineage, extent, rowsBehind);
  }
}

/** One export, in steps. Excludes checkpoints that arrive during the export. */
class ExportRun {
  readonly #file: string;
  readonly #begin: () => FileWriting;
  #writing: FileWriting | undefined;
  #attempts = 0;

  constructor(file: string, begin: () => FileWriting) {
    this.#file = file;
    this.#begin = begin;
  }

  /** Returns the number of written checkpoints at the end. After a failure, only call `leave`. */
  step(): number | undefined {
    const outcome = (this.#writing ??= this.#begin()).step(new TimeSlice());
    if (outcome !== 'changed') return outcome;
    this.leave();
    if (++this.#attempts < MAX_ATTEMPTS) return undefined;
    throw new StoreError('busy', `The file ${this.#file} was not written: its lineage changed again and again.`);
  }

  leave(): void {
    this.#writing?.leave();
    this.#writing = undefined;
  }
}

/** One attempt at writing a lineage. */
class FileWriting {
  readonly #lineage: LineageRecord;
  readonly #extent: Extent;
  readonly #rowsBehind: (rowId: number) => Iterable<unknown>;
  readonly #lines: LineWriter;
  readonly #digest = new LineDigest();
  /** Numbers of checkpoints in the file, by row id. */
  readonly #numbers = new Map<number, number>();
  #roots = 0;
  #rowId = 0;

  constructor(file: string, lineage: LineageRecord, extent: Extent, rowsBehind: (rowId: number) => Iterable<unknown>) {
    this.#lineage = lineage;
    this.#extent = extent;
    this.#rowsBehind = rowsBehind;
    this.#lines = new LineWriter(file);
    const { server, featureSet } = lineage;
    const keeper: StateKeeper = lineage.keeper === 'host' ? 'host' : 'server';
    this.#write(headerLine({ server, featureSet, keeper, count: extent.count }));
  }

  step(pace: TimeSlice): number | 'changed' | undefined {
    for (const value of this.#rowsBehind(this.#rowId)) {
      this.#add(record(value));
      if (!pace.isOver) continue;
      this.#lines.save();
      return undefined;
    }
    const { count, roots } = this.#extent;
    // Rows removed before they were written leave a gap, or a root that was none.
    if (this.#numbers.size !== count || this.#roots !== roots) return 'changed';
    this.#write(endLine({ count, sha256: this.#digest.hex }));
    this.#lines.finish();
    return count;
  }

  leave(): void {
    this.#lines.discard();
  }

  #add(row: Row): void {
    const node = nodeOf(row, this.#lineage, this.#numbers);
    this.#rowId = integer(row['place'], 'place');
    if (row['parent'] === null) this.#roots++;
    this.#numbers.set(this.#rowId, this.#numbers.size);
    this.#write(nodeLine(node));
  }

  #write(line: string): void {
    this.#digest.add(line);
    this.#lines.write(line);
  }
}

function nodeOf(row: Row, { head, blockedBy }: LineageRecord, numbers: ReadonlyMap<number, number>): FileNode {
  const { place, parent, size: _, ...node } = checkpointOf(row);
  const state = optionalText(row['state'], 'state');
  const body = optionalText(row['body'], 'body');
  return {
    ...node,
    parent: parent === undefined ? undefined : numbers.get(parent),
    parentName: optionalText(row['parent_name'], 'parent_name'),
    form: state === undefined ? node.form : 'data',
    isHead: place === head,
    isBlocking: place === blockedBy,
    body: state === undefined ? bodyOf(node.form, body) : { kind: 'data', text: state },
  };
}

function bodyOf(form: FileNode['form'], body: string | undefined): FileNode['body'] {
  return body === undefined ? undefined : { kind: form === 'data' ? 'data' : 'patch', text: body };
}
