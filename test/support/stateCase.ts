import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import type { LineageKey } from '../../src/core/model/lineage.ts';
import type { StateBase, StateRecord, StateUpdate } from '../../src/core/index.ts';
import { migrate } from '../../src/node/store/migrations.ts';
import { integer, type Row, text } from '../../src/node/store/contract.ts';
import { callBaseOf } from '../../src/node/store/states/stateAnswers.ts';
import { StateQueries } from '../../src/node/store/states/lineageQueries.ts';
import { Materialiser } from '../../src/node/store/states/materialiser.ts';
import { StateRecorder } from '../../src/node/store/states/stateRecorder.ts';

export const NOTES: LineageKey = { server: 'notes', featureSet: 'notes.write' };

/**
 * The update from a call of a set whose state the host keeps, with defaults for everything that the test does not set.
 */
export function stateUpdate(checkpoint: string, changes: Partial<StateUpdate> = {}): StateUpdate {
  return {
    ...NOTES,
    conversation: undefined,
    keeper: 'host',
    checkpoint,
    parent: undefined,
    base: undefined,
    cause: 'call',
    body: undefined,
    at: 1,
    tool: 'write',
    args: undefined,
    ...changes,
  };
}

export const data = (value: unknown): StateUpdate['body'] => ({ kind: 'data', text: JSON.stringify(value) });
export const patch = (...operations: readonly object[]): StateUpdate['body'] => ({
  kind: 'patch',
  text: JSON.stringify(operations),
});
/** Appends a note to `notes`. */
export const note = (value: unknown): StateUpdate['body'] => patch({ op: 'add', path: '/notes/-', value });

/** The store's lineages without its thread. */
export class StateCase {
  readonly database: DatabaseSync;
  states: Materialiser;
  recorder: StateRecorder;
  queries: StateQueries;

  constructor(database = new DatabaseSync(':memory:')) {
    this.database = database;
    migrate(database);
    this.states = new Materialiser(database);
    this.recorder = new StateRecorder(database, this.states);
    this.queries = new StateQueries(database, this.states);
  }

  /** Like a restart: nothing is in memory. */
  reopen(): void {
    this.states = new Materialiser(this.database);
    this.recorder = new StateRecorder(this.database, this.states);
    this.queries = new StateQueries(this.database, this.states);
  }

  base(conversation?: string, keeper: StateUpdate['keeper'] = 'host'): StateBase {
    return callBaseOf(this.queries.base({ ...NOTES, conversation, keeper }));
  }

  /** A call: records the server's answer to the state that it got. */
  call(checkpoint: string, changes: Partial<StateUpdate> = {}): StateRecord {
    const { head } = this.base(changes.conversation, changes.keeper);
    return this.recorder.record(stateUpdate(checkpoint, { base: head?.place, ...changes }));
  }

  place(name: string): number {
    return this.find(name) ?? assert.fail(`There is no checkpoint ${name}.`);
  }

  /** The row id of a checkpoint. */
  find(name: string): number | undefined {
    const [checkpoint = '', copy = '1'] = name.split('#');
    const find = 'SELECT place FROM checkpoints WHERE checkpoint = ? AND copy = ?';
    const row = this.database.prepare(find).get(checkpoint, Number(copy));
    return row === undefined ? undefined : integer(row['place'], 'place');
  }

  state(name: string): string | undefined {
    return this.states.text(this.place(name));
  }

  /** The whole tree: each checkpoint below its parent, with its link, form, state and heads. */
  get tree(): string {
    const [lineage = {}] = this.#rows('SELECT * FROM lineages');
    const nodes = this.#rows('SELECT * FROM checkpoints ORDER BY place');
    const heads = this.#rows('SELECT * FROM heads ORDER BY conversation');
    const draw = (node: Row, depth: number): readonly string[] => [
      `${'  '.repeat(depth)}${this.#line(node, lineage, heads)}`,
      ...nodes.filter(({ parent }) => parent === node['place']).flatMap((child) => draw(child, depth + 1)),
    ];
    return nodes
      .filter(({ parent }) => parent === null)
      .flatMap((root) => draw(root, 0))
      .join('\n');
  }

  /** The counters of the lineage, and whether they are correct. */
  get counts(): string {
    const [{ keeper, count, size, version } = {}] = this.#rows('SELECT * FROM lineages');
    const [{ nodes } = {}] = this.#rows('SELECT count(*) AS nodes FROM checkpoints');
    const [{ length } = {}] = this.#rows(
      `SELECT (SELECT total(length(body)) FROM checkpoints) + (SELECT total(length(state)) FROM snapshots) AS length`,
    );
    if (count !== nodes || size !== length)
      return `${String(count)} of ${String(nodes)}, ${String(size)} of ${String(length)}`;
    return `${String(keeper)}, ${String(count)} kept, ${String(size)} characters, version ${String(version)}`;
  }

  #line(node: Row, lineage: Row, heads: readonly Row[]): string {
    const { place, copy, link, form, problem, is_pruned: isPruned } = node;
    const state = this.states.text(integer(place, 'place'));
    const marks = [
      copy === 1 ? '' : `#${String(copy)}`,
      ` ${text(form, 'form')}`,
      link === 'none' || link === 'named' ? '' : ` (${text(link, 'link')})`,
      isPruned === 1 ? ' pruned' : '',
      problem === null ? '' : ' broken',
      state === undefined ? '' : ` ${state}`,
      lineage['head'] === place ? ' <- head' : '',
      ...heads.filter((head) => head['place'] === place).map(({ conversation }) => ` <- ${text(conversation, 'head')}`),
      lineage['blocked_by'] === place ? ' <- blocks' : '',
    ];
    return `${text(node['checkpoint'], 'checkpoint')}${marks.join('')}`;
  }

  #rows(statement: string): readonly Row[] {
    return this.database.prepare(statement).all();
  }
}
