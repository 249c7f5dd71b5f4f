import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { LineageKey, StateKeeper } from '../../../core/model/lineage.ts';
import { integer, rowIdOf, type Row, text } from '../contract.ts';
import type { LineageIndex, LineageRecord } from './lineageIndex.ts';
import type { TimeSlice } from './timeSlice.ts';
import { Overtaken, type Staging, type Stagings } from './stagings.ts';

/** The lineage after an import. */
interface Outcome {
  readonly keeper: string;
  readonly head: number | undefined;
  readonly blockedBy: number | undefined;
  readonly changedAt: number;
}

/** A staged import. */
interface Waiting extends Outcome {
  readonly key: LineageKey;
  readonly staging: Staging;
  readonly keeper: StateKeeper;
  /** Placeholders of the lineage that the import fills. */
  readonly fillings: readonly { readonly placeholder: number; readonly rowId: number }[];
}

const MOVED = ['checkpoints', 'heads', 'head_moves'] as const;
const FILLED = `parent, link, form, problem, is_pruned, at, tool, args, conversation, size, state_size, replay, body`;

/** Merges a staged import into its lineage, atomically. */
export class Joining {
  readonly #index: LineageIndex;
  readonly #stagings: Stagings;
  readonly #last: StatementSync;
  readonly #later: StatementSync;
  readonly #alike: StatementSync;
  readonly #renumber: StatementSync;
  readonly #fillings: readonly StatementSync[];
  readonly #isName: StatementSync;
  readonly #above: StatementSync;
  readonly #lessened: StatementSync;
  readonly #moves: readonly StatementSync[];
  readonly #dropLineage: StatementSync;
  readonly #settle: StatementSync;

  constructor(database: DatabaseSync, index: LineageIndex, stagings: Stagings) {
    this.#index = index;
    this.#stagings = stagings;
    this.#last = database.prepare('SELECT coalesce(max(place), 0) AS place FROM checkpoints WHERE lineage = ?');
    this.#later = database.prepare(
      'SELECT place, checkpoint, copy, at, form FROM checkpoints WHERE lineage = ? AND place > ? ORDER BY place',
    );
    this.#alike = database.prepare(
      'SELECT place, copy, at FROM checkpoints WHERE lineage = ? AND checkpoint = ? ORDER BY copy DESC',
    );
    this.#renumber = database.prepare('UPDATE checkpoints SET copy = ? WHERE place = ?');
    this.#isName = database.prepare(
      `SELECT 1 FROM checkpoints WHERE place = ? AND form = 'placeholder' AND lineage = ?`,
    );
    this.#above = database.prepare(
      `SELECT place, copy FROM checkpoints WHERE lineage = ?1
       AND checkpoint = (SELECT checkpoint FROM checkpoints WHERE place = ?2)
       AND copy > (SELECT copy FROM checkpoints WHERE place = ?2) ORDER BY copy`,
    );
    this.#fillings = [
      `UPDATE checkpoints SET (${FILLED}) = (SELECT ${FILLED} FROM checkpoints WHERE place = ?2),
         parent_name = (SELECT parent_name FROM checkpoints WHERE place = ?2),
         name = coalesce(name, (SELECT name FROM checkpoints WHERE place = ?2)),
         is_pinned = max(is_pinned, (SELECT is_pinned FROM checkpoints WHERE place = ?2)) WHERE place = ?1`,
      'UPDATE checkpoints SET parent = ?1 WHERE parent = ?2',
      'UPDATE snapshots SET place = ?1 WHERE place = ?2',
      'DELETE FROM checkpoints WHERE place = ?2',
    ].map((sql) => database.prepare(sql));
    this.#lessened = database.prepare('UPDATE lineages SET count = count - 1 WHERE id = ?');
    this.#moves = MOVED.map((table) => database.prepare(`UPDATE ${table} SET lineage = ? WHERE lineage = ?`));
    this.#dropLineage = database.prepare('DELETE FROM lineages WHERE id = ?');
    this.#settle = database.prepare(
      `UPDATE lineages SET server = ?, feature_set = ?, keeper = ?, head = ?, blocked_by = ?, count = ?, size = ?,
         changed_at = ?, version = ? WHERE id = ?`,
    );
  }

  lastRowId(lineage: number): number {
    return rowIdOf(this.#last.get(lineage) ?? {});
  }

  /** Returns the row id after which the next step continues, or undefined at the end. */
  step(waiting: Waiting, after: number, pace: TimeSlice): number | undefined {
    const { key, staging, fillings } = waiting;
    const target = this.#index.lineage(key);
    if (target === undefined || target.count === 0) {
      this.#rename(waiting, target);
      return undefined;
    }
    // Checkpoints that arrived during the import: usually none or a few.
    for (const row of this.#later.iterate(target.id, after)) {
      this.#makeRoom(row, staging);
      if (pace.isOver) return rowIdOf(row);
    }
    for (const { placeholder, rowId } of fillings) this.#fill(placeholder, rowId, target, staging);
    this.#merge(target, waiting);
    return undefined;
  }

  #makeRoom(row: Row, { id }: Staging): void {
    const alike = this.#alike.all(id, text(row['checkpoint'], 'checkpoint'));
    if (row['form'] !== 'placeholder' && alike.some(({ at }) => at === row['at'])) throw new Overtaken();
    if (!alike.some(({ copy }) => copy === row['copy'])) return;
    // Last first, so that names stay unique at every moment.
    const shift = 1 + integer(row['copy'], 'copy') - integer(alike.at(-1)?.['copy'], 'copy');
    for (const each of alike) this.#renumber.run(integer(each['copy'], 'copy') + shift, rowIdOf(each));
  }

  #fill(placeholder: number, rowId: number, { id }: LineageRecord, staging: Staging): void {
    if (this.#isName.get(placeholder, id) === undefined) return;
    const above = this.#above.all(staging.id, rowId);
    for (const part of this.#fillings) part.run(placeholder, rowId);
    // Renumbers later checkpoints with the same name.
    for (const each of above) this.#renumber.run(integer(each['copy'], 'copy') - 1, rowIdOf(each));
    this.#lessened.run(staging.id);
  }

  #rename({ key, staging, ...outcome }: Waiting, target: LineageRecord | undefined): void {
    const staged = this.#stagings.find(staging);
    if (target !== undefined) {
      this.#move(target.id, staging.id);
      this.#dropLineage.run(target.id);
    }
    this.#save(staging.id, key, outcome, staged.count, staged.size, 0);
  }

  /** Heads in use do not move. Copies the smaller side into the larger one. */
  #merge(target: LineageRecord, { key, staging, changedAt }: Waiting): void {
    const staged = this.#stagings.find(staging);
    const [from, to] = staged.count > target.count ? [target, staged] : [staged, target];
    this.#move(from.id, to.id);
    this.#dropLineage.run(from.id);
    const outcome = { ...target, changedAt: Math.max(target.changedAt, changedAt) };
    this.#save(to.id, key, outcome, target.count + staged.count, target.size + staged.size, target.version);
  }

  #move(from: number, to: number): void {
    for (const move of this.#moves) move.run(to, from);
  }

  #save(id: number, key: LineageKey, outcome: Outcome, count: number, size: number, version: number): void {
    const { keeper, head, blockedBy, changedAt } = outcome;
    this.#settle.run(
      ...[key.server, key.featureSet, keeper, head ?? null, blockedBy ?? null],
      ...[count, size, changedAt, version + 1, id],
    );
  }
}
