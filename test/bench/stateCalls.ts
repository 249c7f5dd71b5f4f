import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { benchFolder } from './buildPaths.ts';
import { startHost } from './clients/host.ts';
import type { Params } from './job.ts';
import type { Metrics } from './measure.ts';
import { median } from './statistics.ts';

const server = fileURLToPath(new URL('../node/fixtures/largeStateServer.mjs', import.meta.url));

/** The kinds of states that the server creates. */
const KINDS: Readonly<Record<string, () => unknown>> = {
  notes: () => Array.from({ length: 40_000 }, (_, i) => ({ id: i, text: `${'words '.repeat(36)}${i}` })),
  tiny: () => Array.from({ length: 1_100_000 }, (_, i) => ({ a: i % 10 })),
};

interface Carrier {
  /** One call with its answer. */
  readonly carry: () => Promise<unknown>;
  readonly close: () => Promise<void>;
}

const atHand = (work: () => unknown): Carrier => ({ carry: async () => work(), close: async () => undefined });

/** The plain pipe without host and checks. The state is serialized with the call. */
const overPipe = (kind: string, state: object): Carrier => {
  const child = spawn(process.execPath, [server, kind], { stdio: ['pipe', 'pipe', 'inherit'] });
  const answers = createInterface({ input: child.stdout });
  let id = 0;
  return {
    carry: () => {
      const answered = new Promise((resolve) => answers.once('line', (line) => resolve(JSON.parse(line))));
      const params = { name: 'edit', arguments: {}, state };
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: ++id, method: 'tools/call', params })}\n`);
      return answered;
    },
    close: () =>
      new Promise((resolve) => {
        child.once('close', () => resolve());
        child.stdin.end();
      }),
  };
};

/** The shipped host with its store on disk: each call sends the state and returns a patch. */
const overHost = async (kind: string): Promise<Carrier> => {
  mkdirSync(benchFolder, { recursive: true });
  const folder = mkdtempSync(join(benchFolder, 'state-'));
  const large = {
    command: process.execPath,
    args: [server, kind],
    protocol: { era: 'legacy' },
    featureSets: { enabled: ['*'] },
  };
  const host = await startHost({ large }, { storageFile: join(folder, 'mcpl.sqlite') });
  const call = (tool: string): Promise<unknown> => host.callTool({ server: 'large', tool, args: {}, route: 'api' });
  await call('whole');
  return {
    carry: () => call('edit'),
    close: async () => {
      await host.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};

const open = (variant: string, kind: string): Carrier | Promise<Carrier> => {
  const all = KINDS[kind]?.();
  if (variant === 'host') return overHost(kind);
  const state = { n: 1, all };
  if (variant === 'pipe') return overPipe(kind, state);
  const text = JSON.stringify(state);
  return atHand(variant === 'parse' ? () => JSON.parse(text) : () => JSON.stringify(state));
};

const WARM_UP = 3;

const ms = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1_000;

/** The time on this thread, on all threads and on the clock for a call with a state of 10 MB. */
export const stateCalls = async (variant: string, { kind, calls }: Params): Promise<Metrics> => {
  const carrier = await open(variant, String(kind));
  const count = Number(calls);
  for (let i = 0; i < WARM_UP; i++) await carrier.carry();
  const took: number[] = [];
  const [thread, cpu] = [process.threadCpuUsage(), process.cpuUsage()];
  for (let i = 0; i < count; i++) {
    const before = performance.now();
    await carrier.carry();
    took.push(performance.now() - before);
  }
  const metrics = { thread: ms(process.threadCpuUsage(thread)) / count, cpu: ms(process.cpuUsage(cpu)) / count };
  await carrier.close();
  return { ...metrics, took: median(took) };
};
