import { type Effort, Glob } from './glob.ts';
import { withoutCase, withoutCaseOrLength, withoutPlainCase } from './letterCase.ts';
import { withHost, withoutHost } from './segments.ts';

/** Globs that are asked about the same spellings of a text. */
interface Part {
  readonly globs: readonly Glob[];
  readonly spellings: (text: string) => readonly string[];
}

/** All globs of a list that are about one kind of target; each text ends with `/`. */
export class GlobList {
  readonly #parts: readonly Part[];

  private constructor(parts: readonly Part[]) {
    this.#parts = parts.filter(({ globs }) => globs.length > 0);
  }

  /**
   * Matches whatever the case, on any file system: what is denied under one name is denied under all. Letters in `[]`
   * keep theirs, since `[!A-Z]` is not about the same letters in another case; they count both ways.
   */
  static denying(globs: readonly string[]): GlobList {
    const within = globs.map((glob) => belowOf(withoutHost(glob)));
    const plain = within.filter((glob) => !hasClass(glob));
    const classes = within.filter(hasClass);
    return new GlobList([
      { globs: globsOf(plain.flatMap(allCases)), spellings: (text) => allCases(withoutHost(text)) },
      { globs: [...globsOf(classes), ...globsOf(classes, true)], spellings: (text) => [withoutHost(text)] },
    ]);
  }

  /** Matches no more than the file system takes for the same. */
  static allowing(globs: readonly string[], ignoresCase: boolean): GlobList {
    if (!ignoresCase) return new GlobList([{ globs: globsOf(globs), spellings: (text) => [withHost(text)] }]);
    const plain = globs.filter((glob) => !hasClass(glob));
    const classes = globs.filter(hasClass);
    return new GlobList([
      { globs: globsOf(plain.map(withoutPlainCase)), spellings: (text) => [withoutPlainCase(withHost(text))] },
      { globs: globsOf(classes), spellings: (text) => [withHost(text)] },
      { globs: globsOf(classes, true), spellings: (text) => (ASCII.test(text) ? [withHost(text)] : []) },
    ]);
  }

  /** Whether any matches. Where the effort is spent, nobody knows. */
  matches(text: string, effort: Effort): boolean {
    for (const { globs, spellings } of this.#parts)
      for (const spelling of spellings(text))
        for (const glob of globs) if (glob.mayMatch(spelling) && glob.matches(spelling, effort)) return true;
    return false;
  }
}

/** Of other letters it is not sure that every system folds them alike. */
const ASCII = /^[\0-\x7F]*$/;

function hasClass(glob: string): boolean {
  return /(?<!\\)\[/.test(glob);
}

/** What matches also everything below. */
function belowOf(glob: string): string {
  if (glob === '**' || glob.endsWith('/**')) return glob;
  return glob.endsWith('/') ? `${glob}**` : `${glob}/**`;
}

function allCases(text: string): readonly string[] {
  const short = withoutCase(text);
  if (ASCII.test(short)) return [short];
  const long = withoutCaseOrLength(text);
  return long === short ? [short] : [short, long];
}

function globsOf(texts: readonly string[], isAnyCase = false): readonly Glob[] {
  return [...new Set(texts)].map((text) => new Glob(text, isAnyCase));
}
