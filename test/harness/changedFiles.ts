import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { posix } from 'node:path';
import { inProject, projectRoot } from './paths.ts';
import { mustRun } from './processes.ts';
import { type Module, readModule } from './sourceFigures.ts';

/** The changes that `npm test -- --changed` checks. Paths are relative to the project. */
export interface Change {
  readonly files: readonly string[];
  /** Test files that are changed or depend on a changed file. */
  readonly tests: readonly string[];
}

/** Files that import a value of a file, or name it in a text, by path. Types need no test: the compiler checks them. */
const usersOf = (modules: readonly Module[], paths: readonly string[]): ReadonlyMap<string, ReadonlySet<string>> => {
  const byName = new Map<string, readonly string[]>();
  for (const path of paths) byName.set(posix.basename(path), [...(byName.get(posix.basename(path)) ?? []), path]);
  const known = new Set(paths);
  const users = new Map<string, Set<string>>();
  const add = (path: string, user: string): void => {
    users.set(path, (users.get(path) ?? new Set()).add(user));
  };
  for (const { path: user, imports, fileNames } of modules) {
    for (const { path, names, values } of imports) if (names.length === 0 || values.length > 0) add(path, user);
    // The build and the tables of rules name every source.
    if (!/^(src|test)\//.test(user)) continue;
    for (const text of fileNames) {
      // A path from the file with the text or from the project, or a name that only one file has.
      const candidates = [posix.join(posix.dirname(user), text), text].filter((path) => known.has(path));
      const [path, another] = candidates.length > 0 ? candidates : (byName.get(text) ?? []);
      if (path !== undefined && another === undefined) add(path, user);
    }
  }
  return users;
};

const isTest = (path: string): boolean => /^test\/.*\.test\.ts$/.test(path);

/** The tests that a change of these files may affect. `paths` are all files of the project, `modules` those with code. */
export const affectedTests = (
  modules: readonly Module[],
  paths: readonly string[],
  changed: readonly string[],
): readonly string[] => {
  const users = usersOf(modules, paths);
  const reached = new Set(changed);
  // A set grows while it is iterated.
  for (const path of reached) for (const user of users.get(path) ?? []) reached.add(user);
  return [...reached].filter(isTest).sort();
};

const git = async (...args: readonly string[]): Promise<readonly string[]> => {
  const output = await mustRun('git', args, {
    cwd: projectRoot,
    next: 'Run this in a git repository with a branch main.',
  });
  return output.split('\n').filter((line) => line !== '');
};

/**
 * The commit at which the branch left main. On main itself: the last commit, or the one before if nothing is
 * uncommitted.
 */
const baseCommit = async (): Promise<string> => {
  const [head = ''] = await git('rev-parse', 'HEAD');
  const [fork = ''] = await git('merge-base', 'main', 'HEAD');
  if (fork !== head) return fork;
  return (await git('status', '--porcelain')).length > 0 ? head : 'HEAD~1';
};

/** All files that are or will be under version control. */
export const projectFiles = async (): Promise<readonly string[]> => {
  const listed = await git('ls-files', '--cached', '--others', '--exclude-standard');
  return [...new Set(listed)].filter((path) => existsSync(inProject(path)));
};

export const findChange = async (): Promise<Change> => {
  const base = await baseCommit();
  const paths = await projectFiles();
  const files = [
    ...(await git('diff', '--name-only', base)),
    ...(await git('ls-files', '--others', '--exclude-standard')),
  ];
  const code = paths.filter((path) => /^(src|test)\/.*\.(ts|mjs|cjs)$|^[\w.]+\.(mjs|cjs)$/.test(path));
  const modules = await Promise.all(
    code.map(async (path) => readModule(path, await readFile(inProject(path), 'utf8'))),
  );
  return { files: files.filter((path) => existsSync(inProject(path))), tests: affectedTests(modules, paths, files) };
};
