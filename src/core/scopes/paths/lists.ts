import { cleanLine } from '../../base/cleanText.ts';
import type { ScopeLists } from '../../model/scope.ts';
import type { ComputedTarget, ScopeConcern } from './computed.ts';
import { formText } from './formText.ts';
import { Effort } from './glob.ts';
import { GlobList } from './globList.ts';
import { candidatesOf, plainNamesOf } from './globText.ts';
import { isName, withoutIgnorable } from './pathText.ts';
import { meaningOf, type PatternContext } from './patternMeaning.ts';
import { Recent } from './recent.ts';

export type Verdict = 'denied' | 'allowed' | 'unlisted';

/** Maximum characters of all globs in a list. */
const MAX_TEXT = 4_000_000;
/** About ten milliseconds. Long lists with long texts take a hundredth of that. */
const MAX_STEPS = 1_500_000;
/** Size of the cache of decisions, and the longest text in it. */
const RECENT = 512;
const MAX_RECENT = 512;

/**
 * Compiled once for each combination of settings and folders. An unreadable pattern allows nothing, and denies
 * everything until it is corrected: ignoring it would deny less than its author meant. `realContext` has the real paths
 * of folders, if they differ: patterns must match every name of a target.
 */
export function compileLists(
  lists: ScopeLists,
  context: PatternContext,
  ignoresCase: boolean,
  realContext?: PatternContext,
): CompiledLists {
  const contexts = realContext === undefined ? [context] : [context, realContext];
  const deny = readAll(lists.blacklist, 'blacklist', contexts);
  const allow = readAll(lists.whitelist, 'whitelist', contexts);
  return new CompiledLists({
    deniedNames: plainNamesOf(deny.ofPaths),
    problems: [...deny.problems, ...allow.problems],
    deniesAll: lists.isBroken || deny.problems.length > 0,
    ofPaths: kindOf(deny.ofPaths, allow.ofPaths, ignoresCase),
    ofNames: () => kindOf(deny.ofNames, allow.ofNames, ignoresCase),
  });
}

interface ReadPatterns {
  readonly ofNames: readonly string[];
  readonly ofPaths: readonly string[];
  readonly problems: readonly string[];
}

function readAll(patterns: readonly string[], list: string, contexts: readonly PatternContext[]): ReadPatterns {
  const ofNames = new Set<string>();
  const ofPaths = new Set<string>();
  const problems: string[] = [];
  let left = MAX_TEXT;
  for (const pattern of patterns) {
    for (const context of contexts) {
      const meaning = meaningOf(pattern, context);
      const globs = 'problem' in meaning ? [] : [...meaning.ofNames, ...meaning.ofPaths];
      left -= globs.reduce((length, glob) => length + glob.length, 0);
      const problem = 'problem' in meaning ? meaning.problem : left < 0 ? TOO_MUCH : undefined;
      if (problem !== undefined) problems.push(`The pattern "${cleanLine(pattern, 80)}" of the ${list}: ${problem}`);
      if (problem !== undefined || 'problem' in meaning) break;
      for (const glob of meaning.ofNames) ofNames.add(glob);
      for (const glob of meaning.ofPaths) ofPaths.add(glob);
    }
  }
  return { ofNames: [...ofNames], ofPaths: [...ofPaths], problems };
}

const TOO_MUCH = 'Must stand for less; with its braces written out in every folder, the list is too long.';

/** Decisions about targets of one kind. */
interface KindLists {
  readonly deny: GlobList;
  readonly allow: GlobList;
  readonly recent: Recent<Verdict>;
}

function kindOf(deny: readonly string[], allow: readonly string[], ignoresCase: boolean): KindLists {
  return {
    deny: GlobList.denying(deny),
    allow: GlobList.allowing(allow, ignoresCase),
    recent: new Recent(RECENT),
  };
}

