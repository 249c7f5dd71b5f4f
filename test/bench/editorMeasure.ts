import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ensureEditor } from '../harness/editorCache.ts';
import { type HostResult, runInServer } from '../harness/extensionHostRun.ts';
import { Problem } from '../harness/progress.ts';
import { benchFolder, builtExtension, emptyExtension } from './buildPaths.ts';
import { identify, probePath } from './editorRuns.ts';
import { type IdleEntry, startIdleServers } from './idleServers.ts';
import { lastLineAs } from './job.ts';
import type { Measure, Metrics, Target } from './measure.ts';
import type { FiredTimer } from './timerCount.ts';

/** The job of the probe in an extension host. */
export interface EditorJob {
  readonly extension: string;
  readonly folder: string;
  readonly servers: number;
  /** Whether the editor gets the servers. */
  readonly isTold: boolean;
  /** Commands that open views. */
  readonly views: readonly (readonly [command: string, argument?: unknown])[];
  readonly settleMs: number;
  readonly ms: number;
  /** The probe writes `ready` when everything is prepared, and continues when `go` exists. */
  readonly ready: string;
  readonly go: string;
  readonly answer: string;
}

interface Variant {
  readonly folder: string;
  readonly hasServers: boolean;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly views: EditorJob['views'];
}

const TREES: EditorJob['views'] = [['mcpl.approvals.focus'], ['mcpl.events.focus'], ['mcpl.servers.focus']];

/**
 * The editor connects to each contributed server in the same process, and Node's HTTP client checks its clock twice a
 * second while such a connection is open. In `apart` the editor gets no servers. `open` also has views that update: a
 * lineage and a trace.
 */
const variants: Readonly<Record<string, Variant>> = {
  empty: { folder: emptyExtension, hasServers: false, views: [['workbench.view.explorer']] },
  none: { folder: builtExtension, hasServers: false, views: TREES },
  apart: { folder: builtExtension, hasServers: true, settings: { 'mcpl.gateway.transport': 'off' }, views: TREES },
  ten: { folder: builtExtension, hasServers: true, views: TREES },
  open: {
    folder: builtExtension,
    hasServers: true,
    views: [['mcpl.server.showTrace', { server: 'demo' }], ['mcpl.lineage.focus'], ...TREES],
  },
};

interface Answer {
  readonly metrics: Metrics;
  readonly timers: readonly FiredTimer[];
}

interface Running {
  readonly job: EditorJob;
  readonly ended: Promise<HostResult>;
}

const START_MS = 120_000;

const start = async (variant: string, times: Times, entries: Entries, folder: string): Promise<Running> => {
  const { folder: extension, hasServers, settings, views } = variants[variant] ?? { ...variants['empty']! };
  const workspace = join(folder, variant);
  await mkdir(join(workspace, '.vscode'), { recursive: true });
  const all = { ...settings, ...(hasServers ? { 'mcpl.servers': entries } : {}) };
  await writeFile(join(workspace, '.vscode/settings.json'), JSON.stringify(all));
  const job: EditorJob = {
    ...times,
    extension: await identify(extension),
    folder: extension,
    servers: hasServers ? Object.keys(entries).length : 0,
    isTold: settings === undefined,
    views,
    ready: join(folder, `${variant}.ready`),
    answer: join(folder, `${variant}.json`),
    go: join(folder, 'go'),
  };
  const ended = runInServer(await ensureEditor(), {
    index: probePath('editorProbe'),
    env: { MCPL_BENCH_JOB: JSON.stringify(job) },
    extensions: [extension],
    workspace,
    timeoutMs: START_MS * 5 + times.ms,
  });
  let isOver = false;
  void ended.finally(() => (isOver = true));
  for (const limit = Date.now() + START_MS; !existsSync(job.ready) && Date.now() < limit && !isOver;) await delay(100);
  if (!existsSync(job.ready))
    throw new Problem(`The editor did not get ready ("${variant}").`, isOver ? (await ended).log : '');
  return { job, ended };
};

