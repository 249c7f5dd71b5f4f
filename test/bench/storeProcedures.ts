import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { NO_LOG, type Storage } from '../../src/core/index.ts';
import { openStore } from '../../src/node/store/sqliteStore.ts';
import { AUDIT_INSERT } from '../../src/node/store/auditRows.ts';
import { openDatabase } from '../../src/node/store/database.ts';
import { benchFolder, builtExtension } from './buildPaths.ts';
import type { Params } from './job.ts';
import { largeStates } from './largeStates.ts';
import { stateCalls } from './stateCalls.ts';
import type { Metrics } from './measure.ts';
import { median, percentile } from './statistics.ts';

/** Measures the store without a server. */
export type StoreProcedure = (variant: string, params: Params) => Promise<Metrics>;

/** Adds a record of about a kilobyte. Resolves when it is on disk. */
type Append = () => Promise<void> | void;

interface Appender {
  readonly append: Append;
  close(): Promise<void>;
}

const DETAIL = 'Lorem ipsum dolor sit amet. '.repeat(33);
const STATE = JSON.stringify({ notes: 'Lorem ipsum dolor sit amet. '.repeat(28) });
const NOTES = { server: 'bench', featureSet: 'bench.notes' };

const number = (params: Params, name: string): number => {
  const value = params[name];
  if (typeof value !== 'number') throw new Error(`The measurement needs the number "${name}".`);
  return value;
};

