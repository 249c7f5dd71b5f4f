import { spawn } from 'node:child_process';
import http from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { StreamableHTTPClientTransport as Sdk2Transport } from '@modelcontextprotocol/client';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { NO_CANCELLATION, NO_LOG, toDisposable } from '../../../src/core/index.ts';
import { openStreamableHttp } from '../../../src/node/http/streamableHttp.ts';
import type { BenchClient, OpenClient } from './client.ts';
import { hostTo } from './host.ts';
import { sessionOver } from './peer.ts';
import { sdkOver } from './sdk1.ts';
import { sdk2Over } from './sdk2.ts';

interface HttpServer {
  readonly url: string;
  readonly stop: () => Promise<void>;
}

const startServer = async (path: string): Promise<HttpServer> => {
  const child = spawn(process.execPath, [join(import.meta.dirname, '../httpServer.mjs')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const port = await new Promise<string>((resolve) => createInterface({ input: child.stdout }).once('line', resolve));
  return {
    url: `http://127.0.0.1:${port}${path}`,
    stop: () =>
      new Promise((resolve) => {
        child.once('close', () => resolve());
        child.stdin.end();
      }),
  };
};

type Connect = (url: string, onNotification: () => void) => Promise<BenchClient>;

/** The minimal client with Node's own HTTP: one keep-alive connection, no checks, no timers. */
const connectFloor: Connect = async (url) => {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  let lastId = 0;
  const post = (method: string, params: object): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: ++lastId, method, params });
      const headers = {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'content-length': Buffer.byteLength(body),
      };
      const request = http.request(url, { method: 'POST', agent, headers }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk) => (text += chunk));
        response.on('end', () => {
          const from = text.startsWith('event:') ? text.indexOf('data: ') + 6 : 0;
          const { result } = JSON.parse(text.slice(from)) as { readonly result: unknown };
          resolve(result);
        });
      });
      request.on('error', reject).end(body);
    });
  const clientInfo = { name: 'floor', version: '1.0.0' };
  await post('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
  return {
    call: (name, args) => post('tools/call', { name, arguments: args }),
    close: async () => agent.destroy(),
  };
};

const connectPeer: Connect = (url, onNotification) => {
  let negotiated: (version: string) => void = () => undefined;
  const { transport } = openStreamableHttp(
    { kind: 'remote', url, headers: {}, transport: 'http' },
    {
      serverId: 'bench',
      token: NO_CANCELLATION,
      log: NO_LOG,
      redact: (text) => text,
      negotiated: (listener) => {
        negotiated = listener;
        return toDisposable(() => undefined);
      },
    },
  );
  return sessionOver(transport, onNotification, (version) => negotiated(version));
};

const connectors: Readonly<Record<string, Connect>> = {
  floor: connectFloor,
  peer: connectPeer,
  host: (url) => hostTo({ url }),
  sdk1: (url, onNotification) => sdkOver(new StreamableHTTPClientTransport(new URL(url)), onNotification),
  sdk2: (url, onNotification) => sdk2Over(new Sdk2Transport(new URL(url)), onNotification),
};

const opener =
  (connect: Connect, path: string): OpenClient =>
  async (onNotification) => {
    const server = await startServer(path);
    const client = await connect(server.url, onNotification);
    return {
      call: client.call,
      close: async () => {
        await client.close();
        await server.stop();
      },
    };
  };

export const httpOpeners = (path: string): Readonly<Record<string, OpenClient>> =>
  Object.fromEntries(Object.entries(connectors).map(([variant, connect]) => [variant, opener(connect, path)]));
