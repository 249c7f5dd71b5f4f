import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { WebSocketClientTransport } from '@modelcontextprotocol/sdk/client/websocket.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type * as gatewayModule from '../../src/node/gateway/gatewayServer.ts';
import { nodeIds } from '../../src/node/nodePorts.ts';
import { benchFolder, builtHost } from './buildPaths.ts';
import { startHost } from './clients/host.ts';
import { sdkOver } from './clients/sdk1.ts';
import { visit } from './gatewayVisit.ts';
import type { IdleEntry } from './idleServers.ts';
import type { Params } from './job.ts';
import type { Metrics } from './measure.ts';
import { QuietWatch } from './quietWatch.ts';

/** Measures an idle process. */
export type IdleProcedure = (variant: string, params: Params) => Promise<Metrics>;

type Entries = Readonly<Record<string, IdleEntry>>;

/** Sets something up. Resolves with a function that undoes it. */
type Opener = (entries: Entries) => Promise<() => Promise<unknown>>;

/** Like in the editor: a store on disk, the gateway, and a session of each server through it. */
const openHost: Opener = async (entries) => {
  mkdirSync(benchFolder, { recursive: true });
  const folder = mkdtempSync(join(benchFolder, 'store-'));
  const host = await startHost(entries, { storageFile: join(folder, 'mcpl.sqlite') });
  // Reads the stored data, like open views.
  await Promise.all([host.lineages.loaded(), host.approvals.loaded()]);
  const built = join(dirname(builtHost), 'gatewayServer.js');
  const { startGateway } = createRequire(import.meta.url)(built) as typeof gatewayModule;
  const gateway = await startGateway({ host, ids: nodeIds });
  const leave = await visit(Object.keys(entries).map((id) => gateway.address(id)));
  return async () => {
    await leave();
    await gateway.dispose();
    await host.close();
    rmSync(folder, { recursive: true, force: true });
  };
};

const sdkTransport = ({ command, args = [], url = '', transport }: IdleEntry): Transport => {
  if (command === 'mcpl-demo')
    return new StdioClientTransport({ command: process.execPath, args: [join(dirname(builtHost), 'demo.js')] });
  if (command !== undefined) return new StdioClientTransport({ command, args: [...args], stderr: 'ignore' });
  if (transport === 'websocket') return new WebSocketClientTransport(new URL(url));
  return transport === 'sse' ? new SSEClientTransport(new URL(url)) : new StreamableHTTPClientTransport(new URL(url));
};

/** The official client with one connection per server. */
const openSdk: Opener = async (entries) => {
  const clients = await Promise.all(
    Object.values(entries).map((entry) => sdkOver(sdkTransport(entry), () => undefined)),
  );
  return () => Promise.all(clients.map((client) => client.close()));
};

const openers: Readonly<Record<string, Opener>> = {
  node: async () => async () => undefined,
  none: () => openHost({}),
  ten: openHost,
  sdk1: openSdk,
};

const idle: IdleProcedure = async (variant, params) => {
  const open = openers[variant];
  if (open === undefined) throw new Error(`There is no variant "${variant}".`);
  const watch = new QuietWatch({
    settleMs: Number(params['settle']) * 1000,
    ms: Number(params['seconds']) * 1000,
    isOurs: () => true,
  });
  const close = await open(JSON.parse(String(params['entries'])) as Entries);
  await watch.settle();
  const { metrics, timers } = await watch.measure();
  for (const { where, fired, shortestMs } of timers)
    process.stdout.write(`${variant}: ${fired} x ${shortestMs} ms ${where}\n`);
  await close();
  return metrics;
};

export const idleProcedures: Readonly<Record<string, IdleProcedure>> = { idle };
