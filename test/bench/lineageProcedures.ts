import { stratify, tree } from 'd3-hierarchy';
import { LineageLayout } from '../../src/core/states/patches/lineageLayout.ts';
import { type History, HISTORIES, parentsOf } from './lineageHistories.ts';
import type { Params } from './job.ts';
import type { Metrics } from './measure.ts';
import { seededRandom } from './schedule.ts';
import { median } from './statistics.ts';

export type LineageProcedure = (variant: string, params: Params) => Metrics;

const SEED = 1;
const MEGABYTE = 1024 * 1024;
/** Rows per request of a page. */
const WINDOW = 100;

interface Row {
  readonly id: string;
  readonly parentId: string;
}

/** Prepares the input of an engine, which is not measured. The result computes all positions. */
type Engine = (parents: readonly number[]) => () => unknown;

const lanes: Engine = (parents) => () => {
  const layout = new LineageLayout();
  for (const parent of parents) layout.append(parent);
  layout.graphs(layout.rows >> 1, (layout.rows >> 1) + WINDOW);
  return layout;
};

const d3: Engine = (parents) => {
  const rows = parents.map((parent, row): Row => ({ id: String(row), parentId: parent < 0 ? '' : String(parent) }));
  return () => {
    const root = stratify<Row>()
      .id(({ id }) => id)
      .parentId(({ parentId }) => parentId)(rows);
    return tree().nodeSize([1, 1])(root);
  };
};

const ENGINES: Readonly<Record<string, Engine>> = { lanes, d3 };

const number = (params: Params, name: string): number => {
  const value = params[name];
  if (typeof value !== 'number') throw new Error(`The measurement needs the number "${name}".`);
  return value;
};

const historyOf = (name: string | number | undefined): History => {
  const history = HISTORIES[String(name)];
  if (history === undefined) throw new Error(`There is no history "${name}".`);
  return history;
};

/** A second collection frees the garbage found by the first. */
const memory = (): number => {
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return (heapUsed + arrayBuffers) / MEGABYTE;
};

const timed = (work: () => unknown): number => {
  const started = performance.now();
  work();
  return performance.now() - started;
};

const WINDOWS = 500;

/** The time for rows anywhere in the finished layout. */
const windowTime = (layout: LineageLayout): number =>
  median(
    Array.from({ length: WINDOWS }, (_, index) => {
      const from = Math.floor((layout.rows * index) / WINDOWS);
      return timed(() => layout.graphs(from, from + WINDOW)) * 1_000;
    }),
  );

/** The first call, without compiled code, is the wait for the page. */
const layout: LineageProcedure = (variant, params) => {
  const engine = ENGINES[variant];
  if (engine === undefined) throw new Error(`There is no variant "${variant}".`);
  const parents = parentsOf(historyOf(params['history']), number(params, 'count'), seededRandom(SEED));
  const run = engine(parents);
  const before = memory();
  let kept: unknown;
  const first = timed(() => (kept = run()));
  const grown = memory() - before;
  const window = kept instanceof LineageLayout ? { window: windowTime(kept) } : {};
  const again = Array.from({ length: number(params, 'again') }, () => timed(run));
  // Referenced until here, so that it is not collected before it is measured.
  const usual = again.length === 0 ? first : median(again);
  return { first, usual, memory: kept === undefined ? Number.NaN : grown, ...window };
};

export const lineageProcedures: Readonly<Record<string, LineageProcedure>> = { layout };
