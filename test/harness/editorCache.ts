import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { restoreApiGateIn } from './apiGate.ts';
import { cacheFolder, node22, node24 } from './paths.ts';
import { mustRun, npmEnvironment } from './processes.ts';
import { step } from './progress.ts';
import { ensureSystem } from './systemPackages.ts';

/** A VS Code server with its browser workbench, ready to start. */
export interface Editor {
  readonly version: string;
  readonly folder: string;
  readonly node: string;
}

/** The editor for tests, and the oldest one that the extension supports (engines.vscode). */
export const editorVersions = {
  current: { version: '4.139.1', node: node24 },
  oldest: { version: '4.106.3', node: node22 },
} as const;

export type EditorName = keyof typeof editorVersions;

const next = 'Check the network and the npm registry settings, then try again.';

const npm = async (cwd: string, ...args: readonly string[]): Promise<string> =>
  mustRun('npm', [...args, '--no-audit', '--no-fund'], { cwd, env: npmEnvironment(), timeoutMs: 900_000, next });

const freshFolder = async (folder: string): Promise<void> => {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{ "private": true }\n');
};

/**
 * Runs the work unless an earlier run finished it. The stamp is written last, so that an interrupted set-up starts
 * over.
 */
const onceIn = async (folder: string, work: () => Promise<void>): Promise<void> => {
  const stamp = join(folder, 'complete');
  if (existsSync(stamp)) return;
  await freshFolder(folder);
  await work();
  await writeFile(stamp, `${new Date().toISOString()}\n`);
};

/** node-gyp, with headers from npm instead of a download. */
const ensureNodeGyp = async (): Promise<{ readonly program: string; readonly headers: string }> => {
  const folder = join(cacheFolder, 'node-gyp');
  const headers = `node-${process.platform === 'darwin' && process.arch === 'arm64' ? 'bin-' : ''}${process.platform}-${process.arch}`;
  await onceIn(folder, async () => {
    await npm(folder, 'install', '--ignore-scripts', 'node-gyp@12', `${headers}@${process.versions.node}`);
    // Only the headers are needed. The binary is a copy of the one in node_modules.
    await rm(join(folder, 'node_modules', headers, 'bin'), { recursive: true, force: true });
  });
  return {
    program: join(folder, 'node_modules/node-gyp/bin/node-gyp.js'),
    headers: join(folder, 'node_modules', headers),
  };
};

const buildSpdlog = async (vscodeFolder: string): Promise<void> => {
  const { program, headers } = await ensureNodeGyp();
  await mustRun(process.execPath, [program, 'rebuild', `--nodedir=${headers}`], {
    cwd: join(vscodeFolder, 'node_modules/@vscode/spdlog'),
    env: npmEnvironment(),
    next: 'It needs a C++ compiler, make and python3 (Debian: apt-get install -y g++ make python3).',
  });
};

interface Lockfile {
  readonly packages: Readonly<Record<string, { readonly version?: string; readonly resolved?: string }>>;
}

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
}

const readJson = async <T>(path: string): Promise<T> => JSON.parse(await readFile(path, 'utf8')) as T;

const writeJson = async (path: string, value: unknown): Promise<void> =>
  writeFile(path, `${JSON.stringify(value, undefined, 2)}\n`);

/** Older editors take some packages from git, which needs more network than the npm registry. The registry has the same versions. */
const takeAllFromRegistry = async (vscodeFolder: string): Promise<void> => {
  const lockPath = join(vscodeFolder, 'npm-shrinkwrap.json');
  const manifestPath = join(vscodeFolder, 'package.json');
  const lock = await readJson<Lockfile>(lockPath);
  const fromGit = Object.entries(lock.packages).filter(([, { resolved }]) => resolved?.startsWith('git+') === true);
  if (fromGit.length === 0) return;
  const versions = new Map(
    fromGit.map(([path, { version }]) => [path.replace(/^.*node_modules\//, ''), version ?? '*']),
  );
  const pinned = (entries: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
    Object.fromEntries(Object.entries(entries).map(([name, range]) => [name, versions.get(name) ?? range]));
  const manifest = await readJson<Manifest>(manifestPath);
  await writeJson(manifestPath, { ...manifest, dependencies: pinned(manifest.dependencies) });
  const others = Object.entries(lock.packages).filter((entry) => !fromGit.some(([path]) => path === entry[0]));
  const packages = Object.fromEntries(others);
  const root = { ...packages[''], dependencies: pinned(manifest.dependencies) };
  await writeJson(lockPath, { ...lock, packages: { ...packages, '': root } });
};

const install = async (folder: string, version: string): Promise<void> => {
  await step(`editor ${version}: download (once; about 100 MB)`, () =>
    npm(folder, 'install', '--ignore-scripts', '--omit=dev', `code-server@${version}`),
  );
  const vscodeFolder = join(folder, 'node_modules/code-server/lib/vscode');
  await takeAllFromRegistry(vscodeFolder);
  await step(`editor ${version}: its own dependencies (once)`, () =>
    npm(vscodeFolder, 'install', '--ignore-scripts', '--omit=dev'),
  );
  await step(`editor ${version}: native log module (once)`, () => buildSpdlog(vscodeFolder));
  await restoreApiGateIn(vscodeFolder);
};

export const ensureEditor = async (name: EditorName = 'current'): Promise<Editor> => {
  const { version, node } = editorVersions[name];
  const folder = join(cacheFolder, `editor-${version}`);
  if (!existsSync(join(folder, 'complete'))) await ensureSystem(['compiler', 'python']);
  await onceIn(folder, () => install(folder, version));
  return { version, folder: join(folder, 'node_modules/code-server/lib/vscode'), node };
};

/** A folder for `npm start` that users may change without changing the project. Kept between runs. */
export const copyOnce = async (from: string, to: string): Promise<void> => {
  if (!existsSync(to)) await cp(from, to, { recursive: true });
};
