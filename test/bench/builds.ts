import { existsSync } from 'node:fs';
import { cp, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { inProject, projectRoot } from '../harness/paths.ts';
import { run } from '../harness/processes.ts';
import { Problem } from '../harness/progress.ts';
import { builtExtension, builtHost, builtNothing, builtSdk, builtSdk2, emptyExtension } from './buildPaths.ts';

/**
 * Runs the product's build script in a separate folder, with production settings. `dist/`, which may contain a
 * development build, stays unchanged.
 */
export const buildProduct = async (): Promise<void> => {
  await rm(builtExtension, { recursive: true, force: true });
  await mkdir(builtExtension, { recursive: true });
  for (const path of ['esbuild.mjs', 'bundles.cjs', 'package.json', 'package.nls.json', 'media'])
    await cp(inProject(path), join(builtExtension, path), { recursive: true });
  await symlink(inProject('src'), join(builtExtension, 'src'));
  const { output } = await run(process.execPath, [join(builtExtension, 'esbuild.mjs')], { timeoutMs: 120_000 });
  // A bundle over its limit fails the build, but is still measured.
  if (!existsSync(builtHost)) throw new Problem('The product cannot be built. Correct the errors above.', output);
};

const everythingOf = (modules: readonly string[]): string =>
  modules.map((module) => `export * from '${module}';`).join('\n');

/** The parts of both versions of the SDK that a program needs for the same transports. */
const SDK_PIECES: Readonly<Record<string, string>> = {
  [builtSdk]: everythingOf(
    ['index', 'stdio', 'streamableHttp', 'sse', 'auth'].map((piece) => `@modelcontextprotocol/sdk/client/${piece}.js`),
  ),
  [builtSdk2]: everythingOf(['@modelcontextprotocol/client', '@modelcontextprotocol/client/stdio']),
};

export const buildSdk = async (): Promise<void> => {
  for (const [outfile, contents] of Object.entries(SDK_PIECES))
    await build({
      stdin: { contents, resolveDir: projectRoot },
      outfile,
      bundle: true,
      platform: 'node',
      format: 'cjs',
      target: 'node22',
      mainFields: ['module', 'main'],
      minify: true,
      legalComments: 'none',
      logLevel: 'error',
    });
  await writeFile(builtNothing, '');
};

/** Activated by the same event, to show the editor's own cost for an empty extension. */
export const writeEmptyExtension = async (): Promise<void> => {
  await mkdir(emptyExtension, { recursive: true });
  const manifest = {
    name: 'empty',
    publisher: 'bench',
    version: '1.0.0',
    engines: { vscode: '^1.106.0' },
    main: './extension.js',
    activationEvents: ['onStartupFinished'],
  };
  await writeFile(join(emptyExtension, 'package.json'), JSON.stringify(manifest));
  await writeFile(join(emptyExtension, 'extension.js'), 'exports.activate = () => undefined;\n');
};
