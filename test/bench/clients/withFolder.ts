import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { benchFolder } from '../buildPaths.ts';
import type { BenchClient, OpenClient } from './client.ts';

export const storeIn = (folder: string): string => join(folder, 'mcpl.sqlite');

/** With a folder that is removed afterwards, on the project's disk, because a temporary folder may be in memory. */
export const withFolder =
  (open: (folder: string) => Promise<BenchClient>): OpenClient =>
  async () => {
    mkdirSync(benchFolder, { recursive: true });
    const folder = mkdtempSync(join(benchFolder, 'store-'));
    const client = await open(folder);
    return {
      call: client.call,
      close: async () => {
        await client.close();
        rmSync(folder, { recursive: true, force: true });
      },
    };
  };
