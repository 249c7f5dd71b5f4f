import type { CancellationToken } from '../../base/cancellation.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Tool } from '../../model/catalog.ts';
import type { ScopeDoubt, ScopeSubject } from '../../model/approval.ts';
import type { ScopeClaim, ScopeLists, ScopeSettings, ScopeTarget } from '../../model/scope.ts';
import { listsFor } from './toolScopes.ts';
import type { FileNames } from '../../ports.ts';
import type { ComputedScope, ComputedTarget, ScopeConcern, ScopeContext } from './computed.ts';
import { type CompiledLists, compileLists, concernOf, type Verdict } from './lists.ts';
import { NamesOnce, realFoldersOf } from './realNames.ts';
import { targetsOfCall, targetsOfClaim } from './targets.ts';

/** The subject of a scope decision. */
export type ScopeMatter =
  | { readonly kind: 'elevate'; readonly claim: ScopeClaim }
  | {
      readonly kind: 'call';
      readonly tool: Tool;
      readonly args: JsonObject;
      /** The members that hold its targets, from settings. */
      readonly adapter: readonly string[] | undefined;
    };

interface ScopeCase {
  readonly matter: ScopeMatter;
  readonly featureSet: string | undefined;
  readonly settings: ScopeSettings;
  readonly context: ScopeContext;
}

/** The result of the lists (MCPL §7.6): the first two steps, and why a user has to take the third. */
export type Judgement = JudgedScope &
  (
    | { readonly verdict: 'allow' }
    | { readonly verdict: 'deny'; readonly by: 'list' }
    | { readonly verdict: 'deny'; readonly by: 'host'; readonly why: string }
    | { readonly verdict: 'ask'; readonly doubt: ScopeDoubt }
  );

interface JudgedScope {
  readonly targets: ScopeSubject['targets'];
  /** The real paths of all readings. A decision holds while they stay the same. */
  readonly reals: readonly string[];
}

/** Maximum cached feature sets per server. Each set has its own lists. */
const MAX_SETS = 256;

/** Decides by settings alone, from facts that the host computed. Loaded on first use. */
export class ScopeEngine {
  readonly #names: FileNames;
  readonly #lists = new WeakMap<ScopeSettings['lists'], Map<string | undefined, SetLists>>();

  constructor(names: FileNames) {
    this.#names = names;
  }

  async judge({ matter, featureSet, settings, context }: ScopeCase, token: CancellationToken): Promise<Judgement> {
    const ofSet = this.#listsOf(settings, featureSet);
    const { concern } = ofSet;
    const names = new NamesOnce(this.#names);
    // In parallel, because both wait for the file system.
    const [computed, lists] = await Promise.all([
      matter.kind === 'elevate'
        ? targetsOfClaim(matter.claim, context, names, token, concern)
        : targetsOfCall(matter, context, names, token, concern),
      ofSet.at(context, names, token),
    ]);
    return decide(computed, lists);
  }

  /** Earlier grants that the lists deny now, judged by their stored targets. */
  async denied<T extends { readonly targets: readonly string[] }>(
    grants: readonly T[],
    { featureSet, settings, context }: Omit<ScopeCase, 'matter'>,
    token: CancellationToken,
  ): Promise<readonly T[]> {
    const { lists } = await this.#listsOf(settings, featureSet).at(context, this.#names, token);
    const isDenied = (target: string): boolean =>
      lists.judge({ kind: isPath(target) ? 'path' : 'name', forms: [target], shadows: [] }) === 'denied';
    return grants.filter(({ targets }) => targets.some(isDenied));
  }

  #listsOf({ lists }: ScopeSettings, featureSet: string | undefined): SetLists {
    let bySet = this.#lists.get(lists);
    const known = bySet?.get(featureSet);
    if (known !== undefined) return known;
    if (bySet === undefined || bySet.size >= MAX_SETS)
      this.#lists.set(lists, (bySet = new Map<string | undefined, SetLists>()));
    const own = new SetLists(listsFor({ lists }, featureSet));
    bySet.set(featureSet, own);
    return own;
  }
}

/** The lists of a feature set, compiled for the last used folders. */
class SetLists {
  readonly concern: ScopeConcern;
  readonly #lists: ScopeLists;
  #compiled: { readonly at: string; readonly lists: CompiledLists } | undefined;

  constructor(lists: ScopeLists) {
    this.concern = concernOf(lists);
    this.#lists = lists;
  }

