import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { Deferred, HostError } from '../../src/core/index.ts';
import type { Authorizer, AuthorizedRequest, AuthReply } from '../../src/node/http/authorizer.ts';
import { FakeClock } from '../support/fakeClock.ts';
import { answer, HttpConversation, idOf, JSON_TYPE, SSE_TYPE } from './httpConversation.ts';
import type { Heard } from './transportRecorder.ts';

/** Returns scripted results, and records the requests. */
class ScriptedAuthorizer implements Authorizer {
  token: string | undefined;
  readonly asked: string[] = [];
  /** The answer to a challenge. */
  answer: (reply: AuthReply, signal: AbortSignal) => Promise<boolean> = async () => false;

  async headersFor({ method, url }: AuthorizedRequest): Promise<Record<string, string>> {
    this.asked.push(`for ${method} ${url.pathname}`);
    return this.token === undefined ? {} : { Authorization: this.token };
  }

  replied({ status, url }: AuthReply): void {
    this.asked.push(`replied ${status} ${url.pathname}`);
  }

  async challenged(reply: AuthReply, signal: AbortSignal): Promise<boolean> {
    this.asked.push(`challenged ${reply.status} ${String(reply.headers['www-authenticate'] ?? '-')}`);
    return this.answer(reply, signal);
  }

  dispose(): void {
    this.asked.push('disposed');
  }
}

