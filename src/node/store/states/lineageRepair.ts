import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { integer, optionalInteger, optionalText, rowIdOf } from '../contract.ts';

const LOST = 'It was lost with a damaged database.';
const BASE_LOST = 'What its state was made of was lost with a damaged database.';

/** Marks lineages with lost parts, so that they do not continue as if complete. */
export class LineageRepair {
  readonly #lostParents: StatementSync;
  readonly #lostHeads: StatementSync;
  readonly #addLost: StatementSync;
  readonly #nodes: StatementSync;
  readonly #breakNode: StatementSync;
  readonly #dropHeads: StatementSync;
  readonly #settle: StatementSync;
  readonly #tidy: readonly StatementSync[];

  constructor(database: DatabaseSync) {
    this.#lostParents = database.prepare(
      `SELECT parent AS place, min(at) AS at, max(parent_name) AS name FROM checkpoints c WHERE lineage = ?
       AND parent IS NOT NULL AND NOT EXISTS (SELECT 1 FROM checkpoints p WHERE p.place = c.parent) GROUP BY parent`,
    );
    this.#lostHeads = database.prepare(
      `SELECT place, changed_at AS at, NULL AS name FROM (
         SELECT head AS place, changed_at FROM lineages WHERE id = ?1 UNION
         SELECT blocked_by, changed_at FROM lineages WHERE id = ?1 UNION
         SELECT place, at FROM heads WHERE lineage = ?1)
       WHERE place IS NOT NULL AND place NOT IN (SELECT place FROM checkpoints) GROUP BY place`,
    );
    this.#addLost = database.prepare(
      `INSERT INTO checkpoints (place, lineage, checkpoint, copy, link, form, problem, at, size)
       SELECT ?1, ?2, ?3, 1 + coalesce(max(copy), 0), 'none', 'placeholder', '${LOST}', ?4, 0
       FROM checkpoints WHERE lineage = ?2 AND checkpoint = ?3`,
    );
    this.#nodes = database.prepare(
      `SELECT place, parent, state_size,
         form = 'data' OR EXISTS (SELECT 1 FROM snapshots s WHERE s.place = c.place) AS is_whole
       FROM checkpoints c WHERE lineage = ? ORDER BY place`,
    );
    this.#breakNode = database.prepare(
      `UPDATE checkpoints SET problem = '${BASE_LOST}', state_size = 0, replay = 0 WHERE place = ?`,
    );
    const standsOnNothing = `(SELECT 1 FROM checkpoints p WHERE p.place = lineages.head AND p.problem IN ('${LOST}', '${BASE_LOST}'))`;
    // If the server keeps the states, calls send a checkpoint name. The server would not know a lost one.
    this.#dropHeads = database.prepare(
      `DELETE FROM heads WHERE lineage = ?1 AND (SELECT keeper FROM lineages WHERE id = ?1) = 'server'
       AND place NOT IN (SELECT place FROM checkpoints)`,
    );
    // The next call must not continue from another state than the last one left.
    this.#settle = database.prepare(
      `UPDATE lineages SET blocked_by = coalesce(blocked_by, iif(EXISTS ${standsOnNothing}, head, NULL)),
         count = (SELECT count(*) FROM checkpoints WHERE lineage = ?1),
         size = (SELECT coalesce(sum(size + iif(place IN (SELECT place FROM snapshots), state_size, 0)), 0)
           FROM checkpoints WHERE lineage = ?1), version = version + 1
       WHERE id = ?1`,
    );
    this.#tidy = [
      'DELETE FROM snapshots WHERE place NOT IN (SELECT place FROM checkpoints)',
      'DELETE FROM heads WHERE lineage NOT IN (SELECT id FROM lineages)',
      'DELETE FROM head_moves WHERE target NOT IN (SELECT place FROM checkpoints)',
    ].map((sql) => database.prepare(sql));
  }

  repair(lineages: readonly number[]): void {
    for (const tidying of this.#tidy) tidying.run();
    for (const lineage of lineages) {
      this.#dropHeads.run(lineage);
      for (const lost of [this.#lostParents, this.#lostHeads])
        for (const row of lost.all(lineage)) {
          const rowId = rowIdOf(row);
          const name = optionalText(row['name'], 'name') ?? `lost-${rowId}`;
          this.#addLost.run(rowId, lineage, name, integer(row['at'], 'at'));
        }
      this.#breakWhatLostItsBase(lineage);
      this.#settle.run(lineage);
    }
  }

  #breakWhatLostItsBase(lineage: number): void {
    const sound = new Set<number>();
    for (const row of this.#nodes.all(lineage)) {
      if (integer(row['state_size'], 'state_size') === 0) continue;
      const rowId = rowIdOf(row);
      const parent = optionalInteger(row['parent'], 'parent');
      if (row['is_whole'] === 1 || (parent !== undefined && sound.has(parent))) sound.add(rowId);
      else this.#breakNode.run(rowId);
    }
  }
}
