import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type * as library from '../../src/cli/library.ts';
import { builtHost } from './buildPaths.ts';
import type { Params } from './job.ts';
import type { Metrics } from './measure.ts';
import { median } from './statistics.ts';

/** Measures the start of an unknown server. */
export type FirstContactProcedure = (variant: string, params: Params) => Promise<Metrics>;

const require = createRequire(import.meta.url);
const SERVER = 'published';

const script = (name: string): string => join(dirname(require.resolve(`${name}/package.json`)), 'dist', 'index.js');

const node = (...args: readonly string[]): library.JsonObject => ({ command: process.execPath, args });

/** Published servers, as documented, but without a launcher. */
const published: Readonly<Record<string, (folder: string) => library.JsonObject>> = {
  everything: () => node(script('@modelcontextprotocol/server-everything'), 'stdio'),
  filesystem: (folder) => node(script('@modelcontextprotocol/server-filesystem'), folder),
  memory: (folder) => ({
    ...node(script('@modelcontextprotocol/server-memory')),
    env: { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') },
  }),
};

/** Alternates starts with a probe and with a remembered verdict, so that disturbances affect both. */
const firstContact: FirstContactProcedure = async (variant, params) => {
  const entryIn = published[variant];
  if (entryIn === undefined) throw new Error(`There is no variant "${variant}".`);
  const { createHost } = require(builtHost) as typeof library;
  const folder = mkdtempSync(join(tmpdir(), 'mcpl-first-'));
  const first: number[] = [];
  const second: number[] = [];
  try {
    for (let round = -1; round < Number(params['rounds']); round++) {
      const host = createHost({ servers: { [SERVER]: entryIn(folder) } });
      const start = async (): Promise<number> => {
        const started = performance.now();
        await host.start(SERVER);
        return performance.now() - started;
      };
      const asked = await start();
      await host.stop(SERVER);
      const remembered = await start();
      await host.close();
      if (round < 0) continue;
      first.push(asked);
      second.push(remembered);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return { first: median(first), second: median(second), ratio: median(first) / median(second) };
};

export const firstContactProcedures: Readonly<Record<string, FirstContactProcedure>> = { firstContact };
