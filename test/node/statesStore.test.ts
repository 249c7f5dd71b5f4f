import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HostError, NO_LOG, type Storage } from '../../src/core/index.ts';
import { memoryStorage } from '../../src/node/store/memoryStorage.ts';
import { openStore } from '../../src/node/store/sqliteStore.ts';
import { data, note, NOTES, patch, stateUpdate } from '../support/stateCase.ts';

const workerPath = new URL('../../src/node/store/storeWorker.ts', import.meta.url);
const smallDiskPath = new URL('smallDiskWorker.ts', import.meta.url);

const HEAD_MOVE = { at: 1, kind: 'continue', from: undefined, to: 2, refusal: undefined } as const;

suite('The store of states', () => {
  let folder: string;
  let file: string;
  let opened: Storage[];

  setup(() => {
    folder = mkdtempSync(join(tmpdir(), 'mcpl-states-'));
    file = join(folder, 'mcpl.sqlite');
    opened = [];
  });

  teardown(async () => {
    await Promise.all(opened.map((store) => store.close()));
    rmSync(folder, { recursive: true, force: true });
  });

  function open(path = file, worker = workerPath): Storage {
    const store = openStore({ file: path, workerPath: worker, log: NO_LOG });
    opened.push(store);
    return store;
  }

  async function failure(work: Promise<unknown>): Promise<string> {
    const error: unknown = await work.then(
      () => 'no error',
      (reason: unknown) => reason,
    );
    return error instanceof HostError ? `${error.code} ${error.category ?? ''}`.trim() : String(error);
  }

  for (const [where, storage] of [
    ['in a file', (): Storage => open()],
    ['in memory', (): Storage => memoryStorage()],
  ] as const)
    test(`answers what calls ask, ${where}`, async () => {
      const store = storage();
      const { states } = store;
      assert.deepEqual(
        [
          await states.base(NOTES, 'chat', 'host'),
          await states.base(NOTES, undefined, 'either'),
          await states.state(1, 'compact'),
          await states.version(),
          await states.lineages(),
        ],
        [
          { keeper: 'host', head: undefined, state: undefined, blocked: undefined },
          { keeper: 'server', head: undefined, state: undefined, blocked: undefined },
          undefined,
          0,
          [],
        ],
      );
      const first = await states.record(
        stateUpdate('a', { parent: null, body: data({ notes: [] }), args: 'x', at: 5 }),
      );
      assert.deepEqual(first, {
        kind: 'kept',
        written: 12,
        remarks: [],
        node: {
          place: 1,
          checkpoint: 'a',
          copy: 1,
          parent: undefined,
          link: 'none',
          form: 'data',
          problem: undefined,
          isPruned: false,
          at: 5,
          tool: 'write',
          args: 'x',
          conversation: undefined,
          size: 12,
          name: undefined,
          isPinned: false,
        },
      });
      await states.record(stateUpdate('b', { base: 1, body: note('ü'), conversation: 'chat' }));
      const { head, state } = await states.base(NOTES, 'chat', 'host');
      assert.deepEqual([head?.checkpoint, state], ['b', '{"notes":["ü"]}']);
      const texts = [
        await states.state(2, 'compact'),
        await states.state(2, 'pretty'),
        await states.state(9, 'pretty'),
      ];
      assert.deepEqual(texts, ['{"notes":["ü"]}', '{\n  "notes": [\n    "ü"\n  ]\n}', undefined]);
      await states.annotate(2, { name: ' good ', isPinned: true });
      await states.markPruned(1);
      await states.move({ at: 6, kind: 'rollback', from: 2, to: 1, refusal: undefined }, undefined);
      const back = await states.base(NOTES, 'chat', 'host');
      assert.deepEqual([back.head?.checkpoint, back.head?.isPruned, back.state], ['a', true, '{"notes":[]}']);
      const [found] = await states.find('notes', 'b');
      assert.deepEqual([found?.name, found?.isPinned, found?.featureSet], ['good', true, 'notes.write']);
      const [lineage] = await states.lineages();
      assert.deepEqual([lineage?.count, lineage?.head?.checkpoint], [2, 'a']);
      assert.ok((await states.version()) > 0);
      await store.close();
    });

  test('says so when it is closed', async () => {
    const store = open();
    await store.close();
    assert.match(await failure(store.states.record(stateUpdate('a'))), /^STORAGE_FAILED/);
    assert.match(await failure(store.states.move(HEAD_MOVE, undefined)), /^STORAGE_FAILED/);
  });

  test('says so when a checkpoint is not there', async () => {
    const { states } = open();
    await states.record(stateUpdate('a', { parent: null, body: data(1) }));
    assert.equal(await failure(states.move(HEAD_MOVE, undefined)), 'STORAGE_FAILED other');
    assert.equal(await failure(states.markPruned(2)), 'STORAGE_FAILED other');
  });

  test('is not made by whoever only looks', async () => {
    const { states } = open();
    await states.base(NOTES, undefined, 'host');
    await Promise.all([
      states.lineages(),
      states.find('a', 'b'),
      states.path(1),
      states.checkpoint(1),
      states.version(),
    ]);
    assert.equal(existsSync(file), false);
  });

  test('states of 10 MB come and go as they are', async () => {
    const { states } = open();
    const items = Array.from({ length: 40_000 }, (_, i) => ({ id: i, text: `${'words '.repeat(38)}${i}` }));
    const whole = { items, 'later key': 1, '7': 'earlier key' };
    assert.ok(JSON.stringify(whole).length > 10_000_000);
    await states.record(stateUpdate('a', { parent: null, body: data(whole) }));
    assert.equal((await states.base(NOTES, undefined, 'host')).state, JSON.stringify(whole));
    await states.record(stateUpdate('b', { base: 1, body: patch({ op: 'remove', path: '/items/0' }) }));
    const expected = JSON.stringify({ ...whole, items: items.slice(1) });
    assert.equal((await states.base(NOTES, undefined, 'host')).state, expected);
    const second = open();
    assert.equal((await second.states.base(NOTES, undefined, 'host')).state, expected);
  });

  test('a full disk refuses what does not fit, says so, and loses nothing; later work goes on from the last good', async () => {
    const small = join(folder, 'room-150.sqlite');
    const { states } = open(small, smallDiskPath);
    const kept: string[] = [];
    const refused: string[] = [];
    await states.record(stateUpdate('c0', { parent: null, body: data({ notes: [] }) }));
    for (let i = 1; i < 60; i++) {
      const { head } = await states.base(NOTES, undefined, 'host');
      const size = i % 7 === 0 ? 60_000 : 6_000;
      const update = stateUpdate(`c${i}`, { base: head?.place, body: note(`${i}${'x'.repeat(size)}`) });
      const outcome = await failure(states.record(update));
      if (outcome === 'no error') kept.push(String(i));
      else refused.push(outcome);
    }
    assert.ok(kept.length > 20 && refused.length > 5, `${kept.length} kept, ${refused.length} refused`);
    assert.deepEqual([...new Set(refused)], ['STORAGE_FAILED full']);
    const notesOf = (state: string | undefined): readonly string[] =>
      (JSON.parse(state ?? '') as { notes: string[] }).notes.map((each) => each.replaceAll('x', ''));
    assert.deepEqual(notesOf((await states.base(NOTES, undefined, 'host')).state), kept);
    // Another window, whose disk has room.
    const other = open(small);
    const { head, state } = await other.states.base(NOTES, undefined, 'host');
    assert.deepEqual(notesOf(state), kept);
    await other.states.record(stateUpdate('last', { base: head?.place, body: note('last') }));
    assert.deepEqual(notesOf((await states.base(NOTES, undefined, 'host')).state), [...kept, 'last']);
  });

  test('what one window records, the other goes on from', async () => {
    const [one, two] = [open().states, open().states];
    await one.record(stateUpdate('c0', { parent: null, body: data({ notes: [] }) }));
    for (let i = 1; i <= 40; i++) {
      const states = i % 3 === 0 ? one : two;
      const { head } = await states.base(NOTES, undefined, 'host');
      await states.record(stateUpdate(`c${i}`, { base: head?.place, body: note(i) }));
    }
    const expected = JSON.stringify({ notes: Array.from({ length: 40 }, (_, i) => i + 1) });
    for (const states of [one, two]) assert.equal((await states.base(NOTES, undefined, 'host')).state, expected);
  });

  test('two windows that record at the same time lose nothing, and each goes on from its own', async () => {
    const windows = [open().states, open().states];
    await windows[0]?.record(stateUpdate('root', { parent: null, body: data({ notes: [] }) }));
    await Promise.all(
      windows.map(async (states, window) => {
        for (let i = 0; i < 60; i++) {
          const { head } = await states.base(NOTES, `chat ${window}`, 'host');
          const parent = i === 0 ? 'root' : `w${window}-${i - 1}`;
          const update = { base: head?.place, parent, body: note(i), conversation: `chat ${window}` };
          assert.equal((await states.record(stateUpdate(`w${window}-${i}`, update))).kind, 'kept');
        }
      }),
    );
    const expected = JSON.stringify({ notes: Array.from({ length: 60 }, (_, i) => i) });
    for (const states of windows)
      for (const window of [0, 1]) {
        const { head, state } = await states.base(NOTES, `chat ${window}`, 'host');
        assert.deepEqual([head?.checkpoint, state], [`w${window}-59`, expected]);
      }
    assert.equal((await windows[0]?.lineages())?.[0]?.count, 121);
  });

  test('one checkpoint that two windows receive is stored exactly once', async () => {
    const windows = [open().states, open().states];
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        windows.map((states) => states.record(stateUpdate(`c${i}`, { parent: null, body: data(i) }))),
      ).flat(),
    );
    assert.deepEqual(answers.map(({ kind }) => kind).sort(), [
      ...Array<string>(40).fill('kept'),
      ...Array<string>(40).fill('known'),
    ]);
  });

  test('a state that was damaged in the file is refused rather than guessed', async () => {
    const first = open();
    await first.states.record(stateUpdate('a', { parent: null, body: data({ notes: [] }) }));
    await first.states.record(stateUpdate('b', { base: 1, body: note(1) }));
    await first.close();
    const { DatabaseSync } = await import('node:sqlite');
    const database = new DatabaseSync(file);
    database.exec(`UPDATE checkpoints SET body = '{"notes":' WHERE checkpoint = 'a'`);
    database.close();
    const { states } = open();
    assert.deepEqual(
      [
        await failure(states.base(NOTES, undefined, 'host')),
        await failure(states.record(stateUpdate('c', { base: 2, body: note(2) }))),
      ],
      ['STORAGE_FAILED other', 'STORAGE_FAILED other'],
    );
    assert.equal((await states.record(stateUpdate('d', { base: 2, body: data(1) }))).kind, 'kept');
  });
});
