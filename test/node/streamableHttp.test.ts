import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { Deferred } from '../../src/core/index.ts';
import { FakeClock } from '../support/fakeClock.ts';
import { answer, HttpConversation, idOf, JSON_TYPE, SSE_TYPE } from './httpConversation.ts';
import type { Heard } from './transportRecorder.ts';

suite('streamable HTTP', () => {
  const talk = HttpConversation.ofSuite();
  const serve = (handle: (heard: Heard) => void) => talk.serve(handle);
  const converse = (handle: (heard: Heard) => void, clock?: FakeClock) => talk.converse(handle, { clock });
  const noStream = (response: ServerResponse): void => void response.writeHead(405).end();

  test('a conversation carries session, revision and own headers, and ends with DELETE', async () => {
    await converse(({ request, response, body }) => {
      if (request.method === 'GET') noStream(response);
      else if (body.includes('"batch"')) response.writeHead(200, JSON_TYPE).end(`[${answer(9)},${answer(idOf(body))}]`);
      else {
        response.writeHead(200, SSE_TYPE);
        response.write('id: 1\ndata:\n\n: hello\ndata: {"jsonrpc":"2.0","method":"n"}\n\n');
        response.end(`event: message\r\ndata: ${answer(String(idOf(body)))}\r\n\r\n`);
      }
    });
    talk.client.notify('notifications/initialized');
    talk.client.request(2, 'batch');
    assert.deepEqual(await talk.client.take(2), [answer(9), answer(2)]);
    talk.client.request(3, 'stream');
    assert.deepEqual(await talk.client.take(2), ['{"jsonrpc":"2.0","method":"n"}', answer('3')]);
    talk.client.request(4, 'batch');
    assert.deepEqual(await talk.client.take(2), [answer(9), answer(4)]);
    await talk.client.transport.close();
    talk.client.request(5, 'late');
    assert.deepEqual(talk.client.rest(), ['closed ']);
    const own = 'x-own=secret mcp-session-id=S1 mcp-protocol-version=2025-11-25';
    assert.deepEqual(
      talk.server.lines.filter((line) => !line.startsWith('GET')),
      [
        'POST /mcp x-own=secret {"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}',
        `POST /mcp ${own} {"jsonrpc":"2.0","method":"notifications/initialized","params":{}}`,
        `POST /mcp ${own} {"jsonrpc":"2.0","id":2,"method":"batch","params":{}}`,
        `POST /mcp ${own} {"jsonrpc":"2.0","id":3,"method":"stream","params":{}}`,
        `POST /mcp ${own} {"jsonrpc":"2.0","id":4,"method":"batch","params":{}}`,
        `DELETE /mcp ${own}`,
      ],
    );
    assert.equal(talk.server.lines.filter((line) => line.startsWith('GET')).length, 1);
  });

  test('every failed POST rejects its request once, with the next step', async () => {
    const replies: Record<string, (response: ServerResponse) => unknown> = {
      stringId: (response) => response.writeHead(200, JSON_TYPE).end(answer('1')),
      sign: (response) => response.writeHead(401, { 'www-authenticate': 'Bearer' }).end('no'),
      forbidden: (response) => response.writeHead(403).end(),
      missing: (response) => response.writeHead(404).end('<html>\n  Not here</html>'),
      broken: (response) => response.writeHead(500).end('x'.repeat(500)),
      rpcError: (response) =>
        response.writeHead(400, JSON_TYPE).end('{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"bad"}}'),
      html: (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
      accepted: (response) => response.writeHead(202).end(),
      wrongId: (response) => response.writeHead(200, JSON_TYPE).end(answer(77)),
      emptyStream: (response) => response.writeHead(200, SSE_TYPE).end(': nothing\n\n'),
      reset: (response) => response.destroy(),
      cut: (response) => {
        response.writeHead(200, { ...JSON_TYPE, 'content-length': '100' }).write('{"id"');
        setImmediate(() => response.destroy());
      },
      deep: (response) => response.writeHead(200, JSON_TYPE).end(`${'['.repeat(900)}${']'.repeat(900)}`),
    };
    talk.server = await serve(({ response, body }) => {
      const { method }: { method: string } = JSON.parse(body);
      replies[method]?.(response);
    });
    talk.connect(talk.server.url());
    const said: Record<string, readonly string[]> = {};
    for (const method of Object.keys(replies)) {
      talk.client.request(1, method);
      const lines = await talk.client.take(method === 'wrongId' ? 2 : 1);
      said[method] = lines.map((line) => line.replaceAll(String(talk.server.port), 'PORT'));
    }
    assert.deepEqual(talk.client.rest(), []);
    const log = "Look into the server's own log";
    const check = "Check the server's `url`: it must be its MCP endpoint.";
    const unanswered = `dropped 1 false CONNECTION_CLOSED unknown: The server ended its reply without an answer. | ${log} for what happened.`;
    const broke = `dropped 1 false CONNECTION_CLOSED unknown: The connection to 127.0.0.1:PORT broke (ECONNRESET). | ${log} for what happened.`;
    assert.deepEqual(said, {
      stringId: [answer('1')],
      sign: [
        "dropped 1 false REMOTE_ERROR none: The server needs sign-in: no | Sign in, or put a token into `headers` in the server's settings.",
      ],
      forbidden: [
        "dropped 1 false REMOTE_ERROR none: The server answered HTTP 403 (Forbidden) | Check that you may use this server, and the token in `headers` in the server's settings.",
      ],
      missing: [`dropped 1 false REMOTE_ERROR none: The server answered HTTP 404 (Not Found): a web page | ${check}`],
      broken: [
        `dropped 1 false REMOTE_ERROR unknown: The server answered HTTP 500 (Internal Server Error): ${'x'.repeat(199)}… | ${log}.`,
      ],
      rpcError: ['{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"bad"}}'],
      html: [
        `dropped 1 false INVALID_MESSAGE unknown: The server answered with what is no message: a web page | ${check}`,
      ],
      accepted: [unanswered],
      wrongId: [answer(77), unanswered],
      emptyStream: [unanswered],
      reset: [broke],
      cut: [broke],
      deep: [
        'dropped 1 false INVALID_MESSAGE unknown: The server sent a message that nests too deep. | Report this to the author of the server.',
      ],
    });
  });

  test('addresses and headers that cannot work are said to be the settings', async () => {
    for (const url of ['nonsense', 'file:///etc/passwd', 'ws://127.0.0.1'])
      assert.throws(() => talk.connect(url), { code: 'INVALID_SETTINGS' });
    talk.server = await serve(() => undefined);
    const url = talk.server.url();
    talk.connect(url, { headers: { 'X-Own': 'line\nbreak' } });
    talk.client.request(1, 'ping');
    assert.equal(
      await talk.client.next(),
      'dropped 1 false INVALID_SETTINGS none: A header cannot be sent: Invalid character in header content ["x-own"]. | Correct `headers` in the server\'s settings.',
    );
    await talk.server.stop();
    talk.connect(url);
    talk.client.request(1, 'ping');
    assert.equal(
      await talk.client.next(),
      `dropped 1 false CONNECTION_CLOSED none: Nothing listens at 127.0.0.1:${talk.server.port}. | Start the server, or correct its \`url\`.`,
    );
  });

  test('redirects keep headers within an origin and drop them across, and do not go on forever', async () => {
    const other = await serve(({ response, body }) => response.writeHead(200, JSON_TYPE).end(answer(idOf(body))));
    talk.server = await serve(({ request, response, body }) => {
      const to: Record<string, string> = {
        '/same': '/mcp',
        '/cross': other.url('/there'),
        '/loop': '/loop',
        '/file': 'file:///etc/passwd',
      };
      const location = to[request.url ?? ''];
      if (location === undefined) response.writeHead(200, JSON_TYPE).end(answer(idOf(body)));
      else response.writeHead(request.url === '/same' ? 308 : 302, { location }).end();
    });
    const heard: string[] = [];
    for (const path of ['/same', '/cross', '/loop', '/file']) {
      talk.connect(talk.server.url(path));
      talk.client.request(1, 'ping');
      heard.push((await talk.client.next()).replaceAll(String(talk.server.port), 'PORT'));
    }
    const body = '{"jsonrpc":"2.0","id":1,"method":"ping","params":{}}';
    const next = "| Set the server's `url` to its final address.";
    assert.deepEqual(heard, [
      answer(1),
      answer(1),
      `dropped 1 false REMOTE_ERROR none: 127.0.0.1:PORT redirects more than 5 times. ${next}`,
      `dropped 1 false REMOTE_ERROR none: 127.0.0.1:PORT redirects to an address that is not on the web. ${next}`,
    ]);
    assert.deepEqual(other.lines, [`POST /there ${body}`]);
    assert.deepEqual(talk.server.lines.slice(0, 2), [
      `POST /same x-own=secret ${body}`,
      `POST /mcp x-own=secret ${body}`,
    ]);
    assert.equal(talk.server.lines.filter((line) => line.includes('/loop')).length, 6);
  });

  test('a reply that breaks off is taken up again after its last event', async () => {
    let resumed = 0;
    await converse(({ request, response, body }) => {
      response.writeHead(200, SSE_TYPE);
      if (request.method === 'POST') {
        response.write(`id: a\nretry: 5\ndata: {"jsonrpc":"2.0","method":"one"}\n\nid: b\ndata: {"jsonrpc"`);
        setImmediate(() => response.destroy());
        assert.equal(idOf(body), 2);
      } else if (++resumed === 1) response.end('id: c\ndata: {"jsonrpc":"2.0","method":"two"}\n\n');
      else response.end(`data: ${answer(2)}\n\n`);
    });
    talk.client.request(2, 'tools/call');
    assert.deepEqual(await talk.client.take(3), [
      '{"jsonrpc":"2.0","method":"one"}',
      '{"jsonrpc":"2.0","method":"two"}',
      answer(2),
    ]);
    assert.deepEqual(
      talk.server.lines.flatMap((line) => /last-event-id=\S+/.exec(line)?.[0] ?? []),
      ['last-event-id=a', 'last-event-id=c'],
    );
  });

  test('a reply that cannot be taken up again fails its request', async () => {
    await converse(({ request, response }) => {
      if (request.method === 'GET') return noStream(response);
      response.writeHead(200, SSE_TYPE).end('id: a\nretry: 5\ndata:\n\n');
    });
    talk.client.request(2, 'tools/call');
    assert.match(await talk.client.next(), /^dropped 2 false CONNECTION_CLOSED unknown: The server ended its reply/);
  });

  test('the back-channel is opened after initialized, and again after a break', async () => {
    let streams = 0;
    await converse(({ response }) => {
      response.writeHead(200, SSE_TYPE);
      if (++streams === 1) response.end('retry: 5\nid: x\ndata: {"jsonrpc":"2.0","method":"first"}\n\n');
      else response.write('data: {"jsonrpc":"2.0","method":"second"}\n\n');
    });
    talk.client.notify('notifications/initialized');
    assert.deepEqual(await talk.client.take(2), [
      '{"jsonrpc":"2.0","method":"first"}',
      '{"jsonrpc":"2.0","method":"second"}',
    ]);
    const own = 'GET /mcp x-own=secret mcp-session-id=S1 mcp-protocol-version=2025-11-25';
    assert.deepEqual(talk.server.lines.slice(2), [own, `${own} last-event-id=x`]);
    await talk.client.transport.close();
    assert.deepEqual(talk.client.rest(), ['closed ']);
  });

  test('a server that wants no pause between its streams gets one all the same', async () => {
    const clock = new FakeClock();
    await converse(({ response }) => {
      response.writeHead(200, SSE_TYPE).end(`retry: 0\nid: x\ndata: {"jsonrpc":"2.0","method":"again"}\n\n`);
    }, clock);
    talk.client.notify('notifications/initialized');
    await talk.client.take(1);
    while (clock.waiting === 0) await new Promise((resolve) => setTimeout(resolve, 2));
    await clock.advance(100);
    assert.deepEqual(clock.fired, [100]);
  });

  test('a back-channel that always ends is given up after a while, with longer and longer pauses', async () => {
    const clock = new FakeClock();
    let opened: () => void = () => undefined;
    await converse(({ response }) => {
      response.writeHead(200, SSE_TYPE).end();
      opened();
    }, clock);
    const pauses: number[] = [];
    const streams = (): number => talk.server.lines.filter((line) => line.startsWith('GET')).length;
    talk.client.notify('notifications/initialized');
    while (!talk.context.logged.some((line) => line.startsWith('warn'))) {
      const next = new Promise<void>((resolve) => (opened = resolve));
      const before = streams();
      let waited = 0;
      while (streams() === before && waited < 100_000 && !talk.context.logged.some((line) => line.startsWith('warn'))) {
        // Time only passes while the transport waits for it.
        if (clock.waiting > 0) {
          waited += 1_000;
          await clock.advance(1_000);
        }
        await Promise.race([next, new Promise((resolve) => setTimeout(resolve, 2))]);
      }
      pauses.push(waited);
    }
    assert.equal(streams(), 8);
    assert.ok((pauses.at(-1) ?? 0) >= 20_000, pauses.join());
    assert.deepEqual(
      talk.context.logged.filter((line) => line.startsWith('warn')),
      ['warn The server keeps ending its event stream: its notices are no longer heard.'],
    );
  });

  test('a cancellation is sent after its request, and the stream is dropped silently', async () => {
    const clock = new FakeClock();
    let dropped: Promise<void> | undefined;
    const told = new Deferred<void>();
    await converse(({ response, body }) => {
      if (body.includes('notifications/cancelled')) {
        response.writeHead(202).end();
        told.resolve();
      } else {
        response.writeHead(200, SSE_TYPE).flushHeaders();
        dropped = new Promise((resolve) => response.once('close', resolve));
      }
    }, clock);
    talk.client.request(2, 'tools/call');
    talk.client.notify('notifications/cancelled', { requestId: 2 });
    await told.promise;
    assert.deepEqual(
      talk.server.lines.slice(1).map((line) => /"method":"(.*?)"/.exec(line)?.[1]),
      ['tools/call', 'notifications/cancelled'],
    );
    await clock.advance(2_000);
    await dropped;
    await talk.client.transport.close();
    assert.deepEqual(talk.client.rest(), ['closed ']);
  });

  test('nothing overtakes initialized', async () => {
    const methods: string[] = [];
    talk.server = await serve(({ response, body }) => {
      const { method }: { method: string } = JSON.parse(body || '{"method":"-"}');
      methods.push(method);
      const reply = (): unknown =>
        method === 'ping' ? response.writeHead(200, JSON_TYPE).end(answer(1)) : response.writeHead(202).end();
      setTimeout(() => {
        methods.push(`${method} done`);
        reply();
      }, 20);
    });
    talk.connect(talk.server.url());
    talk.client.notify('notifications/initialized');
    talk.client.request(1, 'ping');
    await talk.client.next();
    assert.deepEqual(
      methods.filter((method) => !method.startsWith('-')),
      ['notifications/initialized', 'notifications/initialized done', 'ping', 'ping done'],
    );
  });

  test('a reply over the cap is refused while it arrives', async () => {
    const chunk = Buffer.alloc(1024 * 1024, 'x');
    talk.server = await serve(({ request, response }) => {
      response.writeHead(200, request.url === '/sse' ? SSE_TYPE : JSON_TYPE);
      response.write(request.url === '/sse' ? 'data: ' : '"');
      const flood = (): void => {
        if (!response.destroyed) response.write(chunk, flood);
      };
      flood();
    });
    for (const path of ['/json', '/sse']) {
      talk.connect(talk.server.url(path));
      talk.client.request(1, 'tools/list');
      assert.match(await talk.client.next(), /^dropped 1 false MESSAGE_TOO_LARGE unknown: /);
    }
  });

  test('close does not wait forever for a server that does not answer it', async () => {
    const clock = new FakeClock();
    const asked = new Deferred<void>();
    talk.server = await serve(({ request, response, body }) => {
      if (request.method === 'DELETE') asked.resolve();
      else response.writeHead(200, { ...JSON_TYPE, 'mcp-session-id': 'S1' }).end(answer(idOf(body)));
    });
    talk.connect(talk.server.url(), { clock });
    talk.client.request(1, 'initialize');
    await talk.client.next();
    const closed = talk.client.transport.close();
    await asked.promise;
    await clock.advance(2_000);
    await closed;
    assert.deepEqual(talk.client.rest(), ['closed ']);
  });
});
