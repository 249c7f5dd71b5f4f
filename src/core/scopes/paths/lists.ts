import { cleanLine } from '../../base/cleanText.ts';
import type { ScopeLists } from '../../model/scope.ts';
import type { ComputedTarget, ScopeConcern } from './computed.ts';
import { Effort, GlobList } from './glob.ts';
import { isDeceiving, isName, MAX_TEXT, withHost, withoutHost, withoutIgnorable } from './pathText.ts';
import { meaningOf, type PatternContext } from './patternMeaning.ts';

/** Recent results by text, up to a limit. Results that are used again stay. */
export class Recent<T> {
  readonly #most: number;
  #young = new Map<string, T>();
  #old = new Map<string, T>();

  /** May hold up to twice as many entries. */
  constructor(most: number) {
    this.#most = most;
  }

  get(text: string): T | undefined {
    const young = this.#young.get(text);
    if (young !== undefined) return young;
    const old = this.#old.get(text);
    if (old !== undefined) this.set(text, old);
    return old;
  }

  set(text: string, value: T): void {
    if (this.#young.size >= this.#most) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(text, value);
  }
}

/**
 * A form in the spelling that globs match. Both texts end with `/`: a pattern for a folder's content also covers the
 * folder.
 */
interface FormText {
  /** With repeated slashes collapsed to one. */
  readonly collapsed: string;
  /** With the host marker. `undefined` for an unusual spelling, which no rule may allow. */
  readonly exact: string | undefined;
}

/** Characters, dots and slashes that need the slow path. Most forms have none. */
const UNUSUAL = /[^ -[\]-~]|\/[./]|^\.|\/$/;
const DETOUR = /(?:^|\/)\.{1,2}(?:\/|$)/;
/** A host follows two slashes, at the start or after a scheme. */
const BEGINNING = /^(?:[^/]*:)?\/\/(?=[^/])/;

/**
 * Globs match texts in normal form: another spelling would escape its deny rule. `undefined` if the meaning is unknown:
 * such a text is denied.
 */
export function formText(form: string, kind: 'path' | 'name'): FormText | undefined {
  if (form === '' || form.length > MAX_TEXT) return undefined;
  if (!UNUSUAL.test(form)) return { collapsed: `${form}/`, exact: `${form}/` };
  if (form.includes('\\') || isDeceiving(form) || DETOUR.test(form)) return undefined;
  const isOdd = form.includes('//') && form.replace(BEGINNING, '').includes('//');
  if (isOdd && kind === 'path') return undefined;
  const text = `${form.replace(/\/+$/, '')}/`.normalize('NFC');
  return { collapsed: withoutHost(text), exact: isOdd ? undefined : withHost(text) };
}

/** For texts that are globs, as in `includePatterns`: such a text is denied if it is aimed at a denied name. */
const MAGIC = /[*?[]/;
const MAX_CANDIDATES = 64;

/**
 * The paths that a glob is aimed at, given the names in deny patterns: `s?crets/*` is aimed at `secrets`. A segment
 * that matches everything is aimed at nothing.
 */
export function candidatesOf(path: string, names: ReadonlySet<string>): readonly string[] {
  if (!MAGIC.test(path) || names.size === 0) return [];
  let found: readonly string[] = [''];
  let isChanged = path.includes('**');
  for (const [index, part] of path.split('/').entries()) {
    const fitting = part === '**' ? [] : namesLike(part, names);
    isChanged ||= fitting.length > 0;
    const ways = [...(part === '**' ? [undefined, part] : [part]), ...fitting];
    found = found
      .flatMap((start) => ways.map((way) => (way === undefined ? start : index === 0 ? way : `${start}/${way}`)))
      .slice(0, MAX_CANDIDATES);
  }
  return isChanged ? found.filter((other) => other !== path && other !== '') : [];
}

function namesLike(part: string, names: ReadonlySet<string>): readonly string[] {
  // Skips wildcards such as `.*` and `[a-z]*`, which aim at no specific name.
  if (!MAGIC.test(part) || !/[\p{L}\d]/u.test(part.replace(/\[[^\]]{2,}\]/g, ''))) return [];
  const found: string[] = [];
  for (const name of names) if (fits(part.toLowerCase(), name)) found.push(name);
  return found;
}

/** Greedy: retrying only the last `*` is enough. */
function fits(glob: string, name: string): boolean {
  const signs = signsOf(glob);
  let [at, in_, star, mark] = [0, 0, -1, 0];
  while (in_ < name.length) {
    const sign = signs[at];
    if (sign === '*') {
      star = at++;
      mark = in_;
    } else if (sign !== undefined && isSign(sign, name.charAt(in_))) {
      at++;
      in_++;
    } else if (star >= 0) {
      at = star + 1;
      in_ = ++mark;
    } else return false;
  }
  while (signs[at] === '*') at++;
  return at === signs.length;
}

function signsOf(glob: string): readonly string[] {
  return glob.match(/\[[!^]?\]?[^\]]*\]|[^]/g) ?? [];
}

function isSign(sign: string, letter: string): boolean {
  if (sign === '?') return true;
  if (!sign.startsWith('[') || sign.length < 3) return sign === letter;
  const isNot = /^\[[!^]/.test(sign);
  const letters = sign.slice(isNot ? 2 : 1, -1);
  let isIn = false;
  for (let index = 0; index < letters.length; index++) {
    const [from = '', dash, to = ''] = [letters[index], letters[index + 1], letters[index + 2]];
    if (dash === '-' && to !== '') {
      isIn ||= letter >= from && letter <= to;
      index += 2;
    } else isIn ||= from === letter;
  }
  return isIn !== isNot;
}

/** Literal names in patterns. */
export function plainNamesOf(globs: readonly string[]): ReadonlySet<string> {
  const parts = globs.flatMap((glob) => glob.split('/'));
  return new Set(parts.filter((part) => part.length > 1 && !/[*?[\]\\]/.test(part)).map((part) => part.toLowerCase()));
}

export type Verdict = 'denied' | 'allowed' | 'unlisted';

/** Maximum characters of all globs in a list. */
const MAX_GLOBS_TEXT = 4_000_000;
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
  let left = MAX_GLOBS_TEXT;
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
