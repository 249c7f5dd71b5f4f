import { Minimatch, type MinimatchOptions } from 'minimatch';
import { withoutHost } from './pathText.ts';

const ASCII = /^[\0-\x7F]*$/;

export function isAscii(text: string): boolean {
  return ASCII.test(text);
}

/**
 * The forms of a text without case, on any file system. Two texts that some system treats as equal share at least one
 * form.
 */
export function allCases(text: string): readonly string[] {
  if (isAscii(text)) return [text.toLowerCase()];
  const short = eachLetter(text, withoutCase);
  const long = withoutAnyCase(text).normalize('NFC');
  return short === long ? [short] : [short, long];
}

/** Gives the same form to characters that a case-insensitive regular expression treats as equal. */
export function withoutAnyCase(text: string): string {
  return isAscii(text) ? text.toLowerCase() : eachLetter(text, withoutLength);
}

/** Folds only spellings that every case-insensitive system treats as equal: letters with exactly one other case. */
export function withoutPlainCase(text: string): string {
  if (isAscii(text)) return text.toLowerCase();
  return eachLetter(text, (letter) => {
    const lower = letter.toLowerCase();
    return lower.toUpperCase() === letter ? lower : letter;
  });
}

/** Converts letter by letter, because the lower case of sigma depends on its position in the word. */
function eachLetter(text: string, change: (letter: string) => string): string {
  let changed = '';
  for (const letter of text) changed += change(letter);
  return changed;
}

/** Keeps the number of letters, so that `?` still matches. */
function withoutCase(letter: string): string {
  return ifSingleLetter(ifSingleLetter(letter.toUpperCase(), letter).toLowerCase(), letter);
}

function ifSingleLetter(letter: string, other: string): string {
  return [...letter].length === 1 ? letter : other;
}

/** Some systems equate a letter with the two letters of its other case: `ß` with `SS`. */
function withoutLength(letter: string): string {
  return eachLetter(letter.toLowerCase().toUpperCase(), (upper) => upper.toLowerCase());
}

/** Facts about a glob that need no matching: the required parts of a text, and the cost of a match. */
interface GlobShape {
  /** The prefix of every matching text. */
  readonly head: string;
  /** The suffix of every matching text, including the final `/`. */
  readonly tail: string;
  /** A substring of every matching text. */
  readonly probe: string;
  /** Steps that every match costs, however short the text. */
  readonly base: number;
  /** Maximum additional steps per character of the text, if case matters. */
  readonly weight: number;
}

/** Longer probes reject hardly more texts, and searching for them may take as long as matching. */
const MAX_PROBE = 32;
/** Cost of testing a character class, relative to comparing a letter. */
const CLASS = 16;
/** Cost of compiling a glob for its first text, and of starting a match. */
const START = 2_000;
/** Compile cost per character of a glob, and once more per class. */
const READING = 32;

interface Segment {
  readonly kind: 'plain' | 'magic' | 'any';
  /** Literal text at the start and the end. */
  readonly prefix: string;
  readonly suffix: string;
  /** The longest literal text in the segment. */
  readonly run: string;
  /** Steps per character of a text, because `*` retries at every position. */
  readonly weight: number;
}

/** For a glob without braces, and texts that end with `/`. With `isAnyCase`, both are compared without case. */
export function globShapeOf(glob: string, isAnyCase: boolean): GlobShape {
  const segments = (glob === '/' ? '' : glob).split('/').map(segmentOf);
  const classes = glob.split('[').length;
  const first = segments.findIndex(({ kind }) => kind === 'any');
  const last = segments.findLastIndex(({ kind }) => kind === 'any');
  const inner = first < 0 ? [] : segments.slice(first, last).filter(({ kind }) => kind !== 'any');
  const outer = first < 0 ? segments : [...segments.slice(0, first), ...segments.slice(last + 1)];
  // Between two `**` each segment may be tried at every position. Other segments have a single position.
  const weight =
    inner.reduce((sum, segment) => sum + 1 + segment.weight, 0) +
    Math.max(0, ...outer.map((outside) => outside.weight));
  const fold = isAnyCase ? withoutAnyCase : asItIs;
  return {
    head: fold(headOf(segments)),
    tail: fold(tailOf(segments)),
    probe: fold(probeOf(segments)),
    base: START + READING * glob.length * classes * (isAnyCase ? CLASS : 1),
    weight: 1 + weight,
  };
}

