import assert from 'node:assert/strict';
import { isJsonObject } from '../../../../src/core/base/json.ts';
import { settle } from '../../../support/fakeClock.ts';
import { initializeResult, ScriptedServer } from '../../../support/scriptedServer.ts';
import { exited, TestHost } from '../../../support/testHost.ts';

const MCPL = { version: '0.4', featureSets: { beat: { description: 'Wakes up.', uses: ['tools'] } } };
const REFUSED = 'error -32001 undeclaredUse';
const ACCEPTED = 'accepted';

/** A host with a listener whose answers the test gives, and a server that pushes undeclared events. */
class Case {
  readonly t = new TestHost();
  readonly asked: string[] = [];

  static async open(): Promise<Case> {
    const c = new Case();
    c.t.connect = () =>
      new ScriptedServer({
        initialize: () => initializeResult({ capabilities: { tools: {}, experimental: { mcpl: MCPL } } }),
        'featureSets/update': () => ({ accepted: true }),
      });
    c.t.host.alsoEvents.onDidAsk(({ server, featureSet }) => c.asked.push(`${server} ${featureSet}`));
    await c.t.user({ a: { command: 'x', enabled: true, featureSets: { enabled: ['beat'] } } });
    return c;
  }

  async push(id: string, form: 'request' | 'notification' = 'request'): Promise<void> {
    const payload = { content: [{ type: 'text', text: 'Wake up.' }] };
    const params = { featureSet: 'beat', eventId: id, timestamp: '2026-02-03T10:00:00Z', payload };
    if (form === 'notification') this.t.server.notify('push/event', params);
    else this.t.server.say({ jsonrpc: '2.0', id, method: 'push/event', params });
    await settle();
  }

  answer(id: string): string {
    const message = this.t.server.messages.find((each) => each['id'] === id && each['method'] === undefined);
    if (message === undefined) return 'waits';
    const { error } = message;
    if (!isJsonObject(error)) return ACCEPTED;
    const { code, data } = error;
    return `error ${String(code)} ${isJsonObject(data) ? String(data['reason']) : ''}`;
  }

  get state(): string | undefined {
    return this.t.host.server('a')?.mcpl?.sets[0]?.alsoEvents;
  }
}

suite('An event that its feature set does not declare', () => {
  test('is refused after 60 seconds, and a later answer still applies to the next event', async () => {
    const c = await Case.open();
    await c.push('e-1');
    await c.push('e-2');
    assert.deepEqual([c.answer('e-1'), c.answer('e-2'), c.state, c.asked], ['waits', REFUSED, 'asking', ['a beat']]);
    await c.t.clock.advance(59_999);
    assert.deepEqual([c.answer('e-1'), c.state], ['waits', 'asking']);
    await c.t.clock.advance(1);
    assert.deepEqual([c.answer('e-1'), c.state], [REFUSED, 'open']);
    await c.push('e-3');
    assert.deepEqual([c.answer('e-3'), c.asked], [REFUSED, ['a beat']]);
    assert.equal(c.t.host.alsoEvents.choose('a', 'beat', true), true);
    assert.deepEqual([c.answer('e-1'), c.state], [REFUSED, 'allowed']);
    await c.push('e-4');
    assert.equal(c.answer('e-4'), ACCEPTED);
    assert.deepEqual(
      c.t.host.events.list().map(({ eventId }) => eventId),
      ['e-4'],
    );
    await c.t.host.close();
  });

  test('is refused when its server stops, also without an id, and a later answer does not bring it back', async () => {
    for (const end of ['stop', 'restart', 'crash'] as const) {
      const c = await Case.open();
      await c.push('e-1', 'notification');
      assert.equal(c.state, 'asking');
      if (end === 'crash') c.t.server.crash(exited());
      else await c.t.host[end]('a');
      await settle();
      if (end !== 'restart') await c.t.host.start('a');
      await settle();
      assert.equal(c.state, 'open', end);
      c.t.host.alsoEvents.choose('a', 'beat', true);
      await settle();
      assert.deepEqual(c.t.host.events.list(), [], end);
      await c.t.host.close();
    }
  });

  test('keeps the answer of the user after 60 seconds', async () => {
    for (const [allowed, expected, state] of [
      [true, ACCEPTED, 'allowed'],
      [false, REFUSED, 'refused'],
    ] as const) {
      const c = await Case.open();
      await c.push('e-1');
      c.t.host.alsoEvents.choose('a', 'beat', allowed);
      await settle();
      await c.t.clock.advance(60_000);
      assert.deepEqual([c.answer('e-1'), c.state], [expected, state]);
      await c.t.host.close();
    }
  });
});
