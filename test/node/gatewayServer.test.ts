import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, request as httpRequest } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Json } from '../../src/core/index.ts';
import { type Gateway, type GatewayOptions, startGateway } from '../../src/node/gateway/gatewayServer.ts';
import { nodeIds } from '../../src/node/nodePorts.ts';
import { FakeClock } from '../support/fakeClock.ts';
import { failOnLeaks } from '../support/leaks.ts';
import { FakeHost, tool } from '../unit/core/gateway/fakeHost.ts';

interface Reply {
  readonly status: number | undefined;
  readonly session: string | undefined;
  /** Status, content type and body in one line. */
  readonly line: string;
}

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string | undefined>;
  readonly body?: Json | Buffer | undefined;
  readonly onText?: (text: string) => void;
}

suite('gateway over HTTP', () => {
  let host: FakeHost;
  let gateway: Gateway;
  let sockets: Socket[];

  setup(() => {
    sockets = [];
    host = new FakeHost();
    host.set('notes', [tool('add')]);
  });
  teardown(async () => {
    for (const socket of sockets) socket.destroy();
    await gateway.dispose();
  });
  failOnLeaks();

  const start = async (options: Partial<GatewayOptions> = {}): Promise<void> => {
    gateway = await startGateway({ host, ids: nodeIds, ...options });
  };
  const port = (): number => Number(new URL(gateway.address('notes').url).port);

  const send = async ({ method = 'POST', path, headers = {}, body, onText }: Sent): Promise<Reply> => {
    const { url, headers: own } = gateway.address('notes');
    const all = { accept: 'application/json, text/event-stream', ...lowered(own), ...headers };
    const defined = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
    const sent = httpRequest(path === undefined ? url : new URL(path, url), { method, headers: defined, agent: false });
    sent.end(body === undefined || Buffer.isBuffer(body) ? body : JSON.stringify(body));
    const [response] = await once(sent, 'response');
    let text = '';
    response.setEncoding('utf8');
    response.on('data', (chunk: string) => {
      text += chunk;
      onText?.(chunk);
    });
    await once(response, 'end');
    const type = response.headers['content-type'];
    return {
      status: response.statusCode,
      session: response.headers['mcp-session-id'],
      line: [response.statusCode, type, JSON.stringify(text)].filter(Boolean).join(' ').replaceAll('\\"', "'"),
    };
  };
  const initialize = (id: number | string = 1, capabilities: Json = {}): Json => ({
    jsonrpc: '2.0',
    id,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities, clientInfo: { name: 't', version: '1' } },
  });
  const openSession = async (): Promise<Record<string, string>> => {
    const { session } = await send({ body: initialize() });
    return { 'mcp-session-id': session ?? 'none' };
  };
  const raw = async (text: string): Promise<Socket> => {
    const socket = connect(port(), '127.0.0.1');
    sockets.push(socket);
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    socket.write(text);
    return socket;
  };

  test('a stranger gets the same 404 whatever is wrong, before any of the body is read', async () => {
    await start();
    const own = gateway.address('notes').headers['Authorization'] ?? '';
    const strangers: Record<string, Sent> = {
      'no token': { headers: { authorization: undefined } },
      'wrong token': { headers: { authorization: `${own.slice(0, -1)}x` } },
      'token without scheme': { headers: { authorization: own.slice('Bearer '.length) } },
      'rebound name': { headers: { host: `evil.example:${port()}` } },
      'bare name': { headers: { host: '127.0.0.1' } },
      'web page': { headers: { origin: 'https://evil.example' } },
      'web page on another port': { headers: { origin: 'http://127.0.0.1:1' } },
      'sandboxed page': { headers: { origin: 'null' } },
      'other path': { path: '/' },
      'deeper path': { path: '/mcp/notes/x' },
      'broken path': { path: '/mcp/%E0%A4%A' },
      'listing without token': { method: 'GET', headers: { authorization: undefined } },
    };
    const answers: Record<string, string> = {};
    for (const [name, sent] of Object.entries(strangers))
      answers[name] = (await send({ body: sent.method === 'GET' ? undefined : initialize(), ...sent })).line;
    assert.deepEqual(answers, Object.fromEntries(Object.keys(strangers).map((name) => [name, '404 ""'])));
    const slow = await raw(`POST /mcp/notes HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 999\r\n\r\n{`);
    const [answer] = await once(slow, 'data');
    assert.match(String(answer), /^HTTP\/1\.1 404 /);
  });

  test('connections without the token are few, end soon, and never keep a client out', async () => {
    await start({ limits: { connections: 40, strangers: 8, strangerMs: 60_000, youngMs: 0 } });
    const known = new Agent({ keepAlive: true, maxSockets: 1 });
    const call = async (): Promise<number | undefined> => {
      const { url, headers } = gateway.address('notes');
      const sent = httpRequest(url, { method: 'POST', headers: lowered(headers), agent: known });
      sent.end(JSON.stringify(initialize()));
      const [response] = await once(sent, 'response');
      response.resume();
      await once(response, 'end');
      return response.statusCode;
    };
    await call();
    const silent: Socket[] = [];
    // One after the other. Half of them send the beginning of a request.
    for (let count = 0; count < 100; count++)
      silent.push(await raw(count % 2 === 0 ? '' : 'POST /mcp/notes HTTP/1.1\r\nHost: x\r\nX-A: '));
    const isOpen = (socket: Socket): boolean => !socket.closed;
    await Promise.all(silent.slice(0, 92).map(async (socket) => (isOpen(socket) ? once(socket, 'close') : undefined)));
    assert.deepEqual(silent.map(isOpen).lastIndexOf(false), 91, 'the oldest end first');
    assert.deepEqual([await call(), (await send({ body: initialize() })).status], [200, 200]);
    known.destroy();
  });

  test('a connection that never shows the token ends, and one that did stays open', async () => {
    await start({ limits: { strangerMs: 50 } });
    const known = new Agent({ keepAlive: true, maxSockets: 1 });
    const { url, headers } = gateway.address('notes');
    const sent = httpRequest(url, { method: 'POST', headers: lowered(headers), agent: known });
    sent.end(JSON.stringify(initialize()));
    const [response] = await once(sent, 'response');
    response.resume();
    await once(response, 'end');
    await once(await raw('POST /mcp/notes HTTP/1.1\r\nHost: x\r\n'), 'close');
    const [kept] = Object.values(known.freeSockets).flatMap((all) => all ?? []);
    assert.equal(kept?.destroyed, false);
    known.destroy();
  });

  test('no secret leaves it: in lists, results, errors and progress, however large', async () => {
    host.redact = (text) => text.replaceAll('key-of-notes', '[secret: KEY]');
    const described = tool('add', { description: 'Needs key-of-notes.' });
    host.set('notes', [described]);
    await start();
    const headers = await openSession();
    const listed = await send({ body: { jsonrpc: '2.0', id: 2, method: 'tools/list' }, headers });
    const request = {
      jsonrpc: '2.0',
      id: 3,
      method: 'tools/call',
      params: { name: 'add', _meta: { progressToken: 1 } },
    };
    const answer = send({ body: request, headers });
    const call = await host.nextCall();
    call.options.onProgress?.({ progress: 1, total: undefined, message: 'With key-of-notes' });
    const items = Array.from({ length: 20_000 }, (_, n) => ({ n, text: `key-of-notes ${n}` }));
    call.succeed({
      content: [{ type: 'text', text: 'key-of-notes' }],
      structuredContent: { items },
      odd: 'key-of-notes',
    });
    const read = await send({
      body: { jsonrpc: '2.0', id: 4, method: 'resources/read', params: { uri: 'x:key-of-notes' } },
      headers,
    });
    const lines = [listed.line, (await answer).line, read.line];
    for (const line of lines) assert.doesNotMatch(line, /key-of-notes/);
    assert.match(lines[1] ?? '', /With \[secret: KEY\].*\[secret: KEY\] 19999/);
  });

  test('a client that opens hundreds of connections at once is answered on each', async () => {
    await start();
    const calls = Array.from({ length: 200 }, () => send({ body: initialize() }));
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    assert.deepEqual(new Set(statuses), new Set([200]));
  });

  test('a flood of silent connections leaves room for clients', async () => {
    await start({ limits: { connections: 40, strangers: 8, strangerMs: 60_000, youngMs: 60_000 } });
    for (let count = 0; count < 100; count++) await raw('');
    assert.equal((await send({ body: initialize() })).status, 200);
  });

  test('localhost, a query and an own origin are no strangers, and no version header is asked for', async () => {
    await start();
    const headers = { host: `localhost:${port()}`, origin: `http://localhost:${port()}` };
    const { status } = await send({ body: initialize(), headers, path: '/mcp/notes?x=1' });
    assert.equal(status, 200);
  });

  test('tokens and ports are new each time, and an address names its server', async () => {
    await start();
    const first = gateway.address('a/b c');
    const second = await startGateway({ host, ids: nodeIds });
    const other = second.address('a/b c');
    await second.dispose();
    assert.match(first.url, /^http:\/\/127\.0\.0\.1:\d+\/mcp\/a%2Fb%20c$/);
    assert.match(first.headers['Authorization'] ?? '', /^Bearer [0-9a-f]{64}$/);
    assert.notEqual(first.headers['Authorization'], other.headers['Authorization']);
    assert.notEqual(first.url, other.url);
  });

  test('a session begins with initialize, and what a known client does wrong is answered with status 200', async () => {
    await start({ limits: { sessionsPerServer: 1 } });
    const body = { jsonrpc: '2.0', id: 5, method: 'tools/list' };
    const lines = [
      await send({ body }),
      await send({ body: { ...body, method: 'server/discover' } }),
      await send({ body: Buffer.from('{"jsonrpc":') }),
      await send({ body: Buffer.from(`${'['.repeat(600)}${']'.repeat(600)}`) }),
      await send({ path: '/mcp/gone', body: initialize('i') }),
      await send({ body, headers: { 'mcp-session-id': 'stale' } }),
      await send({ method: 'GET' }),
      await send({ method: 'GET', headers: { 'mcp-session-id': 'stale' } }),
      await send({ method: 'DELETE', headers: { 'mcp-session-id': 'stale' } }),
      await send({ method: 'PUT' }),
    ].map((reply) => reply.line);
    const json = (rest: string): string => `200 application/json "{'jsonrpc':'2.0',${rest}}"`;
    const gone = `404 application/json "{'jsonrpc':'2.0','id':null,'error':{'code':-32001,'message':'This session has ended. Begin a new one.'}}"`;
    assert.deepEqual(lines, [
      json("'id':5,'error':{'code':-32600,'message':'A session begins with `initialize`.'}"),
      json("'id':5,'error':{'code':-32601,'message':'Method not found'}"),
      json("'id':null,'error':{'code':-32700,'message':'The body is not JSON.'}"),
      json("'id':null,'error':{'code':-32600,'message':'The message nests too deep.'}"),
      json("'id':'i','error':{'code':-32602,'message':'The settings no longer have this server.'}"),
      gone,
      '405 ""',
      gone,
      '404 ""',
      '405 ""',
    ]);
  });

  test('notifications get 202, batches an array, calls a stream, and DELETE ends it all', async () => {
    await start();
    const headers = await openSession();
    const ping = { jsonrpc: '2.0', id: 'p', method: 'ping' };
    const call = {
      jsonrpc: '2.0',
      id: 'c',
      method: 'tools/call',
      params: { name: 'add', _meta: { progressToken: 1 } },
    };
    const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' };
    const answerOne = async (): Promise<void> => {
      const held = await host.nextCall();
      held.options.onProgress?.({ progress: 1, total: 2, message: undefined });
      held.succeed({ content: [] });
    };
    const lines = [
      await send({ headers, body: initialized }),
      await send({ headers, body: [initialized, ping, { ...ping, id: 2 }, 7] }),
      await send({ headers, body: [initialized] }),
      (await Promise.all([send({ headers, body: call }), answerOne()]))[0],
      (await Promise.all([send({ headers, body: [call, ping] }), answerOne()]))[0],
      (await Promise.all([send({ headers: { ...headers, accept: '*/*' }, body: call }), answerOne()]))[0],
      await send({ headers, method: 'DELETE' }),
      await send({ headers, body: ping }),
    ].map((reply) => reply.line);
    const progress = `event: message\\ndata: {'jsonrpc':'2.0','method':'notifications/progress','params':{'progressToken':1,'progress':1,'total':2}}\\n\\n`;
    const result = `{'jsonrpc':'2.0','id':'c','result':{'content':[]}}`;
    const pong = `{'jsonrpc':'2.0','id':'p','result':{}}`;
    assert.deepEqual(lines, [
      '202 ""',
      `200 application/json "[{'jsonrpc':'2.0','id':null,'error':{'code':-32600,'message':'A message is a JSON object.'}},${pong},{'jsonrpc':'2.0','id':2,'result':{}}]"`,
      '202 ""',
      `200 text/event-stream "${progress}event: message\\ndata: ${result}\\n\\n"`,
      `200 text/event-stream "${progress}event: message\\ndata: ${pong}\\n\\nevent: message\\ndata: ${result}\\n\\n"`,
      `200 application/json "${result}"`,
      '204 ""',
      `404 application/json "{'jsonrpc':'2.0','id':null,'error':{'code':-32001,'message':'This session has ended. Begin a new one.'}}"`,
    ]);
  });

  test('a question goes out on the stream of its call, and its answer comes back by another POST', async () => {
    await start();
    const { session } = await send({ body: initialize(1, { elicitation: {} }) });
    const headers = { 'mcp-session-id': session ?? 'none' };
    const call = {
      jsonrpc: '2.0',
      id: 'c',
      method: 'tools/call',
      params: { name: 'add', _meta: { progressToken: 1, 'vscode.conversationId': 'chat' } },
    };
    const text = 'x'.repeat(1_000_000);
    const replies: Promise<Reply>[] = [];
    const heard: string[] = [];
    const onText = (chunk: string): void => {
      for (const line of chunk.split('\n').filter((each) => each.startsWith('data: '))) {
        const { id, method, params } = JSON.parse(line.slice('data: '.length)) as Record<string, Record<string, Json>>;
        heard.push(`${String(method)} ${String(params?.['message']).slice(0, 18)}`);
        if (String(method) !== 'elicitation/create') continue;
        const result = { action: 'accept', content: { decision: 'Allow for this session', text } };
        const answer = { jsonrpc: '2.0', id: String(id), result };
        // In another session no request has this id.
        replies.push(openSession().then((other) => send({ headers: other, body: answer })));
        replies.push(replies[0]?.then(() => send({ headers, body: [answer, answer] })) ?? send({ body: answer }));
      }
    };
    const answered = send({ headers, body: call, onText });
    const held = await host.nextCall();
    const settled = host.approvals.nextSettled();
    host.approvals.ask('a1', [held.request]);
    assert.equal(await settled, 'a1');
    held.succeed({ content: [] });
    const { line } = await answered;
    assert.deepEqual(
      [...(await Promise.all(replies)).map((reply) => reply.line), ...host.approvals.answers, ...heard],
      [
        '202 ""',
        '202 ""',
        'a1 session',
        'notifications/progress Waiting for approv',
        'elicitation/create The server `notes`',
        'notifications/progress The approval is de',
        'undefined undefined',
      ],
    );
    assert.match(line, /^200 text\/event-stream .*event: message.*event: message.*event: message/);
  });

  test('who takes no stream gets no question', async () => {
    await start();
    const { session } = await send({ body: initialize(1, { elicitation: {} }) });
    const headers = { 'mcp-session-id': session ?? 'none', accept: 'application/json' };
    const meta = { progressToken: 1, 'vscode.conversationId': 'chat' };
    const call = { jsonrpc: '2.0', id: 'c', method: 'tools/call', params: { name: 'add', _meta: meta } };
    const answered = send({ headers, body: call });
    const held = await host.nextCall();
    host.approvals.ask('a1', [held.request]);
    held.succeed({ content: [] });
    assert.equal((await answered).line, `200 application/json "{'jsonrpc':'2.0','id':'c','result':{'content':[]}}"`);
  });

  test('the back-channel lives on comments, reports changes, and ends with the server', async () => {
    await start({ limits: { keepAliveMs: 20 } });
    const headers = await openSession();
    await send({ headers, body: { jsonrpc: '2.0', method: 'notifications/initialized' } });
    let kept = 0;
    const reply = await send({
      headers,
      method: 'GET',
      onText: (text) => {
        if (text.includes(': keep-alive') && ++kept === 2) host.set('notes', [tool('new')]);
        if (text.includes('list_changed')) host.remove('notes');
      },
    });
    assert.equal(kept >= 2, true);
    assert.equal(
      reply.line.replaceAll(': keep-alive\\n\\n', ''),
      `200 text/event-stream "event: message\\ndata: {'jsonrpc':'2.0','method':'notifications/tools/list_changed'}\\n\\n"`,
    );
  });

  test('a body over the cap is answered by its id, and is not kept', async () => {
    await start({ limits: { bodyBytes: 1024 * 1024 } });
    const headers = await openSession();
    const text = 'x'.repeat(3 * 1024 * 1024);
    const body = { jsonrpc: '2.0', id: 9, method: 'tools/call', params: { name: 'add', arguments: { text } } };
    assert.equal(
      (await send({ headers, body })).line,
      `200 application/json "{'jsonrpc':'2.0','id':9,'error':{'code':-32600,'message':'A message may have 1 MB at most.'}}"`,
    );
  });

  test('a client that sends its headers or its body drop by drop is cut off without a word', async () => {
    const dribble = async (text: string): Promise<string> => {
      const socket = await raw(text);
      let heard = '';
      socket.on('data', (chunk) => (heard += String(chunk)));
      const drops = setInterval(() => socket.write('x'), 20);
      await closed(socket);
      clearInterval(drops);
      return heard;
    };
    const head = (): string => `POST /mcp/notes HTTP/1.1\r\nHost: 127.0.0.1:${port()}\r\n`;
    await start({ limits: { headersMs: 100 } });
    assert.equal(await dribble(head()), '');
    await gateway.dispose();
    await start({ limits: { headersMs: 100, requestMs: 150 } });
    const own = gateway.address('notes').headers['Authorization'];
    assert.equal(await dribble(`${head()}Authorization: ${own}\r\nContent-Length: 9999\r\n\r\n{`), '');
  });

  test('a client that does not read its answer is given up, and with it what was kept for it', async () => {
    const clock = new FakeClock();
    await start({ clock });
    const headers = await openSession();
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'add' } });
    const lines = { host: `127.0.0.1:${port()}`, accept: 'text/event-stream', 'content-length': String(body.length) };
    const head = Object.entries({ ...lowered(gateway.address('notes').headers), ...lines, ...headers });
    const socket = await raw(
      `POST /mcp/notes HTTP/1.1\r\n${head.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`,
    );
    socket.pause();
    const end = closed(socket);
    (await host.nextCall()).succeed({ content: [{ type: 'text', text: 'x'.repeat(30_000_000) }] });
    // The timer of the stream ends with it.
    for (let periods = 0; clock.waiting > 0 && periods < 20; periods++) {
      await clock.advance(15_000);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    assert.equal(clock.waiting, 0);
    socket.resume();
    await end;
    assert.ok(socket.bytesRead < 30_000_000, `${socket.bytesRead} bytes`);
  });

  test('dispose cancels calls, ends every connection and frees the port', async () => {
    await start();
    const headers = await openSession();
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'add' } };
    const [stream, open] = [send({ headers, method: 'GET' }), send({ headers, body: call })];
    const ends = Promise.allSettled([stream, open]);
    const idle = await raw('');
    const idleEnd = closed(idle);
    const held = await host.nextCall();
    await Promise.all([gateway.dispose(), gateway.dispose()]);
    await Promise.all([ends, idleEnd]);
    const again = connect(port(), '127.0.0.1');
    const [refused] = await once(again, 'error');
    assert.deepEqual(
      [held.options.token?.isCancellationRequested, host.hasListeners, Reflect.get(Object(refused), 'code')],
      [true, false, 'ECONNREFUSED'],
    );
  });
});

function lowered(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** Unlike `once`, which rejects on an error. */
function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.once('close', () => resolve()));
}
