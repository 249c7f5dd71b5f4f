import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { Deferred, type JsonObject } from '../../src/core/index.ts';
import { answer, HttpConversation, idOf, JSON_TYPE, SSE_TYPE } from './httpConversation.ts';
import type { Heard } from './transportRecorder.ts';

const META: JsonObject = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
const HEAD = 'POST /mcp x-own=secret';

suite('stateless requests over streamable HTTP', () => {
  const talk = HttpConversation.ofSuite();

  const open = async (handle: (heard: Heard) => void): Promise<void> => {
    talk.server = await talk.serve(handle);
    talk.connect(talk.server.url());
  };
  const ask = (
    id: number | string,
    method: string,
    params: JsonObject = {},
    headers?: Readonly<Record<string, string>>,
  ): void =>
    talk.client.transport.send(
      { jsonrpc: '2.0', id, method, params: { ...params, _meta: META } },
      headers === undefined ? undefined : { headers },
    );
  /** The posted requests without their bodies. */
  const heads = (): readonly string[] =>
    talk.server.lines.map((line) => (line.includes(' {') ? line.slice(0, line.indexOf(' {')) : line));

  test('repeat in headers what they say of themselves, and name neither session nor negotiated revision', async () => {
    await open(({ response, body }) =>
      // A server may still name a session.
      response.writeHead(200, { ...JSON_TYPE, 'mcp-session-id': 'S1' }).end(answer(idOf(body))),
    );
    talk.context.negotiate('2025-11-25');
    const calls: readonly (readonly [string, JsonObject])[] = [
      ['server/discover', {}],
      ['tools/call', { name: 'plain name', arguments: {} }],
      ['tools/call', { name: 'héllo' }],
      ['tools/call', { name: ' edge' }],
      ['tools/call', { name: 'line\nbreak' }],
      ['tools/call', { name: '=?base64?aGk=?=' }],
      ['prompts/get', { name: 'p' }],
      ['resources/read', { uri: 'file:///grüße' }],
      ['tasks/get', { taskId: 't1' }],
      ['resources/list', { name: 'not this' }],
    ];
    for (const [method, params] of calls) {
      ask(1, method, params);
      assert.equal(await talk.client.next(), answer(1));
    }
    const encoded = (text: string): string => `=?base64?${Buffer.from(text).toString('base64')}?=`;
    assert.deepEqual(heads(), [
      `${HEAD} mcp-protocol-version=2026-07-28 mcp-method=server/discover`,
      `${HEAD} mcp-protocol-version=2026-07-28 mcp-method=tools/call mcp-name=plain name`,
      `${HEAD} mcp-protocol-version=2026-07-28 mcp-method=tools/call mcp-name=${encoded('héllo')}`,
      `${HEAD} mcp-protocol-version=2026-07-28 mcp-method=tools/call mcp-name=${encoded(' edge')}`,
      `${HEAD} mcp-protocol-version=2026-07-28 mcp-method=tools/call mcp-name=${encoded('line\nbreak')}`,
      `${HEAD} mcp-protocol-version=2026-07-28 mcp-method=tools/call mcp-name=${encoded('=?base64?aGk=?=')}`,
      `${HEAD} mcp-protocol-version=2026-07-28 mcp-method=prompts/get mcp-name=p`,
      `${HEAD} mcp-protocol-version=2026-07-28 mcp-method=resources/read mcp-name=${encoded('file:///grüße')}`,
      `${HEAD} mcp-protocol-version=2026-07-28 mcp-method=tasks/get mcp-name=t1`,
      `${HEAD} mcp-protocol-version=2026-07-28 mcp-method=resources/list`,
    ]);
    assert.deepEqual(talk.transport.details, { kind: 'http', session: undefined });
    await talk.transport.close();
    // There is nothing to end.
    assert.equal(talk.server.lines.length, calls.length);
  });

  test('carry the headers of a call to their own origin only', async () => {
    const other = await talk.serve(({ response, body }) => response.writeHead(200, JSON_TYPE).end(answer(idOf(body))));
    await open(({ request, response, body }) => {
      if (request.url === '/cross') response.writeHead(307, { location: other.url('/there') }).end();
      else response.writeHead(200, JSON_TYPE).end(answer(idOf(body)));
    });
    const hints = { 'Mcp-Param-Region': 'eu' };
    ask(1, 'tools/call', { name: 'n' }, hints);
    await talk.client.next();
    talk.connect(talk.server.url('/cross'));
    ask(1, 'tools/call', { name: 'n' }, hints);
    await talk.client.next();
    const said = 'mcp-protocol-version=2026-07-28 mcp-method=tools/call mcp-name=n';
    assert.deepEqual(heads(), [
      `${HEAD} ${said} mcp-param-region=eu`,
      `POST /cross x-own=secret ${said} mcp-param-region=eu`,
    ]);
    assert.deepEqual(
      other.lines.map((line) => line.slice(0, line.indexOf(' {'))),
      [`POST /there ${said}`],
    );
  });

  test('are cancelled by the end of their stream, of which nothing is said', async () => {
    const streams = new Map<number | string, ServerResponse>();
    const all = new Deferred<void>();
    await open(({ response, body }) => {
      streams.set(idOf(body), response);
      response.writeHead(200, SSE_TYPE).write('data: {"jsonrpc":"2.0","method":"begun"}\n\n');
      if (streams.size === 2) all.resolve();
    });
    ask(1, 'tools/call', { name: 'slow' });
    ask('sub', 'subscriptions/listen', { notifications: {} });
    await talk.client.take(2);
    await all.promise;
    const [first] = streams.values();
    assert.ok(first !== undefined);
    const over = once(first, 'close');
    talk.client.notify('notifications/cancelled', { requestId: 1, reason: 'enough' });
    await over;
    // The other stream continues.
    streams.get('sub')?.end(`data: ${answer('sub')}\n\n`);
    assert.equal(await talk.client.next(), answer('sub'));
    // A cancellation of an ended request is not sent either.
    talk.client.notify('notifications/cancelled', { requestId: 99 });
    talk.client.request(3, 'later');
    assert.equal(await talk.client.next(), '{"jsonrpc":"2.0","method":"begun"}');
    await talk.transport.close();
    assert.deepEqual(talk.client.rest(), ['closed ']);
    assert.deepEqual(
      talk.server.lines.map((line) => /"method":"(.*?)"/.exec(line)?.[1]),
      ['tools/call', 'subscriptions/listen', 'later'],
    );
  });

  test('are not taken up again when their stream breaks off, each failing for itself', async () => {
    const streams = new Map<number | string, ServerResponse>();
    await open(({ response, body }) => {
      const id = idOf(body);
      streams.set(id, response);
      response.writeHead(200, SSE_TYPE).write(`id: x${id}\nretry: 5\ndata: {"jsonrpc":"2.0","method":"ack ${id}"}\n\n`);
    });
    ask(7, 'subscriptions/listen');
    ask('7', 'subscriptions/listen');
    assert.deepEqual([...(await talk.client.take(2))].sort(), [
      '{"jsonrpc":"2.0","method":"ack 7"}',
      '{"jsonrpc":"2.0","method":"ack 7"}',
    ]);
    streams.get(7)?.destroy();
    const lost = 'CONNECTION_CLOSED unknown: The server ended its reply without an answer.';
    assert.match(await talk.client.next(), new RegExp(`^dropped 7 false ${lost}`));
    streams.get('7')?.end(': no answer\n\n');
    assert.match(await talk.client.next(), new RegExp(`^dropped "7" false ${lost}`));
    await talk.transport.close();
    assert.deepEqual(talk.client.rest(), ['closed ']);
    assert.equal(talk.server.lines.length, 2);
  });

  test('are answered by the error in the body of a 4xx, whatever its id', async () => {
    const error = (code: number, data: object): object => ({ code, message: 'm', data });
    const replies: Readonly<Record<string, readonly [number, object]>> = {
      'tools/call': [400, { jsonrpc: '2.0', id: null, error: error(-32020, {}) }],
      'tools/list': [400, { jsonrpc: '2.0', error: error(-32021, { requiredCapabilities: {} }) }],
      'server/discover': [400, { jsonrpc: '2.0', id: 1, error: error(-32022, { supported: ['2026-07-28'] }) }],
      ping: [404, { jsonrpc: '2.0', id: 'other', error: { code: -32601, message: 'Method not found' } }],
    };
    await open(({ response, body }) => {
      const [status, reply] = replies[/"method":"(.*?)"/.exec(body)?.[1] ?? ''] ?? [500, {}];
      response.writeHead(status, JSON_TYPE).end(JSON.stringify(reply));
    });
    const heard: string[] = [];
    for (const method of Object.keys(replies)) {
      ask(1, method);
      heard.push(await talk.client.next());
    }
    assert.deepEqual(heard, [
      '{"jsonrpc":"2.0","id":1,"error":{"code":-32020,"message":"m","data":{}}}',
      '{"jsonrpc":"2.0","id":1,"error":{"code":-32021,"message":"m","data":{"requiredCapabilities":{}}}}',
      '{"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"m","data":{"supported":["2026-07-28"]}}}',
      '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}',
    ]);
  });

  test('may be refused, and the same connection begins with initialize', async () => {
    await open(({ request, response, body }) => {
      if (request.headers['mcp-protocol-version'] === '2026-07-28')
        response.writeHead(400, JSON_TYPE).end('{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"No"}}');
      else if (body.includes('"initialize"'))
        response.writeHead(200, { ...JSON_TYPE, 'mcp-session-id': 'S1' }).end(answer(idOf(body)));
      else if (request.method === 'GET') response.writeHead(405).end();
      else response.writeHead(202).end();
    });
    ask(1, 'server/discover');
    assert.equal(await talk.client.next(), '{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"No"}}');
    const later: string[] = [];
    talk.client.transport.start((message) => later.push(JSON.stringify(message)));
    talk.client.request(2, 'initialize');
    while (later.length === 0) await new Promise((resolve) => setTimeout(resolve, 2));
    assert.deepEqual(later, [answer(2)]);
    talk.context.negotiate('2025-11-25');
    // Each message decides its own route.
    ask(3, 'server/discover');
    while (later.length === 1) await new Promise((resolve) => setTimeout(resolve, 2));
    await talk.transport.close();
    assert.deepEqual(talk.client.rest(), ['closed ']);
    assert.deepEqual(heads(), [
      `${HEAD} mcp-protocol-version=2026-07-28 mcp-method=server/discover`,
      HEAD,
      `${HEAD} mcp-protocol-version=2026-07-28 mcp-method=server/discover`,
      'DELETE /mcp x-own=secret mcp-session-id=S1 mcp-protocol-version=2025-11-25',
    ]);
  });

  test('that fail say with which status, what the body says, and when to try again', async () => {
    const said = '{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"Who are you?","data":{"a":1}}}';
    const replies: Readonly<Record<string, readonly [number, Record<string, string>, string]>> = {
      unauthorized: [401, {}, said],
      forbidden: [403, {}, said],
      method: [405, {}, said],
      many: [429, { 'retry-after': '7' }, ''],
      busy: [503, { 'retry-after': 'Wed, 21 Oct 2026 07:28:00 GMT' }, 'busy'],
      unclear: [503, { 'retry-after': 'soon?' }, ''],
      broken: [500, {}, said],
      missing: [404, {}, 'Not here'],
    };
    await open(({ response, body }) => {
      const [status, headers, text] = replies[/"method":"(.*?)"/.exec(body)?.[1] ?? ''] ?? [200, {}, ''];
      response.writeHead(status, headers).end(text);
    });
    const errors: Record<string, unknown> = {};
    let last = '';
    talk.transport.onDropped(({ error }) => {
      const { code, category, rpcCode, data, retryAt, message } = error;
      errors[last] = { code, category, rpcCode, data, retryAt: retryAt && new Date(retryAt).toISOString(), message };
    });
    const before = Date.now();
    for (last of Object.keys(replies)) {
      ask(1, last);
      await talk.client.next();
    }
    const refused = { code: 'REMOTE_ERROR', rpcCode: -32001, data: { a: 1 }, retryAt: undefined };
    const plain = { code: 'REMOTE_ERROR', rpcCode: undefined, data: undefined, retryAt: undefined };
    const { many, ...others } = errors;
    assert.deepEqual(others, {
      unauthorized: { ...refused, category: 'http-401', message: 'The server needs sign-in: Who are you?' },
      forbidden: {
        ...refused,
        category: 'http-403',
        message: 'The server answered HTTP 403 (Forbidden): Who are you?',
      },
      method: {
        ...refused,
        category: 'http-405',
        message: 'The server answered HTTP 405 (Method Not Allowed): Who are you?',
      },
      busy: {
        ...plain,
        category: 'http-503',
        retryAt: '2026-10-21T07:28:00.000Z',
        message: 'The server answered HTTP 503 (Service Unavailable): busy',
      },
      unclear: { ...plain, category: 'http-503', message: 'The server answered HTTP 503 (Service Unavailable)' },
      broken: {
        ...refused,
        category: 'http-500',
        message: 'The server answered HTTP 500 (Internal Server Error): Who are you?',
      },
      missing: { ...plain, category: 'http-404', message: 'The server answered HTTP 404 (Not Found): Not here' },
    });
    assert.match(JSON.stringify(many), /"category":"http-429".*"retryAt":"/);
    const retryAt = Date.parse(/"retryAt":"(.*?)"/.exec(JSON.stringify(many))?.[1] ?? '');
    assert.ok(retryAt >= before + 7_000 && retryAt <= Date.now() + 7_000);
  });
});
