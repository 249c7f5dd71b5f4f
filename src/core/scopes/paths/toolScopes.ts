import { covers, nearestPattern } from '../../model/featureSetPattern.ts';
import type { ScopeLists, ScopeSettings } from '../../model/scope.ts';
import type { ServerSnapshot } from '../../model/server.ts';

/** The scoping of a tool's calls. */
export interface ToolScope {
  /** The tool's feature set, or `undefined` if unknown. */
  readonly featureSet: string | undefined;
  /** The places of its targets in the arguments, from settings. */
  readonly adapter: readonly string[] | undefined;
}

type Scoping = Pick<ServerSnapshot, 'mcpl' | 'scopes'>;

/**
 * Whether calls of a tool need a decision (MCPL §7.7): its set is declared as scoped, or settings have lists for it. A
 * tool without a set is scoped if any part of its server is. Otherwise a server could exempt a tool by not naming its
 * set.
 */
export function scopeOfTool({ mcpl, scopes }: Scoping, tool: string): ToolScope | undefined {
  const adapter = Object.hasOwn(scopes.adapters, tool) ? scopes.adapters[tool] : undefined;
  if (adapter?.length === 0) return undefined;
  const keys = Object.keys(scopes.lists);
  const view = mcpl?.sets.find(({ tools }) => tools.includes(tool));
  if (view === undefined) {
    const isAnyScoped = keys.length > 0 || mcpl?.sets.some(({ set }) => set.scoped) === true;
    return isAnyScoped ? { featureSet: undefined, adapter } : undefined;
  }
  const { name, scoped } = view.set;
  return scoped || keys.some((key) => covers(key, name)) ? { featureSet: name, adapter } : undefined;
}

/** The same for prompts and resources. `featureSet` is the set that the item names. */
export function scopeOfOffer({ mcpl, scopes }: Scoping, featureSet: string | undefined): ToolScope | undefined {
  const keys = Object.keys(scopes.lists);
  const view = mcpl?.sets.find(({ set }) => set.name === featureSet);
  const isScoped =
    view === undefined
      ? keys.length > 0 || mcpl?.sets.some(({ set }) => set.scoped) === true
      : view.set.scoped || keys.some((key) => covers(key, view.set.name));
  return isScoped ? { featureSet: view?.set.name, adapter: undefined } : undefined;
}

/** The lists for a set. Deny rules under any matching name apply; only the allow rules of the most specific one do. */
export function listsFor({ lists }: Pick<ScopeSettings, 'lists'>, featureSet: string | undefined): ScopeLists {
  const keys = Object.keys(lists);
  // A tool without a set may belong to any, so all deny lists apply.
  const fitting = featureSet === undefined ? keys : keys.filter((key) => covers(key, featureSet));
  const nearest = featureSet === undefined ? EVERY : nearestPattern(keys, featureSet);
  const all = fitting.flatMap((key) => lists[key] ?? []);
  const own = nearest !== undefined && Object.hasOwn(lists, nearest) ? lists[nearest] : undefined;
  return {
    whitelist: own?.whitelist ?? [],
    blacklist: [...new Set(all.flatMap(({ blacklist }) => blacklist))],
    isBroken: all.some(({ isBroken }) => isBroken),
  };
}

const EVERY = '*';
