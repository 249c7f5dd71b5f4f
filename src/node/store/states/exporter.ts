import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { LineageKey, StateKeeper } from '../../../core/model/lineage.ts';
import { optionalText, type Row, record } from '../records.ts';
import { LineDigest, writeLines } from './fileLines.ts';
import { endLine, fileFailed, type FileNode, headerLine, nodeLine } from './lineageFile.ts';
import type { LineageIndex, LineageRecord } from './lineageIndex.ts';
import { CHECKPOINT_COLUMNS, checkpointOf } from './rows.ts';

/** Writes a lineage to a file. */
export class Exporter {
  readonly #index: LineageIndex;
  readonly #rows: StatementSync;

  constructor(database: DatabaseSync, index: LineageIndex) {
    this.#index = index;
    // Nobody comes before a root: where it has no whole state of its own, the one that was written down for it is its.
    this.#rows = database.prepare(
      `SELECT ${CHECKPOINT_COLUMNS}, parent_name, body,
         iif(parent IS NULL, (SELECT state FROM snapshots WHERE snapshots.place = checkpoints.place), NULL) AS state
       FROM checkpoints WHERE lineage = ? ORDER BY place`,
    );
  }

  /** Returns how many checkpoints it wrote. */
  write(key: LineageKey, file: string): number {
    const lineage = this.#index.lineage(key);
    if (lineage === undefined) throw fileFailed(`The file ${file} was not written`, 'There is no such lineage.');
    const count = this.#index.shape(lineage).rows;
    writeLines(file, this.#lines(lineage, count));
    return count;
  }

  *#lines(lineage: LineageRecord, count: number): Generator<string> {
    const { server, featureSet } = lineage;
    const keeper: StateKeeper = lineage.keeper === 'host' ? 'host' : 'server';
    const digest = new LineDigest();
    const added = (line: string): string => {
      digest.add(line);
      return line;
    };
    yield added(headerLine({ server, featureSet, keeper, count }));
    const numbers = new Map<number, number>();
    for (const value of this.#rows.iterate(lineage.id)) {
      const row = record(value);
      const node = nodeOf(row, lineage, numbers);
      numbers.set(checkpointOf(row).place, numbers.size);
      yield added(nodeLine(node));
    }
    yield endLine({ count: numbers.size, sha256: digest.hex });
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
