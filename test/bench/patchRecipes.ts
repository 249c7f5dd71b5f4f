import { EXTRAS } from '../fixtures/patches/extras.ts';
import { SPECIFICATION, SUITE } from '../fixtures/patches/suite.ts';
import type { Target } from './measure.ts';
import { SIZES } from './patchCases.ts';
import { type Recipe, target } from './recipe.ts';

const suites = { suite: SUITE, specification: SPECIFICATION, extras: EXTRAS };
const titles = { suite: 'public suite', specification: 'RFC 6902', extras: 'extras' };
const parts = ['suite', 'specification', 'extras'] as const;

/** With and without `validate`. */
const FAST = ['fast-json-patch', 'fast, no validate'] as const;

const conformance: Recipe = {
  id: 'patches',
  title: 'Cases of JSON Patch that come out right; a refused patch must have done nothing',
  variants: ['rfc6902', ...FAST, 'state'],
  metrics: parts.map((key) => ({ key, title: `${titles[key]}: of ${suites[key].length}` })),
  targets: parts.map((key) =>
    target('2a', `cases right, ${titles[key]}`, key, { of: 'state', atLeast: suites[key].length }),
  ),
  repetitions: 1,
  cores: 'one',
  procedure: 'patchSuite',
  params: {},
};

/** Enough for a clock that counts CPU time in milliseconds. */
const CLONES: Readonly<Record<string, number>> = { '1 KB': 3_000, '10 MB': 3 };

const applying = (size: string, characters: number, targets: readonly Target[]): Recipe => ({
  id: 'patches',
  title: `Patches of 1 to 3 operations on a state of ${size}; rfc6902 and fast-json-patch take nothing back`,
  variants: ['rfc6902', ...FAST, 'JSON.parse', 'JSON.stringify', 'clone', 'state'],
  metrics: [
    { key: 'each', title: 'CPU µs each' },
    // Differs if the variants disagree. Fewer patches are applied to clones.
    { key: 'left', title: 'characters left' },
  ],
  compared: [
    { metric: 'each', to: 'rfc6902' },
    { metric: 'each', to: 'fast-json-patch' },
    { metric: 'each', to: 'clone' },
  ],
  targets: [
    target('2b', `a patch at ${size} / rfc6902`, 'each', { of: 'state', to: 'rfc6902', atMost: 1.6 }),
    ...targets,
  ],
  repetitions: 5,
  cores: 'one',
  procedure: 'patching',
  params: { characters, patches: 10_000, clones: CLONES[size] ?? 100, rounds: characters > 1e6 ? 5 : 9 },
});

/** The cost of patches, compared with libraries that neither stop at an error nor undo anything. */
export const patchRecipes = (): readonly Recipe[] => [
  conformance,
  ...Object.entries(SIZES).map(([size, characters]) =>
    applying(
      size,
      characters,
      characters === 100_000
        ? [target('2b', `a patch at ${size} / clone and apply`, 'each', { of: 'state', to: 'clone', atMost: 0.01 })]
        : [],
    ),
  ),
];
