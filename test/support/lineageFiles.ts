import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { integer } from '../../src/node/store/contract.ts';
import { LineageReader } from './lineageReader.ts';
import { data, patch, StateCase } from './stateCase.ts';

/** Large enough for several steps on any machine. */
export const MANY = 11_000;

export const numbered = (i: number): ReturnType<typeof patch> => patch({ op: 'add', path: '/n', value: i });

/** Records a line of this many checkpoints from the root. The state of each is its number. */
export function chain(states: StateCase, count: number, prefix = 'n'): void {
  states.database.exec('BEGIN');
  states.call(`${prefix}0`, { parent: null, body: data({ n: 0 }), at: 10 });
  for (let i = 1; i < count; i++) states.call(`${prefix}${i}`, { body: numbered(i), at: 10 + i });
  states.database.exec('COMMIT');
}

/** Created once, because it takes a while. */
const written = new Map<string, string>();

/** Writes such a line of checkpoints to a file. */
export function writeChain(file: string, count = MANY, prefix = 'n'): void {
  const key = `${prefix}${count}`;
  const known = written.get(key);
  if (known !== undefined) {
    writeFileSync(file, known);
    return;
  }
  const states = new StateCase();
  chain(states, count, prefix);
  assert.equal(new LineageReader(states).exportTo(file), count);
  states.database.close();
  written.set(key, readFileSync(file, 'utf8'));
}

export function countOf(database: DatabaseSync, sql: string): number {
  return integer(database.prepare(sql).get()?.['n'], 'n');
}

/** Number of rows per table, including hidden ones. */
export function rowsIn(database: DatabaseSync): Readonly<Record<string, number>> {
  return Object.fromEntries(
    ['lineages', 'checkpoints', 'snapshots'].map((table) => [
      table,
      countOf(database, `SELECT count(*) AS n FROM ${table}`),
    ]),
  );
}
