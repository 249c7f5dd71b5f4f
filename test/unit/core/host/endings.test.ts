import assert from 'node:assert/strict';
import { Deferred } from '../../../../src/core/base/async.ts';
import { isHostError } from '../../../../src/core/base/errors.ts';
import type { StartAnswer } from '../../../../src/core/ports.ts';
import { settle } from '../../../support/fakeClock.ts';
import { ScriptedServer } from '../../../support/scriptedServer.ts';
import { TestHost } from '../../../support/testHost.ts';

/** Whether it settles without further events. */
async function settles(promise: Promise<unknown>): Promise<boolean> {
  let isSettled = false;
  const note = (): void => {
    isSettled = true;
  };
  promise.then(note, note);
  await settle();
  return isSettled;
}

/** A server that ends when the test says so. */
function slow(ending: Deferred<void>): ScriptedServer {
  const server = new ScriptedServer();
  server.heldOpen = ending.promise;
  return server;
}

suite('The end of servers', () => {
  test('waits for no question, however many wait behind it', async () => {
    const t = new TestHost();
    await t.workspace({ a: { command: 'x', enabled: true } });
    t.answer = new Deferred<StartAnswer>().promise;
    await t.workspace({ a: { command: 'x', enabled: true, tools: { autoApprove: ['t'] } } });
    await t.workspace({ a: { command: 'y', enabled: true, tools: { autoApprove: ['t'] } } });
    assert.deepEqual(
      t.questions.map(({ reason, target }) => `${reason} ${target}`),
      ['first x', 'widened x', 'changed y'],
      'the question that nobody needs any more is not waited for',
    );
    assert.equal(t.show(), 'a: asking');
    assert.equal(await settles(t.host.stop('a')), true);
    assert.equal(t.show(), 'a: stopped (byUser)');
    assert.equal(await settles(t.host.close()), true);
  });

  test('waits for no file that is never read', async () => {
    const t = new TestHost();
    Object.defineProperty(t.files, '/pipe', { value: new Promise<string>(() => undefined) });
    await t.user({ a: { command: 'x', enabled: true, envFile: '/pipe' } });
    assert.equal(t.show(), 'a: starting');
    assert.equal(await settles(t.host.close()), true);
  });

  test('is waited for by the end of the host, also where the server has left the settings', async () => {
    const t = new TestHost();
    const ending = new Deferred<void>();
    t.connect = () => slow(ending);
    await t.user({ a: { command: 'x', enabled: true } });
    await t.user({});
    const closed = t.host.close();
    assert.equal(await settles(closed), false);
    ending.resolve();
    await closed;
    assert.equal(t.server.closed, true);
  });

  test('comes before another server of the same name begins', async () => {
    const t = new TestHost();
    const ending = new Deferred<void>();
    t.connect = () => (t.servers.length === 0 ? slow(ending) : new ScriptedServer());
    await t.user({ a: { command: 'x', enabled: true } });
    await t.user({});
    await t.user({ a: { command: 'x', enabled: true } });
    assert.equal(t.connections.length, 1);
    ending.resolve();
    await settle();
    assert.equal(t.connections.length, 2);
    assert.equal(t.show(), 'a: running 2025-06-18 pid 102');
    await t.host.close();
  });

  test('is not the end for one that is switched on again meanwhile', async () => {
    const t = new TestHost();
    const ending = new Deferred<void>();
    t.connect = () => (t.servers.length === 0 ? slow(ending) : new ScriptedServer());
    await t.user({ a: { command: 'x', enabled: true } });
    await t.user({ a: { command: 'x', enabled: false } });
    await t.user({ a: { command: 'x', enabled: true } });
    assert.equal(t.show(), 'a: stopping');
    ending.resolve();
    await settle();
    assert.equal(t.show(), 'a: running 2025-06-18 pid 102');
    await t.host.close();
  });

  for (const [what, enabled, trusted] of [
    ['that is switched off', false, true],
    ['whose workspace is no longer trusted', true, false],
  ] as const)
    test(`is the end for one ${what} while it restarts`, async () => {
      const t = new TestHost();
      const ending = new Deferred<void>();
      t.connect = () => (t.servers.length === 0 ? slow(ending) : new ScriptedServer());
      await t.workspace({ a: { command: 'x', enabled: true } });
      await t.workspace({ a: { command: 'y', enabled: true } });
      assert.equal(t.show(), 'a: stopping');
      await t.workspace({ a: { command: 'y', enabled } }, trusted);
      ending.resolve();
      await settle();
      assert.match(t.show(), /^a: stopped/);
      assert.equal(t.connections.length, 1);
      await t.host.close();
    });

  test('of the host leaves no way to start one', async () => {
    const t = new TestHost();
    const ending = new Deferred<void>();
    t.connect = () => slow(ending);
    await t.user({ a: { command: 'x', enabled: true }, b: { command: 'y' } });
    const closed = t.host.close();
    for (const start of [t.host.start('b'), t.host.restart('a')])
      await assert.rejects(start, (error) => isHostError(error, 'CONNECTION_CLOSED'));
    ending.resolve();
    await closed;
    assert.equal(t.connections.length, 1);
  });
});
