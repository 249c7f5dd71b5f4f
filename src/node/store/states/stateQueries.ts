import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Annotation } from '../../../core/index.ts';
import type { HeadMove, StateKeeper } from '../../../core/model/lineage.ts';
import type { BaseRequest } from '../contract.ts';
import type { Row } from '../records.ts';
import { StoreError } from '../sqlite.ts';
import { CheckpointRows } from './checkpointRows.ts';
import { isLost } from './contents.ts';
import { Heads } from './heads.ts';
import { type Lineage, LineageRows } from './lineageTable.ts';
import type { Materialiser } from './materialiser.ts';
import type { Node } from './nodes.ts';

const MAX_NAME = 100;

/** States for calls, and actions of the user on checkpoints. */
export class StateQueries {
  readonly #states: Materialiser;
  readonly #rows: CheckpointRows;
  readonly #lineages: LineageRows;
  readonly #heads: Heads;
  readonly #prune: StatementSync;
  readonly #name: StatementSync;
  readonly #pin: StatementSync;

  constructor(database: DatabaseSync, materialiser: Materialiser) {
    this.#states = materialiser;
    this.#rows = new CheckpointRows(database);
    this.#lineages = new LineageRows(database);
    this.#heads = new Heads(database);
    this.#prune = database.prepare('UPDATE checkpoints SET is_pruned = 1 WHERE place = ?');
    this.#name = database.prepare('UPDATE checkpoints SET name = ? WHERE place = ?');
    this.#pin = database.prepare('UPDATE checkpoints SET is_pinned = ? WHERE place = ?');
  }

  base(request: BaseRequest): Row {
    const lineage = this.#lineages.find(request);
    const keeper: StateKeeper = request.keeper === 'either' ? (lineage?.keeper ?? 'server') : request.keeper;
    if (lineage === undefined) return { keeper, head: null, state: null, blocked: null };
    const rowId = this.#heads.of(lineage, request.conversation);
    const head = rowId === undefined ? undefined : this.#rows.get(rowId);
    const blocked = this.#rows.row(lineage.blockedBy ?? (keeper === 'host' ? lostHead(head) : undefined));
    const state = keeper === 'host' && blocked === null && head !== undefined ? this.#states.current(head.place) : null;
    return { keeper, head: this.#rows.row(head?.place), state: state ?? null, blocked };
  }

  move(move: HeadMove, conversation: string | undefined): void {
    const { at, from, to } = move;
    this.#change(to, at, (lineage) => {
      this.#heads.note(lineage, { ...move, from: from ?? this.#heads.of(lineage, conversation) });
      if (move.refusal !== undefined) return;
      this.#heads.goBack(lineage, conversation, { target: to, rowId: to, at });
      lineage.blockedBy = undefined;
    });
  }

  markPruned(rowId: number): void {
    this.#change(rowId, 0, () => this.#prune.run(rowId));
  }

  annotate(rowId: number, { name, isPinned }: Annotation): void {
    this.#change(rowId, 0, () => {
      if (name !== undefined) this.#name.run(cleanName(name), rowId);
      if (isPinned !== undefined) this.#pin.run(isPinned ? 1 : 0, rowId);
    });
  }

  #change(rowId: number, at: number, work: (lineage: Lineage) => unknown): void {
    const node = this.#rows.get(rowId);
    const lineage = node === undefined ? undefined : this.#lineages.get(node.lineage);
    if (lineage === undefined) throw new StoreError('other', 'The checkpoint is no longer kept.');
    work(lineage);
    this.#lineages.save(lineage, at);
  }
}

/** A call without a state would tell the server that it never had one. */
function lostHead(head: Node | undefined): number | undefined {
  return head !== undefined && isLost(head) ? head.place : undefined;
}

/** A single line for display. */
function cleanName(name: string): string | null {
  const clean = name.replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, ' ').trim();
  return clean === '' ? null : [...clean].slice(0, MAX_NAME).join('').trim();
}
