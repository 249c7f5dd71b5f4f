import { createRequire } from 'node:module';
import type * as library from '../../../src/cli/library.ts';
import { builtHost } from '../buildPaths.ts';
import { type BenchClient, type OpenClient, serverCommand } from './client.ts';

const SERVER = 'bench';

/** The bundle as it ships, the whole way of a call: settings, catalogue, policy, operation events. */
export const openHost: OpenClient = () => hostTo(serverCommand);

/** The same for any server that settings can name. */
export const hostTo = async (entry: object): Promise<BenchClient> => {
  const { createHost } = createRequire(import.meta.url)(builtHost) as typeof library;
  const host = createHost({ servers: { [SERVER]: { ...entry, timeouts: { call: 300, start: 60 } } } });
  const listed = new Promise<void>((resolve) => {
    host.onDidChangeServer(() => {
      if ((host.server(SERVER)?.tools.length ?? 0) > 0) resolve();
    });
  });
  await host.start(SERVER);
  await listed;
  return {
    call: (tool, args, onProgress) =>
      host.callTool({ server: SERVER, tool, args, route: 'api' }, onProgress === undefined ? {} : { onProgress }),
    close: () => host.close(),
  };
};
