import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { placeOf } from '../records.ts';
import { Stagings } from './stagings.ts';

/** The places of lineages at which somebody stands, or which block them, and all of what is being read in. */
export class KeptNodes {
  readonly #places: StatementSync;
  readonly #stagings: Stagings;
  #staged: ReadonlySet<number> = new Set();
  readonly #byLineage = new Map<number, ReadonlySet<number>>();

  constructor(database: DatabaseSync) {
    this.#stagings = new Stagings(database);
    this.#places = database.prepare(
      `SELECT head AS place FROM lineages WHERE id = ?1 AND head IS NOT NULL
       UNION SELECT blocked_by FROM lineages WHERE id = ?1 AND blocked_by IS NOT NULL
       UNION SELECT place FROM heads WHERE lineage = ?1`,
    );
  }

  /** Forgets what another transaction may have changed. */
  begin(): void {
    this.#byLineage.clear();
    this.#staged = this.#stagings.all;
  }

  /** It is being read in: nobody sees it yet. */
  isStaged(lineage: number): boolean {
    return this.#staged.has(lineage);
  }

  has(lineage: number, place: number): boolean {
    if (this.isStaged(lineage)) return true;
    const known = this.#byLineage.get(lineage) ?? new Set(this.#places.all(lineage).map(placeOf));
    this.#byLineage.set(lineage, known);
    return known.has(place);
  }
}
