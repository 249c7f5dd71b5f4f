import type { DatabaseSync } from 'node:sqlite';
import { integer, optionalInteger, optionalText, type Row, text, type Value, type Values } from '../contract.ts';
import { readTable, type SalvagedTable } from '../salvageRows.ts';
import { LineageRepair } from './lineageRepair.ts';
import { checkpointOf } from './stateAnswers.ts';
import { isStaging } from './stagings.ts';

const LINEAGES = columnsOf('id server feature_set keeper head blocked_by version changed_at');
const CHECKPOINTS = columnsOf(
  `place lineage checkpoint copy parent parent_name link form problem is_pruned at tool args conversation size state_size
   replay name is_pinned body`,
);
const SNAPSHOTS = columnsOf('place state');
const HEADS = columnsOf('lineage conversation place at');
const HEAD_MOVES = columnsOf('lineage at kind origin target refusal');

/** Rows as objects by column. */
type Columns = Readonly<Record<string, Value>>;

/** How to salvage lineages. Bodies are the most valuable part, so their limit is higher. */
const TABLES = {
  lineages: { columns: LINEAGES, key: 'rowid', most: 8_000_000, decode: decodeLineage },
  checkpoints: { columns: CHECKPOINTS, key: 'rowid', most: 256_000_000, decode: decodeCheckpoint },
  snapshots: {
    columns: SNAPSHOTS,
    key: 'rowid',
    most: 128_000_000,
    decode: (row: Row) => [integer(row['place'], 'place'), text(row['state'], 'state')],
  },
  heads: { columns: HEADS, key: 'lineage, conversation', most: 8_000_000, decode: decodeHead },
  head_moves: { columns: HEAD_MOVES, key: 'rowid', most: 16_000_000, decode: decodeMove },
} satisfies Readonly<Record<string, Omit<SalvagedTable, 'table'>>>;

/** The readable lineages of a damaged database. */
export class LineageSalvage {
  readonly #found = new Map<string, readonly Columns[]>();

  /** Number of checkpoints whose lineage is known. */
  get count(): number {
    const known = new Set(this.#rows('lineages').map(({ id }) => id));
    return this.#rows('checkpoints').filter(({ lineage }) => known.has(lineage ?? null)).length;
  }

  read(damaged: DatabaseSync): void {
    for (const [table, how] of Object.entries(TABLES)) {
      const names = how.columns.split(', ');
      this.#found.set(
        table,
        readTable(damaged, { table, ...how }).map((values) => rowOf(names, values)),
      );
    }
  }

  /** Another window may have used the new file already. Its rows keep their numbers, and these get new ones. */
  restore(database: DatabaseSync): void {
    const shift = usedRowIds(database);
    const moved = (rowId: Value | undefined): Value => (typeof rowId === 'number' ? rowId + shift : null);
    const lineages = this.#restoreLineages(database, moved);
    const idOf = ({ lineage }: Columns): number | undefined => lineages.get(Number(lineage));
    const insert = (table: string, columns: string): ((row: Columns) => void) => {
      const names = columns.split(', ');
      const statement = database.prepare(
        `INSERT OR IGNORE INTO ${table} (${columns}) VALUES (${names.map(() => '?').join(', ')})`,
      );
      return (row) => void statement.run(...names.map((name) => row[name] ?? null));
    };
    const addCheckpoint = insert('checkpoints', CHECKPOINTS);
    for (const row of this.#rows('checkpoints')) {
      const lineage = idOf(row);
      if (lineage === undefined) continue;
      addCheckpoint({ ...row, lineage, place: moved(row['place']), parent: moved(row['parent']) });
    }
    const addSnapshot = insert('snapshots', SNAPSHOTS);
    for (const row of this.#rows('snapshots')) addSnapshot({ ...row, place: moved(row['place']) });
    const addHead = insert('heads', HEADS);
    const addMove = insert('head_moves', HEAD_MOVES);
    for (const row of this.#rows('heads')) addHead({ ...row, lineage: idOf(row) ?? 0, place: moved(row['place']) });
    for (const row of this.#rows('head_moves'))
      addMove({ ...row, lineage: idOf(row) ?? 0, origin: moved(row['origin']), target: moved(row['target']) });
    new LineageRepair(database).repair([...lineages.values()]);
  }

  #restoreLineages(database: DatabaseSync, moved: (rowId: Value | undefined) => Value): ReadonlyMap<number, number> {
    const add = database.prepare(
      `INSERT OR IGNORE INTO lineages (server, feature_set, keeper, head, blocked_by, version, changed_at)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
    );
    const find = database.prepare('SELECT id FROM lineages WHERE server = ? AND feature_set = ?');
    const ids = new Map<number, number>();
    for (const { id, server, feature_set, keeper, head, blocked_by, version, changed_at } of this.#rows('lineages')) {
      const key = [server ?? null, feature_set ?? null] as const;
      add.run(...key, keeper ?? null, moved(head), moved(blocked_by), version ?? 0, changed_at ?? 0);
      ids.set(Number(id), integer(find.get(...key)?.['id'], 'id'));
    }
    return ids;
  }

  #rows(table: keyof typeof TABLES): readonly Columns[] {
    return this.#found.get(table) ?? [];
  }
}

function columnsOf(names: string): string {
  return names.split(/\s+/).join(', ');
}

function rowOf(names: readonly string[], values: Values): Columns {
  return Object.fromEntries(names.map((name, i) => [name, values[i] ?? null]));
}

/** The highest number used in the new file. */
function usedRowIds(database: DatabaseSync): number {
  const row = database
    .prepare(`SELECT coalesce(max(seq), 0) AS n FROM sqlite_sequence WHERE name = 'checkpoints'`)
    .get();
  return integer(row?.['n'], 'n');
}

function decodeLineage(row: Row): void {
  for (const name of ['id', 'version', 'changed_at']) integer(row[name], name);
  for (const name of ['head', 'blocked_by']) optionalInteger(row[name], name);
  for (const name of ['server', 'feature_set', 'keeper']) text(row[name], name);
  if (isStaging(row['server'])) throw new TypeError('What was not yet read to its end is no lineage.');
}

function decodeCheckpoint(row: Row): void {
  checkpointOf(row);
  for (const name of ['lineage', 'is_pruned', 'state_size', 'replay', 'is_pinned']) integer(row[name], name);
  for (const name of ['parent_name', 'body']) optionalText(row[name], name);
}

function decodeHead(row: Row): void {
  for (const name of ['lineage', 'place', 'at']) integer(row[name], name);
  text(row['conversation'], 'conversation');
}

function decodeMove(row: Row): void {
  for (const name of ['lineage', 'at', 'target']) integer(row[name], name);
  text(row['kind'], 'kind');
  optionalInteger(row['origin'], 'origin');
  optionalText(row['refusal'], 'refusal');
}
