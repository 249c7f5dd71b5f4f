import assert from 'node:assert/strict';
import { Deferred } from '../../../../src/core/base/async.ts';
import { newestOf } from '../../../../src/core/approvals/approvals.ts';
import {
  APPROVAL_KINDS,
  type ApprovalSubject,
  DECISION_OPERATIONS,
  isDecision,
} from '../../../../src/core/model/approval.ts';
import type { McplSnapshot } from '../../../../src/core/model/mcpl.ts';
import { type FakeClock, settle } from '../../../support/fakeClock.ts';
import { auditRecord, grant, scopeGrant } from '../../../support/storedRecords.ts';
import { type ApprovalCase, ApprovalWindows, failureOf, scopeRequest, START } from './approvalCase.ts';

const DAY = 86_400_000;
const DISK = new Error('The disk is full.');

suite('A remembered approval', () => {
  let windows: ApprovalWindows;
  let clock: FakeClock;
  let base: ApprovalWindows['base'];
  let broken: ApprovalWindows['broken'];
  let own: ApprovalCase;

  setup(() => {
    windows = new ApprovalWindows();
    ({ clock, base, broken } = windows);
    own = windows.open();
  });

  teardown(() => windows.close());

  test('is forgotten after once, kept in memory for the session, and in the store for the workspace', async () => {
    assert.deepEqual(
      [await own.decide('/a', 'once'), await own.decide('/b', 'session'), await own.decide('/c', 'workspace')],
      ['once', 'session', 'workspace'],
    );
    const remembered = ['workspace files print /c until 90 d', 'session files print /b for ever'];
    assert.deepEqual([own.state(), await windows.kept()], [remembered, ['files,print,key /c']]);
    assert.deepEqual(
      [await own.found('/a'), await own.found('/b'), await own.found('/c')],
      ['nothing', ...remembered.toReversed()],
    );
    const next = windows.open();
    await next.approvals.loaded();
    assert.deepEqual(next.state(), remembered.slice(0, 1));
    assert.deepEqual([await next.found('/b'), await next.found('/c')], ['nothing', remembered[0]]);
    assert.deepEqual(own.audit(), [
      '0 s | approval/granted | files | Allowed for this session: scope/elevate /b',
      '0 s | approval/granted | files | Allowed for this workspace: scope/elevate /c',
    ]);
  });

  test('holds for the same request of the same program of the same server only', async () => {
    await own.decide('/a', 'workspace');
    assert.deepEqual(
      [
        await own.found('/a', { server: 'other' }),
        await own.found('/a', { fingerprint: 'another' }),
        await own.found('/a', { key: 'another' }),
        await own.found('/a', { featureSet: undefined }),
      ],
      ['nothing', 'nothing', 'nothing', 'workspace files print /a until 90 d'],
    );
  });

  test('is on disk before the result is given', async () => {
    const disk = new Deferred<void>();
    broken.save = (each) => disk.promise.then(() => base.grants.save(each));
    own.ask('/a');
    await clock.advance(5_000);
    const answered = own.approvals.answer('q1', 'workspace');
    await clock.advance(120_000);
    const [outcome] = own.outcomes;
    assert.deepEqual(
      [outcome, own.state(), await own.found('/a'), own.audit()],
      ['waits', ['q1 files /a 0 s..60 s waiting 1'], 'nothing', []],
    );
    assert.equal(await own.approvals.answer('q1', 'deny'), false, 'it was answered');
    own.ask('/a');
    disk.resolve();
    assert.equal(await answered, true);
    await settle();
    assert.deepEqual(own.outcomes, ['workspace', 'workspace']);
    assert.deepEqual(own.audit(), [
      '125 s | approval/granted | files | Allowed for this workspace: scope/elevate /a | after 5000',
    ]);
  });

  test('counts once if it cannot be stored, and the user gets an error', async () => {
    broken.save = () => Promise.reject(DISK);
    own.ask('/a');
    assert.equal(await failureOf(own.approvals.answer('q1', 'workspace')), 'INTERNAL The disk is full.');
    await settle();
    assert.deepEqual(
      [own.outcomes, own.state(), await own.found('/a'), own.audit(), own.logged],
      [['once'], [], 'nothing', [], ['error: An approval holds for this one time only: The disk is full.']],
    );
    assert.equal(await own.decide('/b', 'session'), 'session');
  });

  test('is kept though who asked has left, or the server has ended, while it was being kept', async () => {
    const disk = new Deferred<void>();
    broken.save = (each) => disk.promise.then(() => base.grants.save(each));
    const asker = own.ask('/a');
    own.ask('/b', { server: 'other' });
    const answers = Promise.all([own.approvals.answer('q1', 'workspace'), own.approvals.answer('q2', 'workspace')]);
    asker.token.cancel();
    own.approvals.withdraw('other');
    await settle();
    assert.deepEqual([own.outcomes, own.state()], [['withdrawn', 'withdrawn'], []]);
    disk.resolve();
    assert.deepEqual(await answers, [true, true]);
    assert.equal(own.state().length, 2);
    assert.deepEqual(own.events.slice(2), ['settle q1 withdrawn (1 waited)', 'settle q2 withdrawn (1 waited)']);
  });

  test('ends at its time, in view and in the store', async () => {
    await own.decide('/a', 'workspace');
    let told = 0;
    await clock.advance(1_000);
    own.approvals.onDidChange(() => told++);
    await clock.advance(90 * DAY - 1_001);
    assert.deepEqual([own.state(), told], [['workspace files print /a until 90 d'], 0]);
    await clock.advance(1);
    assert.deepEqual([own.state(), told, await windows.kept(), await own.found('/a')], [[], 1, [], 'nothing']);
    assert.equal(own.audit().at(-1), '90 d | approval/expired | files | Its time is over: scope/elevate /a');
  });

  test('that ended while no window was open is removed when it is read', async () => {
    await own.decide('/a', 'workspace');
    await own.decide('/b', 'workspace');
    await own.approvals.setExpiry([own.approvals.remembered()[1]?.id ?? ''], START + DAY);
    own.dispose();
    await clock.advance(2 * DAY);
    const next = windows.open();
    await next.approvals.loaded();
    await settle();
    assert.deepEqual(
      [next.state(), await windows.kept()],
      [['workspace files print /b until 90 d'], ['files,print,key /b']],
    );
    assert.deepEqual(next.audit(), ['2 d | approval/expired | files | Its time is over: scope/elevate /a']);
  });

  test('allows nothing after its end, even before the end is processed', async () => {
    await own.decide('/a', 'workspace');
    await own.approvals.loaded();
    // Like a sleep of the machine: the time has advanced, and no timer has fired.
    clock.now = () => START + 91 * DAY;
    assert.deepEqual([await own.found('/a'), own.state()], ['nothing', []]);
  });

  test('ends though its timer was early', async () => {
    await own.decide('/a', 'workspace');
    await own.approvals.loaded();
    const now = clock.now.bind(clock);
    clock.now = () => now() - 2;
    await clock.advance(90 * DAY);
    assert.deepEqual([own.state(), own.audited.length], [['workspace files print /a until 90 d'], 1]);
    await clock.advance(2);
    assert.deepEqual([own.state(), own.audited.length, await windows.kept()], [[], 2, []]);
  });

  test('has one timer however many there are, and is not looked through for each that comes', async () => {
    let timers = 0;
    const delay = clock.delay.bind(clock);
    for (let i = 0; i < 200; i++) await base.grants.save(scopeGrant(`g${i}`, { at: START, until: START + DAY + i }));
    await own.approvals.loaded();
    const all = own.approvals.remembered().map(({ id }) => id);
    assert.equal(all.length, 200);
    clock.delay = (ms, callback) => {
      // Timers for views are shorter.
      if (ms > 1_000) timers++;
      return delay(ms, callback);
    };
    await own.approvals.setExpiry(all, START + 2 * DAY);
    assert.equal(timers, 0, 'made for ends that are later than the first');
    await own.approvals.setExpiry(all.slice(0, 5), START + DAY / 2);
    assert.equal(timers, 1);
    await clock.advance(DAY / 2);
    assert.equal(own.approvals.remembered().length, 195);
    await clock.advance(2 * DAY);
    assert.deepEqual([own.approvals.remembered().length, await windows.kept()], [0, []]);
    assert.equal(timers, 2, 'one more, for what was left then');
  });

  test('is not brought back by another end that is being kept while it is revoked', async () => {
    for (const operation of ['find', 'save'] as const) {
      await own.decide('/a', 'workspace');
      const ids = own.approvals.remembered().map(({ id }) => id);
      const disk = new Deferred<void>();
      if (operation === 'find')
        broken.find = (id) => base.grants.find(id).then((found) => disk.promise.then(() => found));
      else broken.save = (each) => base.grants.save(each).then(() => disk.promise);
      const changed = own.approvals.setExpiry(ids, undefined);
      await settle();
      await own.approvals.revoke(ids);
      disk.resolve();
      await changed;
      assert.deepEqual([own.state(), await windows.kept()], [[], []], operation);
      delete broken[operation];
    }
  });

  test('ends when the user says, or never', async () => {
    for (const target of ['/a', '/b', '/c']) await own.decide(target, target === '/c' ? 'session' : 'workspace');
    const [c, b, a] = own.approvals.remembered().map(({ id }) => id);
    await own.approvals.setExpiry([b ?? '', c ?? ''], START + DAY);
    await own.approvals.setExpiry([a ?? '', 'nobody'], undefined);
    const next = windows.open();
    await next.approvals.loaded();
    const [ofA, ofB] = ['workspace files print /a for ever', 'workspace files print /b until 1 d'];
    assert.deepEqual(next.state(), [ofB, ofA]);
    // At equal times, the last change comes first.
    assert.deepEqual(own.state(), [ofA, 'session files print /c until 1 d', ofB]);
    await clock.advance(DAY);
    assert.deepEqual([own.state(), await windows.kept()], [[ofA], ['files,print,key /a']]);
    assert.deepEqual(own.audit().slice(3, 6), [
      '0 s | approval/granted | files | Now ends 1970-01-02T00:16:40.000Z: scope/elevate /b',
      '0 s | approval/granted | files | Now ends 1970-01-02T00:16:40.000Z: scope/elevate /c',
      '0 s | approval/granted | files | Now does not end by itself: scope/elevate /a',
    ]);
    for (const until of [NaN, 0.5, Infinity, 9e15])
      assert.match(await failureOf(own.approvals.setExpiry([a ?? ''], until)), /^INVALID_ARGUMENTS /);
  });

  test('ends at once if its end is put into the past, and stays unchanged if that cannot be kept', async () => {
    await own.decide('/a', 'workspace');
    const ids = own.approvals.remembered().map(({ id }) => id);
    broken.save = () => Promise.reject(DISK);
    assert.equal(await failureOf(own.approvals.setExpiry(ids, START - 1)), 'Error: The disk is full.');
    assert.deepEqual(own.state(), ['workspace files print /a until 90 d']);
    delete broken.save;
    await own.approvals.setExpiry(ids, START - 1);
    await settle();
    assert.deepEqual([own.state(), await windows.kept()], [[], []]);
  });

  test('is taken back at once and durably, one by one or by what it is', async () => {
    for (const target of ['/a', '/b', '/c', '/d']) await own.decide(target, target === '/a' ? 'session' : 'workspace');
    const [, c, b] = own.approvals.remembered();
    await own.approvals.revoke([c?.id ?? '', 'nobody']);
    await own.approvals.revokeWhere(({ targets }) => targets.includes('/a'), 'The set is off');
    const revoked = own.approvals.revokeWhere(({ id }) => id === b?.id, 'The set is off');
    assert.deepEqual(own.state(), ['workspace files print /d until 90 d']);
    await revoked;
    assert.deepEqual([await windows.kept(), await own.found('/b')], [['files,print,key /d'], 'nothing']);
    assert.deepEqual(own.audit().slice(4), [
      '0 s | approval/revoked | files | Taken back by the person: scope/elevate /c',
      '0 s | approval/revoked | files | The set is off: scope/elevate /a',
      '0 s | approval/revoked | files | The set is off: scope/elevate /b',
    ]);
  });

  test('that another window revoked allows nothing here, and is not brought back by another end', async () => {
    await own.decide('/a', 'workspace');
    await own.decide('/b', 'workspace');
    const other = windows.open();
    await other.approvals.loaded();
    const ids = own.approvals.remembered().map(({ id }) => id);
    await own.approvals.revoke(ids);
    assert.deepEqual(other.state().length, 2);
    assert.equal(await other.found('/a'), 'nothing');
    assert.deepEqual(other.state(), ['workspace files print /b until 90 d']);
    await other.approvals.setExpiry(ids, undefined);
    assert.deepEqual([other.state(), await windows.kept()], [[], []]);
  });

  test('that another window gave another end ends then here as well', async () => {
    await own.decide('/a', 'workspace');
    const other = windows.open();
    await other.approvals.loaded();
    await own.approvals.setExpiry(
      own.approvals.remembered().map(({ id }) => id),
      START + DAY,
    );
    assert.equal(await other.found('/a'), 'workspace files print /a until 1 d');
    await clock.advance(DAY);
    assert.deepEqual([other.state(), await other.found('/a')], [[], 'nothing']);
  });

  test('allows nothing while the store cannot say that it still holds', async () => {
    await own.decide('/a', 'workspace');
    broken.find = () => Promise.reject(DISK);
    assert.equal(await own.found('/a'), 'nothing');
    delete broken.find;
    assert.equal(await own.found('/a'), 'workspace files print /a until 90 d');
    assert.deepEqual(own.logged, ['warn: Whether an approval still holds could not be read: The disk is full.']);
  });

  test('allows nothing where the store has something else in its place', async () => {
    for (const differing of [{ server: 'other' }, { fingerprint: 'another' }, { key: 'another' }, { until: START }]) {
      await own.decide('/a', 'workspace');
      const [approved] = own.approvals.remembered();
      assert.ok(approved !== undefined);
      await base.grants.save({ ...approved, ...differing });
      assert.deepEqual([await own.found('/a'), own.state()], ['nothing', []]);
    }
  });

  test('allows nothing if it is revoked while the store is asked', async () => {
    await own.decide('/a', 'workspace');
    const disk = new Deferred<void>();
    broken.find = (id) => base.grants.find(id).then((found) => disk.promise.then(() => found));
    const found = own.found('/a');
    await settle();
    await own.approvals.revokeWhere(() => true, 'The set is off');
    disk.resolve();
    assert.deepEqual([await found, own.state()], ['nothing', []]);
  });

  test('is gone though it was revoked before it was kept', async () => {
    const disk = new Deferred<void>();
    broken.save = (each) => disk.promise.then(() => base.grants.save(each));
    broken.revoke = (ids) => disk.promise.then(() => base.grants.revoke(ids));
    own.ask('/a');
    const answered = own.approvals.answer('q1', 'workspace');
    const revoked = own.approvals.revokeWhere(({ server }) => server === 'files', 'The set is off');
    await settle();
    disk.resolve();
    await Promise.all([answered, revoked]);
    assert.deepEqual([own.state(), await windows.kept(), await own.found('/a')], [[], [], 'nothing']);
    assert.deepEqual(own.audit(), ['0 s | approval/revoked | files | The set is off: scope/elevate /a']);
    assert.equal(await own.decide('/a', 'workspace'), 'workspace');
    assert.equal(await own.found('/a'), 'workspace files print /a until 90 d');
  });

  test('is not allowed any more if it cannot be removed from the store, and the next write tries again', async () => {
    await own.decide('/a', 'workspace');
    await own.decide('/b', 'workspace');
    const [b, a] = own.approvals.remembered().map(({ id }) => id);
    broken.revoke = () => Promise.reject(DISK);
    assert.equal(await failureOf(own.approvals.revoke([a ?? ''])), 'Error: The disk is full.');
    assert.deepEqual(
      [await own.found('/a'), await windows.kept()],
      ['nothing', ['files,print,key /a', 'files,print,key /b']],
    );
    delete broken.revoke;
    await own.decide('/a', 'session');
    await own.approvals.revoke([b ?? '']);
    assert.deepEqual([await windows.kept(), own.state()], [[], ['session files print /a for ever']]);
    broken.revoke = () => Promise.reject(DISK);
    await own.decide('/a', 'workspace');
    assert.equal(await failureOf(own.approvals.revoke([a ?? ''])), 'Error: The disk is full.');
    await own.decide('/a', 'workspace');
    assert.equal(await own.found('/a'), 'workspace files print /a until 90 d', 'what is approved again is approved');
  });

  test('of earlier sessions is read by whoever looks first, and what was decided meanwhile is newer', async () => {
    await own.decide('/a', 'workspace');
    await own.decide('/b', 'workspace');
    await own.decide('/d', 'workspace');
    await base.grants.save(grant('a feature set'));
    await clock.advance(1_000);
    const disk = new Deferred<void>();
    const list = base.grants.list();
    broken.list = () => disk.promise.then(() => list);
    const next = windows.open();
    assert.deepEqual(next.state(), []);
    const found = next.found('/a');
    await next.decide('/b', 'session');
    const [b] = next.approvals.remembered();
    await next.approvals.revoke([b?.id ?? '']);
    await next.decide('/c', 'session');
    await next.decide('/d', 'session');
    disk.resolve();
    assert.equal(await found, 'workspace files print /a until 90 d');
    // Revoked grants stay revoked, regardless of their lifetime.
    assert.deepEqual(next.state(), [
      'session files print /d for ever',
      'session files print /c for ever',
      'workspace files print /a until 90 d',
    ]);
    assert.deepEqual(await windows.kept(), ['files,print,key /a', 'files,print,key /d', 'a feature set']);
  });

  test('that was revoked before it was read does not come back when it is', async () => {
    await own.decide('/a', 'workspace');
    const disk = new Deferred<void>();
    const list = base.grants.list();
    broken.list = () => disk.promise.then(() => list);
    const next = windows.open();
    const revoked = next.approvals.revokeWhere(({ fingerprint }) => fingerprint === 'print', 'Another program');
    const found = next.found('/a');
    disk.resolve();
    await revoked;
    assert.deepEqual([await found, next.state(), await windows.kept()], ['nothing', [], []]);
  });

  test('is read again after a failed read, and revoking it meanwhile fails with an error', async () => {
    await own.decide('/a', 'workspace');
    let reads = 0;
    broken.list = () => {
      reads++;
      return Promise.reject(DISK);
    };
    const next = windows.open();
    await next.approvals.loaded();
    assert.deepEqual([next.state(), next.state(), reads], [[], [], 1]);
    assert.equal(await next.found('/a'), 'nothing');
    assert.match(await failureOf(next.approvals.revokeWhere(() => true, 'why')), /^STORAGE_FAILED The approvals of/);
    delete broken.list;
    assert.equal(await next.found('/a'), 'workspace files print /a until 90 d');
    assert.deepEqual(
      next.logged,
      Array(3).fill('error: The approvals of earlier sessions could not be read: The disk is full.'),
    );
  });

  test('is replaced by what is approved for the same request later', async () => {
    await own.decide('/a', 'session');
    await own.decide('/b', 'session');
    await clock.advance(1_000);
    await own.decide('/a', 'workspace');
    assert.deepEqual(
      own.state().map((line) => line.split(' until')[0]),
      ['workspace files print /a', 'session files print /b for ever'],
    );
  });

  test('is bounded in number, and in its texts', async () => {
    const many = Array.from({ length: 12_005 }, (_, i) => scopeGrant(`g${i}`, { at: i, until: undefined }));
    for (const each of many) await base.grants.save(each);
    await own.approvals.loaded();
    await settle();
    assert.deepEqual(
      [own.approvals.remembered().length, own.approvals.remembered().at(-1)?.id, (await base.grants.list()).length],
      [10_000, 'g2005', 10_000],
    );
    const long = 'x'.repeat(10_000);
    const { subject } = scopeRequest(long);
    // The first one occurs twice. All others differ.
    const targetsNow = [0, ...Array(299).keys()].map((i) => ({ ...subject.targets[0]!, real: `${i}${long}` }));
    own.ask('long', { subject: { ...subject, targets: targetsNow } });
    await own.approvals.answer('q1', 'workspace');
    await settle();
    const [newest] = own.approvals.remembered();
    const { label, targets } = newest ?? { label: '', targets: [] };
    assert.deepEqual([label?.length, targets.length, targets[0]?.length], [4_096, 256, 4_096]);
    const { detail } = own.audited.find(({ operation }) => operation === 'approval/granted') ?? {};
    assert.match(detail ?? '', /^Allowed for this workspace: scope\/elevate 0x{198}…, 1x.*, 251 more$/);
    assert.deepEqual([own.approvals.remembered().length, (await base.grants.list()).length], [10_000, 10_000]);
  });

  test('is the same list until something changes', async () => {
    await own.decide('/a', 'session');
    const list = own.approvals.remembered();
    assert.equal(own.approvals.remembered(), list);
    await own.decide('/b', 'session');
    assert.notEqual(own.approvals.remembered(), list);
  });

  test('can be looked back at: the decisions of the audit, the newest first', async () => {
    const operations = ['scope/decision', 'tools/call', 'scope/decision', 'scope/decision'];
    await base.audit.append(operations.map((operation, at) => auditRecord({ operation, at })));
    const times = (await own.approvals.history(2)).map(({ at }) => at);
    assert.deepEqual(times, [3, 2]);
  });

  test('covers no request of another kind, even with an equal key', async () => {
    await own.decide('/a', 'workspace');
    const subject = { ...scopeRequest('/a').subject, kind: 'file' } as unknown as ApprovalSubject;
    assert.equal(await own.found('/a', { subject }), 'nothing');
    own.ask('/b');
    own.ask('/b', { subject });
    assert.equal(own.approvals.pending().length, 2);
    assert.equal(await own.found('/a'), 'workspace files print /a until 90 d');
  });

  test('has a history of the decisions on every kind', async () => {
    const operations = ['scope/decision', 'file/decision', 'tools/call', 'file/decision', 'scope/decision'];
    await base.audit.append(operations.map((operation, at) => auditRecord({ operation, at })));
    const newest = await newestOf(base.audit, ['scope/decision', 'file/decision'], 3);
    assert.deepEqual(
      newest.map(({ at, operation }) => `${at} ${operation}`),
      ['4 scope/decision', '3 file/decision', '1 file/decision'],
    );
    assert.deepEqual(Object.keys(DECISION_OPERATIONS), [...APPROVAL_KINDS]);
    assert.deepEqual(operations.map(isDecision), [true, false, false, false, true]);
  });

  test('ends with its feature set, whatever its kind', async () => {
    await own.decide('/a', 'session');
    await own.decide('/b', 'workspace');
    const waits = own.ask('/c');
    const sets = [{ set: { name: 'files.edit' }, state: 'enabled' }];
    const mcpl = { sets } as unknown as McplSnapshot;
    await own.approvals.endOfSetsOff({ id: 'files', mcpl });
    await own.approvals.endOfSetsOff({ id: 'other', mcpl: undefined });
    assert.equal(own.approvals.remembered().length, 2);
    await own.approvals.endOfSetsOff({ id: 'files', mcpl: { ...mcpl, sets: [] } });
    await settle();
    assert.deepEqual(
      [own.state(), await windows.kept(), waits.outcome],
      [[], [], { kind: 'denied', why: 'withdrawn' }],
    );
  });
});
