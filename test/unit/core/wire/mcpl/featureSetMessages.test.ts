import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type Json, type JsonObject, parseJson } from '../../../../../src/core/base/json.ts';
import type { FeatureSet } from '../../../../../src/core/model/mcpl.ts';
import {
  capabilitiesOf,
  decodeChange as decodeChangeIn,
  decodeFeatureSets as decodeIn,
} from '../../../../../src/core/wire/mcpl/featureSetMessages.ts';
import { MCPL_REVISIONS } from '../../../../../src/core/wire/mcpl/revisions.ts';
import { mcpl04 } from '../../../../../src/core/wire/mcpl/revisions/0.4.ts';
import { mcpl05 } from '../../../../../src/core/wire/mcpl/revisions/0.5.ts';

const plain = { scoped: false, rollback: false, hostState: false, problem: undefined };

const decodeFeatureSets = (value: Json | undefined, revision = mcpl04): readonly FeatureSet[] =>
  decodeIn(value, revision);
const decodeChange = (params: JsonObject): ReturnType<typeof decodeChangeIn> => decodeChangeIn(params, mcpl04);

function problems(sets: readonly FeatureSet[]): readonly string[] {
  return sets.map(({ name, problem }) => `${name}: ${problem ?? 'fine'}`);
}

/** The paths of MCPL 0.5 §6.2. */
const USES_05 = [
  'pushEvents',
  'tools',
  'modelInfo',
  'inferenceRequest',
  'inferenceRequest.streaming',
  'inferenceLifecycle',
  'contextHooks.beforeInference.observe',
  'contextHooks.beforeInference.inject.system',
  'contextHooks.beforeInference.inject.beforeUser',
  'contextHooks.beforeInference.inject.afterUser',
  'channels.register',
  'channels.lifecycle',
  'channels.publish',
  'channels.incoming',
  'channels.streaming',
  'channels.acknowledge',
  'channels.typing',
];

