import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Row } from '../records.ts';
import { LINEAGE_COLUMNS, lineageOf } from './lineageIndex.ts';
import { CHECKPOINT_COLUMNS } from './rows.ts';
import { IS_SEEN } from './stagings.ts';

const MOST_OTHERS = 20;

/** All lineages, each with where it stands. */
export class Summaries {
  readonly #lineages: StatementSync;
  readonly #node: StatementSync;
  readonly #others: StatementSync;

  constructor(database: DatabaseSync) {
    this.#lineages = database.prepare(
      `SELECT ${LINEAGE_COLUMNS} FROM lineages WHERE ${IS_SEEN} ORDER BY server, feature_set`,
    );
    this.#node = database.prepare(`SELECT ${CHECKPOINT_COLUMNS} FROM checkpoints WHERE place = ?`);
    this.#others = database.prepare(
      `SELECT conversation, place FROM heads WHERE lineage = ? AND place IS NOT ?
       ORDER BY at DESC, place DESC, conversation LIMIT ${MOST_OTHERS}`,
    );
  }

  all(): readonly Row[] {
    return this.#lineages.all().map((row) => {
      const { id, server, featureSet, keeper, head, blockedBy, count, size, changedAt } = lineageOf(row);
      return {
        id,
        server,
        featureSet,
        keeper,
        count,
        size,
        head: this.#nodeAt(head),
        others: this.#others.all(id, head ?? null),
        blocked: this.#nodeAt(blockedBy),
        changedAt,
      };
    });
  }

  #nodeAt(place: number | undefined): Row | null {
    return place === undefined ? null : (this.#node.get(place) ?? null);
  }
}
