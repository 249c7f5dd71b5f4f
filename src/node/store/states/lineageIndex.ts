import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { LineageKey } from '../../../core/model/lineage.ts';
import { LineageLayout } from '../../../core/states/patches/lineageLayout.ts';
import { integer, optionalInteger, record, text } from '../contract.ts';
import { IS_SEEN } from './stagings.ts';

const FIRST_CAPACITY = 1_024;
const NO_ROW = -1;

/** The tree of one lineage in memory. Row 0 is the oldest checkpoint. */
export class LineageShape {
  readonly layout = new LineageLayout();
  #rowIds = new Float64Array(FIRST_CAPACITY);
  #parents = new Int32Array(FIRST_CAPACITY);
  #rows = 0;

  get rows(): number {
    return this.#rows;
  }

  /** Id of the newest row, or 0 without rows. */
  get lastRowId(): number {
    return this.rowIdAt(this.#rows - 1);
  }

  rowIdAt(row: number): number {
    return this.#rowIds[row] ?? 0;
  }

  /** Row of the stored parent, or -1. */
  parentOf(row: number): number {
    return row < 0 || row >= this.#rows ? NO_ROW : (this.#parents[row] ?? NO_ROW);
  }

  /** Row with this id, or -1. */
  rowOf(rowId: number): number {
    let low = 0;
    let high = this.#rows - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      const found = this.rowIdAt(middle);
      if (found === rowId) return middle;
      if (found < rowId) low = middle + 1;
      else high = middle - 1;
    }
    return NO_ROW;
  }

  /** Appends newer rows. `parents` has places, or 0 without a parent. */
  append(rowIds: Float64Array, parents: Float64Array): void {
    const first = this.#rows;
    this.#reserve(first + rowIds.length);
    this.#rowIds.set(rowIds, first);
    this.#rows += rowIds.length;
    for (let i = 0; i < rowIds.length; i++) {
      const row = first + i;
      const parent = this.#rowOfParent(row, parents[i] ?? 0);
      this.#parents[row] = parent;
      this.layout.append(parent);
    }
  }

  /** Marks a row and its ancestors with 1. */
  lineOf(row: number): Uint8Array {
    const marks = new Uint8Array(this.#rows);
    for (let each = row; each >= 0 && marks[each] === 0; each = this.parentOf(each)) marks[each] = 1;
    return marks;
  }

  #rowOfParent(row: number, parent: number): number {
    if (parent === 0) return NO_ROW;
    return this.rowIdAt(row - 1) === parent && row > 0 ? row - 1 : this.rowOf(parent);
  }

