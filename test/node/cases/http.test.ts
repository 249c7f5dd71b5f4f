import assert from 'node:assert/strict';
import { AuthWorld } from '../auth/authWorld.ts';
import { waitUntil } from '../../support/processes.ts';
import { type EventStream, Exchange, HttpCases, legacy, type Script, stateless } from './httpCaseServer.ts';

/** A server of 2024-11-05 sends everything over the stream of its GET. */
class SseScript {
  readonly streams: EventStream[] = [];
  readonly script: Script;

  constructor(endpoint: string) {
    const over = Object.entries(legacy('2024-11-05')).map(([method, answer]) => [
      method,
      (exchange: Exchange) => this.#post(method, exchange, answer),
    ]);
    this.script = {
      ...Object.fromEntries(over),
      GET: (exchange: Exchange) => {
        const stream = exchange.stream();
        this.streams.push(stream);
        stream.raw(`event: endpoint\ndata: ${endpoint}\n\n`);
      },
    };
  }

  #post(method: string, exchange: Exchange, answer: (exchange: Exchange) => unknown): void {
    exchange.status(202, 'Accepted');
    if (method.startsWith('notifications/')) return;
    const stream = this.streams.at(-1);
    const said: Pick<Exchange, 'result' | 'error'> = {
      result: (result) => stream?.say({ id: exchange.id, result }),
      error: (error) => stream?.say({ id: exchange.id, error }),
    };
    answer(Object.assign(Object.create(exchange) as Exchange, said));
  }
}

suite('Over HTTP with server-sent events, a server of 2024-11-05', () => {
  const cases = HttpCases.ofSuite();

  for (const [kind, endpoint] of [
    ['a relative', '/message?sessionId=1'],
    ['an absolute', 'ORIGIN/message?sessionId=1'],
  ] as const)
    test(`that names its endpoint by ${kind} address is spoken to there`, async () => {
      const sse = new SseScript(endpoint);
      const server = await cases.serve({
        ...sse.script,
        GET: (exchange) => {
          const stream = exchange.stream();
          sse.streams.push(stream);
          stream.raw(`event: endpoint\ndata: ${endpoint.replace('ORIGIN', new URL(server.url()).origin)}\n\n`);
        },
      });
      const opened = cases.open(server.url('/sse'), { entry: { transport: 'sse' } });
      await opened.start();
      assert.deepEqual(opened.connection, ['legacy', '2024-11-05', 'sse']);
      assert.equal((await opened.call()).modelText, 'done');
      assert.deepEqual(
        server.heard.map(({ path, method }) => `${method} ${path}`),
        [
          'GET /sse',
          'initialize /message?sessionId=1',
          'notifications/initialized /message?sessionId=1',
          'tools/list /message?sessionId=1',
          'tools/call /message?sessionId=1',
        ],
      );
    });

  test('that names an endpoint elsewhere is not spoken to at all', async () => {
    const elsewhere = await cases.serve({});
    const server = await cases.serve(new SseScript(elsewhere.url('/steal')).script);
    const opened = cases.open(server.url('/sse'), {
      entry: { transport: 'sse', headers: { Authorization: 'secret' } },
    });
    assert.match(await opened.failure(), /The server wants messages to go to another place, http:/);
    assert.deepEqual([server.lines(), elsewhere.lines()], [['GET'], []]);
  });

  test('whose stream ends is connected again, and works', async () => {
    const sse = new SseScript('/message');
    const server = await cases.serve(sse.script);
    const remote = cases.open(server.url('/sse'), { entry: { transport: 'sse' } });
    await remote.start();
    sse.streams[0]?.response.end();
    await waitUntil('the restart', () => sse.streams.length === 2 && remote.connection[0] === 'legacy');
    assert.equal((await remote.call()).modelText, 'done');
    assert.equal(server.of('initialize').length, 2);
  });
});

