import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { ensureEditor } from '../harness/editorCache.ts';
import { inProject, projectRoot } from '../harness/paths.ts';
import { ensureSystem } from '../harness/systemPackages.ts';
import { writeEmptyExtension } from './builds.ts';
import { buildFolder } from './buildPaths.ts';

/** Common parts of measurements in the editor, which calls the probe in its extension host. */
export const probePath = (name: string): string => join(buildFolder, `${name}.cjs`);

/** The id of the extension in that folder, as in `vscode.extensions`. */
export const identify = async (folder: string): Promise<string> => {
  const { publisher, name } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Record<
    string,
    string
  >;
  return `${publisher}.${name}`;
};

const buildProbe = async (name: string): Promise<void> => {
  await build({
    absWorkingDir: projectRoot,
    entryPoints: [inProject(`test/bench/${name}.ts`)],
    outfile: probePath(name),
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node22',
    external: ['vscode'],
    logLevel: 'error',
  });
};

export const prepareEditorRuns = async (): Promise<void> => {
  await writeEmptyExtension();
  await ensureEditor();
  await ensureSystem(['browser']);
  await Promise.all(['activationProbe', 'editorProbe'].map(buildProbe));
};
