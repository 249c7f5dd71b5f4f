import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { JsonObject } from '../../../../src/core/index.ts';
import {
  listToWrite,
  textsInForce,
  withItem,
  withMember,
  withMembers,
  withoutMember,
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

  test('even if the value was no object', () => {
    assert.deepEqual(withMember({ a: 5 }, 'a', ['enabled'], true), { a: { enabled: true } });
  });

  test('and back again, whatever the entry was', () => {
    const entry = fc.dictionary(fc.constantFrom('x', 'y', 'z'), fc.jsonValue(), { minKeys: 1 });
    fc.assert(
      fc.property(entry, (before) => {
        const on = withMember({ s: JSON.parse(JSON.stringify(before)) }, 's', ['enabled'], true);
        assert.deepEqual(withoutMember(on, ['s', 'enabled']), { s: JSON.parse(JSON.stringify(before)) });
      }),
      { numRuns: 100 },
    );
  });
});

suite('A member is removed', () => {
  test('with the objects that this leaves empty', () => {
    const servers = { a: { command: 'x', tools: { hidden: ['y'] } }, b: 1 };
    assert.deepEqual(withoutMember(servers, ['a', 'tools', 'hidden']), { a: { command: 'x' }, b: 1 });
    assert.deepEqual(withoutMember(servers, ['a']), { b: 1 });
    assert.equal(withoutMember({ a: { tools: { hidden: [] } } }, ['a', 'tools', 'hidden']), undefined);
    assert.equal(withoutMember({ a: 1 }, ['a']), undefined);
  });

  test('and nothing changes if it is missing', () => {
    const servers = { a: { command: 'x', tools: 5 } };
    for (const path of [['b'], ['a', 'args'], ['a', 'tools', 'hidden'], ['a', 'command', 'x'], ['a', 'constructor']])
      assert.equal(withoutMember(servers, path), servers, path.join('.'));
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

  test('is written only if the other levels do not result in it', () => {
    const user = { a: { tools: { hidden: ['u'] } } };
    const written = (list: readonly string[]): unknown => listToWrite([user], 'a', ['tools', 'hidden'], list);
    assert.deepEqual([written(['u', 'v']), written(['v']), written(['u'])], [['u', 'v'], ['v'], undefined]);
    // Only an empty list overrides the list of the user.
    assert.deepEqual(written([]), []);
    assert.equal(listToWrite([{}], 'a', ['tools', 'hidden'], []), undefined);
  });

  test('is added or removed beside other members, in their order', () => {
    const text = (there: unknown, members: JsonObject): string | undefined =>
      JSON.stringify(withMembers(there as JsonObject, members));
    assert.equal(text(undefined, { enabled: ['a'] }), '{"enabled":["a"]}');
    assert.equal(text(5, { enabled: ['a'], disabled: ['b'] }), '{"enabled":["a"],"disabled":["b"]}');
    assert.equal(
      text({ disabled: ['b'], later: 1, enabled: ['c'] }, { enabled: ['a'], disabled: undefined }),
      '{"later":1,"enabled":["a"]}',
    );
    assert.equal(text({ enabled: ['a'] }, { enabled: undefined }), undefined);
  });
});
