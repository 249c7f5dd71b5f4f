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

/** A measurement of the store, without a server. */
export type StoreProcedure = (variant: string, params: Params) => Promise<Metrics>;

/** Adds one record of about a kilobyte; resolves when it is on disk. */
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

/** On the disk of the project: a temporary folder may lie in memory, where nothing is ever durable. */
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
  /** Nothing but `node:sqlite`: the same row, durable by itself. */
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
  /** With all that is decided about a checkpoint before it is kept. */
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

/** As many at a time as lanes: each waits until its own is on disk. */
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

/** One at a time, and each beside a bare one: a disk that is slow for a moment is so for both. */
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

/**
 * Whatever comes is asked for at once, some of it in each turn of the loop, as servers do that have much to say; as
 * many wait for an answer as a few servers may have open.
 */
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
    // Only the time in which this thread worked: on a busy machine the rest of a stall is somebody else's. Linux counts
    // that in steps of 4 ms, some of them of earlier turns: no turn worked longer than it took.
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
      // They are answered in the order in which they are asked for.
      await newest;
    });
    clearInterval(ticks);
    await close();
    return { rate, longest };
  });

/** A lineage of many checkpoints, each with a state of its own. */
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

/** From the first question to its answer, the start of the thread included; the file alone; and the first rows. */
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

/** `killed`: with the log that whoever was killed left, as long as it ever becomes. */
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
