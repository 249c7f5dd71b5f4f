import assert from 'node:assert/strict';
import { Deferred } from '../../../../src/core/base/async.ts';
import { isHostError } from '../../../../src/core/base/errors.ts';
import type { StartAnswer } from '../../../../src/core/ports.ts';
import { memoryStorage } from '../../../../src/node/store/memoryStorage.ts';
import { settle } from '../../../support/fakeClock.ts';
import { scopeText } from '../../../support/scopeEntries.ts';
import { ScriptedServer, tool } from '../../../support/scriptedServer.ts';
import { TestHost } from '../../../support/testHost.ts';

const theirs = { command: '${workspaceFolder}/run', args: ['--all'], env: { A: '1' }, envFile: '.env', enabled: true };

suite('Consent to start a server', () => {
  test('is asked once for what the workspace defines, with the whole command line, and remembered', async () => {
    const storage = memoryStorage();
    const first = new TestHost(storage);
    first.files['/project/.env'] = 'X=1';
    await first.workspace({ files: theirs });
    assert.deepEqual(first.questions, [
      {
        server: 'files',
        reason: 'first',
        kind: 'command',
        target: '/project/run --all',
        cwd: '/project',
        remarks: [
          'It sets environment variables: "A".',
          'It reads from "/project/.env" the environment variables: "X".',
        ],
      },
    ]);
    await first.host.restart('files');
    assert.equal(first.questions.length, 1);
    await first.host.close();

    const second = new TestHost(storage);
    second.files['/project/.env'] = 'X=1';
    await second.workspace({ files: theirs });
    assert.equal(second.questions.length, 0);
    assert.equal(second.show(), 'files: running 2025-06-18 pid 101');

    second.files['/project/.env'] = 'X=2';
    await second.host.restart('files');
    assert.deepEqual(
      second.questions.map((question) => question.reason),
      ['changed'],
    );
    await second.host.forgetConsent('files');
    await second.host.restart('files');
    assert.deepEqual(
      second.questions.map((question) => question.reason),
      ['changed', 'first'],
    );
    await second.host.close();
  });

  for (const answer of ['dontStart', 'dismissed', 'openSettings'] as const)
    test(`answered with ${answer} starts nothing and does not ask again on its own`, async () => {
      const t = new TestHost();
      t.answer = answer;
      await t.workspace({ a: { command: 'x', enabled: true } });
      assert.equal(t.show(), 'a: stopped (notApproved)');
      await t.workspace({ a: { command: 'x', enabled: true, timeouts: { call: 9 } } });
      assert.equal(t.questions.length, 1);
      assert.equal(t.connections.length, 0);
      await assert.rejects(t.host.start('a'), (error) => isHostError(error, 'NOT_APPROVED'));
      assert.equal(t.questions.length, 2, 'a start by hand asks again');
      await t.host.close();
    });

  test('is not needed for what the user’s own settings define', async () => {
    const t = new TestHost();
    await t.user({ a: { command: 'x', tools: { autoApprove: ['y'] } } }, { a: { enabled: true } });
    assert.equal(t.questions.length, 0);
    assert.equal(t.connections.length, 1);
    await t.host.close();
  });

  test('is waited for visibly, and a stop ends the waiting', async () => {
    const t = new TestHost();
    const answer = new Deferred<StartAnswer>();
    t.answer = answer.promise;
    await t.workspace({ a: { command: 'x', enabled: true } });
    assert.equal(t.show(), 'a: asking');
    const stopped = t.host.stop('a');
    answer.resolve('start');
    await stopped;
    assert.equal(t.show(), 'a: stopped (byUser)');
    assert.equal(t.connections.length, 0);
    await t.host.close();
  });

  test('what was asked about is what runs, even if the environment file changes meanwhile', async () => {
    const t = new TestHost();
    const answer = new Deferred<StartAnswer>();
    t.answer = answer.promise;
    t.files['/project/.env'] = 'X=asked';
    await t.workspace({ a: theirs });
    t.files['/project/.env'] = 'X=swapped';
    answer.resolve('start');
    await settle();
    assert.deepEqual(t.connections[0]?.kind === 'stdio' ? t.connections[0].env : {}, { X: 'asked', A: '1' });
    await t.host.close();
  });

  test('given in one of our own views asks nothing at the next start', async () => {
    const t = new TestHost();
    await t.workspace({ a: { command: 'x' } });
    await t.host.allowStart('a');
    await t.host.start('a');
    assert.equal(t.questions.length, 0);
    await t.host.close();
  });
});

