import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Annotation } from '../../../core/index.ts';
import { type HeadMove, MAX_PATH, type StateKeeper } from '../../../core/model/lineage.ts';
import { type BaseRequest, integer, optionalText, type Row, text } from '../contract.ts';
import { StoreError } from '../sqlite.ts';
import { CheckpointRows, type Node } from './checkpointRows.ts';
import { isLost, type Materialiser } from './materialiser.ts';
import { Heads, type Lineage, LineageRows } from './lineageTable.ts';
import { LINEAGE_COLUMNS, type LineageIndex, lineageOf, type LineageShape } from './lineageIndex.ts';
import { CHECKPOINT_COLUMNS } from './stateAnswers.ts';
import { IS_SEEN } from './stagings.ts';

const MAX_OTHERS = 20;

/** All lineages with their heads. */
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
       ORDER BY at DESC, place DESC, conversation LIMIT ${MAX_OTHERS}`,
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

  #nodeAt(rowId: number | undefined): Row | null {
    return rowId === undefined ? null : (this.#node.get(rowId) ?? null);
  }
}

/** A version number for all lineages. It changes with every change by any window. */
export class ChangeCount {
  readonly #versions: StatementSync;
  // Starts from the time, so that a restarted thread does not repeat numbers.
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

/** Maximum characters of a displayed body. */
const MAX_BODY = 100_000;
const MAX_MOVES = 20;
const MAX_FOUND = 100;

/** Queries for single checkpoints. */
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
    // One extra character shows whether the body is longer.
    this.#body = database.prepare(`SELECT substr(body, 1, ${MAX_BODY + 1}) AS body FROM checkpoints WHERE place = ?`);
    this.#children = database.prepare(
      // A staged import may already have children of this checkpoint.
      'SELECT count(*) AS n FROM checkpoints c WHERE parent = ?1 AND lineage = (SELECT lineage FROM checkpoints WHERE place = ?1)',
    );
    this.#moves = database.prepare(
      `SELECT at, kind, origin, target, refusal FROM head_moves WHERE target = ? ORDER BY place DESC LIMIT ${MAX_MOVES}`,
    );
    this.#found = database.prepare(
      `SELECT lineage, ${CHECKPOINT_COLUMNS} FROM checkpoints WHERE lineage IN (SELECT id FROM lineages WHERE server = ?)
       AND checkpoint = ? ORDER BY place DESC LIMIT ${MAX_FOUND}`,
    );
  }

  detail(rowId: number): Row | null {
    const node = this.#node.get(rowId);
    const lineage = node === undefined ? undefined : this.#index.lineageById(integer(node['lineage'], 'lineage'));
    if (node === undefined || lineage === undefined) return null;
    const parent = node['parent'];
    const body = optionalText(this.#body.get(rowId)?.['body'], 'body');
    return {
      server: lineage.server,
      featureSet: lineage.featureSet,
      keeper: lineage.keeper,
      node,
      parent: typeof parent === 'number' ? (this.#node.get(parent) ?? null) : null,
      children: this.#children.get(rowId)?.['n'],
      body: body?.slice(0, MAX_BODY) ?? null,
      isBodyCut: body !== undefined && body.length > MAX_BODY,
      isHead: lineage.head === rowId,
      moves: this.#moves.all(rowId),
    };
  }

  find(server: string, checkpoint: string): readonly Row[] {
    return this.#found.all(server, checkpoint).map((node) => {
      const lineage = this.#index.lineageById(integer(node['lineage'], 'lineage'));
      return { node, server, featureSet: lineage?.featureSet };
    });
  }
}

/** The path between the head and another checkpoint. */
export class Paths {
  readonly #index: LineageIndex;
  readonly #materialiser: Materialiser;
  readonly #node: StatementSync;

  constructor(database: DatabaseSync, index: LineageIndex, materialiser: Materialiser) {
    this.#index = index;
    this.#materialiser = materialiser;
    this.#node = database.prepare(`SELECT lineage, ${CHECKPOINT_COLUMNS} FROM checkpoints WHERE place = ?`);
  }

  path(rowId: number): Row | null {
    const target = this.#node.get(rowId);
    const lineage = target === undefined ? undefined : this.#index.lineageById(integer(target['lineage'], 'lineage'));
    if (lineage === undefined) return null;
    const shape = this.#index.shape(lineage);
    const { left, count, meeting } = wayBack(shape, rowOf(shape, lineage.head), shape.rowOf(rowId));
    return {
      left: left.map((row) => this.#node.get(shape.rowIdAt(row))),
      leftCount: count,
      isBack: meeting === shape.rowOf(rowId) && count > 0,
      head: lineage.head === undefined ? null : (this.#node.get(lineage.head) ?? null),
      target,
      hasState: this.#materialiser.hasState(rowId),
    };
  }
}

interface WayBack {
  /** The first rows from the head downwards. */
  readonly left: readonly number[];
  readonly count: number;
  /** The common ancestor, or -1 without one. */
  readonly meeting: number;
}

function wayBack(shape: LineageShape, head: number, target: number): WayBack {
  const kept = shape.lineOf(target);
  const left: number[] = [];
  let count = 0;
  let row = head;
  for (; row >= 0 && kept[row] !== 1 && count < shape.rows; row = shape.parentOf(row))
    if (++count <= MAX_PATH) left.push(row);
  return { left, count, meeting: row };
}

function rowOf(shape: LineageShape, rowId: number | undefined): number {
  return rowId === undefined ? -1 : shape.rowOf(rowId);
}

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
