import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';

/** The reason why a file tool did nothing, in one or two sentences for the model. */
export class FileProblem extends Error {
  override readonly name = 'FileProblem';
}

/** Resolves the links in an absolute path whose last segments may not exist. */
export async function realOf(path: string): Promise<string> {
  const rest: string[] = [];
  for (let current = path; ; current = dirname(current)) {
    try {
      return join(await realpath(current), ...rest);
    } catch (error) {
      // A dangling link: writing there would create its target.
      if (codeOf(error) !== 'ENOENT' || (await isThere(current)) || current === dirname(current))
        throw new FileProblem(`Where "${path}" leads cannot be found out (${codeOf(error)}). Nothing was done.`);
    }
    rest.unshift(basename(current));
  }
}

/**
 * The paths that a text from the host names, without following its links. Exception: the folder of this server may be
 * reached through a link.
 */
export async function namesOf(text: string, folder: string): Promise<readonly string[]> {
  const lexical = resolve(folder, text);
  const realFolder = await realpath(folder);
  const ancestors: string[] = [];
  for (let current = lexical; current !== dirname(current); current = dirname(current)) ancestors.unshift(current);
  for (const ancestor of ancestors) {
    const real = await realpath(ancestor).catch(() => undefined);
    if (real === realFolder) return [lexical, join(realFolder, relative(ancestor, lexical))];
  }
  return [lexical];
}

/** Windows compares paths without case. */
export function isSame(one: string, other: string): boolean {
  return process.platform === 'win32' ? one.toLowerCase() === other.toLowerCase() : one === other;
}

export function codeOf(error: unknown): string {
  const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined;
  return typeof code === 'string' ? code : String(error);
}

async function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
