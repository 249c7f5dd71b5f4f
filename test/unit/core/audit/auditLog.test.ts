import assert from 'node:assert/strict';
import { Deferred } from '../../../../src/core/base/async.ts';
import type { AuditRecord } from '../../../../src/core/model/audit.ts';
import { StoredAudit } from '../../../../src/core/audit/auditLog.ts';
import { DEFAULT_LIMITS } from '../../../../src/core/model/server.ts';
import type { AuditStore } from '../../../../src/core/ports.ts';
import { FakeClock, settle } from '../../../support/fakeClock.ts';
import { auditRecord } from '../../../support/storedRecords.ts';

const DAY = 86_400_000;
const START = 100 * DAY;

suite('The audit while the host runs', () => {
  let clock: FakeClock;
  let audit: StoredAudit;
  /** The requests to the store, in order. */
  let asked: string[];
  let logged: string[];
  let told: string[];
  let answer: () => Promise<void>;
  let limits: typeof DEFAULT_LIMITS;

  setup(() => {
    clock = new FakeClock(START);
    asked = [];
    logged = [];
    told = [];
    answer = () => Promise.resolve();
    limits = { ...DEFAULT_LIMITS, auditDays: 30 };
    const store: AuditStore = {
      append: (records) => {
        asked.push(`append ${names(records)}`);
        return answer();
      },
      list: ({ limit }) => {
        asked.push(`list ${limit}`);
        return Promise.resolve([]);
      },
      used: () => Promise.resolve([]),
      totals: () => Promise.resolve([]),
      trim: (before) => {
        asked.push(`trim ${Math.round(before / DAY)}`);
        return Promise.resolve();
      },
    };
    audit = new StoredAudit({
      clock,
      audit: store,
      limits: () => limits,
      log: { log: (level, message) => logged.push(`${level} ${message}`) },
    });
  });

  teardown(() => {
    audit.dispose();
    assert.equal(clock.waiting, 0);
  });

  function names(records: readonly AuditRecord[]): string {
    return records.length > 5 ? `${records.length} records` : records.map(({ detail }) => detail).join(' ');
  }

  function record(...details: readonly string[]): void {
    for (const detail of details) audit.record(auditRecord({ detail }));
  }

  function listen(): void {
    audit.onDidAppend((records) => told.push(names(records)));
  }

  test('writes records of a burst together, and announces them when they are stored', async () => {
    listen();
    const kept = new Deferred<void>();
    answer = () => kept.promise;
    record('a', 'b');
    await clock.advance(199);
    assert.deepEqual(asked, []);
    record('c');
    await clock.advance(1);
    assert.deepEqual([asked, told], [['trim 70', 'append a b c'], []]);
    kept.resolve();
    await settle();
    assert.deepEqual([told, clock.waiting], [['a b c'], 0]);
  });

  test('does not wait when there is much to write', () => {
    for (let i = 0; i < 600; i++) record(`${i}`);
    assert.deepEqual(asked, ['trim 70', 'append 256 records', 'append 256 records']);
  });

  test('removes what is too old at the first use and once a day, by the limit of the day', async () => {
    record('a');
    await audit.flush();
    await clock.advance(DAY - 1);
    record('b');
    await audit.flush();
    limits = { ...limits, auditDays: 7 };
    await clock.advance(1);
    record('c');
    await audit.flush();
    assert.deepEqual(asked, ['trim 70', 'append a', 'append b', 'trim 94', 'append c']);
  });

  test('what is listed holds all that was recorded before', async () => {
    record('a');
    assert.deepEqual(await audit.list({ limit: 5 }), []);
    assert.deepEqual(asked, ['trim 70', 'append a', 'list 5']);
  });

  test('flushing waits for what is being written already', async () => {
    const kept = new Deferred<void>();
    answer = () => kept.promise;
    record('a');
    await clock.advance(200);
    let isFlushed = false;
    const flushed = audit.flush().then(() => (isFlushed = true));
    await settle();
    assert.equal(isFlushed, false);
    kept.resolve();
    await flushed;
    assert.equal(isFlushed, true);
  });

  test('hands over what is left before its end, and takes nothing afterwards', async () => {
    listen();
    record('a');
    audit.dispose();
    assert.deepEqual(asked, ['trim 70', 'append a']);
    record('b');
    audit.kept(auditRecord({ detail: 'c' }));
    audit.dispose();
    await clock.advance(DAY);
    assert.deepEqual([asked, told], [['trim 70', 'append a'], []]);
  });

  test('says once that the store fails, and how much it cost when it works again', async () => {
    listen();
    answer = () => Promise.reject(new Error('The disk is full.'));
    for (const detail of ['a', 'b', 'c']) {
      record(detail);
      await audit.flush();
    }
    assert.deepEqual([logged, told], [['error The audit cannot be written: The disk is full.'], []]);
    answer = () => Promise.resolve();
    record('d');
    await audit.flush();
    assert.deepEqual(logged.slice(1), ['warn The audit is written again; records that are missing in it: 3.']);
    record('e');
    await audit.flush();
    assert.deepEqual([logged.length, told], [2, ['d', 'e']]);
  });

  test('holds no more than it can for a store that does not answer', async () => {
    const kept = new Deferred<void>();
    answer = () => kept.promise;
    for (let i = 0; i < 30_000; i++) record(`${i}`);
    assert.equal(asked.filter((each) => each.startsWith('append')).length, Math.floor(20_000 / 256));
    kept.resolve();
    await audit.flush();
    assert.match(logged.join(), /missing in it: 10000\./);
    record('after');
    await audit.flush();
    assert.equal(asked.at(-1), 'append after');
  });

  test('keeps the other records where one cannot be made', async () => {
    record('one');
    audit.recordLater(() => {
      throw new Error('too deep');
    });
    record('three');
    await clock.advance(200);
    record('four');
    await clock.advance(200);
    assert.deepEqual(
      [asked.filter((line) => line.startsWith('append')), logged],
      [['append one three', 'append four'], ['error A record of the audit could not be made: too deep']],
    );
  });

  test('announces records that were stored with their events in bursts, and does not write them again', async () => {
    audit.kept(auditRecord({ detail: 'nobody listens' }));
    assert.equal(clock.waiting, 0);
    listen();
    audit.kept(auditRecord({ detail: 'a' }));
    audit.kept(auditRecord({ detail: 'b' }));
    await clock.advance(200);
    assert.deepEqual([told, asked], [['a b'], ['trim 70']]);
  });

  test('cuts what is too long to be kept', async () => {
    let length: number | undefined;
    audit.onDidAppend(([first]) => (length = first?.detail?.length));
    record('x'.repeat(2_001));
    await audit.flush();
    assert.equal(length, 2_000);
  });
});
