import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { WebSocketServer } from 'ws';
import { DrivenHost, mcpl } from './cliProgram.ts';

const pathOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const MODERN = [process.execPath, pathOf('fixtures/modernServer.mjs')];
const DIALECT = pathOf('fixtures/dialectServer.mjs');
const EVERYTHING = [
  process.execPath,
  pathOf('../../node_modules/@modelcontextprotocol/server-everything/dist/index.js'),
];

suite('The program mcpl and what servers offer beside tools', () => {
  test('inspects resources, templates and prompts, and how the server is spoken to', async () => {
    const [modern, everything] = await Promise.all([
      mcpl('inspect', ...MODERN),
      mcpl('inspect', '--json', ...EVERYTHING),
    ]);
    assert.match(modern.out, /^modern-fixture 1\.0\.0\nMCP 2026-07-28\nConnection: stdio, modern era, first answer/);
    assert.match(
      modern.out,
      /\nResources \(3\):\n\n {2}mem:\/\/a - a\n[^]*\nResource templates \(1\):\n\n {2}mem:\/\/note\/\{id\} - note\n/,
    );
    assert.match(modern.out, /\nPrompts \(2\):\n\n {2}greet\n {4}Arguments:\n {6}name \(required\)\n/);
    const value = JSON.parse(everything.out) as Record<string, unknown[]> & { connection: Record<string, unknown> };
    const { era, transport, isDialect } = value.connection;
    assert.deepEqual([era, transport, isDialect], ['legacy', 'stdio', false]);
    assert.deepEqual(
      [value['resources']?.length, value['resourceTemplates']?.length, value['prompts']?.length],
      [7, 2, 4],
    );
  });

  test('reads a resource: text as it is, bytes as what they are, all of it as JSON', async () => {
    const blob = 'demo://resource/dynamic/blob/1';
    const outcomes = await Promise.all([
      mcpl('read', 'mem://note/7', '--', ...MODERN),
      mcpl('read', '--json', 'mem://a', '--', ...MODERN),
      mcpl('read', blob, '--', ...EVERYTHING),
      mcpl('read', 'mem://nope', '--', ...MODERN),
    ]);
    assert.equal(outcomes[0]?.out, 'note 7\n');
    const { contents } = JSON.parse(outcomes[1]?.out ?? '') as { contents: unknown };
    assert.deepEqual(contents, [{ uri: 'mem://a', mimeType: 'text/plain', text: 'A' }]);
    assert.match(outcomes[2]?.out ?? '', /^\[demo:\/\/resource\/dynamic\/blob\/1: text\/plain, \d+ bytes\]\n$/);
    assert.deepEqual([outcomes[3]?.code, outcomes[3]?.out], [4, '']);
    assert.match(outcomes[3]?.err ?? '', /^The server has no resource mem:\/\/nope: /);
  });

  test('gets a prompt, whose arguments are texts whatever they look like', async () => {
    const outcomes = await Promise.all([
      mcpl('prompt', 'greet', 'name=5', '--', ...MODERN),
      mcpl('prompt', '--json', 'greet', '--args', '{"name": "Bo"}', '--', ...MODERN),
      mcpl('prompt', 'greet', '--args', '{"name": 5}', '--', ...MODERN),
      mcpl('prompt', 'nope', '--', ...MODERN),
    ]);
    assert.deepEqual(
      outcomes.map(({ code }) => code),
      [0, 0, 2, 4],
    );
    assert.equal(outcomes[0]?.out, '[user]\nGreet 5.\n');
    assert.match(outcomes[1]?.out ?? '', /"text": "Greet Bo\."/);
    assert.match(outcomes[2]?.err ?? '', /^The argument "name" of the prompt must be a text\./);
    assert.match(outcomes[3]?.err ?? '', /^The server has no prompt "nope"/);
  });

  test('leaves a question of a server open without a terminal, and prints the question', async () => {
    const { code, out, err } = await mcpl('call', 'ask', '--', ...MODERN);
    assert.deepEqual([code, out], [0, '{"action":"cancel"}\n']);
    assert.match(err, /^The server "node" asks: Is it all right\?\nThis question needs a terminal\./);
  });

  test('reaches a server by WebSocket', async () => {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    await once(server, 'listening');
    server.on('connection', (socket) => {
      socket.on('message', (data: Buffer) => {
        const { id, method } = JSON.parse(data.toString()) as { id?: number; method: string };
        const capabilities = { resources: {} };
        const serverInfo = { name: 'w', version: '1' };
        const results: Record<string, object> = {
          initialize: { protocolVersion: '2025-11-25', capabilities, serverInfo },
          'resources/list': { resources: [] },
          'resources/read': { contents: [{ uri: 'x://1', text: 'over a socket' }] },
        };
        const result = results[method];
        const error = { code: -32601, message: 'Method not found' };
        const answer = result === undefined ? { error } : { result };
        if (id !== undefined) socket.send(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
      });
    });
    const { port } = server.address() as AddressInfo;
    try {
      assert.deepEqual(await mcpl('read', 'x://1', '--', `ws://127.0.0.1:${port}/mcp`), {
        code: 0,
        out: 'over a socket\n',
        err: '',
      });
    } finally {
      for (const socket of server.clients) socket.terminate();
      server.close();
    }
  });

  test('reports the short dialect', async () => {
    const { code, out } = await mcpl('inspect', '--dialect', 'force', process.execPath, DIALECT);
    assert.equal(code, 0);
    assert.match(out, /\nConnection: stdio, legacy era, short dialect, first answer after \d+ ms\n/);
  });

  test('uses the requested era', async () => {
    const { code, err } = await mcpl('inspect', '--era', 'legacy', ...MODERN);
    assert.deepEqual([code, /^The server refused the handshake: /.test(err)], [3, true]);
  });
});

suite('mcpl host --control and what servers offer beside tools', () => {
  let folder: string;
  let host: DrivenHost;

  setup(() => {
    folder = mkdtempSync(join(tmpdir(), 'mcpl-offers-'));
  });

  teardown(async () => {
    await host.end();
    rmSync(folder, { recursive: true, force: true });
  });

  async function start([command, ...args]: readonly (string | undefined)[]): Promise<void> {
    const file = join(folder, 'user.json');
    writeFileSync(file, JSON.stringify({ 'mcpl.servers': { it: { command, args } } }));
    host = new DrivenHost('--settings', file, '--workspace', folder, '--log', 'info');
    const state = await host.ask(1, 'start', { server: 'it' });
    assert.equal(Reflect.get(state as object, 'kind'), 'running');
  }

  const call = (id: number, tool: string, args: object = {}): Promise<unknown> =>
    host.ask(id, 'call', { server: 'it', tool, args });
  const textOf = async (result: Promise<unknown>): Promise<unknown> => Reflect.get((await result) as object, 'text');

  test('reads, gets, completes, and receives changes of a stateless server', async () => {
    await start(MODERN);
    await host.hear({ event: 'server', what: 'prompts' });
    const named = async (id: number, command: string, member: string): Promise<unknown> =>
      ((await host.ask(id, command, { server: 'it' })) as object[]).map((each) => Reflect.get(each, member));
    await host.ask(2, 'refresh', { server: 'it' });
    assert.deepEqual(await named(3, 'resources', 'uri'), ['mem://a', 'mem://b', 'mem://ask']);
    assert.deepEqual(await named(4, 'templates', 'uriTemplate'), ['mem://note/{id}']);
    assert.deepEqual(await named(5, 'prompts', 'name'), ['greet', 'ask_prompt']);
    const read = (await host.ask(6, 'read', { server: 'it', uri: 'mem://a' })) as object;
    assert.deepEqual(Reflect.get(read, 'contents'), [
      { kind: 'text', uri: 'mem://a', mimeType: 'text/plain', text: 'A' },
    ]);
    const prompt = (await host.ask(7, 'prompt', { server: 'it', name: 'greet', args: { name: 'Bo' } })) as object;
    assert.deepEqual(Reflect.get(prompt, 'messages'), [{ role: 'user', text: 'Greet Bo.' }]);
    assert.deepEqual(await host.ask(8, 'complete', { server: 'it', prompt: 'greet', argument: 'name', value: 'A' }), {
      values: ['Ada', 'Alan'],
      hasMore: false,
    });
    assert.equal(await host.ask(9, 'subscribe', { server: 'it', uri: 'mem://a' }), null);
    await call(10, 'change_resource', { uri: 'mem://a', text: 'B' });
    assert.deepEqual(await host.hear({ event: 'resource' }), { event: 'resource', server: 'it', uri: 'mem://a' });
    assert.deepEqual(await host.ask(11, 'unsubscribe', { server: 'it', uri: 'mem://a' }), { unsubscribed: true });
    assert.deepEqual(await host.ask(12, 'logLevel', { server: 'it', level: 'error' }), { level: 'error' });
    await call(13, 'log');
    assert.match(String((await host.hear({ event: 'log', level: 'error' }))['message']), /at error/);
  });

  test('answers the forms, pages and prompts of a stateless server', async () => {
    await start(MODERN);
    const asked = textOf(call(2, 'ask_twice'));
    const { fields, ...first } = await host.answer('form', { action: 'accept', values: { name: 'Bo' } });
    assert.deepEqual(first, {
      kind: 'form',
      server: 'it',
      message: 'What is the name?',
      values: {},
      errors: {},
      sensitive: [],
      remarks: [],
    });
    assert.equal(Reflect.get((fields as object[])[0] ?? {}, 'kind'), 'text');
    await host.answer('form', { action: 'accept', values: { colour: 'blue' } });
    assert.equal(await asked, 'Bo likes blue');

    const visited = textOf(call(3, 'ask_url'));
    const page = await host.answer('url', 'accept');
    assert.deepEqual([page['url'], page['host']], ['https://example.com/sign-in?x=1', 'example.com']);
    assert.equal(await visited, '{"action":"accept"}');

    const many = textOf(call(4, 'ask_many'));
    await host.answer('form', 'decline');
    const { request } = await host.answer('sampling', {
      result: { model: 'driver', content: { type: 'text', text: 'Ho' }, stopReason: 'endTurn' },
    });
    assert.equal(Reflect.get(request as object, 'maxTokens'), 20);
    const given = JSON.parse(String(await many)) as Record<string, object>;
    assert.deepEqual(given['form'], { action: 'decline' });
    assert.equal(Reflect.get(given['model'] ?? {}, 'model'), 'driver');
  });

  test('answers a server of the older kind; a question whose call is cancelled is closed', async () => {
    await start(EVERYTHING);
    const sampled = textOf(call(2, 'trigger-sampling-request', { prompt: 'Hi', maxTokens: 9 }));
    await host.answer('sampling', { result: { model: 'driver', content: { type: 'text', text: 'Ho' } } });
    assert.match(String(await sampled), /"text": "Ho"/);
    const refused = textOf(call(3, 'trigger-sampling-request', { prompt: 'Hi', maxTokens: 9 }));
    await host.answer('sampling', 'declined');
    assert.match(String(await refused), /User rejected sampling request/);

    const asked = call(4, 'trigger-elicitation-request');
    const { question } = await host.hear({ event: 'question', kind: 'form' });
    const stopped = host.ask(5, 'stop', { server: 'it' });
    assert.deepEqual(await host.hear({ event: 'questionClosed' }), { event: 'questionClosed', question });
    await Promise.all([asked, stopped]);
  });
});
