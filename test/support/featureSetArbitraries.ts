import fc from 'fast-check';
import type { FeatureSetSettings } from '../../src/core/model/mcpl.ts';

/** Few segments, so that names and patterns often match. */
export const featureSetName: fc.Arbitrary<string> = fc
  .array(fc.constantFrom('a', 'b'), { minLength: 1, maxLength: 3 })
  .map((segments) => segments.join('.'));

export const featureSetPattern: fc.Arbitrary<string> = fc.oneof(
  featureSetName,
  featureSetName.map((name) => `${name}.*`),
  fc.constant('*'),
);

const patterns: fc.Arbitrary<string[]> = fc.uniqueArray(featureSetPattern, { maxLength: 4 });

export const featureSetSettings: fc.Arbitrary<FeatureSetSettings> = fc.record({
  enabled: patterns,
  disabled: patterns,
});
