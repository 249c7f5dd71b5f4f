import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const projectRoot = resolve(import.meta.dirname, '../..');

/** Downloaded editors and tools, kept between runs. Git ignores it. */
export const cacheFolder = join(projectRoot, '.vscode-test');

/** Output of a run: screenshots, logs, counts. Git ignores it. */
export const outFolder = join(projectRoot, 'out');

export const inProject = (...parts: readonly string[]): string => join(projectRoot, ...parts);

export const binary = (name: string): string => inProject('node_modules/.bin', name);

export const node24 = inProject('node_modules/node/bin/node');
export const node22 = inProject('node_modules/node22/bin/node');

/** The first of these programs on the PATH. */
export const findProgram = (names: readonly string[]): string | undefined => {
  const folders = (process.env['PATH'] ?? '').split(':').filter((folder) => folder !== '');
  for (const name of names) {
    const found = folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
    if (found !== undefined) return found;
  }
  return undefined;
};
