import { resolve } from 'node:path';
import { type CallScope, pathsOf } from './callScope.ts';
import { FileProblem, isSame, namesOf, realOf } from './realPath.ts';

export const MODES = ['read', 'append', 'move'] as const;
export type Mode = (typeof MODES)[number];

/** The host that has approved so many without one of them being used approves anything. */
const MOST_APPROVED = 100;
const UNSPEAKABLE = /[\p{Cc}\p{Zl}\p{Zp}]/u;

/**
 * What the host lets the tools touch: what the scope of the call names, or what it approved before. Anything else is
 * left alone, and so is what is reached by a link that the host did not speak of.
 */
export class FileAccess {
  readonly folder: string;
  /** Each is good for one call: whether it holds for longer is for the host to remember. */
  readonly #approved = new Set<string>();

  constructor(folder: string) {
    this.folder = folder;
  }

  /** The host approved it by `scope/elevate`. */
  approve(path: string, mode: Mode): void {
    if (this.#approved.size >= MOST_APPROVED) this.#approved.clear();
    this.#approved.add(keyOf(mode, resolve(this.folder, path)));
  }

  /** The feature set is off: what was approved with it is void. */
  forget(): void {
    this.#approved.clear();
  }

  /** The real paths of what a call names, in their order. Throws a `FileProblem` where one of them is not approved. */
  async open(asked: readonly string[], mode: Mode, scope: CallScope | undefined): Promise<readonly string[]> {
    const targets: string[] = [];
    for (const path of asked) targets.push(await this.#target(path));
    const missing = await this.#missing(asked, targets, mode, scope);
    if (missing !== undefined) throw missing;
    for (const target of targets) this.#approved.delete(keyOf(mode, target));
    return targets;
  }

  async #target(path: string): Promise<string> {
    if (UNSPEAKABLE.test(path)) throw new FileProblem('A path must have no control characters. Nothing was done.');
    return realOf(resolve(this.folder, path));
  }

  async #missing(
    asked: readonly string[],
    targets: readonly string[],
    mode: Mode,
    scope: CallScope | undefined,
  ): Promise<FileProblem | undefined> {
    const named: string[] = [];
    for (const text of scope === undefined ? [] : pathsOf(scope)) named.push(...(await namesOf(text, this.folder)));
    const index = targets.findIndex(
      (target) => !named.some((name) => isSame(name, target)) && !this.#approved.has(keyOf(mode, target)),
    );
    const target = targets[index];
    if (target === undefined) return undefined;
    return new FileProblem(why(asked[index] ?? target, target, mode, scope));
  }
}

function why(asked: string, target: string, mode: Mode, scope: CallScope | undefined): string {
  if (scope !== undefined)
    return `Nothing was done: "${asked}" is ${target}, and the host approved this call for "${scope.label}". Call again with the real path.`;
  return `Nothing was done: the host sent no scope with this call and has not approved ${target}. Call request_access with this path and the mode "${mode}" first. If that is refused, tell the person, and try no other way.`;
}

function keyOf(mode: Mode, path: string): string {
  return `${mode} ${path}`;
}
