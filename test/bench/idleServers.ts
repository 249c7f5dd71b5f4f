import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { endTree, track } from '../harness/processes.ts';
import { inProject } from '../harness/paths.ts';
import { mcplServer } from './clients/client.ts';

/** Ten idle servers of all kinds. Half of them are published ones. */
export interface IdleServers {
  /** Entries of the setting `mcpl.servers`. */
  readonly entries: Readonly<Record<string, IdleEntry>>;
  readonly stop: () => Promise<void>;
}

export interface IdleEntry {
  readonly command?: string;
  readonly args?: readonly string[];
  readonly url?: string;
  readonly transport?: 'sse' | 'websocket';
  readonly featureSets?: { readonly enabled: readonly string[] };
}

const published = (name: string): string =>
  inProject(`node_modules/@modelcontextprotocol/server-${name}/dist/index.js`);
const node = (...args: readonly string[]): IdleEntry => ({ command: process.execPath, args });
const fixture = (name: string): string => inProject('test/node/fixtures', name);

/** Preloaded for a remote server, so that it only listens on this machine and reports its port. */
const PRELOAD = `
  import net from 'node:net';
  const { listen } = net.Server.prototype;
  net.Server.prototype.listen = function (port, ...rest) {
    this.once('listening', () => console.error('port ' + this.address().port));
    return listen.call(this, 0, '127.0.0.1', ...rest.filter((each) => typeof each === 'function'));
  };`;

interface Remote {
  readonly args: readonly string[];
  readonly entry: (port: string) => IdleEntry;
}

const remotes: Readonly<Record<string, Remote>> = {
  // With a session, and a separate stream for unrequested messages.
  http: {
    args: [published('everything'), 'streamableHttp'],
    entry: (port) => ({ url: `http://127.0.0.1:${port}/mcp` }),
  },
  sse: {
    args: [published('everything'), 'sse'],
    entry: (port) => ({ url: `http://127.0.0.1:${port}/sse`, transport: 'sse' }),
  },
  // Without a session. Changes arrive in the answer of a long request.
  statelessHttp: {
    args: [fixture('modernServer.mjs'), '--http', '0', '--mode', 'dual'],
    entry: (port) => ({ url: `http://127.0.0.1:${port}/mcp` }),
  },
  websocket: {
    args: [join(import.meta.dirname, 'socketServer.mjs')],
    entry: (port) => ({ url: `ws://127.0.0.1:${port}/`, transport: 'websocket' }),
  },
};

const startRemote = async ({ args, entry }: Remote): Promise<{ child: ChildProcess; entry: IdleEntry }> => {
  const env = { ...process.env, PORT: '0' };
  const preload = ['--import', `data:text/javascript,${encodeURIComponent(PRELOAD)}`];
  const child = track(spawn(process.execPath, [...preload, ...args], { env, stdio: ['ignore', 'ignore', 'pipe'] }));
  const port = await new Promise<string>((resolve, reject) => {
    if (child.stderr !== null)
      createInterface({ input: child.stderr }).on('line', (line) => {
        const found = /^port (\d+)$/.exec(line)?.[1];
        if (found !== undefined) resolve(found);
      });
    child.once('exit', (code) => reject(new Error(`${args.join(' ')} ended with exit code ${code}.`)));
  });
  return { child, entry: entry(port) };
};

const ALL_SETS = { featureSets: { enabled: ['*'] } };

export const startIdleServers = async (demo: IdleEntry = { command: 'mcpl-demo' }): Promise<IdleServers> => {
  const started = await Promise.all(
    Object.entries(remotes).map(async ([name, remote]) => [name, await startRemote(remote)] as const),
  );
  return {
    entries: {
      memory: node(published('memory')),
      filesystem: node(published('filesystem'), inProject('media')),
      everything: node(published('everything')),
      stateless: node(fixture('modernServer.mjs'), '--mode', 'dual'),
      push: { ...mcplServer(), ...ALL_SETS },
      // All parts of MCPL: hooks, scopes, inference, states kept by the host and by the server.
      demo: { ...demo, ...ALL_SETS },
      ...Object.fromEntries(started.map(([name, { entry }]) => [name, entry])),
    },
    stop: async () => {
      await Promise.all(started.map(([, { child }]) => endTree(child.pid)));
    },
  };
};
