import { createRequire } from 'node:module';
import type * as library from '../../../src/cli/library.ts';
import { builtHost } from '../buildPaths.ts';
import { type BenchClient, mcplServer, type OpenClient, type ServerCommand, serverCommand } from './client.ts';

const SERVER = 'bench';

type HostOptions = Omit<library.HostOptions, 'servers'>;

/** The shipped bundle with the complete path of a call: settings, catalogue, policy, operation events. */
export const openHost: OpenClient = () => hostTo(serverCommand);

/** The same for any server from settings. */
export const hostTo = async (entry: object, options: HostOptions = {}): Promise<BenchClient> => {
  const host = await startHost({ [SERVER]: entry }, options);
  return {
    call: (tool, args, onProgress) =>
      host.callTool({ server: SERVER, tool, args, route: 'api' }, onProgress === undefined ? {} : { onProgress }),
    close: () => host.close(),
  };
};

/** A host with all of these servers running and their tools listed. */
export const startHost = async (
  entries: Readonly<Record<string, object>>,
  options: HostOptions = {},
): Promise<library.Host> => {
  const { createHost } = createRequire(import.meta.url)(builtHost) as typeof library;
  const timeouts = { call: 300, start: 60 };
  const servers = Object.fromEntries(Object.entries(entries).map(([id, entry]) => [id, { ...entry, timeouts }]));
  const host = createHost({ ...options, servers: JSON.parse(JSON.stringify(servers)) as library.JsonObject });
  const ids = Object.keys(entries);
  const isListed = (): boolean => ids.every((id) => (host.server(id)?.tools.length ?? 0) > 0);
  const listed = new Promise<void>((resolve) => {
    host.onDidChangeServer(() => {
      if (isListed()) resolve();
    });
  });
  await Promise.all(ids.map((id) => host.start(id)));
  if (ids.length > 0) await listed;
  return host;
};

export const MAX_EVENTS = 1_000;

/** Refuses nothing. Everything else is as shipped. */
export const GENEROUS = { pushPerMinute: 100_000_000, maxEvents: MAX_EVENTS } as const;

/** An entry with its feature sets enabled, and defaults otherwise. */
export const mcplEntry = (command: ServerCommand = mcplServer()): object => ({
  ...command,
  featureSets: { enabled: ['bench.*'] },
});
