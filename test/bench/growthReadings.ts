import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type * as library from '../../src/cli/library.ts';
import { longestTurn } from '../support/longestTurn.ts';
import { benchFolder, builtHost } from './buildPaths.ts';
import type { ServerCommand } from './clients/client.ts';
import type { Params } from './job.ts';
import type { Metrics } from './measure.ts';
import { median } from './statistics.ts';

/** A measurement of one size of something. */
export type GrowthProcedure = (variant: string, params: Params) => Promise<Metrics>;

export type HostOptions = library.HostOptions;
export type Host = library.Host;

const MEGABYTE = 1024 * 1024;

export const number = (params: Params, name: string): number => {
  const value = params[name];
  if (typeof value !== 'number') throw new Error(`The measurement needs the number "${name}".`);
  return value;
};

/** On the project's disk, because a temporary folder may be in memory. */
export const inFolder = async (work: (folder: string) => Promise<Metrics>): Promise<Metrics> => {
  mkdirSync(benchFolder, { recursive: true });
  const folder = mkdtempSync(join(benchFolder, 'growth-'));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/** The shipped bundle, loaded before the measurement. */
export const loadHost = (): typeof library => createRequire(import.meta.url)(builtHost) as typeof library;

const SETTINGS = { featureSets: { enabled: ['bench.*'] }, timeouts: { call: 300, start: 120, list: 120 } };

/** A script of the bench as a server, with its feature sets enabled, and defaults otherwise. */
export const entryOf = (script: string, options: object): object => {
  const command: ServerCommand = {
    command: process.execPath,
    args: [join(import.meta.dirname, script), JSON.stringify(options)],
  };
  return { ...command, ...SETTINGS };
};

export const createHost = (entries: Readonly<Record<string, object>>, options: HostOptions): Host =>
  loadHost().createHost({ ...options, servers: JSON.parse(JSON.stringify(entries)) as library.JsonObject });

/** Resolves when each server lists this many tools. */
export const untilListed = (host: Host, ids: readonly string[], count: number): Promise<void> =>
  new Promise((resolve) => {
    const isListed = (): boolean => ids.every((id) => (host.server(id)?.tools.length ?? 0) >= count);
    if (isListed()) return resolve();
    const changes = host.onDidChangeServer(() => {
      if (!isListed()) return;
      changes.dispose();
      resolve();
    });
  });

export interface Watched {
  /** Milliseconds. */
  readonly took: number;
  /** The longest time for which this thread did not yield, in milliseconds of CPU time. */
  readonly turn: number;
}

/** Starts in a new turn of the event loop. */
export const watched = async (work: () => Promise<unknown>): Promise<Watched> => {
  await new Promise((resolve) => setTimeout(resolve, 5));
  let took = 0;
  const turn = await longestTurn(async () => {
    const started = performance.now();
    await work();
    took = performance.now() - started;
  });
  return { took, turn };
};

/** The median time after a warm-up. */
export const p50 = async (count: number, work: (index: number) => Promise<unknown>, warmUp = 0): Promise<number> => {
  const took: number[] = [];
  for (let i = 0; i < count + warmUp; i++) {
    const started = performance.now();
    await work(i);
    if (i >= warmUp) took.push(performance.now() - started);
  }
  return median(took);
};

export interface Memory {
  readonly heap: number;
  readonly rss: number;
}

/** Memory after a garbage collection. */
export const memoryNow = (): Memory => {
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, external, rss } = process.memoryUsage();
  return { heap: (heapUsed + external) / MEGABYTE, rss: rss / MEGABYTE };
};

/** The turns of all parts by name, for the file, and the longest for display. */
export const longestOf = (turns: Readonly<Record<string, number>>): Metrics => ({
  longest: Math.max(...Object.values(turns)),
  ...Object.fromEntries(Object.entries(turns).map(([name, turn]) => [`longest ${name}`, turn])),
});
