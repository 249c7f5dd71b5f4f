import assert from 'node:assert/strict';
import { declaresUse } from '../../../../src/core/mcpl/featureSets.ts';

suite('A use that a feature set declares', () => {
  test('is the whole of it, or a part since MCPL 0.5, and nothing that is only spelled alike', () => {
    const table: readonly (readonly [string, boolean])[] = [
      ['', false],
      ['pushEvents', true],
      ['tools pushEvents', true],
      ['pushEvents.observe', true],
      ['tools.call pushEvents.observe', true],
      ['tools', false],
      ['tools.pushEvents.', false],
      ['pushEventsToo', false],
      ['PushEvents', false],
    ];
    assert.deepEqual(
      table.map(([uses]) => [uses, declaresUse({ uses: uses.split(' ') }, 'pushEvents')]),
      table.map((row) => [...row]),
    );
  });
});