/** On the project's disk, because a temporary folder may be in memory, which is not durable. */
const inFolder = async (work: (folder: string) => Promise<Metrics>): Promise<Metrics> => {
  mkdirSync(benchFolder, { recursive: true });
  const folder = mkdtempSync(join(benchFolder, 'store-'));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

const worker = (): string | URL => {
  const built = join(builtExtension, 'dist/storeWorker.js');
  return existsSync(built) ? built : new URL('../../src/node/store/storeWorker.ts', import.meta.url);
};

const openThread = (file: string): Storage => openStore({ file, workerPath: worker(), log: NO_LOG });

const appenders: Readonly<Record<string, (file: string) => Appender>> = {
  /** Plain `node:sqlite`: the same row, durable on its own. */
  sqlite: (file) => {
    const { database } = openDatabase(file);
    const insert = database.prepare(`INSERT ${AUDIT_INSERT}`);
    return {
      append: () => void insert.run(Date.now(), 'bench', 'push/event', 'bench.notes', null, 'success', 0, DETAIL, null),
      close: async () => database.close(),
    };
  },
  store: (file) => {
    const store = openThread(file);
    const record = { server: 'bench', operation: 'push/event', featureSet: 'bench.notes', outcome: 'success' } as const;
    const rest = { inferenceId: undefined, durationMs: 0, detail: DETAIL, tokens: undefined };
    return {
      append: () => store.audit.append([{ at: Date.now(), ...record, ...rest }]),
      close: () => store.close(),
    };
  },
  /** Including all decisions about a checkpoint. */
  states: (file) => {
    const { states, ...store } = openThread(file);
    let last = 0;
    return {
      append: async () => {
        await states.record({
          ...NOTES,
          conversation: undefined,
          keeper: 'host',
          checkpoint: `checkpoint-${++last}`,
          parent: undefined,
          base: undefined,
          cause: 'call',
          body: { kind: 'data', text: STATE },
          at: Date.now(),
          tool: 'write',
          args: undefined,
        });
      },
      close: () => store.close(),
    };
  },
};

const openAppender = (variant: string, folder: string): Appender => {
  const open = appenders[variant];
  if (open === undefined) throw new Error(`There is no variant "${variant}".`);
  return open(join(folder, `${variant}.sqlite`));
};

const rateOf = async (count: number, work: () => Promise<unknown>): Promise<number> => {
  const started = performance.now();
  await work();
  return (count / (performance.now() - started)) * 1_000;
};

/** One per lane at a time: each waits until its own record is on disk. */
const concurrent: StoreProcedure = (variant, params) =>
  inFolder(async (folder) => {
    const { append, close } = openAppender(variant, folder);
    const run = async (count: number): Promise<void> => {
      let left = count;
      const lane = async (): Promise<void> => {
        while (left-- > 0) await append();
      };
      await Promise.all(Array.from({ length: number(params, 'lanes') }, lane));
    };
    await run(number(params, 'warmUp'));
    const count = number(params, 'count');
    const rate = await rateOf(count, () => run(count));
    await close();
    return { rate };
  });

/** One at a time, alternating with a bare one, so that a slow disk affects both. */
const lone: StoreProcedure = (variant, params) =>
  inFolder(async (folder) => {
    const bare = openAppender('sqlite', folder);
    const measured = openAppender(variant, folder);
    const took = async (append: Append): Promise<number> => {
      const started = performance.now();
      await append();
      return (performance.now() - started) * 1_000;
    };
    const alone: number[] = [];
    const threaded: number[] = [];
    for (let i = 0; i < number(params, 'count') + number(params, 'warmUp'); i++) {
      const pair = [await took(bare.append), await took(measured.append)] as const;
      if (i < number(params, 'warmUp')) continue;
      alone.push(pair[0]);
      threaded.push(pair[1]);
    }
    await Promise.all([bare.close(), measured.close()]);
    const times = { bare: median(alone), p50: median(threaded), p99: percentile(threaded, 0.99) };
    return { ...times, more: times.p50 - times.bare };
  });

const threadMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

/** Requests in each turn of the event loop, like busy servers, with as many open requests as a few servers may have. */
const flooded: StoreProcedure = (variant, params) =>
  inFolder(async (folder) => {
    const { append, close } = openAppender(variant, folder);
    for (let i = 0; i < number(params, 'warmUp'); i++) await append();
    const count = number(params, 'count');
    let sent = 0;
    let kept = 0;
    const one = async (): Promise<void> => {
      sent++;
      await append();
      kept++;
    };
    let longest = 0;
    let last = threadMs();
    let lastAt = performance.now();
    // Only CPU time of this thread, because other programs cause the rest of a stall. Linux counts in steps of 4 ms,
    // some of them from earlier turns, so a turn never counts more than its duration.
    const ticks = setInterval(() => {
      const now = threadMs();
      const at = performance.now();
      longest = Math.max(longest, Math.min(now - last, at - lastAt));
      last = now;
      lastAt = at;
    }, 1);
    const rate = await rateOf(count, async () => {
      let newest: Promise<void> = Promise.resolve();
      while (sent < count) {
        for (let i = 0; i < number(params, 'burst') && sent - kept < number(params, 'open'); i++) newest = one();
        await new Promise((resolve) => setImmediate(resolve));
      }
      // Answers come in the order of the requests.
      await newest;
    });
    clearInterval(ticks);
    await close();
    return { rate, longest };
  });

/** A lineage of many checkpoints with separate states. */
const fill = (database: DatabaseSync, count: number): void =>
  database.exec(
    `BEGIN;
     INSERT INTO lineages (id, server, feature_set, keeper, head, count, size, version, changed_at)
       VALUES (1, 'bench', 'bench.notes', 'host', ${count}, ${count}, ${count * 802}, ${count}, 1);
     WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
     INSERT INTO checkpoints (lineage, checkpoint, copy, parent, link, form, at, tool, size, state_size, body)
       SELECT 1, 'chk_' || i, 1, nullif(i - 1, 0), 'named', 'data', i, 'edit', 802, 802, '"' || printf('%.800c', 'x') || '"'
       FROM n;
     COMMIT`,
  );

/** From the first request to its answer, including the start of the thread; only the file; and the first rows. */
const opened = async (file: string): Promise<Metrics> => {
  const started = performance.now();
  const store = openThread(file);
  const [lineage] = await store.states.lineages();
  const open = performance.now() - started;
  const looked = performance.now();
  const { total } = await store.states.window({ ...NOTES, filter: { text: '', only: 'all' }, from: 0, count: 100 });
  const rows = performance.now() - looked;
  if (lineage === undefined || total !== lineage.count) throw new Error('The lineage is not whole.');
  await store.close();
  return { open, rows };
};

/** `killed`: with the longest write-ahead log that a killed process can leave. */
const openLarge: StoreProcedure = (variant, params) =>
  inFolder(async (folder) => {
    const file = join(folder, 'large.sqlite');
    const { database } = openDatabase(file);
    fill(database, number(params, 'records'));
    database.close();
    if (variant === 'orderly') return opened(file);
    const writer = openDatabase(file).database;
    writer.exec('PRAGMA wal_autocheckpoint = 0');
    writer.exec(`UPDATE checkpoints SET at = 1 WHERE place <= ${number(params, 'logged')}`);
    const killed = join(folder, 'killed.sqlite');
    for (const suffix of ['', '-wal']) copyFileSync(`${file}${suffix}`, `${killed}${suffix}`);
    writer.close();
    return opened(killed);
  });

export const storeProcedures: Readonly<Record<string, StoreProcedure>> = {
  concurrent,
  lone,
  flooded,
  openLarge,
  largeStates,
  stateCalls,
};
