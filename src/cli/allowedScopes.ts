import { type JsonObject, patternProblem } from '../core/index.ts';
import { UsageError } from './usage.ts';

/** Patterns that mean the same wherever they are read, or that are variables' business. */
const WHOLE = /^(?:[\\/]|\*\*(?:[\\/]|$)|[a-z]:[\\/]|~(?:[\\/]|$)|\$\{)/i;
/** What means something in a pattern, and would not mean the folder that is called so. */
const SIGNS = /[*?[\]{}~$]/;

/** `scopes` of a server whose `--allow-scope` are these: one that is relative is meant from the working folder. */
export function allowedScopes(patterns: readonly string[], folder: string): JsonObject {
  return { '*': { whitelist: patterns.flatMap((pattern) => readings(pattern, folder)) } };
}

/** As it is it stands for names, such as `#dev-*`: no folder is open here that it could be relative to. */
function readings(pattern: string, folder: string): readonly string[] {
  const problem = patternProblem(pattern);
  if (problem !== undefined) throw new UsageError(`--allow-scope "${pattern}": ${problem}`);
  if (WHOLE.test(pattern)) return [pattern];
  if (SIGNS.test(folder) || (folder.startsWith('/') && folder.includes('\\')))
    throw new UsageError(
      `--allow-scope "${pattern}": Write it with its whole path, as the working folder has signs in its name that mean something in patterns.`,
    );
  const whole = `${folder.replace(/[\\/]$/, '')}/${pattern}`;
  const tooLong = patternProblem(whole);
  if (tooLong !== undefined) throw new UsageError(`--allow-scope "${whole}": ${tooLong}`);
  return [pattern, whole];
}
