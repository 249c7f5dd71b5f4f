import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { integer, optionalText, type Row } from '../records.ts';
import type { LineageIndex } from './lineageIndex.ts';
import { CHECKPOINT_COLUMNS } from './rows.ts';

/** Of a body that is only looked at. */
const MOST_BODY = 100_000;
const MOST_MOVES = 20;
const MOST_FOUND = 100;

/** Single checkpoints. */
export class Details {
  readonly #index: LineageIndex;
  readonly #node: StatementSync;
  readonly #body: StatementSync;
  readonly #children: StatementSync;
  readonly #moves: StatementSync;
  readonly #found: StatementSync;

  constructor(database: DatabaseSync, index: LineageIndex) {
    this.#index = index;
    this.#node = database.prepare(`SELECT lineage, ${CHECKPOINT_COLUMNS} FROM checkpoints WHERE place = ?`);
    // One character more tells whether there is more.
    this.#body = database.prepare(`SELECT substr(body, 1, ${MOST_BODY + 1}) AS body FROM checkpoints WHERE place = ?`);
    this.#children = database.prepare(
      // What is being read in may follow it already.
      'SELECT count(*) AS n FROM checkpoints c WHERE parent = ?1 AND lineage = (SELECT lineage FROM checkpoints WHERE place = ?1)',
    );
    this.#moves = database.prepare(
      `SELECT at, kind, origin, target, refusal FROM head_moves WHERE target = ? ORDER BY place DESC LIMIT ${MOST_MOVES}`,
    );
    this.#found = database.prepare(
      `SELECT lineage, ${CHECKPOINT_COLUMNS} FROM checkpoints WHERE lineage IN (SELECT id FROM lineages WHERE server = ?)
       AND checkpoint = ? ORDER BY place DESC LIMIT ${MOST_FOUND}`,
    );
  }

  detail(place: number): Row | null {
    const node = this.#node.get(place);
    const lineage = node === undefined ? undefined : this.#index.lineageById(integer(node['lineage'], 'lineage'));
    if (node === undefined || lineage === undefined) return null;
    const parent = node['parent'];
    const body = optionalText(this.#body.get(place)?.['body'], 'body');
    return {
      server: lineage.server,
      featureSet: lineage.featureSet,
      keeper: lineage.keeper,
      node,
      parent: typeof parent === 'number' ? (this.#node.get(parent) ?? null) : null,
      children: this.#children.get(place)?.['n'],
      body: body?.slice(0, MOST_BODY) ?? null,
      isBodyCut: body !== undefined && body.length > MOST_BODY,
      isHead: lineage.head === place,
      moves: this.#moves.all(place),
    };
  }

  find(server: string, checkpoint: string): readonly Row[] {
    return this.#found.all(server, checkpoint).map((node) => {
      const lineage = this.#index.lineageById(integer(node['lineage'], 'lineage'));
      return { node, server, featureSet: lineage?.featureSet };
    });
  }
}
