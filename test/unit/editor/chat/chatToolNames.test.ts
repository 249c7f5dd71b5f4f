import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type NamedTool, toolNames } from '../../../../src/editor/chat/chatToolNames.ts';

const none: ReadonlySet<string> = new Set();
const names = (...tools: readonly (readonly [string, string])[]): readonly string[] =>
  toolNames(
    tools.map(([server, tool]) => ({ server, tool })),
    none,
  );
const text = fc.oneof(fc.string({ maxLength: 80 }), fc.stringMatching(/^[ab_]{1,4}$/));
const someTools = fc.uniqueArray(fc.record({ server: text, tool: text }), {
  maxLength: 20,
  selector: ({ server, tool }: NamedTool) => JSON.stringify([server, tool]),
});

suite('The names under which a model calls tools', () => {
  test('say the server and the tool, in signs that every model takes', () => {
    assert.deepEqual(names(['notes', 'add_note'], ['my server', 'a.b/c'], ['ö', 'ü']), [
      'notes_add_note',
      'my_server_a_b_c',
      '___',
    ]);
  });

  test('have a mark where two would be the same, where one is taken, and where something was cut off', () => {
    assert.deepEqual(names(['a_b', 'c'], ['a', 'b_c']), ['a_b_c_c4ffd816', 'a_b_c_1f2902ec']);
    assert.deepEqual(toolNames([{ server: 'a', tool: 'b' }], new Set(['a_b'])), ['a_b_32b3c2cb']);
    assert.deepEqual(names(['a', 'b'.repeat(80)]), [`a_${'b'.repeat(53)}_3c75622d`]);
  });

  test('are each another one, valid and no longer than 64, none of those that are taken, and the same in every order', () => {
    fc.assert(
      fc.property(someTools, fc.uniqueArray(fc.stringMatching(/^[ab_]{1,6}$/), { maxLength: 5 }), (tools, taken) => {
        const given = toolNames(tools, new Set(taken));
        assert.equal(new Set(given).size, tools.length);
        for (const name of given) {
          assert.match(name, /^[A-Za-z0-9_-]{1,64}$/);
          assert.ok(!taken.includes(name));
        }
        assert.deepEqual(toolNames(tools.toReversed(), new Set(taken)), given.toReversed());
      }),
    );
  });
});
