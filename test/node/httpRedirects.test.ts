import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { HttpAgents } from '../../src/node/http/httpAgents.ts';
import { HttpRequester, skipBody } from '../../src/node/http/httpRequest.ts';
import { messageOf } from '../../src/core/index.ts';

suite('A redirect of an HTTP server', () => {
  let server: Server;
  let agent: Agent;
  let port: number;
  /** Received requests, as `host path`. */
  let asked: string[];
  let location: string;

  setup(async () => {
    asked = [];
    server = createServer((request, response) => {
      asked.push(`${request.headers.host?.replace(/:\d+$/, '')} ${request.url}`);
      if (request.url === '/begin') response.writeHead(307, { location }).end();
      else response.end('{}');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    ({ port } = server.address() as AddressInfo);
    // Every name resolves to this server, because only names are checked.
    agent = new Agent({
      lookup: (_name, options, found) =>
        options.all === true ? found(null, [{ address: '127.0.0.1', family: 4 }]) : found(null, '127.0.0.1', 4),
    });
  });
  teardown(async () => {
    agent.destroy();
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  });

  const follow = async (from: string, to: string): Promise<string> => {
    location = `http://${to}:${port}/end`;
    const agents: HttpAgents = { agentFor: () => agent, distrusted: () => false, close: () => undefined };
    const url = new URL(`http://${from}:${port}/begin`);
    const { signal } = new AbortController();
    try {
      skipBody(
        await new HttpRequester(agents).open({ method: 'POST', url, headers: {}, bound: {}, body: '{}', signal }),
      );
      return 'followed';
    } catch (error) {
      return messageOf(error).replaceAll(String(port), 'PORT');
    }
  };

  test('from the internet is not followed to this machine or to a private network', async () => {
    const machine = 'which is on this machine, where the server is not';
    const network = 'which is in a private network, where the server is not';
    for (const [from, to, why] of [
      ['mcp.example.com', '127.0.0.1', machine],
      ['mcp.example.com', 'localhost.', machine],
      ['mcp.example.com', '2130706433', machine],
      ['mcp.example.com', '0x7f.1', machine],
      ['mcp.example.com', '192.168.0.1', network],
      ['mcp.example.com', '169.254.169.254', network],
      ['mcp.example.com', 'intranet', network],
      ['mcp.example.com', '[::ffff:10.0.0.1]', network],
      ['printer.local', '127.0.0.1', machine],
    ] as const) {
      const target = new URL(`http://${to}`).hostname;
      assert.equal(await follow(from, to), `${from}:PORT redirects to ${target}:PORT, ${why}.`);
    }
    assert.deepEqual(new Set(asked), new Set(['mcp.example.com /begin', 'printer.local /begin']));
  });

  test('is followed between servers of the same kind, and outward', async () => {
    for (const [from, to] of [
      ['mcp.example.com', 'www.example.com'],
      ['printer.local', 'nas.lan'],
      ['127.0.0.1', 'localhost'],
      ['127.0.0.1', 'mcp.example.com'],
    ] as const)
      assert.equal(await follow(from, to), 'followed', `${from} ${to}`);
  });
});
