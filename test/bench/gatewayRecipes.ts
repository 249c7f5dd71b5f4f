import { type Recipe, target } from './recipe.ts';

/** The added cost of the gateway and its HTTP for a tool call. */
export const gatewayRecipes = (dose: number): readonly Recipe[] => [
  {
    id: 'gateway',
    title: 'What the gateway adds to a tool call, both ends on one core',
    variants: ['stream', 'single'],
    metrics: [
      { key: 'added', title: 'added ms' },
      { key: 'p99', title: 'p99 ms' },
      { key: 'direct', title: 'the host ms' },
      { key: 'through', title: 'the gateway ms' },
    ],
    targets: ['stream', 'single'].map((of) =>
      target('7a', `the gateway adds to a call, ${of}, ms`, 'added', { of, atMost: 1.5 }),
    ),
    repetitions: 5,
    cores: 'one',
    procedure: 'gateway',
    params: { calls: Math.ceil(3_000 * dose), warmUp: 500 },
  },
];