/** `#general`, `discord:*` and plain words are names. A denied word may also be a file. */
export function concernOf({ whitelist, blacklist }: ScopeLists): ScopeConcern {
  const all = [...whitelist, ...blacklist];
  const isOfFile = (pattern: string): boolean => !isName(pattern) && /[\\/~]|^\$|^\.|\*\./.test(pattern);
  return {
    ofNames: all.some(isName) || whitelist.some((pattern) => /^[^\\/~$.*]+$/.test(pattern)),
    ofFiles: all.some(isOfFile),
    denies: blacklist.length > 0,
  };
}

interface Compiled {
  /** Names in deny patterns for paths. */
  readonly deniedNames: ReadonlySet<string>;
  readonly problems: readonly string[];
  readonly deniesAll: boolean;
  readonly ofPaths: KindLists;
  /** Compiled for the first name, because few servers use names. */
  readonly ofNames: () => KindLists;
}

type Judged = Pick<ComputedTarget, 'kind' | 'forms' | 'shadows'> & Partial<Pick<ComputedTarget, 'names'>>;

/** Matches targets against the lists. Deny rules come first. */
export class CompiledLists {
  /** Errors in patterns, one sentence each. */
  readonly problems: readonly string[];
  readonly #compiled: Compiled;
  #ofNames: KindLists | undefined;

  constructor(compiled: Compiled) {
    this.problems = compiled.problems;
    this.#compiled = compiled;
  }

  /** Whether a deny pattern matches this text. Texts that no pattern can match, such as `a//b`, are not denied. */
  denies(text: string, kind: 'path' | 'name'): boolean {
    if (this.#compiled.deniesAll) return true;
    if (kind === 'path' && this.#deniesGlob(text)) return true;
    return isReadable(text, kind) && this.#verdict(text, kind) === 'denied';
  }

  #verdict(form: string, kind: 'path' | 'name'): Verdict {
    const lists = this.#of(kind);
    const known = lists.recent.get(form);
    if (known !== undefined) return known;
    const decided = decide(form, kind, lists);
    const verdict = decided !== 'denied' && kind === 'path' && this.#deniesGlob(form) ? 'denied' : decided;
    if (form.length <= MAX_RECENT) lists.recent.set(form, verdict);
    return verdict;
  }

  #deniesGlob(text: string): boolean {
    const written = candidatesOf(text, this.#compiled.deniedNames);
    return written.some((path) => isReadable(path, 'path') && decide(path, 'path', this.#of('path')) === 'denied');
  }

  /** Denied if any form, shadow or other name is denied. Allowed if every form is allowed. */
  judge({ kind, forms, shadows, names = [] }: Judged): Verdict {
    if (this.#compiled.deniesAll) return 'denied';
    let areAllowed = forms.length > 0;
    for (const form of forms) {
      const verdict = this.#verdict(form, kind);
      if (verdict === 'denied') return 'denied';
      areAllowed &&= verdict === 'allowed';
    }
    for (const shadow of shadows) if (this.#verdict(shadow, 'path') === 'denied') return 'denied';
    for (const name of names) if (this.denies(name, 'name')) return 'denied';
    return areAllowed ? 'allowed' : 'unlisted';
  }

  #of(kind: 'path' | 'name'): KindLists {
    if (kind === 'path') return this.#compiled.ofPaths;
    return (this.#ofNames ??= this.#compiled.ofNames());
  }
}

function isReadable(text: string, kind: 'path' | 'name'): boolean {
  return formText(text, kind) !== undefined;
}

function decide(form: string, kind: 'path' | 'name', { deny, allow }: KindLists): Verdict {
  const text = formText(form, kind);
  if (text === undefined) return 'denied';
  const effort = new Effort(MAX_STEPS);
  if (deny.matches(text.collapsed, effort)) return 'denied';
  // Some file systems ignore invisible characters in names.
  const visible = withoutIgnorable(text.collapsed);
  if (visible !== text.collapsed && deny.matches(visible, effort)) return 'denied';
  const isAllowed = text.exact !== undefined && allow.matches(text.exact, effort);
  if (effort.isSpent) return 'denied';
  return isAllowed ? 'allowed' : 'unlisted';
}
