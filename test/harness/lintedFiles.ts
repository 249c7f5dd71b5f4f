import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { projectFiles } from './changedFiles.ts';
import { inProject } from './paths.ts';
import { readModule } from './sourceFigures.ts';

/** The content of each file at the last successful lint. */
export type Linted = Readonly<Record<string, string>>;

/** Changes of these files affect every file: the rules, and types without an import. */
const CONCERNS_ALL = /^(eslint\.config\.mjs|package-lock\.json)$|(^|\/)tsconfig\.json$|\.d\.ts$/;

const isLinted = (path: string): boolean => /\.(ts|mjs|cjs|js)$/.test(path);

/**
 * The files to lint again: changed ones, and those that import them, directly or through others. Rules read types,
 * which may change with any of them. Undefined: all files.
 */
export const filesToLint = (
  before: Linted | undefined,
  now: Linted,
  read: (path: string) => string,
): readonly string[] | undefined => {
  if (before === undefined) return undefined;
  const paths = new Set([...Object.keys(before), ...Object.keys(now)]);
  const changed = [...paths].filter((path) => before[path] !== now[path]);
  if (changed.some((path) => CONCERNS_ALL.test(path))) return undefined;
  if (changed.length === 0) return [];
  const importers = new Map<string, string[]>();
  for (const user of Object.keys(now).filter(isLinted))
    for (const { path } of readModule(user, read(user)).imports)
      importers.set(path, [...(importers.get(path) ?? []), user]);
  const found = new Set(changed);
  // A set grows while it is iterated.
  for (const path of found) for (const user of importers.get(path) ?? []) found.add(user);
  return [...found].filter((path) => path in now && isLinted(path)).sort();
};

const memoryFile = inProject('out/remembered/linted.json');

const readText = (path: string): string => readFileSync(inProject(path), 'utf8');

export interface LintPlan {
  readonly files: readonly string[] | undefined;
  /** Call this after a successful lint. */
  readonly remember: () => Promise<void>;
}

export const planLint = async (): Promise<LintPlan> => {
  const paths = (await projectFiles()).filter((path) => isLinted(path) || CONCERNS_ALL.test(path));
  const now = Object.fromEntries(
    paths.map((path) => [path, createHash('sha256').update(readText(path)).digest('base64')]),
  );
  const before = existsSync(memoryFile) ? (JSON.parse(readFileSync(memoryFile, 'utf8')) as Linted) : undefined;
  const remember = async (): Promise<void> => {
    await mkdir(dirname(memoryFile), { recursive: true });
    writeFileSync(memoryFile, JSON.stringify(now));
  };
  return { files: filesToLint(before, now, readText), remember };
};
