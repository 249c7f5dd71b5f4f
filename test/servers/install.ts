import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { inProject } from '../harness/paths.ts';
import { mustRun, npmEnvironment } from '../harness/processes.ts';
import { step } from '../harness/progress.ts';

const folder = inProject('test/servers');

const versionsIn = async (path: string): Promise<ReadonlyMap<string, string | undefined>> => {
  const text = await readFile(path, 'utf8').catch(() => '{}');
  const { packages = {} } = JSON.parse(text) as { packages?: Record<string, { version?: string; optional?: boolean }> };
  const entries = Object.entries(packages).filter(([name, { optional }]) => name !== '' && optional !== true);
  return new Map(entries.map(([name, { version }]) => [name, version]));
};

/** npm writes its lockfile last, so an interrupted installation has none. */
const isInstalled = async (): Promise<boolean> => {
  const wanted = await versionsIn(join(folder, 'package-lock.json'));
  const present = await versionsIn(join(folder, 'node_modules/.package-lock.json'));
  return [...wanted].every(([name, version]) => present.get(name) === version);
};

/** The runtime in node_modules may be too old for npm. */
const systemPath = (): string =>
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((entry) => !entry.startsWith(inProject('node_modules')))
    .join(delimiter);

/** Installs the published servers once, without their install scripts, which download browsers. */
export const installServers = async (): Promise<void> => {
  if (await isInstalled()) return;
  await step('published servers: npm ci (once; about a minute)', () =>
    mustRun('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
      cwd: folder,
      env: { ...npmEnvironment(), PATH: systemPath() },
      timeoutMs: 900_000,
      next: 'Check the network and the npm registry settings, then try again.',
    }),
  );
};

/** In this folder, or among the project's own dependencies. */
const require = createRequire(join(folder, 'package.json'));

const manifest = (name: string): string => {
  for (const root of require.resolve.paths(name) ?? []) {
    try {
      return require.resolve(join(root, name, 'package.json'));
    } catch {
      // The next folder up may have it.
    }
  }
  throw new Error(`${name} is not installed.`);
};

export const scriptOf = (name: string, script: string): string => join(manifest(name), '..', script);

export const versionOf = async (name: string): Promise<string> => {
  const { version } = JSON.parse(await readFile(manifest(name), 'utf8')) as { version: string };
  return version;
};
