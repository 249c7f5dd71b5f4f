import { cleanLine } from '../../base/cleanText.ts';
import type { CheckedText, NamedText } from './pathTargets.ts';
import type { Unreadable } from './pathText.ts';

/** Per request, including the label. */
export const MAX_TARGETS = 64;
const TOO_MANY_TARGETS: Unreadable = { why: `It names more than ${MAX_TARGETS} things.` };

const DEEPEST = 32;
const MAX_VALUES = 20_000;
const MAX_FROM = 256;
/** With more texts, the rest is not checked and the user decides. */
const MAX_CHECKED = 1_000;

/** The texts of a request. */
export interface FoundTexts {
  readonly targets: readonly NamedText[];
  /**
   * Other texts that may name a target. Each is compared with the lists, and only those that lead outside need
   * approval.
   */
  readonly checked: readonly CheckedText[];
  /** False if there are too many to check. */
  readonly isWhole: boolean;
}

/** Collects texts that name targets from values of any size and depth. */
export class TargetTexts {
  readonly #texts: NamedText[] = [];
  readonly #checked = new Map<string, CheckedText>();
  #isWhole = true;
  readonly #most: number;
  #values = 0;
  #trouble: Unreadable | undefined;

  constructor(most: number = MAX_TARGETS) {
    this.#most = most;
  }

  /** A JSON Pointer for display: bounded and without control characters. */
  static at(from: string, key: string): string {
    if (from.length >= MAX_FROM) return from;
    return cleanLine(`${from}/${key.slice(0, MAX_FROM).replaceAll('~', '~0').replaceAll('/', '~1')}`, MAX_FROM);
  }

  get found(): FoundTexts | Unreadable {
    if (this.#trouble !== undefined) return this.#trouble;
    return { targets: this.#texts, checked: [...this.#checked.values()], isWhole: this.#isWhole };
  }

  get hasTargets(): boolean {
    return this.#texts.length > 0;
  }

  add(text: NamedText): void {
    if (this.#texts.length >= this.#most) this.#trouble = TOO_MANY_TARGETS;
    else this.#texts.push(text);
  }

  /** Counts equal texts once, wherever they occur. */
  check(checked: CheckedText): void {
    const key = `${checked.isProse ? 'prose' : checked.isMember === true ? 'member' : 'text'} ${checked.text}`;
    if (this.#checked.has(key)) return;
    if (this.#checked.size >= MAX_CHECKED) this.#isWhole = false;
    else this.#checked.set(key, checked);
  }

  refuse(why: string): void {
    this.#trouble ??= { why };
  }

  /** Counts a value; returns whether to check it. */
  mayGoOn(depth: number): boolean {
    if (this.#trouble !== undefined) return false;
    if (depth > DEEPEST || ++this.#values > MAX_VALUES) this.refuse('It is too large to check.');
    return this.#trouble === undefined;
  }
}
