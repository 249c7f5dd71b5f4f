import { growthMeasure, type GrowthRecipe, type Size } from './growth.ts';
import type { Measure, Metric } from './measure.ts';
import { figure } from './table.ts';

const HEAP: Metric = { key: 'heap', title: 'heap +MB' };
const MEMORY: Metric = { key: 'rss', title: 'memory +MB' };
const LONGEST: Metric = { key: 'longest', title: 'longest work ms' };
const REST = [HEAP, MEMORY, LONGEST];

const sizesOf = (sizes: readonly number[], noun: string): readonly Size[] =>
  sizes.map((size) => ({ name: `${figure(size).replace(/\.0+$/, '')} ${noun}${size === 1 ? '' : 's'}`, size }));

const toolsOf = (sizes: readonly number[], title: string, page: number): Omit<GrowthRecipe, keyof typeof SHARED> => ({
  title,
  sizes: sizesOf(sizes, 'tool'),
  metrics: [
    { key: 'listed', title: 'listed ms' },
    { key: 'refresh', title: 'read again ms' },
    { key: 'call', title: 'a call µs' },
    { key: 'gateway', title: 'listed by the gateway ms' },
    ...REST,
    { key: 'parse', title: 'JSON.parse ms' },
  ],
  costs: ['listed', 'refresh', 'call', 'gateway', 'heap'],
  procedure: 'growingTools',
  params: { page },
});

const SHARED = { id: 'growth', repetitions: 5, cores: 'two' } as const;

/** The growth of the cost per item with the number of items. */
export const growthMeasures = (isQuick: boolean, nodeFlags: readonly string[]): readonly Measure[] => {
  const tools = isQuick ? [10, 300, 3_000] : [10, 1_000, 10_000];
  const records = isQuick ? [10, 3_000, 30_000] : [10, 10_000, 100_000];
  const states = isQuick ? [1e3, 1e5, 1e6] : [1e3, 1e4, 1e5, 1e6, 1e7];
  const recipes: readonly Omit<GrowthRecipe, keyof typeof SHARED>[] = [
    {
      title: 'Servers',
      sizes: sizesOf(isQuick ? [1, 5, 20] : [1, 10, 100], 'server'),
      metrics: [
        { key: 'first', title: 'first start ms' },
        { key: 'again', title: 'later start ms' },
        { key: 'call', title: 'a call µs' },
        { key: 'turn', title: 'a turn ms' },
        { key: 'close', title: 'closed ms' },
        ...REST,
      ],
      costs: ['first', 'again', 'call', 'turn', 'close', 'heap'],
      procedure: 'growingServers',
      params: {},
    },
    toolsOf(tools, 'Tools, 100 a page', 100),
    toolsOf(tools, 'Tools, 1 000 a page', 1_000),
    toolsOf(tools, 'Tools, all on one page', 20_000),
    {
      title: 'Checkpoints',
      sizes: sizesOf(records, 'checkpoint'),
      metrics: [
        { key: 'open', title: 'start-up ms' },
        { key: 'more', title: 'one more ms' },
        { key: 'first', title: 'first rows ms' },
        { key: 'list', title: 'one more, and rows ms' },
        { key: 'search', title: 'search ms' },
        ...REST,
      ],
      costs: ['open', 'more', 'first', 'list', 'search', 'heap'],
      procedure: 'growingCheckpoints',
      params: {},
    },
    {
      title: 'Events',
      sizes: sizesOf(records, 'event'),
      metrics: [
        { key: 'open', title: 'start-up ms' },
        { key: 'more', title: 'one more ms' },
        { key: 'read', title: 'all marked as read ms' },
        { key: 'clear', title: 'all cleared ms' },
        { key: 'kept', title: 'listed' },
        ...REST,
      ],
      costs: ['open', 'more', 'read', 'clear', 'heap'],
      procedure: 'growingEvents',
      params: {},
    },
    {
      title: 'Grants',
      sizes: sizesOf(records, 'grant'),
      metrics: [
        { key: 'open', title: 'start-up ms' },
        { key: 'decide', title: 'a decision ms' },
        { key: 'more', title: 'one more ms' },
        { key: 'revoke', title: 'all taken back ms' },
        { key: 'kept', title: 'listed' },
        ...REST,
      ],
      costs: ['open', 'decide', 'more', 'revoke', 'heap'],
      procedure: 'growingGrants',
      params: {},
    },
    {
      title: 'States',
      sizes: states.map((size) => ({ name: size < 1e6 ? `${size / 1e3} KB` : `${size / 1e6} MB`, size })),
      metrics: [
        { key: 'whole', title: 'one that comes whole ms' },
        { key: 'patch', title: 'a patch ms' },
        { key: 'look', title: 'a call with it ms' },
        { key: 'back', title: 'rollback ms' },
        { key: 'made', title: 'read ms' },
        ...REST,
      ],
      costs: ['whole', 'patch', 'look', 'back', 'made', 'heap'],
      procedure: 'growingStates',
      params: {},
    },
  ];
  return recipes.map((recipe) => growthMeasure({ ...SHARED, ...recipe }, nodeFlags));
};
