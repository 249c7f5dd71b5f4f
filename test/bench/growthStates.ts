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
  watched,
} from './growthReadings.ts';

const SERVER = 'bench';
const KEY = { server: SERVER, featureSet: 'bench.notes' };
const ROWS = { ...KEY, filter: { text: '', only: 'all' }, from: 0, count: 10 } as const;
const ROUNDS = 5;

/** A server whose state of this many characters is kept by the host. */
export const growingStates: GrowthProcedure = (_variant, params) =>
  inFolder(async (folder) => {
    const entry = entryOf('growthStateServer.mjs', { characters: number(params, 'size') });
    loadHost();
    const before = memoryNow();
    const host = createHost({ [SERVER]: entry }, { storageFile: join(folder, 'mcpl.sqlite') });
    const call = (tool: string) => (): Promise<unknown> =>
      host.callTool({ server: SERVER, tool, args: {}, route: 'api' });
    const timed = async (work: (index: number) => Promise<unknown>): Promise<readonly [ms: number, turn: number]> => {
      let ms = 0;
      const { turn } = await watched(async () => (ms = await p50(ROUNDS, work, 1)));
      return [ms, turn];
    };
    await host.start(SERVER);
    await host.lineages.loaded();
    const whole = await timed(call('whole'));
    const look = await timed(call('look'));
    const patch = await timed(call('edit'));
    const { rows } = await host.lineages.window(ROWS);
    const places = rows.map(({ node }) => node.place);
    const placeAt = (index: number): number => places[index % places.length] ?? 0;
    const back = await timed(async (i) => {
      const { kind } = await host.lineages.rollBack(placeAt(i));
      if (kind !== 'rolledBack') throw new Error(`The rollback came to nothing: ${kind}.`);
    });
    const made = await timed((i) => host.lineages.state(placeAt(i + 3), 'compact'));
    const after = memoryNow();
    await host.close();
    return {
      whole: whole[0],
      patch: patch[0],
      look: look[0],
      back: back[0],
      made: made[0],
      heap: after.heap - before.heap,
      rss: after.rss - before.rss,
      ...longestOf({ whole: whole[1], patch: patch[1], look: look[1], back: back[1], made: made[1] }),
    };
  });
