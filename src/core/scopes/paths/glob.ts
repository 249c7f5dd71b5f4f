import { Minimatch, type MinimatchOptions } from 'minimatch';
import { type GlobShape, shapeOf } from './globShape.ts';
import { isAscii } from './letterCase.ts';

const OPTIONS: MinimatchOptions = {
  // A name that begins with a dot is a name.
  dot: true,
  // `#general` and `!important` are names too, and `+(a)` is one: shells that read more into them are not asked.
  nocomment: true,
  nonegate: true,
  noext: true,
  // They have been written out before.
  nobrace: true,
  // On every platform: `\` is already `/` if it is a separator, and matched texts contain no other.
  platform: 'linux',
  // A pattern has fewer parts than this; with more of them than the limit, minimatch says no for safety.
  maxGlobstarRecursion: 1_024,
};

/** What one decision may still cost. A text that would take more is not matched to its end, and is denied. */
export class Effort {
  #left: number;

  constructor(steps: number) {
    this.#left = steps;
  }

  get isSpent(): boolean {
    return this.#left < 0;
  }

  /** Whether there is so much left. */
  spend(steps: number): boolean {
    this.#left -= steps;
    return this.#left >= 0;
  }
}

/**
 * One glob. A fast check for required parts comes first; it can only reject, and only minimatch accepts. Texts have
 * no empty parts within, and end with `/`.
 */
export class Glob {
  readonly shape: GlobShape;
  readonly #text: string;
  readonly #isAnyCase: boolean;
  /** The sign before the last slash: most texts differ there already. */
  readonly #tailSign: number;
  readonly #probe: string;
  #matcher: Minimatch | undefined;

  constructor(text: string, isAnyCase: boolean) {
    this.#text = text;
    this.#isAnyCase = isAnyCase;
    this.shape = shapeOf(text, isAnyCase);
    const { head, tail, probe } = this.shape;
    this.#tailSign = tail.charCodeAt(tail.length - 2);
    this.#probe = head.includes(probe) || tail.includes(probe) ? '' : probe;
  }

  /** Whether a text that begins as it must also has the rest of what it must have. */
  mayMatch(text: string): boolean {
    const { tail } = this.shape;
    if (tail.length > 1 && (text.charCodeAt(text.length - 2) !== this.#tailSign || !text.endsWith(tail))) return false;
    return this.#probe === '' || text.includes(this.#probe);
  }

  matches(text: string, effort: Effort): boolean {
    const { base, weight } = this.shape;
    if (!effort.spend(base + weight * text.length * this.#costOfLetter(text))) return false;
    // Most globs of a long list are never asked.
    this.#matcher ??= new Minimatch(this.#text, { ...OPTIONS, nocase: this.#isAnyCase });
    return this.#matcher.match(text);
  }

  /** Letters in any case are looked up in a table, or else tested by an expression each. */
  #costOfLetter(text: string): number {
    if (!this.#isAnyCase) return 1;
    return isAscii(text) ? 4 : 16;
  }
}
