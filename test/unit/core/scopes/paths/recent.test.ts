import assert from 'node:assert/strict';
import { Recent } from '../../../../../src/core/scopes/paths/lists.ts';

suite('A recent decision', () => {
  test('is kept while it is asked for, and otherwise until others have taken its place', () => {
    const recent = new Recent<number>(2);
    const kept = (): string => ['a', 'b', 'c', 'd', 'e'].map((text) => recent.get(text) ?? '-').join(' ');
    recent.set('a', 1);
    recent.set('b', 2);
    recent.set('c', 3);
    assert.equal(recent.get('a'), 1);
    recent.set('d', 4);
    assert.equal(recent.get('b'), undefined);
    assert.equal(kept(), '1 - 3 4 -');
  });
});
