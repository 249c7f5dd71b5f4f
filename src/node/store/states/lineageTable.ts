import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { HeadMove, LineageKey, StateKeeper } from '../../../core/model/lineage.ts';
import { integer, oneOf, optionalInteger, record } from '../contract.ts';
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

/** Maximum conversations with a stored head. Older ones continue from the lineage's head. */
export const MAX_HEADS = 200;

/** A checkpoint has a greater row id than its parent, so all descendants come later. */
const FOLLOWING = `
  WITH RECURSIVE following (place) AS (
    SELECT ?1 UNION ALL SELECT c.place FROM following JOIN checkpoints c ON c.parent = following.place
  )`;

const LEADING = `
  WITH RECURSIVE leading (place) AS (
    SELECT ?1 UNION ALL
    SELECT c.parent FROM leading JOIN checkpoints c ON c.place = leading.place WHERE c.parent >= ?2
  )`;

/** Heads of conversations. */
export class Heads {
  readonly #find: StatementSync;
  readonly #save: StatementSync;
  readonly #forgetOldest: StatementSync;
  readonly #behind: StatementSync;
  readonly #moveAll: StatementSync;
  readonly #leads: StatementSync;
  readonly #note: StatementSync;

  constructor(database: DatabaseSync) {
    this.#find = database.prepare('SELECT place FROM heads WHERE lineage = ? AND conversation = ?');
    this.#save = database.prepare(
      `INSERT INTO heads (lineage, conversation, place, at) VALUES (?, ?, ?, ?)
         ON CONFLICT (lineage, conversation) DO UPDATE SET place = excluded.place, at = excluded.at`,
    );
    this.#forgetOldest = database.prepare(
      `DELETE FROM heads WHERE lineage = ?1 AND conversation IN
         (SELECT conversation FROM heads WHERE lineage = ?1 ORDER BY at DESC, place DESC LIMIT -1 OFFSET ${MAX_HEADS})`,
    );
    this.#behind = database.prepare('SELECT 1 AS found FROM heads WHERE lineage = ? AND place >= ? LIMIT 1');
    this.#moveAll = database.prepare(
      `${FOLLOWING} UPDATE heads SET place = ?2 WHERE lineage = ?3 AND place IN (SELECT place FROM following)`,
    );
    this.#leads = database.prepare(`${LEADING} SELECT 1 AS found FROM leading WHERE place = ?2 LIMIT 1`);
    this.#note = database.prepare(
      'INSERT INTO head_moves (lineage, at, kind, origin, target, refusal) VALUES (?, ?, ?, ?, ?, ?)',
    );
  }

  /** The checkpoint from which a call in this conversation starts. */
  of(lineage: Lineage, conversation: string | undefined): number | undefined {
    const own = conversation === undefined ? undefined : this.#find.get(lineage.id, conversation);
    return optionalInteger(own?.['place'], 'place') ?? lineage.head;
  }

  /** Moves the head to a new checkpoint. */
  advance(lineage: Lineage, conversation: string | undefined, rowId: number, at: number): void {
    lineage.head = rowId;
    if (conversation !== undefined) this.#put(lineage, conversation, rowId, at);
  }

  /** Moves heads from `target` and its descendants to `rowId`, which may equal `target`. */
  goBack(
    lineage: Lineage,
    conversation: string | undefined,
    { target, rowId, at }: { readonly target: number; readonly rowId: number; readonly at: number },
  ): void {
    if (conversation === undefined) {
      if (this.#behind.get(lineage.id, target) !== undefined) this.#moveAll.run(target, rowId, lineage.id);
      lineage.head = rowId;
      return;
    }
    this.#put(lineage, conversation, rowId, at);
    if (lineage.head === undefined || this.leads(target, lineage.head)) lineage.head = rowId;
  }

  /** Whether `to` equals `from` or descends from it. */
  leads(from: number, to: number): boolean {
    return to >= from && this.#leads.get(to, from) !== undefined;
  }

  /** Records a move or an attempt. */
  note(lineage: Lineage, { at, kind, from, to, refusal }: HeadMove): void {
    this.#note.run(lineage.id, at, kind, from ?? null, to, refusal ?? null);
  }

  #put(lineage: Lineage, conversation: string, rowId: number, at: number): void {
    const isNew = this.#find.get(lineage.id, conversation) === undefined;
    this.#save.run(lineage.id, conversation, rowId, at);
    if (isNew) this.#forgetOldest.run(lineage.id);
  }
}
