import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { integer, optionalInteger, text } from '../contract.ts';

/** A checkpoint as retention needs it. */
export interface OldNode {
  readonly place: number;
  readonly lineage: number;
  readonly parent: number | undefined;
  readonly checkpoint: string;
  readonly at: number;
  readonly isPinned: boolean;
  /** Characters freed by removing it: its body and its snapshot. */
  readonly weight: number;
  readonly stateSize: number;
  /** Whether its state is complete without ancestors. */
  readonly isWhole: boolean;
  /** Number of children, at most 2. */
  readonly children: number;
  /** The first child. */
  readonly child: number | undefined;
}

interface Change {
  removed: number;
  freed: number;
}

/** Removes checkpoints in the given order. */
export class OldNodes {
  readonly #find: StatementSync;
  readonly #removals: readonly StatementSync[];
  readonly #makeRoot: StatementSync;
  readonly #snapshot: StatementSync;
  readonly #settle: StatementSync;
  readonly #changes = new Map<number, Change>();

  constructor(database: DatabaseSync) {
    this.#find = database.prepare(
      `SELECT place, lineage, parent, checkpoint, at, is_pinned, size, state_size, form,
         EXISTS (SELECT 1 FROM snapshots s WHERE s.place = c.place) AS is_written,
         (SELECT count(*) FROM (SELECT 1 FROM checkpoints k WHERE k.parent = c.place LIMIT 2)) AS children,
         (SELECT min(k.place) FROM checkpoints k WHERE k.parent = c.place) AS child
       FROM checkpoints c WHERE place = ?`,
    );
    this.#removals = [
      database.prepare('DELETE FROM checkpoints WHERE place = ?'),
      database.prepare('DELETE FROM snapshots WHERE place = ?'),
      database.prepare('DELETE FROM head_moves WHERE target = ?'),
    ];
    this.#makeRoot = database.prepare(
      `UPDATE checkpoints SET parent = NULL, link = 'trimmed', parent_name = coalesce(parent_name, ?), replay = 0,
         state_size = ? WHERE place = ?`,
    );
    this.#snapshot = database.prepare('INSERT OR REPLACE INTO snapshots (place, state) VALUES (?, ?)');
    this.#settle = database.prepare(
      'UPDATE lineages SET count = count - ?, size = size - ?, version = version + 1 WHERE id = ?',
    );
  }

  find(rowId: number): OldNode | undefined {
    const row = this.#find.get(rowId);
    if (row === undefined) return undefined;
    const stateSize = integer(row['state_size'], 'state_size');
    const isWritten = row['is_written'] === 1;
    return {
      place: rowId,
      lineage: integer(row['lineage'], 'lineage'),
      parent: optionalInteger(row['parent'], 'parent'),
      checkpoint: text(row['checkpoint'], 'checkpoint'),
      at: integer(row['at'], 'at'),
      isPinned: row['is_pinned'] === 1,
      weight: integer(row['size'], 'size') + (isWritten ? stateSize : 0),
      stateSize,
      isWhole: row['form'] === 'data' || isWritten,
      children: integer(row['children'], 'children'),
      child: optionalInteger(row['child'], 'child'),
    };
  }

  remove({ place, lineage, weight }: OldNode): void {
    for (const removal of this.#removals) removal.run(place);
    const change = this.#changeOf(lineage);
    change.removed++;
    change.freed += weight;
  }

  /** Makes it a root before its parent is removed. Keeps the parent's name and its own state. */
  makeRoot({ place, lineage, stateSize }: OldNode, parentName: string | undefined, state: string | undefined): void {
    if (state !== undefined) this.#snapshot.run(place, state);
    this.#makeRoot.run(parentName ?? null, state?.length ?? stateSize, place);
    this.#changeOf(lineage).freed -= state?.length ?? 0;
  }

  /** Updates the counters of the lineages. */
  settle(): void {
    for (const [lineage, { removed, freed }] of this.#changes) this.#settle.run(removed, freed, lineage);
    this.#changes.clear();
  }

  #changeOf(lineage: number): Change {
    const change = this.#changes.get(lineage) ?? { removed: 0, freed: 0 };
    this.#changes.set(lineage, change);
    return change;
  }
}
