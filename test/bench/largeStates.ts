import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createNodeHost } from '../../src/cli/nodeHost.ts';
import { longestTurn } from '../support/longestTurn.ts';
import { benchFolder } from './buildPaths.ts';
import type { Params } from './job.ts';
import type { Metrics } from './measure.ts';

const server = fileURLToPath(new URL('../node/fixtures/largeStateServer.mjs', import.meta.url));
const KEY = { server: 'large', featureSet: 'notes.edit' };
const PLACES = { ...KEY, filter: { text: '', only: 'all' }, from: 0, count: 10 } as const;

/** A whole host with a server whose state it keeps. Measures how long states of 10 MB block everything else. */
export const largeStates = async (variant: string, _params: Params): Promise<Metrics> => {
  mkdirSync(benchFolder, { recursive: true });
  const folder = mkdtempSync(join(benchFolder, 'large-'));
  const settings = { enabled: true, protocol: { era: 'legacy' }, featureSets: { enabled: ['*'] } };
  const large = { command: process.execPath, args: [server, variant], ...settings };
  const host = createNodeHost({ storageFile: join(folder, 'mcpl.sqlite'), servers: { large } });
  const call = async (tool: string): Promise<void> => {
    await host.callTool({ server: 'large', tool, args: {}, route: 'api' });
  };
  try {
    await host.start('large');
    await host.lineages.loaded();
    await call('whole');
    await call('edit');
    const began = performance.now();
    const whole = await longestTurn(() => call('whole'));
    const took = performance.now() - began;
    const edit = await longestTurn(() => call('edit'));
    const look = await longestTurn(async () => {
      const { rows } = await host.lineages.window(PLACES);
      const place = rows[0]?.node.place ?? 0;
      await host.lineages.state(place, 'compact');
      await host.lineages.checkpoint(place);
      await host.lineages.exportTo(KEY, join(folder, 'exported.jsonl'));
    });
    return { whole, edit, look, took };
  } finally {
    await host.close();
    rmSync(folder, { recursive: true, force: true });
  }
};
