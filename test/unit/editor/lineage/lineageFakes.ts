import {
  type Annotation,
  type Checkpoint,
  type CheckpointDetail,
  Emitter,
  type LineageKey,
  type LineageQuery,
  type Lineages,
  type LineageSummary,
  type LineageWindow,
  type RollbackPlan,
  type RollbackResult,
  type StateTrouble,
} from '../../../../src/core/index.ts';

export const NOTES: LineageKey = { server: 'notes', featureSet: 'notes.edit' };
/** 16:04:21 on a fixed day. */
export const AT = new Date(2026, 10, 18, 16, 4, 21).getTime();

let last = 0;

export function node(checkpoint: string, rest: Partial<Checkpoint> = {}): Checkpoint {
  return {
    place: ++last,
    checkpoint,
    copy: 1,
    parent: undefined,
    link: 'named',
    form: 'patch',
    problem: undefined,
    isPruned: false,
    at: AT,
    tool: 'edit',
    args: 'path: a.md',
    conversation: undefined,
    size: 120,
    name: undefined,
    isPinned: false,
    ...rest,
  };
}

/** `count` checkpoints in a line, oldest first, with row ids from 1. */
export function line(count: number): readonly Checkpoint[] {
  return Array.from({ length: count }, (_, at) =>
    node(`chk_${at + 1}`, { place: at + 1, parent: at === 0 ? undefined : at, link: at === 0 ? 'none' : 'named' }),
  );
}

export function summary(nodes: readonly Checkpoint[], rest: Partial<LineageSummary> = {}): LineageSummary {
  return {
    ...NOTES,
    id: 1,
    keeper: 'host',
    count: nodes.length,
    size: 1_000,
    head: nodes.at(-1),
    others: [],
    blocked: undefined,
    changedAt: AT,
    ...rest,
  };
}

interface Kept {
  summary: LineageSummary;
  nodes: readonly Checkpoint[];
}

/** Lineages in memory, which record all requests. */
export class FakeLineages implements Lineages {
  readonly log: string[] = [];
  readonly changed = new Emitter<void>();
  readonly broke = new Emitter<StateTrouble>();
  readonly onDidChange = this.changed.event;
  readonly onDidBreak = this.broke.event;
  failure: Error | undefined;
  result: RollbackResult | undefined;
  planned: Partial<RollbackPlan> = {};
  version = 1;
  watchers = 0;
  readonly #kept: Kept[] = [];

  /** Replaces a lineage, and fires the event. */
  set(nodes: readonly Checkpoint[], rest: Partial<LineageSummary> = {}): void {
    const next = { summary: summary(nodes, rest), nodes };
    const at = this.#kept.findIndex((each) => each.summary.featureSet === next.summary.featureSet);
    if (at < 0) this.#kept.push(next);
    else this.#kept[at] = next;
    this.version++;
    this.changed.fire();
  }

  list(): readonly LineageSummary[] {
    return this.#kept.map((each) => each.summary);
  }

  async loaded(): Promise<void> {
    if (this.failure !== undefined) throw this.failure;
  }

  watch(): { dispose(): void } {
    this.watchers++;
    return { dispose: () => void this.watchers-- };
  }

  async window({ featureSet, filter, from, count }: LineageQuery): Promise<LineageWindow> {
    this.log.push(`window ${from}+${count}`);
    if (this.failure !== undefined) throw this.failure;
    const kept = this.#kept.find((each) => each.summary.featureSet === featureSet);
    const nodes = [...(kept?.nodes ?? [])].reverse();
    const text = filter.text.toLowerCase();
    const fits = nodes.filter(
      (each) =>
        (text === '' || `${each.checkpoint} ${each.name} ${each.tool}`.toLowerCase().includes(text)) &&
        (filter.only !== 'marked' || each.isPinned || each.name !== undefined),
    );
    const head = fits.findIndex(({ place }) => place === kept?.summary.head?.place);
    const rows = fits.slice(from, from + count).map((each, at) => ({
      position: from + at,
      node: each,
      isHead: each.place === kept?.summary.head?.place,
      isOnLine: true,
      conversations: 0,
      rollbacks: 0,
      graph: { lane: 0, through: [], children: [0], hasParent: true, folded: 0 },
    }));
    const head_ = head < 0 ? undefined : head;
    return { version: this.version, total: fits.length, all: nodes.length, head: head_, lanes: 1, rows };
  }

  async checkpoint(place: number): Promise<CheckpointDetail | undefined> {
    for (const { nodes, summary: of } of this.#kept) {
      const found = nodes.find((each) => each.place === place);
      if (found === undefined) continue;
      return {
        server: of.server,
        featureSet: of.featureSet,
        node: found,
        keeper: of.keeper,
        parent: nodes.find((each) => each.place === found.parent),
        children: nodes.filter((each) => each.parent === place).length,
        body: '[{"op":"add","path":"/a","value":1}]',
        isBodyCut: false,
        isHead: of.head?.place === place,
        moves: [],
      };
    }
    return undefined;
  }

  async find(server: string, checkpoint: string): Promise<readonly (Checkpoint & LineageKey)[]> {
    return this.#kept
      .filter((each) => each.summary.server === server)
      .flatMap(({ nodes, summary: of }) =>
        nodes
          .filter((each) => each.checkpoint === checkpoint)
          .map((each) => ({ ...each, server, featureSet: of.featureSet })),
      );
  }

  async state(place: number): Promise<string | undefined> {
    return `{\n  "place": ${place}\n}`;
  }

  async plan(place: number): Promise<RollbackPlan> {
    return plan({ ...this.planned, target: (await this.checkpoint(place))?.node ?? node('gone') });
  }

  async rollBack(place: number): Promise<RollbackResult> {
    this.log.push(`rollBack ${place}`);
    return this.result ?? { kind: 'rolledBack', head: node('chk_1') };
  }

  async continueFrom(place: number): Promise<void> {
    this.log.push(`continueFrom ${place}`);
  }

  async annotate(place: number, change: Annotation): Promise<void> {
    this.log.push(`annotate ${place} ${JSON.stringify(change)}`);
  }

  async exportTo(): Promise<number> {
    return 0;
  }

  async importFrom(): Promise<{ added: number; known: number }> {
    return { added: 0, known: 0 };
  }

  async forget({ featureSet }: LineageKey): Promise<void> {
    const at = this.#kept.findIndex((each) => each.summary.featureSet === featureSet);
    if (at >= 0) this.#kept.splice(at, 1);
    this.version++;
    this.changed.fire();
  }
}

export function plan(rest: Partial<RollbackPlan> = {}): RollbackPlan {
  const target = rest.target ?? node('chk_b', { at: AT - 300_000 });
  return {
    ...NOTES,
    left: [],
    leftCount: 0,
    isBack: true,
    head: node('chk_d'),
    hasState: true,
    hindrance: undefined,
    canContinue: true,
    tools: [],
    ...rest,
    target,
  };
}
