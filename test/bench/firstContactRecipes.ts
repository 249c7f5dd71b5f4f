import { type Recipe, target } from './recipe.ts';

const SERVERS = ['everything', 'filesystem', 'memory'] as const;

/** The cost of probing a server. */
export const firstContactRecipes = (dose: number): readonly Recipe[] => [
  {
    id: 'first',
    title: 'The first start of a published server over stdio, and the next one',
    variants: SERVERS,
    metrics: [
      { key: 'first', title: 'first ms' },
      { key: 'second', title: 'next ms' },
      { key: 'ratio', title: 'ratio' },
    ],
    targets: SERVERS.map((of) => target('9a', `first start / next start, ${of}`, 'ratio', { of, atMost: 1.2 })),
    repetitions: 3,
    cores: 'two',
    procedure: 'firstContact',
    params: { rounds: Math.ceil(10 * dose) },
  },
];