  async at(context: ScopeContext, names: FileNames, token: CancellationToken): Promise<SureLists> {
    // A folder may be a link with a new target, which changes the meaning of patterns.
    const { folders: real, isSure } = await realFoldersOf(context, names, token);
    const at = JSON.stringify([context.folders, context.userHome, real ?? null]);
    if (this.#compiled?.at !== at)
      this.#compiled = { at, lists: compileLists(this.#lists, context, names.ignoresCase, real) };
    // Without deny rules, an unresolved folder only means fewer allowed targets.
    return { lists: this.#compiled.lists, isSure: isSure || this.#lists.blacklist.length === 0 };
  }
}

interface SureLists {
  readonly lists: CompiledLists;
  /** Whether deny rules cover all names of the folders. */
  readonly isSure: boolean;
}

const UNRESOLVED_FOLDERS = 'The real paths of the open folders cannot be read now.';

/** Only denied if the lists deny everything. */
const NOTHING = { kind: 'name', forms: [], shadows: [] } as const;

/** Deny rules come first. The user decides uncertain requests. */
function decide(computed: ComputedScope, { lists, isSure }: SureLists): Judgement {
  const { targets, checked, isWhole, refusal, agrees } = computed;
  const outside = checked.filter(({ target, outward }) => {
    return outward === 'unknown' || (outward === 'known' && !isAllowedPath(target, lists));
  });
  const touched = [...targets, ...outside.map(({ target }) => target)];
  // A partial list of targets would look complete.
  const shown = isWhole ? touched : [];
  const facts = {
    targets: shown.map(shownOf),
    reals: [...new Set(touched.flatMap(({ reals }) => reals))].sort(),
  };
  if (refusal !== undefined) return { ...facts, verdict: 'deny', by: 'host', why: refusal };
  const verdicts = targets.map((target) => lists.judge(target));
  const denial = denialOf(computed, verdicts, lists);
  if (denial !== undefined) return { ...facts, ...denial };
  if (!isSure) return { ...facts, verdict: 'deny', by: 'host', why: UNRESOLVED_FOLDERS };
  if (!agrees) return { ...facts, verdict: 'ask', doubt: 'disagreement' };
  if (!isWhole) return { ...facts, verdict: 'ask', doubt: 'noTarget' };
  if (outside.length > 0 || verdicts.includes('unlisted')) return { ...facts, verdict: 'ask', doubt: 'unlisted' };
  if (targets.some(({ isAnchor }) => isAnchor)) return { ...facts, verdict: 'allow' };
  // No member is marked as the subject, so any word may be it.
  const words = checked.filter(({ isWord }) => isWord).map(({ target }) => target);
  const isNamed = targets.length + words.length > 0 && words.every((word) => lists.judge(word) === 'allowed');
  if (!isNamed) return { ...facts, verdict: 'ask', doubt: targets.length === 0 ? 'noTarget' : 'unlisted' };
  const names = words.map(shownOf);
  return { ...facts, targets: [...facts.targets, ...names], verdict: 'allow' };
}

function shownOf({ kind, from, written, real, inside }: ComputedTarget): ScopeTarget {
  return { kind, from, written, real, inside };
}

type Denial = { readonly verdict: 'deny' } & ({ readonly by: 'list' } | { readonly by: 'host'; readonly why: string });

function denialOf(
  { targets, checked }: ComputedScope,
  verdicts: readonly Verdict[],
  lists: CompiledLists,
): Denial | undefined {
  if (verdicts.includes('denied')) {
    // Forms with a backslash match no pattern, so judge the other forms.
    const others = targets.map((target) => ({ ...target, forms: target.forms.filter((form) => !form.includes('\\')) }));
    const isListed = others.some((target) => lists.judge(target) === 'denied');
    return isListed ? { verdict: 'deny', by: 'list' } : { verdict: 'deny', by: 'host', why: BACKSLASH };
  }
  const isListed = lists.judge(NOTHING) === 'denied' || checked.some(({ target }) => isDeniedText(target, lists));
  return isListed ? { verdict: 'deny', by: 'list' } : undefined;
}

/** Whether a deny pattern matches any reading. Texts that no pattern can match are not denied. */
function isDeniedText({ kind, forms, shadows, names }: ComputedTarget, lists: CompiledLists): boolean {
  const paths = kind === 'path' ? [...forms, ...shadows] : shadows;
  return paths.some((path) => lists.denies(path, 'path')) || names.some((name) => lists.denies(name, 'name'));
}

function isAllowedPath({ forms }: ComputedTarget, lists: CompiledLists): boolean {
  const readable = forms.filter((form) => !form.includes('\\'));
  return lists.judge({ kind: 'path', forms: readable, shadows: [] }) === 'allowed';
}

const BACKSLASH = 'A "\\" in a path has different meanings for programs: use "/".';

function isPath(target: string): boolean {
  return /^(\/|[A-Za-z]:\/)/.test(target);
}
