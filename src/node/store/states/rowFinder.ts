import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { LineageFilter } from '../../../core/model/lineage.ts';
import { optionalText, placeOf, type Row } from '../records.ts';
import type { LineageShape } from './lineageShape.ts';

/** As a list writes the name of one that shares it with another. */
const SHOWN_NAME = `checkpoint || iif(copy > 1, '#' || copy, '')`;
const ONLY: Readonly<Record<LineageFilter['only'], string>> = {
  all: '',
  // Known in memory: which rows lead to the head is no question for the file.
  line: '',
  marked: 'AND (is_pinned = 1 OR name IS NOT NULL)',
  problems: `AND (problem IS NOT NULL OR is_pruned = 1 OR form = 'placeholder')`,
};
const MOST_TEXT = 500;

/** Which rows of a lineage a filter leaves in. */
export class RowFinder {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** The newest first. */
  rows(lineage: number, shape: LineageShape, line: Uint8Array, { text, only }: LineageFilter): Int32Array {
    const wanted = text.slice(0, MOST_TEXT);
    const found: number[] = [];
    const isLeftIn = (row: number): boolean => row >= 0 && (only !== 'line' || line[row] === 1);
    if (wanted === '' && only === 'line') {
      for (let row = shape.rows - 1; row >= 0; row--) if (isLeftIn(row)) found.push(row);
    } else
      for (const each of this.#matching(lineage, only, wanted)) {
        const row = shape.rowOf(placeOf(each));
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

/** SQLite knows the case of ASCII only: any other character may be anything here, and is looked at afterwards. */
function patternOf(wanted: string): string {
  const escaped = wanted.replaceAll(/[\\%_]/g, String.raw`\$&`);
  return `%${escaped.replaceAll(/[^\0-\u007f]/gu, '_')}%`;
}

function isAscii(wanted: string): boolean {
  return /^[\0-\u007f]*$/.test(wanted);
}
