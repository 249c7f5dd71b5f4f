import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { LineageKey } from '../../../core/model/lineage.ts';
import type { LineageIndex } from './lineageIndex.ts';
import type { Materialiser } from './materialiser.ts';

/** Gives up a lineage with all its states. */
export class Oblivion {
  readonly #index: LineageIndex;
  readonly #materialiser: Materialiser;
  readonly #removals: readonly StatementSync[];

  constructor(database: DatabaseSync, index: LineageIndex, materialiser: Materialiser) {
    this.#index = index;
    this.#materialiser = materialiser;
    this.#removals = [
      'DELETE FROM snapshots WHERE place IN (SELECT place FROM checkpoints WHERE lineage = ?)',
      'DELETE FROM head_moves WHERE lineage = ?',
      'DELETE FROM heads WHERE lineage = ?',
      'DELETE FROM checkpoints WHERE lineage = ?',
      'DELETE FROM lineages WHERE id = ?',
    ].map((sql) => database.prepare(sql));
  }

  forget(key: LineageKey): void {
    const lineage = this.#index.lineage(key);
    if (lineage === undefined) return;
    for (const removal of this.#removals) removal.run(lineage.id);
    this.#materialiser.forget();
  }
}
