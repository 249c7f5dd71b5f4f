import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { Deferred, HostError } from '../../src/core/index.ts';
import type { Authorizer } from '../../src/node/http/authorizer.ts';
import type { RemoteTransportOptions } from '../../src/node/http/remoteServer.ts';
import { type LegacySse, openLegacySse } from '../../src/node/http/legacySse.ts';
import { FakeClock } from '../support/fakeClock.ts';
import { failOnLeaks } from '../support/leaks.ts';
import { type Heard, RecordingContext, ScriptedHttp, TransportRecorder } from './transportRecorder.ts';

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };
const SSE_TYPE = { 'content-type': 'text/event-stream' };
const answer = (id: number): string => JSON.stringify({ jsonrpc: '2.0', id, result: {} });
const idOf = (body: string): number => JSON.parse(body).id;
const URL_HINT = "Check the server's `url`: it must be its SSE endpoint.";

suite('HTTP with server-sent events', () => {
  let server: ScriptedHttp;
  let client: TransportRecorder;
  let context: RecordingContext;
  let stops: (() => Promise<void>)[];
  /** The stream of the last GET. */
  let stream: Deferred<ServerResponse>;

  setup(() => {
    stops = [];
    stream = new Deferred();
  });
  teardown(async () => {
    for (const stop of stops.reverse()) await stop();
  });
  failOnLeaks();

  const connect = (url: string, options: RemoteTransportOptions = {}): LegacySse => {
    context = new RecordingContext();
    const headers = { 'X-Own': 'secret' };
    const { transport } = openLegacySse({ kind: 'remote', url, headers, transport: 'sse' }, context, options);
    client = new TransportRecorder(transport);
    stops.push(() => transport.close());
    return transport;
  };
  /** A server whose stream starts with this text. The test handles its POSTs. */
  const serve = async (
    first: string | ((response: ServerResponse) => void),
    post: (heard: Heard) => void = ({ response }) => void response.writeHead(202).end('Accepted'),
    options: RemoteTransportOptions = {},
  ): Promise<void> => {
    server = await ScriptedHttp.start((heard) => {
      const { request, response } = heard;
      if (request.method === 'POST') return post(heard);
      if (typeof first === 'function') return first(response);
      response.writeHead(200, SSE_TYPE).write(first.replaceAll('PORT', String(server.port)));
      stream.resolve(response);
    });
    // This one, however many a test starts after it.
    const own = server;
    stops.push(() => own.stop());
    connect(server.url('/sse?a=1'), options);
  };
  const endpoint = (to: string): string => `event: endpoint\ndata: ${to}\n\n`;
  const push = async (data: string): Promise<void> => {
    (await stream.promise).write(`event: message\r\ndata: ${data}\r\n\r\n`);
  };

  test('a conversation: messages go to the endpoint, answers come over the stream', async () => {
    await serve(`: hello\n\n${endpoint('/message?sessionId=1')}`, ({ response, body }) => {
      if (body.includes('"plain"')) response.writeHead(200).end('ok');
      else if (body.includes('"none"')) response.writeHead(204).end();
      else if (body.includes('"here"')) response.writeHead(200, JSON_TYPE).end(answer(idOf(body)));
      else if (body.includes('"status"')) response.writeHead(200, JSON_TYPE).end('{"status":"ok"}');
      else response.writeHead(202).end('Accepted');
    });
    client.request(1, 'initialize');
    await push(answer(1));
    assert.equal(await client.next(), answer(1));
    client.notify('notifications/initialized');
    for (const [id, method] of [
      [2, 'plain'],
      [3, 'none'],
      [5, 'status'],
    ] as const) {
      client.request(id, method);
      await push(`[${answer(id)}, {"jsonrpc":"2.0","method":"n"}]`);
      assert.deepEqual(await client.take(2), [answer(id), '{"jsonrpc":"2.0","method":"n"}']);
    }
    client.request(4, 'here');
    assert.equal(await client.next(), answer(4));
    (await stream.promise).write(': keep-alive\n\nevent: other\ndata: x\n\nevent: endpoint\ndata: /elsewhere\n\n');
    await push('no JSON');
    await push(`${'['.repeat(900)}${']'.repeat(900)}`);
    await push('{"last":true}');
    assert.deepEqual(await client.take(2), [
      'dropped undefined false INVALID_MESSAGE unknown: The server sent a message that nests too deep. | Report this to the author of the server.',
      '{"last":true}',
    ]);
    await client.transport.close();
    client.request(9, 'late');
    assert.deepEqual(client.rest(), ['closed ']);
    assert.deepEqual(client.transport.details, { kind: 'sse' });
    const own = '/message?sessionId=1 x-own=secret';
    const [get, initialize, initialized, ...others] = server.lines;
    assert.deepEqual(
      [get, initialize, initialized],
      [
        'GET /sse?a=1 x-own=secret',
        `POST ${own} {"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`,
        `POST ${own} {"jsonrpc":"2.0","method":"notifications/initialized","params":{}}`,
      ],
    );
    assert.equal(others.length, 4);
    assert.deepEqual(context.logged, ['warn Not a message: no JSON']);
  });

  test('what is sent before the endpoint is known waits for it', async () => {
    await serve(': not yet\n\n');
    client.request(1, 'initialize');
    const response = await stream.promise;
    assert.equal(server.lines.length, 1);
    response.write(endpoint(`http://127.0.0.1:${server.port}/absolute`));
    await push(answer(1));
    assert.equal(await client.next(), answer(1));
    // The answer may overtake the request.
    while (server.lines.length < 2) await new Promise((resolve) => setImmediate(resolve));
    assert.match(server.lines[1] ?? '', /^POST \/absolute x-own=secret/);
  });

  test('a POST that the server leaves open ends soon after its answer', async () => {
    const clock = new FakeClock();
    const left = new Deferred<ServerResponse>();
    await serve(endpoint('/message'), ({ response }) => left.resolve(response), { clock });
    client.request(1, 'tools/call');
    const open = await left.promise;
    await push(answer(1));
    assert.equal(await client.next(), answer(1));
    const ended = new Promise((resolve) => open.once('close', resolve));
    await clock.advance(2_000);
    await ended;
    await client.transport.close();
    assert.deepEqual(client.rest(), ['closed ']);
  });

  test('an endpoint elsewhere gets nothing', async () => {
    const elsewhere = await ScriptedHttp.start(({ response }) => void response.writeHead(202).end());
    stops.push(() => elsewhere.stop());
    for (const [to, what] of [
      [elsewhere.url('/steal'), `The server wants messages to go to another place, http://127.0.0.1:${elsewhere.port}`],
      ['//localhost:PORT/x', 'The server wants messages to go to another place, http://localhost:'],
      ['https://127.0.0.1:PORT/x', 'The server wants messages to go to another place, https://127.0.0.1:'],
      ['data:,x', 'The server wants messages to go to another place, null'],
      ['http://[', 'The server names an address for messages that is none: http://['],
    ] as const) {
      await serve(endpoint(to));
      client.request(1, 'initialize');
      client.notify('n');
      const [dropped = '', closed = ''] = await client.take(2);
      assert.ok(dropped.startsWith(`dropped 1 false INVALID_MESSAGE none: ${what}`), dropped);
      assert.ok(closed.startsWith(`closed INVALID_MESSAGE: ${what}`), closed);
      assert.equal(server.lines.length, 1);
    }
    assert.deepEqual(elsewhere.lines, []);
  });

  test('a stream that cannot be had fails what waits for it, once, and ends the connection', async () => {
    const replies: Record<string, (response: ServerResponse) => unknown> = {
      missing: (response) => response.writeHead(404).end('<html>\n  Not here</html>'),
      method: (response) => response.writeHead(405).end(),
      sign: (response) => response.writeHead(401).end(),
      busy: (response) => response.writeHead(503, { 'retry-after': '5' }).end(),
      page: (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
      reset: (response) => response.destroy(),
      'ends at once': (response) => response.writeHead(200, SSE_TYPE).end(),
    };
    const said: Record<string, readonly string[]> = {};
    for (const [name, reply] of Object.entries(replies)) {
      await serve(reply);
      let category: string | undefined;
      client.transport.onDropped?.(({ error }) => (category = error.category));
      client.request(1, 'initialize');
      const lines = await client.take(2);
      said[name] = [...lines.map((line) => line.replaceAll(String(server.port), 'PORT')), String(category)];
    }
    const check = "Check the server's `url`: it must be its MCP endpoint.";
    assert.deepEqual(said, {
      missing: [
        `dropped 1 false REMOTE_ERROR none: The server answered HTTP 404 (Not Found): a web page | ${check}`,
        'closed REMOTE_ERROR: The server answered HTTP 404 (Not Found): a web page',
        'http-404',
      ],
      method: [
        `dropped 1 false REMOTE_ERROR none: The server answered HTTP 405 (Method Not Allowed) | ${check}`,
        'closed REMOTE_ERROR: The server answered HTTP 405 (Method Not Allowed)',
        'http-405',
      ],
      sign: [
        "dropped 1 false REMOTE_ERROR none: The server needs sign-in | Sign in, or put a token into `headers` in the server's settings.",
        'closed REMOTE_ERROR: The server needs sign-in',
        'http-401',
      ],
      busy: [
        'dropped 1 false REMOTE_ERROR unknown: The server answered HTTP 503 (Service Unavailable) | Wait a moment, then try again.',
        'closed REMOTE_ERROR: The server answered HTTP 503 (Service Unavailable)',
        'http-503',
      ],
      page: [
        `dropped 1 false INVALID_MESSAGE none: The server answered with what is no stream of events. | ${URL_HINT}`,
        'closed INVALID_MESSAGE: The server answered with what is no stream of events.',
        'undefined',
      ],
      reset: [
        "dropped 1 false CONNECTION_CLOSED unknown: The connection to 127.0.0.1:PORT broke (ECONNRESET). | Look into the server's own log for what happened.",
        'closed CONNECTION_CLOSED: The connection to 127.0.0.1:PORT broke (ECONNRESET).',
        'ECONNRESET',
      ],
      'ends at once': [
        'dropped 1 false CONNECTION_CLOSED unknown: The server ended its stream of events. | Start the server again.',
        'closed CONNECTION_CLOSED: The server ended its stream of events.',
        'undefined',
      ],
    });
  });

  test('a server that never names its endpoint is given up', async () => {
    const clock = new FakeClock();
    await serve(': nothing\n\n', undefined, { clock });
    client.request(1, 'initialize');
    await stream.promise;
    await clock.advance(29_999);
    assert.deepEqual(client.rest(), []);
    await clock.advance(1);
    assert.deepEqual(await client.take(2), [
      `dropped 1 false TIMEOUT none: The server did not say within 30 seconds where messages go. | ${URL_HINT}`,
      'closed TIMEOUT: The server did not say within 30 seconds where messages go.',
    ]);
    assert.equal(clock.waiting, 0);
  });

  test('a silent stream stays, one that ends is a session that is lost', async () => {
    const clock = new FakeClock();
    await serve(endpoint('/m'), undefined, { clock });
    client.request(1, 'initialize');
    await push(answer(1));
    await client.next();
    await clock.advance(3_600_000);
    client.request(2, 'tools/list');
    assert.deepEqual(client.rest(), []);
    (await stream.promise).end();
    assert.equal(await client.next(), 'closed CONNECTION_CLOSED: The server ended its stream of events.');
    assert.equal(clock.waiting, 0);
  });

  test('an event that is too long ends the connection', async () => {
    await serve(endpoint('/m'), undefined, { maxMessage: 1_000 });
    client.request(1, 'initialize');
    await push(`"${'x'.repeat(2_000)}"`);
    assert.equal(await client.next(), 'closed MESSAGE_TOO_LARGE: An event is longer than 1000 characters.');
  });

  test('a message that is not taken fails alone, unless the session is unknown', async () => {
    const refusal = '{"jsonrpc":"2.0","id":null,"error":{"code":-32602,"message":"bad"}}';
    await serve(endpoint('/m'), ({ response, body }) => {
      if (body.includes('"rpc"')) response.writeHead(400, JSON_TYPE).end(refusal);
      else if (body.includes('"broken"')) response.writeHead(500).end('Oops');
      else if (body.includes('"taken"')) response.writeHead(202).end();
      else response.writeHead(404).end('No session');
    });
    const missing =
      "dropped 1 false REMOTE_ERROR none: The server answered HTTP 404 (Not Found): No session | Check the server's `url`: it must be its MCP endpoint.";
    const said: string[] = [];
    for (const method of ['initialize', 'broken', 'rpc']) {
      client.request(1, method);
      said.push(await client.next());
    }
    client.notify('broken');
    client.notify('taken');
    while (!server.lines.some((line) => line.includes('"taken"')) || context.logged.length === 0)
      await new Promise((resolve) => setImmediate(resolve));
    client.request(2, 'lost');
    said.push(await client.next());
    assert.deepEqual(said, [
      missing,
      "dropped 1 false REMOTE_ERROR unknown: The server answered HTTP 500 (Internal Server Error): Oops | Look into the server's own log.",
      '{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"bad"}}',
      'closed CONNECTION_CLOSED: The server no longer knows this session.',
    ]);
    assert.deepEqual(context.logged, [
      'warn broken was not taken: The server answered HTTP 500 (Internal Server Error): Oops',
    ]);
  });

  test('nothing overtakes "initialized", and no cancellation its request', async () => {
    const held: Heard[] = [];
    const [posted, asked, slow] = [new Deferred<void>(), new Deferred<void>(), new Deferred<void>()];
    let requests = 0;
    const authorizer: Authorizer = {
      headersFor: async () => {
        // The stream, "initialized", and then the slow call.
        if (++requests === 3) {
          asked.resolve();
          await slow.promise;
        }
        return {};
      },
      replied: () => undefined,
      challenged: async () => false,
      dispose: () => undefined,
    };
    const post = (heard: Heard): void => {
      if (!heard.body.includes('"notifications/initialized"')) return void heard.response.writeHead(202).end();
      held.push(heard);
      posted.resolve();
    };
    await serve(endpoint('/m'), post, { authorizer });
    client.notify('notifications/initialized');
    client.request(2, 'tools/call');
    client.notify('notifications/cancelled', { requestId: 2 });
    // When this is answered, everything sent before has arrived.
    const probe = async (): Promise<void> => void (await fetch(server.url('/probe'), { method: 'POST' }));
    await posted.promise;
    await probe();
    assert.deepEqual([requests, ...server.lines.splice(2)], [2, 'POST /probe']);
    held[0]?.response.writeHead(202).end();
    await asked.promise;
    await probe();
    assert.deepEqual(server.lines.splice(2), ['POST /probe']);
    slow.resolve();
    while (server.lines.length < 4) await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(
      server.lines.slice(1).map((line) => JSON.parse(line.slice(line.indexOf('{'))).method),
      ['notifications/initialized', 'tools/call', 'notifications/cancelled'],
    );
  });

  test('credentials go on every request, and are asked for where the server wants them', async () => {
    const clock = new FakeClock();
    const told: string[] = [];
    const signIn = new Deferred<boolean>();
    let token = '';
    const authorizer: Authorizer = {
      headersFor: async () => (token === '' ? {} : { authorization: token }),
      replied: ({ status, url }) => told.push(`${status} ${url.pathname}`),
      challenged: () => {
        told.push('challenged');
        return signIn.promise;
      },
      dispose: () => undefined,
    };
    server = await ScriptedHttp.start(({ request, response }) => {
      if (request.headers.authorization === undefined) response.writeHead(401).end();
      else if (request.method === 'POST') response.writeHead(202).end();
      else stream.resolve(response.writeHead(200, SSE_TYPE));
    });
    // This one, however many a test starts after it.
    const own = server;
    stops.push(() => own.stop());
    connect(server.url('/sse'), { clock, authorizer });
    client.request(1, 'initialize');
    while (!told.includes('challenged')) await new Promise((resolve) => setImmediate(resolve));
    client.request(2, 'early');
    // The user may take any time.
    await clock.advance(600_000);
    token = 'Bearer t';
    signIn.resolve(true);
    (await stream.promise).write(endpoint('/m'));
    while (server.lines.length < 4) await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(told.slice(0, 3), ['401 /sse', 'challenged', '200 /sse']);
    assert.deepEqual(
      server.lines.map((line) => line.slice(0, line.indexOf(' x-own')) + (line.includes('Bearer t') ? ' signed' : '')),
      ['GET /sse', 'GET /sse signed', 'POST /m signed', 'POST /m signed'],
    );
  });

  test('a refused sign-in rejects waiting requests', async () => {
    const authorizer: Authorizer = {
      headersFor: async () => ({}),
      replied: () => undefined,
      challenged: () =>
        Promise.reject(new HostError('SIGN_IN_REQUIRED', 'Sign in.', { layer: 'transport', suggestion: 'Do it.' })),
      dispose: () => undefined,
    };
    await serve((response) => void response.writeHead(401).end(), undefined, { authorizer });
    client.request(1, 'initialize');
    assert.deepEqual(await client.take(2), [
      'dropped 1 false SIGN_IN_REQUIRED unknown: Sign in. | Do it.',
      'closed SIGN_IN_REQUIRED: Sign in.',
    ]);
  });

  test('another receiver takes over', async () => {
    await serve(endpoint('/m'));
    await push('{"n":1}');
    assert.equal(await client.next(), '{"n":1}');
    const next = new Deferred<unknown>();
    client.transport.start((message) => next.resolve(message));
    await push('{"n":2}');
    assert.deepEqual(await next.promise, { n: 2 });
    assert.deepEqual(client.rest(), []);
  });

  test('an invalid address is reported at once', () => {
    const connection = { kind: 'remote', url: 'ftp://x', headers: {}, transport: 'sse' } as const;
    assert.throws(() => openLegacySse(connection, new RecordingContext()), { code: 'INVALID_SETTINGS' });
  });
});
