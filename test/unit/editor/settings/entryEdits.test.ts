import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { JsonObject } from '../../../../src/core/index.ts';
import {
  textsInForce,
  withChosen,
  withItem,
  withMember,
  withoutEntry,
} from '../../../../src/editor/settings/entryEdits.ts';

suite('One member of one entry changes', () => {
  test('and every other member keeps its value and its place', () => {
    const servers = { b: { command: 'x', enabled: false, later: [1] }, a: 5 };
    const changed = withMember(servers, 'b', ['enabled'], true);
    assert.equal(JSON.stringify(changed), '{"b":{"command":"x","enabled":true,"later":[1]},"a":5}');
    assert.equal(JSON.stringify(servers), '{"b":{"command":"x","enabled":false,"later":[1]},"a":5}');
  });

  test('and a workspace that says nothing of the server gets that one member only', () => {
    assert.deepEqual(withMember({}, 'files', ['tools', 'hidden'], ['rm']), { files: { tools: { hidden: ['rm'] } } });
  });

  test('and an object that it leaves empty goes with it', () => {
    const servers = { a: { command: 'x', tools: { hidden: ['y'] } } };
    assert.deepEqual(withMember(servers, 'a', ['tools', 'hidden'], undefined), { a: { command: 'x' } });
  });

  test('even if the value was no object', () => {
    assert.deepEqual(withMember({ a: 5 }, 'a', ['enabled'], true), { a: { enabled: true } });
  });

  test('and back again, whatever the entry was', () => {
    const entry = fc.dictionary(fc.constantFrom('x', 'y', 'z'), fc.jsonValue());
    fc.assert(
      fc.property(entry, (before) => {
        const on = withMember({ s: JSON.parse(JSON.stringify(before)) }, 's', ['enabled'], true);
        assert.deepEqual(withMember(on, 's', ['enabled'], undefined), { s: JSON.parse(JSON.stringify(before)) });
      }),
      { numRuns: 100 },
    );
  });
});

suite('An entry is taken out', () => {
  test('and the last one leaves no empty object behind', () => {
    assert.deepEqual(withoutEntry({ a: 1, b: 2 }, 'a'), { b: 2 });
    assert.equal(withoutEntry({ a: 1 }, 'a'), undefined);
  });
});

suite('The list in force', () => {
  test('is that of the last layer which has one', () => {
    const user = { a: { tools: { hidden: ['u'] } } };
    const workspace = { a: { enabled: true } };
    const folder = { a: { tools: { hidden: ['f', 5] } } };
    assert.deepEqual(textsInForce([user, workspace], 'a', ['tools', 'hidden']), ['u']);
    assert.deepEqual(textsInForce([user, workspace, folder], 'a', ['tools', 'hidden']), ['f']);
    assert.deepEqual(textsInForce([{ a: 5 }], 'a', ['tools', 'hidden']), []);
  });

  test('takes an item once, and lets it go', () => {
    assert.deepEqual(withItem(['b', 'a'], 'c', true), ['b', 'a', 'c']);
    assert.deepEqual(withItem(['b', 'a'], 'a', true), ['b', 'a']);
    assert.deepEqual(withItem(['b', 'a'], 'b', false), ['a']);
  });

  test('of feature sets keeps other names, and is emptied only if something was removed', () => {
    const chosen = (there: unknown, before: readonly string[], after: readonly string[]): string =>
      JSON.stringify(
        withChosen(there as JsonObject, { enabled: [], disabled: before }, { enabled: ['a'], disabled: after }),
      );
    assert.equal(chosen(undefined, [], []), '{"enabled":["a"]}');
    assert.equal(chosen(5, [], ['b']), '{"enabled":["a"],"disabled":["b"]}');
    assert.equal(
      chosen({ disabled: ['b'], later: 1, enabled: [] }, ['b'], []),
      '{"disabled":[],"later":1,"enabled":["a"]}',
    );
  });
});
