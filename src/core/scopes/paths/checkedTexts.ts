import { cleanLine } from '../../base/cleanText.ts';
import type { ComputedText, ScopeConcern } from './computed.ts';
import type { OpenFolders } from './openFolders.ts';
import { isChildMember, outwardOf, type Outward } from './pathKeys.ts';
import { looseReadingsOf, type Readings, TOO_MANY } from './pathReadings.ts';
import {
  absolute,
  type CheckedText,
  formsOf,
  type Meanings,
  meanings,
  MAX_MEANINGS,
  realsOf,
  existingOnly,
} from './pathTargets.ts';
import { DECEIVING, hasScheme, hasSigil, isUnreadable, type Unreadable, withoutIgnorable } from './pathText.ts';
import type { RealNames } from './realNames.ts';
import type { ReadingContext } from './respellings.ts';
import { isProse, isWord, type Own, partsOf } from './textParts.ts';

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
