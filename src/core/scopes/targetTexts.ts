import { cleanLine } from '../base/cleanText.ts';
import type { NamedText } from './pathTargets.ts';
import type { Unreadable } from './pathText.ts';

/** Of one request, the label included. */
export const MOST_TARGETS = 64;
export const TOO_MANY_TARGETS: Unreadable = { why: `It names more than ${MOST_TARGETS} things.` };

const DEEPEST = 32;
const MOST_VALUES = 20_000;
const LONGEST_FROM = 256;

/** Collects the texts that name something, out of values of any size and depth. */
export class TargetTexts {
  readonly #texts: NamedText[] = [];
  readonly #most: number;
  #values = 0;
  #trouble: Unreadable | undefined;

  constructor(most: number = MOST_TARGETS) {
    this.#most = most;
  }

  /** A JSON Pointer to a member; for people, so that it is bounded and can be shown. */
  static at(from: string, key: string): string {
    if (from.length >= LONGEST_FROM) return from;
    return cleanLine(`${from}/${key.slice(0, LONGEST_FROM).replaceAll('~', '~0').replaceAll('/', '~1')}`, LONGEST_FROM);
  }

  get found(): readonly NamedText[] | Unreadable {
    return this.#trouble ?? this.#texts;
  }

  add(from: string, text: string): void {
    if (this.#texts.length >= this.#most) this.#trouble = TOO_MANY_TARGETS;
    else this.#texts.push({ from, text });
  }

  refuse(why: string): void {
    this.#trouble ??= { why };
  }

  /** Counts a value; says whether it is to be looked at. */
  mayGoOn(depth: number): boolean {
    if (this.#trouble !== undefined) return false;
    if (depth > DEEPEST || ++this.#values > MOST_VALUES) this.refuse('It is too large to be looked through.');
    return this.#trouble === undefined;
  }
}
