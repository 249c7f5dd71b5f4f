import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { NO_LOG, type Storage } from '../../src/core/index.ts';
import { openStore } from '../../src/node/store/sqliteStore.ts';
import { damagePages } from '../support/damagedFile.ts';
import { auditRecord, grant, inboundEvent, scopeGrant } from '../support/storedRecords.ts';

const workerPath = new URL('../../src/node/store/storeWorker.ts', import.meta.url);
/** Written by the last version without events and grants. */
const VERSION_2 = fileURLToPath(new URL('fixtures/version2.sqlite', import.meta.url));
/** Written by the last version with feature sets but without scopes. */
const VERSION_3 = fileURLToPath(new URL('fixtures/version3.sqlite', import.meta.url));
const T3 = 1_770_000_000_000;
const GRANTS_OF_VERSION_3 = ['feed.items', 'feed.old'].map((target, i) =>
  grant(`grant-${i}`, { target, form: 'f'.repeat(32), at: T3 + 3 + i }),
);

suite('The file of events, grants and the audit', () => {
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
        store.grants.save(scopeGrant(`scope-${i}`, { at: i })),
      ]).flat(),
    );
    await store.close();
  }

  /** Changes the file from outside. */
  function tamper(...statements: readonly string[]): void {
    const database = new DatabaseSync(file);
    for (const statement of statements) database.exec(statement);
    database.close();
  }

  test('is not made by whoever only looks', async () => {
    const { events, grants, audit } = open();
    assert.deepEqual([await events.list(9), await grants.list(), await audit.list({ limit: 9 })], [[], [], []]);
    assert.deepEqual([await grants.find('one'), await audit.list({ limit: 9, operation: 'a' })], [undefined, []]);
    await Promise.all([events.trim(1), audit.trim(1), grants.revoke(['one'])]);
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
    assert.deepEqual({ ...database.prepare('PRAGMA user_version').get() }, { user_version: 6 });
    database.close();
    assert.deepEqual(notices, []);
  });

  test('a file of version 3 keeps all that it holds and takes grants of scopes', async () => {
    copyFileSync(VERSION_3, file);
    const store = open();
    const consent = { autoApprove: ['read'], others: ['May ask a model.'] };
    assert.deepEqual(
      [await store.consents.list(), await store.verdicts.find('files-print'), await store.events.list(10)],
      [
        [{ server: 'files', fingerprint: 'files-print', grants: consent, at: T3 }],
        { fingerprint: 'files-print', era: 'legacy', mcpl: true, at: T3 + 1 },
        [inboundEvent('one', { receivedAt: T3 + 2 })],
      ],
    );
    const records = [
      auditRecord({ at: T3 + 6 }),
      auditRecord({ at: T3 + 5, operation: 'tools/call' }),
      auditRecord({ at: T3 + 2, detail: 'kept' }),
    ].map((each, i) => ({ ...each, place: 3 - i }));
    const { audit } = store;
    assert.deepEqual(
      [await audit.list({ limit: 9 }), await audit.list({ limit: 9, operation: 'tools/call' })],
      [records, records.slice(1, 2)],
    );
    const [items, old] = GRANTS_OF_VERSION_3;
    assert.deepEqual(await store.grants.list(), [items, old]);
    await store.grants.save(scopeGrant('one'));
    await store.grants.revoke(['grant-0']);
    assert.deepEqual(
      [await store.grants.list(), await store.grants.find('one'), await store.grants.find('grant-1'), notices],
      [[scopeGrant('one'), old], scopeGrant('one'), old, []],
    );
  });

  test('a file of version 5 keeps its audit, and what comes now says which model was used', async () => {
    await fill(1);
    tamper('ALTER TABLE audit DROP COLUMN model', 'PRAGMA user_version = 5');
    const { audit } = open();
    await audit.append([auditRecord({ at: 1, tokens: 5, model: 'acme/m1' })]);
    assert.deepEqual(
      (await audit.list({ limit: 9 })).map(({ detail, model }) => [detail, model]),
      [
        [undefined, 'acme/m1'],
        ['record-0', undefined],
      ],
    );
    assert.deepEqual(notices, []);
  });

  test('a damaged file of version 3 gives what it still has, though it lacks the newer columns', async () => {
    copyFileSync(VERSION_3, file);
    damagePages(file, 'Content of one');
    const store = open();
    const [consents, events] = [await store.consents.list(), await store.events.list(9)];
    assert.deepEqual(
      [consents.length, events, await store.grants.list(), (await store.audit.list({ limit: 9 })).length],
      [1, [], GRANTS_OF_VERSION_3, 3],
    );
    assert.match(
      notices.join(),
      /Kept from it: start permissions 1, feature set and scope permissions 2, audit records 3;/,
    );
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

  test('one event that two windows receive is stored exactly once', async () => {
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

  test('foreign rows hide no others', async () => {
    await fill(8);
    tamper(
      `UPDATE events SET content = '[{"type":"text"}]' WHERE event_id = 'event-1'`,
      `UPDATE events SET content = 'no JSON' WHERE event_id = 'event-2'`,
      `UPDATE events SET outcome = '{"kind":"answered","at":1}' WHERE event_id = 'event-3'`,
      `UPDATE events SET source = '{"kind":"pull"}' WHERE event_id = 'event-4'`,
      `UPDATE events SET origin = '[]' WHERE event_id = 'event-5'`,
      `UPDATE audit SET outcome = 'glory' WHERE detail = 'record-6'`,
      `UPDATE grants SET direction = 'toHost' WHERE id = 'grant-7'`,
      `UPDATE grants SET kind = 'root' WHERE id = 'scope-0'`,
      `UPDATE grants SET details = NULL WHERE id = 'scope-1'`,
      `UPDATE grants SET details = '[]' WHERE id = 'scope-2'`,
      `UPDATE grants SET details = json_set(details, '$.targets', 'all') WHERE id = 'scope-3'`,
      `UPDATE grants SET details = json_set(details, '$.until', 'never') WHERE id = 'scope-4'`,
      `UPDATE grants SET details = json_set(details, '$.lifetime', 'session') WHERE id = 'scope-5'`,
    );
    const store = open();
    const events = await store.events.list(100);
    const records = await store.audit.list({ limit: 100 });
    const grants = await store.grants.list();
    assert.deepEqual(
      [events.map(({ eventId }) => eventId).join(), records.length, grants.length],
      ['event-7,event-6,event-0', 7, 7 + 2],
    );
    assert.deepEqual(
      [await store.grants.find('scope-0'), await store.grants.find('scope-4'), await store.grants.find('scope-6')],
      [undefined, undefined, scopeGrant('scope-6', { at: 6 })],
    );
    await store.events.clear(undefined);
    assert.deepEqual(await store.events.list(100), []);
  });

  test('events, grants and records that a damaged file still gives are taken over in their order', async () => {
    await fill(400);
    damagePages(file, 'Content of event-');
    damagePages(file, 'toServerfeatureSet');
    damagePages(file, 'toServerscope');
    damagePages(file, 'record-');
    const store = open();
    const events = (await store.events.list(1_000)).map(({ eventId }) => Number(eventId.slice('event-'.length)));
    const all = await store.grants.list();
    const grants = all.filter(({ kind }) => kind === 'featureSet').map(({ at }) => at);
    const scopes = all.filter(({ kind }) => kind === 'scope').map(({ at }) => at);
    const records = (await store.audit.list({ limit: 1_000 })).map(({ at }) => at);
    for (const [places, order] of [
      [events, -1],
      [grants, 1],
      [scopes, 1],
      [records, -1],
    ] as const) {
      assert.ok(places.length > 200 && places.length < 400, `${places.length} kept`);
      assert.deepEqual(
        places,
        places.toSorted((a, b) => order * (a - b)),
      );
      assert.deepEqual([Math.min(...places), Math.max(...places)], [0, 399], 'read from both ends');
    }
    const kept = `feature set and scope permissions ${all.length}, events ${events.length}, audit records ${records.length};`;
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
