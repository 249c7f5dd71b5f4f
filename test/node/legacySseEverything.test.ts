import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { openLegacySse } from '../../src/node/http/legacySse.ts';
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

suite('HTTP with server-sent events, with server-everything', () => {
  let child: ChildProcess;
  let url: string;
  let client: TransportRecorder;

  suiteSetup(async () => {
    const entry = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'));
    const preload = `data:text/javascript,${encodeURIComponent(LOOPBACK_ONLY)}`;
    child = spawn(process.execPath, ['--import', preload, entry, 'sse'], {
      env: { ...process.env, PORT: '0' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    assert.ok(child.stderr !== null);
    for await (const line of createInterface({ input: child.stderr })) {
      const port = /^port (\d+)$/.exec(line)?.[1];
      if (port === undefined) continue;
      url = `http://127.0.0.1:${port}/sse`;
      break;
    }
    child.stderr?.resume();
  });
  suiteTeardown(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  });
  failOnLeaks();

  /** The answer to this id. Collects earlier messages. */
  const answerTo = async (id: number, before: string[] = []): Promise<string> => {
    for (;;) {
      const line = await client.next();
      if (line.includes(`"id":${id}`) && line.includes('"result"')) return line;
      before.push(line);
    }
  };
  const connect = async (): Promise<void> => {
    const connection = { kind: 'remote', url, headers: {}, transport: 'sse' } as const;
    client = new TransportRecorder(openLegacySse(connection, new RecordingContext()).transport);
    client.request(1, 'initialize', {
      protocolVersion: '2024-11-05',
      capabilities: { roots: {} },
      clientInfo: { name: 'test', version: '1' },
    });
    assert.match(await answerTo(1), /"protocolVersion":"2024-11-05"/);
    client.notify('notifications/initialized');
  };

  test('it lists, calls, asks, and gets progress before the result', async () => {
    await connect();
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
      before.filter((line) => line.includes('notifications/progress')).map((line) => JSON.parse(line).params.progress),
      [1, 2],
    );
    await client.transport.close();
    assert.deepEqual(
      client.rest().filter((line) => line.startsWith('closed')),
      ['closed '],
    );
  });

  test('its death ends the session, with an error', async () => {
    await connect();
    child.kill('SIGKILL');
    let line = '';
    while (!line.startsWith('closed')) line = await client.next();
    assert.match(line, /^closed CONNECTION_CLOSED: (The server ended|The connection to 127)/);
    await client.transport.close();
  });
});