suite('Over streamable HTTP, a server with sessions', () => {
  const cases = HttpCases.ofSuite();
  test('gets its exact session and revision, answers in both formats, and is ended with DELETE', async () => {
    const [opened, server] = await cases.running({
      ...legacy('2025-06-18', {}, 'session one'),
      'tools/list': (exchange) => exchange.stream().result({ tools: [{ name: 'echo', inputSchema: {} }] }),
    });
    assert.equal((await opened.call()).modelText, 'done');
    await server.next('GET');
    await opened.host.close();
    assert.deepEqual(
      [...server.lines('mcp-session-id', 'mcp-protocol-version')].sort(),
      [
        'POST server/discover 2026-07-28',
        'POST initialize',
        'POST notifications/initialized session one 2025-06-18',
        'POST tools/list session one 2025-06-18',
        'POST tools/call session one 2025-06-18',
        'GET session one 2025-06-18',
        'DELETE session one 2025-06-18',
      ].sort(),
    );
    for (const { verb, headers } of server.heard)
      if (verb === 'POST') assert.equal(headers.accept, 'application/json, text/event-stream');
  });

  for (const [how, refuse] of [
    ['404', (exchange) => exchange.status(404, 'Session not found')],
    [
      '400 and words about the session',
      (exchange) => exchange.error({ code: -32000, message: 'Bad Request: No valid session ID provided' }, 400),
    ],
  ] as const satisfies readonly (readonly [string, (exchange: Exchange) => void])[])
    test(`that lost its session and answers with ${how} is initialized again, unnoticed by callers`, async () => {
      let session = 1;
      const inSession = (answer: (exchange: Exchange) => unknown) => (exchange: Exchange) =>
        exchange.headers['mcp-session-id'] === `S${session}` ? answer(exchange) : refuse(exchange);
      const usual = legacy('2025-03-26');
      const [opened, server] = await cases.running({
        ...Object.fromEntries(Object.entries(usual).map(([method, answer]) => [method, inSession(answer)])),
        'server/discover': usual['server/discover'] ?? assert.fail(),
        initialize: (exchange) => legacy('2025-03-26', {}, `S${session}`)['initialize']?.(exchange),
        GET: (exchange) => exchange.status(405),
      });
      session = 2;
      const results = await Promise.all([opened.call(), opened.call(), opened.call()]);
      assert.deepEqual(
        results.map(({ modelText }) => modelText),
        ['done', 'done', 'done'],
      );
      assert.equal(server.of('initialize').length, 2);
      assert.deepEqual(opened.connection, ['legacy', '2025-03-26', 'http']);
    });

  test('whose reply breaks off is asked for the rest after the pause that it wants, and answers once', async () => {
    const began: number[] = [];
    const [opened, server] = await cases.running({
      ...legacy('2025-11-25', {}, 'S'),
      'tools/call': (exchange) => {
        const stream = exchange.stream();
        stream.raw('id: call-1\nretry: 300\ndata:\n\n');
        began.push(performance.now());
        stream.response.end();
      },
      GET: (exchange) => {
        if (exchange.headers['last-event-id'] === undefined) return exchange.status(405);
        began.push(performance.now());
        const { id } = server.of('tools/call')[0] ?? assert.fail();
        const stream = exchange.stream();
        const answer = { id, result: { content: [{ type: 'text', text: 'late' }] } };
        stream.say(answer, 'call-2');
        stream.say(answer, 'call-2');
        return stream.response.end();
      },
    });
    assert.equal((await opened.call()).modelText, 'late');
    const [dropped = 0, resumed = 0] = began;
    assert.ok(resumed - dropped >= 295, `resumed after ${resumed - dropped} ms`);
    const resumptions = server.of('GET').filter(({ headers }) => headers['last-event-id'] !== undefined);
    assert.deepEqual(
      resumptions.map(({ headers }) => [
        headers['last-event-id'],
        headers['mcp-session-id'],
        headers['mcp-protocol-version'],
      ]),
      [['call-1', 'S', '2025-11-25']],
    );
    assert.equal(server.of('tools/call').length, 1);
  });
});

suite('At an address of which nothing is known', () => {
  const cases = HttpCases.ofSuite();

  test('the way leads from the question over initialize to HTTP with server-sent events', async () => {
    const sse = new SseScript('/message');
    const server = await cases.serve({
      ...sse.script,
      'server/discover': (exchange) => exchange.status(400, 'Bad Request'),
      initialize: (exchange) =>
        exchange.path === '/mcp' ? exchange.status(404, '<html>') : sse.script['initialize']?.(exchange),
    });
    const opened = cases.open(server.url());
    await opened.start();
    assert.deepEqual(opened.connection, ['legacy', '2024-11-05', 'sse']);
    assert.deepEqual(
      server.heard.map(({ verb, path, method }) => `${verb} ${path} ${method}`),
      [
        'POST /mcp server/discover',
        'POST /mcp initialize',
        'GET /mcp GET',
        'POST /message initialize',
        'POST /message notifications/initialized',
        'POST /message tools/list',
      ],
    );
  });

  test('a server that is ill is ill, and not of an older revision', async () => {
    const server = await cases.serve({ 'server/discover': (exchange) => exchange.status(503, 'Overloaded') });
    const opened = cases.open(server.url());
    assert.match(await opened.failure(), /HTTP 503/);
    assert.deepEqual(server.lines(), ['POST server/discover']);
  });

  for (const [who, entry] of [
    ['nobody signs in', {}],
    ['those of the settings are refused', { headers: { Authorization: 'Bearer wrong' } }],
  ] as const)
    test(`nothing is concluded before there are credentials: ${who}`, async () => {
      const server = await cases.serve({
        'server/discover': (exchange) => exchange.status(401, '', { 'www-authenticate': 'Bearer' }),
        GET: (exchange) => exchange.status(404),
      });
      const opened = cases.open(server.url(), { entry });
      assert.match(await opened.failure(), /^(SIGN_IN_|REMOTE_ERROR: .*401|REMOTE_ERROR: The server needs sign-in)/);
      assert.deepEqual(
        server.heard.filter(({ path }) => path === '/mcp').map(({ method }) => method),
        ['server/discover'],
      );
    });

  for (const [era, script] of [
    ['modern', stateless()],
    ['legacy', legacy('2025-06-18')],
  ] as const)
    test(`a ${era} server is found to be one as soon as the person has signed in`, async () => {
      const world = await AuthWorld.open();
      cases.add(() => world.close());
      const asked: string[] = [];
      world.mcp.pages['/mcp'] = (visit) => {
        const exchange = new Exchange(visit);
        const { authorization = '' } = visit.request.headers;
        asked.push(`${exchange.method} ${authorization}`.trim());
        if (authorization === '') exchange.status(401, '', { 'www-authenticate': world.challenge });
        else script[exchange.method]?.(exchange);
      };
      const opened = cases.open(world.server, {
        authPrompt: { consent: () => Promise.resolve(true) },
        authBrowser: { open: (url) => world.follow(new URL(url)) },
      });
      await opened.start();
      assert.equal(opened.connection[0], era);
      assert.deepEqual(asked.slice(0, 3), [
        'server/discover',
        'server/discover Bearer access-1',
        era === 'modern' ? 'tools/list Bearer access-1' : 'initialize Bearer access-1',
      ]);
      assert.deepEqual(
        opened.log.filter((line) => line.includes('access-1')),
        [],
      );
    });
});