suite('signing in to a server over streamable HTTP', () => {
  const talk = HttpConversation.ofSuite();
  let authorizer: ScriptedAuthorizer;

  setup(() => {
    authorizer = new ScriptedAuthorizer();
  });

  const open = async (handle: (heard: Heard) => void): Promise<void> => {
    talk.server = await talk.serve(handle);
    talk.connect(talk.server.url(), { authorizer });
  };
  /** Answers requests with this token. */
  const wants =
    (token: string) =>
    ({ request, response, body }: Heard): void => {
      if (request.headers.authorization === token) response.writeHead(200, JSON_TYPE).end(answer(idOf(body)));
      else response.writeHead(401, { 'www-authenticate': 'Bearer' }).end('no token');
    };

  test('sends the same request again with credentials', async () => {
    await open(wants('T1'));
    const signedIn = new Deferred<boolean>();
    const challenged = new Deferred<void>();
    authorizer.answer = () => {
      challenged.resolve();
      return signedIn.promise;
    };
    talk.client.request(1, 'ping');
    await challenged.promise;
    authorizer.token = 'T1';
    signedIn.resolve(true);
    assert.equal(await talk.client.next(), answer(1));
    assert.deepEqual(authorizer.asked, [
      'for POST /mcp',
      'replied 401 /mcp',
      'challenged 401 Bearer',
      'for POST /mcp',
      'replied 200 /mcp',
    ]);
    const body = '{"jsonrpc":"2.0","id":1,"method":"ping","params":{}}';
    assert.deepEqual(talk.server.lines, [
      `POST /mcp x-own=secret ${body}`,
      `POST /mcp x-own=secret authorization=T1 ${body}`,
    ]);
    await talk.transport.close();
    // Not disposed, because another transport to the same server may use it.
    assert.equal(authorizer.asked.includes('disposed'), false);
  });

  test('gives in after a while before a server that takes no credentials', async () => {
    await open(wants('none'));
    authorizer.answer = async () => true;
    talk.client.request(1, 'ping');
    assert.match(await talk.client.next(), /^dropped 1 false REMOTE_ERROR none: The server needs sign-in: no token/);
    assert.equal(talk.server.lines.length, 5);
  });

  test('fails with the error of the server or of the sign-in', async () => {
    await open(wants('T1'));
    talk.client.request(1, 'ping');
    assert.match(await talk.client.next(), /^dropped 1 false REMOTE_ERROR none: The server needs sign-in: no token/);
    authorizer.answer = () =>
      Promise.reject(
        new HostError('SIGN_IN_REQUIRED', 'Signing in was declined.', {
          layer: 'transport',
          effect: 'none',
          suggestion: 'Sign in.',
        }),
      );
    talk.client.request(2, 'ping');
    assert.equal(
      await talk.client.next(),
      'dropped 2 false SIGN_IN_REQUIRED none: Signing in was declined. | Sign in.',
    );
  });

  test('is requested by 403 only if the response names a challenge', async () => {
    const more = 'Bearer error="insufficient_scope"';
    await open(({ request, response, body }) => {
      if (request.headers.authorization === 'T2') response.writeHead(200, JSON_TYPE).end(answer(idOf(body)));
      else response.writeHead(403, body.includes('"more"') ? { 'www-authenticate': more } : {}).end();
    });
    authorizer.answer = async () => {
      authorizer.token = 'T2';
      return true;
    };
    talk.client.request(1, 'ping');
    assert.match(await talk.client.next(), /^dropped 1 false REMOTE_ERROR none: The server answered HTTP 403/);
    talk.client.request(2, 'more');
    assert.equal(await talk.client.next(), answer(2));
    assert.deepEqual(
      authorizer.asked.filter((line) => line.startsWith('challenged')),
      [`challenged 403 ${more}`],
    );
  });

  test('is not for another origin that the server redirects to, neither its token nor its challenge', async () => {
    const other = await talk.serve(({ response }) => response.writeHead(401, { 'www-authenticate': 'Bearer' }).end());
    await open(({ request, response }) => {
      const location = request.url === '/mcp' ? '/moved' : other.url('/there');
      response.writeHead(307, { location }).end();
    });
    authorizer.token = 'T1';
    authorizer.answer = async () => true;
    talk.client.request(1, 'ping');
    assert.match(await talk.client.next(), /^dropped 1 false REMOTE_ERROR none: The server needs sign-in/);
    const body = '{"jsonrpc":"2.0","id":1,"method":"ping","params":{}}';
    assert.deepEqual(other.lines, [`POST /there ${body}`]);
    assert.deepEqual(talk.server.lines, [
      `POST /mcp x-own=secret authorization=T1 ${body}`,
      `POST /moved x-own=secret authorization=T1 ${body}`,
    ]);
    // Each hop has its own proof, because it covers the address.
    assert.deepEqual(authorizer.asked, ['for POST /mcp', 'replied 307 /mcp', 'for POST /moved', 'replied 307 /moved']);
  });

  test('is over for a request that another origin sends back', async () => {
    const other = await talk.serve(({ response }) =>
      response.writeHead(307, { location: talk.server.url('/back') }).end(),
    );
    await open(({ request, response }) => {
      if (request.url === '/mcp') response.writeHead(307, { location: other.url('/there') }).end();
      else response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
    });
    authorizer.token = 'T1';
    authorizer.answer = async () => true;
    talk.client.request(1, 'ping');
    assert.match(await talk.client.next(), /^dropped 1 false REMOTE_ERROR none: The server needs sign-in/);
    assert.deepEqual(
      talk.server.lines.map((line) => line.slice(0, line.indexOf(' {'))),
      ['POST /mcp x-own=secret authorization=T1', 'POST /back'],
    );
    assert.deepEqual(authorizer.asked, ['for POST /mcp', 'replied 307 /mcp']);
  });

  test('may take longer than a notification may otherwise', async () => {
    const clock = new FakeClock();
    talk.server = await talk.serve(({ request, response }) =>
      response.writeHead(request.headers.authorization === 'T1' ? 202 : 401).end(),
    );
    talk.connect(talk.server.url(), { authorizer, clock });
    const signedIn = new Deferred<boolean>();
    const challenged = new Deferred<AbortSignal>();
    authorizer.answer = (_reply, signal) => {
      challenged.resolve(signal);
      return signedIn.promise;
    };
    talk.client.notify('notifications/roots/list_changed');
    const signal = await challenged.promise;
    await clock.advance(600_000);
    assert.equal(signal.aborted, false);
    authorizer.token = 'T1';
    signedIn.resolve(true);
    while (talk.server.lines.length < 2) await new Promise((resolve) => setTimeout(resolve, 2));
    assert.match(talk.server.lines[1] ?? '', /authorization=T1/);
  });

  test('ends with the request, without a cancellation for the server', async () => {
    await open(wants('T1'));
    const given = new Deferred<void>();
    const challenged = new Deferred<void>();
    authorizer.answer = (_reply, signal) => {
      challenged.resolve();
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          given.resolve();
          reject(new HostError('CANCELLED', 'Signing in was cancelled.', { layer: 'host' }));
        });
      });
    };
    talk.client.request(1, 'tools/call');
    await challenged.promise;
    talk.client.notify('notifications/cancelled', { requestId: 1 });
    await given.promise;
    await talk.transport.close();
    assert.deepEqual(talk.client.rest(), ['closed ']);
    assert.equal(talk.server.lines.length, 1);
  });

  test('is asked for by the back-channel too, whose refusal is the end of that only', async () => {
    const streams: ServerResponse[] = [];
    await talk.converse(
      ({ request, response, body }) => {
        if (request.method !== 'GET') response.writeHead(200, JSON_TYPE).end(answer(idOf(body)));
        else if (request.headers.authorization === 'T1') {
          response.writeHead(200, SSE_TYPE).write('data: {"jsonrpc":"2.0","method":"n"}\n\n');
          streams.push(response);
        } else response.writeHead(401).end();
      },
      { authorizer },
    );
    authorizer.answer = async () => {
      authorizer.token = 'T1';
      return true;
    };
    talk.client.notify('notifications/initialized');
    assert.equal(await talk.client.next(), '{"jsonrpc":"2.0","method":"n"}');
    await talk.transport.close();
    assert.match(talk.server.lines.at(-1) ?? '', /^DELETE \/mcp x-own=secret authorization=T1 mcp-session-id=S1/);
    assert.deepEqual(talk.client.rest(), ['closed ']);
    assert.equal(streams.length, 1);

    authorizer.token = undefined;
    authorizer.answer = () => Promise.reject(new HostError('SIGN_IN_REQUIRED', 'Declined.', { layer: 'transport' }));
    await talk.converse(({ response }) => response.writeHead(401).end(), { authorizer });
    talk.client.notify('notifications/initialized');
    while (talk.context.logged.length === 0) await new Promise((resolve) => setTimeout(resolve, 2));
    assert.deepEqual(talk.context.logged, ['warn An event stream did not open: Declined.']);
    assert.equal(talk.server.lines.filter((line) => line.startsWith('GET')).length, 1);
  });
});
