import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import http, { createServer, type IncomingMessage, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { type WebSocket, WebSocketServer } from 'ws';
import { Deferred, HostError } from '../../src/core/index.ts';
import type { Authorizer } from '../../src/node/http/authorizer.ts';
import { ambientAgents, OwnAgents } from '../../src/node/http/httpAgents.ts';
import type { RemoteTransportOptions } from '../../src/node/http/remoteServer.ts';
import { openWebSocket, type WebSocketTransport } from '../../src/node/http/webSocket.ts';
import { FakeClock, settle } from '../support/fakeClock.ts';
import { failOnLeaks } from '../support/leaks.ts';
import { RecordingContext, TransportRecorder } from './transportRecorder.ts';

const fixture = (name: string): string => readFileSync(join(import.meta.dirname, 'fixtures/tls', name), 'utf8');
const ENDPOINT = "Check the server's `url`: it must be its WebSocket endpoint.";
const BROKE = "Look into the server's own log for what happened.";

suite('WebSocket', () => {
  let stops: (() => Promise<unknown>)[];
  let client: TransportRecorder;
  let context: RecordingContext;
  let port: number;
  /** The messages that the server received, and the requests that opened the connection. */
  let heard: string[];
  let upgrades: IncomingMessage[];

  setup(() => {
    [stops, heard, upgrades] = [[], [], []];
  });
  teardown(async () => {
    for (const stop of stops.reverse()) await stop();
  });
  failOnLeaks();

  const listen = async (server: Pick<Server, 'listen' | 'address' | 'close' | 'once' | 'on'>): Promise<void> => {
    const sockets = new Set<Socket>();
    server.on('connection', (socket: Socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
    });
    server.listen(0, '127.0.0.1');
    await once(server as Server, 'listening');
    port = (server.address() as AddressInfo).port;
    stops.push(async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server as Server, 'close');
    });
  };
  interface Served {
    readonly onMessage?: (text: string, socket: WebSocket) => void;
    readonly onSocket?: (socket: WebSocket) => void;
    readonly refuse?: (request: IncomingMessage) => string | undefined;
    readonly picks?: false;
    readonly http?: Server;
    readonly autoPong?: boolean;
  }
  const serve = async (served: Served = {}): Promise<void> => {
    const server = served.http ?? createServer();
    const sockets = new WebSocketServer({
      noServer: true,
      autoPong: served.autoPong ?? true,
      ...(served.picks === false ? { handleProtocols: () => false as const } : {}),
    });
    server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
      upgrades.push(request);
      const refusal = served.refuse?.(request);
      if (refusal !== undefined) return void socket.end(refusal);
      sockets.handleUpgrade(request, socket, head, (opened) => {
        opened.on('error', () => undefined);
        opened.on('message', (data) => {
          heard.push(String(data));
          served.onMessage?.(String(data), opened);
        });
        served.onSocket?.(opened);
      });
    });
    await listen(server);
  };
  const connect = (options: RemoteTransportOptions = {}, url = `ws://127.0.0.1:${port}/mcp`): WebSocketTransport => {
    context = new RecordingContext();
    const connection = { kind: 'remote', url, headers: { 'X-Own': 'secret' }, transport: 'websocket' } as const;
    const { transport } = openWebSocket(connection, context, options);
    client = new TransportRecorder(transport);
    stops.push(() => transport.close());
    return transport;
  };
  const next = async (count = 1): Promise<readonly string[]> =>
    (await client.take(count)).map((line) => line.replaceAll(String(port), 'PORT'));
  const answering = (text: string, socket: WebSocket): void => {
    const { id } = JSON.parse(text);
    if (id !== undefined) socket.send(JSON.stringify({ jsonrpc: '2.0', id, result: {} }));
  };

  for (const picks of [undefined, false] as const)
    test(`a conversation with a server that ${picks === false ? 'picks no subprotocol' : 'takes "mcp"'}`, async () => {
      const closed = new Deferred<number>();
      await serve({
        onMessage: answering,
        onSocket: (socket) => socket.once('close', (code) => closed.resolve(code)),
        ...(picks === undefined ? {} : { picks }),
      });
      connect({}, `ws://127.0.0.1:${port}/mcp?a=1#part`);
      client.request(1, 'initialize');
      client.notify('notifications/initialized');
      assert.deepEqual(await next(), ['{"jsonrpc":"2.0","id":1,"result":{}}']);
      client.request(2, 'tools/list');
      assert.deepEqual(await next(), ['{"jsonrpc":"2.0","id":2,"result":{}}']);
      await client.transport.close();
      client.request(3, 'late');
      assert.deepEqual(client.rest(), ['closed ']);
      assert.equal(await closed.promise, 1000);
      assert.deepEqual(heard, [
        '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}',
        '{"jsonrpc":"2.0","method":"notifications/initialized","params":{}}',
        '{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}',
      ]);
      const [first] = upgrades;
      const { url = '', headers = {} }: Partial<IncomingMessage> = first ?? {};
      assert.deepEqual(
        [url, headers['x-own'], headers['sec-websocket-protocol'], headers['sec-websocket-extensions']],
        ['/mcp?a=1', 'secret', 'mcp', undefined],
      );
      assert.deepEqual(client.transport.details, { kind: 'websocket' });
    });

  test('frames of every kind', async () => {
    await serve({
      onSocket: (socket) => {
        // Together with the end of the handshake, before there is a listener.
        socket.send('{"n":1}');
        socket.send('[{"n":2},{"n":3}]');
        socket.send(Buffer.from('{"n":"ü"}'));
        socket.send(Buffer.from([0xff, 0xfe]));
        socket.send('no JSON');
        socket.send(`{"id":7,"result":${'['.repeat(900)}${']'.repeat(900)}}`);
        socket.send('');
        socket.send('{"n":4}');
      },
    });
    connect();
    assert.deepEqual(await next(6), [
      '{"n":1}',
      '{"n":2}',
      '{"n":3}',
      '{"n":"ü"}',
      'dropped 7 false INVALID_MESSAGE unknown: The server sent a message that nests too deep. | Report this to the author of the server.',
      '{"n":4}',
    ]);
    assert.deepEqual(context.logged, [
      'warn Not a message: 2 bytes that are no text',
      'warn Not a message: no JSON',
      'warn Not a message: ',
    ]);
  });

  test('a message that is too long ends the connection', async () => {
    await serve({ onSocket: (socket) => socket.send(`"${'x'.repeat(2 ** 20)}"`) });
    connect({ maxMessage: 2 ** 20 });
    assert.deepEqual(await next(), ['closed MESSAGE_TOO_LARGE: The server sent more than 1 MB at once.']);
  });

  test('text that is no UTF-8 ends the connection', async () => {
    await serve({ onSocket: (socket) => socket.send(Buffer.from([0x22, 0xff, 0x22]), { binary: false }) });
    connect();
    assert.deepEqual(await next(), [
      'closed CONNECTION_CLOSED: The connection to 127.0.0.1:PORT broke (WS_ERR_INVALID_UTF8).',
    ]);
  });

  test('a server that refuses is quoted, with what to do', async () => {
    const page = (status: string, body = '', header = ''): string =>
      `HTTP/1.1 ${status}\r\n${header}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
    const refusals: Record<string, string> = {
      sign: page('401 Unauthorized'),
      missing: page('404 Not Found', '<html>Not here</html>'),
      broken: page('500 Oops', 'Oops'),
      busy: page('503 Busy', '', 'Retry-After: 5\r\n'),
      moved: page('301 Moved', '', 'Location: wss://other.example/mcp\r\n'),
      page: page('200 OK', '<html>'),
      'another protocol': 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n',
      'no answer': '',
    };
    const said: Record<string, readonly string[]> = {};
    for (const [name, refusal] of Object.entries(refusals)) {
      await serve({ refuse: () => refusal });
      connect();
      let category: string | undefined;
      client.transport.onDropped?.(({ error }) => (category = error.category));
      client.request(1, 'initialize');
      const [dropped = '', closed = ''] = await next(2);
      const [what, todo] = dropped.split(' | ');
      assert.equal(closed, `closed ${what?.replace(/^dropped 1 false (\w+) \w+/, '$1')}`);
      said[name] = [what ?? '', todo ?? '', String(category)];
    }
    assert.deepEqual(said, {
      sign: [
        'dropped 1 false REMOTE_ERROR none: The server needs sign-in',
        "Sign in, or put a token into `headers` in the server's settings.",
        'http-401',
      ],
      missing: [
        'dropped 1 false REMOTE_ERROR none: The server answered HTTP 404 (Not Found): a web page',
        "Check the server's `url`: it must be its MCP endpoint.",
        'http-404',
      ],
      broken: [
        'dropped 1 false REMOTE_ERROR unknown: The server answered HTTP 500 (Internal Server Error): Oops',
        "Look into the server's own log.",
        'http-500',
      ],
      busy: [
        'dropped 1 false REMOTE_ERROR unknown: The server answered HTTP 503 (Service Unavailable)',
        'Wait a moment, then try again.',
        'http-503',
      ],
      moved: [
        'dropped 1 false REMOTE_ERROR none: The server answered HTTP 301 (Moved Permanently): the server sends to wss://other.example/mcp',
        "Set the server's `url` to its final address.",
        'http-301',
      ],
      page: [
        'dropped 1 false REMOTE_ERROR none: The server answered HTTP 200 (OK): a web page',
        'undefined',
        'http-200',
      ],
      'another protocol': [
        'dropped 1 false INVALID_MESSAGE none: 127.0.0.1:PORT does not speak WebSocket: Invalid Upgrade header.',
        ENDPOINT,
        'undefined',
      ],
      'no answer': [
        'dropped 1 false CONNECTION_CLOSED unknown: The connection to 127.0.0.1:PORT broke (ECONNRESET).',
        BROKE,
        'ECONNRESET',
      ],
    });
  });

  test('a port without a listener, an untrusted certificate, an invalid header', async () => {
    const { privateKey, certificate } = { privateKey: fixture('key.pem'), certificate: fixture('certificate.pem') };
    await serve({ http: createSecureServer({ key: privateKey, cert: certificate }) as unknown as Server });
    const secure = `wss://127.0.0.1:${port}/mcp`;
    connect({ agents: new OwnAgents({}, () => []) }, secure);
    client.request(1, 'initialize');
    assert.match(
      (await next())[0] ?? '',
      /CONNECTION_CLOSED none: The certificate of 127.0.0.1:PORT is not trusted \(/,
    );
    connect({ agents: new OwnAgents({}, () => [certificate]) }, secure.replace('127.0.0.1', 'localhost'));
    client.request(1, 'initialize');
    while (heard.length === 0) await new Promise((resolve) => setImmediate(resolve));
    assert.match(heard[0] ?? '', /"initialize"/);

    for (const stop of stops.splice(0).reverse()) await stop();
    connect({}, `ws://127.0.0.1:${port}/`);
    client.request(1, 'initialize');
    assert.deepEqual(await next(2), [
      'dropped 1 false CONNECTION_CLOSED none: Nothing listens at 127.0.0.1:PORT. | Start the server, or correct its `url`.',
      'closed CONNECTION_CLOSED: Nothing listens at 127.0.0.1:PORT.',
    ]);
    context = new RecordingContext();
    const connection = { kind: 'remote', url: 'ws://127.0.0.1:1/', headers: { a: 'ü\n' }, transport: 'auto' } as const;
    client = new TransportRecorder(openWebSocket(connection, context).transport);
    assert.match(await client.next(), /^closed INVALID_SETTINGS: A header cannot be sent: /);
    for (const url of ['ftp://x', 'nonsense'])
      assert.throws(() => openWebSocket({ ...connection, url }, context), { code: 'INVALID_SETTINGS' });
  });

  test('the request goes through what an editor puts in the place of http.request', async () => {
    await serve({ onMessage: answering });
    const original = http.request;
    const through: string[] = [];
    http.request = ((...args: Parameters<typeof original>) => {
      const [{ host, path, agent }] = args as unknown as [http.RequestOptions];
      through.push(`${host}${path} ${agent === undefined ? 'without an agent' : 'with an agent'}`);
      return original(...args);
    }) as typeof original;
    try {
      connect({ agents: ambientAgents }, `http://127.0.0.1:${port}/mcp`);
      client.request(1, 'initialize');
      await next();
    } finally {
      http.request = original;
    }
    assert.deepEqual(through, ['127.0.0.1/mcp without an agent']);
  });

  test('the end by the server is reported with its reason', async () => {
    await serve({ onSocket: (socket) => socket.close(1012, 'Restarting') });
    connect();
    assert.deepEqual(await next(), [
      'closed CONNECTION_CLOSED: The server closed the connection (1012, “Restarting”).',
    ]);
    await serve({ onSocket: (socket) => socket.terminate() });
    connect();
    assert.deepEqual(await next(), ['closed CONNECTION_CLOSED: The server closed the connection (1006).']);
  });

  test('a refusal after the handshake names the credentials as the next step', async () => {
    const steps: Record<number, string> = {};
    for (const code of [1000, 1008, 1011, 3000, 3003, 4000, 4001, 4003, 4401, 4403]) {
      await serve({ onSocket: (socket) => socket.close(code) });
      const connection = { kind: 'remote', url: `ws://127.0.0.1:${port}/`, headers: {}, transport: 'auto' } as const;
      const { transport } = openWebSocket(connection, new RecordingContext());
      steps[code] = await new Promise((resolve) => {
        transport.onClose(({ error }) => resolve(`${error?.category}: ${error?.suggestion?.split(/[:,.]/)[0]}`));
        transport.start(() => undefined);
      });
    }
    const denied = 'Check that you may use this server';
    assert.deepEqual(steps, {
      1000: 'ws-1000: Start the server again',
      1008: `ws-1008: ${denied}`,
      1011: 'ws-1011: Start the server again',
      3000: 'ws-3000: Check the credentials',
      3003: `ws-3003: ${denied}`,
      4000: 'ws-4000: Start the server again',
      4001: 'ws-4001: Check the credentials',
      4003: `ws-4003: ${denied}`,
      4401: 'ws-4401: Check the credentials',
      4403: `ws-4403: ${denied}`,
    });
  });

  test('a server that is dead is noticed, one that only says nothing is left alone', async () => {
    const clock = new FakeClock();
    const pings = { count: 0 };
    await serve({ onSocket: (socket) => socket.on('ping', () => pings.count++), onMessage: answering });
    connect({ clock });
    for (let round = 1; round <= 3; round++) {
      client.request(round, 'ping');
      await next();
      while (pings.count < round) await settle();
      // The pong may still be on its way.
      client.request(100 + round, 'ping');
      await next();
      await clock.advance(30_000);
    }
    assert.deepEqual(client.rest(), []);
    await client.transport.close();

    await serve({ autoPong: false });
    connect({ clock });
    client.request(1, 'initialize');
    while (heard.length < 7) await settle();
    await clock.advance(29_999);
    assert.deepEqual(client.rest(), []);
    await clock.advance(1);
    assert.deepEqual(await next(), [
      'closed CONNECTION_CLOSED: The server has been silent for 30 seconds, even when asked.',
    ]);
    assert.equal(clock.waiting, 0);
  });

  test('a server that does not say farewell is left after two seconds', async () => {
    const clock = new FakeClock();
    const upgraded = new Deferred<void>();
    // Accepts the connection, and then never reads again.
    await serve({
      onSocket: (socket) => {
        socket.pause();
        upgraded.resolve();
      },
    });
    const transport = connect({ clock });
    await upgraded.promise;
    client.request(1, 'initialize');
    await settle();
    const closed = transport.close();
    assert.equal(transport.close(), closed);
    await clock.advance(1_999);
    assert.deepEqual(client.rest(), []);
    await clock.advance(1);
    await closed;
    assert.deepEqual(client.rest(), ['closed ']);
    assert.equal(clock.waiting, 0);
  });

  test('a server that neither agrees nor refuses is given up, and a start can be broken off', async () => {
    const clock = new FakeClock();
    const tcp = createTcpServer();
    await listen(tcp as unknown as Server);
    connect({ clock });
    client.request(1, 'initialize');
    await once(tcp, 'connection');
    await clock.advance(30_000);
    assert.deepEqual(await next(2), [
      `dropped 1 false TIMEOUT none: 127.0.0.1:PORT did not agree to a WebSocket within 30 seconds. | ${ENDPOINT}`,
      'closed TIMEOUT: 127.0.0.1:PORT did not agree to a WebSocket within 30 seconds.',
    ]);
    const transport = connect({ clock });
    client.request(1, 'initialize');
    await transport.close();
    assert.deepEqual(client.rest(), ['closed ']);
    assert.equal(clock.waiting, 0);
  });

  test('credentials are got once where the server wants them', async () => {
    const clock = new FakeClock();
    const told: string[] = [];
    const signIn = new Deferred<boolean>();
    let token = '';
    const authorizer: Authorizer = {
      headersFor: async ({ url, method }) => {
        told.push(`${method} ${url.protocol}`);
        return token === '' ? {} : { authorization: token };
      },
      replied: ({ status }) => told.push(String(status)),
      challenged: ({ headers }) => {
        told.push(`asks: ${headers['www-authenticate']}`);
        return signIn.promise;
      },
      dispose: () => undefined,
    };
    const challenge = 'HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Bearer\r\nContent-Length: 0\r\n\r\n';
    await serve({
      refuse: ({ headers }) => (headers.authorization === 'Bearer good' ? undefined : challenge),
      onMessage: answering,
    });
    connect({ clock, authorizer });
    client.request(1, 'initialize');
    while (!told.includes('asks: Bearer')) await settle();
    client.request(2, 'early');
    await clock.advance(600_000);
    token = 'Bearer good';
    signIn.resolve(true);
    await next(2);
    assert.deepEqual(told, ['GET http:', '401', 'asks: Bearer', 'GET http:', '101']);

    token = 'Bearer bad';
    told.splice(0);
    connect({ clock, authorizer });
    client.request(1, 'initialize');
    assert.match((await next(2))[1] ?? '', /^closed REMOTE_ERROR: The server needs sign-in$/);
    assert.deepEqual(told, ['GET http:', '401', 'asks: Bearer', 'GET http:', '401']);
  });

  test('a refused sign-in rejects waiting requests', async () => {
    await serve({ refuse: () => 'HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n' });
    connect({
      authorizer: {
        headersFor: async () => ({}),
        replied: () => undefined,
        challenged: () => Promise.reject(new HostError('SIGN_IN_REQUIRED', 'Sign in.', { layer: 'transport' })),
        dispose: () => undefined,
      },
    });
    client.request(1, 'initialize');
    assert.deepEqual(await next(2), [
      'dropped 1 false SIGN_IN_REQUIRED unknown: Sign in. | undefined',
      'closed SIGN_IN_REQUIRED: Sign in.',
    ]);
  });

  test('another receiver takes over', async () => {
    const opened = new Deferred<WebSocket>();
    await serve({ onSocket: (socket) => opened.resolve(socket) });
    connect();
    const socket = await opened.promise;
    socket.send('{"n":1}');
    assert.deepEqual(await next(), ['{"n":1}']);
    const other = new Deferred<unknown>();
    client.transport.start((message) => other.resolve(message));
    socket.send('{"n":2}');
    assert.deepEqual(await other.promise, { n: 2 });
    assert.deepEqual(client.rest(), []);
  });
});