  #reserve(rows: number): void {
    if (rows <= this.#rowIds.length) return;
    const capacity = Math.max(rows, this.#rowIds.length * 2);
    const rowIds = new Float64Array(capacity);
    const parents = new Int32Array(capacity);
    rowIds.set(this.#rowIds);
    parents.set(this.#parents);
    this.#rowIds = rowIds;
    this.#parents = parents;
  }
}

/** Maximum cached shapes. With more open lineages, each change takes some ten milliseconds. */
const MAX_SHAPES = 4;

export interface LineageRecord extends LineageKey {
  readonly id: number;
  readonly keeper: string;
  readonly head: number | undefined;
  readonly blockedBy: number | undefined;
  readonly count: number;
  readonly size: number;
  readonly version: number;
  readonly changedAt: number;
}

export const LINEAGE_COLUMNS = 'id, server, feature_set, keeper, head, blocked_by, count, size, version, changed_at';

export function lineageOf(value: unknown): LineageRecord {
  const row = record(value);
  return {
    id: integer(row['id'], 'id'),
    server: text(row['server'], 'server'),
    featureSet: text(row['feature_set'], 'feature_set'),
    keeper: text(row['keeper'], 'keeper'),
    head: optionalInteger(row['head'], 'head'),
    blockedBy: optionalInteger(row['blocked_by'], 'blocked_by'),
    count: integer(row['count'], 'count'),
    size: integer(row['size'], 'size'),
    version: integer(row['version'], 'version'),
    changedAt: integer(row['changed_at'], 'changed_at'),
  };
}

/** Detects changes to existing rows: removed, added or reparented ones. */
interface Fingerprint {
  readonly rows: number;
  readonly parents: number;
  readonly links: number;
}

interface Kept {
  shape: LineageShape;
  version: number;
  fingerprint: Fingerprint;
}

const NOTHING: Fingerprint = { rows: 0, parents: 0, links: 0 };

/** Cached shapes of recently used lineages. */
export class LineageIndex {
  readonly #byKey: StatementSync;
  readonly #byId: StatementSync;
  readonly #fingerprint: StatementSync;
  readonly #rows: StatementSync;
  readonly #kept = new Map<number, Kept>();

  constructor(database: DatabaseSync) {
    this.#byKey = database.prepare(`SELECT ${LINEAGE_COLUMNS} FROM lineages WHERE server = ? AND feature_set = ?`);
    this.#byId = database.prepare(`SELECT ${LINEAGE_COLUMNS} FROM lineages WHERE id = ? AND ${IS_SEEN}`);
    this.#fingerprint = database.prepare(
      `SELECT count(*) AS rows, coalesce(sum(parent), 0) AS parents, coalesce(sum(parent * (place % 31)), 0) AS links
       FROM checkpoints WHERE lineage = ? AND place <= ?`,
    );
    // As one JSON text: reading a hundred thousand rows one by one takes ten times as long.
    this.#rows = database.prepare(
      `SELECT json_group_array(place) AS places, json_group_array(parent) AS parents
       FROM (SELECT place, parent FROM checkpoints WHERE lineage = ? AND place > ? ORDER BY place)`,
    );
  }

  lineage({ server, featureSet }: LineageKey): LineageRecord | undefined {
    const row = this.#byKey.get(server, featureSet);
    return row === undefined ? undefined : lineageOf(row);
  }

  lineageById(id: number): LineageRecord | undefined {
    const row = this.#byId.get(id);
    return row === undefined ? undefined : lineageOf(row);
  }

  /** The current shape. A new object unless only new rows were added. */
  shape({ id, version }: LineageRecord): LineageShape {
    const kept = this.#kept.get(id) ?? { shape: new LineageShape(), version: -1, fingerprint: NOTHING };
    this.#kept.delete(id);
    if (kept.version !== version) this.#update(kept, id, version);
    this.#kept.set(id, kept);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= MAX_SHAPES) break;
      this.#kept.delete(oldest);
    }
    return kept.shape;
  }

  forget(): void {
    this.#kept.clear();
  }

  #update(kept: Kept, id: number, version: number): void {
    // Another window may have removed rows or filled placeholders.
    const now = kept.shape.rows === 0 ? NOTHING : this.#fingerprintOf(id, kept.shape.lastRowId);
    if (!isSame(now, kept.fingerprint)) kept.shape = new LineageShape();
    const { places, parents } = record(this.#rows.get(id, kept.shape.lastRowId));
    kept.shape.append(numbers(places), numbers(parents));
    kept.fingerprint = this.#fingerprintOf(id, kept.shape.lastRowId);
    kept.version = version;
  }

  #fingerprintOf(id: number, last: number): Fingerprint {
    const { rows, parents, links } = record(this.#fingerprint.get(id, last));
    return { rows: integer(rows, 'rows'), parents: integer(parents, 'parents'), links: integer(links, 'links') };
  }
}

function isSame(a: Fingerprint, b: Fingerprint): boolean {
  return a.rows === b.rows && a.parents === b.parents && a.links === b.links;
}

/** SQLite built the JSON from integers. 0 means none, because no row id is 0. */
function numbers(value: unknown): Float64Array {
  const parsed: unknown = JSON.parse(text(value, 'numbers'));
  const all: readonly unknown[] = Array.isArray(parsed) ? parsed : [];
  return Float64Array.from(all, Number);
}
