import assert from 'node:assert/strict';
import { settle } from '../../../support/fakeClock.ts';
import { ScriptedServer } from '../../../support/scriptedServer.ts';
import { TestHost } from '../../../support/testHost.ts';

suite('A notification that the host does not know', () => {
  let t: TestHost;
  const ignored = (): readonly string[] => t.logs.filter((line) => line.includes('Ignored'));

  setup(async () => {
    t = new TestHost();
    t.connect = () => new ScriptedServer();
    await t.user({ a: { command: 'x', enabled: true } });
  });
  teardown(() => t.host.close());

  test('is logged once at debug, for each method and connection', async () => {
    for (let time = 0; time < 3; time++)
      for (const method of ['notifications/own', 'custom/thing', 'constructor', 'notifications/tools/list_changed'])
        t.server.notify(method);
    await settle();
    const expected = [
      'a debug: Ignored notifications/own: this host does not know it.',
      'a debug: Ignored custom/thing: this host does not know it.',
      'a debug: Ignored constructor: this host does not know it.',
    ];
    assert.deepEqual(ignored(), expected);
    await t.host.restart('a');
    t.server.notify('notifications/own');
    await settle();
    assert.deepEqual(ignored(), [...expected, expected[0]]);
  });

  test('of another revision is logged in the same way', async () => {
    for (let time = 0; time < 3; time++)
      t.server.notify('notifications/tasks/status', { taskId: 't', status: 'working' });
    await settle();
    assert.deepEqual(ignored(), ['a debug: Ignored notifications/tasks/status: MCP 2025-06-18 does not have it.']);
  });

  test('does not fill the log when the server invents names, and shows none that is long or odd', async () => {
    t.server.notify(`notifications/\u202e${'x'.repeat(1_000_000)}`);
    for (let count = 0; count < 1_000; count++) t.server.notify(`notifications/own/${count}`);
    await settle();
    assert.equal(ignored().length, 100);
    assert.ok(ignored().every((line) => line.length < 200 && !line.includes('\u202e')));
  });
});
