import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';

/** Why nothing was done: a sentence or two for the model. */
export class FileProblem extends Error {
  override readonly name = 'FileProblem';
}

/** Where an absolute path leads, whether there is something at its end or not. */
export async function realOf(path: string): Promise<string> {
  const rest: string[] = [];
  for (let current = path; ; current = dirname(current)) {
    try {
      return join(await realpath(current), ...rest);
    } catch (error) {
      // A link that leads to nothing yet would be followed by whoever writes there.
      if (codeOf(error) !== 'ENOENT' || (await isThere(current)) || current === dirname(current))
        throw new FileProblem(`Where "${path}" leads cannot be found out (${codeOf(error)}). Nothing was done.`);
    }
    rest.unshift(basename(current));
  }
}

/**
 * What a text of the host names, without following a link; only the folder of this server may be called by whatever
 * leads to it.
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

/** As the file systems of Windows take two paths for one. */
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
