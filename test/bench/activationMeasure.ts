import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ensureEditor } from '../harness/editorCache.ts';
import { runInServer } from '../harness/extensionHostRun.ts';
import { Problem } from '../harness/progress.ts';
import { buildFolder, builtExtension, emptyExtension } from './buildPaths.ts';
import { identify, probePath } from './editorRuns.ts';
import type { Measure, Metrics } from './measure.ts';

const answer = join(buildFolder, 'activation.json');
const workspace = join(buildFolder, 'activation');

/** Ten enabled servers, none of which starts, because consent is missing. */
const TEN = Object.fromEntries(
  Array.from({ length: 10 }, (_, i) => [
    `server-${i}`,
    { command: process.execPath, args: [`server-${i}.mjs`], enabled: true, env: { NAME: `\${workspaceFolder}/${i}` } },
  ]),
);

interface Variant {
  readonly folder: string;
  readonly servers?: Readonly<Record<string, unknown>>;
}

const EMPTY: Variant = { folder: emptyExtension };

const variants: Readonly<Record<string, Variant>> = {
  extension: { folder: builtExtension },
  ten: { folder: builtExtension, servers: TEN },
  empty: EMPTY,
};

/**
 * A fresh editor with a fresh extension host and a single extension, because the editor activates extensions in
 * parallel and counts waiting times as activation time.
 */
const activate = async ({ folder, servers }: Variant): Promise<Metrics> => {
  const id = await identify(folder);
  await rm(answer, { force: true });
  await mkdir(join(workspace, '.vscode'), { recursive: true });
  const settings = servers === undefined ? {} : { 'mcpl.servers': servers };
  await writeFile(join(workspace, '.vscode/settings.json'), JSON.stringify(settings));
  const { code, log } = await runInServer(await ensureEditor(), {
    index: probePath('activationProbe'),
    env: { MCPL_BENCH_EXTENSION: id, MCPL_BENCH_ACTIVATION: answer },
    extensions: [folder],
    workspace,
    timeoutMs: 120_000,
  });
  if (code !== 0) throw new Problem('The editor did not tell its activation times.', log);
  return JSON.parse(await readFile(answer, 'utf8')) as Metrics;
};

const repeat: Measure['repeat'] = async (order) => {
  const times: Record<string, Metrics> = {};
  for (const variant of order) times[variant] = await activate(variants[variant] ?? EMPTY);
  const empty = times['empty']?.['total'] ?? Number.NaN;
  return Object.fromEntries(
    Object.entries(times).map(([variant, all]) => [variant, { ...all, added: (all['total'] ?? Number.NaN) - empty }]),
  );
};

export const activationMeasure = (dose: number): Measure => ({
  id: 'activation',
  title: 'Activation in the editor, as its page of start-up times reports it',
  variants: Object.keys(variants),
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
