import { type Recipe, target } from './recipe.ts';

const VARIANTS = ['gatewayText', 'gatewayObjects', 'modelText', 'modelObjects'] as const;

/** The added cost of the search for secrets in a large result, through the gateway and as text for a model. */
export const redactRecipes = (dose: number): readonly Recipe[] => [
  {
    id: 'redact',
    title: 'Results of 10 MB with 12 secrets in the list, beside an empty list',
    variants: VARIANTS,
    metrics: [
      { key: 'without', title: 'empty list ms' },
      { key: 'with', title: '12 secrets ms' },
      { key: 'ratio', title: 'ratio' },
    ],
    targets: VARIANTS.map((of) => target('11a', `12 secrets / none, ${of}`, 'ratio', { of, atMost: 1.05 })),
    repetitions: 5,
    cores: 'two',
    procedure: 'redacted',
    params: { bytes: 10e6, pairs: Math.ceil(30 * dose) },
  },
];
