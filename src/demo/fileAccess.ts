import { resolve } from 'node:path';
import { type CallScope, pathsOf } from './callScope.ts';
import { FileProblem, isSame, namesOf, realOf } from './realPath.ts';

export const MODES = ['read', 'append', 'move'] as const;
export type Mode = (typeof MODES)[number];

/** Reached only if the host approves many paths that are never used. Then all approvals are dropped. */
const MAX_APPROVED = 100;
const UNSPEAKABLE = /[\p{Cc}\p{Zl}\p{Zp}]/u;

/**
 * Restricts the tools to paths in the call's scope and to paths that the host approved before. A path behind a link is
 * refused unless the host named the link's target.
 */
export class FileAccess {
  readonly folder: string;
  /** Each approval is good for one call. The host remembers longer approvals. */
  readonly #approved = new Set<string>();

  constructor(folder: string) {
    this.folder = folder;
  }

  /** Adds an approval from `scope/elevate`. */
  approve(path: string, mode: Mode): void {
    if (this.#approved.size >= MAX_APPROVED) this.#approved.clear();
    this.#approved.add(keyOf(mode, resolve(this.folder, path)));
  }

  /** Drops all approvals because the feature set was switched off. */
  forget(): void {
    this.#approved.clear();
  }

  /** Returns the real paths of a call, in order. Throws a `FileProblem` if one of them is not approved. */
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
