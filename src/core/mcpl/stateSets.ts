import type { StateKeeper } from '../model/lineage.ts';
import type { FeatureSet, FeatureSetView, McplDialect, McplSnapshot } from '../model/mcpl.ts';

/** The owner of a state (docs/decisions/state-owner.md). */
type StateOwner =
  | { readonly kind: 'set'; readonly featureSet: string; readonly keeper: StateKeeper | 'either' }
  /** Unknown: the state is shown to the user, and never sent. */
  | { readonly kind: 'nobody'; readonly featureSet: ''; readonly keeper: StateKeeper | 'either' }
  | { readonly kind: 'off'; readonly featureSet: string };

/** Whether calls of a tool are sent with a state. */
export type StateUse =
  | SentState
  /** The tool names no set: the set that owned its first state decides. */
  | { readonly kind: 'byOwner' }
  | { readonly kind: 'never' };

/** A call is sent with the state of this set. */
export interface SentState {
  readonly kind: 'always' | 'onceKnown';
  readonly featureSet: string;
  readonly keeper: StateKeeper | 'either';
}

const NEVER: StateUse = { kind: 'never' };
const BY_OWNER: StateUse = { kind: 'byOwner' };

/** MCPL §8.1 */
function declaresState({ rollback, hostState }: FeatureSet): boolean {
  return rollback || hostState;
}

/** Whether the host may keep states of the set. */
export function mayKeepState(set: FeatureSet, dialect: McplDialect): boolean {
  return declaresState(set) || dialect.traits.stateByResponse;
}

/** Whether results of the server's tools may contain states. */
export function mayReturnState({ dialect, sets }: McplSnapshot): boolean {
  return dialect.traits.stateByResponse || sets.some(({ set }) => declaresState(set));
}

export function stateUse(mcpl: McplSnapshot, tool: string): StateUse {
  const view = setOfTool(mcpl, tool);
  if (view === undefined) return mayReturnState(mcpl) ? BY_OWNER : NEVER;
  return useOfSet(mcpl, view.set);
}

/** The same for a tool that names no set, from the set that owned its first state. */
export function stateUseOfOwner(mcpl: McplSnapshot, owner: string | undefined): StateUse {
  const view = mcpl.sets.find(({ set }) => set.name === owner);
  return view?.state === 'enabled' ? useOfSet(mcpl, view.set) : NEVER;
}

function useOfSet(mcpl: McplSnapshot, set: FeatureSet): StateUse {
  const keeper = keeperOf(set, mcpl.dialect);
  if (declaresState(set)) return { kind: 'always', featureSet: set.name, keeper };
  return mcpl.dialect.traits.stateByResponse ? { kind: 'onceKnown', featureSet: set.name, keeper } : NEVER;
}

/**
 * The set that the state of a result belongs to. `named`: the set that the state names. `first`: the owner of the first
 * state of a tool that names no set. The owner is never guessed.
 */
export function stateOwner(
  mcpl: McplSnapshot,
  tool: string,
  {
    named,
    first,
    hasBody,
  }: { readonly named?: string | undefined; readonly first?: string | undefined; hasBody: boolean },
): StateOwner {
  const declared = (name: string | undefined): FeatureSetView | undefined =>
    name === undefined ? undefined : mcpl.sets.find(({ set }) => set.name === name);
  const view = declared(named) ?? setOfTool(mcpl, tool) ?? declared(first) ?? onlyFitting(mcpl, hasBody);
  if (view === undefined) return { kind: 'nobody', featureSet: '', keeper: keeperOfUnowned(mcpl) };
  const featureSet = view.set.name;
  if (view.state !== 'enabled') return { kind: 'off', featureSet };
  return { kind: 'set', featureSet, keeper: keeperOf(view.set, mcpl.dialect) };
}

export function keeperOf({ hostState }: FeatureSet, dialect: McplDialect): StateKeeper | 'either' {
  if (hostState) return 'host';
  return dialect.traits.stateByResponse ? 'either' : 'server';
}

/**
 * The keeper of a state without an owner: `server`, so that it is not stored, unless the host keeps states of a set
 * (MCPL §8.7).
 */
function keeperOfUnowned({ dialect, sets }: McplSnapshot): StateKeeper | 'either' {
  return dialect.traits.stateByResponse || sets.some(({ set }) => set.hostState) ? 'either' : 'server';
}

/** The only set that may own a state with, or without, a body. `undefined` if there are several or none. */
function onlyFitting({ dialect, sets }: McplSnapshot, hasBody: boolean): FeatureSetView | undefined {
  const stateful = sets.filter(({ set }) => declaresState(set));
  const fitting = stateful.filter(({ set }) => set.hostState === hasBody);
  // A state that the host keeps may have no body. Where responses decide, it may belong to any set with state.
  const isLoose = !hasBody || dialect.traits.stateByResponse;
  const candidates = fitting.length === 0 && isLoose ? stateful : fitting;
  return candidates.length === 1 ? candidates[0] : undefined;
}

/** The owning set of each tool. Cached by snapshot, because snapshots never change. */
const TABLES = new WeakMap<McplSnapshot, ReadonlyMap<string, FeatureSetView>>();

function setOfTool(mcpl: McplSnapshot, tool: string): FeatureSetView | undefined {
  let table = TABLES.get(mcpl);
  if (table === undefined) {
    table = new Map(mcpl.sets.flatMap((view) => view.tools.map((name) => [name, view] as const)));
    TABLES.set(mcpl, table);
  }
  return table.get(tool);
}
