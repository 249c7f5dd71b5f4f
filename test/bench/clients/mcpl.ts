import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { benchFolder } from '../buildPaths.ts';
import { openBareStore } from './bareStore.ts';
import { openCheckingHost } from './checkingHost.ts';
import { type BenchClient, mcplServer, type OpenClient } from './client.ts';
import { floorTo } from './floor.ts';
import { GENEROUS, hostTo, mcplEntry } from './host.ts';
import { peerTo } from './peer.ts';
import { sdkTo } from './sdk1.ts';

type OpenWithFile = (file: string) => Promise<BenchClient>;

/** With a database that is gone afterwards, on the disk of the project: a temporary folder may lie in memory. */
const withFile =
  (open: OpenWithFile): OpenClient =>
  async () => {
    mkdirSync(benchFolder, { recursive: true });
    const folder = mkdtempSync(join(benchFolder, 'store-'));
    const client = await open(join(folder, 'mcpl.sqlite'));
    return {
      call: client.call,
      close: async () => {
        await client.close();
        rmSync(folder, { recursive: true, force: true });
      },
    };
  };

/** Clients of a server that pushes events. Those that are not the host accept whatever comes. */
export const mcplOpeners: Readonly<Record<string, OpenClient>> = {
  floor: (onNotification) => floorTo(mcplServer(), onNotification),
  peer: (onNotification) => peerTo(mcplServer(), onNotification),
  sdk1: (onNotification) => sdkTo(mcplServer(), onNotification),
  checked: () => openCheckingHost(),
  host: () => hostTo(mcplEntry(), { limits: GENEROUS }),
  stored: withFile((file) => hostTo(mcplEntry(), { limits: GENEROUS, storageFile: file })),
  sqlite: withFile(openBareStore),
};
