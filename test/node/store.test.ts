import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Consent, HostError, isObject, type Storage } from '../../src/core/index.ts';
import { openStore } from '../../src/node/store/sqliteStore.ts';
import { damagePages } from '../support/damagedFile.ts';

const workerPath = new URL('../../src/node/store/storeWorker.ts', import.meta.url);

function consent(server: string, at = 1): Consent {
  return { server, fingerprint: `${server}-print`, grants: { autoApprove: ['a', 'b'] }, at };
}

suite('The store', () => {
  let folder: string;
  let file: string;
  let opened: Storage[];
  let notices: string[];
  let logged: string[];

  setup(() => {
    folder = mkdtempSync(join(tmpdir(), 'mcpl-store-'));
    file = join(folder, 'nested', 'mcpl.sqlite');
    opened = [];
    notices = [];
    logged = [];
  });

  teardown(async () => {
    await Promise.all(opened.map((store) => store.close()));
    rmSync(folder, { recursive: true, force: true });
  });

  function open(path = file, worker: string | URL = workerPath): Storage {
    const store = openStore({
      file: path,
      workerPath: worker,
      log: { log: (_level, message) => logged.push(message) },
      onNotice: (text) => notices.push(text),
    });
    opened.push(store);
    return store;
  }

  async function save(...servers: readonly string[]): Promise<void> {
    const store = open();
    await Promise.all(servers.map((server, i) => store.consents.save(consent(server, i))));
    await store.close();
  }

  async function servers(): Promise<readonly string[]> {
    const store = open();
    const all = await store.consents.list();
    await store.close();
    return all.map((each) => each.server);
  }

  async function failure(work: Promise<unknown>): Promise<string> {
    const error: unknown = await work.then(
      () => 'no error',
      (reason: unknown) => reason,
    );
    if (!(error instanceof HostError)) return String(error);
    return `${error.code} ${error.category} | ${error.message.replaceAll(folder, '~')} | ${error.suggestion}`;
  }

  test('touches nothing before its first use', async () => {
    const store = open();
    await store.close();
    assert.equal(existsSync(join(folder, 'nested')), false);
  });

  test('keeps, finds, lists, replaces and forgets consents, across openings', async () => {
    const first = open();
    await first.consents.save(consent('files', 2));
    await first.consents.save(consent('memory', 1));
    await first.consents.save({ ...consent('files', 3), grants: { autoApprove: [] } });
    assert.equal(await first.consents.find('files', 'other print'), undefined);
    await first.close();
    const second = open();
    assert.deepEqual(await second.consents.find('memory', 'memory-print'), consent('memory', 1));
    assert.deepEqual(await second.consents.list(), [
      consent('memory', 1),
      { ...consent('files', 3), grants: { autoApprove: [] } },
    ]);
    await second.consents.forget('files');
    assert.deepEqual(await second.consents.list(), [consent('memory', 1)]);
  });

  test('opens in WAL mode with full sync, and leaves only the database after closing in order', async () => {
    await save('files');
    assert.deepEqual(readdirSync(join(folder, 'nested')), ['mcpl.sqlite']);
    const database = new DatabaseSync(file, { readOnly: true });
    const pragma = (name: string): unknown => Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0];
    assert.deepEqual([pragma('journal_mode'), pragma('user_version'), pragma('quick_check')], ['wal', 6, 'ok']);
    database.close();
  });

  test('only this user can read the database and its log, also where an earlier version left them readable', async () => {
    const before = process.umask(0o022);
    try {
      const modes = (): readonly string[] =>
        [...readdirSync(join(folder, 'nested')).sort(), '.'].map(
          (name) => `${name} ${(statSync(join(folder, 'nested', name)).mode & 0o777).toString(8)}`,
        );
      const first = open();
      await first.consents.save(consent('files'));
      const all = ['mcpl.sqlite 600', 'mcpl.sqlite-shm 600', 'mcpl.sqlite-wal 600', '. 700'];
      assert.deepEqual(modes(), all);
      await first.close();
      chmodSync(file, 0o644);
      const second = open();
      await second.consents.save(consent('memory'));
      assert.deepEqual(modes(), all);
      await second.close();
      assert.deepEqual(modes(), ['mcpl.sqlite 600', '. 700']);
    } finally {
      process.umask(before);
    }
  });

  test('a request that cannot be carried out fails alone', async () => {
    const store = open();
    const outcomes = await Promise.allSettled([
      store.consents.save(consent('before')),
      store.consents.save({ ...consent('wrong'), at: 0.5 }),
      store.consents.save(consent('after')),
    ]);
    assert.deepEqual(
      outcomes.map((outcome) => outcome.status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
    await store.close();
    assert.deepEqual(await servers(), ['after', 'before']);
  });

  test('requests that were made before closing are carried out, later ones are refused', async () => {
    const store = open();
    const saved = store.consents.save(consent('files'));
    const closed = store.close();
    assert.match(await failure(store.consents.list()), /^STORAGE_FAILED .* It is closed\./);
    await Promise.all([saved, closed, store.close()]);
    assert.deepEqual(await servers(), ['files']);
  });

  test('of a flood a few hundred answers come in one turn, in their order', async () => {
    const store = open();
    await store.consents.save(consent('first'));
    let turn = 0;
    let isOver = false;
    const count = (): void => {
      turn++;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    const answered: { readonly at: number; readonly turn: number }[] = [];
    const flood = Array.from({ length: 1_000 }, (_, at) =>
      store.consents.save(consent('flood', at)).then(() => answered.push({ at, turn })),
    );
    await Promise.all(flood);
    isOver = true;
    assert.deepEqual(
      answered.map(({ at }) => at),
      Array.from({ length: 1_000 }, (_, at) => at),
    );
    const turns = answered.map((each) => each.turn);
    const most = Math.max(...[...new Set(turns)].map((each) => turns.filter((other) => other === each).length));
    assert.ok(most <= 256, `${most} in one turn`);
  });

  test('a flood of 150,000 requests in one turn is answered, whatever the closing of the store does to its end', async () => {
    const store = open();
    const found = Array.from({ length: 150_000 }, () => store.consents.list());
    const closed = store.close();
    assert.equal((await Promise.all(found)).length, 150_000);
    await closed;
  });

  test('a file that is not a database is set aside unchanged, and a new one is started', async () => {
    await save('files');
    writeFileSync(file, 'not a database, only text. '.repeat(400));
    assert.deepEqual(await servers(), []);
    const aside = readdirSync(join(folder, 'nested')).filter((name) => name.includes('.corrupt-'));
    assert.match(aside.join(), /^mcpl\.sqlite\.corrupt-[\dTZ-]+$/);
    assert.match(readFileSync(join(folder, 'nested', aside[0] ?? ''), 'utf8'), /^not a database/);
    assert.equal(notices.length, 1);
    assert.match(notices[0] ?? '', /damaged and has been set aside as .* Nothing could be read from it/);
    assert.deepEqual(logged, notices);
    await save('again');
    assert.deepEqual(await servers(), ['again']);
    assert.equal(notices.length, 1);
  });

  test('what a damaged database still gives is taken over into the new one', async () => {
    await save(...Array.from({ length: 400 }, (_, i) => `server-${i}`));
    damagePages(file, '"autoApprove"');
    const kept = await servers();
    assert.ok(kept.length > 200 && kept.length < 400, `${kept.length} kept`);
    assert.ok(kept.includes('server-0') && kept.includes('server-399'), 'read from both ends');
    assert.match(notices.join(), new RegExp(`Kept from it: start permissions ${kept.length};`));
    assert.deepEqual(await servers(), kept);
  });

  test('damage that shows only in use is repaired in the same way', async () => {
    await save(...Array.from({ length: 400 }, (_, i) => `server-${i}`));
    const store = open();
    assert.equal((await store.consents.list()).length, 400);
    damagePages(file, '"autoApprove"');
    await growOtherwise(file);
    const kept = await store.consents.list();
    assert.ok(kept.length > 200 && kept.length < 400, `${kept.length} kept`);
    assert.equal(notices.length, 1);
  });

  test('a database of a newer version is refused with a next step and not altered', async () => {
    await save('files');
    const database = new DatabaseSync(file);
    database.exec('PRAGMA journal_mode = DELETE; PRAGMA user_version = 7; CREATE TABLE later (x)');
    database.close();
    const before = readFileSync(file);
    const store = open();
    assert.equal(
      await failure(store.consents.list()),
      'STORAGE_FAILED newer | The database ~/nested/mcpl.sqlite cannot be used: It has format 7, this version reads ' +
        'formats up to 6. | Update MCP Live, or open this workspace with the newer version.',
    );
    await store.close();
    assert.deepEqual(readFileSync(file), before);
    assert.deepEqual(readdirSync(join(folder, 'nested')), ['mcpl.sqlite']);
  });

  test('a folder that cannot be made fails with the reason, and works once it can', async () => {
    writeFileSync(join(folder, 'nested'), '');
    const store = open();
    assert.match(
      await failure(store.consents.save(consent('files'))),
      /^STORAGE_FAILED noAccess .* Check that the folder/,
    );
    rmSync(join(folder, 'nested'));
    await store.consents.save(consent('files'));
    assert.deepEqual(await servers(), ['files']);
  });

  test('a thread that dies fails its requests and is started again, but not forever', async () => {
    const worker = join(folder, 'dying.mjs');
    writeFileSync(
      worker,
      `import { parentPort } from 'node:worker_threads';
      parentPort.on('message', () => { throw new Error('boom'); });`,
    );
    const store = open(file, worker);
    const outcomes: string[] = [];
    for (let i = 0; i < 6; i++) outcomes.push((await failure(store.consents.list())).split(' | ')[1] ?? '');
    assert.deepEqual(outcomes, [
      ...Array<string>(5).fill('The database ~/nested/mcpl.sqlite cannot be used: boom'),
      'The database ~/nested/mcpl.sqlite cannot be used: Its thread ended unexpectedly 5 times.',
    ]);
    assert.equal(logged.length, 5);
  });

  test('a thread that dies between answers is started again as often as needed', async () => {
    const worker = join(folder, 'alternating.mjs');
    writeFileSync(
      worker,
      `import { parentPort } from 'node:worker_threads';
      parentPort.on('message', ({ requests }) => {
        if (requests[0].params.server === 'die') throw new Error('boom');
        parentPort.postMessage({ kind: 'answers', answers: requests.map(({ id }) => ({ id, ok: true, result: null })) });
      });`,
    );
    const store = open(file, worker);
    for (let round = 0; round < 7; round++) {
      assert.match(await failure(store.consents.forget('die')), /boom/);
      await store.consents.forget('answer');
    }
    assert.equal(logged.length, 7);
  });

  test('a request that was not sent yet when the thread died is carried out by the next one', async () => {
    const worker = join(folder, 'first.mjs');
    writeFileSync(
      worker,
      `import { parentPort } from 'node:worker_threads';
      import { existsSync, writeFileSync } from 'node:fs';
      const mark = ${JSON.stringify(join(folder, 'started'))};
      parentPort.on('message', ({ requests }) => {
        if (!existsSync(mark)) {
          writeFileSync(mark, '');
          process.exit(1);
        }
        parentPort.postMessage({ kind: 'answers', answers: requests.map(({ id }) => ({ id, ok: true, result: null })) });
      });`,
    );
    let unsent: Promise<void> | undefined;
    const store = openStore({
      file,
      workerPath: worker,
      // The thread has ended by then, and a request of this turn waits for its microtask.
      log: {
        log: () => {
          unsent = store.consents.forget('unsent');
        },
      },
    });
    opened.push(store);
    assert.match(await failure(store.consents.forget('sent')), /Its thread ended unexpectedly/);
    await (unsent ?? assert.fail('The end of the thread was not logged.'));
  });

  test('closing ends a thread that hangs, after five seconds', async () => {
    const worker = join(folder, 'hanging.mjs');
    writeFileSync(
      worker,
      `import { parentPort } from 'node:worker_threads'; parentPort.on('message', () => { for (;;); });`,
    );
    const store = open(file, worker);
    const asked = failure(store.consents.forget('files'));
    const begun = performance.now();
    await store.close();
    const took = performance.now() - begun;
    assert.match(await asked, /Its thread ended unexpectedly/);
    assert.ok(took >= 4_900, `closed after ${took} ms`);
  });

  /** A thread that takes so long for each request. */
  const slowWorker = (ms: number): string => {
    const worker = join(folder, 'slow.mjs');
    writeFileSync(
      worker,
      `import { parentPort } from 'node:worker_threads';
      parentPort.on('message', ({ kind, requests }) => {
        if (kind === 'close') process.exit();
        for (const { id } of requests) {
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${ms});
          parentPort.postMessage({ kind: 'answers', answers: [{ id, ok: true, result: null }] });
        }
      });`,
    );
    return worker;
  };

  test('closing waits for a slow thread as long as answers arrive', async () => {
    const store = open(file, slowWorker(1_800));
    const asked = ['a', 'b', 'c'].map((server) => store.consents.forget(server));
    await store.close();
    assert.deepEqual(await Promise.all(asked), [undefined, undefined, undefined]);
  });

  test('closing counts answers that arrived while the event loop was busy', async () => {
    const store = open(file, slowWorker(1_900));
    const asked = ['a', 'b', 'c'].map((server) => store.consents.forget(server));
    const closed = store.close();
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5_200);
    await closed;
    assert.deepEqual(await Promise.all(asked), [undefined, undefined, undefined]);
  });

  test('keeps what servers speak, with and without MCPL, and replaces it', async () => {
    const first = open();
    await first.verdicts.save({ fingerprint: 'plain', era: 'legacy', mcpl: false, at: 1 });
    await first.verdicts.save({ fingerprint: 'mcpl', era: 'legacy', mcpl: true, at: 2 });
    await first.verdicts.save({ fingerprint: 'changed', era: 'legacy', mcpl: true, at: 3 });
    await first.verdicts.save({ fingerprint: 'changed', era: 'modern', mcpl: false, at: 4 });
    await first.close();
    const second = open();
    const found = await Promise.all(['plain', 'mcpl', 'changed', 'other'].map((each) => second.verdicts.find(each)));
    assert.deepEqual(found, [
      { fingerprint: 'plain', era: 'legacy', mcpl: false, at: 1 },
      { fingerprint: 'mcpl', era: 'legacy', mcpl: true, at: 2 },
      { fingerprint: 'changed', era: 'modern', mcpl: false, at: 4 },
      undefined,
    ]);
    await second.verdicts.forget('mcpl');
    assert.equal(await second.verdicts.find('mcpl'), undefined);
    assert.equal((await second.verdicts.find('plain'))?.mcpl, false);
  });

  test('no thread is left after closing, and no warning is printed', async () => {
    const others = workers();
    const ours = (): readonly number[] => workers().filter((id) => !others.includes(id));
    const warnings: string[] = [];
    const listen = (warning: Error): number => warnings.push(warning.message);
    process.on('warning', listen);
    for (let i = 0; i < 10; i++) await save(`server-${i}`);
    process.off('warning', listen);
    const store = open();
    await store.consents.list();
    assert.equal(ours().length, 1, 'an open store is seen');
    await store.close();
    assert.deepEqual(ours(), []);
    assert.deepEqual(warnings, []);
  });
});

/** A change by another connection makes an open connection read its pages again. */
async function growOtherwise(file: string): Promise<void> {
  const other = new DatabaseSync(file);
  other.exec('PRAGMA busy_timeout = 1000; CREATE TABLE other (x)');
  other.close();
  await Promise.resolve();
}

/** The ids of all running threads. Threads of other tests may end meanwhile. */
function workers(): readonly number[] {
  const report: unknown = process.report.getReport();
  const found: readonly unknown[] = isObject(report) && Array.isArray(report['workers']) ? report['workers'] : [];
  return found.map((worker) => {
    const header = isObject(worker) ? worker['header'] : undefined;
    return Number(isObject(header) ? header['threadId'] : -1);
  });
}
