import assert from 'node:assert/strict';
import { type FeatureSet, rightsOf } from '../../../../src/core/model/mcpl.ts';
import { stillAsShown } from '../../../../src/editor/featureSets/featureSetChanges.ts';

const set: FeatureSet = {
  name: 'memory.notes',
  description: 'Notes',
  uses: ['tools', 'pushEvents'],
  scoped: true,
  rollback: false,
  hostState: false,
  problem: undefined,
};

/** A member that a later version of MCPL could add. */
const withMember = (value: unknown): FeatureSet => Object.assign({}, set, { exports: value });

suite('The rights of a feature set', () => {
  test('have the text whose digest earlier versions stored', () => {
    assert.equal(rightsOf(set), '{"hostState":false,"rollback":false,"scoped":true,"uses":["pushEvents","tools"]}');
  });

  test('do not depend on its name, its description, its problem or the order of its uses', () => {
    const other = { ...set, name: 'a', description: 'b', problem: 'c', uses: ['pushEvents', 'tools'] };
    assert.equal(rightsOf(other), rightsOf(set));
  });

  test('include a member that is added later, but only where it grants something', () => {
    assert.deepEqual(
      [undefined, false, true, ['a']].map((value) => rightsOf(withMember(value)) === rightsOf(set)),
      [true, true, false, false],
    );
  });

  test('must be the same as when the user was asked', () => {
    const view = (now: FeatureSet) =>
      ({ set: now, state: 'disabled', push: 'notify', undeclared: [], tools: [] }) as const;
    assert.deepEqual(stillAsShown([view(set)], [view({ ...set })]), ['memory.notes']);
    assert.deepEqual(stillAsShown([view(set)], [view(withMember(true))]), []);
  });
});
