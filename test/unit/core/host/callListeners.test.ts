import assert from 'node:assert/strict';
import { CancellationSource } from '../../../../src/core/base/cancellation.ts';
import { type Disposable, trackDisposables } from '../../../../src/core/base/disposable.ts';
import { initializeResult, ScriptedServer, tool } from '../../../support/scriptedServer.ts';
import { TestHost } from '../../../support/testHost.ts';
import { settle } from '../../../support/fakeClock.ts';
import { edit, path, ScopeCase } from './scopeCase.ts';

/**
 * How many listeners and timers a host gains by the work. The work runs once before, because the first run creates
 * lasting ones, such as the timer of a batch.
 */
async function gained({ clock }: TestHost, work: () => Promise<void>): Promise<number> {
  const alive = new Set<Disposable>();
  const tracking = trackDisposables({
    created: (disposable) => alive.add(disposable),
    disposed: (disposable) => alive.delete(disposable),
  });
  try {
    await work();
    await settle();
    const [listeners, timers] = [alive.size, clock.waiting];
    await work();
    await settle();
    return alive.size - listeners + clock.waiting - timers;
  } finally {
    tracking.dispose();
  }
}

/** An audit batch may be open at only one of the two times. */
const BATCH = 2;

suite('A hundred calls leave no listener and no timer', () => {
  const times = async (work: (n: number) => Promise<unknown>): Promise<void> => {
    for (let n = 0; n < 100; n++) await work(n);
  };

  test('on a plain server: answered, failed, refused and cancelled', async () => {
    const t = new TestHost();
    t.connect = () =>
      new ScriptedServer({
        initialize: () => initializeResult(),
        'tools/list': () => ({ tools: [tool('echo'), tool('fail'), tool('hang')] }),
        'tools/call': ({ params }) => {
          const name = Object(params)['name'];
          if (name === 'hang') return new Promise(() => undefined);
          return { content: [{ type: 'text', text: 'done' }], isError: name === 'fail' };
        },
      });
    await t.user({ a: { command: 'x', enabled: true } });
    const source = new CancellationSource();
    const call = (name: string, token = source.token): Promise<unknown> =>
      t.host.callTool({ server: 'a', tool: name, args: {}, route: 'gateway' }, { token }).catch(() => undefined);
    await call('echo');
    for (const name of ['echo', 'fail', 'unknown'])
      assert.ok((await gained(t, () => times(() => call(name)))) <= BATCH, name);
    const cancelled = async (): Promise<void> => {
      const own = new CancellationSource();
      const called = call('hang', own.token);
      await settle();
      own.cancel();
      await called;
      own.dispose();
    };
    await cancelled();
    assert.ok((await gained(t, () => times(cancelled))) <= BATCH, 'cancelled');
    source.dispose();
    await t.host.close();
  });

  test('of a scoped tool: allowed, denied, and asked about', async () => {
    const c = await ScopeCase.open({
      mcpl: { version: '0.2', featureSets: { files: edit } },
      tools: [tool('write', { ...path, _meta: { featureSet: 'files' } })],
    });
    for (const target of ['src/a.ts', '.env']) {
      await c.call({ path: target });
      assert.ok((await gained(c.t, () => times(() => c.call({ path: target })))) <= BATCH, target);
    }
    await c.elevate('/etc/hosts', { path: '/etc/hosts' });
    await c.choose('session');
    const ask = async (): Promise<void> => {
      await c.elevate('/etc/hosts', { path: '/etc/hosts' });
    };
    assert.ok((await gained(c.t, () => times(ask))) <= BATCH, 'elevations');
    await c.close();
  });
});