const answerOf = async ({ job, ended }: Running): Promise<Metrics> => {
  const { code, log } = await ended;
  const answer = code === 0 ? lastLineAs<Answer>(await readFile(job.answer, 'utf8')) : undefined;
  if (answer === undefined) throw new Problem('The editor did not tell what it cost.', log);
  return answer.metrics;
};

/**
 * The editors start one after the other, and then all idle at the same time: disturbances of the machine affect all of
 * them, but not their starts.
 */
const repeat = async (order: readonly string[], times: Times): Promise<Readonly<Record<string, Metrics>>> => {
  await mkdir(benchFolder, { recursive: true });
  const folder = await mkdtemp(join(benchFolder, 'editor-'));
  const servers = await startIdleServers();
  const running: Record<string, Running> = {};
  try {
    for (const variant of order) running[variant] = await start(variant, times, servers.entries, folder);
    await writeFile(join(folder, 'go'), '');
    const measured = await Promise.all(
      Object.entries(running).map(async ([variant, each]) => [variant, await answerOf(each)] as const),
    );
    return besideEmpty(Object.fromEntries(measured));
  } finally {
    // Releases those that still wait after a failure of another one.
    await writeFile(join(folder, 'go'), '');
    await Promise.allSettled(Object.values(running).map(({ ended }) => ended));
    await servers.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
};

const besideEmpty = (all: Readonly<Record<string, Metrics>>): Readonly<Record<string, Metrics>> => {
  const more = (metrics: Metrics, key: string, than = 'empty'): number =>
    (metrics[key] ?? NaN) - (all[than]?.[key] ?? NaN);
  return Object.fromEntries(
    Object.entries(all).map(([variant, metrics]) => [
      variant,
      {
        ...metrics,
        addedCpu: more(metrics, 'cpu'),
        serversCpu: more(metrics, 'cpu', 'none'),
        addedHeap: more(metrics, 'heap'),
        addedRss: more(metrics, 'rss'),
      },
    ]),
  );
};

/** Relative to the same editor without servers, because the cost of a wake-up doubles at some hours. */
const MOST = { apart: 1.25, ten: 2 };

type Times = Pick<EditorJob, 'settleMs' | 'ms'>;
type Entries = Readonly<Record<string, IdleEntry>>;

const target = (what: string, metric: string, of: string, limits: Pick<Target, 'to' | 'atMost'>): Target => ({
  id: 'idle',
  what: `editor, ${what}`,
  metric,
  of,
  ...limits,
});

export const editorMeasure = (quick: boolean): Measure => ({
  id: 'editor',
  title: 'The extension host of an editor in which nobody does anything, beside one with an empty extension',
  variants: Object.keys(variants),
  metrics: [
    { key: 'start', title: 'read at start KB' },
    { key: 'read', title: 'read in all KB' },
    { key: 'addedHeap', title: 'heap +MB' },
    { key: 'addedRss', title: 'RSS +MB' },
    { key: 'rss', title: 'RSS MB' },
    { key: 'cpu', title: 'CPU ms a minute' },
    { key: 'addedCpu', title: '+ms to empty' },
    { key: 'serversCpu', title: '+ms to none' },
    { key: 'timers', title: 'all timers a minute' },
    { key: 'ours', title: 'our timers a minute' },
    { key: 'busiest', title: 'our busiest a second' },
    { key: 'short', title: 'ours under 1 s' },
  ],
  compared: [],
  targets: [
    target('CPU with ten idle servers / with none', 'cpu', 'apart', { to: 'none', atMost: MOST.apart }),
    target('CPU with ten idle servers and connections to them / with none', 'cpu', 'ten', {
      to: 'none',
      atMost: MOST.ten,
    }),
    target('busiest timer of ours with ten idle servers: each second', 'busiest', 'ten', { atMost: 1 }),
    target('busiest timer of ours with pages open: each second', 'busiest', 'open', { atMost: 1 }),
    target('timers of ours of less than a second: a minute', 'short', 'ten', { atMost: 0 }),
  ],
  repetitions: 3,
  repeat: (order) => repeat(order, { settleMs: quick ? 15_000 : 30_000, ms: quick ? 10_000 : 60_000 }),
});
