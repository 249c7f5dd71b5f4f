import { spawn } from 'node:child_process';
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createNodeHost } from '../../src/cli/nodeHost.ts';
import { type Host, type JsonObject, messageOf } from '../../src/core/index.ts';
import { inProject } from '../harness/paths.ts';
import { endTree, freePort, isAlive, processTree, track } from '../harness/processes.ts';
import { installServers, scriptOf, versionOf } from './install.ts';
import { type Call, type PublishedServer, type RemoteStart, servers } from './servers.ts';

/** A line of docs/interop.md, and its duration. */
export interface InteropResult {
  readonly cells: readonly string[];
  readonly problems: readonly string[];
  readonly startMs: number;
}

const SUBJECT = 'subject';

interface Running {
  readonly entry: JsonObject;
  readonly stop: () => Promise<void>;
}

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });

const overStdio = (server: PublishedServer, workspace: string): Running => {
  const args = [scriptOf(server.name, server.script), ...(server.args?.(workspace) ?? [])];
  const env = server.env?.(workspace) ?? {};
  return { entry: { command: process.execPath, args, env, cwd: workspace }, stop: () => Promise.resolve() };
};

const overNetwork = async (server: PublishedServer, remote: RemoteStart, workspace: string): Promise<Running> => {
  const port = await freePort();
  const loopback = inProject('test/servers/loopbackOnly.mjs');
  const args = ['--import', loopback, scriptOf(server.name, remote.script), ...remote.args(port)];
  const env = { ...process.env, ...server.env?.(workspace), PORT: String(port) };
  const child = track(spawn(process.execPath, args, { cwd: workspace, env, stdio: 'ignore' }));
  const stop = (): Promise<void> => endTree(child.pid);
  const limit = Date.now() + 20_000;
  while (!(await answers(port))) {
    if (child.exitCode !== null || Date.now() > limit) {
      await stop();
      throw new Error('The server did not begin to listen.');
    }
    await delay(50);
  }
  return { entry: { url: `http://127.0.0.1:${port}${remote.path}` }, stop };
};

const callOnce = async (host: Host, call: Call | undefined, workspace: string): Promise<string> => {
  if (call === undefined) return '–';
  const { tool, args, expect } = call;
  const { modelText } = await host.callTool({ server: SUBJECT, tool, args: args(workspace), route: 'api' });
  if (!expect.test(modelText)) throw new Error(`${tool} answered ${JSON.stringify(modelText.slice(0, 200))}.`);
  return `\`${tool}\``;
};

interface Facts {
  readonly pid: number | undefined;
  readonly cells: readonly string[];
}

const factsOf = (host: Host): Facts => {
  const { state, tools, resources, templates, prompts } = host.server(SUBJECT) ?? {};
  if (state?.kind !== 'running') throw new Error(`It is ${state?.kind}.`);
  const { connection, protocolVersion, pid } = state;
  const counts = [tools, resources, templates, prompts].map((list) => String(list?.length ?? 0));
  return { pid, cells: [connection.transport, connection.era, protocolVersion, ...counts] };
};

const gone = async (pids: readonly number[]): Promise<void> => {
  const limit = Date.now() + 3_000;
  while (pids.some(isAlive) && Date.now() < limit) await delay(20);
  const left = pids.filter(isAlive);
  if (left.length > 0) throw new Error(`${left.length} of its processes did not end.`);
};

const useIt = async (
  server: PublishedServer,
  entry: JsonObject,
  workspace: string,
): Promise<{ readonly cells: readonly string[]; readonly startMs: number }> => {
  const host = createNodeHost({
    // Some servers have tools only for hosts with a model.
    sampler: { canUseTools: false, sample: () => Promise.resolve({ kind: 'declined' }) },
    servers: { [SUBJECT]: entry },
    folders: [workspace],
    // Its working folder is the open folder.
    onStartQuestion: () => Promise.resolve('start'),
  });
  let pids: readonly number[] = [];
  try {
    const started = Date.now();
    await host.start(SUBJECT);
    const startMs = Date.now() - started;
    const { pid } = factsOf(host);
    if (pid !== undefined) pids = processTree(pid);
    await host.refresh(SUBJECT);
    const { cells } = factsOf(host);
    return { cells: [...cells, await callOnce(host, server.call, workspace)], startMs };
  } finally {
    await host.close();
    await gone(pids);
  }
};

