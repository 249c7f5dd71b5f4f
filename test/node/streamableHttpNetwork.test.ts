import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import http, { createServer as createHttpServer, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, connect as connectSocket } from 'node:net';
import { join } from 'node:path';
import { ambientAgents, OwnAgents } from '../../src/node/http/httpAgents.ts';
import { answer, HttpConversation, idOf, JSON_TYPE } from './httpConversation.ts';

/** A self-signed certificate for `localhost`, `mcp.test` and 127.0.0.1. */
const fixture = (name: string): string => readFileSync(join(import.meta.dirname, 'fixtures/tls', name), 'utf8');
const certificate = fixture('certificate.pem');
const key = fixture('key.pem');

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return port;
}

suite('the network path to a server over streamable HTTP', () => {
  const talk = HttpConversation.ofSuite();
  const servers: Server[] = [];
  /** Requests to the proxy. */
  const proxied: string[] = [];

  teardown(async () => {
    for (const server of servers.splice(0)) {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    }
    proxied.length = 0;
  });

  const serveTls = async (): Promise<number> => {
    const server = createHttpsServer({ cert: certificate, key }, (request, response) => {
      let body = '';
      request.on('data', (chunk) => (body += String(chunk)));
      request.on('end', () => response.writeHead(200, JSON_TYPE).end(answer(idOf(body))));
    });
    servers.push(server);
    return listen(server);
  };
  /** Answers plain requests itself, and tunnels all others to this port. */
  const serveProxy = async (target: number): Promise<string> => {
    const server = createHttpServer((request, response) => {
      proxied.push(`${request.method} ${request.url} ${request.headers['proxy-authorization'] ?? '-'}`);
      let body = '';
      request.on('data', (chunk) => (body += String(chunk)));
      request.on('end', () => response.writeHead(200, JSON_TYPE).end(answer(idOf(body))));
    });
    server.on('connect', (request, socket) => {
      proxied.push(`CONNECT ${request.url} ${request.headers['proxy-authorization'] ?? '-'}`);
      if (request.url?.startsWith('closed.') === true) return socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
      const through = connectSocket(target, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
        through.pipe(socket).pipe(through);
      });
      for (const end of [socket, through]) end.on('error', () => undefined);
      return socket;
    });
    servers.push(server);
    return `127.0.0.1:${await listen(server)}`;
  };
  const ping = async (url: string, agents: OwnAgents): Promise<string> => {
    talk.connect(url, { agents, headers: {} });
    talk.client.request(1, 'ping');
    return talk.client.next();
  };

  test('leads through the proxies that the environment names, with what they want to know', async () => {
    const proxy = await serveProxy(await serveTls());
    const env = { HTTP_PROXY: `http://${proxy}`, HTTPS_PROXY: `http://user:word@${proxy}`, NO_PROXY: 'inside.test' };
    const agents = (): OwnAgents => new OwnAgents(env, () => [certificate]);
    assert.equal(await ping('http://mcp.test/mcp', agents()), answer(1));
    assert.equal(await ping('https://mcp.test/mcp', agents()), answer(1));
    const basic = `Basic ${Buffer.from('user:word').toString('base64')}`;
    assert.deepEqual(proxied, [
      'POST http://mcp.test/mcp -',
      `CONNECT mcp.test:443 ${basic}`,
      // Repeated with the system's certificates.
      `CONNECT mcp.test:443 ${basic}`,
    ]);
    assert.match(await ping('http://inside.test/mcp', agents()), /^dropped 1 false CONNECTION_CLOSED none: /);
    assert.equal(proxied.length, 3);
  });

  test('does not lead through a proxy to this very machine', async () => {
    const proxy = `http://${await serveProxy(0)}`;
    talk.server = await talk.serve(({ response, body }) => response.writeHead(200, JSON_TYPE).end(answer(idOf(body))));
    const agents = new OwnAgents({ HTTP_PROXY: proxy, http_proxy: proxy });
    assert.equal(await ping(talk.server.url(), agents), answer(1));
    assert.equal(await ping(talk.server.url().replace('127.0.0.1', 'localhost'), agents), answer(1));
    assert.deepEqual(proxied, []);
  });

  test('names the proxy if the proxy fails', async () => {
    const proxy = await serveProxy(0);
    const env = { HTTPS_PROXY: `http://user:word@${proxy}` };
    const refused = await ping('https://closed.test/mcp', new OwnAgents(env));
    assert.match(refused, /^dropped 1 false CONNECTION_CLOSED none: The proxy does not connect to closed\.test: /);
    assert.equal(refused.includes('word'), false);
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    }
    assert.match(
      await ping('https://mcp.test/mcp', new OwnAgents(env)),
      /^dropped 1 false CONNECTION_CLOSED none: The proxy of this machine does not answer\. \|/,
    );
    assert.match(
      await ping('https://mcp.test/mcp', new OwnAgents({ HTTPS_PROXY: 'http://[nonsense' })),
      /^dropped 1 false CONNECTION_CLOSED none: The proxy that the environment names has no valid address\./,
    );
  });

  test('takes the authorities that the system trusts where the others do not do, read once', async () => {
    const url = `https://localhost:${await serveTls()}/mcp`;
    let read = 0;
    const agents = new OwnAgents({}, () => {
      read++;
      return [certificate];
    });
    talk.connect(url, { agents, headers: {} });
    for (const id of [1, 2, 3]) talk.client.request(id, 'ping');
    assert.deepEqual([...(await talk.client.take(3))].sort(), [answer(1), answer(2), answer(3)]);
    talk.client.request(4, 'ping');
    assert.equal(await talk.client.next(), answer(4));
    assert.equal(read, 1);

    const said =
      /^dropped 1 false CONNECTION_CLOSED none: The certificate of localhost:\d+ is not trusted \(DEPTH_ZERO_SELF_SIGNED_CERT\)\./;
    assert.match(await ping(url, new OwnAgents({}, () => [])), said);
    const other = fixture('other.pem');
    assert.match(await ping(url, new OwnAgents({}, () => [other])), said);
  });

  test('is left to an editor that replaces the functions of the module', async () => {
    talk.server = await talk.serve(({ response, body }) => response.writeHead(200, JSON_TYPE).end(answer(idOf(body))));
    const original = http.request;
    const seen: unknown[] = [];
    http.request = ((url: URL, options: http.RequestOptions) => {
      seen.push('agent' in options ? options.agent : 'none');
      return original(url, options);
    }) as typeof http.request;
    try {
      talk.connect(talk.server.url(), { agents: ambientAgents });
      talk.client.request(1, 'ping');
      assert.equal(await talk.client.next(), answer(1));
    } finally {
      http.request = original;
    }
    assert.deepEqual(seen, ['none']);
  });
});
