import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { NO_LOG, type Storage } from '../../src/core/index.ts';
import { openStore } from '../../src/node/store/sqliteStore.ts';
import { dose } from '../support/dose.ts';
import { makeLarge, openingMs } from '../support/largeLineage.ts';
import { COUNTERS, counterName, counterState } from '../support/stateCounter.ts';
import { WritingProcess } from './writingProcess.ts';

const workerPath = new URL('../../src/node/store/storeWorker.ts', import.meta.url);
const writerPath = fileURLToPath(new URL('stateWriter.ts', import.meta.url));

/** Checkpoints of another lineage in the same file. */
const RECORDS = 100_000;

function countIn(file: string): number {
  const database = new DatabaseSync(file, { readOnly: true });
  const { n } = { ...database.prepare('SELECT count(*) AS n FROM checkpoints').get() };
  database.close();
  return Number(n);
}

function started(file: string, prefix: string, limit = 'Infinity', sets = 'a,b'): WritingProcess {
  return new WritingProcess(writerPath, [file, prefix, limit, sets]);
}

suite('States under kill -9 and several processes', function () {
  this.timeout(dose(240_000, 1_200_000));
  let folder: string;
  let file: string;

  setup(() => {
    folder = mkdtempSync(join(tmpdir(), 'mcpl-states-'));
    file = join(folder, 'mcpl.sqlite');
  });

  teardown(() => rmSync(folder, { recursive: true, force: true }));

  async function opened<T>(work: (states: Storage['states']) => Promise<T>): Promise<T> {
    const notices: string[] = [];
    const store = openStore({ file, workerPath, log: NO_LOG, onNotice: (text) => notices.push(text) });
    try {
      const result = await work(store.states);
      assert.deepEqual(notices, []);
      return result;
    } finally {
      await store.close();
    }
  }

  /** Problems with acknowledged checkpoints: missing, or without their state. */
  const problemsOf = (states: Storage['states'], acknowledged: readonly string[]): Promise<readonly string[]> =>
    Promise.all(
      acknowledged.map(async (name) => {
        const [prefix = '', , step] = name.split('.');
        const [found, ...others] = await states.find(COUNTERS, name);
        if (found === undefined || others.length > 0) return [`${name}: found ${others.length} times`];
        const state = await states.state(found.place, 'compact');
        return state === counterState(prefix, Number(step)) ? [] : [`${name}: another state`];
      }),
    ).then((lists) => lists.flat());

  /** The head is the last acknowledged checkpoint, or a later one. */
  async function headProblems(
    states: Storage['states'],
    writer: WritingProcess,
    prefix: string,
  ): Promise<readonly string[]> {
    const problems: string[] = [];
    for (const featureSet of ['a', 'b']) {
      const steps = writer.acknowledged
        .filter((name) => name.startsWith(`${prefix}.${featureSet}.`))
        .map((name) => Number(name.split('.')[2]));
      const { head, state, blocked } = await states.base({ server: COUNTERS, featureSet }, prefix, 'host');
      if (steps.length === 0) continue;
      const at = Number(head?.checkpoint.split('.')[2]);
      const isThere = head?.checkpoint === counterName(prefix, featureSet, at) && at >= Math.max(...steps);
      if (!isThere || state !== counterState(prefix, at) || blocked !== undefined)
        problems.push(`head ${head?.checkpoint} after ${Math.max(...steps)}`);
    }
    return problems;
  }

  test('every checkpoint that was acknowledged survives a kill at any moment, beside 100 000 others, and the store opens in a moment', async () => {
    makeLarge(file, RECORDS, 80);
    const all: string[] = [];
    const openings: number[] = [];
    const early: string[] = [];
    const rounds = dose(10, 500);
    let firstMs = 200;
    for (let i = 0; i < rounds; i++) {
      const writer = started(file, `kill${i}`);
      await writer.opening();
      const began = performance.now();
      // Alternates: in the middle of the work, or while the store is opened or before its first acknowledgement.
      if (i % 2 === 0) {
        await writer.writing();
        firstMs = performance.now() - began;
        await wait(Math.random() * 60);
      } else await wait(Math.random() * firstMs);
      await writer.kill();
      all.push(...writer.acknowledged);
      if (writer.acknowledged.length === 0) early.push(`kill${i}`);
      openings.push(openingMs(file));
      const problems = await opened(async (states) => [
        ...(await problemsOf(states, writer.acknowledged)),
        ...(await headProblems(states, writer, `kill${i}`)),
      ]);
      assert.deepEqual(problems, [], `after kill ${i}`);
    }
    assert.deepEqual(await opened((states) => problemsOf(states, all)), []);
    assert.ok(countIn(file) >= RECORDS + all.length, `${countIn(file)} records`);
    assert.ok(all.length > rounds, `${all.length} acknowledged`);
    assert.ok(early.length > 0, 'nobody was killed before the first was acknowledged');
    openings.sort((a, b) => a - b);
    // One in ten may be slow because other programs use the cores.
    const usual = openings[Math.floor(openings.length * 0.9)] ?? 0;
    assert.ok(usual < 100, `ms: ${openings.map(Math.round).join(' ')}`);
  });

  test('processes that record into the same lineages at the same time lose nothing', async () => {
    const steps = dose(60, 300);
    const writers = Array.from({ length: 3 }, (_, i) => started(file, `window${i}`, String(steps)));
    await Promise.all(writers.map((writer) => writer.ended));
    assert.deepEqual(
      writers.map((writer) => [writer.acknowledged.length, writer.stderr]),
      writers.map(() => [2 * steps, '']),
    );
    const problems = await opened(async (states) => [
      ...(await problemsOf(
        states,
        writers.flatMap((writer) => writer.acknowledged),
      )),
      ...(await Promise.all(writers.map((writer, i) => headProblems(states, writer, `window${i}`)))).flat(),
    ]);
    assert.deepEqual(problems, []);
    const database = new DatabaseSync(file, { readOnly: true });
    const counts = database
      .prepare(
        `SELECT feature_set, count, version, count - (SELECT count(*) FROM checkpoints WHERE lineage = id) AS lost FROM lineages ORDER BY 1`,
      )
      .all();
    database.close();
    assert.deepEqual(
      counts.map((row) => ({ ...row })),
      ['a', 'b'].map((featureSet) => ({ feature_set: featureSet, count: 3 * steps, version: 3 * steps, lost: 0 })),
    );
  });
});
