import assert from 'node:assert/strict';
import { Deferred } from '../../../../src/core/base/async.ts';
import { isHostError } from '../../../../src/core/base/errors.ts';
import { type FakeClock, settle } from '../../../support/fakeClock.ts';
import { scopeGrant } from '../../../support/storedRecords.ts';
import { type ApprovalCase, ApprovalWindows, failureOf, plainId, scopeRequest, START } from './approvalCase.ts';

const DAY = 86_400_000;
const DISK = new Error('The disk is full.');

suite('An approval in the store', () => {
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

  test('is given up a thousand at a time where the store has more than are kept, and each is recorded once', async () => {
    for (let i = 0; i < 12_005; i++) await base.grants.save(scopeGrant(`g${i}`, { at: i, until: undefined }));
    const batches: number[] = [];
    broken.revoke = (ids) => {
      batches.push(ids.length);
      return base.grants.revoke(ids);
    };
    await own.approvals.loaded();
    await settle();
    assert.deepEqual([batches, own.audited.length, own.logged], [[1_000, 1_000, 5], 2_005, []]);
    assert.equal(own.audit()[0], '0 s | approval/revoked | files | There were too many: scope/elevate /etc/hosts');
  });

  test('is kept with many others, below the limit', async () => {
    for (let i = 0; i < 6_000; i++) await base.grants.save(scopeGrant(`g${i}`, { at: i, until: undefined }));
    await own.approvals.loaded();
    await settle();
    assert.deepEqual([own.approvals.remembered().length, own.audited.length], [6_000, 0]);
  });

  test('counts what was decided while the store was read among the many', async () => {
    for (let i = 0; i < 10_000; i++) await base.grants.save(scopeGrant(`g${i}`, { at: i, until: undefined }));
    const disk = new Deferred<void>();
    broken.list = () => disk.promise.then(() => base.grants.list());
    const loaded = own.approvals.loaded();
    await own.decide('/a', 'session');
    broken.revoke = () => Promise.reject(DISK);
    disk.resolve();
    await loaded;
    await settle();
    assert.deepEqual(
      [own.approvals.remembered().length, own.approvals.remembered().at(-1)?.id, own.logged],
      [10_000, 'g1', ['warn: Approvals that ended could not be removed: The disk is full.']],
    );
  });

  test('is gone from view and named in the log where the store cannot remove it', async () => {
    broken.revoke = () => Promise.reject(DISK);
    for (let i = 0; i < 10_001; i++) await base.grants.save(scopeGrant(`g${i}`, { at: START, until: START + DAY }));
    await own.approvals.loaded();
    await settle();
    const failed = 'warn: Approvals that ended could not be removed: The disk is full.';
    assert.deepEqual([own.approvals.remembered().length, own.logged], [10_000, [failed]]);
    await clock.advance(DAY);
    assert.deepEqual([own.state(), own.logged], [[], [failed, failed]]);
  });

  test('is listed on the first access, and views are notified only if there is one', async () => {
    let told = 0;
    own.approvals.onDidChange(() => told++);
    assert.deepEqual(own.state(), []);
    await clock.advance(1_000);
    assert.equal(told, 0);
    await own.decide('/a', 'workspace');
    await clock.advance(1_000);
    const next = windows.open();
    told = 0;
    next.approvals.onDidChange(() => told++);
    assert.deepEqual(next.state(), []);
    await settle();
    assert.deepEqual([next.state(), told], [['workspace files print /a until 7776001 s'], 1]);
    const list = next.approvals.remembered();
    await next.found('/a');
    await clock.advance(1_000);
    assert.equal(next.approvals.remembered(), list, 'a look at what holds changes nothing');
    assert.equal(told, 1);
  });

  test('needs nothing of the store to hold for the session', async () => {
    let reads = 0;
    broken.list = () => {
      reads++;
      return base.grants.list();
    };
    let removals = 0;
    broken.revoke = (ids) => {
      removals++;
      return base.grants.revoke(ids);
    };
    await own.decide('/a', 'session');
    assert.equal(reads, 0);
    let isReady = false;
    void own.approvals.loaded().then(() => (isReady = true));
    assert.equal(isReady, false);
    await settle();
    assert.deepEqual([reads, isReady, removals], [1, true, 0]);
  });

  test('is neither read, removed nor logged by a window that was closed meanwhile', async () => {
    await own.decide('/a', 'workspace');
    await clock.advance(91 * DAY);
    await base.grants.save(scopeGrant('over', { until: START }));
    for (const isBroken of [false, true]) {
      const disk = new Deferred<void>();
      broken.list = () => disk.promise.then(() => (isBroken ? Promise.reject(DISK) : base.grants.list()));
      const next = windows.open();
      const loaded = next.approvals.loaded();
      next.dispose();
      disk.resolve();
      await loaded;
      await settle();
      assert.deepEqual([next.state(), next.audit(), next.logged, clock.waiting], [[], [], [], 0]);
      assert.deepEqual(await windows.kept(), ['over']);
    }
  });

  test('that ended leaves those that still hold in the list, though no timer has fired', async () => {
    await own.decide('/a', 'workspace');
    await own.decide('/b', 'session');
    await own.approvals.loaded();
    own.approvals.remembered();
    clock.now = () => START + 91 * DAY;
    assert.deepEqual(own.state(), ['session files print /b for ever']);
  });

  test('is found with a new answer during a read, unless that has ended', async () => {
    await own.decide('/a', 'workspace');
    const disk = new Deferred<void>();
    broken.find = (id) => base.grants.find(id).then((found) => disk.promise.then(() => found));
    const found = own.found('/a');
    await settle();
    await own.decide('/a', 'session');
    disk.resolve();
    assert.equal(await found, 'session files print /a for ever');

    delete broken.find;
    await own.decide('/b', 'workspace');
    const again = new Deferred<void>();
    const foundAgain = ((): Promise<string> => {
      broken.find = (id) => base.grants.find(id).then((kept) => again.promise.then(() => kept));
      return own.found('/b');
    })();
    await settle();
    await own.decide('/b', 'workspace');
    clock.now = () => START + 91 * DAY;
    again.resolve();
    assert.equal(await foundAgain, 'nothing');
  });

  test('stays revoked though an earlier answer to the same request was kept before and a later one after', async () => {
    await own.approvals.loaded();
    const disks = [new Deferred<void>(), new Deferred<void>()];
    let saves = 0;
    broken.save = (each) => (disks[saves++]?.promise ?? Promise.resolve()).then(() => base.grants.save(each));
    // Two questions, because they show different arguments, but one grant.
    own.ask('/a');
    own.ask('/a', { call: { server: 'files', tool: 'append', args: { text: 'x' }, route: 'command' } });
    const answers = [own.approvals.answer('q1', 'workspace'), own.approvals.answer('q2', 'workspace')];
    disks[0]?.resolve();
    await answers[0];
    await own.approvals.revokeWhere(() => true, 'The set is off');
    disks[1]?.resolve();
    await answers[1];
    assert.deepEqual([own.state(), await own.found('/a')], [[], 'nothing']);
  });

  test('keeps a new answer while another expiry is being stored', async () => {
    await own.decide('/a', 'workspace');
    const ids = own.approvals.remembered().map(({ id }) => id);
    const disk = new Deferred<void>();
    // Another window has revoked it.
    broken.find = () => disk.promise.then(() => undefined);
    const changed = own.approvals.setExpiry(ids, undefined);
    await settle();
    await own.decide('/a', 'session');
    disk.resolve();
    await changed;
    assert.deepEqual(own.state(), ['session files print /a for ever']);
  });

  test('is removed from the store after the read if it was revoked before', async () => {
    const revoked: string[] = [];
    broken.revoke = (ids) => {
      revoked.push(ids.map(plainId).join(' '));
      return base.grants.revoke(ids);
    };
    const disk = new Deferred<void>();
    const list = base.grants.list();
    broken.list = () => disk.promise.then(() => list);
    const loaded = own.approvals.loaded();
    await own.decide('/a', 'session');
    await own.decide('/b', 'session');
    await own.approvals.revoke(
      own.approvals
        .remembered()
        .map(({ id }) => id)
        .slice(1),
    );
    disk.resolve();
    await loaded;
    await settle();
    await own.approvals.revoke(own.approvals.remembered().map(({ id }) => id));
    assert.deepEqual(revoked, ['files,print,key /a', 'files,print,key /a', 'files,print,key /b']);
  });

  test('and cannot be taken back durably says so, though what earlier sessions left is still being read', async () => {
    await own.decide('/a', 'session');
    const disk = new Deferred<void>();
    broken.list = () => disk.promise.then(() => base.grants.list());
    broken.revoke = () => Promise.reject(DISK);
    const revoked = failureOf(own.approvals.revokeWhere(() => true, 'The set is off'));
    await settle();
    disk.resolve();
    assert.equal(await revoked, 'Error: The disk is full.');
    assert.deepEqual(own.state(), []);
  });

  test('may end at the last moment that a date can name', async () => {
    await own.decide('/a', 'session');
    const ids = own.approvals.remembered().map(({ id }) => id);
    await own.approvals.setExpiry(ids, 8.64e15);
    assert.equal(own.approvals.remembered()[0]?.until, 8.64e15);
    assert.match(own.audit().at(-1) ?? '', /Now ends \+275760-09-13T00:00:00.000Z/);
    assert.match(await failureOf(own.approvals.setExpiry(ids, 8.64e15 + 1)), /^INVALID_ARGUMENTS /);
    await own.approvals.setExpiry(ids, -8.64e15);
    assert.deepEqual(own.state(), []);
  });

  test('ends in the order of the ends, whatever order the store has', async () => {
    for (const [id, days] of [
      ['none', undefined],
      ['third', 3],
      ['first', 1],
      ['second', 2],
    ] as const)
      await base.grants.save(scopeGrant(id, { until: days === undefined ? undefined : START + days * DAY }));
    await own.approvals.loaded();
    const left: string[] = [];
    for (let day = 0; day < 4; day++) {
      left.push((await windows.kept()).join(' '));
      await clock.advance(DAY);
    }
    assert.deepEqual(left, ['none third first second', 'none third second', 'none third', 'none']);
    assert.equal(clock.waiting, 0);
  });

  test('that cannot be changed fails with what to do next', async () => {
    broken.list = () => Promise.reject(DISK);
    for (const [work, expected] of [
      [
        () => own.approvals.revokeWhere(() => true, 'why'),
        'STORAGE_FAILED host none: The approvals of earlier sessions could not be read. Look into the log of MCP Live, and try again.',
      ],
      [
        () => own.approvals.setExpiry([], NaN),
        'INVALID_ARGUMENTS host none: That is no time at which an approval could end. Choose another time.',
      ],
    ] as const) {
      const error = await work().catch((caught: unknown) => caught);
      assert.ok(isHostError(error));
      const { code, layer, effect, message, suggestion } = error;
      assert.equal(`${code} ${layer} ${effect}: ${message} ${suggestion}`, expected);
    }
  });

  test('is known by an id of 32 characters', async () => {
    await own.decide(`/a/${'long/'.repeat(20)}`, 'workspace');
    assert.deepEqual([own.approvals.remembered()[0]?.id.length, (await base.grants.list())[0]?.id.length], [32, 32]);
  });

  test('is recorded with the tool or the elevation, and with five of its targets', async () => {
    const { subject } = scopeRequest('/a');
    const targetsOf = (count: number) =>
      Array.from({ length: count }, (_, i) => ({ ...subject.targets[0]!, real: `/t${i + 1}` }));
    const call = { kind: 'call', tool: 'append', route: 'command' } as const;
    for (const [key, differing] of [
      ['none', { ...subject, label: undefined, targets: [] }],
      ['five', { ...subject, action: call, targets: targetsOf(5) }],
      ['six', { ...subject, targets: targetsOf(6) }],
    ] as const) {
      own.ask(key, { subject: differing });
      await own.approvals.answer(own.approvals.pending().at(-1)?.id ?? '', 'session');
    }
    assert.deepEqual(
      own.approvals.remembered().map(({ action, label, targets }) => [action, label, targets.length]),
      [
        ['scope/elevate', '/a', 6],
        ['append', '/a', 5],
        ['scope/elevate', undefined, 0],
      ],
    );
    assert.deepEqual(
      own.audited.map(({ detail, outcome }) => `${outcome} ${detail}`),
      [
        'success Allowed for this session: scope/elevate',
        'success Allowed for this session: append /t1, /t2, /t3, /t4, /t5',
        'success Allowed for this session: scope/elevate /t1, /t2, /t3, /t4, /t5, 1 more',
      ],
    );
  });
});
