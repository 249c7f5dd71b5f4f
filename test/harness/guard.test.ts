import assert from 'node:assert/strict';
import { decisionOf, guard, outcomeText } from '../bench/guard.ts';
import { guardedPair, type Pair, PAIRS } from '../bench/guardMeasures.ts';
import { inProject } from './paths.ts';

/**
 * The same with few messages. Runs this project's connection from its sources, because bundles are being built
 * meanwhile.
 */
const smallPair = (): Pair => {
  const [pair] = PAIRS.filter(({ id }) => id === 'rt');
  assert.ok(pair !== undefined);
  return { ...pair, of: 'peer', params: { calls: 200, warmUp: 20 } };
};

const options = { jobMs: () => 30_000, random: () => 0 };
const burden = ['--import', inProject('test/bench/guardBurden.mjs')];

suite('The guard of the figures, with real processes', () => {
  test('fails if each message costs more, three times in a row', async () => {
    const [outcome] = await guard([guardedPair(smallPair(), { ...options, ourFlags: burden })], () => true);
    assert.ok(outcome !== undefined);
    assert.equal(decisionOf(outcome), 'lost', outcomeText(outcome));
    assert.equal(outcome.tries.length, 3);
  });

  test('fails with the log of a measurement that crashes', async () => {
    const [outcome] = await guard([guardedPair({ ...smallPair(), of: 'nobody' }, options)], () => true);
    assert.ok(outcome !== undefined);
    assert.equal(decisionOf(outcome), 'broken');
    assert.match(
      outcome.broken ?? '',
      /There is no variant "nobody"\.[^]*"roundTrip" of "nobody" ended with exit code 1\./,
    );
  });

  test('ends a measurement that takes too long', async () => {
    const [outcome] = await guard([guardedPair(smallPair(), { ...options, jobMs: () => 50 })], () => true);
    assert.ok(outcome !== undefined);
    assert.equal(decisionOf(outcome), 'broken');
    assert.match(outcome.broken ?? '', /Stopped: it took longer than 0\.05 s\./);
  });
});
