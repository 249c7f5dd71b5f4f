import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { isHostError, type Json } from '../../src/core/index.ts';
import { type Gateway, type GatewayAddress, startGateway } from '../../src/node/gateway/gatewayServer.ts';
import { LazyGateway } from '../../src/node/gateway/lazyGateway.ts';
import { nodeIds } from '../../src/node/nodePorts.ts';
import { failOnLeaks } from '../support/leaks.ts';
import { FakeHost, tool } from '../unit/core/gateway/fakeHost.ts';
import { abandonSocket } from './abandonedSocket.ts';

const INITIALIZE: Json = { jsonrpc: '2.0', id: 1, method: 'initialize', params: {} };

const post = async (
  { url, headers, socket }: GatewayAddress,
  more: Record<string, string | undefined> = {},
  body: Json = INITIALIZE,
): Promise<string> => {
  const all = { ...headers, ...more };
  const given = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
  const sent = httpRequest(url, {
    method: 'POST',
    headers: given,
    agent: false,
    ...(socket && { socketPath: socket }),
  });
  sent.end(JSON.stringify(body));
  const [response] = await once(sent, 'response');
  let text = '';
  response.on('data', (chunk: Buffer) => (text += String(chunk)));
  await once(response, 'end');
  return `${response.statusCode} ${text.includes('"serverInfo"') ? 'initialized' : text}`;
};

suite('gateway over a socket', function () {
  if (process.platform === 'win32') this.pending = true;
  let base: string;
  let before: string | undefined;
  let host: FakeHost;
  const gateways: Gateway[] = [];

  setup(() => {
    base = mkdtempSync(join(tmpdir(), 'mcpl-run-'));
    before = process.env['XDG_RUNTIME_DIR'];
    process.env['XDG_RUNTIME_DIR'] = base;
    host = new FakeHost();
    host.set('notes', [tool('add')]);
  });
  teardown(async () => {
    for (const gateway of gateways.splice(0)) await gateway.dispose();
    if (before === undefined) delete process.env['XDG_RUNTIME_DIR'];
    else process.env['XDG_RUNTIME_DIR'] = before;
    rmSync(base, { recursive: true, force: true });
  });
  failOnLeaks();

  const start = async (): Promise<Gateway> => {
    const gateway = await startGateway({ host, ids: nodeIds, transport: 'socket' });
    gateways.push(gateway);
    return gateway;
  };

  test('only this user gets to its file, which goes with it', async () => {
    const gateway = await start();
    const address = gateway.address('a/b');
    const { socket = '' } = address;
    assert.equal(address.url, 'http://localhost/mcp/a%2Fb');
    assert.ok(Buffer.byteLength(socket) <= 103, socket);
    const modes = [dirname(socket), socket].map((path) => (statSync(path).mode & 0o777).toString(8));
    assert.deepEqual(modes, ['700', '600']);
    assert.equal(await post(gateway.address('notes')), '200 initialized');
    await gateway.dispose();
    assert.deepEqual(readdirSync(base), []);
  });

  test('the file alone is not enough: a stranger gets the same 404 as at a port', async () => {
    const gateway = await start();
    const address = gateway.address('notes');
    assert.deepEqual(
      [
        await post(address, { Authorization: undefined }),
        await post(address, { Authorization: 'Bearer x' }),
        await post(address, { Host: 'evil.example' }),
        await post(address, { Host: '127.0.0.1' }),
        await post(address, { Origin: 'http://localhost' }),
        await post(address, { Origin: 'https://evil.example' }),
        await post({ ...address, url: 'http://localhost/' }),
      ],
      ['404 ', '404 ', '404 ', '404 ', '200 initialized', '404 ', '404 '],
    );
  });

  test('a folder whose name would be too long for a socket is left for a shorter one', async () => {
    const long = join(base, 'x'.repeat(100));
    mkdirSync(long);
    process.env['XDG_RUNTIME_DIR'] = long;
    const { socket = '' } = (await start()).address('notes');
    assert.ok(!socket.startsWith(long), socket);
    assert.ok(Buffer.byteLength(socket) <= 103, socket);
  });

  test('what a killed window left is taken away by the next, and nothing else is', async () => {
    const alive = (await start()).address('notes');
    const dead = await abandonSocket(join(base, 'mcpl-gateway-dead00'));
    const old = join(base, 'mcpl-gateway-old000');
    const fresh = join(base, 'mcpl-gateway-fresh0');
    const other = join(base, 'other');
    for (const folder of [old, fresh, other]) mkdirSync(folder);
    utimesSync(old, 1, 1);
    utimesSync(other, 1, 1);
    assert.ok(existsSync(dead));
    await start();
    for (let tries = 0; existsSync(dead) || existsSync(old); tries++) {
      assert.ok(tries < 200, 'They are still there.');
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    assert.deepEqual([existsSync(fresh), existsSync(other)], [true, true]);
    assert.equal(await post(alive), '200 initialized');
  });
});

suite('gateway that moves', () => {
  let host: FakeHost;
  let gateway: LazyGateway;
  setup(() => {
    host = new FakeHost();
    host.set('notes', [tool('add')]);
    gateway = new LazyGateway({ host, ids: nodeIds });
  });
  teardown(() => gateway.dispose());
  failOnLeaks();

  const isOpen = async ({ url }: GatewayAddress): Promise<boolean> => {
    const { port, hostname } = new URL(url);
    const socket = connect(Number(port), hostname);
    const open = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true));
      socket.once('error', () => resolve(false));
    });
    socket.destroy();
    return open;
  };

  test('is nowhere while it is off, and somewhere else with another token afterwards', async () => {
    const first = await gateway.address('notes');
    assert.equal(await post(first), '200 initialized');
    gateway.use('loopback');
    assert.deepEqual(await gateway.address('notes'), first);
    gateway.use('off');
    await assert.rejects(gateway.address('notes'), (error) => isHostError(error, 'CONNECTION_CLOSED'));
    for (let tries = 0; await isOpen(first); tries++) assert.ok(tries < 200, 'It still listens.');
    gateway.use('loopback');
    const second = await gateway.address('notes');
    assert.notEqual(second.headers['Authorization'], first.headers['Authorization']);
    assert.equal(await post(second), '200 initialized');
    // The editor's stored address of an earlier activation is rejected.
    assert.equal(await post({ ...second, headers: first.headers }), '404 ');
    await gateway.dispose();
    await assert.rejects(gateway.address('notes'), (error) => isHostError(error, 'CONNECTION_CLOSED'));
    assert.equal(await isOpen(second), false);
  });

  test('leaves no listening socket if it moves while it is being opened', async () => {
    const opening = gateway.address('notes');
    gateway.use('off');
    const address = await opening;
    await gateway.dispose();
    assert.equal(await isOpen(address), false);
  });
});
