import { Minimatch, type MinimatchOptions } from 'minimatch';
import { type GlobShape, globShapeOf } from './globShape.ts';
import { isAscii } from './letterCase.ts';

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
