import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { LineageKey, StateKeeper } from '../../../core/model/lineage.ts';
import { integer, oneOf, optionalInteger, record } from '../records.ts';
import { StoreError } from '../sqlite.ts';
import { IS_SEEN } from './stagings.ts';

const KEEPERS: readonly StateKeeper[] = ['host', 'server'];

/** Maximum lineages per server. A server may declare ever new sets, and each head is kept however old. */
const MAX_OF_ONE = 300;

/** A lineage during one operation, to be saved at the end. */
export interface Lineage {
  readonly id: number;
  keeper: StateKeeper;
  head: number | undefined;
  blockedBy: number | undefined;
  count: number;
  size: number;
}

export class LineageRows {
  readonly #find: StatementSync;
  readonly #findById: StatementSync;
  readonly #create: StatementSync;
  readonly #countOf: StatementSync;
  readonly #save: StatementSync;

  constructor(database: DatabaseSync) {
    const columns = 'id, keeper, head, blocked_by, count, size';
    this.#find = database.prepare(`SELECT ${columns} FROM lineages WHERE server = ? AND feature_set = ?`);
    this.#findById = database.prepare(`SELECT ${columns} FROM lineages WHERE id = ? AND ${IS_SEEN}`);
    this.#create = database.prepare(
      `INSERT INTO lineages (server, feature_set, keeper, changed_at) VALUES (?, ?, 'server', ?) RETURNING ${columns}`,
    );
    this.#countOf = database.prepare('SELECT count(*) AS n FROM lineages WHERE server = ?');
    this.#save = database.prepare(
      `UPDATE lineages SET keeper = ?, head = ?, blocked_by = ?, count = ?, size = ?, version = version + 1,
         changed_at = max(changed_at, ?) WHERE id = ?`,
    );
  }

  find({ server, featureSet }: LineageKey): Lineage | undefined {
    const row = this.#find.get(server, featureSet);
    return row === undefined ? undefined : lineageOf(row);
  }

  get(id: number): Lineage | undefined {
    const row = this.#findById.get(id);
    return row === undefined ? undefined : lineageOf(row);
  }

  findOrCreate(key: LineageKey, at: number): Lineage {
    const found = this.find(key);
    if (found !== undefined) return found;
    if (integer(this.#countOf.get(key.server)?.['n'], 'n') >= MAX_OF_ONE)
      throw new StoreError('tooMany', `States of ${MAX_OF_ONE} feature sets of one server are kept, and no more.`);
    return lineageOf(this.#create.get(key.server, key.featureSet, at));
  }

  /** Increments the version, so that readers notice the change. */
  save({ id, keeper, head, blockedBy, count, size }: Lineage, at: number): void {
    this.#save.run(keeper, head ?? null, blockedBy ?? null, count, size, at, id);
  }
}

function lineageOf(value: unknown): Lineage {
  const row = record(value);
  return {
    id: integer(row['id'], 'id'),
    keeper: oneOf(row['keeper'], KEEPERS, 'keeper'),
    head: optionalInteger(row['head'], 'head'),
    blockedBy: optionalInteger(row['blocked_by'], 'blocked_by'),
    count: integer(row['count'], 'count'),
    size: integer(row['size'], 'size'),
  };
}