function asItIs(text: string): string {
  return text;
}

const SIGNS = ['*', '?', '[', ']', '\\'];
const SIGN = /[*?[\]\\]/;
const PREFIX = /^(?:[^*?[\]\\]|\\.)*/s;
const RUN = /(?:[^*?[\]\\]|\\.)+/gs;

const ANY: Segment = { kind: 'any', prefix: '', suffix: '', run: '', weight: 0 };
const ONE: Segment = { kind: 'magic', prefix: '', suffix: '', run: '', weight: 1 };

function segmentOf(text: string): Segment {
  if (text === '**') return ANY;
  if (text === '*') return ONE;
  if (!SIGN.test(text)) return plainSegment(text);
  const prefix = PREFIX.exec(text)?.[0] ?? '';
  if (prefix === text) return plainSegment(bare(text));
  const suffix = text.slice(Math.max(...SIGNS.map((sign) => text.lastIndexOf(sign))) + 1);
  // Literal-looking text may be part of a class.
  const runs = text.includes('[') ? [suffix] : [...text.matchAll(RUN)].map(([run]) => bare(run));
  const run = runs.reduce((longest, other) => (other.length > longest.length ? other : longest), suffix);
  return { kind: 'magic', prefix: bare(prefix), suffix, run, weight: weightOf(text, suffix) };
}

function plainSegment(text: string): Segment {
  return { kind: 'plain', prefix: text, suffix: text, run: text, weight: 0 };
}

function weightOf(text: string, suffix: string): number {
  const [, ...parts] = text.slice(0, text.length - suffix.length).split('*');
  const once = text.includes('[') ? CLASS : 1;
  return Math.max(once, ...parts.map((part) => part.length + CLASS * (part.split('[').length - 1)));
}

function bare(text: string): string {
  return text.replace(/\\(.)/gs, '$1');
}

function headOf(segments: readonly Segment[]): string {
  const end = segments.findIndex(({ kind }) => kind !== 'plain');
  const plain = (end < 0 ? segments : segments.slice(0, end)).map(({ prefix }) => `${prefix}/`).join('');
  return end < 0 ? plain : plain + (segments[end]?.prefix ?? '');
}

function tailOf(segments: readonly Segment[]): string {
  return `${segments.at(-1)?.suffix ?? ''}/`;
}

function probeOf(segments: readonly Segment[]): string {
  const probes = segments.map(({ kind, suffix, run }) => {
    const ending = kind === 'any' ? '' : `${suffix}/`;
    return run.length > suffix.length ? run : ending;
  });
  return probes.reduce((longest, other) => (other.length > longest.length ? other : longest), '').slice(-MAX_PROBE);
}

const OPTIONS: MinimatchOptions = {
  // Wildcards match names that begin with a dot.
  dot: true,
  // Disables glob extensions: `#general`, `!important` and `+(a)` are plain names here.
  nocomment: true,
  nonegate: true,
  noext: true,
  // Braces are expanded already.
  nobrace: true,
  // On every platform, because `\` separators are already replaced by `/`.
  platform: 'linux',
  // Above the number of segments in a pattern. Beyond this limit, minimatch reports no match.
  maxGlobstarRecursion: 1_024,
};

/** The step budget of one decision. A text that exceeds it is denied without matching further. */
export class Effort {
  #left: number;

  constructor(steps: number) {
    this.#left = steps;
  }

  get isSpent(): boolean {
    return this.#left < 0;
  }

  /** Spends steps. Returns whether the budget covered them. */
  spend(steps: number): boolean {
    this.#left -= steps;
    return this.#left >= 0;
  }
}

