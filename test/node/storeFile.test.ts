import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { NO_LOG, type Storage } from '../../src/core/index.ts';
import { openStore } from '../../src/node/sqliteStore.ts';
import { damagePages } from '../support/damagedFile.ts';
import { auditRecord, grant, inboundEvent } from '../support/storedRecords.ts';

const workerPath = new URL('../../src/node/storeWorker.ts', import.meta.url);
/** Written by the last version that knew neither events nor grants. */
const VERSION_2 = fileURLToPath(new URL('fixtures/version2.sqlite', import.meta.url));

suite('The file of events, grants and the audit', function () {
  this.timeout(30_000);
  let folder: string;
  let file: string;
  let opened: Storage[];
  let notices: string[];

  setup(() => {
    folder = mkdtempSync(join(tmpdir(), 'mcpl-file-'));
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

  async function fill(count: number): Promise<void> {
    const store = open();
    await Promise.all(
      Array.from({ length: count }, (_, i) => [
        store.events.admit(inboundEvent(`event-${i}`), auditRecord({ at: i, detail: `record-${i}` })),
        store.grants.save(grant(`grant-${i}`, { at: i })),
      ]).flat(),
    );
    await store.close();
  }

  /** Changes the file as whoever can write to it could. */
  function tamper(...statements: readonly string[]): void {
    const database = new DatabaseSync(file);
    for (const statement of statements) database.exec(statement);
    database.close();
  }

  test('is not made by whoever only looks', async () => {
    const { events, grants, audit } = open();
    assert.deepEqual([await events.list(9), await grants.list(), await audit.list({ limit: 9 })], [[], [], []]);
    await Promise.all([events.trim(1), audit.trim(1)]);
    assert.deepEqual(readdirSync(folder), []);
    await grants.save(grant('one'));
    assert.equal((await grants.list()).length, 1);
  });

  test('a file of version 2 keeps all that it holds and takes what is new', async () => {
    copyFileSync(VERSION_2, file);
    const store = open();
    assert.deepEqual(
      [await store.consents.list(), await store.verdicts.find('memory-print'), await store.events.list(10)],
      [
        [
          {
            server: 'files',
            fingerprint: 'files-print',
            grants: { autoApprove: ['read', 'write'] },
            at: 1_760_000_000_000,
          },
          { server: 'memory', fingerprint: 'memory-print', grants: { autoApprove: [] }, at: 1_760_000_000_001 },
        ],
        { fingerprint: 'memory-print', era: 'legacy', mcpl: true, at: 1_760_000_000_003 },
        [],
      ],
    );
    await store.events.admit(inboundEvent('one'), auditRecord());
    await store.grants.save(grant('one'));
    const lengths = [await store.events.list(10), await store.grants.list(), await store.audit.list({ limit: 10 })];
    assert.deepEqual(
      lengths.map(({ length }) => length),
      [1, 1, 1],
    );
    await store.close();
    const database = new DatabaseSync(file, { readOnly: true });
    assert.deepEqual({ ...database.prepare('PRAGMA user_version').get() }, { user_version: 3 });
    database.close();
    assert.deepEqual(notices, []);
  });

  test('two windows that bring a file of version 2 up to date at once both work', async () => {
    copyFileSync(VERSION_2, file);
    const windows = [open(), open(), open()];
    const lists = await Promise.all(windows.map((store) => store.consents.list()));
    assert.deepEqual(
      lists.map(({ length }) => length),
      [2, 2, 2],
    );
  });

  test('of one event that two windows are told of, exactly one keeps it', async () => {
    const windows = [open(), open()];
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, i) =>
        windows.map((store, w) => store.events.admit(inboundEvent(`event-${i}`, { id: `${w}-${i}` }), auditRecord())),
      ).flat(),
    );
    const kinds = answers.map(({ kind }) => kind);
    assert.deepEqual(
      Array.from({ length: 100 }, (_, i) =>
        kinds
          .slice(2 * i, 2 * i + 2)
          .sort()
          .join(),
      ),
      Array<string>(100).fill('kept,known'),
    );
    for (const store of windows)
      assert.deepEqual(
        [(await store.events.list(1_000)).length, (await store.audit.list({ limit: 1_000 })).length],
        [100, 100],
      );
  });

  test('an event that cannot be kept fails alone and leaves nothing', async () => {
    const store = open();
    const outcomes = await Promise.allSettled([
      store.events.admit(inboundEvent('before'), auditRecord()),
      store.events.admit(inboundEvent('wrong'), auditRecord({ at: 0.5 })),
      store.events.admit(inboundEvent('twice', { id: 'id-before' }), auditRecord()),
      store.events.admit(inboundEvent('after'), auditRecord()),
    ]);
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'rejected', 'rejected', 'fulfilled'],
    );
    const events = await store.events.list(10);
    assert.deepEqual(
      [events.map(({ eventId }) => eventId), (await store.audit.list({ limit: 10 })).length],
      [['after', 'before'], 2],
    );
  });

  test('rows that are none of ours hide no others', async () => {
    await fill(8);
    tamper(
      `UPDATE events SET content = '[{"type":"text"}]' WHERE event_id = 'event-1'`,
      `UPDATE events SET content = 'no JSON' WHERE event_id = 'event-2'`,
      `UPDATE events SET outcome = '{"kind":"answered","at":1}' WHERE event_id = 'event-3'`,
      `UPDATE events SET source = '{"kind":"pull"}' WHERE event_id = 'event-4'`,
      `UPDATE events SET origin = '[]' WHERE event_id = 'event-5'`,
      `UPDATE audit SET outcome = 'glory' WHERE detail = 'record-6'`,
      `UPDATE grants SET direction = 'toHost' WHERE id = 'grant-7'`,
    );
    const store = open();
    const events = await store.events.list(100);
    const records = await store.audit.list({ limit: 100 });
    const grants = await store.grants.list();
    assert.deepEqual(
      [events.map(({ eventId }) => eventId).join(), records.length, grants.length],
      ['event-7,event-6,event-0', 7, 7],
    );
    await store.events.clear(undefined);
    assert.deepEqual(await store.events.list(100), []);
  });

  test('events, grants and records that a damaged file still gives are taken over in their order', async () => {
    await fill(400);
    damagePages(file, 'Content of event-');
    damagePages(file, 'toServerfeatureSet');
    damagePages(file, 'record-');
    const store = open();
    const events = (await store.events.list(1_000)).map(({ eventId }) => Number(eventId.slice('event-'.length)));
    const grants = (await store.grants.list()).map(({ at }) => at);
    const records = (await store.audit.list({ limit: 1_000 })).map(({ at }) => at);
    for (const [places, order] of [
      [events, -1],
      [grants, 1],
      [records, -1],
    ] as const) {
      assert.ok(places.length > 200 && places.length < 400, `${places.length} kept`);
      assert.deepEqual(
        places,
        places.toSorted((a, b) => order * (a - b)),
      );
      assert.deepEqual([Math.min(...places), Math.max(...places)], [0, 399], 'read from both ends');
    }
    const kept = `feature set permissions ${grants.length}, events ${events.length}, audit records ${records.length};`;
    assert.ok(notices.join().includes(`Kept from it: ${kept}`), notices.join());
    assert.deepEqual(await store.events.admit(inboundEvent('event-399'), auditRecord()), {
      kind: 'known',
      inferenceId: undefined,
    });
  });

  test('large events come back whole, page by page, and cost the rest nothing', async () => {
    const store = open();
    const large = [{ type: 'text', text: 'x'.repeat(4_000_000) }] as const;
    for (let i = 0; i < 3; i++) await store.events.admit(inboundEvent(`large-${i}`, { content: large }), auditRecord());
    await Promise.all(
      Array.from({ length: 50 }, (_, i) => store.events.admit(inboundEvent(`small-${i}`), auditRecord())),
    );
    await store.events.markRead(['id-large-1']);
    const events = await store.events.list(1_000);
    assert.deepEqual(
      events.slice(49).map(({ eventId, isRead, content }) => [eventId, isRead, JSON.stringify(content).length]),
      [
        ['small-0', false, 45],
        ['large-2', false, 4_000_027],
        ['large-1', true, 4_000_027],
        ['large-0', false, 4_000_027],
      ],
    );
    assert.equal((await store.events.list(51)).length, 51);
    await store.events.trim(50);
    assert.equal((await store.events.list(1_000)).length, 50);
  });
});
