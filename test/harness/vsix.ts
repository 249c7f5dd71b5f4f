import { globSync } from 'node:fs';
import { cp, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { bundles } from './bundles.ts';
import { projectRoot, inProject, outFolder } from './paths.ts';
import { mustRun } from './processes.ts';
import { Problem } from './progress.ts';
import { buildFakeModel } from './testBundles.ts';

const allowed = [
  /^\[Content_Types\]\.xml$/,
  /^extension\.vsixmanifest$/,
  /^extension\/package(\.nls(\.[\w-]+)?)?\.json$/,
  /^extension\/(readme\.md|changelog\.md|(LICENSE|ThirdPartyNotices)\.txt)$/,
  /^extension\/dist\/\w+\.c?js$/,
  /^extension\/dist\/webview\/\w+\.(js|css)$/,
  /^extension\/media\/[\w-]+\.(svg|png|css|d\.ts)$/,
  /^extension\/media\/chatHooks\/(\.plugin|hooks)\/\w+\.(json|sh|ps1)$/,
  /^extension\/media\/walkthrough\/\w+\.md$/,
];

const required = [
  'extension/package.json',
  'extension/package.nls.json',
  'extension/readme.md',
  'extension/changelog.md',
  'extension/LICENSE.txt',
  'extension/ThirdPartyNotices.txt',
  'extension/media/mcp-live.d.ts',
  'extension/media/chatHooks/.plugin/plugin.json',
  'extension/media/chatHooks/hooks/hooks.json',
  'extension/media/chatHooks/hooks/hook.sh',
  'extension/media/chatHooks/hooks/hook.ps1',
  ...bundles.map(({ to }) => `extension/dist/${to}`),
];

export const maximumSize = 700_000;

export interface ZipEntry {
  readonly name: string;
  readonly size: number;
}

/** Reads the central directory of a zip file, which lists its content. */
export const zipEntries = (file: Buffer): readonly ZipEntry[] => {
  const end = file.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]));
  if (end < 0) throw new Problem('This is not a zip file. Package it again.');
  const entries: ZipEntry[] = [];
  let at = file.readUInt32LE(end + 16);
  for (let left = file.readUInt16LE(end + 10); left > 0; left--) {
    const [name, extra, comment] = [28, 30, 32].map((offset) => file.readUInt16LE(at + offset));
    const start = at + 46;
    entries.push({ name: file.toString('utf8', start, start + (name ?? 0)), size: file.readUInt32LE(at + 24) });
    at = start + (name ?? 0) + (extra ?? 0) + (comment ?? 0);
  }
  return entries;
};

/** Problems of a package, one sentence each. */
export const vsixProblems = (entries: readonly ZipEntry[], size: number): readonly string[] => {
  const names = entries.map(({ name }) => name);
  return [
    ...names
      .filter((name) => !allowed.some((pattern) => pattern.test(name)))
      .map((name) => `${name} must not be in it; see .vscodeignore.`),
    ...required.filter((name) => !names.includes(name)).map((name) => `${name} is missing from it.`),
    ...(size > maximumSize ? [`It has ${size} bytes; at most ${maximumSize} are allowed.`] : []),
  ];
};

const vsce = async (folder: string, file: string): Promise<string> => {
  await rm(file, { force: true });
  const options = ['--no-dependencies', '--allow-missing-repository', '--skip-license', '--no-rewrite-relative-links'];
  return mustRun(
    process.execPath,
    [inProject('node_modules/@vscode/vsce/vsce'), 'package', ...options, '--out', file],
    {
      cwd: folder,
      timeoutMs: 120_000,
      next: 'See the lines above; package.json or .vscodeignore may have to change.',
    },
  );
};

export const projectVersion = async (): Promise<string> =>
  (JSON.parse(await readFile(inProject('package.json'), 'utf8')) as { version: string }).version;

export interface Packaged {
  readonly file: string;
  readonly log: string;
}

/** vsce compares every file of a folder with every pattern of .vscodeignore, so it gets a folder without caches. */
const copyForVsce = async (): Promise<string> => {
  const folder = join(outFolder, 'vsix');
  await rm(folder, { recursive: true, force: true });
  const files = globSync(['*.md', '*.json', 'LICENSE', 'ThirdPartyNotices.txt', '.vscodeignore'], { cwd: projectRoot });
  for (const name of [...files, 'dist', 'media']) await cp(inProject(name), join(folder, name), { recursive: true });
  return folder;
};

/** Packages `dist`. Throws if the package has missing or additional files. */
export const packBuilt = async (): Promise<Packaged> => {
  const file = inProject(`mcp-live-${await projectVersion()}.vsix`);
  const log = await vsce(await copyForVsce(), file);
  const entries = zipEntries(await readFile(file));
  const { size } = await stat(file);
  const list = entries.map((entry) => `${String(entry.size).padStart(9)} ${entry.name}`).join('\n');
  const problems = vsixProblems(entries, size);
  if (problems.length > 0) throw new Problem(`${file}:\n${problems.join('\n')}`, `${log}\n${list}`);
  return { file, log: `${list}\n${String(size).padStart(9)} ${file}` };
};

/** Builds for production and packages. */
export const packageExtension = async (): Promise<Packaged> => {
  const build = await mustRun(process.execPath, [inProject('esbuild.mjs')], {
    cwd: projectRoot,
    next: 'Correct the errors above.',
  });
  const { file, log } = await packBuilt();
  return { file, log: `${build}${log}` };
};

export const packageFakeModel = async (): Promise<string> => {
  const file = join(outFolder, 'fake-model.vsix');
  await vsce(await buildFakeModel(), file);
  return file;
};
