import {
  type Annotation,
  type Checkpoint,
  type CheckpointDetail,
  Emitter,
  type HostError,
  type LineageKey,
  type LineageQuery,
  type LineageRow,
  type Lineages,
  type LineageSummary,
  type LineageWindow,
  type RollbackOptions,
  type RollbackPlan,
  type RollbackResult,
  type StateImport,
  type StateTrouble,
} from '../../../src/core/index.ts';

export const KEY: LineageKey = { server: 'files', featureSet: 'files.book' };
const TIME = Date.UTC(2026, 1, 3, 10);

export function checkpoint(place: number, rest: Partial<Checkpoint> = {}): Checkpoint {
  return {
    place,
    checkpoint: `chk_${place}`,
    copy: 1,
    parent: place === 1 ? undefined : place - 1,
    link: place === 1 ? 'none' : 'named',
    form: place === 1 ? 'data' : 'patch',
    problem: undefined,
    isPruned: false,
    at: TIME + place * 1_000,
    tool: 'write',
    args: '{"text":"x"}',
    conversation: undefined,
    size: 10 * place,
    name: undefined,
    isPinned: false,
    ...rest,
  };
}

export function row(node: Checkpoint, rest: Partial<LineageRow> = {}): LineageRow {
  const graph = { lane: 0, through: [], children: [], hasParent: node.parent !== undefined, folded: 0 };
  return { position: 0, node, isHead: false, isOnLine: true, conversations: 0, rollbacks: 0, graph, ...rest };
}

export function summary(rest: Partial<LineageSummary> = {}): LineageSummary {
  return {
    ...KEY,
    id: 1,
    keeper: 'host',
    count: 2,
    size: 30,
    head: checkpoint(2),
    others: [],
    blocked: undefined,
    changedAt: TIME,
    ...rest,
  };
}

/** Has two checkpoints, and records the actions. */
export class FakeLineages implements Lineages {
  readonly changed = new Emitter<void>();
  readonly broken = new Emitter<StateTrouble>();
  readonly onDidChange = this.changed.event;
  readonly onDidBreak = this.broken.event;
  readonly did: string[] = [];
  readonly queries: LineageQuery[] = [];
  summaries: readonly LineageSummary[] = [summary()];
  nodes: readonly Checkpoint[] = [checkpoint(2), checkpoint(1)];
  outcome: RollbackResult = { kind: 'rolledBack', head: checkpoint(1) };
  /** The error of all actions. */
  failure: HostError | undefined;
  watchers = 0;

  list(): readonly LineageSummary[] {
    return this.summaries;
  }
  loaded(): Promise<void> {
    return this.#note('loaded');
  }
  watch(): { dispose(): void } {
    this.watchers++;
    return { dispose: () => this.watchers-- };
  }
  window(query: LineageQuery): Promise<LineageWindow> {
    this.queries.push(query);
    const rows = this.nodes.map((node, position) => row(node, { position, isHead: position === 0 }));
    return Promise.resolve({ version: 3, total: rows.length, all: rows.length, head: 0, lanes: 1, rows });
  }
  checkpoint(place: number): Promise<CheckpointDetail | undefined> {
    const node = this.nodes.find((each) => each.place === place);
    if (node === undefined) return Promise.resolve(undefined);
    return Promise.resolve({
      ...KEY,
      node,
      keeper: 'host',
      parent: this.nodes.find((each) => each.place === node.parent),
      children: 0,
      body: '[]',
      isBodyCut: false,
      isHead: place === 2,
      moves: [{ at: TIME, kind: 'rollback', from: 2, to: 1, refusal: 'It was sent.' }],
    });
  }
  find(server: string, id: string): Promise<readonly (Checkpoint & LineageKey)[]> {
    const found = this.nodes.filter((node) => server === KEY.server && node.checkpoint === id);
    return Promise.resolve(found.map((node) => ({ ...node, ...KEY })));
  }
  state(place: number, form: 'compact' | 'pretty'): Promise<string | undefined> {
    return Promise.resolve(place === 1 ? `{"form":"${form}"}` : undefined);
  }
  plan(place: number): Promise<RollbackPlan> {
    const target = checkpoint(place);
    const left = [checkpoint(2)];
    const tools = [{ tool: 'write', count: 1, reachesOut: true }];
    const path = { left, leftCount: 1, isBack: true, head: checkpoint(2), target, hasState: true };
    return Promise.resolve({ ...KEY, ...path, hindrance: 'Start it first.', canContinue: true, tools });
  }
  rollBack(place: number, { conversation, token }: RollbackOptions = {}): Promise<RollbackResult> {
    this.did.push(`rollBack ${place} ${conversation ?? '-'} ${token === undefined ? 'no token' : 'token'}`);
    return this.failure === undefined ? Promise.resolve(this.outcome) : Promise.reject(this.failure);
  }
  continueFrom(place: number, conversation?: string): Promise<void> {
    return this.#note(`continue ${place} ${conversation ?? '-'}`);
  }
  annotate(place: number, change: Annotation): Promise<void> {
    return this.#note(`annotate ${place} ${JSON.stringify(change)}`);
  }
  exportTo(key: LineageKey, file: string): Promise<number> {
    return this.#note(`export ${key.featureSet} ${file}`).then(() => 2);
  }
  importFrom(key: LineageKey, file: string): Promise<StateImport> {
    return this.#note(`import ${key.featureSet} ${file}`).then(() => ({ added: 2, known: 1 }));
  }
  forget(key: LineageKey): Promise<void> {
    return this.#note(`forget ${key.server} ${key.featureSet}`);
  }

  #note(what: string): Promise<void> {
    this.did.push(what);
    return this.failure === undefined ? Promise.resolve() : Promise.reject(this.failure);
  }
}
