import { type Effort, Glob } from './glob.ts';
import { GlobIndex } from './globIndex.ts';
import { allCases, isAscii, withoutAnyCase, withoutPlainCase } from './letterCase.ts';
import { withoutHost } from './segments.ts';

/** Globs that match the same spellings of a text. */
interface Part {
  readonly index: GlobIndex;
  /** Whether the globs ignore case. */
  readonly isAnyCase: boolean;
  readonly spellings: (text: string) => readonly string[];
}

const asItIs = (text: string): readonly string[] => [text];

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
      part(globsOf(classes), asItIs),
      part(globsOf(classes, true), asItIs, true),
    ]);
  }

  /** For texts with the host marker. Only equates spellings that the file system treats as the same. */
  static allowing(globs: readonly string[], ignoresCase: boolean): GlobList {
    if (!ignoresCase) return new GlobList([part(globsOf(globs), asItIs)]);
    const plain = globs.filter((glob) => !hasClass(glob));
    const classes = globs.filter(hasClass);
    return new GlobList([
      part(globsOf(plain.map(withoutPlainCase)), (text) => [withoutPlainCase(text)]),
      part(globsOf(classes), asItIs),
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
