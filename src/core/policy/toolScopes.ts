import { covers, nearestPattern } from '../model/featureSetPattern.ts';
import type { ScopeLists, ScopeSettings } from '../model/scope.ts';
import type { ServerSnapshot } from '../model/server.ts';

/** How calls of a tool are scoped. */
export interface ToolScope {
  /** The set that it belongs to; absent where nobody can tell. */
  readonly featureSet: string | undefined;
  /** Where its arguments name what it touches, where settings say so. */
  readonly adapter: readonly string[] | undefined;
}

type Scoping = Pick<ServerSnapshot, 'mcpl' | 'scopes'>;

/**
 * Whether calls of a tool need a decision (MCPL §7.7): its set is declared as scoped, or settings have lists for it. A
 * tool of no set is scoped as soon as anything of its server is, or a server could free one by not saying where it
 * belongs (mcpl.md, decision 6).
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

/** The same for what a server offers beside tools; `featureSet`: the set that the item names. */
export function scopeOfOffer({ mcpl, scopes }: Scoping, featureSet: string | undefined): ToolScope | undefined {
  const keys = Object.keys(scopes.lists);
  const view = mcpl?.sets.find(({ set }) => set.name === featureSet);
  const isScoped =
    view === undefined
      ? keys.length > 0 || mcpl?.sets.some(({ set }) => set.scoped) === true
      : view.set.scoped || keys.some((key) => covers(key, view.set.name));
  return isScoped ? { featureSet: view?.set.name, adapter: undefined } : undefined;
}

/** The lists that hold for a set. What is denied under any name of it is denied; what is allowed says the nearest one. */
export function listsFor({ lists }: Pick<ScopeSettings, 'lists'>, featureSet: string | undefined): ScopeLists {
  const keys = Object.keys(lists);
  // Of a tool of no set nobody can tell which of the denials was meant for it: all were.
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
