import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { placeOf } from '../records.ts';

/** The places of lineages at which somebody stands, or which block them. */
export class KeptNodes {
  readonly #places: StatementSync;
  readonly #byLineage = new Map<number, ReadonlySet<number>>();

  constructor(database: DatabaseSync) {
    this.#places = database.prepare(
      `SELECT head AS place FROM lineages WHERE id = ?1 AND head IS NOT NULL
       UNION SELECT blocked_by FROM lineages WHERE id = ?1 AND blocked_by IS NOT NULL
       UNION SELECT place FROM heads WHERE lineage = ?1`,
    );
  }

  /** Forgets what another transaction may have changed. */
  begin(): void {
    this.#byLineage.clear();
  }

  has(lineage: number, place: number): boolean {
    const known = this.#byLineage.get(lineage) ?? new Set(this.#places.all(lineage).map(placeOf));
    this.#byLineage.set(lineage, known);
    return known.has(place);
  }
}
