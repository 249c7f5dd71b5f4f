import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NO_LOG } from '../../src/core/index.ts';
import { openStore } from '../../src/node/store/sqliteStore.ts';
import { openStates } from '../../src/node/store/states/lineageHandlers.ts';
import type { StoreOperation } from '../../src/node/store/contract.ts';
import { runBatch } from '../../src/node/store/batch.ts';
import { data, NOTES, patch, StateCase, stateUpdate } from '../support/stateCase.ts';

/** CPU time of this process in milliseconds. Other programs do not affect it. */
function worked(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** The CPU time of each request, because a request delays all others. */
function answered(c: StateCase, requests: readonly (readonly [StoreOperation, unknown])[]): readonly number[] {
  const states = openStates(c.database);
  return requests.map(([operation, params]) => {
    const began = worked();
    const [answer] = runBatch(c.database, states.handlers, [{ id: 1, operation, params }], () => states.forget());
    assert.equal(answer?.ok, true, JSON.stringify(answer));
    return worked() - began;
  });
}

suite('States that are made to cost much', function () {
  this.timeout(60_000);
  let c: StateCase;

  setup(() => {
    c = new StateCase();
  });

  teardown(() => c.database.close());

  test('a short patch that copies the whole again and again is not carried out once more for each call after it', () => {
    c.call('a', { parent: null, body: data({ a: Array.from({ length: 100_000 }, (_, i) => i) }) });
    const bomb = Array.from({ length: 20 }, () => [
      { op: 'copy', from: '/a', path: '/b' },
      { op: 'remove', path: '/b' },
    ]).flat();
    for (let i = 0; i < 5; i++) assert.equal(c.call(`b${i}`, { body: patch(...bomb) }).kind, 'kept');
    const written = c.database.prepare('SELECT count(*) AS n FROM snapshots').get();
    const ways = c.database.prepare('SELECT max(replay) AS n FROM checkpoints').get();
    assert.deepEqual([written?.['n'], ways?.['n']], [5, 0]);
  });

  test('patches of the usual kind have whole states written down as seldom as ever', () => {
    c.call('a', { parent: null, body: data({ notes: [], text: 'x'.repeat(90_000) }) });
    for (let i = 0; i < 25; i++) c.call(`b${i}`, { body: patch({ op: 'add', path: '/notes/-', value: i }) });
    assert.equal(c.database.prepare('SELECT count(*) AS n FROM snapshots').get()?.['n'], 0);
  });

  test('the written size of a checkpoint is returned', () => {
    const whole = data({ a: 'x'.repeat(1_000_000) });
    assert.equal(c.call('a', { parent: null, body: whole }).written, whole?.text.length);
    const moves = patch({ op: 'copy', from: '/a', path: '/b' });
    const { written } = c.call('b', { body: moves });
    assert.equal(written, (moves?.text.length ?? 0) + (c.state('b')?.length ?? 0));
    assert.equal(c.call('b').written, 0);
    assert.match(c.counts, /^host, 2 kept/);
  });

  test('a state that would be a thousand times as long with spaces is shown without them', () => {
    const deep = (levels: number): string => `${'['.repeat(levels)}${'1,'.repeat(200_000)}1${']'.repeat(levels)}`;
    c.call('a', { parent: null, body: { kind: 'data', text: deep(500) } });
    c.call('b', { parent: null, body: { kind: 'data', text: deep(1) } });
    const states = openStates(c.database);
    const lengths = ['a', 'b'].map((name) => {
      const request = { id: 1, operation: 'state.text', params: { place: c.place(name), form: 'pretty' } } as const;
      const [answer] = runBatch(c.database, states.handlers, [request]);
      return answer?.ok === true ? String(answer.result).length : 0;
    });
    assert.deepEqual(lengths, [deep(500).length, 200_001 * 5 + 2]);
  });

  test('a star of 20 000, thousands of one name and of placeholders do not block others for long', () => {
    c.database.exec('BEGIN');
    c.call('root', { parent: null, body: data({ a: 1 }) });
    for (let i = 0; i < 20_000; i++) c.recorder.record(stateUpdate(`n${i}`, { parent: 'root', args: 'a'.repeat(300) }));
    for (let i = 0; i < 2_000; i++) c.recorder.record(stateUpdate('dup', { body: data(i) }));
    for (let i = 0; i < 2_000; i++) c.recorder.record(stateUpdate(`p${i}`, { parent: `unknown${i}` }));
    c.database.exec('COMMIT');
    const window = (text: string): readonly [StoreOperation, unknown] => [
      'state.window',
      { ...NOTES, filter: { text, only: 'all' }, from: 0, count: 100 },
    ];
    const limits = { count: 100, ageMs: 1e12, characters: 1e9 };
    const took = answered(c, [
      window(''),
      window(`${'a'.repeat(250)}b`),
      window('%_%_%_%'),
      ['state.path', { target: 1 }],
      ['state.checkpoint', { place: 1 }],
      ['state.move', { move: { at: 1, kind: 'continue', from: 2, to: 1 }, conversation: undefined }],
      ['state.trim', { limits, now: 5, after: 0 }],
    ]);
    // Each takes ten to a hundred milliseconds, but a machine may be slow.
    for (const ms of took) assert.ok(ms < 3_000, took.map(Math.round).join());
  });

  test('no server has more lineages than it could ever use, and another one still can begin its own', () => {
    for (let i = 0; i < 300; i++) c.recorder.record(stateUpdate('a', { featureSet: `s${i}` }));
    assert.throws(
      () => c.recorder.record(stateUpdate('a', { featureSet: 'more' })),
      /^StoreError: States of 300 feature sets/,
    );
    assert.equal(c.recorder.record(stateUpdate('b', { featureSet: 's7' })).kind, 'kept');
    assert.equal(c.recorder.record(stateUpdate('a', { server: 'other' })).kind, 'kept');
  });
});

suite('A lineage file of a stranger', function () {
  this.timeout(60_000);

  test('that makes much of little is refused before it fills the disk, and calls are answered meanwhile', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mcpl-hostile-'));
    const store = openStore({
      file: join(folder, 'mcpl.sqlite'),
      workerPath: new URL('../../src/node/store/storeWorker.ts', import.meta.url),
      log: NO_LOG,
    });
    const file = join(folder, 'theirs.jsonl');
    const copies = Array.from({ length: 14 }, (_, i) => ({ op: 'copy', from: '/a', path: `/b${i}` }));
    const count = 100;
    const lines = [
      { format: 'mcpl-lineage', version: 1, ...NOTES, keeper: 'host', count },
      ...Array.from({ length: count }, (_, i) => ({
        checkpoint: `c${i}`,
        copy: 1,
        parent: i === 0 ? null : i - 1,
        link: i === 0 ? 'none' : 'named',
        form: i === 0 ? 'data' : 'patch',
        at: 1,
        ...(i === 0 ? { data: { a: 'x'.repeat(1_000_000) } } : { patch: copies }),
      })),
    ].map((line) => `${JSON.stringify(line)}\n`);
    const sha256 = createHash('sha256').update(lines.join('')).digest('hex');
    writeFileSync(file, `${lines.join('')}${JSON.stringify({ end: count, sha256 })}\n`);

    const imported = store.states.importFrom(NOTES, file).then(
      () => 'taken',
      (error: unknown) => String(error),
    );
    let isOver = false;
    void imported.then(() => (isOver = true));
    let answered = 0;
    while (!isOver) {
      await store.states.record(stateUpdate(`y${answered++}`, { server: 'other', body: data(answered) }));
    }
    assert.match(await imported, /Line \d+ of .* cannot be taken: Its states take far more room than the file itself/);
    assert.ok(answered > 3, `${answered} answers`);
    const left = await store.states.lineages();
    assert.deepEqual(
      left.map(({ server }) => server),
      ['other'],
    );
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });
});
