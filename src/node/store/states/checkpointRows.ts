import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { StateUpdate } from '../../../core/index.ts';
import type { Checkpoint, CheckpointForm, ParentLink } from '../../../core/model/lineage.ts';
import { integer, optionalText, type Row, type Value } from '../contract.ts';
import { CHECKPOINT_COLUMNS, checkpointOf } from './stateAnswers.ts';

/** A checkpoint with its internal columns. */
export interface Node extends Checkpoint {
  readonly lineage: number;
  /** The parent's name from the server, even if that checkpoint is gone. */
  readonly parentName: string | undefined;
  /** Characters of its state, or 0 without one. */
  readonly stateSize: number;
  /** Cost of computing its state from the nearest complete one. */
  readonly replay: number;
}

/** The parent of a checkpoint. */
export interface Parentage {
  readonly link: ParentLink;
  /** Absent with a `name` if the server named an unknown parent. */
  readonly node?: Node | undefined;
  /** The parent's name from the server. */
  readonly name?: string | undefined;
}

/** The content of a checkpoint. */
export interface Content {
  readonly form: CheckpointForm;
  /** Why it has no state. */
  readonly problem?: string;
  readonly body?: string;
  readonly stateSize: number;
  readonly replay: number;
}

const WRITTEN = `checkpoint, copy, lineage, parent, parent_name, link, form, problem, at, tool, args, conversation, size,
  state_size, replay, body`;
const NODE_COLUMNS = `lineage, parent_name, state_size, replay, ${CHECKPOINT_COLUMNS}`;

export class CheckpointRows {
  readonly #get: StatementSync;
  readonly #row: StatementSync;
  readonly #newest: StatementSync;
  readonly #hasBody: StatementSync;
  readonly #insert: StatementSync;
  readonly #fill: StatementSync;
  readonly #snapshot: StatementSync;
  readonly #written: StatementSync;

  constructor(database: DatabaseSync) {
    this.#get = database.prepare(`SELECT ${NODE_COLUMNS} FROM checkpoints WHERE place = ?`);
    this.#row = database.prepare(`SELECT ${CHECKPOINT_COLUMNS} FROM checkpoints WHERE place = ?`);
    this.#newest = database.prepare(
      `SELECT ${NODE_COLUMNS} FROM checkpoints WHERE lineage = ? AND checkpoint = ? ORDER BY copy DESC LIMIT 1`,
    );
    this.#hasBody = database.prepare('SELECT 1 AS found FROM checkpoints WHERE place = ? AND body IS ?');
    this.#insert = database.prepare(
      `INSERT INTO checkpoints (${WRITTEN}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING place`,
    );
    this.#fill = database.prepare(
      `UPDATE checkpoints SET (${WRITTEN}) = (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) WHERE place = ?`,
    );
    this.#snapshot = database.prepare('INSERT INTO snapshots (place, state) VALUES (?, ?)');
    this.#written = database.prepare('UPDATE checkpoints SET state_size = ?, replay = 0 WHERE place = ?');
  }

  get(rowId: number): Node | undefined {
    const row = this.#get.get(rowId);
    return row === undefined ? undefined : nodeOf(row);
  }

  /** In the form that is sent to the client. */
  row(rowId: number | undefined): Row | null {
    return (rowId === undefined ? undefined : this.#row.get(rowId)) ?? null;
  }

  /** The newest checkpoint with this name. */
  newest(lineage: number, checkpoint: string): Node | undefined {
    const row = this.#newest.get(lineage, checkpoint);
    return row === undefined ? undefined : nodeOf(row);
  }

  /** Whether the body is equal. Compares texts only if their lengths match. */
  hasBody({ place, size }: Node, body: string | undefined): boolean {
    return size === (body?.length ?? 0) && this.#hasBody.get(place, body ?? null) !== undefined;
  }

  add(lineage: number, copy: number, update: Origin, parent: Parentage, content: Content): number {
    const row = this.#insert.get(...valuesOf(lineage, copy, update, parent, content));
    return integer(row?.['place'], 'place');
  }

  /** Only a name, until the server sends the checkpoint. */
  addPlaceholder(lineage: number, checkpoint: string, at: number): number {
    const origin = { checkpoint, at, tool: undefined, args: undefined, conversation: undefined };
    return this.add(lineage, 1, origin, { link: 'none' }, { form: 'placeholder', stateSize: 0, replay: 0 });
  }

  fill(placeholder: Node, update: StateUpdate, parent: Parentage, content: Content): void {
    const { place, lineage, copy } = placeholder;
    this.#fill.run(...valuesOf(lineage, copy, update, parent, content), place);
  }

  /** Adds a complete state, from which later ones are computed. */
  addSnapshot(rowId: number, state: string): void {
    this.#snapshot.run(rowId, state);
    this.#written.run(state.length, rowId);
  }
}

/** The name and origin of a checkpoint. */
type Origin = Pick<StateUpdate, 'checkpoint' | 'at' | 'tool' | 'args' | 'conversation'>;

/** In the order of `WRITTEN`. */
function valuesOf(lineage: number, copy: number, origin: Origin, parent: Parentage, content: Content): Value[] {
  const { form, problem, body, stateSize, replay } = content;
  return [
    origin.checkpoint,
    copy,
    lineage,
    parent.node?.place ?? null,
    parent.name ?? null,
    parent.link,
    form,
    problem ?? null,
    origin.at,
    origin.tool ?? null,
    origin.args ?? null,
    origin.conversation ?? null,
    body?.length ?? 0,
    stateSize,
    replay,
    body ?? null,
  ];
}

function nodeOf(row: Row): Node {
  return {
    ...checkpointOf(row),
    lineage: integer(row['lineage'], 'lineage'),
    parentName: optionalText(row['parent_name'], 'parent_name'),
    stateSize: integer(row['state_size'], 'state_size'),
    replay: integer(row['replay'], 'replay'),
  };
}
