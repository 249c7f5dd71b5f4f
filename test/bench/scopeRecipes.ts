import type { Metric } from './measure.ts';
import { type Recipe, target } from './recipe.ts';
import { HARD } from './scopeCases.ts';

const EACH: Metric = { key: 'each', title: 'µs each' };
/** Differ if the variants disagree. */
const COUNTS: readonly Metric[] = [
  { key: 'allowed', title: 'allowed' },
  { key: 'denied', title: 'denied' },
];

/**
 * The cost of scope lists, compared with minimatch for each pattern. All of it takes half a minute; shorter runs would
 * measure the compiler.
 */
export const scopeRecipes = (): readonly Recipe[] => {
  const shared = { id: 'scopes', cores: 'one' } as const;
  return [
    {
      ...shared,
      title: 'Decisions on 50 000 labels over 50 patterns',
      variants: ['loop', 'anyCase', 'picomatch', 'as one', 'lists'],
      metrics: [EACH, ...COUNTS],
      compared: [
        { metric: 'each', to: 'loop' },
        { metric: 'each', to: 'as one' },
      ],
      targets: [
        target('3a', 'a decision / a loop of Minimatch#match', 'each', { of: 'lists', to: 'loop', atMost: 0.6 }),
      ],
      repetitions: 11,
      procedure: 'decisions',
      params: { labels: 50_000, warmUp: 20_000 },
    },
    {
      ...shared,
      title: 'Decisions on 200 labels, again and again',
      variants: ['loop', 'picomatch', 'as one', 'lists'],
      metrics: [EACH, ...COUNTS],
      compared: [
        { metric: 'each', to: 'loop' },
        { metric: 'each', to: 'as one' },
      ],
      targets: [
        target('3a', 'a repeated label / a loop of Minimatch#match', 'each', {
          of: 'lists',
          to: 'loop',
          atMost: 0.02,
        }),
      ],
      repetitions: 7,
      procedure: 'repeated',
      params: { labels: 200, rounds: 2_000 },
    },
    {
      ...shared,
      title: 'Compiling 50 patterns',
      variants: ['loop', 'picomatch', 'as one', 'lists'],
      metrics: [
        { key: 'first', title: 'first ms' },
        { key: 'usual', title: 'ms' },
      ],
      compared: [{ metric: 'usual', to: 'loop' }],
      targets: [],
      repetitions: 7,
      procedure: 'compiling',
      params: { rounds: 200 },
    },
    {
      ...shared,
      title: 'The hardest: 50 patterns of up to 1 024 characters, a label of 4 096',
      variants: Object.keys(HARD),
      metrics: [
        { key: 'judge', title: 'decision ms' },
        { key: 'first', title: 'the first ms' },
        { key: 'compile', title: 'compiling ms' },
      ],
      targets: Object.keys(HARD).map((of) => target('3b', `a decision, ${of}, ms`, 'judge', { of, atMost: 20 })),
      repetitions: 5,
      procedure: 'hard',
      params: { rounds: 5 },
    },
    {
      ...shared,
      title: 'The same for picomatch, which is ended after 4 000 ms',
      variants: Object.keys(HARD),
      metrics: [
        { key: 'judge', title: 'decision ms, or more' },
        { key: 'ended', title: 'ended' },
        { key: 'compile', title: 'compiling ms' },
      ],
      targets: [],
      repetitions: 3,
      procedure: 'hardForPicomatch',
      params: {},
    },
  ];
};
