import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type * as gatewayModule from '../../src/node/gateway/gatewayServer.ts';
import { nodeIds } from '../../src/node/nodePorts.ts';
import { builtHost } from './buildPaths.ts';
import { Caller } from './gatewayProcedures.ts';
import {
  createHost,
  entryOf,
  type GrowthProcedure,
  type Host,
  inFolder,
  longestOf,
  memoryNow,
  number,
  p50,
  untilListed,
  watched,
} from './growthReadings.ts';

const SERVER = 'bench';
const CALLS = 500;
/** The host merges announcements for this time before it reads. */
const DEBOUNCE_MS = 200;

const call = (host: Host, tool: string): Promise<unknown> =>
  host.callTool({ server: SERVER, tool, args: {}, route: 'api' });

const untilTold = (host: Host): Promise<void> =>
  new Promise((resolve) => {
    const changes = host.onDidChangeServer(({ what }) => {
      if (what !== 'tools') return;
      changes.dispose();
      resolve();
    });
  });

/**
 * The fastest time of `JSON.parse` for the server's longest message on this thread, which is a lower bound. `listed` is
 * the gateway's list of the same tools.
 */
const parseTime = (listed: string, page: number): number => {
  const { result } = JSON.parse(listed.slice(listed.indexOf('{"'))) as { result: { tools: readonly unknown[] } };
  const text = JSON.stringify({ result: { tools: result.tools.slice(0, page) } });
  let best = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 5; i++) {
    const started = process.threadCpuUsage().user;
    JSON.parse(text);
    best = Math.min(best, (process.threadCpuUsage().user - started) / 1_000);
  }
  return best;
};

/** One server with this many tools, with host and gateway. */
export const growingTools: GrowthProcedure = (_variant, params) =>
  inFolder(async (folder) => {
    const count = number(params, 'size');
    const page = Math.min(count, number(params, 'page'));
    const before = memoryNow();
    const entries = { [SERVER]: entryOf('growthServer.mjs', { tools: count, page }) };
    const host = createHost(entries, { storageFile: join(folder, 'mcpl.sqlite') });
    const built = join(dirname(builtHost), 'gatewayServer.js');
    const { startGateway } = createRequire(import.meta.url)(built) as typeof gatewayModule;
    const gateway = await startGateway({ host, ids: nodeIds });
    const caller = new Caller(gateway.address(SERVER), 'application/json, text/event-stream');
    await caller.open();
    let running = 0;
    const listed = await watched(async () => {
      await host.start(SERVER);
      running = performance.now();
      await untilListed(host, [SERVER], count);
      running = performance.now() - running;
    });
    const calls = await p50(CALLS, () => call(host, 'echo'), CALLS);
    const memory = memoryNow();
    const refresh = await watched(async () => {
      const told = untilTold(host);
      await call(host, 'change');
      await told;
    });
    let gatewayMs = 0;
    let text = '';
    const asked = await watched(async () => {
      gatewayMs = await p50(3, async () => (text = await caller.list()));
    });
    caller.close();
    await gateway.dispose();
    await host.close();
    const parse = parseTime(text, page);
    return {
      listed: running,
      refresh: refresh.took - DEBOUNCE_MS,
      call: calls * 1_000,
      gateway: gatewayMs,
      heap: memory.heap - before.heap,
      rss: memory.rss - before.rss,
      parse,
      ...longestOf({ listed: listed.turn - parse, refresh: refresh.turn - parse, gateway: asked.turn }),
    };
  });
