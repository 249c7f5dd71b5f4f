import { minimatch } from 'minimatch';
import { MAX_ALTERNATIVES, patternProblem } from '../../model/scopePattern.ts';
import type { ScopeContext } from './computed.ts';
import { withHost, withoutDetours } from './pathText.ts';

export type PatternContext = Pick<ScopeContext, 'folders' | 'userHome'>;

/** A pattern as globs without braces, variables or `..`. In them, `\` escapes the next character. */
interface PatternMeaning {
  readonly ofNames: readonly string[];
  readonly ofPaths: readonly string[];
}

/** Why a pattern is invalid: a sentence. */
interface BadPattern {
  readonly problem: string;
}

/** Expanded for each folder: `{a,b}` in two folders is four globs. */
export function meaningOf(pattern: string, context: PatternContext): PatternMeaning | BadPattern {
  const problem = patternProblem(pattern);
  if (problem !== undefined) return { problem };
  const text = pattern.replaceAll('\\', '/').normalize('NFC');
  const ofNames = new Set<string>();
  const ofPaths = new Set<string>();
  const alternatives = minimatch.braceExpand(text, { braceExpandMax: MAX_ALTERNATIVES });
  if (alternatives.length === 0) return { problem: 'Must stand for something; its braces are empty.' };
  for (const alternative of alternatives) {
    const expanded = withValues(alternative, context);
    if (typeof expanded !== 'string') return expanded;
    const name = read(expanded);
    const paths = ABSOLUTE_GLOB.test(expanded) ? [name] : foldersOf(context).map((path) => read(`${path}/${expanded}`));
    if (name === undefined || paths.includes(undefined))
      return { problem: 'Must not have ".." after "**": where that leads depends on what is there.' };
    if (name !== '') ofNames.add(name);
    for (const path of paths) if (path !== undefined) ofPaths.add(path);
  }
  return { ofNames: [...ofNames], ofPaths: [...ofPaths] };
}

/** Globs that are the same in every folder. */
const ABSOLUTE_GLOB = /^(?:\/|\*\*(?:\/|$)|[a-z]:(?:\/|$))/i;

function read(glob: string): string | undefined {
  return withoutDetours(withHost(glob));
}

/** Skips folders whose path no text can contain. */
function foldersOf({ folders }: PatternContext): readonly string[] {
  return folders.map(({ path }) => valueOf(path)).filter((path) => path !== undefined);
}

const VARIABLE = /^~(?=\/|$)|\$\{([^}]*)\}/g;

function withValues(alternative: string, { folders, userHome }: PatternContext): string | BadPattern {
  let problem: string | undefined;
  const expanded = alternative.replace(VARIABLE, (whole, variable: string | undefined) => {
    const paths = pathsOf(variable ?? 'userHome', folders, userHome);
    const value = paths.length === 1 ? valueOf(paths[0] ?? '') : undefined;
    if (value === undefined) problem ??= problemOf(whole, paths.length);
    return value ?? '';
  });
  if (problem !== undefined) return { problem };
  // Unlike other folders, the root ends with a slash.
  return expanded === '' ? '/' : expanded;
}

function pathsOf(variable: string, folders: PatternContext['folders'], userHome: string): readonly string[] {
  if (variable === 'userHome') return [userHome];
  if (variable === 'workspaceFolder') return folders.slice(0, 1).map(({ path }) => path);
  const name = /^workspaceFolder:(.+)$/s.exec(variable)?.[1];
  return folders.filter((folder) => folder.name === name).map(({ path }) => path);
}

function problemOf(variable: string, count: number): string {
  if (count > 1) return `Must name one folder: several that are open fit ${variable}. Write the path instead.`;
  return `Must have variables with a value; ${variable} has none here. Open the folder, or write the path instead.`;
}

const ABSOLUTE = /^(?:\/|[a-z]:[\\/]|\\\\[^\\])/i;

/** Escapes a folder path, so that a glob matches it literally. */
function valueOf(path: string): string | undefined {
  if (!ABSOLUTE.test(path)) return undefined;
  // POSIX allows `\` in names, but no text with one is ever allowed.
  if (path.startsWith('/') && path.includes('\\')) return undefined;
  return path
    .replaceAll('\\', '/')
    .replace(/\/+$/, '')
    .normalize('NFC')
    .replace(/[*?[\]]/g, '\\$&');
}
