import assert from 'node:assert/strict';
import { PatchableState } from '../../../../../src/core/states/patches/patches.ts';
import { EXTRAS } from '../../../../fixtures/patches/extras.ts';
import { type PatchCase, titleOf } from '../../../../fixtures/patches/patchCase.ts';
import { SPECIFICATION, SUITE } from '../../../../fixtures/patches/suite.ts';

/** Tables are shared by tests, and states are changed in place. */
const copyOf = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

const check = ({ document, patch, result }: PatchCase): void => {
  const before = JSON.stringify(document);
  const given = copyOf(patch);
  const state = new PatchableState(copyOf(document), before.length);
  const outcome = state.apply(given);
  assert.deepEqual(given, copyOf(patch), 'the patch is left alone');
  if (result === undefined) {
    assert.equal(outcome.kind, 'refused');
    assert.equal(JSON.stringify(state.value), before);
    return;
  }
  assert.deepEqual(outcome.kind === 'refused' ? outcome.problem : '', '');
  assert.deepEqual(state.value, result.value);
  if (outcome.kind === 'applied') outcome.undo();
  assert.equal(JSON.stringify(state.value), before);
};

suite('Patches: the public suite of JSON Patch', () => {
  test('the tables are complete', () => {
    const refused = (cases: readonly PatchCase[]): number => cases.filter(({ result }) => result === undefined).length;
    assert.deepEqual([SUITE.length, refused(SUITE)], [92, 30]);
    assert.deepEqual([SPECIFICATION.length, refused(SPECIFICATION)], [16, 4]);
  });

  for (const one of [...SUITE, ...SPECIFICATION]) test(titleOf(one), () => check(one));
});

suite('Patches: what the public suite does not ask', () => {
  for (const one of EXTRAS) test(titleOf(one), () => check(one));
});
