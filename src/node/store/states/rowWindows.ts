import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { LineageFilter, LineageQuery } from '../../../core/model/lineage.ts';
import { integer, optionalText, rowIdOf, type Row } from '../contract.ts';
import type { LineageIndex, LineageRecord, LineageShape } from './lineageIndex.ts';
import { CHECKPOINT_COLUMNS } from './stateAnswers.ts';

/** More rows than a screen shows. */
const MAX_ROWS = 1_000;

/** Range of version numbers for one lineage. */
const CHANGES = 2 ** 32;

/** Data computed once for a version of a lineage. */
interface Look {
  readonly version: number;
  readonly shape: LineageShape;
  readonly headRow: number;
  readonly line: Uint8Array;
  /** Number of conversations with this head. */
  readonly conversations: ReadonlyMap<number, number>;
  /** Rows of the last filter, newest first. */
  filtered: { readonly key: string; readonly rows: Int32Array } | undefined;
}

/** Pages of rows of a lineage. */
export class LineageWindows {
  readonly #index: LineageIndex;
  readonly #finder: RowFinder;
  readonly #nodes: StatementSync;
  readonly #heads: StatementSync;
  readonly #speaker: StatementSync;
  readonly #rollbacks: StatementSync;
  readonly #looks = new Map<number, Look>();