suite('Declared feature sets', () => {
  test('are the same as an object by name and as a list', () => {
    const a = { description: 'Edit files', uses: ['tools'], scoped: true, rollback: true, hostState: true };
    const b = { description: 'Remind', uses: ['pushEvents', 'stateUpdate'], rollback: 'yes', later: 1 };
    const expected = [
      { name: 'files.edit', ...a, problem: undefined },
      { name: 'memory.proactive', ...plain, description: 'Remind', uses: ['pushEvents', 'stateUpdate'] },
    ];
    assert.deepEqual(decodeFeatureSets({ 'files.edit': a, 'memory.proactive': { name: 'x', ...b } }), expected);
    assert.deepEqual(
      decodeFeatureSets([
        { name: 'files.edit', ...a },
        { name: 'memory.proactive', ...b },
      ]),
      expected,
    );
  });

  test('without what a declaration must have are shown, and cannot be switched on', () => {
    const sets = decodeFeatureSets({
      fine: { description: 'd', uses: [] },
      'no.description': { uses: ['tools'] },
      'empty.description': { description: ' \u200b', uses: ['tools'] },
      'no.uses': { description: 'd' },
      'text.uses': { description: 'd', uses: 'tools' },
      'number.uses': { description: 'd', uses: ['tools', 7] },
      'all.*': { description: 'd', uses: [] },
      'hid\u202eden': { description: 'd', uses: [] },
      'only a name': true,
    });
    assert.deepEqual(problems(sets), [
      'fine: fine',
      'no.description: Its server does not describe it.',
      'empty.description: Its server does not describe it.',
      'no.uses: Its server does not say what it uses.',
      'text.uses: What its server says that it uses is not a list of texts.',
      'number.uses: What its server says that it uses is not a list of texts.',
      'all.*: Its name holds a "*", which stands for other names.',
      'hid\u202eden: Its name holds characters that cannot be seen.',
      'only a name: Its server does not describe it.',
    ]);
    assert.deepEqual(sets.find(({ name }) => name === 'number.uses')?.uses, ['tools']);
  });

  test('with uses that MCPL 0.5 does not have, or with none, cannot be switched on in that version', () => {
    const set = (...uses: readonly string[]): JsonObject => ({ description: 'd', uses });
    const sets = {
      known: set(...USES_05),
      bogus: set('tools', 'bogus'),
      empty: set(),
      parent: set('contextHooks.beforeInference'),
      after: set('contextHooks.afterInference'),
      namespace: set('channels'),
      wildcard: set('channels.*'),
      observe: set('channels.observe'),
      case: set('Tools'),
      spaced: set('tools '),
      inherited: set('toString'),
      late: set(...Array<string>(100).fill('tools'), 'stateUpdate'),
      long: set('u'.repeat(5_000)),
      many: set('a', 'b', 'tools', 'c', 'd'),
      hidden: set('too\u200bls'),
    };
    const invalid = (named: string): string =>
      `MCPL 0.5 has no use ${named} (invalid_uses). Set "protocol.mcpl" to "0.4" to accept it.`;
    assert.deepEqual(problems(decodeFeatureSets(sets, mcpl05)), [
      'known: fine',
      `bogus: ${invalid('"bogus"')}`,
      'empty: It declares no uses, which MCPL 0.5 does not allow (invalid_uses).',
      `parent: ${invalid('"contextHooks.beforeInference"')}`,
      `after: ${invalid('"contextHooks.afterInference"')}`,
      `namespace: ${invalid('"channels"')}`,
      `wildcard: ${invalid('"channels.*"')}`,
      `observe: ${invalid('"channels.observe"')}`,
      `case: ${invalid('"Tools"')}`,
      `spaced: ${invalid('"tools"')}`,
      `inherited: ${invalid('"toString"')}`,
      `late: ${invalid('"stateUpdate"')}`,
      `long: ${invalid('with so long a name')}`,
      `many: ${invalid('"a", "b", "c" and more')}`,
      `hidden: ${invalid('"tools"')}`,
    ]);
    for (const revision of MCPL_REVISIONS.filter((each) => each !== mcpl05))
      assert.deepEqual(
        problems(decodeFeatureSets(sets, revision)),
        Object.keys(sets).map((name) => `${name}: fine`),
      );
    const [changed] = decodeChangeIn({ added: { bogus: sets.bogus } }, mcpl05).added;
    assert.equal(changed?.problem, invalid('"bogus"'));
  });

  test('keep names that mean something to JavaScript, and change nothing by them', () => {
    const text =
      '{"__proto__":{"description":"d","uses":["tools"]},"constructor":{"description":"d","uses":[]},"toString":1}';
    assert.deepEqual(problems(decodeFeatureSets(parseJson(text))), [
      '__proto__: fine',
      'constructor: fine',
      'toString: Its server does not describe it.',
    ]);
    assert.deepEqual(problems(decodeFeatureSets([{ name: '__proto__', description: 'd', uses: [] }])), [
      '__proto__: fine',
    ]);
    assert.equal(Object.hasOwn(Object.prototype, 'description'), false);
    assert.deepEqual(decodeFeatureSets({ a: {} })[0]?.description, '');
  });

  test('are bounded in number, name, uses and description; the first of a name counts', () => {
    const many = Array.from({ length: 1_000 }, (_, i) => ({ name: `s${i}`, description: 'd', uses: [] }));
    assert.equal(decodeFeatureSets(many).length, 256);
    const sets = decodeFeatureSets([
      { name: '', description: 'd', uses: [] },
      { name: 'n'.repeat(257), description: 'd', uses: [] },
      { name: 'n'.repeat(256), description: 'x'.repeat(9_000), uses: Array.from({ length: 500 }, (_, i) => `u${i}`) },
      { name: 'a', description: 'first', uses: ['tools', 'tools', 'u'.repeat(500)] },
      { name: 'a', description: 'second', uses: ['pushEvents'] },
      { description: 'nameless' },
      { name: 7 },
      null,
      'text',
    ]);
    assert.deepEqual(
      sets.map(({ name, description, uses }) => [name.length, description.length, uses.length]),
      [
        [256, 2_000, 64],
        [1, 5, 1],
        [4, 0, 0],
      ],
    );
    assert.deepEqual(
      [undefined, null, true, 'a', 7, []].map((value) => decodeFeatureSets(value).length),
      [0, 0, 0, 0, 0, 0],
    );
  });

  test('change by names that go and declarations that come, in either shape', () => {
    const added = { 'memory.semantic': { description: 'Search', uses: ['contextHooks.beforeInference'] } };
    const read = (params: JsonObject): readonly string[] => {
      const change = decodeChange(params);
      return [...change.added.map(({ name }) => `+${name}`), ...change.removed.map((name) => `-${name}`)];
    };
    assert.deepEqual(
      [
        { added, removed: ['memory.legacy', 'memory.legacy', 7, ''] },
        { added: [{ name: 'x' }], removed: { y: {} } },
        { removed: [{ name: 'z' }] },
        { added: null, removed: 'z' },
        {},
      ].map(read),
      [['+memory.semantic', '-memory.legacy'], ['+x', '-y'], ['-z'], [], []],
    );
  });

  test('that are on determine the capabilities for a server of 0.5', () => {
    const sets = decodeFeatureSets({
      a: { description: 'd', uses: ['tools', 'channels.publish'] },
      b: { description: 'd', uses: ['pushEvents', 'tools'] },
    });
    assert.deepEqual(capabilitiesOf(sets), ['pushEvents', 'tools']);
    assert.deepEqual(capabilitiesOf([]), []);
  });

  test('come back from either shape as they were', () => {
    const name = fc.stringMatching(/^[a-z]{1,8}(\.[a-z_]{1,8}){0,2}$/);
    const declaration = fc.record({
      description: fc.stringMatching(/^[A-Za-z]{1,20}$/),
      uses: fc.uniqueArray(fc.stringMatching(/^[a-zA-Z.]{1,12}$/), { maxLength: 6 }),
      scoped: fc.boolean(),
      rollback: fc.boolean(),
      hostState: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(name, declaration), { selector: ([key]) => key, maxLength: 20 }), (given) => {
        const expected = given.map(([key, value]) => ({ name: key, ...value, problem: undefined }));
        assert.deepEqual(decodeFeatureSets(given.map(([key, value]) => ({ name: key, ...value }))), expected);
        assert.deepEqual(decodeFeatureSets(Object.fromEntries(given)), expected);
      }),
    );
  });

  test('are at most 256 with short names, whatever a server says', () => {
    const declaration = fc.oneof(
      fc.jsonValue(),
      fc.dictionary(fc.constantFrom('name', 'description', 'uses', 'scoped', '__proto__'), fc.jsonValue()),
    );
    const given = fc.oneof(declaration, fc.array(declaration), fc.dictionary(fc.string(), declaration));
    fc.assert(
      fc.property(given, (any) => {
        const value = any as Json;
        const sets = decodeFeatureSets(value);
        decodeChange({ added: value, removed: value });
        assert.equal(new Set(sets.map(({ name }) => name)).size, sets.length);
        for (const set of sets)
          assert.ok(set.name.length > 0 && set.description.length <= 2_000 && set.uses.length <= 64);
      }),
    );
  });
});
