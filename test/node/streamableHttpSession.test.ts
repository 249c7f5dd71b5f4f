import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { Deferred } from '../../src/core/index.ts';
import { FakeClock } from '../support/fakeClock.ts';
import { answer, HttpConversation, idOf, JSON_TYPE, SSE_TYPE } from './httpConversation.ts';
import type { Heard } from './transportRecorder.ts';

const RESULT = { protocolVersion: '2025-11-25' };
const rpcError = (code: number, message: string): string =>
  JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message } });

suite('a session over streamable HTTP', () => {
  const talk = HttpConversation.ofSuite();
  const renewed: string[] = [];

  /** Each request as `METHOD session message`. */
  const traffic = (): readonly string[] =>
    talk.server.lines.map((line) => {
      const session = /mcp-session-id=(\S+)/.exec(line)?.[1] ?? '-';
      const what = /"method":"(.*?)"/.exec(line)?.[1] ?? '';
      return `${line.slice(0, line.indexOf(' '))} ${session} ${what}`.trim();
    });
  const open = async (handle: (heard: Heard) => void, clock?: FakeClock): Promise<void> => {
    await talk.converse(handle, { clock });
    renewed.length = 0;
    talk.transport.onRenewed((result) => renewed.push(JSON.stringify(result)));
    talk.server.lines.length = 0;
  };
  const isOf = (session: string, { request }: Heard): boolean => request.headers['mcp-session-id'] === session;
  const forgotten: Readonly<Record<string, (response: ServerResponse) => void>> = {
    '404 alone': (response) => void response.writeHead(404).end(),
    '404 with a code': (response) => void response.writeHead(404).end(rpcError(-32001, 'Session not found')),
    '400 with the code of any error': (response) => void response.writeHead(400).end(rpcError(-32000, 'Bad Request')),
    '400 in words': (response) => void response.writeHead(400).end('No valid session ID provided'),
    '400 in words with another code': (response) =>
      void response.writeHead(400).end(rpcError(-32600, 'Bad Request: Missing session ID')),
  };

  test('that is forgotten again and again is given up', async () => {
    const used = new Set<string>();
    await open(({ request, response, body }) => {
      const session = String(request.headers['mcp-session-id']);
      if (request.method === 'GET') response.writeHead(405).end();
      else if (!body.includes('tools/list')) response.writeHead(202).end();
      else if (used.has(session)) response.writeHead(404).end();
      else response.writeHead(200, JSON_TYPE).end(answer(idOf(body)));
      if (body.includes('tools/list')) used.add(session);
    }, new FakeClock());
    for (let id = 2; id < 13; id++) {
      talk.client.request(id, 'tools/list');
      assert.equal(await talk.client.next(), answer(id));
    }
    talk.client.request(13, 'tools/list');
    assert.match(await talk.client.next(), /^closed CONNECTION_CLOSED: .* It forgot 10 within a minute/);
    assert.equal(renewed.length, 10);
  });

  for (const [how, refuse] of Object.entries(forgotten))
    test(`that the server lost is opened again, and the request is repeated: ${how}`, async () => {
      await open((heard) => {
        const { request, response, body } = heard;
        if (request.method === 'GET') response.writeHead(405).end();
        else if (isOf('S1', heard)) refuse(response);
        else response.writeHead(200, JSON_TYPE).end(answer(idOf(body)));
      });
      talk.client.request(2, 'tools/list');
      assert.equal(await talk.client.next(), answer(2));
      assert.deepEqual(talk.transport.details, { kind: 'http', session: 'S2' });
      await talk.transport.close();
      assert.deepEqual(
        traffic().filter((line) => !line.startsWith('GET')),
        [
          'POST S1 tools/list',
          'POST - initialize',
          'POST S2 notifications/initialized',
          'POST S2 tools/list',
          'DELETE S2',
        ],
      );
      assert.deepEqual(renewed, [JSON.stringify(RESULT)]);
      assert.deepEqual(talk.client.rest(), ['closed ']);
      // The revision is negotiated again, so this request names none.
      assert.match(talk.server.lines[1] ?? '', /^POST \/mcp x-own=secret \{.*"id":"renew-1"/);
    });

  test('is opened again once for all refused requests, and later messages wait for it', async () => {
    const refused: ServerResponse[] = [];
    const initialize = new Deferred<ServerResponse>();
    await open((heard) => {
      const { request, response, body } = heard;
      if (request.method === 'GET') response.writeHead(405).end();
      else if (!isOf('S1', heard)) response.writeHead(200, JSON_TYPE).end(answer(idOf(body)));
      else if (refused.push(response) === 3) for (const waiting of refused) waiting.writeHead(404).end();
    });
    // From here on the test answers `initialize`.
    talk.server.intercept((heard) => {
      if (!heard.body.includes('"initialize"')) return false;
      initialize.resolve(heard.response);
      return true;
    });
    for (const id of [2, 3, 4]) talk.client.request(id, 'tools/list');
    const response = await initialize.promise;
    talk.client.request(5, 'prompts/list');
    await new Promise((resolve) => setImmediate(resolve));
    response.writeHead(200, { ...SSE_TYPE, 'mcp-session-id': 'S2' });
    // A stream may stay open after the answer.
    response.write(`data: {"jsonrpc":"2.0","method":"early"}\n\ndata: ${answer('renew-1', RESULT)}\n\n`);
    const heard = await talk.client.take(5);
    assert.deepEqual([...heard].sort(), [
      answer(2),
      answer(3),
      answer(4),
      answer(5),
      '{"jsonrpc":"2.0","method":"early"}',
    ]);
    const posts = traffic().filter((line) => line.startsWith('POST'));
    assert.deepEqual(posts.slice(0, 5), [
      ...Array.from({ length: 3 }, () => 'POST S1 tools/list'),
      'POST - initialize',
      'POST S2 notifications/initialized',
    ]);
    assert.deepEqual(posts.slice(5).sort(), [
      'POST S2 prompts/list',
      ...Array.from({ length: 3 }, () => 'POST S2 tools/list'),
    ]);
    assert.equal(renewed.length, 1);
  });

  test('is not opened again for a late refusal', async () => {
    let late: ServerResponse | undefined;
    await open((heard) => {
      const { request, response, body } = heard;
      if (request.method === 'GET') response.writeHead(405).end();
      else if (!isOf('S1', heard)) response.writeHead(200, JSON_TYPE).end(answer(idOf(body)));
      else if (body.includes('"slow"')) late = response;
      else response.writeHead(404).end();
    });
    talk.client.request(2, 'slow');
    while (late === undefined) await new Promise((resolve) => setTimeout(resolve, 2));
    talk.client.request(3, 'ping');
    assert.equal(await talk.client.next(), answer(3));
    late.writeHead(404).end();
    assert.equal(await talk.client.next(), answer(2));
    assert.equal(renewed.length, 1);
  });

  test('may be forgotten again later', async () => {
    let known = 'S1';
    await open((heard) => {
      const { request, response, body } = heard;
      if (request.method === 'GET') response.writeHead(405).end();
      else if (isOf(known, heard)) response.writeHead(200, JSON_TYPE).end(answer(idOf(body)));
      else response.writeHead(404).end();
    });
    for (const session of ['S2', 'S3']) {
      known = session;
      talk.client.request(2, 'ping');
      assert.equal(await talk.client.next(), answer(2));
    }
    assert.equal(renewed.length, 2);
  });

  const hopeless: Readonly<Record<string, readonly [(response: ServerResponse, id: number | string) => void, string]>> =
    {
      'initialize fails': [
        (response) => void response.writeHead(500).end('broken'),
        'and does not open another. The server answered HTTP 500 (Internal Server Error): broken',
      ],
      'initialize is refused': [
        (response, id) =>
          void response
            .writeHead(200, JSON_TYPE)
            .end(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32600, message: 'Not twice.' } })),
        'and does not open another. Not twice.',
      ],
      'the server speaks another revision now': [
        (response, id) => void response.writeHead(200, JSON_TYPE).end(answer(id, { protocolVersion: '2024-11-05' })),
        'and does not open another. It now speaks MCP "2024-11-05" instead of 2025-11-25.',
      ],
      'initialize is left unanswered': [
        (response) => void response.writeHead(202).end(),
        'and does not open another. The server ended its reply without an answer.',
      ],
      'its end comes first': [
        (response) => void response.destroy(),
        `and does not open another. The connection to 127.0.0.1:PORT broke (ECONNRESET).`,
      ],
    };
  for (const [how, [respond, why]] of Object.entries(hopeless))
    test(`that cannot be opened again ends the connection: ${how}`, async () => {
      await open(({ response }) => void response.writeHead(404).end());
      talk.server.intercept(({ response, body }) => {
        if (!body.includes('"initialize"')) return false;
        respond(response, idOf(body));
        return true;
      });
      talk.client.request(2, 'tools/list');
      const closed = (await talk.client.next()).replaceAll(String(talk.server.port), 'PORT');
      assert.equal(closed, `closed CONNECTION_CLOSED: The server no longer knows this session, ${why}`);
      await talk.transport.close();
      assert.deepEqual(talk.client.rest(), []);
      assert.deepEqual(renewed, []);
      assert.deepEqual(traffic(), ['POST S1 tools/list', 'POST - initialize']);
    });

  test('that is not opened in time ends the connection', async () => {
    const clock = new FakeClock();
    await open(({ response }) => void response.writeHead(404).end(), clock);
    const asked = new Deferred<void>();
    talk.server.intercept(({ body }) => {
      if (!body.includes('"initialize"')) return false;
      asked.resolve();
      return true;
    });
    talk.client.request(2, 'tools/list');
    await asked.promise;
    await clock.advance(30_000);
    assert.match(await talk.client.next(), /^closed CONNECTION_CLOSED: The server no longer knows this session/);
  });

  test('that is unknown as soon as it is opened ends the connection', async () => {
    for (const refuse of [forgotten['404 alone'], forgotten['400 in words']]) {
      await open(({ request, response }) => {
        if (request.method === 'GET') response.writeHead(405).end();
        else refuse?.(response);
      });
      talk.client.request(2, 'tools/list');
      assert.equal(
        await talk.client.next(),
        'closed CONNECTION_CLOSED: The server does not know the session that it has just opened.',
      );
      await talk.transport.close();
      assert.deepEqual(
        traffic().filter((line) => !line.startsWith('GET')),
        ['POST S1 tools/list', 'POST - initialize', 'POST S2 notifications/initialized', 'POST S2 tools/list'],
      );
    }
  });

  test('is not blamed for errors of another kind', async () => {
    const replies: Readonly<Record<string, readonly [number, string]>> = {
      'unknown/method': [404, rpcError(-32601, 'Method not found')],
      'resources/read': [404, rpcError(-32002, 'Resource not found')],
      'tools/call': [400, rpcError(-32602, 'Wrong arguments')],
      'always/fails': [400, rpcError(-32000, 'Out of paper')],
    };
    await open(({ request, response, body }) => {
      if (request.method === 'GET') return void response.writeHead(405).end();
      const [status, text] = replies[/"method":"(.*?)"/.exec(body)?.[1] ?? ''] ?? [500, ''];
      response.writeHead(status, JSON_TYPE).end(text);
    });
    const heard: string[] = [];
    for (const method of Object.keys(replies)) {
      talk.client.request(2, method);
      heard.push(await talk.client.next());
    }
    assert.deepEqual(
      heard.map((line) => JSON.parse(line).error.message),
      ['Method not found', 'Resource not found', 'Wrong arguments', 'Out of paper'],
    );
    // Only the last one could refer to the session, until a new session had the same problem.
    assert.equal(renewed.length, 1);
  });

  test('is opened again when the back-channel loses it, and the channel continues in the new one', async () => {
    const streams: ServerResponse[] = [];
    const second = new Deferred<void>();
    let known = 'S1';
    await open((heard) => {
      const { request, response } = heard;
      if (request.method !== 'GET') return void response.writeHead(500).end();
      if (!isOf(known, heard)) return void response.writeHead(404).end();
      response.writeHead(200, SSE_TYPE).write('retry: 5\nid: x\ndata:\n\n');
      streams.push(response);
      if (streams.length === 2) second.resolve();
    });
    talk.client.notify('notifications/initialized');
    while (streams.length === 0) await new Promise((resolve) => setTimeout(resolve, 2));
    known = 'S2';
    streams[0]?.end();
    await second.promise;
    streams[1]?.write('data: {"jsonrpc":"2.0","method":"n"}\n\n');
    assert.equal(await talk.client.next(), '{"jsonrpc":"2.0","method":"n"}');
    assert.deepEqual(traffic(), [
      'POST S1 notifications/initialized',
      'GET S1',
      'GET S1',
      'POST - initialize',
      'POST S2 notifications/initialized',
      'GET S2',
    ]);
    // The position in a stream belongs to its session.
    assert.deepEqual(
      talk.server.lines.map((line) => line.includes('last-event-id=x')),
      [false, false, true, false, false, false],
    );
    assert.equal(renewed.length, 1);
  });

  test('takes with it what needed no answer, and requests that were under way', async () => {
    const dropped = new Deferred<void>();
    await open((heard) => {
      const { request, response, body } = heard;
      if (body.includes('roots/list_changed')) response.writeHead(404).end();
      else if (body.includes('"slow"')) {
        response.writeHead(200, SSE_TYPE).write('retry: 5\nid: a\ndata:\n\n');
        setImmediate(() => response.destroy());
      } else if (request.headers['last-event-id'] === 'a') {
        response.writeHead(404).end();
        dropped.resolve();
      } else if (request.method === 'GET') response.writeHead(405).end();
      else response.writeHead(200, JSON_TYPE).end(answer(idOf(body)));
    });
    // A call that may have had an effect is not repeated.
    talk.client.request(2, 'slow');
    assert.match(await talk.client.next(), /^dropped 2 false CONNECTION_CLOSED unknown: /);
    talk.client.request(3, 'ping');
    assert.equal(await talk.client.next(), answer(3));
    talk.client.notify('notifications/roots/list_changed');
    talk.client.request(4, 'ping');
    assert.equal(await talk.client.next(), answer(4));
    const told = traffic();
    assert.equal(told.filter((line) => line.includes('slow')).length, 1);
    assert.equal(told.filter((line) => line.includes('roots/list_changed')).length, 1);
    assert.equal(told.filter((line) => line.includes('initialize')).length >= 2, true);
  });

  test('that was left while it was being opened is not used any more', async () => {
    await open(({ response }) => void response.writeHead(404).end());
    const asked = new Deferred<ServerResponse>();
    talk.server.intercept(({ response, body }) => {
      if (!body.includes('"initialize"')) return false;
      asked.resolve(response);
      return true;
    });
    talk.client.request(2, 'tools/list');
    const response = await asked.promise;
    const over = once(response, 'close');
    await talk.transport.close();
    await over;
    assert.deepEqual(talk.client.rest(), ['closed ']);
    assert.deepEqual(traffic(), ['POST S1 tools/list', 'POST - initialize', 'DELETE S1']);
  });
});
