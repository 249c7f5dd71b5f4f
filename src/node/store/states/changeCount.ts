import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { text } from '../records.ts';
import { IS_SEEN } from './stagings.ts';

/** One number for all lineages: another one after any change, whichever window made it. */
export class ChangeCount {
  readonly #versions: StatementSync;
  // A thread that was started again must not come back to a number that was told before.
  #number = Date.now();
  #seen: string | undefined;

  constructor(database: DatabaseSync) {
    this.#versions = database.prepare(
      `SELECT coalesce(group_concat(id || ':' || version, ' ' ORDER BY id), '') AS versions FROM lineages WHERE ${IS_SEEN}`,
    );
  }

  current(): number {
    const versions = text(this.#versions.get()?.['versions'], 'versions');
    if (versions !== this.#seen) this.#number++;
    this.#seen = versions;
    return this.#number;
  }
}
