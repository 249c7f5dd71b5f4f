import { realpathSync } from 'node:fs';
import { type JsonObject, patternProblem } from '../core/index.ts';
import { UsageError } from './usage.ts';

/** Patterns that mean the same wherever they are read, or that are variables' business. */
const WHOLE = /^(?:[\\/]|\*\*(?:[\\/]|$)|[a-z]:[\\/]|~(?:[\\/]|$)|\$\{)/i;
/** What means something in a pattern, and would not mean the folder that is called so. */
const SIGNS = /[*?[\]{}~$]/;

/** `scopes` of a server whose `--allow-scope` are these: one that is relative is meant from the working folder. */
export function allowedScopes(patterns: readonly string[], folder: string): JsonObject {
  // A path is allowed where all its readings are: a folder behind a link is one by both of its names.
  const folders = [...new Set([folder, realFolder(folder)])];
  return { '*': { whitelist: patterns.flatMap((pattern) => readings(pattern, folders)) } };
}

/** As it is it stands for names, such as `#dev-*`: no folder is open here that it could be relative to. */
function readings(pattern: string, folders: readonly string[]): readonly string[] {
  const problem = patternProblem(pattern);
  if (problem !== undefined) throw new UsageError(`--allow-scope "${pattern}": ${problem}`);
  if (WHOLE.test(pattern)) return [pattern];
  if (folders.some(meansMore))
    throw new UsageError(
      `--allow-scope "${pattern}": Use an absolute path: the name of the working folder contains pattern characters.`,
    );
  const whole = folders.map((folder) => `${folder.replace(/[\\/]$/, '')}/${pattern}`);
  for (const each of whole) {
    const tooLong = patternProblem(each);
    if (tooLong !== undefined) throw new UsageError(`--allow-scope "${each}": ${tooLong}`);
  }
  return [pattern, ...whole];
}

function meansMore(folder: string): boolean {
  return SIGNS.test(folder) || (folder.startsWith('/') && folder.includes('\\'));
}

function realFolder(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}
