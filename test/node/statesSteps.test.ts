import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { HostError, NO_LOG, type Storage } from '../../src/core/index.ts';
import { memoryStorage } from '../../src/node/store/memoryStorage.ts';
import { openStore } from '../../src/node/store/sqliteStore.ts';
import { MANY, rowsIn, writeChain } from '../support/lineageFiles.ts';
import { data, NOTES, stateUpdate } from '../support/stateCase.ts';

const workerPath = new URL('../../src/node/store/storeWorker.ts', import.meta.url);
const smallDiskPath = new URL('smallDiskWorker.ts', import.meta.url);
const writerPath = fileURLToPath(new URL('importWriter.ts', import.meta.url));
const UNLIMITED = { count: 1e9, ageMs: 1e15, characters: 1e15 };
suite('Files of lineages, step by step', function () {
  this.timeout(60_000);
  let folder: string;
  let file: string;
  let source: string;
  let opened: Storage[];

  setup(() => {
    folder = mkdtempSync(join(tmpdir(), 'mcpl-steps-'));
    file = join(folder, 'mcpl.sqlite');
    source = join(folder, 'notes.jsonl');
    opened = [];
  });

  teardown(async () => {
    await Promise.all(opened.map((store) => store.close()));
    rmSync(folder, { recursive: true, force: true });
  });

  function open(): Storage {
    const store = openStore({ file, workerPath, log: NO_LOG });
    opened.push(store);
    return store;
  }

  function rowsOf(path: string): Readonly<Record<string, number>> {
    const database = new DatabaseSync(path);
    try {
      return rowsIn(database);
    } finally {
      database.close();
    }
  }

  for (const [what, work] of [
    ['read in', ({ states }: Storage): Promise<unknown> => states.importFrom(NOTES, source)],
    [
      'written',
      ({ states }: Storage): Promise<unknown> => states.exportTo({ server: 'large', featureSet: 's' }, source),
    ],
  ] as const)
    test(`while a large file is ${what}, calls are answered in between, and no part of it is visible`, async () => {
      writeChain(source);
      const store = open();
      const { states } = store;
      await states.importFrom({ server: 'large', featureSet: 's' }, source);
      await states.record(stateUpdate('first', { server: 'calls', body: data(0) }));
      let isOver = false;
      const over = work(store).then(() => (isOver = true));
      const seen = new Set<string>();
      let answers = 0;
      const answered = async <T>(question: Promise<T>): Promise<T> => {
        const answer = await question;
        if (!isOver) answers++;
        return answer;
      };
      for (let i = 0; !isOver; i++) {
        await answered(states.record(stateUpdate(`call${i}`, { server: 'calls', body: data(i) })));
        const [version, lineages, { all }, [found]] = await answered(
          Promise.all([
            states.version(),
            states.lineages(),
            states.window({ ...NOTES, filter: { text: '', only: 'all' }, from: 0, count: 9 }),
            states.find(NOTES.server, 'n1'),
          ]),
        );
        const later = await answered(states.version());
        const servers = lineages.map(({ server }) => server);
        if (!isOver) seen.add(`${servers.join()}, ${all}, ${found?.checkpoint ?? 'none'}, ${later - version} changes`);
      }
      await over;
      assert.ok(answers >= 3, `${answers} answers`);
      assert.deepEqual([...seen], ['calls,large, 0, none, 0 changes']);
    });

  test('in memory, too, a large file leaves others their turn', async () => {
    writeChain(source);
    const { states } = memoryStorage();
    const order: string[] = [];
    const over = states.importFrom(NOTES, source).then(() => order.push('over'));
    setImmediate(() => order.push('other'));
    await over;
    assert.deepEqual(order, ['other', 'over']);
  });

  test('a kill during an import leaves nothing visible, and the next trim removes the rest', async () => {
    writeChain(source, 30_000);
    const child = spawn(process.execPath, [writerPath, file, source], { stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    const ended = once(child, 'close');
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes('call1\n')) child.kill('SIGKILL');
    });
    await ended;
    assert.ok(!output.includes('imported'), output);
    assert.equal(rowsOf(file)['lineages'], 2, 'it had begun');
    const { states } = open();
    assert.deepEqual(
      (await states.lineages()).map(({ server }) => server),
      ['calls'],
    );
    assert.equal((await states.window({ ...NOTES, filter: { text: '', only: 'all' }, from: 0, count: 9 })).all, 0);
    await states.trim({ ...UNLIMITED, characters: 30 }, 1);
    const { count } = (await states.lineages())[0] ?? assert.fail();
    assert.ok(count > 1, 'what nobody sees takes nobody room');
    assert.equal(rowsOf(file)['lineages'], 2, 'another window may still be at it');
    const database = new DatabaseSync(file);
    database.exec("UPDATE lineages SET changed_at = changed_at - 200000 WHERE server <> 'calls'");
    database.close();
    await states.trim(UNLIMITED, 1);
    assert.deepEqual(rowsOf(file), { lineages: 1, checkpoints: count, snapshots: 0 });
    assert.deepEqual(await states.importFrom(NOTES, source), { added: 30_000, known: 0 });
  });

  test('whoever closes the store ends an import and an export, and the next trim clears away what was read', async () => {
    writeChain(source);
    const store = open();
    await store.states.importFrom(NOTES, source);
    const copy = join(folder, 'copy.jsonl');
    const works = [
      store.states.importFrom({ server: 'b', featureSet: '' }, source),
      store.states.exportTo(NOTES, copy),
    ];
    await store.states.version();
    await Promise.all([store.close(), ...works.map((work) => assert.rejects(work, HostError))]);
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.includes('copy')),
      [],
    );
    assert.equal(rowsOf(file)['lineages'], 2);
    const { states } = open();
    assert.equal((await states.lineages()).length, 1);
    await states.trim(UNLIMITED, 1);
    assert.deepEqual([rowsOf(file)['lineages'], rowsOf(file)['checkpoints']], [1, MANY]);
  });

  test('an error at the end of a large file is reported, and nothing of it stays', async () => {
    writeChain(source);
    writeFileSync(source, readFileSync(source, 'utf8').replace(`"value":${MANY - 1}`, '"value":0'));
    const { states } = open();
    await assert.rejects(states.importFrom(NOTES, source), /What stands before it was changed since it was written/);
    assert.deepEqual(rowsOf(file), { lineages: 0, checkpoints: 0, snapshots: 0 });
  });

  test('a full disk is reported, and the lineage is unchanged', async () => {
    writeChain(source);
    const small = join(folder, 'room-150.sqlite');
    const store = openStore({ file: small, workerPath: smallDiskPath, log: NO_LOG });
    opened.push(store);
    await store.states.record(stateUpdate('mine', { parent: null, body: data(1) }));
    await assert.rejects(
      store.states.importFrom(NOTES, source),
      (error: unknown) => error instanceof HostError && error.category === 'full',
    );
    const [lineage, ...others] = await store.states.lineages();
    assert.deepEqual([lineage?.count, lineage?.head?.checkpoint, others], [1, 'mine', []]);
    const { head } = await store.states.base(NOTES, undefined, 'host');
    const after = await store.states.record(stateUpdate('after', { base: head?.place, body: data(2) }));
    assert.equal(after.kind, 'kept');
    assert.deepEqual([rowsOf(small)['lineages'], rowsOf(small)['checkpoints']], [1, 2]);
  });

  test('two windows that read the same file in at once keep each checkpoint once', async () => {
    writeChain(source);
    const windows = [open().states, open().states];
    await windows[0]?.version();
    const results = await Promise.all(windows.map((states) => states.importFrom(NOTES, source)));
    assert.deepEqual(results.map(({ added }) => added).sort(), [0, MANY]);
    for (const states of windows) {
      const [lineage, ...others] = await states.lineages();
      assert.deepEqual([lineage?.count, lineage?.head?.checkpoint, others], [MANY, `n${MANY - 1}`, []]);
      assert.equal((await states.base(NOTES, undefined, 'host')).state, `{"n":${MANY - 1}}`);
    }
    await windows[0]?.trim(UNLIMITED, 1);
    assert.equal(rowsOf(file)['checkpoints'], MANY);
  });

  test('two windows that read different files into one lineage lose nothing of either', async () => {
    const other = join(folder, 'other.jsonl');
    writeChain(source);
    writeChain(other, MANY, 'm');
    const [one, two] = [open().states, open().states];
    const results = await Promise.all([one.importFrom(NOTES, source), two.importFrom(NOTES, other)]);
    assert.deepEqual(results, [
      { added: MANY, known: 0 },
      { added: MANY, known: 0 },
    ]);
    const [found] = await one.find('notes', 'm7');
    assert.equal(await two.state(found?.place ?? 0, 'compact'), '{"n":7}');
    assert.equal((await one.lineages())[0]?.count, 2 * MANY);
    assert.deepEqual([rowsOf(file)['lineages'], rowsOf(file)['checkpoints']], [1, 2 * MANY]);
  });
});
