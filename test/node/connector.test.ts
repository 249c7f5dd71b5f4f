import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  CancellationSource,
  type CancellationToken,
  type ConnectContext,
  Deferred,
  type Json,
  NO_CANCELLATION,
  type StdioConnection,
} from '../../src/core/index.ts';
import { NodeConnector } from '../../src/node/connector.ts';

const demoScript = fileURLToPath(new URL('../../src/demo/server.ts', import.meta.url));

suite('The connector', () => {
  let folder: string;
  let logged: string[];
  let connector: NodeConnector;

  setup(() => {
    folder = mkdtempSync(join(tmpdir(), 'mcpl-connector-'));
    logged = [];
    connector = new NodeConnector({ demoScript, records: { folder } });
  });

  teardown(() => rmSync(folder, { recursive: true, force: true }));

  function context(token: CancellationToken = NO_CANCELLATION): ConnectContext {
    return {
      serverId: 's',
      token,
      log: { log: (level, message) => logged.push(`${level} ${message}`) },
      redact: (text) => text.replaceAll('hunter2', '…'),
    };
  }

  function stdio(command: string, args: readonly string[] = [], env: Record<string, string> = {}): StdioConnection {
    return { kind: 'stdio', command, args, env, cwd: undefined };
  }

  async function answer(connection: StdioConnection, message: Json): Promise<Json> {
    const { transport, pid } = await connector.open(connection, context());
    assert.deepEqual(readdirSync(folder), [`${process.pid}-${pid}.json`]);
    const first = new Deferred<Json>();
    transport.start((received) => first.resolve(received));
    transport.send(message);
    const received = await first.promise;
    await transport.close();
    assert.deepEqual(readdirSync(folder), []);
    return received;
  }

  test('runs the demo server on the runtime of this process, and records it while it runs', async () => {
    const pong = await answer(stdio('mcpl-demo', [], { PATH: '/nowhere' }), { jsonrpc: '2.0', id: 1, method: 'ping' });
    assert.deepEqual(pong, { jsonrpc: '2.0', id: 1, result: {} });
    assert.ok(logged.includes('info Demo notes server is ready. Notes are kept in memory until it stops.'));
  });

  test('says to an editor that is asked to run the demo that it is Node, whatever the settings say', async () => {
    const script = join(folder, '..', `${basename(folder)}.cjs`);
    const method = 'process.env.ELECTRON_RUN_AS_NODE + process.argv[2]';
    writeFileSync(script, `console.log(JSON.stringify({ jsonrpc: '2.0', method: ${method} }));process.stdin.resume();`);
    connector = new NodeConnector({ demoScript: script, records: { folder } });
    try {
      const connection = stdio('mcpl-demo', ['extra'], { ELECTRON_RUN_AS_NODE: '' });
      assert.deepEqual(await answer(connection, {}), { jsonrpc: '2.0', method: '1extra' });
    } finally {
      rmSync(script);
    }
  });

  test('adds the environment of the settings to that of the host; noise goes to the log', async () => {
    const code = `console.log('hello'); process.stdin.once('data', () => console.log(JSON.stringify(
      { jsonrpc: '2.0', method: 'env', params: { own: process.env.OWN, home: process.env.HOME, electron: process.env.ELECTRON_RUN_AS_NODE } })))`;
    assert.deepEqual(
      await answer(stdio(process.execPath, ['-e', code], { OWN: 'a b' }), { jsonrpc: '2.0', method: 'x' }),
      {
        jsonrpc: '2.0',
        method: 'env',
        params: { own: 'a b', home: process.env['HOME'] },
      },
    );
    assert.match(logged.join('\n'), /^warn Not a message on stdout: hello/m);
  });

  test('closes at once what was cancelled while it opened', async () => {
    const source = new CancellationSource();
    const opening = connector.open(stdio('mcpl-demo'), context(source.token));
    source.cancel();
    await assert.rejects(opening, { code: 'CANCELLED' });
    assert.deepEqual(readdirSync(folder), []);
  });

  test('takes secrets out of stderr before it cuts it short', async () => {
    const script = "console.error('x'.repeat(295) + 'hunter2'); process.exit(1)";
    const { transport } = await connector.open(stdio(process.execPath, ['-e', script]), context());
    const closed = new Promise<string>((resolve) => {
      transport.onClose(({ error }) => resolve(JSON.stringify(error?.data)));
    });
    transport.start(() => undefined);
    assert.doesNotMatch(await closed, /hunt/);
    assert.doesNotMatch(logged.join(), /hunt/);
    await transport.close();
  });
});
