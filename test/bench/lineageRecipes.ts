import { type Recipe, target } from './recipe.ts';

const laidOut = (
  title: string,
  params: Recipe['params'],
  targets: Recipe['targets'],
  repetitions: number,
  variants: readonly string[] = ['d3', 'lanes'],
): Recipe => ({
  id: 'lineage',
  title: `Layout: ${title}`,
  variants,
  metrics: [
    { key: 'first', title: 'first ms' },
    { key: 'usual', title: 'again ms' },
    { key: 'memory', title: 'memory +MB' },
    { key: 'window', title: '100 rows µs' },
  ],
  compared: variants.includes('d3') ? [{ metric: 'first', to: 'd3' }] : [],
  targets,
  repetitions,
  // A first call is compiled in parallel.
  cores: 'two',
  procedure: 'layout',
  params,
});

const quickly = (id: string, what: string, atMost: number): Recipe['targets'][number] =>
  target(id, `${what} / d3-hierarchy`, 'first', { of: 'lanes', to: 'd3', atMost });

const LARGE = 100_000;
/** Maximum memory for 100,000 rows. */
const MAX_MB = 6;

const small = (history: string): Recipe['targets'] => [
  target('4a', `100 000 checkpoints (${history}): memory +MB`, 'memory', { of: 'lanes', atMost: MAX_MB }),
];

/** The layout of checkpoints, compared with a common tree layout. */
export const lineageRecipes = (): readonly Recipe[] => [
  laidOut(
    '10 000 checkpoints of a usual history',
    { history: 'usual', count: 10_000, again: 5 },
    [quickly('4a', '10 000 checkpoints', 0.1)],
    // Two milliseconds, half of them for compilation, so the median needs many repetitions.
    25,
  ),
  laidOut(
    '100 000 checkpoints one after the other',
    { history: 'chain', count: LARGE, again: 0 },
    [quickly('4a', 'a chain of 100 000', 0.01), ...small('a chain')],
    // Half a minute for the other one, and a thousandth of it for ours.
    1,
  ),
  ...['usual', 'star', 'comb'].map((history) =>
    laidOut(`100 000 checkpoints (${history})`, { history, count: LARGE, again: 5 }, small(history), 3, ['lanes']),
  ),
];
