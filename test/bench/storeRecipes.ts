import type { Metric } from './measure.ts';
import { P50, P99, RATE, type Recipe, target } from './recipe.ts';

const VARIANTS = ['sqlite', 'store', 'states'];
const LONGEST: Metric = { key: 'longest', title: 'longest work ms' };
/** Maximum time in the extension host. */
const MAX_BLOCKED_MS = 5;

/** The cost of the store's thread, compared with plain `node:sqlite` with the same durability. */
export const storeRecipes = (dose: number): readonly Recipe[] => {
  const some = (count: number): number => Math.ceil(count * dose);
  const shared = { id: 'store', cores: 'two', repetitions: 5 } as const;
  return [
    {
      ...shared,
      title: 'Durable records of 1 KB, 32 at a time',
      variants: VARIANTS,
      metrics: [RATE],
      compared: [{ metric: 'rate', to: 'sqlite' }],
      targets: ['store', 'states'].map((of) =>
        target('6', `32 at a time, ${of} / bare node:sqlite`, 'rate', { of, to: 'sqlite', atLeast: 0.9 }),
      ),
      procedure: 'concurrent',
      params: { lanes: 32, count: some(10_000), warmUp: some(1_000) },
    },
    {
      ...shared,
      title: 'One durable record of 1 KB at a time',
      variants: ['store', 'states'],
      metrics: [P50, P99, { key: 'bare', title: 'bare p50 µs' }, { key: 'more', title: 'µs more' }],
      targets: ['store', 'states'].map((of) =>
        target('6', `a lone record, ${of}: µs more than bare node:sqlite`, 'more', { of, atMost: 100 }),
      ),
      procedure: 'lone',
      params: { count: some(2_000), warmUp: some(500) },
    },
    {
      ...shared,
      title: 'A flood of records of 1 KB',
      variants: VARIANTS,
      metrics: [RATE, LONGEST],
      compared: [{ metric: 'rate', to: 'sqlite' }],
      targets: [
        // A checkpoint has several rows and a tested patch, so its rate has no target.
        target('6', 'a flood, store / bare node:sqlite one by one', 'rate', {
          of: 'store',
          to: 'sqlite',
          atLeast: 10,
        }),
        ...['store', 'states'].map((of) =>
          target('6', `a flood, ${of}: longest work of the host ms`, 'longest', { of, atMost: MAX_BLOCKED_MS }),
        ),
      ],
      procedure: 'flooded',
      params: { count: some(50_000), warmUp: some(1_000), burst: 64, open: 1_024 },
    },
    {
      ...shared,
      title: 'Opening a file of 100 000 checkpoints',
      variants: ['orderly', 'killed'],
      metrics: [
        { key: 'open', title: 'first answer ms' },
        { key: 'rows', title: 'first rows ms' },
      ],
      targets: ['orderly', 'killed'].map((of) =>
        target('6', `opening 100 000 records, ${of}, ms`, 'open', { of, atMost: 100 }),
      ),
      procedure: 'openLarge',
      // About 4 MB of log. SQLite checkpoints a longer one.
      params: { records: 100_000, logged: 4_500 },
    },
  ];
};
