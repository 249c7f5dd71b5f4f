import assert from 'node:assert/strict';
import { Driver } from './driver.ts';

suite('A driver and the offers of servers', () => {
  let driver: Driver;

  setup(() => {
    driver = new Driver();
  });

  teardown(() => driver.dispose());

  test('lists resources, templates and prompts, each with the server it really belongs to', async () => {
    const said = await driver.say(
      { id: 1, command: 'resources' },
      { id: 2, command: 'templates', server: 'files' },
      { id: 3, command: 'prompts', server: 'files' },
    );
    assert.deepEqual(said, [
      { id: 1, ok: true, result: [{ uri: 'mem://a', name: 'a', server: 'files' }] },
      { id: 2, ok: true, result: [{ uriTemplate: 'mem://note/{id}', name: 'a', server: 'files' }] },
      { id: 3, ok: true, result: [{ name: 'greet', server: 'files' }] },
    ]);
  });

  test('reads a resource, gets a prompt and has an argument completed', async () => {
    const said = await driver.say(
      { id: 1, command: 'read', server: 'files', uri: 'mem://a' },
      { id: 2, command: 'prompt', server: 'files', name: 'greet', args: { who: '5' } },
      { id: 3, command: 'complete', server: 'files', prompt: 'greet', argument: 'who', value: 'A' },
      {
        id: 4,
        command: 'complete',
        server: 'files',
        template: 'x://{a}{b}',
        argument: 'b',
        value: '',
        settled: { a: '1' },
      },
    );
    const argument = { name: 'who', value: 'A' };
    const ofPrompt = { reference: { kind: 'prompt', name: 'greet' }, argument, settled: {} };
    const ofTemplate = {
      reference: { kind: 'template', uriTemplate: 'x://{a}{b}' },
      argument: { name: 'b', value: '' },
      settled: { a: '1' },
    };
    assert.deepEqual(said, [
      {
        id: 1,
        ok: true,
        result: {
          contents: [{ kind: 'text', uri: 'mem://a', text: 'what is in mem://a' }],
          raw: { id: 'files', uri: 'mem://a' },
        },
      },
      {
        id: 2,
        ok: true,
        result: {
          description: 'files',
          messages: [{ role: 'user', text: '{"who":"5"}' }],
          raw: { name: 'greet' },
        },
      },
      { id: 3, ok: true, result: { values: [JSON.stringify(ofPrompt)], total: 1, hasMore: false } },
      { id: 4, ok: true, result: { values: [JSON.stringify(ofTemplate)], total: 1, hasMore: false } },
    ]);
  });

  test('cancels a reading as it cancels a call', async () => {
    await driver.say({ id: 1, command: 'read', server: 'files', uri: 'mem://wait' });
    assert.deepEqual(await driver.say({ id: 2, command: 'cancel', call: 1 }), [
      { id: 2, ok: true, result: { cancelled: true } },
      {
        id: 1,
        ok: false,
        error: { code: 'CANCELLED', message: 'Reading was cancelled.', effect: 'unknown', layer: 'host' },
      },
    ]);
    assert.deepEqual(await driver.say({ id: 3, command: 'cancel', call: 1 }), [
      { id: 3, ok: true, result: { cancelled: false } },
    ]);
  });

  test('gets changes of a resource during its subscription, once even if it subscribes repeatedly', async () => {
    const subscribe = { command: 'subscribe', server: 'files', uri: 'mem://a' };
    assert.deepEqual(await driver.say({ id: 1, ...subscribe }, { id: 2, ...subscribe }), [
      { id: 1, ok: true, result: null },
      { id: 2, ok: true, result: null },
    ]);
    driver.host.watches.get('files mem://a')?.('mem://a/below');
    const unsubscribe = { command: 'unsubscribe', server: 'files', uri: 'mem://a' };
    assert.deepEqual(await driver.say({ id: 3, ...unsubscribe }, { id: 4, ...unsubscribe }), [
      { event: 'resource', server: 'files', uri: 'mem://a/below' },
      { id: 3, ok: true, result: { unsubscribed: true } },
      { id: 4, ok: true, result: { unsubscribed: false } },
    ]);
    assert.deepEqual([...driver.host.watches.keys()], []);
  });

  test('keeps no subscription that was refused, nor one of a server that is gone', async () => {
    const said = await driver.say({ id: 1, command: 'subscribe', server: 'files', uri: 'mem://refused' });
    assert.deepEqual(said, [
      {
        id: 1,
        ok: false,
        error: { code: 'TIMEOUT', message: 'Too slow.', effect: 'none', layer: 'transport' },
      },
    ]);
    assert.deepEqual([...driver.host.watches.keys()], []);
    await driver.say({ id: 2, command: 'subscribe', server: 'files', uri: 'mem://a' });
    driver.host.changed.fire({ server: 'files', what: 'removed' });
    assert.deepEqual([...driver.host.watches.keys()], []);
    await driver.say({ id: 3, command: 'subscribe', server: 'files', uri: 'mem://a' });
    driver.dispose();
    assert.deepEqual([...driver.host.watches.keys()], []);
  });

  test('sets and reads how much a server logs, and has its lists read again', async () => {
    const said = await driver.say(
      { id: 1, command: 'logLevel', server: 'files' },
      { id: 2, command: 'logLevel', server: 'files', level: 'warning' },
      { id: 3, command: 'refresh', server: 'nope' },
    );
    assert.deepEqual(said, [
      { id: 1, ok: true, result: { level: null } },
      { id: 2, ok: true, result: { level: 'warning' } },
      { id: 3, ok: true, result: null },
    ]);
    assert.deepEqual(driver.host.did, ['log files warning', 'refresh nope']);
  });

  test('sees its sign-ins, and signs out', async () => {
    const said = await driver.say(
      { id: 1, command: 'accounts' },
      { id: 2, command: 'signOut', url: 'https://notes.test/mcp' },
      { id: 3, command: 'signOut', url: 'https://other.test' },
    );
    assert.deepEqual(said, [
      {
        id: 1,
        ok: true,
        result: [
          {
            url: 'https://notes.test/mcp',
            issuer: 'https://login.test',
            resource: 'https://notes.test/mcp',
            scopes: ['read'],
            at: 7,
          },
        ],
      },
      { id: 2, ok: true, result: { signedOut: true } },
      { id: 3, ok: true, result: { signedOut: false } },
    ]);
  });
});
