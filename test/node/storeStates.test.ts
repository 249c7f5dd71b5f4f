import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { HostError, NO_LOG, type StateStore, type Storage } from '../../src/core/index.ts';
import { checkpointName, type LineageWindow } from '../../src/core/model/lineage.ts';
import { openStore } from '../../src/node/store/sqliteStore.ts';
import { LATEST_VERSION } from '../../src/node/store/migrations.ts';
import { damagePages } from '../support/damagedFile.ts';
import { dose } from '../support/dose.ts';
import { makeLarge, openingMs } from '../support/largeLineage.ts';
import { data, note, NOTES, stateUpdate } from '../support/stateCase.ts';
import { auditRecord, grant, inboundEvent, scopeGrant } from '../support/storedRecords.ts';

const workerPath = new URL('../../src/node/store/storeWorker.ts', import.meta.url);
const writerPath = fileURLToPath(new URL('windowWriter.ts', import.meta.url));
/** Written by the last version without states. */
const VERSION_4 = fileURLToPath(new URL('fixtures/version4.sqlite', import.meta.url));
const T4 = 1_780_000_000_000;
const ALL = { text: '', only: 'all' } as const;
const UNLIMITED = { count: 1e9, ageMs: 1e15, characters: 1e15 };

suite('The file of states', function () {
  this.timeout(60_000);
  let folder: string;
  let file: string;
  let opened: Storage[];
  let notices: string[];

  setup(() => {
    folder = mkdtempSync(join(tmpdir(), 'mcpl-states-'));
    file = join(folder, 'mcpl.sqlite');
    opened = [];
    notices = [];
  });

  teardown(async () => {
    await Promise.all(opened.map((store) => store.close()));
    rmSync(folder, { recursive: true, force: true });
  });

  function open(): Storage {
    const store = openStore({ file, workerPath, log: NO_LOG, onNotice: (text) => notices.push(text) });
    opened.push(store);
    return store;
  }

  const window = ({ states }: Storage, count = 1_000): Promise<LineageWindow> =>
    states.window({ ...NOTES, filter: ALL, from: 0, count });

  const names = ({ rows }: LineageWindow): string => rows.map(({ node }) => checkpointName(node)).join(' ');

  async function call(
    states: StateStore,
    checkpoint: string,
    changes: Parameters<typeof stateUpdate>[1] = {},
  ): Promise<void> {
    const { head } = await states.base(NOTES, undefined, 'host');
    await states.record(stateUpdate(checkpoint, { base: head?.place, ...changes }));
  }

  async function fill(count: number, length = 10): Promise<void> {
    const store = open();
    await store.grants.save(grant('one'));
    await call(store.states, 'n0', { parent: null, body: data({ notes: [] }) });
    for (let i = 1; i < count; i++)
      await call(store.states, `n${i}`, { body: note(`Note ${i} ${'x'.repeat(length)}`), at: i });
    await store.close();
  }

  async function failure(work: Promise<unknown>): Promise<string> {
    const error: unknown = await work.then(
      () => 'no error',
      (reason: unknown) => reason,
    );
    if (!(error instanceof HostError)) return String(error);
    return `${error.code} ${error.category} | ${error.message.replaceAll(folder, '~')} | ${error.suggestion}`;
  }

  test('is not made by whoever only looks', async () => {
    const { states } = open();
    assert.deepEqual(
      [await states.lineages(), (await window({ states } as Storage)).total, await states.find('a', 'b')],
      [[], 0, []],
    );
    assert.deepEqual(
      [await states.checkpoint(1), await states.path(1), await states.version()],
      [undefined, undefined, 0],
    );
    await states.trim({ count: 1, ageMs: 1, characters: 1 }, 1);
    await states.forget(NOTES);
    assert.deepEqual(readdirSync(folder), []);
  });

  test('a file of version 4 keeps all that it holds and takes states', async () => {
    copyFileSync(VERSION_4, file);
    const store = open();
    const consent = { autoApprove: ['read'], others: ['May ask a model.'] };
    assert.deepEqual(
      [
        await store.consents.list(),
        await store.verdicts.find('files-print'),
        await store.events.list(9),
        await store.grants.list(),
        await store.audit.list({ limit: 9 }),
        await store.states.lineages(),
      ],
      [
        [{ server: 'files', fingerprint: 'files-print', grants: consent, at: T4 }],
        { fingerprint: 'files-print', era: 'legacy', mcpl: true, at: T4 + 1 },
        [inboundEvent('one', { receivedAt: T4 + 2 })],
        [grant('grant-0', { at: T4 + 3 }), scopeGrant('scope-0', { at: T4 + 4 })],
        [
          { ...auditRecord({ at: T4 + 5, operation: 'state/rollback' }), place: 2 },
          { ...auditRecord({ at: T4 + 2, detail: 'kept' }), place: 1 },
        ],
        [],
      ],
    );
    await call(store.states, 'a', { body: data({ notes: [] }) });
    assert.equal(names(await window(store)), 'a');
    await store.close();
    const database = new DatabaseSync(file, { readOnly: true });
    assert.deepEqual({ ...database.prepare('PRAGMA user_version').get() }, { user_version: LATEST_VERSION });
    database.close();
    assert.deepEqual(notices, []);
  });

  test('what one window does, the other sees at its next look, and each change gives both another version', async () => {
    const [one, two] = [open(), open()];
    await call(one.states, 'a', { parent: null, body: data({ notes: [] }) });
    const versions = [await two.states.version()];
    for (let i = 0; i < 10; i++) {
      const [writing, looking] = i % 2 === 0 ? [one, two] : [two, one];
      const before = await looking.states.version();
      await call(writing.states, `n${i}`, { body: note(i) });
      assert.notEqual(await looking.states.version(), before);
      const { head } = await looking.states.base(NOTES, undefined, 'host');
      assert.equal(head?.checkpoint, `n${i}`);
      assert.deepEqual(await window(looking), await window(writing));
      versions.push(await two.states.version());
    }
    assert.equal(new Set(versions).size, versions.length);
    await one.states.trim({ ...UNLIMITED, count: 2 }, 1);
    assert.equal(names(await window(two)), 'n9 n8');
    const [head] = (await window(two)).rows;
    assert.equal(await two.states.state(head?.node.place ?? 0, 'compact'), '{"notes":[0,1,2,3,4,5,6,7,8,9]}');
    await one.states.forget(NOTES);
    assert.deepEqual([await two.states.lineages(), (await window(two)).total], [[], 0]);
  });

  test('windows in processes of their own lose nothing of each other, and each branch holds what leads to it', async () => {
    const store = open();
    await call(store.states, 'root', { parent: null, body: data({ notes: [] }) });
    const each = dose(25, 200);
    const writers = ['one', 'two', 'three'].map((prefix) => {
      const child = spawn(process.execPath, [writerPath, file, prefix, String(each)], {
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let output = '';
      child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
      // Ignores the runtime's warning about SQLite: the writer loads SQLite before the store can suppress it.
      child.stderr.resume();
      return { ended: once(child, 'close'), said: () => output };
    });
    let isOver = false;
    const all = Promise.all(writers.map(({ ended }) => ended)).then(() => (isOver = true));
    for (let seen = 0; !isOver;) {
      const { all: count } = await window(store, 10);
      assert.ok(count >= seen, 'nothing goes');
      seen = count;
    }
    await all;
    const kept = Array.from({ length: each }, (_, i) => i);
    assert.deepEqual(
      writers.map(({ said }) => said()),
      ['one', 'two', 'three'].map((prefix) => kept.map((i) => `kept ${prefix}-${i}\n`).join('')),
    );
    const { rows, total } = await window(store);
    assert.equal(total, 1 + 3 * each);
    const byPlace = new Map(rows.map(({ node }) => [node.place, node]));
    for (const { node } of rows.slice(0, 20)) {
      const line: string[] = [];
      for (let at = node; at.parent !== undefined; at = byPlace.get(at.parent) ?? assert.fail())
        line.unshift(at.checkpoint);
      assert.equal(await store.states.state(node.place, 'compact'), JSON.stringify({ notes: line }));
    }
  });

  test('a lineage goes to another workspace as a file, and a bad file is named as the reason', async () => {
    await fill(5);
    const { states } = open();
    const target = join(folder, 'notes.jsonl');
    assert.equal(await states.exportTo(NOTES, target), 5);
    assert.deepEqual(await states.importFrom({ server: 'copy', featureSet: 'set' }, target), { added: 5, known: 0 });
    writeFileSync(target, '{"format":"mcpl-lineage"}\n');
    assert.equal(
      await failure(states.importFrom(NOTES, target)),
      'STORAGE_FAILED file | Line 1 of ~/notes.jsonl cannot be taken: "version" must be an integer. | ' +
        'Choose another file, or have it exported again.',
    );
    assert.deepEqual(
      (await states.lineages()).map(({ server, count }) => `${server} ${count}`),
      ['copy 5', 'notes 5'],
    );
  });

  test('what a damaged file still gives of a lineage is taken over, and what is missing is said to be', async () => {
    await fill(200, 200);
    damagePages(file, '"path":"/notes/-"');
    const store = open();
    const { rows, total } = await window(store);
    const good = rows.filter(({ node }) => node.problem === undefined);
    const broken = rows.filter(
      ({ node }) => node.problem === 'What its state was made of was lost with a damaged database.',
    );
    const lost = rows.filter(({ node }) => node.form === 'placeholder');
    assert.ok(total > 150 && total < 201 && lost.length === 1, `${total} kept, ${lost.length} lost`);
    assert.equal(good.length + broken.length + lost.length, total);
    assert.match(lost[0]?.node.checkpoint ?? '', /^lost-\d+$/);
    assert.ok(notices.join().includes(`checkpoints ${total - 1};`), notices.join());
    assert.ok(good.some(({ node }) => node.checkpoint === 'n0') && rows[0]?.node.checkpoint === 'n199');
    for (const { node } of good) {
      const n = Number(node.checkpoint.slice(1));
      const notes = Array.from({ length: n }, (_, i) => `Note ${i + 1} ${'x'.repeat(200)}`);
      assert.equal(await store.states.state(node.place, 'compact'), JSON.stringify({ notes }));
    }
    for (const { node } of [...broken, ...lost])
      assert.equal(await store.states.state(node.place, 'compact'), undefined);
    const [summary] = await store.states.lineages();
    assert.deepEqual(
      [summary?.count, summary?.head?.checkpoint, (await store.grants.list()).length],
      [total, 'n199', 1],
    );
    const { blocked, state } = await store.states.base(NOTES, undefined, 'host');
    if (good[0] === rows[0]) assert.equal(blocked, undefined);
    else assert.deepEqual([blocked?.checkpoint, state], ['n199', undefined]);
  });

  test('a lost head blocks calls until the user selects where to continue', async () => {
    await fill(60, 200);
    const place = (await window(open())).rows[0]?.node.place ?? 0;
    await Promise.all(opened.map((store) => store.close()));
    const database = new DatabaseSync(file);
    database.exec(`DELETE FROM checkpoints WHERE place = ${place}`);
    database.close();
    damagePages(file, 'toServerfeatureSet');
    const { states } = open();
    const { head, blocked } = await states.base(NOTES, undefined, 'host');
    assert.deepEqual(
      [head?.form, blocked?.place, blocked?.problem],
      ['placeholder', place, 'It was lost with a damaged database.'],
    );
    const [summary] = await states.lineages();
    assert.equal(summary?.blocked?.place, place);
    const [target] = await states.find('notes', 'n58');
    await states.move(
      { at: 1, kind: 'continue', from: undefined, to: target?.place ?? 0, refusal: undefined },
      undefined,
    );
    const base = await states.base(NOTES, undefined, 'host');
    const notes = Array.from({ length: 58 }, (_, i) => `Note ${i + 1} ${'x'.repeat(200)}`);
    assert.deepEqual([base.blocked, base.head?.checkpoint, base.state], [undefined, 'n58', JSON.stringify({ notes })]);
  });

  suite('of 100 000 checkpoints', () => {
    let large: string;

    suiteSetup(() => {
      large = mkdtempSync(join(tmpdir(), 'mcpl-large-'));
      makeLarge(join(large, 'mcpl.sqlite'), 100_000);
      makeLarge(join(large, 'less.sqlite'), 10_000);
    });

    suiteTeardown(() => rmSync(large, { recursive: true, force: true }));

    setup(() => {
      copyFileSync(join(large, 'mcpl.sqlite'), file);
    });

    test('opens in a moment, also with a log that a kill left behind', async () => {
      /** The fastest of three attempts, because other programs use the cores. */
      const took = (path: string): number => Math.min(...[1, 2, 3].map((nth) => openingMs(copied(path, `open${nth}`))));
      const copied = (path: string, name: string): string => {
        const copy = join(folder, `${name}.sqlite`);
        rmSync(`${copy}-wal`, { force: true });
        for (const suffix of ['', '-wal'].filter((each) => existsSync(`${path}${each}`)))
          copyFileSync(`${path}${suffix}`, `${copy}${suffix}`);
        return copy;
      };
      const inOrder = took(file);
      const writer = new DatabaseSync(file);
      writer.exec(
        `PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; UPDATE checkpoints SET at = 1 WHERE place % 20 = 0`,
      );
      // The files as a killed process left them.
      const killed = copied(file, 'killed');
      writer.close();
      const logged = statSync(`${killed}-wal`).size;
      const afterKill = took(killed);
      assert.ok(logged > 5_000_000, `${logged} bytes in the log`);
      if (process.env['MCPL_TIMES'] !== undefined) console.log({ inOrder, afterKill, logged });
      assert.ok(inOrder < 100 && afterKill < 100, `${inOrder} and ${afterKill} ms`);
    });

    test('is set aside if it is damaged: at once for tables with permissions, otherwise when the damage is read', async () => {
      copyFileSync(join(large, 'less.sqlite'), file);
      damagePages(file, 'nameddata');
      const store = open();
      assert.equal((await window(store, 10)).total, 10_000);
      assert.deepEqual(notices, []);
      const filter = { text: 'chk_', only: 'all' } as const;
      const { total } = await store.states.window({ ...NOTES, filter, from: 0, count: 20 });
      assert.ok(total > 9_900 && total < 10_000, `${total} found`);
      assert.match(notices.join(), /Kept from it: feature set and scope permissions 1, checkpoints 99\d\d;/);
      await store.close();
      notices.length = 0;
      damagePages(file, 'toServerfeatureSet');
      assert.equal((await window(open(), 10)).total > 9_900, true);
      assert.match(notices.join(), /damaged and has been set aside/);
    });

    test('is trimmed in steps between which others are answered', async () => {
      const { states, consents } = open();
      await states.version();
      let longest = 0;
      let isDone = false;
      const trimming = states.trim({ ...UNLIMITED, count: 60_000 }, 1).then(() => (isDone = true));
      let asked = 0;
      for (; !isDone; asked++) {
        const started = performance.now();
        await consents.list();
        longest = Math.max(longest, performance.now() - started);
      }
      await trimming;
      if (process.env['MCPL_TIMES'] !== undefined) console.log({ longest, asked });
      assert.ok(asked > 5 && longest < 1_000, `${asked} answered, ${longest} ms at the longest`);
      const { total, rows } = await states.window({ ...NOTES, filter: ALL, from: 59_999, count: 1 });
      assert.deepEqual([total, rows[0]?.node.checkpoint, rows[0]?.node.link], [60_000, 'chk_40001', 'trimmed']);
    });
  });
});
