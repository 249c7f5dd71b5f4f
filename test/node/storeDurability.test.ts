import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Grant, NO_LOG } from '../../src/core/index.ts';
import { openStore } from '../../src/node/store/sqliteStore.ts';
import { dose } from '../support/dose.ts';
import { scopeGrant } from '../support/storedRecords.ts';
import { WritingProcess } from './writingProcess.ts';

const workerPath = new URL('../../src/node/store/storeWorker.ts', import.meta.url);
const writerPath = fileURLToPath(new URL('storeWriter.ts', import.meta.url));

function started(file: string, prefix: string, limit = 'Infinity', what = 'consents'): WritingProcess {
  return new WritingProcess(writerPath, [file, prefix, limit, what]);
}

suite('The store under kill -9 and several processes', function () {
  this.timeout(dose(60_000, 600_000));
  let folder: string;
  let file: string;

  setup(() => {
    folder = mkdtempSync(join(tmpdir(), 'mcpl-durability-'));
    file = join(folder, 'mcpl.sqlite');
  });

  teardown(() => rmSync(folder, { recursive: true, force: true }));

  async function stored(): Promise<{ readonly servers: ReadonlySet<string>; readonly notices: readonly string[] }> {
    const notices: string[] = [];
    const store = openStore({ file, workerPath, log: NO_LOG, onNotice: (text) => notices.push(text) });
    const all = await store.consents.list();
    await store.close();
    return { servers: new Set(all.map((consent) => consent.server)), notices };
  }

  async function storedGrants(): Promise<{
    readonly grants: ReadonlyMap<string, Grant>;
    readonly notices: readonly string[];
  }> {
    const notices: string[] = [];
    const store = openStore({ file, workerPath, log: NO_LOG, onNotice: (text) => notices.push(text) });
    const all = await store.grants.list();
    await store.close();
    return { grants: new Map(all.map((each) => [each.id, each])), notices };
  }

  async function storedEvents(): Promise<{
    readonly events: ReadonlySet<string>;
    /** The subjects of the records, and their number. */
    readonly audit: ReadonlySet<string | undefined>;
    readonly records: number;
    readonly notices: readonly string[];
  }> {
    const notices: string[] = [];
    const store = openStore({ file, workerPath, log: NO_LOG, onNotice: (text) => notices.push(text) });
    const events = await store.events.list(1_000_000);
    const audit = new Set<string | undefined>();
    let records = 0;
    for (let before: number | undefined; ;) {
      const page = await store.audit.list({ limit: 1_000, before });
      for (const { detail } of page) audit.add(detail);
      records += page.length;
      before = page.at(-1)?.place;
      if (before === undefined) break;
    }
    await store.close();
    return { events: new Set(events.map((event) => event.eventId).sort()), audit, records, notices };
  }

  test('what was acknowledged survives a kill at any moment, and every opening after one succeeds', async () => {
    const acknowledged: string[] = [];
    for (let i = 0; i < dose(10, 200); i++) {
      const writer = started(file, `kill${i}`);
      await writer.writing();
      await wait(Math.random() * 40);
      await writer.kill();
      acknowledged.push(...writer.acknowledged);
      const { servers, notices } = await stored();
      assert.deepEqual(
        acknowledged.filter((id) => !servers.has(id)),
        [],
      );
      assert.deepEqual(notices, []);
    }
    assert.ok(acknowledged.length > dose(10, 200), `${acknowledged.length} acknowledged`);
  });

  test('an event that was acknowledged survives a kill at any moment, together with its record in the audit', async () => {
    const acknowledged: string[] = [];
    for (let i = 0; i < dose(5, 100); i++) {
      const writer = started(file, `kill${i}`, 'Infinity', 'events');
      await writer.writing();
      await wait(Math.random() * 40);
      await writer.kill();
      acknowledged.push(...writer.acknowledged);
      const { events, audit, notices } = await storedEvents();
      assert.deepEqual(
        acknowledged.filter((id) => !events.has(id)),
        [],
      );
      assert.deepEqual([audit, notices], [events, []]);
    }
    assert.ok(acknowledged.length > dose(5, 100), `${acknowledged.length} acknowledged`);
  });

  test('what the user allowed for the workspace survives a kill at any moment, whole', async () => {
    const acknowledged: string[] = [];
    for (let i = 0; i < dose(5, 100); i++) {
      const writer = started(file, `kill${i}`, 'Infinity', 'grants');
      await writer.writing();
      await wait(Math.random() * 40);
      await writer.kill();
      acknowledged.push(...writer.acknowledged);
      const { grants, notices } = await storedGrants();
      assert.deepEqual(
        acknowledged.filter((id) => !grants.has(id)),
        [],
      );
      assert.deepEqual(
        [...grants.values()],
        [...grants.keys()].map((id) => scopeGrant(id)),
      );
      assert.deepEqual(notices, []);
    }
    assert.ok(acknowledged.length > dose(5, 100), `${acknowledged.length} acknowledged`);
  });

  test('exactly one of several processes keeps an event that all receive', async () => {
    const writers = Array.from({ length: 3 }, () => started(file, 'same', '20', 'events'));
    await Promise.all(writers.map((writer) => writer.ended));
    assert.deepEqual(
      writers.map((writer) => [writer.acknowledged.length, writer.stderr]),
      writers.map(() => [80, '']),
    );
    const { events, audit, records } = await storedEvents();
    assert.deepEqual([events.size, audit, records], [80, events, 80]);
  });

  test('processes that open a new database at the same time and write to it lose nothing', async () => {
    const perLane = dose(20, 100);
    const writers = Array.from({ length: dose(4, 8) }, (_, i) => started(file, `window${i}`, String(perLane)));
    await Promise.all(writers.map((writer) => writer.ended));
    assert.deepEqual(
      writers.map((writer) => writer.acknowledged.length),
      writers.map(() => 4 * perLane),
    );
    assert.equal(writers.map((writer) => writer.stderr).join(''), '');
    const { servers, notices } = await stored();
    assert.deepEqual([servers.size, notices], [writers.length * 4 * perLane, []]);
  });

  test('a process loses no acknowledgement while its reader is busy', async () => {
    const writer = started(file, 'busy', '100');
    await writer.writing();
    // More lines than a pipe holds are acknowledged while this event loop is blocked.
    const until = performance.now() + dose(400, 2_000);
    while (performance.now() < until);
    await writer.ended;
    assert.deepEqual([writer.stderr, writer.acknowledged.length], ['', 400]);
  });

  test('processes that find the same damaged database set it aside once, and lose nothing of the new one', async () => {
    for (let round = 0; round < dose(3, 20); round++) {
      const damaged = join(folder, `round${round}.sqlite`);
      writeFileSync(damaged, 'no database. '.repeat(2_000));
      file = damaged;
      const writers = Array.from({ length: 4 }, (_, i) => started(damaged, `window${i}`, '10'));
      await Promise.all(writers.map((writer) => writer.ended));
      assert.equal(writers.map((writer) => writer.stderr).join(''), '');
      const { servers, notices } = await stored();
      assert.deepEqual([servers.size, notices], [4 * 4 * 10, []]);
      const beside = readdirSync(folder).filter((name) => name.startsWith(`round${round}.sqlite.`));
      assert.equal(beside.length, 1, beside.join());
      assert.match(beside.join(), /\.corrupt-/);
    }
  });
});
