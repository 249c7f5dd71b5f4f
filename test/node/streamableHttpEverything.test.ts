import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { openStreamableHttp } from '../../src/node/http/streamableHttp.ts';
import { failOnLeaks } from '../support/leaks.ts';
import { RecordingContext, TransportRecorder } from './transportRecorder.ts';

/** Preloaded, because the server would listen on all interfaces and not report its port. */
const LOOPBACK_ONLY = `
  import net from 'node:net';
  const { listen } = net.Server.prototype;
  net.Server.prototype.listen = function (port, ...rest) {
    this.once('listening', () => console.error('port ' + this.address().port));
    return listen.call(this, Number(port), '127.0.0.1', ...rest);
  };`;

suite('streamable HTTP with server-everything', () => {
  let child: ChildProcess;
  let url: string;
  let context: RecordingContext;
  let client: TransportRecorder;

  suiteSetup(async () => {
    const entry = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'));
    const preload = `data:text/javascript,${encodeURIComponent(LOOPBACK_ONLY)}`;
    child = spawn(process.execPath, ['--import', preload, entry, 'streamableHttp'], {
      env: { ...process.env, PORT: '0' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    assert.ok(child.stderr !== null);
    for await (const line of createInterface({ input: child.stderr })) {
      const port = /^port (\d+)$/.exec(line)?.[1];
      if (port === undefined) continue;
      url = `http://127.0.0.1:${port}/mcp`;
      break;
    }
    child.stderr?.resume();
  });
  suiteTeardown(async () => {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  });

  setup(async () => {
    context = new RecordingContext();
    const connection = { kind: 'remote', url, headers: {}, transport: 'auto' } as const;
    client = new TransportRecorder(openStreamableHttp(connection, context).transport);
    client.request(1, 'initialize', {
      protocolVersion: '2025-11-25',
      capabilities: { roots: { listChanged: true } },
      clientInfo: { name: 'test', version: '1' },
    });
    assert.match(await answerTo(1), /"protocolVersion":"2025-11-25"/);
    context.negotiate('2025-11-25');
    client.notify('notifications/initialized');
  });
  teardown(() => client.transport.close());
  failOnLeaks();

  /** The answer to this id. Collects earlier messages. */
  const answerTo = async (id: number, before: string[] = []): Promise<string> => {
    for (;;) {
      const line = await client.next();
      if (line.includes(`"id":${id}`) && line.includes('"result"')) return line;
      before.push(line);
    }
  };

  test('it lists, calls, and gets progress before the result', async () => {
    client.request(2, 'tools/list');
    assert.match(await answerTo(2), /"name":"echo"/);
    client.request(3, 'tools/call', { name: 'echo', arguments: { message: 'grüße' } });
    assert.match(await answerTo(3), /"text":"Echo: grüße"/);
    const before: string[] = [];
    client.request(4, 'tools/call', {
      name: 'trigger-long-running-operation',
      arguments: { duration: 0.05, steps: 2 },
      _meta: { progressToken: 4 },
    });
    await answerTo(4, before);
    assert.deepEqual(
      before.filter((line) => line.includes('notifications/progress')).map((line) => JSON.parse(line).params),
      [
        { progress: 1, total: 2, progressToken: 4 },
        { progress: 2, total: 2, progressToken: 4 },
      ],
    );
  });

  test('its own requests come over the back-channel and can be answered', async () => {
    let asked = '';
    while (!asked.includes('"roots/list"')) asked = await client.next();
    const { id }: { id: number } = JSON.parse(asked);
    client.transport.send({ jsonrpc: '2.0', id, result: { roots: [{ uri: 'file:///w', name: 'w' }] } });
    client.request(5, 'ping');
    await answerTo(5);
    client.request(6, 'tools/call', { name: 'get-roots-list', arguments: {} });
    assert.match(await answerTo(6), /file:\/\/\/w/);
  });
});
