import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { ensureEditor } from '../harness/editorCache.ts';
import { runInServer } from '../harness/extensionHostRun.ts';
import { inProject, projectRoot } from '../harness/paths.ts';
import { Problem } from '../harness/progress.ts';
import { ensureSystem } from '../harness/systemPackages.ts';
import { buildFolder, builtExtension, emptyExtension } from './buildPaths.ts';
import type { Measure, Metrics } from './measure.ts';

const probe = join(buildFolder, 'activationProbe.cjs');
const answer = join(buildFolder, 'activation.json');

const identify = async (folder: string): Promise<string> => {
  const { publisher, name } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Record<
    string,
    string
  >;
  return `${publisher}.${name}`;
};

const buildProbe = async (): Promise<void> => {
  await build({
    absWorkingDir: projectRoot,
    entryPoints: [inProject('test/bench/activationProbe.ts')],
    outfile: probe,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node22',
    external: ['vscode'],
    logLevel: 'error',
  });
};

const folders: Readonly<Record<string, string>> = { extension: builtExtension, empty: emptyExtension };

/**
 * A fresh editor with a fresh extension host, and one of the two alone in it: the editor activates extensions side by
 * side, and counts the time in which one waits for the other as its own.
 */
const activate = async (folder: string): Promise<Metrics> => {
  const id = await identify(folder);
  await rm(answer, { force: true });
  const { code, log } = await runInServer(await ensureEditor(), {
    index: probe,
    env: { MCPL_BENCH_EXTENSION: id, MCPL_BENCH_ACTIVATION: answer },
    extensions: [folder],
    timeoutMs: 120_000,
  });
  if (code !== 0) throw new Problem('The editor did not tell its activation times.', log);
  return JSON.parse(await readFile(answer, 'utf8')) as Metrics;
};

const repeat: Measure['repeat'] = async (order) => {
  const times: Record<string, Metrics> = {};
  for (const variant of order) times[variant] = await activate(folders[variant] ?? emptyExtension);
  const empty = times['empty']?.['total'] ?? Number.NaN;
  return Object.fromEntries(
    Object.entries(times).map(([variant, all]) => [variant, { ...all, added: (all['total'] ?? Number.NaN) - empty }]),
  );
};

export const prepareActivation = async (): Promise<void> => {
  await ensureEditor();
  await ensureSystem(['browser']);
  await buildProbe();
};

export const activationMeasure = (dose: number): Measure => ({
  id: 'activation',
  title: 'Activation in the editor, as its page of start-up times reports it',
  variants: Object.keys(folders),
  metrics: [
    { key: 'load', title: 'load code ms' },
    { key: 'call', title: 'call activate ms' },
    { key: 'finish', title: 'finish activate ms' },
    { key: 'added', title: 'added ms' },
  ],
  compared: [],
  targets: [
    { id: '5', what: 'activation beside an empty extension: added ms', metric: 'added', of: 'extension', atMost: 40 },
  ],
  repetitions: Math.ceil(5 * dose),
  repeat,
});
