import { mkdir, rm, cp } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { inProject, outFolder, projectRoot } from './paths.ts';

const shared = {
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node22',
  sourcemap: 'inline',
  absWorkingDir: projectRoot,
  logLevel: 'error',
} as const;

/**
 * Bundles suites for the extension host, which knows neither TypeScript nor this project's layout. Returns the module
 * for the editor, which runs everything in `suites` next to it.
 */
export const bundleSuites = async (suites: readonly string[]): Promise<string> => {
  const outdir = join(outFolder, 'editorTests');
  await rm(outdir, { recursive: true, force: true });
  const named = suites.map((path, number) => ({
    in: path,
    out: `suites/${String(number).padStart(3, '0')}-${basename(path).replace(/\.\w+$/, '')}`,
  }));
  await build({
    ...shared,
    entryPoints: [...named, { in: inProject('test/editor/index.ts'), out: 'index' }],
    outdir,
    outExtension: { '.js': '.cjs' },
    external: ['vscode', 'mocha'],
  });
  return join(outdir, 'index.cjs');
};

/** Builds a test extension into a folder that the editor can load and vsce can package. */
const buildExtension = async (name: string): Promise<string> => {
  const source = inProject('test/extensions', name);
  const folder = join(outFolder, name);
  await mkdir(folder, { recursive: true });
  await build({
    ...shared,
    entryPoints: [join(source, 'extension.ts')],
    outfile: join(folder, 'extension.js'),
    external: ['vscode'],
  });
  await cp(join(source, 'package.json'), join(folder, 'package.json'));
  await cp(inProject('LICENSE'), join(folder, 'LICENSE')).catch(() => undefined);
  return folder;
};

export const buildFakeModel = (): Promise<string> => buildExtension('fakeModel');

/** An extension that uses the API for other extensions. */
export const buildContributor = (): Promise<string> => buildExtension('contributor');
