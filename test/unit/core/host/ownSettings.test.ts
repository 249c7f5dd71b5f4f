import assert from 'node:assert/strict';
import { Deferred } from '../../../../src/core/base/async.ts';
import type { Json } from '../../../../src/core/base/json.ts';
import type { HostLimits } from '../../../../src/core/model/server.ts';
import type { WeakeningAnswer } from '../../../../src/core/ports.ts';
import { memoryStorage } from '../../../../src/node/store/memoryStorage.ts';
import { settle } from '../../../support/fakeClock.ts';
import { ScriptedServer, tool } from '../../../support/scriptedServer.ts';
import { TestHost } from '../../../support/testHost.ts';

const guard = { command: 'x', enabled: true, hooks: { afterInference: 'failClosed' } };
const turn = { conversationId: 'c', turnIndex: 0, userMessage: 'Hi', messages: [], justification: 'test' };
const OFF = 'guard: enabled false instead of true';
const RUNNING = 'guard: running 2025-06-18 pid 101';
const KEPT = ' !guard.enabled: Your own value (true) stays in effect until you agree to this one.';

suite('A workspace that weakens the user’s own settings', () => {
  test('does not turn off a guard before the user agrees, and is asked about once', async () => {
    const storage = memoryStorage();
    const t = new TestHost(storage);
    const answer = new Deferred<WeakeningAnswer>();
    t.weakeningAnswer = answer.promise;
    await t.user({ guard }, { guard: { enabled: false } });
    assert.deepEqual([t.show(), t.weakenings, t.questions], [`${RUNNING}${KEPT}`, [OFF], []]);
    // Another change of settings does not ask again.
    await t.user({ guard, other: { command: 'y' } }, { guard: { enabled: false } });
    assert.deepEqual(t.weakenings, [OFF]);
    answer.resolve('allow');
    await settle();
    assert.equal(t.show(), 'guard: stopped (notStarted)\nother: stopped (notStarted)');
    await assert.rejects(t.host.runTurn(turn), { code: 'NO_MODEL' });
    await t.host.close();

    // The answer is remembered, and the guard is not started before it is read.
    const next = new TestHost(storage);
    await next.user({ guard }, { guard: { enabled: false } });
    assert.deepEqual([next.show(), next.weakenings, next.servers.length], ['guard: stopped (notStarted)', [], 0]);
    await next.host.close();
  });

  test('is not asked about again after Keep Mine, and is after a dismissed question', async () => {
    for (const [given, asked] of [
      ['keep', []],
      ['dismissed', [OFF]],
    ] as const) {
      const storage = memoryStorage();
      const t = new TestHost(storage);
      t.weakeningAnswer = given;
      await t.user({ guard }, { guard: { enabled: false } });
      await t.host.close();
      const next = new TestHost(storage);
      await next.user({ guard }, { guard: { enabled: false } });
      assert.deepEqual([next.show(), next.weakenings], [`${RUNNING}${KEPT}`, asked], given);
      await next.host.close();
    }
  });

  test('is asked about again when it wants another value', async () => {
    const t = new TestHost();
    t.weakeningAnswer = 'allow';
    const order = (value: number): Json => ({ guard: { hooks: { order: value } } });
    await t.user({ guard }, order(5));
    await t.user({ guard }, order(6));
    await t.user({ guard }, order(5));
    assert.deepEqual(t.weakenings, ['guard: hooks.order 5 instead of 0', 'guard: hooks.order 6 instead of 0']);
    await t.host.close();
  });

  test('withholds answers while the guard whose entry it broke does not run', async () => {
    for (const broken of [null, 5, { args: 7 }, { enabled: 'no' }, { url: 'https://a' }, { hooks: 3 }]) {
      const t = new TestHost();
      await t.user({ guard }, { guard: broken });
      await assert.rejects(t.host.runTurn(turn), { code: 'ANSWER_WITHHELD' }, JSON.stringify(broken));
      await t.host.close();
    }
  });

  test('withholds answers while its own program in place of the guard is not allowed', async () => {
    const t = new TestHost();
    t.answer = 'dontStart';
    await t.user({ guard }, { guard: { command: 'true', enabled: false } });
    assert.match(t.show(), /^guard: stopped \(notApproved\)/);
    await assert.rejects(t.host.runTurn(turn), { code: 'ANSWER_WITHHELD' });
    await t.host.close();
  });

  test('does not turn off a guard by making it none in the same breath', async () => {
    const t = new TestHost();
    const sets = { featureSets: { enabled: ['a'] } };
    const hooks = { afterInference: 'failOpen', positions: [], readUserMessage: false };
    await t.user({ guard: { ...guard, ...sets } }, { guard: { enabled: false, hooks, featureSets: { enabled: [] } } });
    const now = t.host.server('guard')?.definition;
    assert.deepEqual(
      [now?.enabled, now?.mcpl.featureSets, now?.mcpl.hooks.afterInference, now?.mcpl.hooks.positions.length],
      [true, { enabled: ['a'], disabled: [] }, 'failClosed', 2],
    );
    assert.deepEqual(t.weakenings, [
      'guard: enabled false instead of true, featureSets.enabled [[],[]] instead of [["a"],[]], ' +
        'hooks.readUserMessage false instead of true, hooks.positions [] instead of ["beforeUser","afterUser"], ' +
        'hooks.afterInference "failOpen" instead of "failClosed"',
    ]);
    await t.host.close();
  });

  test('is looked up in the store only if there is one', async () => {
    const storage = memoryStorage();
    let lists = 0;
    const consents = { ...storage.consents, list: () => (lists++, storage.consents.list()) };
    const t = new TestHost({ ...storage, consents });
    await t.user({ guard }, { guard: { enabled: true, timeouts: { start: 1 } } });
    assert.equal(lists, 0);
    await t.user({ guard }, { guard: { enabled: false } });
    await t.user({ guard }, { guard: { hooks: { order: 1 } } });
    assert.equal(lists, 1);
    await t.host.close();
  });

  test('shows no hidden tool before the user agrees, and keeps what it hides besides', async () => {
    const t = new TestHost();
    t.connect = () => new ScriptedServer({ 'tools/list': () => ({ tools: [tool('rm'), tool('ls'), tool('cp')] }) });
    await t.user(
      { a: { command: 'x', enabled: true, tools: { hidden: ['rm'] } } },
      { a: { tools: { hidden: ['ls'] } } },
    );
    assert.equal(
      t.show(),
      'a: running 2025-06-18 pid 101 [rm hidden, ls hidden, cp] ' +
        '!a.tools.hidden: Your own value (["rm"]) stays in effect until you agree to this one.',
    );
    assert.deepEqual(t.weakenings, ['a: tools.hidden ["ls"] instead of ["rm"]']);
    await t.host.close();
  });

  test('asks nothing where the change was made in one of our own views', async () => {
    const t = new TestHost();
    await t.user({ guard });
    t.host.allowChange('guard', ['enabled']);
    await t.user({ guard }, { guard: { enabled: false } });
    assert.deepEqual([t.show(), t.weakenings], ['guard: stopped (notStarted)', []]);
    // It covers only that change.
    await t.user({ guard }, { guard: { enabled: false, hooks: { order: 1 } } });
    assert.deepEqual(t.weakenings, ['guard: hooks.order 1 instead of 0']);
    t.host.allowChange('guard', ['hooks.order']);
    await t.user({ guard }, { guard: { enabled: false, hooks: { order: 2 } } });
    assert.equal(t.weakenings.length, 1);
    await t.user({ guard }, { guard: { enabled: false, hooks: { order: 3 } } });
    assert.equal(t.weakenings.at(-1), 'guard: hooks.order 3 instead of 0');
    await t.host.close();

    const late = new TestHost();
    await late.user({ guard });
    late.host.allowChange('guard', ['enabled']);
    await late.clock.advance(10_001);
    await late.user({ guard }, { guard: { enabled: false } });
    assert.deepEqual(late.weakenings, [OFF]);
    await late.host.close();
  });

  test('is asked about again after the consents were forgotten', async () => {
    const t = new TestHost();
    t.weakeningAnswer = 'allow';
    await t.user({ guard }, { guard: { enabled: false } });
    t.weakeningAnswer = 'keep';
    await t.host.forgetConsent('guard');
    await settle();
    assert.deepEqual([t.show(), t.weakenings], [`${RUNNING}${KEPT}`, [OFF, OFF]]);
    await t.host.close();
  });

  test('changes no limit of the window before the user agrees', async () => {
    const storage = memoryStorage();
    const limits: Partial<HostLimits> = { auditDays: 1, maxCheckpoints: 1, model: 'cheap', approvalSeconds: 5 };
    const configure = async (t: TestHost): Promise<HostLimits> => {
      t.host.configure({ trusted: true, layers: [], limits, ownLimits: { auditDays: 90 } });
      await settle();
      return t.host.limits;
    };
    const t = new TestHost(storage);
    const { auditDays, maxCheckpoints, model, approvalSeconds } = await configure(t);
    assert.deepEqual([auditDays, maxCheckpoints, model, approvalSeconds], [90, 10_000, undefined, 5]);
    assert.deepEqual(t.weakenings, [
      'window: mcpl.audit.retentionDays 1 instead of 90, mcpl.inference.model "cheap" instead of "", ' +
        'mcpl.state.maxCount 1 instead of 10000',
    ]);
    await t.host.close();
    const next = new TestHost(storage);
    next.weakeningAnswer = 'allow';
    await configure(next);
    assert.deepEqual(
      [next.host.limits.auditDays, next.host.limits.maxCheckpoints, next.host.limits.model],
      [1, 1, 'cheap'],
    );
    await next.host.close();
  });

  test('asks no question in Restricted Mode, and withdraws its question when its settings change back', async () => {
    const t = new TestHost();
    t.weakeningAnswer = new Promise<WeakeningAnswer>(() => undefined);
    const layers = (enabled: boolean): Parameters<TestHost['host']['configure']>[0]['layers'] => [
      { scope: 'user', servers: { guard } },
      { scope: 'workspace', servers: { guard: { enabled } } },
    ];
    t.host.configure({ trusted: false, layers: layers(false) });
    await settle();
    assert.deepEqual(t.weakenings, []);
    t.host.configure({ trusted: true, layers: layers(false) });
    t.host.configure({ trusted: true, layers: layers(true) });
    t.host.configure({ trusted: true, layers: layers(false) });
    await settle();
    assert.deepEqual(t.weakenings, [OFF, OFF]);
    await t.host.close();
  });
});
