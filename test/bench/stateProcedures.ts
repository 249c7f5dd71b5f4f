import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { openDatabase } from '../../src/node/store/database.ts';
import { Materialiser } from '../../src/node/store/states/materialiser.ts';
import { StateRecorder } from '../../src/node/store/states/stateRecorder.ts';
import type { Params } from './job.ts';
import type { Metrics } from './measure.ts';
import { patchesFor, stateOf } from './patchCases.ts';
import { seededRandom } from './schedule.ts';
import { median } from './statistics.ts';

/** Measures the storage of states without its thread. */
export type StateProcedure = (variant: string, params: Params) => Metrics;

const number = (params: Params, name: string): number => {
  const value = params[name];
  if (typeof value !== 'number') throw new Error(`The measurement needs the number "${name}".`);
  return value;
};

const SEED = 1;

interface Filled {
  readonly places: readonly number[];
  /** Characters of the initial state and of all patches. */
  readonly kept: number;
  /** Microseconds per checkpoint, without the sync to disk. */
  readonly record: number;
}

/** One chain of a server that sends one complete state and then only patches. */
const fill = (database: DatabaseSync, characters: number, checkpoints: number): Filled => {
  const random = seededRandom(SEED);
  const recorder = new StateRecorder(database, new Materialiser(database));
  const state = stateOf(characters, random);
  const whole = JSON.stringify(state);
  const bodies = patchesFor(state, checkpoints - 1, random).map((patch) => JSON.stringify(patch));
  const places: number[] = [];
  const add = (kind: 'data' | 'patch', text: string): void => {
    const { node } = recorder.record({
      server: 'notes',
      featureSet: 'notes.write',
      conversation: undefined,
      keeper: 'host',
      checkpoint: `checkpoint-${places.length}`,
      parent: undefined,
      base: places.at(-1),
      cause: 'call',
      body: { kind, text },
      at: places.length,
      tool: 'write',
      args: undefined,
    });
    if (node.problem !== undefined) throw new Error(node.problem);
    places.push(node.place);
  };
  database.exec('BEGIN');
  add('data', whole);
  const started = performance.now();
  for (const body of bodies) add('patch', body);
  const record = ((performance.now() - started) * 1_000) / bodies.length;
  database.exec('COMMIT');
  return { places, kept: whole.length + bodies.reduce((sum, body) => sum + body.length, 0), record };
};

const held = (): number => {
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

const timed = (work: () => unknown): number => {
  const started = performance.now();
  work();
  return performance.now() - started;
};

/** SQLite's maximum memory for one connection. */
const pageCache = (database: DatabaseSync): number => {
  const kibibytes = Number(database.prepare('PRAGMA cache_size').get()?.['cache_size']);
  return -kibibytes * 1_024;
};

/**
 * Alternates computing a state, ready for the next patch, and parsing one of equal size, so that disturbances affect
 * both.
 */
const materialised: StateProcedure = (_variant, params) => {
  const folder = mkdtempSync(join(tmpdir(), 'mcpl-states-'));
  const file = join(folder, 'mcpl.sqlite');
  try {
    const first = openDatabase(file).database;
    const { places, kept, record } = fill(first, number(params, 'characters'), number(params, 'checkpoints'));
    const text = new Materialiser(first).text(places.at(-1) ?? 0) ?? '';
    first.close();
    const { database } = openDatabase(file);
    const random = seededRandom(SEED + 1);
    const any = (): number => places[Math.floor(random() * places.length)] ?? 0;
    const before = held();
    const states = new Materialiser(database);
    const parsing: number[] = [];
    const making: number[] = [];
    for (let i = 0; i < number(params, 'samples'); i++) {
      parsing.push(timed(() => JSON.parse(text)));
      making.push(timed(() => states.at(any())));
    }
    states.current(places.at(-1) ?? 0);
    const memory = held() - before + pageCache(database);
    database.close();
    const size = statSync(file).size;
    const times = { parse: median(parsing), make: median(making), most: Math.max(...making) };
    return { ...times, ratio: times.make / times.parse, memory: memory / kept, file: size / kept, record };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

export const stateProcedures: Readonly<Record<string, StateProcedure>> = { materialised };
