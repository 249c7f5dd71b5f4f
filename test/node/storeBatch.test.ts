import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { auditHandlers } from '../../src/node/store/auditHandlers.ts';
import { auditValues } from '../../src/node/store/auditRows.ts';
import { runBatch } from '../../src/node/store/batch.ts';
import { consentHandlers } from '../../src/node/store/consentHandlers.ts';
import type { StoreAnswer, StoreRequest } from '../../src/node/store/contract.ts';
import { openDatabase } from '../../src/node/store/database.ts';
import { eventHandlers } from '../../src/node/store/eventHandlers.ts';
import { eventValues } from '../../src/node/store/eventRows.ts';
import { describeFailure } from '../../src/node/store/sqlite.ts';
import { auditRecord, inboundEvent } from '../support/storedRecords.ts';

function save(id: number, size = 10): StoreRequest {
  const params = { server: `server-${id}`, fingerprint: 'f'.repeat(size), grants: { autoApprove: [] }, at: id };
  return { id, operation: 'consents.save', params };
}

function outcomes(answers: readonly StoreAnswer[]): readonly string[] {
  return answers.map(
    (answer) => `${answer.id} ${answer.ok ? 'ok' : `${answer.failure.kind}: ${answer.failure.message}`}`,
  );
}

suite('A batch of the store', () => {
  let folder: string;
  let database: DatabaseSync;

  setup(() => {
    folder = mkdtempSync(join(tmpdir(), 'mcpl-batch-'));
    database = openDatabase(join(folder, 'mcpl.sqlite')).database;
  });

  teardown(() => {
    if (database.isOpen) database.close();
    rmSync(folder, { recursive: true, force: true });
  });

  function run(...requests: readonly StoreRequest[]): readonly string[] {
    return outcomes(runBatch(database, { ...consentHandlers(database) }, requests));
  }

  function count(): unknown {
    return database.prepare('SELECT count(*) AS n FROM consents').get()?.['n'];
  }

  test('is one transaction in which each request fails alone', () => {
    const wrong = { id: 2, operation: 'consents.save', params: { server: 1 } };
    const unknown = { id: 3, operation: 'toString', params: null };
    assert.deepEqual(run(save(1), wrong, unknown, save(4)), [
      '1 ok',
      '2 other: "server" must be text.',
      '3 other: There is no operation toString.',
      '4 ok',
    ]);
    assert.deepEqual([count(), database.isTransaction], [2, false]);
  });

  test('leaves nothing of a request that failed half-way', () => {
    const { 'consents.save': saving, ...others } = consentHandlers(database);
    const half = { writes: true, run: (params: unknown) => assert.fail(String(saving.run(params))) };
    const requests = [save(1), { ...save(2), operation: 'half' }, save(3)];
    const answers = runBatch(database, { ...others, 'consents.save': saving, half }, requests);
    assert.deepEqual(outcomes(answers), ['1 ok', '2 other: null', '3 ok']);
    assert.equal(count(), 2);
  });

  test('reads see what the same batch wrote before them', () => {
    const list = { id: 2, operation: 'consents.list', params: null };
    const [, answer] = runBatch(database, { ...consentHandlers(database) }, [save(1), list]);
    assert.deepEqual(answer, {
      id: 2,
      ok: true,
      result: [{ server: 'server-1', fingerprint: 'f'.repeat(10), grants: { autoApprove: [] }, at: 1 }],
    });
  });

  test('a full disk refuses what does not fit, says so, and keeps what was acknowledged', () => {
    const pages = Number(database.prepare('PRAGMA page_count').get()?.['page_count']);
    database.exec(`PRAGMA max_page_count = ${pages + 2}`);
    assert.deepEqual(run(save(1)), ['1 ok']);
    const error = [2, 3, 4].map((id) => {
      try {
        return run(save(id, 50_000)).join();
      } catch (thrown) {
        return describeFailure(thrown).kind;
      }
    });
    for (const each of error) assert.match(each, /full/);
    assert.deepEqual([count(), database.isTransaction], [1, false]);
    database.exec('PRAGMA max_page_count = 100000');
    assert.deepEqual(run(save(5, 50_000)), ['5 ok']);
  });

  test('an event that no longer fits on the disk leaves no record of it either', () => {
    const handlers = { ...eventHandlers(database), ...auditHandlers(database) };
    const admit = (id: number, size: number): StoreRequest => {
      const event = inboundEvent(`event-${id}`, { content: [{ type: 'text', text: 'x'.repeat(size) }] });
      return { id, operation: 'events.admit', params: [...eventValues(event), ...auditValues(auditRecord())] };
    };
    const rows = (): unknown =>
      database.prepare('SELECT (SELECT count(*) FROM events) AS events, (SELECT count(*) FROM audit) AS audit').get();
    const pages = Number(database.prepare('PRAGMA page_count').get()?.['page_count']);
    database.exec(`PRAGMA max_page_count = ${pages + 2}`);
    assert.deepEqual(outcomes(runBatch(database, handlers, [admit(1, 10)])), ['1 ok']);
    assert.throws(
      () => runBatch(database, handlers, [admit(2, 10), admit(3, 50_000)]),
      (error) => describeFailure(error).kind === 'full',
    );
    assert.deepEqual({ ...Object(rows()) }, { events: 1, audit: 1 });
    database.exec('PRAGMA max_page_count = 100000');
    assert.deepEqual(outcomes(runBatch(database, handlers, [admit(2, 10), admit(3, 50_000)])), ['2 ok', '3 ok']);
  });

  test('a database that may only be read says so', () => {
    run(save(1));
    database.close();
    database = new DatabaseSync(join(folder, 'mcpl.sqlite'), { readOnly: true });
    const thrown = ((): unknown => {
      try {
        return run(save(2));
      } catch (error) {
        return describeFailure(error).kind;
      }
    })();
    assert.match(String(thrown), /readOnly/);
  });

  test('another window that does not let go of the database is named as the reason', () => {
    const other = new DatabaseSync(join(folder, 'mcpl.sqlite'));
    other.exec('BEGIN IMMEDIATE');
    database.exec('PRAGMA busy_timeout = 20');
    assert.throws(
      () => run(save(1)),
      (error) => describeFailure(error).kind === 'busy',
    );
    other.exec('ROLLBACK');
    other.close();
    assert.deepEqual(run(save(1)), ['1 ok']);
  });

  test('knows a full disk also where SQLite only speaks of an I/O error', () => {
    const kinds = [10, 4874, 778, 13].map((errcode) => describeFailure(Object.assign(new Error(), { errcode })).kind);
    assert.deepEqual(kinds, ['other', 'full', 'other', 'full']);
  });
});