suite('Tools that models may call without being asked', () => {
  const entry = (autoApprove: string[]) => ({ a: { command: 'x', enabled: true, tools: { autoApprove } } });
  const connect = () => new ScriptedServer({ 'tools/list': () => ({ tools: [tool('r'), tool('w')] }) });

  test('do not raise what a server may use of models before the user allowed it', async () => {
    const t = new TestHost();
    const inference = { requestsPerHour: 500, tokensPerDay: 9_000_000 };
    t.answer = 'dismissed';
    await t.user({ a: { command: 'x', enabled: true } }, { a: { inference } });
    const budget = (): unknown => {
      const known = t.host.modelUses.budget('a');
      return [known?.requestsPerHour, known?.tokensPerDay];
    };
    assert.equal((await t.host.modelUses.reserve('a')).kind, 'reserved');
    assert.deepEqual(budget(), [30, 200_000]);
    t.answer = 'start';
    await t.host.start('a');
    await settle();
    assert.deepEqual(budget(), [500, 9_000_000]);
    await t.host.close();
  });

  test('widened by the workspace while the server runs are asked for, and count only when allowed', async () => {
    const t = new TestHost();
    t.connect = connect;
    await t.workspace(entry([]));
    t.answer = 'dontStart';
    await t.workspace(entry(['w']));
    assert.equal(t.show(), 'a: running 2025-06-18 pid 101 [r, w]');
    t.answer = 'start';
    await t.workspace(entry(['r', 'w']));
    assert.equal(t.show(), 'a: running 2025-06-18 pid 101 [r auto, w auto]');
    assert.deepEqual(
      t.questions.map(({ reason, remarks }) => `${reason} ${remarks.join(' ')}`),
      ['first ', 'widened Models may call without asking: "w".', 'widened Models may call without asking: "r", "w".'],
    );
    assert.equal(t.servers.length, 1);
    await t.host.close();
  });

  test('allowed together with the first start count at once', async () => {
    const t = new TestHost();
    t.connect = connect;
    await t.workspace(entry(['w']));
    assert.equal(t.show(), 'a: running 2025-06-18 pid 101 [r, w auto]');
    assert.equal(t.questions.length, 1);
    await t.host.close();
  });

  test('chosen in one of our own views are not asked for', async () => {
    const t = new TestHost();
    t.connect = connect;
    await t.workspace(entry([]));
    await t.host.setAutoApproved('a', ['w'], true);
    await t.workspace(entry(['w']));
    assert.equal(t.questions.length, 1);
    assert.equal(t.show(), 'a: running 2025-06-18 pid 101 [r, w auto]');
    await t.host.close();
  });

  test('taken back in one of our own views are asked for when the workspace grants them again', async () => {
    const t = new TestHost();
    t.connect = connect;
    await t.workspace(entry(['w']));
    await t.host.setAutoApproved('a', ['w'], false);
    await t.workspace(entry([]));
    t.answer = 'dontStart';
    await t.workspace(entry(['w']));
    assert.deepEqual(
      t.questions.map(({ reason }) => reason),
      ['first', 'widened'],
    );
    assert.equal(t.show(), 'a: running 2025-06-18 pid 101 [r, w]');
    await t.host.close();
  });

  test('chosen for a server that was not allowed do not allow it to start', async () => {
    const t = new TestHost();
    t.answer = 'dontStart';
    await t.workspace(entry([]));
    await t.host.setAutoApproved('a', ['w'], true);
    await assert.rejects(t.host.start('a'), (error) => isHostError(error, 'NOT_APPROVED'));
    assert.equal(t.questions.length, 2);
    await t.host.close();
  });
});

