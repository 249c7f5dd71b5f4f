import { type Recipe, target } from './recipe.ts';

/** The cost of restoring any of many states, compared with reading a complete one. */
export const stateRecipes = (dose: number): readonly Recipe[] => {
  const shared = {
    id: 'states',
    cores: 'one',
    variants: ['states'],
    metrics: [
      { key: 'make', title: 'p50 ms' },
      { key: 'parse', title: 'JSON.parse ms' },
      { key: 'ratio', title: 'times' },
      { key: 'most', title: 'longest ms' },
      { key: 'memory', title: 'memory' },
      { key: 'file', title: 'file' },
      { key: 'record', title: 'recording µs' },
    ],
    repetitions: 5,
    procedure: 'materialised',
  } as const;
  const targets = (atMost: number): Recipe['targets'] => [
    target('2c', 'any of 10 000 checkpoints / JSON.parse of its state', 'ratio', { of: 'states', atMost }),
    target('2c', 'memory / state and patches', 'memory', { of: 'states', atMost: 3 }),
  ];
  return [
    {
      ...shared,
      title: 'Any of 10 000 states of 94 KB',
      targets: targets(1.8),
      params: { characters: 94_000, checkpoints: 10_000, samples: Math.ceil(1_000 * dose) },
    },
    {
      ...shared,
      title: 'Any of 10 000 states of 10 MB',
      targets: targets(1.4),
      params: { characters: 10_000_000, checkpoints: 10_000, samples: Math.ceil(50 * dose) },
    },
    {
      id: 'states',
      title: 'States of 9 to 12 MB that come, go along with calls and are looked at',
      variants: ['notes', 'text', 'foreign', 'tiny', 'wide'],
      metrics: [
        { key: 'whole', title: 'one that comes whole: longest work ms' },
        { key: 'edit', title: 'a patch to it: longest work ms' },
        { key: 'look', title: 'opened and exported: longest work ms' },
        { key: 'took', title: 'until it is kept ms' },
      ],
      targets: ['notes', 'text', 'foreign', 'tiny', 'wide'].flatMap((of) =>
        ['whole', 'edit', 'look'].map((metric) =>
          target('6', `a state of 10 MB, ${of}, ${metric}: longest work of the host ms`, metric, { of, atMost: 50 }),
        ),
      ),
      cores: 'two',
      repetitions: 5,
      procedure: 'largeStates',
      params: {},
    },
    ...['notes', 'tiny'].map((kind): Recipe => ({
      id: 'states',
      title: `A state of 10 MB (${kind}) that goes along with a call, beside making it text`,
      variants: ['stringify', 'parse', 'pipe', 'host'],
      metrics: [
        { key: 'thread', title: "the thread's CPU ms" },
        { key: 'cpu', title: 'CPU ms' },
        { key: 'took', title: 'ms' },
      ],
      compared: [
        { metric: 'thread', to: 'stringify' },
        { metric: 'thread', to: 'pipe' },
        { metric: 'took', to: 'pipe' },
      ],
      targets: [],
      cores: 'two',
      repetitions: 5,
      procedure: 'stateCalls',
      params: { kind, calls: Math.ceil(15 * dose) },
    })),
  ];
};
