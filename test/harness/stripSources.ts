import { existsSync } from 'node:fs';
import { glob, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire, stripTypeScriptTypes } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Plugin, build } from 'esbuild';
import { projectRoot } from './paths.ts';

const { folder, keyOf, programs, bundleOf } = createRequire(import.meta.url)('./preStripped.cjs') as {
  readonly folder: string;
  readonly keyOf: (text: string) => string;
  readonly programs: readonly string[];
  readonly bundleOf: (program: string) => string;
};

const wanted = new Set<string>();

/** Writes atomically, because other processes may read the file. */
const writeWhole = async (file: string, text: string): Promise<void> => {
  wanted.add(basename(file));
  await writeFile(`${file}.new`, text);
  await rename(`${file}.new`, file);
};

const strip = async (path: string): Promise<void> => {
  const text = await readFile(path, 'utf8');
  const key = keyOf(text);
  wanted.add(key);
  const file = join(folder, key);
  if (existsSync(file)) return;
  try {
    await writeWhole(file, stripTypeScriptTypes(text));
  } catch {
    // Node cannot strip this file, and reports that when it is loaded.
  }
};

/** A bundle runs under the URL of its program. This keeps the paths that other files in it read from import.meta. */
const ownNames: Plugin = {
  name: 'own-names',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const names = { dirname: dirname(path), filename: path, url: pathToFileURL(path).href };
      const text = await readFile(path, 'utf8');
      const contents = text.replaceAll(
        /\bimport\.meta\.(dirname|filename|url)\b/g,
        (_whole, name: keyof typeof names) => JSON.stringify(names[name]),
      );
      return { contents, loader: 'ts' };
    }),
};

const bundle = async (): Promise<void> => {
  const { outputFiles } = await build({
    absWorkingDir: projectRoot,
    entryPoints: Object.fromEntries(programs.map((program) => [basename(bundleOf(program), '.js'), program])),
    outdir: folder,
    write: false,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node22',
    packages: 'external',
    plugins: [ownNames],
    logLevel: 'error',
  });
  for (const { path, text } of outputFiles) await writeWhole(path, text);
};

await mkdir(folder, { recursive: true });
for await (const path of glob('{src,test}/**/*.ts', { cwd: projectRoot })) await strip(join(projectRoot, path));
const bundles = programs.map(bundleOf);
const stamp = join(folder, 'bundled');
/** All sources: the bundles are made again when one of them changes. */
const sources = keyOf([...wanted].sort().join());
if (bundles.every(existsSync) && existsSync(stamp) && (await readFile(stamp, 'utf8')) === sources)
  for (const file of bundles) wanted.add(basename(file));
else await bundle();
await writeWhole(stamp, sources);
for (const name of await readdir(folder)) if (!wanted.has(name)) await rm(join(folder, name), { force: true });
