import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AuthWorld } from './auth/authWorld.ts';
import { DrivenHost, mcpl } from './cliProgram.ts';

/** Serves MCP to clients with a token at the protected server. */
function serveMcp(world: AuthWorld): void {
  const guard = world.mcp.pages['/mcp'];
  world.mcp.pages['/mcp'] = (visit) => {
    const { request, response, body } = visit;
    const [, token = ''] = (request.headers.authorization ?? '').split(' ');
    if (token === '' || !world.accepts(token)) return guard?.(visit);
    const { id, method } = (body === '' ? {} : JSON.parse(body)) as { id?: number; method?: string };
    if (id === undefined) return void response.writeHead(request.method === 'POST' ? 202 : 405).end();
    const serverInfo = { name: 'protected', version: '1' };
    const results: Record<string, object> = {
      initialize: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo },
      'tools/list': { tools: [{ name: 'secret_tool', inputSchema: { type: 'object' } }] },
    };
    const result = results[method ?? ''];
    const error = { code: -32601, message: 'Method not found' };
    const answer = result === undefined ? { error } : { result };
    return void response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
  };
}

suite('Signing in without an editor', () => {
  let world: AuthWorld;
  let folder: string;
  let host: DrivenHost | undefined;

  setup(async () => {
    world = await AuthWorld.open();
    serveMcp(world);
    folder = mkdtempSync(join(tmpdir(), 'mcpl-signin-'));
  });

  teardown(async () => {
    await host?.end();
    host = undefined;
    rmSync(folder, { recursive: true, force: true });
    await world.close();
  });

  function drive(): DrivenHost {
    const file = join(folder, 'user.json');
    writeFileSync(
      file,
      JSON.stringify({ 'mcpl.servers': { safe: { url: world.server, protocol: { era: 'legacy' } } } }),
    );
    host = new DrivenHost('--settings', file, '--log', 'trace');
    return host;
  }

  test('a driver agrees, opens the page, and signs out again', async () => {
    const driven = drive();
    let output = '';
    driven.child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const started = driven.ask(1, 'start', { server: 'safe' });
    assert.deepEqual(await driven.answer('signIn', true), {
      kind: 'signIn',
      server: 'safe',
      reason: 'first',
      resource: world.server,
      issuer: world.auth.origin,
      scopes: [],
    });
    const { url } = await driven.hear({ event: 'open' });
    assert.equal(new URL(String(url)).origin, world.auth.origin);
    await world.follow(new URL(String(url)));
    assert.equal(Reflect.get((await started) as object, 'kind'), 'running');
    await driven.hear({ event: 'server', what: 'tools' });
    const accounts = (await driven.ask(2, 'accounts')) as { url: string; issuer: string }[];
    assert.deepEqual(
      accounts.map(({ url: server, issuer }) => [server, issuer]),
      [[world.server, world.auth.origin]],
    );
    assert.deepEqual(await driven.ask(3, 'signOut', { url: world.server }), { signedOut: true });
    assert.deepEqual(await driven.ask(4, 'signOut', { url: world.server }), { signedOut: false });
    assert.deepEqual(await driven.ask(5, 'accounts'), []);
    assert.doesNotMatch(output, /access-1/, 'a token is told to nobody');
  });

  test('a driver that does not agree gets the next step', async () => {
    const driven = drive();
    const started = driven.ask(1, 'start', { server: 'safe' });
    await driven.answer('signIn', false);
    const error = (await started) as object;
    assert.deepEqual(
      [Reflect.get(error, 'code'), Reflect.get(error, 'suggestion')],
      ['SIGN_IN_REQUIRED', 'Start the server again to sign in.'],
    );
    driven.child.stdin.end();
    await once(driven.child, 'close');
  });

  test('a command without a terminal says where one could sign in, and what else would do', async () => {
    const { code, out, err } = await mcpl('inspect', '--era', 'legacy', world.server);
    assert.deepEqual([code, out], [3, '']);
    assert.match(err, /^The server "127\.0\.0\.1" needs you to sign in\.\n {2}For: http:\/\/127\.0\.0\.1:\d+\/mcp\n/);
    assert.match(err, /Run the command in one, or give a token with --header\.\n/);
    const withToken = await mcpl(
      'inspect',
      '--header',
      'Authorization: Bearer access-9',
      '--era',
      'legacy',
      world.server,
    );
    assert.deepEqual([withToken.code, withToken.err], [0, '']);
    assert.match(withToken.out, /^protected 1\nMCP 2025-11-25\nConnection: http, legacy era/);
  });
});
