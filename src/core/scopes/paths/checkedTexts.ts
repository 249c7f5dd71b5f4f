import { cleanLine } from '../../base/cleanText.ts';
import type { ComputedText, ScopeConcern } from './computed.ts';
import type { OpenFolders, RealNames } from './realNames.ts';
import { isChildMember, type Outward, outwardOf } from './pathKeys.ts';
import { looseReadingsOf, type ReadingContext, type Readings, TOO_MANY } from './pathReadings.ts';
import {
  absolute,
  type CheckedText,
  existingOnly,
  formsOf,
  MAX_MEANINGS,
  type Meanings,
  meanings,
  realsOf,
} from './pathTargets.ts';
import {
  DECEIVING,
  hasScheme,
  hasSigil,
  isUnreadable,
  MAX_TEXT,
  type Unreadable,
  withoutIgnorable,
} from './pathText.ts';

/** A part of a text that a program may treat as a path or a name. */
interface TextPart {
  readonly text: string;
  /** Whether a path can begin here, so that an absolute one must be allowed. Other parts can only deny. */
  readonly own: Own;
}

type Own = 'yes' | 'ifThere' | 'no';

const MAX_PARTS = 128;
/** Characters before a part: lists, `a=b`, `REV:path`, `{a,b}`, `user@host`, `!negated`. */
const STARTS = /[\s,;|=:<>("'`[{)\]}!?&#@+^]/g;
/** After these characters, a part may be a separate path. */
const OWN_STARTS = new Set([...' ,;|=:("\'`[{\t']);
const ENDS = /[\s,;|"'`<>]/;
/** Suffixes that programs cut off: a line, a fragment, a revision. */
const TAILS = ['@', '#', '?', '!', ':', '(', '=', '^', '&', '}', ')', ']', '..'];
/** An option with its value: `-I/usr/include`, `-Csecrets`. */
const GLUED = /^-{1,2}[A-Za-z](?=.)/;
const SCHEME_BEFORE = /(?:^|[\s,;|=<>("'`[])[a-z][a-z\d+-]*:$/i;
const LEADING = /^[-+!^@#&%$*:?.,;=]+(?=.)/;
/** Placeholders, aliases and repository roots: `{root}/x`, `@/x`, `:/x`, `workspace:///x`. */
const ROOTED = /(?:[}>)\]`%@]|(?<!\bhttps?|\bwss?):(?:\/\/)?)\/(?=[^/])|^[a-z][\w+-]*(?<!\bhttps?|\bwss?):\/{2,}/gi;
const MAX_UNESCAPINGS = 2;
/** Escapes in JSON and program code: `\u002f`, `\x2f`. */
const ESCAPED = /\\(?:u([\da-f]{4})|u\{([\da-f]{1,6})\}|x([\da-f]{2}))/gi;

/** The parts of a text without the text itself; `undefined` if there are too many to check. */
export function partsOf(text: string, unescapings = 0): readonly TextPart[] | undefined {
  const parts = new Parts(text);
  if (!parts.addUnescaped(unescapings)) return undefined;
  for (const found of text.matchAll(ROOTED)) parts.addFrom(found.index + found[0].length, 'no');
  // The start of a text leads outside only if the whole does. With `..`, the whole may lead back in.
  parts.addFrom(0, text.includes('..') ? 'yes' : 'no');
  for (const { index } of text.matchAll(STARTS)) {
    if (parts.found.size > MAX_PARTS) return undefined;
    // Also adds the whole rest, because names may contain spaces.
    if (index > 0 && text[index] !== ' ') parts.add(text.slice(index + 1).trim(), 'no');
    parts.addFrom(index + 1, ownAfter(text, index));
  }
  for (const strip of [GLUED, LEADING]) {
    const start = strip.exec(text)?.[0].length ?? 0;
    if (start > 0) parts.addFrom(start, strip === GLUED ? 'yes' : 'ifThere');
  }
  return parts.found.size > MAX_PARTS ? undefined : [...parts.found].map(([part, own]) => ({ text: part, own }));
}

function unescaped(text: string): string {
  return text.replace(ESCAPED, (whole, ...codes: (string | undefined)[]) => {
    const code = Number.parseInt(codes.slice(0, 3).find((digits) => digits !== undefined) ?? '', 16);
    return code > 0 && code <= 0x10_ff_ff ? String.fromCodePoint(code) : whole;
  });
}

/** A path after a scheme without a host (`sqlite:////x`). A `file:` URI is read as a whole. */
function isPathOfScheme(text: string, start: number): boolean {
  const before = text.slice(0, start);
  return /^\/{3}/.test(text.slice(start)) && SCHEME_BEFORE.test(before) && !/\b(?:file|vscode-remote):$/i.test(before);
}

function ownAfter(text: string, index: number): Own {
  // A closing tag, or a redirected file.
  if (text[index] === '<') return 'ifThere';
  // Between spaces, `/` is a division.
  if (text[index] === ' ' && /^\/\s/.test(text.slice(index + 1))) return 'no';
  if (text[index] === ':' && isPathOfScheme(text, index + 1)) return 'ifThere';
  const isDrive = text[index] === ':' && /(?:^|[^A-Za-z])[A-Za-z]$/.test(text.slice(0, index));
  return !isDrive && OWN_STARTS.has(text[index] ?? '') ? 'yes' : 'no';
}

class Parts {
  readonly found = new Map<string, Own>();
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  add(part: string, own: Own): void {
    if (part === '' || part === this.#text || !/[^\d.]/.test(part)) return;
    if (own !== 'no' || !this.found.has(part)) this.found.set(part, own);
  }

  /** Returns false if there are too many parts. */
  addUnescaped(before: number): boolean {
    const plain = unescaped(this.#text);
    if (plain === this.#text || before >= MAX_UNESCAPINGS) return true;
    this.add(plain, 'yes');
    const inside = partsOf(plain, before + 1);
    for (const { text, own } of inside ?? []) this.add(text, own);
    return inside !== undefined;
  }

  addFrom(start: number, own: Own): void {
    const rest = this.#text.slice(start);
    const end = rest.search(ENDS);
    const part = end < 0 ? rest : rest.slice(0, end);
    // The text after the colon of a scheme belongs to the scheme.
    const isAuthority =
      part.startsWith('//') && SCHEME_BEFORE.test(this.#text.slice(0, start)) && !isPathOfScheme(this.#text, start);
    const canBe = isAuthority ? 'no' : own;
    this.add(part, canBe);
    for (const tail of TAILS) {
      const at = part.indexOf(tail, 1);
      if (at > 0) this.add(part.slice(0, at), tail === '..' ? 'no' : canBe);
    }
  }
}

const PATH_LIKE = /[\\/]|%(?:25)*(?:2f|5c)|^\.|\w\.\w|^(?:[#@\uFF03\uFF20]|%23|%40)\w/i;
const MAX_WORDS = 2;

/** Prose has more plain words than path-like ones. A list of paths has few or none. */
export function isProse(text: string, isSaid: boolean): boolean {
  if (!/\s/.test(text)) return false;
  const words = text.split(/\s+/).filter((word) => word !== '');
  const plain = words.filter((word) => !PATH_LIKE.test(word.replace(/[.!?:,;)]+$/, '')));
  // Members for prose need only one plain word.
  return isSaid ? plain.length > 0 : plain.length > MAX_WORDS && plain.length * 2 > words.length;
}

/** The text as one line, or `undefined` if it is too long or has several lines. */
export function lineOf(text: string): string | undefined {
  if (text.length > MAX_TEXT * 2) return undefined;
  const line = text.trim().replaceAll('\t', ' ');
  return line === '' || line.length > MAX_TEXT || /[\r\n\v\f\u0085\u2028\u2029]/.test(line) ? undefined : line;
}

/** Numbers, times and flags are not names. */
const VALUE = /^(?:[\d.,:+\-TZ/]+|true|false|null|none|yes|no)$/i;

/** A single word that may name a channel, a person or a file. */
export function isWord(text: string): boolean {
  return !/\s/.test(text) && !VALUE.test(text);
}

/** The context in which texts are read. */
export interface CheckContext {
  readonly context: ReadingContext;
  readonly concern: ScopeConcern;
  readonly bases: readonly string[];
  /** Files and folders that the request names elsewhere. Items in them are possible targets, but unlikely ones. */
  readonly neighbours: readonly string[];
}

/** A text that may name something, with all its readings, before any file system lookup. */
export interface ReadCheck {
  readonly from: string;
  readonly text: string;
  readonly readings: Readings;
  readonly likely: Meanings;
  readonly unlikely: Meanings;
  readonly outward: Outward | undefined;
  /** Paths to look up in the file system. */
  readonly asked: readonly string[];
  readonly isWord: boolean;
  /** For a part: the paths of the whole text. */
  readonly whole: readonly string[];
}

/** A text and its parts. Ends with `undefined` if there are too many parts to check. */
export function readChecked(
  { from, text, isProse: isSaid, isMember = false }: CheckedText,
  check: CheckContext,
): readonly (ReadCheck | undefined)[] | Unreadable {
  const isSentence = isProse(text, isSaid);
  const whole = readOne(from, text, { own: isWebUrl(text) ? 'no' : 'yes', mayBeHidden: isSentence, whole: [] }, check);
  if (isUnreadable(whole)) return whole;
  // A member name only describes the request.
  const read = isMember ? { ...whole, isWord: false } : whole;
  if (isSentence) return [read];
  return readParts(from, text, [], check, [read]);
}

/** The parts of a text that is itself a target. */
export function readPartsOf(
  from: string,
  text: string,
  check: CheckContext,
): readonly (ReadCheck | undefined)[] | Unreadable {
  const { style } = check.context;
  const whole = absolute(style.slashed(text), style, check.bases).map((path) => style.normal(path));
  return readParts(from, text, whole, check, []);
}

function readParts(
  from: string,
  text: string,
  whole: readonly string[],
  check: CheckContext,
  before: readonly ReadCheck[],
): readonly (ReadCheck | undefined)[] | Unreadable {
  const parts = partsOf(text);
  const read: (ReadCheck | undefined)[] = [...before];
  for (const { text: part, own } of parts ?? []) {
    const how: HowToRead = { own: isWebUrl(text) ? 'no' : own, mayBeHidden: true, whole };
    if (!check.concern.denies && outwardOf(part) === undefined) continue;
    const one = readOne(from, part, how, check);
    if (isUnreadable(one)) return one;
    read.push(asPart(one, own));
  }
  return parts === undefined ? [...read, undefined] : read;
}

/** A web URL has its own root, so its `..` and absolute paths are not local. */
function isWebUrl(text: string): boolean {
  return hasScheme(text) && /^[^:]*:\/\/(?!\/)/.test(text);
}

interface HowToRead {
  readonly own: Own;
  /** A sentence, or a part of a text that is fine as a whole: invisible characters are ignored. */
  readonly mayBeHidden: boolean;
  readonly whole: readonly string[];
}

/** A part does not count as a word of the request. The sign must match: "@a" is not the channel "#a". */
function asPart(part: ReadCheck, own: Own): ReadCheck {
  const { readings, text } = part;
  const names = own === 'yes' || hasSigil(text) ? readings.names : readings.names.filter((name) => !hasSigil(name));
  return { ...part, readings: { ...readings, names }, isWord: false };
}

function readOne(
  from: string,
  text: string,
  how: HowToRead,
  { context, concern, bases, neighbours }: CheckContext,
): ReadCheck | Unreadable {
  const { style } = context;
  const loose = looseReadingsOf(text, context);
  const { trouble } = loose;
  if (trouble === TOO_MANY) return trouble;
  if (trouble === DECEIVING) {
    if (!how.mayBeHidden && MAY_BE_NAME.test(withoutIgnorable(text))) return trouble;
    const visible = withoutIgnorable(text).replace(/\p{Cc}/gu, '');
    return visible === text ? EMPTY(from, text) : readOne(from, visible, how, { context, concern, bases, neighbours });
  }
  const { readings } = loose;
  const outward = how.own === 'no' ? undefined : (unknownOf(text, trouble) ?? oddIfExisting(outwardOf(text), how.own));
  const resolve = (texts: readonly string[]): readonly string[] =>
    texts
      .flatMap((path) => absolute(path, style, bases))
      .filter((path) => style.trouble(style.normal(path)) === undefined);
  const children = isChildMember(from) ? neighbours : [];
  const below = readings.texts
    .filter((path) => !style.isAbsolute(path))
    .flatMap((path) => children.map((base) => style.from(base, path)));
  const isLooked = concern.denies || outward !== undefined;
  const likely = isLooked ? meanings(resolve([...readings.texts, ...readings.possible]), style) : NO_MEANINGS;
  const unlikely = concern.denies ? meanings([...resolve(readings.unlikely), ...below], style) : NO_MEANINGS;
  if (likely.asked.length + unlikely.asked.length > MAX_MEANINGS) return TOO_MANY;
  const first = outward?.kind === 'absolute' ? [style.from('', style.slashed(outward.first))] : [];
  const asked = [...likely.asked, ...unlikely.asked, ...first.filter((path) => style.isAbsolute(path))];
  return { from, text, readings, likely, unlikely, outward, asked, isWord: isWord(text), whole: how.whole };
}

/** A separator, a file extension, or the sign of a name. */
const MAY_BE_NAME = /[\\/#@%:]|\w\.\w|^\.|^\S+$/;
const NO_MEANINGS: Meanings = { resolved: [], asked: [] };

function EMPTY(from: string, text: string): ReadCheck {
  const readings: Readings = { kind: 'name', texts: [], possible: [], unlikely: [], names: [] };
  const none = { likely: NO_MEANINGS, unlikely: NO_MEANINGS, outward: undefined, asked: [], isWord: false, whole: [] };
  return { from, text, readings, ...none };
}

function oddIfExisting(outward: Outward | undefined, own: Own): Outward | undefined {
  return outward?.kind === 'absolute' && own === 'ifThere' ? { ...outward, isOdd: true } : outward;
}

/** How an unreadable text leads outside, if its start looks like a path. */
function unknownOf(text: string, trouble: Unreadable | undefined): Outward | undefined {
  if (trouble === undefined) return undefined;
  return /^(?:~[\w.+-]*[\\/]|[\\/]*[$%][^\s\\/]+[\\/]|%(?:25)+)/.test(text) ? { kind: 'unknown' } : undefined;
}

/** The targets of a text, after the file system lookups. */
export function foundCheck(
  { from, text, readings, likely, unlikely, outward, isWord: isOneWord }: ReadCheck,
  names: RealNames,
  folders: OpenFolders,
  concern: ScopeConcern,
): ComputedText {
  const reals = realsOf(likely, names);
  const forms = formsOf(likely, reals);
  const shadows = formsOf(unlikely, realsOf(unlikely, names)).filter((path) => !forms.includes(path));
  const [real = text] = reals.filter((path) => folders.inside(path) === undefined);
  const written = cleanLine(text, MAX_WRITTEN);
  const common = { from, written, names: readings.names, isAnchor: false };
  if (outward !== undefined && leadsOut(outward, names, concern)) {
    const inside = folders.inside(real);
    const target = { ...common, kind: 'path', real, inside, forms, reals, shadows } as const;
    return { target, outward: outward.kind === 'unknown' ? 'unknown' : 'known', isWord: isOneWord };
  }
  const all = [...forms, ...shadows];
  // Read as a path, it may be the file that a label names.
  const others = { real: written, inside: undefined, forms: readings.names.slice(0, 1), reals, shadows: all };
  return { target: { ...common, kind: 'name', ...others }, outward: undefined, isWord: isOneWord };
}

const MAX_WRITTEN = 512;

function leadsOut(outward: Outward, names: RealNames, { ofFiles }: ScopeConcern): boolean {
  if (outward.kind !== 'absolute' || (ofFiles && !outward.isOdd)) return true;
  const first = names.of(outward.first);
  return first.kind === 'unknown' || first.exists;
}

/** Whether a file with the name of the whole text exists. */
export function isWholeThere({ whole }: ReadCheck, names: RealNames): boolean {
  return existingOnly({ asked: whole, resolved: [] }, names).asked.length > 0;
}
