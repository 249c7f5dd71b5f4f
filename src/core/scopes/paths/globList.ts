import { type Effort, Glob } from './glob.ts';
import { GlobIndex } from './globIndex.ts';
import { allCases, isAscii, withoutAnyCase, withoutPlainCase } from './letterCase.ts';
import { withoutHost } from './segments.ts';

/** Globs that are asked about the same spellings of a text. */
interface Part {
  readonly index: GlobIndex;
  /** Whether the globs themselves ignore case. */
  readonly isAnyCase: boolean;
  readonly spellings: (text: string) => readonly string[];
}

const asItIs = (text: string): readonly string[] => [text];

/** All globs of a list that are about one kind of target. */
export class GlobList {
  readonly #parts: readonly Part[];

  private constructor(parts: readonly (Part | undefined)[]) {
    this.#parts = parts.filter((part) => part !== undefined);
  }

  /**
   * For texts without hosts. Matches whatever the case, on any file system: what is denied under one name is denied
   * under all. Letters in `[]` keep theirs, since `[!A-Z]` is not about the same letters in another case; they count
   * both ways.
   */
  static denying(globs: readonly string[]): GlobList {
    const within = globs.map((glob) => belowOf(withoutHost(glob)));
    const plain = within.filter((glob) => !hasClass(glob));
    const classes = within.filter(hasClass);
    return new GlobList([
      part(globsOf(plain.flatMap(allCases)), allCases),
      part(globsOf(classes), asItIs),
      part(globsOf(classes, true), asItIs, true),
    ]);
  }

  /** For texts with hosts. Matches no more than the file system takes for the same. */
  static allowing(globs: readonly string[], ignoresCase: boolean): GlobList {
    if (!ignoresCase) return new GlobList([part(globsOf(globs), asItIs)]);
    const plain = globs.filter((glob) => !hasClass(glob));
    const classes = globs.filter(hasClass);
    return new GlobList([
      part(globsOf(plain.map(withoutPlainCase)), (text) => [withoutPlainCase(text)]),
      part(globsOf(classes), asItIs),
      // Of other letters it is not sure that every system folds them alike.
      part(globsOf(classes, true), (text) => (isAscii(text) ? [text] : []), true),
    ]);
  }

  /** Whether any matches; unknown if the effort is used up. */
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

/** What matches also everything below. */
function belowOf(glob: string): string {
  if (glob === '**' || glob.endsWith('/**')) return glob;
  return glob.endsWith('/') ? `${glob}**` : `${glob}/**`;
}

function globsOf(texts: readonly string[], isAnyCase = false): readonly Glob[] {
  return [...new Set(texts)].map((text) => new Glob(text, isAnyCase));
}
