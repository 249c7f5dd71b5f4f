import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { readFileSync } from 'node:fs';
import { node22 } from '../harness/paths.ts';
import { mustRun } from '../harness/processes.ts';
import { builtExtensionCode, builtHostCore, builtNothing, builtSdk, builtSdk2 } from './buildPaths.ts';
import { lastLineAs, pinned } from './job.ts';
import type { Measure, Metrics } from './measure.ts';

/** The first one is loaded, and loads the others. */
const files: Readonly<Record<string, readonly [string, ...(readonly string[])]>> = {
  nothing: [builtNothing],
  sdk1: [builtSdk],
  sdk2: [builtSdk2],
  extension: [builtExtensionCode, builtHostCore],
};

const load = async (file: string, state: 'cold' | 'warm'): Promise<number> => {
  const [program = '', ...args] = pinned('two', [
    node22,
    '--expose-gc',
    join(import.meta.dirname, 'loadProbe.cjs'),
    file,
    state,
  ]);
  const output = await mustRun(program, args, { timeoutMs: 60_000, next: 'See the lines above.' });
  return lastLineAs<{ took: number }>(output)?.took ?? Number.NaN;
};

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);

const measureFiles = async ([file, ...more]: readonly [string, ...(readonly string[])]): Promise<
  Record<string, number>
> => ({
  kilobytes: sum(await Promise.all([file, ...more].map(async (each) => (await stat(each)).size / 1000))),
  gzip: sum([file, ...more].map((each) => gzipSync(readFileSync(each)).length / 1000)),
  cold: await load(file, 'cold'),
  warm: await load(file, 'warm'),
});

const repeat: Measure['repeat'] = async (order) => {
  const all: Record<string, Record<string, number>> = {};
  for (const variant of order) all[variant] = await measureFiles(files[variant] ?? [builtNothing]);
  const nothing = all['nothing']?.['warm'] ?? 0;
  const result: Record<string, Metrics> = {};
  for (const [variant, metrics] of Object.entries(all))
    result[variant] = { ...metrics, net: (metrics['warm'] ?? Number.NaN) - nothing };
  return result;
};

/** On the runtime of the editor's extension host, one major version behind that of the bench. */
export const bundleMeasure = (dose: number): Measure => ({
  id: 'bundle',
  title: 'The bundle that the editor loads, beside the client pieces of the SDK bundled the same way',
  variants: Object.keys(files),
  metrics: [
    { key: 'kilobytes', title: 'KB' },
    { key: 'gzip', title: 'KB gzip' },
    { key: 'cold', title: 'load cold ms' },
    { key: 'warm', title: 'load warm ms' },
    { key: 'net', title: 'warm - nothing ms' },
  ],
  compared: [
    { metric: 'kilobytes', to: 'sdk1' },
    { metric: 'net', to: 'sdk1' },
  ],
  targets: [
    { id: '5', what: 'KB that the editor reads at its start', metric: 'kilobytes', of: 'extension', atMost: 300 },
    { id: '5', what: 'load of the bundle / SDK', metric: 'net', of: 'extension', to: 'sdk1', atMost: 0.35 },
  ],
  repetitions: Math.ceil(20 * dose),
  repeat,
});