/**
 * One glob. A fast check for required parts runs first; it can only reject, and only minimatch accepts. Texts have no
 * empty segments, and end with `/`.
 */
export class Glob {
  readonly shape: GlobShape;
  readonly #text: string;
  readonly #isAnyCase: boolean;
  /** The character before the last slash, where most texts differ. */
  readonly #tailSign: number;
  readonly #probe: string;
  #matcher: Minimatch | undefined;

  constructor(text: string, isAnyCase: boolean) {
    this.#text = text;
    this.#isAnyCase = isAnyCase;
    this.shape = globShapeOf(text, isAnyCase);
    const { head, tail, probe } = this.shape;
    this.#tailSign = tail.charCodeAt(tail.length - 2);
    this.#probe = head.includes(probe) || tail.includes(probe) ? '' : probe;
  }

  /** Whether a text with the right start also contains the other required parts. */
  mayMatch(text: string): boolean {
    const { tail } = this.shape;
    if (tail.length > 1 && (text.charCodeAt(text.length - 2) !== this.#tailSign || !text.endsWith(tail))) return false;
    return this.#probe === '' || text.includes(this.#probe);
  }

  matches(text: string, effort: Effort): boolean {
    const { base, weight } = this.shape;
    if (!effort.spend(base + weight * text.length * this.#costOfLetter(text))) return false;
    // Compiled on first use, because most globs of a long list are never matched.
    this.#matcher ??= new Minimatch(this.#text, { ...OPTIONS, nocase: this.#isAnyCase });
    return this.#matcher.match(text);
  }

  /** Ignoring case makes each letter more expensive: a table lookup, or a regular expression. */
  #costOfLetter(text: string): number {
    if (!this.#isAnyCase) return 1;
    return isAscii(text) ? 4 : 16;
  }
}

/** A node in the prefix tree. The path to it is the common prefix of its globs. */
interface Node {
  /** The prefix added by this node. */
  readonly stem: string;
  readonly globs: readonly Glob[];
  /** By their first character. */
  readonly next: ReadonlyMap<number, Node>;
}

/** A combined expression for more globs costs more than it saves. */
const MAX_IN_SIEVE = 64;

/** Selects the globs that could match a text: by their prefix, and the others by their required parts. */
export class GlobIndex {
  readonly #byHead: Node;
  readonly #others: readonly Glob[];
  /** Matches every text that a glob without a prefix could match. */
  readonly #sieve: RegExp | undefined;

  constructor(globs: readonly Glob[]) {
    const headed = globs.filter(({ shape }) => shape.head !== '');
    headed.sort((a, b) => (a.shape.head < b.shape.head ? -1 : 1));
    this.#byHead = nodeOf(headed, 0, 0);
    this.#others = globs.filter(({ shape }) => shape.head === '');
    this.#sieve = sieveOf(this.#others);
  }

  /**
   * Whether any glob matches. Meaningless once the effort is spent. Required parts are searched in `seen`, which is
   * `text` without case if the globs ignore case.
   */
  matches(text: string, effort: Effort, seen: string = text): boolean {
    let node: Node | undefined = this.#byHead;
    for (let at = 0; node !== undefined && seen.startsWith(node.stem, at); node = node.next.get(seen.charCodeAt(at))) {
      at += node.stem.length;
      if (anyMatches(node.globs, text, effort, seen)) return true;
    }
    return this.#sieve?.test(seen) !== false && anyMatches(this.#others, text, effort, seen);
  }
}

function anyMatches(globs: readonly Glob[], text: string, effort: Effort, seen: string): boolean {
  for (const glob of globs) {
    if (!glob.mayMatch(seen)) continue;
    if (glob.matches(text, effort)) return true;
    // Even scanning the remaining globs may take long.
    if (effort.isSpent) return false;
  }
  return false;
}

/** Builds a node from sorted globs that share their first `start` characters. */
function nodeOf(globs: readonly Glob[], from: number, start: number): Node {
  const first = globs[0]?.shape.head ?? '';
  const last = globs.at(-1)?.shape.head ?? '';
  let end = start;
  while (end < first.length && first.charCodeAt(end) === last.charCodeAt(end)) end++;
  const bySign = new Map<number, Glob[]>();
  for (const glob of globs) {
    const { head } = glob.shape;
    if (head.length <= end) continue;
    const alike = bySign.get(head.charCodeAt(end));
    if (alike === undefined) bySign.set(head.charCodeAt(end), [glob]);
    else alike.push(glob);
  }
  const next = new Map([...bySign].map(([sign, alike]) => [sign, nodeOf(alike, end, end + 1)]));
  return { stem: first.slice(from, end), globs: globs.filter(({ shape }) => shape.head.length === end), next };
}

function sieveOf(globs: readonly Glob[]): RegExp | undefined {
  const literals = globs.map(({ shape }) => (shape.tail.length > shape.probe.length ? shape.tail : shape.probe));
  if (literals.length === 0 || literals.length > MAX_IN_SIEVE || literals.includes('')) return undefined;
  return new RegExp([...new Set(literals)].map((literal) => literal.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&')).join('|'));
}

/** Globs that match the same spellings of a text. */
interface Part {
  readonly index: GlobIndex;
  /** Whether the globs ignore case. */
  readonly isAnyCase: boolean;
  readonly spellings: (text: string) => readonly string[];
}

const onlyItself = (text: string): readonly string[] => [text];

/** All globs of a list for one kind of target. */
export class GlobList {
  readonly #parts: readonly Part[];

  private constructor(parts: readonly (Part | undefined)[]) {
    this.#parts = parts.filter((part) => part !== undefined);
  }

  /**
   * For texts without the host marker. Ignores case on any file system: a deny rule applies to every spelling of a
   * name. Globs with `[]` also match with their own case, since `[!A-Z]` means something else in the other case.
   */
  static denying(globs: readonly string[]): GlobList {
    const within = globs.map((glob) => belowOf(withoutHost(glob)));
    const plain = within.filter((glob) => !hasClass(glob));
    const classes = within.filter(hasClass);
    return new GlobList([
      part(globsOf(plain.flatMap(allCases)), allCases),
      part(globsOf(classes), onlyItself),
      part(globsOf(classes, true), onlyItself, true),
    ]);
  }

  /** For texts with the host marker. Only equates spellings that the file system treats as the same. */
  static allowing(globs: readonly string[], ignoresCase: boolean): GlobList {
    if (!ignoresCase) return new GlobList([part(globsOf(globs), onlyItself)]);
    const plain = globs.filter((glob) => !hasClass(glob));
    const classes = globs.filter(hasClass);
    return new GlobList([
      part(globsOf(plain.map(withoutPlainCase)), (text) => [withoutPlainCase(text)]),
      part(globsOf(classes), onlyItself),
      // ASCII only: systems differ in folding other letters.
      part(globsOf(classes, true), (text) => (isAscii(text) ? [text] : []), true),
    ]);
  }

  /** Whether any glob matches. Meaningless once the effort is spent. */
  matches(text: string, effort: Effort): boolean {
    for (const { index, isAnyCase, spellings } of this.#parts)
      for (const spelling of spellings(text))
        if (index.matches(spelling, effort, isAnyCase ? withoutAnyCase(spelling) : spelling)) return true;
    return false;
  }
}

function part(globs: readonly Glob[], spellings: Part['spellings'], isAnyCase = false): Part | undefined {
  return globs.length === 0 ? undefined : { index: new GlobIndex(globs), isAnyCase, spellings };
}

function hasClass(glob: string): boolean {
  return /(?<!\\)\[/.test(glob);
}

/** Extends a glob to everything below its matches. */
function belowOf(glob: string): string {
  if (glob === '**' || glob.endsWith('/**')) return glob;
  return glob.endsWith('/') ? `${glob}**` : `${glob}/**`;
}

function globsOf(texts: readonly string[], isAnyCase = false): readonly Glob[] {
  return [...new Set(texts)].map((text) => new Glob(text, isAnyCase));
}