const tryOne = async (server: PublishedServer, remote: RemoteStart | undefined): Promise<InteropResult> => {
  const workspace = await realpath(await mkdtemp(join(tmpdir(), 'mcpl-interop-')));
  const head = [server.name.replace(/-\d[\d.]*$/, '').replace(/^server-everything$/, '@modelcontextprotocol/$&')];
  const version = await versionOf(server.name);
  let running: Running | undefined;
  try {
    server.prepare?.(workspace);
    running = remote === undefined ? overStdio(server, workspace) : await overNetwork(server, remote, workspace);
    const { cells, startMs } = await useIt(server, running.entry, workspace);
    const wanted = remote?.transport ?? 'stdio';
    const problems = cells[0] === wanted ? [] : [`It was spoken to over ${cells[0]} instead of ${wanted}.`];
    return { cells: [...head, version, ...cells], problems, startMs };
  } catch (error) {
    return { cells: [...head, version, remote?.transport ?? 'stdio'], problems: [messageOf(error)], startMs: 0 };
  } finally {
    await running?.stop();
    await rm(workspace, { recursive: true, force: true, maxRetries: 5 });
  }
};

export interface InteropOptions {
  /** Only the servers that the project depends on anyway. */
  readonly quick: boolean;
  readonly only?: string | undefined;
}

/** One after the other, so that leftovers of one server are not attributed to another. */
export const runInterop = async (
  { quick, only }: InteropOptions,
  tell: (result: InteropResult) => void = () => undefined,
): Promise<readonly InteropResult[]> => {
  if (!quick) await installServers();
  const results: InteropResult[] = [];
  const chosen = servers.filter(({ name, isQuick }) => (!quick || isQuick) && name.includes(only ?? ''));
  for (const server of chosen) {
    for (const remote of [undefined, ...(server.remote ?? [])]) {
      const result = await tryOne(server, remote);
      results.push(result);
      tell(result);
    }
  }
  return results;
};

const HEAD = [
  'Server',
  'Version',
  'Transport',
  'Era',
  'Revision',
  'Tools',
  'Resources',
  'Templates',
  'Prompts',
  'Called',
] as const;

const page = inProject('docs/interop.md');

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

const intro = `# Servers that others wrote

What the host speaks with servers published on npm, as \`npm run interop\` found it: each is connected over every transport that it has, with the settings'
defaults, its lists are read, and one tool is called that works without a network. A dash is a server of which no tool does.

`;

/** Rewrites docs/interop.md. Its content does not change between runs. */
export const writePage = async (results: readonly InteropResult[]): Promise<void> => {
  const lines = [row(HEAD), row(HEAD.map(() => '---')), ...results.map(({ cells }) => row(cells))];
  await writeFile(page, `${intro}${lines.join('\n')}\n`);
};

const bare = (line: string): string => line.replaceAll(/\s+/g, ' ').trim();

/** The missing rows of a page, regardless of padding. */
export const rowsMissingIn = (text: string, rows: readonly (readonly string[])[]): readonly string[] => {
  const known = new Set(text.split('\n').map(bare));
  return rows.map(row).filter((line) => !known.has(bare(line)));
};

/** The missing rows of docs/interop.md. */
export const unknownToPage = async (results: readonly InteropResult[]): Promise<readonly string[]> =>
  rowsMissingIn(
    await readFile(page, 'utf8').catch(() => ''),
    results.map(({ cells }) => cells),
  );
