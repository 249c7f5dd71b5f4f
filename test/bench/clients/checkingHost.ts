import { createHost, NO_LOG } from '../../../src/core/index.ts';
import { NodeConnector } from '../../../src/node/connector.ts';
import { memoryStorage } from '../../../src/node/store/memoryStorage.ts';
import { nodeFileNames } from '../../../src/node/names/fileNames.ts';
import { nodeClock, nodeIds } from '../../../src/node/nodePorts.ts';
import type { BenchClient } from './client.ts';
import { GENEROUS, mcplEntry } from './host.ts';

const SERVER = 'bench';
const KEPT = Promise.resolve({ kind: 'kept' } as const);
const NOBODY = { kind: 'cancel' } as const;

/**
 * The whole host with a store that confirms at once. This leaves reading and checking an event, and adding it to the
 * inbox.
 */
export const openCheckingHost = async (): Promise<BenchClient> => {
  const storage = memoryStorage();
  const host = createHost({
    client: { name: 'bench', title: 'Bench', version: '1.0.0' },
    ports: {
      clock: nodeClock,
      ids: nodeIds,
      logs: { host: NO_LOG, server: () => NO_LOG },
      storage: {
        ...storage,
        events: {
          admit: () => KEPT,
          list: () => Promise.resolve([]),
          change: () => Promise.resolve(),
          markRead: () => Promise.resolve(),
          clear: () => Promise.resolve(),
          remove: () => Promise.resolve(),
          trim: () => Promise.resolve(),
        },
      },
      fileNames: nodeFileNames,
      variables: {
        folders: [],
        userHome: '/',
        env: (name) => process.env[name],
        input: () => Promise.resolve({ kind: 'undeclared' }),
        readFile: () => Promise.reject(new Error('There is none.')),
      },
      connector: new NodeConnector({ demoScript: '' }),
      inputs: {
        elicitor: {
          form: () => Promise.resolve(NOBODY),
          url: () => Promise.resolve('cancel'),
          finish: () => Promise.resolve('cancel'),
          finished: () => undefined,
        },
        sampler: { canUseTools: false, sample: () => Promise.resolve({ kind: 'declined' }) },
        schemaChecker: { check: () => Promise.resolve({ kind: 'ok' }) },
      },
      models: { choose: () => Promise.resolve({ kind: 'failed', reason: 'no_model', message: 'There is none.' }) },
      consent: { ask: () => Promise.resolve('dontStart') },
    },
  });
  const entry: unknown = JSON.parse(JSON.stringify({ ...mcplEntry(), timeouts: { call: 300, start: 60 } }));
  const servers = { [SERVER]: entry } as Parameters<typeof host.configure>[0]['layers'][number]['servers'];
  const listed = new Promise<void>((resolve) => {
    host.onDidChangeServer(() => {
      if ((host.server(SERVER)?.tools.length ?? 0) > 0) resolve();
    });
  });
  host.configure({ trusted: true, layers: [{ scope: 'user', servers }], limits: GENEROUS });
  await host.start(SERVER);
  await listed;
  return {
    call: (tool, args) => host.callTool({ server: SERVER, tool, args, route: 'api' }),
    close: () => host.close(),
  };
};