suite('Feature sets that the workspace switches on', () => {
  const mine = { a: { command: 'x', enabled: true } };
  const sets = (...enabled: string[]) => ({ a: { featureSets: { enabled } } });
  const reasons = (t: TestHost) => t.questions.map(({ reason }) => reason);

  test('are asked for while the user’s own server runs, which goes on running', async () => {
    const t = new TestHost();
    await t.user(mine);
    t.answer = 'dontStart';
    await t.user(mine, sets('memory.*'));
    assert.deepEqual(reasons(t), ['first']);
    assert.equal(t.show(), 'a: running 2025-06-18 pid 101');
    await t.host.close();
  });

  test('are not asked for when the user chose them in one of our own views', async () => {
    const t = new TestHost();
    await t.user(mine);
    await t.host.allowFeatureSets('a', ['memory.recall'], true);
    await t.user(mine, sets('memory.recall'));
    assert.deepEqual(reasons(t), []);
    await t.user(mine, sets('memory.recall', 'memory.store'));
    assert.deepEqual(reasons(t), ['widened']);
    assert.equal(t.servers.length, 1);
    await t.host.close();
  });
});

suite('Scopes that the workspace widens', () => {
  const mine = {
    a: { command: 'x', enabled: true, scopes: { '*': { whitelist: ['docs/**'], blacklist: ['**/.env'] } } },
  };
  const theirs = {
    a: { scopes: { '*': { whitelist: ['docs/**', '/etc/**'], blacklist: ['/no'] } }, scopeAdapters: { read: [] } },
  };
  const held = (t: TestHost): readonly string[] => {
    const server = t.host.server('a');
    assert.ok(server !== undefined);
    return scopeText(server.scopes);
  };

  test('are asked for while the user’s own server runs, hold once they are allowed, and never take a denial back', async () => {
    const t = new TestHost();
    await t.user(mine);
    assert.deepEqual(held(t), ['*: +docs/** -**/.env']);
    const answer = new Deferred<StartAnswer>();
    t.answer = answer.promise;
    await t.user(mine, theirs);
    assert.deepEqual(
      t.questions.map(({ reason, remarks }) => [reason, ...remarks]),
      [
        [
          'first',
          'Without asking, it may touch outside the workspace: "/etc/**".',
          'Calls of these tools never need an approval: "read".',
        ],
      ],
    );
    assert.deepEqual(held(t), ['*: +docs/** -**/.env -/no'], 'What narrows holds at once.');
    answer.resolve('start');
    await settle();
    assert.deepEqual(held(t), ['*: +docs/** +/etc/** -**/.env -/no', 'read at []']);
    await t.user(mine, { a: { scopes: { '*': { whitelist: ['/etc/**'], blacklist: [] } } } });
    assert.deepEqual(held(t), ['*: +/etc/** -**/.env']);
    assert.equal(t.questions.length, 1, 'Less than was allowed is not asked about.');
    assert.equal(t.servers.length, 1, 'A server goes on running whatever becomes of its scopes.');
    await t.host.close();
  });
});

suite('Secrets', () => {
  test('never reach a log', async () => {
    const t = new TestHost();
    t.inputs['key'] = { kind: 'value', value: 'hunter22', secret: true };
    t.connect = () => {
      throw new Error('spawn x --key=hunter22 failed');
    };
    await t.user({ a: { command: 'x', args: ['--key=${input:key}'], enabled: true } });
    assert.equal(t.logs.join('\n').includes('hunter22'), false);
    await t.host.close();
  });
});
