import { join } from 'node:path';
import {
  createHost,
  entryOf,
  type GrowthProcedure,
  inFolder,
  loadHost,
  longestOf,
  memoryNow,
  number,
  p50,
  untilListed,
  watched,
} from './growthReadings.ts';
import { models, turn } from './quickTurn.ts';

const CALLS = 300;
const TURNS = 20;

/** A host with this many server processes, at the first and at the next start. */
export const growingServers: GrowthProcedure = (_variant, params) =>
  inFolder(async (folder) => {
    const count = number(params, 'size');
    const ids = Array.from({ length: count }, (_, index) => `server${index}`);
    const entries = Object.fromEntries(ids.map((id) => [id, entryOf('growthServer.mjs', { tools: 10 })]));
    const options = { storageFile: join(folder, 'mcpl.sqlite'), models };
    loadHost();
    const before = memoryNow();
    const open = async (): Promise<ReturnType<typeof createHost>> => {
      const opened = createHost(entries, options);
      await Promise.all(ids.map((id) => opened.start(id)));
      await untilListed(opened, ids, 10);
      return opened;
    };
    let host: ReturnType<typeof createHost> | undefined;
    const first = await watched(async () => (host = await open()));
    const firstHost = host;
    const end = await watched(async () => firstHost?.close());
    const again = await watched(async () => (host = await open()));
    const running = host;
    if (running === undefined) throw new Error('There is no host.');
    const last = ids.at(-1) ?? '';
    const echo = { server: last, tool: 'echo', args: {}, route: 'api' } as const;
    const call = await p50(CALLS, () => running.callTool(echo), CALLS);
    let injected = 0;
    let turns = 0;
    const work = await watched(async () => {
      turns = await p50(TURNS, async (i) => (injected += (await running.runTurn(turn(i))).injectedBy.length));
    });
    if (injected !== count * TURNS) throw new Error(`${injected} of ${count * TURNS} answers were used.`);
    const after = memoryNow();
    const close = await watched(() => running.close());
    return {
      first: first.took,
      again: again.took,
      call: call * 1_000,
      turn: turns,
      close: close.took,
      heap: after.heap - before.heap,
      rss: after.rss - before.rss,
      ...longestOf({ first: first.turn, again: again.turn, turns: work.turn, end: end.turn, close: close.turn }),
    };
  });