  constructor(database: DatabaseSync, index: LineageIndex) {
    this.#index = index;
    this.#finder = new RowFinder(database);
    this.#nodes = database.prepare(
      `SELECT ${CHECKPOINT_COLUMNS} FROM checkpoints WHERE place IN (SELECT value FROM json_each(?)) ORDER BY place DESC`,
    );
    this.#rollbacks = database.prepare(
      `SELECT target, count(*) AS n FROM head_moves WHERE target IN (SELECT value FROM json_each(?))
       AND kind = 'rollback' AND refusal IS NULL GROUP BY target`,
    );
    this.#heads = database.prepare('SELECT place, count(*) AS n FROM heads WHERE lineage = ? GROUP BY place');
    this.#speaker = database.prepare(
      `SELECT 1 FROM heads JOIN checkpoints ON checkpoints.place = heads.place
       AND checkpoints.conversation = heads.conversation WHERE heads.lineage = ? AND heads.place = ?`,
    );
  }

  window(query: LineageQuery): Row {
    const lineage = this.#index.lineage(query);
    if (lineage === undefined) return { version: 0, total: 0, all: 0, head: null, lanes: 0, rows: [] };
    const look = this.#look(lineage);
    const rows = isPlain(query.filter) ? undefined : this.#filtered(look, lineage.id, query.filter);
    const { shape } = look;
    const total = rows?.length ?? shape.rows;
    const from = Math.max(0, query.from);
    const to = Math.min(total, from + Math.max(0, Math.min(query.count, MAX_ROWS)));
    const shown = Array.from(
      { length: Math.max(0, to - from) },
      (_, i) => rows?.[from + i] ?? shape.rows - 1 - from - i,
    );
    return {
      // Version numbers are not reused for a lineage that was deleted and created again.
      version: lineage.id * CHANGES + lineage.version,
      total,
      all: shape.rows,
      head: positionOf(look.headRow, shape, rows) ?? null,
      lanes: shape.layout.lanes,
      rows: this.#rows(look, shown, from, rows === undefined),
    };
  }

  #look(lineage: LineageRecord): Look {
    const shape = this.#index.shape(lineage);
    const known = this.#looks.get(lineage.id);
    if (known?.version === lineage.version && known.shape === shape) return known;
    const headRow = lineage.head === undefined ? -1 : shape.rowOf(lineage.head);
    const look: Look = {
      version: lineage.version,
      shape,
      headRow,
      line: shape.lineOf(headRow),
      conversations: this.#conversations(lineage),
      filtered: undefined,
    };
    // Only one lineage is cached, because views show one at a time.
    this.#looks.clear();
    this.#looks.set(lineage.id, look);
    return look;
  }

  #conversations({ id, head }: LineageRecord): ReadonlyMap<number, number> {
    const counts = new Map<number, number>();
    for (const row of this.#heads.all(id)) counts.set(integer(row['place'], 'place'), integer(row['n'], 'n'));
    // The conversation that moved the head is already counted there.
    const atHead = head === undefined ? undefined : counts.get(head);
    if (head !== undefined && atHead !== undefined && this.#speaker.get(id, head) !== undefined)
      counts.set(head, atHead - 1);
    return counts;
  }

  #filtered(look: Look, id: number, filter: LineageFilter): Int32Array {
    const key = `${filter.only}:${filter.text}`;
    if (look.filtered?.key !== key) look.filtered = { key, rows: this.#finder.rows(id, look.shape, look.line, filter) };
    return look.filtered.rows;
  }

  #rows({ shape, headRow, line, conversations }: Look, shown: readonly number[], from: number, isAll: boolean): Row[] {
    const rowIds = shown.map((row) => shape.rowIdAt(row));
    const asked = JSON.stringify(rowIds);
    const nodes = new Map(this.#nodes.all(asked).map((node) => [node['place'], node]));
    const rollbacks = new Map(this.#rollbacks.all(asked).map(({ target, n }) => [target, n]));
    const oldest = shown.at(-1) ?? 0;
    const graphs = isAll && shown.length > 0 ? shape.layout.graphs(oldest, oldest + shown.length) : [];
    return shown.map((row, i) => ({
      position: from + i,
      node: nodes.get(rowIds[i] ?? 0),
      isHead: row === headRow,
      isOnLine: line[row] === 1,
      conversations: conversations.get(rowIds[i] ?? 0) ?? 0,
      rollbacks: rollbacks.get(rowIds[i] ?? 0) ?? 0,
      graph: graphs[row - oldest] ?? null,
    }));
  }
}

function isPlain({ text, only }: LineageFilter): boolean {
  return text === '' && only === 'all';
}

function positionOf(headRow: number, shape: LineageShape, rows: Int32Array | undefined): number | undefined {
  if (headRow < 0) return undefined;
  if (rows === undefined) return shape.rows - 1 - headRow;
  const found = rows.indexOf(headRow);
  return found < 0 ? undefined : found;
}

/** The display name of a checkpoint whose name is not unique. */
const SHOWN_NAME = `checkpoint || iif(copy > 1, '#' || copy, '')`;
const ONLY: Readonly<Record<LineageFilter['only'], string>> = {
  all: '',
  // Decided in memory: the file does not know which rows lead to the head.
  line: '',
  marked: 'AND (is_pinned = 1 OR name IS NOT NULL)',
  problems: `AND (problem IS NOT NULL OR is_pruned = 1 OR form = 'placeholder')`,
};
const MAX_TEXT = 500;

/** Finds the rows that match a filter. */
class RowFinder {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** Newest first. */
  rows(lineage: number, shape: LineageShape, line: Uint8Array, { text, only }: LineageFilter): Int32Array {
    const wanted = text.slice(0, MAX_TEXT);
    const found: number[] = [];
    const isLeftIn = (row: number): boolean => row >= 0 && (only !== 'line' || line[row] === 1);
    if (wanted === '' && only === 'line') {
      for (let row = shape.rows - 1; row >= 0; row--) if (isLeftIn(row)) found.push(row);
    } else
      for (const each of this.#matching(lineage, only, wanted)) {
        const row = shape.rowOf(rowIdOf(each));
        if (isLeftIn(row)) found.push(row);
      }
    return Int32Array.from(found);
  }

  #matching(lineage: number, only: LineageFilter['only'], wanted: string): readonly Row[] {
    if (wanted === '') return this.#statement(`SELECT place FROM checkpoints WHERE lineage = ?`, only).all(lineage);
    const found = this.#statement(
      `SELECT place, name, ${SHOWN_NAME} AS shown, tool, args FROM checkpoints
       WHERE lineage = ? AND (name LIKE ?2 ESCAPE '\\' OR ${SHOWN_NAME} LIKE ?2 ESCAPE '\\'
       OR tool LIKE ?2 ESCAPE '\\' OR args LIKE ?2 ESCAPE '\\')`,
      only,
    ).all(lineage, patternOf(wanted));
    return isAscii(wanted) ? found : found.filter((row) => holds(row, wanted.toLowerCase()));
  }

  #statement(select: string, only: LineageFilter['only']): StatementSync {
    const sql = `${select} ${ONLY[only]} ORDER BY place DESC`;
    const known = this.#statements.get(sql) ?? this.#database.prepare(sql);
    this.#statements.set(sql, known);
    return known;
  }
}

function holds(row: Row, wanted: string): boolean {
  return ['name', 'shown', 'tool', 'args'].some((column) =>
    optionalText(row[column], column)?.toLowerCase().includes(wanted),
  );
}

/** SQLite only folds ASCII. Other characters match anything here and are compared afterwards. */
function patternOf(wanted: string): string {
  const escaped = wanted.replaceAll(/[\\%_]/g, String.raw`\$&`);
  return `%${escaped.replaceAll(/[^\0-\u007f]/gu, '_')}%`;
}

function isAscii(wanted: string): boolean {
  return /^[\0-\u007f]*$/.test(wanted);
}
