import assert from 'node:assert/strict';
import { type Json, parseJson } from '../../../../../src/core/base/json.ts';
import { STATE_BOUNDS } from '../../../../../src/core/model/lineage.ts';
import { PatchableState, type PatchOutcome } from '../../../../../src/core/states/patches/patches.ts';
import { add, copy, move, remove, replace, test as testing } from '../../../../fixtures/patches/patchCase.ts';

const stateOf = (value: Json): PatchableState => {
  const text = JSON.stringify(value);
  return new PatchableState(parseJson(text), text.length);
};

const textOf = (state: PatchableState): string => JSON.stringify(state.value);

const problemOf = (outcome: PatchOutcome): string => (outcome.kind === 'refused' ? outcome.problem : 'It was applied.');

const apply = (state: PatchableState, ...patch: readonly Json[]): (() => void) => {
  const outcome = state.apply(patch);
  assert.ok(outcome.kind === 'applied', problemOf(outcome));
  assert.equal(outcome.operations, patch.length);
  return outcome.undo;
};

const nested = (levels: number): Json => parseJson('['.repeat(levels) + ']'.repeat(levels));

suite('Patches: what is said of those that do not fit', () => {
  const state = stateOf({ notes: [{ text: 'one' }], n: 1 });
  const cases: readonly (readonly [patch: Json, problem: string])[] = [
    [
      [add('/n', 2), replace('/notes/7/text', 'x')],
      'Operation 2 (replace "/notes/7/text") does not fit: there is nothing at that place.',
    ],
    [[add('/notes/7', 'x')], 'Operation 1 (add "/notes/7") does not fit: nothing can be put at that place.'],
    [[testing('/n', 2)], 'Operation 1 (test "/n") does not fit: the value at that place is another one.'],
    [[testing('/m', 2)], 'Operation 1 (test "/m") does not fit: there is nothing at that place.'],
    [[copy('/m', '/k')], 'Operation 1 (copy "/k") does not fit: there is nothing at "/m".'],
    [[move('/m', '/k')], 'Operation 1 (move "/k") does not fit: there is nothing at "/m".'],
    [[move('/n', '/n/k')], 'Operation 1 (move "/n/k") does not fit: a value cannot be moved into itself.'],
    [[remove('')], 'Operation 1 (remove "") does not fit: the whole state cannot be removed.'],
    [[remove('n')], 'Operation 1 (remove "n") does not fit: its "path" is no JSON Pointer.'],
    [[{ op: 'copy', path: '/k', from: '~' }], 'Operation 1 (copy "/k") does not fit: its "from" is no JSON Pointer.'],
    [[{ op: 'copy', path: '/k' }], 'Operation 1 (copy "/k") does not fit: it has no "from".'],
    [[{ op: 'add', path: '/k' }], 'Operation 1 (add "/k") does not fit: it has no "value".'],
    [[{ op: 'add', value: 1 }], 'Operation 1 (add) does not fit: it has no "path".'],
    [[{ path: '/k' }], 'Operation 1 ("/k") does not fit: it has no "op".'],
    [[{ op: 'increment', path: '/n' }], 'Operation 1 (increment "/n") does not fit: there is no such operation.'],
    [[{}], 'Operation 1 does not fit: it has no "op".'],
    [[7], 'Operation 1 does not fit: it is not an object.'],
    [{ op: 'remove', path: '/n' }, 'The patch is not a list of operations.'],
    [
      [{ op: '\u0007\u202Eadd ', path: `/a\n${'b'.repeat(300)}` }],
      `Operation 1 (add "/a ${'b'.repeat(196)}…") does not fit: there is no such operation.`,
    ],
  ];
  for (const [patch, problem] of cases)
    test(problem, () => {
      const before = textOf(state);
      assert.equal(problemOf(state.apply(patch)), problem);
      assert.equal(textOf(state), before);
    });
});

suite('Patches: bounds', function () {
  // Generous, because these tests are about unbounded work and the machine may be busy.
  this.timeout(20_000);

  test('a patch without operations is fine', () => {
    const state = stateOf({ a: 1 });
    apply(state)();
    assert.equal(textOf(state), '{"a":1}');
  });

  test('copying the whole into itself again and again ends before the memory does', () => {
    const state = stateOf({ a: 'x'.repeat(1_000) });
    const before = process.memoryUsage().heapUsed;
    const outcome = state.apply(Array.from({ length: 100 }, (_, index) => copy('', `/c${index}`)));
    assert.match(
      problemOf(outcome),
      /^Operation 15 \(copy "\/c14"\).* the state would be larger than 32 million characters\.$/,
    );
    assert.ok(process.memoryUsage().heapUsed - before < 100e6);
    assert.deepEqual([Object.keys(state.value ?? {}), state.size], [['a'], 1_008]);
  });

  test('a value that is too large is refused, and one that takes its place is not', () => {
    const state = stateOf({ a: 'x'.repeat(20_000_000) });
    const large = 'y'.repeat(20_000_000);
    assert.match(problemOf(state.apply([add('/b', large)])), /larger than 32 million/);
    apply(state, replace('/a', large));
    apply(state, add('/a', large));
    apply(state, remove('/a'), add('/b', large));
    apply(state, move('/b', '/c'));
    apply(state, add('', large));
    assert.equal(state.size, 20_000_002);
  });

  test('what is too large already may still become smaller', () => {
    const state = stateOf({ a: 'x'.repeat(STATE_BOUNDS.state), b: 1 });
    assert.match(problemOf(state.apply([add('/c', 1)])), /larger/);
    apply(state, replace('/b', 2), remove('/a'), add('/c', 1));
    assert.equal(textOf(state), '{"b":2,"c":1}');
  });

  test('nesting ends at the bound, wherever the levels come from', () => {
    const { depth } = STATE_BOUNDS;
    const state = stateOf({ a: nested(depth - 1), b: [[[]]], c: 1 });
    const tooDeep = /the state would nest deeper than 512 levels/;
    apply(state, add('/c', nested(depth - 1)));
    assert.match(problemOf(state.apply([add('/c', nested(depth))])), tooDeep);
    assert.match(problemOf(state.apply([add('/b/0', nested(depth - 1))])), tooDeep);
    assert.match(problemOf(state.apply([copy('/a', '/b/0')])), tooDeep);
    assert.match(problemOf(state.apply([move('/a', '/b/0')])), tooDeep);
    assert.match(problemOf(state.apply([replace('', nested(depth + 1))])), tooDeep);
    assert.match(problemOf(state.apply([add('/c', nested(100_000))])), tooDeep);
    assert.match(problemOf(state.apply([testing('/a', nested(100_000))])), /another one/);
    apply(state, replace('', nested(depth)));
  });

  test('a value too large to be looked at to its end is not copied', () => {
    const state = stateOf({ a: 'x'.repeat(1_000_000) });
    const patch = Array.from({ length: 63 }, () => [copy('/a', '/b'), remove('/b')]).flat();
    const deep = ['x'.repeat(2_500_000), nested(100_000)];
    assert.match(problemOf(state.apply([...patch, add('/b', deep)])), /the patch is too much work/);
    assert.match(problemOf(state.apply([add('/b', deep)])), /nest deeper/);
  });

  test('operations are counted before the first is tried', () => {
    const state = stateOf({ a: 1 });
    const patch = Array.from({ length: STATE_BOUNDS.operations + 1 }, () => add('/a', 2));
    assert.equal(problemOf(state.apply(patch)), 'The patch has 50001 operations; 50000 are the most.');
    apply(state, ...patch.slice(1));
  });

  for (const [what, operations] of [
    ['compares', [testing('', { a: 'x'.repeat(1_000_000) })]],
    ['copies', [copy('/a', '/b'), remove('/b')]],
    ['moves', [move('/a', '/b'), move('/b', '/a')]],
  ] as const)
    test(`a patch that ${what} large values without end is stopped`, () => {
      const state = stateOf({ a: 'x'.repeat(1_000_000) });
      const patch = Array.from({ length: 20_000 }, () => operations).flat();
      assert.match(problemOf(state.apply(patch)), /^Operation \d+ .*the patch is too much work\.$/);
      assert.equal(textOf(state).length, 1_000_008);
    });

  test('a patch that shifts a long list without end is stopped', () => {
    const state = stateOf(Array.from({ length: 400_000 }, () => 0));
    const patch = Array.from({ length: 1_500 }, () => [add('/200000', 1), remove('/200000')]).flat();
    assert.match(problemOf(state.apply(patch)), /the patch is too much work/);
    assert.equal(textOf(state).length, 800_001);
  });

  test('what is removed from a wide object and comes again costs no more than elsewhere', () => {
    const wide = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`k${index}`, index]));
    const state = stateOf(wide);
    const before = textOf(state);
    const patch = Array.from({ length: 20_000 }, () => [remove('/k7'), add('/k7', 7)]).flat();
    const undo = apply(state, ...patch);
    assert.equal(textOf(state), before);
    undo();
    assert.equal(textOf(state), before);
  });
});

suite('Patches: taken back', () => {
  const wide = (count: number): Record<string, number> =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, index]));

  test('removed members return to their positions, in any number, and despite reads in between', () => {
    const state = stateOf(wide(5_000));
    const before = textOf(state);
    const some = (from: number): readonly Json[] =>
      Array.from({ length: 800 }, (_, index) => remove(`/k${(from + index * 3) % 5_000}`));
    const undos = [apply(state, ...some(0)), apply(state, ...some(2_500))];
    // Enough for a cleanup without a read.
    undos.push(apply(state, ...some(1), add('/k0', 'again')));
    assert.equal(Object.keys(state.value ?? {}).length, 5_000 - 3 * 800 + 1);
    undos.push(apply(state, remove('/k0'), remove('/k4999')));
    for (const undo of undos.reverse()) undo();
    assert.equal(textOf(state), before);
  });

  test('what was taken back may come again, and comes last', () => {
    const state = stateOf({ a: 1, b: 2, c: 3 });
    const undo = apply(state, remove('/a'), add('/z', 26));
    assert.equal(textOf(state), '{"b":2,"c":3,"z":26}');
    undo();
    apply(state, add('/y', 25));
    apply(state, add('/z', 26));
    assert.equal(textOf(state), '{"a":1,"b":2,"c":3,"y":25,"z":26}');
  });

  test('a member that is added again in the same patch keeps its position, and later it is the last, despite reads', () => {
    for (const looks of [false, true]) {
      const state = stateOf({ a: 1, b: 2, c: 3, d: 4 });
      const undos = [apply(state, remove('/a'), remove('/c'), add('/c', 5))];
      if (looks) assert.equal(textOf(state), '{"b":2,"c":5,"d":4}');
      undos.push(apply(state, remove('/b'), add('/a', 6), add('/b', 7)));
      assert.equal(textOf(state), '{"b":7,"c":5,"d":4,"a":6}');
      for (const undo of undos.reverse()) undo();
      assert.equal(textOf(state), '{"a":1,"b":2,"c":3,"d":4}');
    }
  });

  test('patches are taken back in their order only, and once', () => {
    const state = stateOf({ a: 1 });
    const first = apply(state, add('/a', 2));
    const second = apply(state, add('/a', 3));
    const order = { message: 'Only the last patch that is applied can be undone.' };
    assert.throws(first, order);
    second();
    assert.throws(second, order);
    first();
    assert.equal(textOf(state), '{"a":1}');
  });

  test('what a patch brought is not shared with it', () => {
    const state = stateOf({});
    const value = { n: [1] };
    apply(state, add('/a', value), add('/b', value), add('', [value]), add('/0/m', value));
    value.n.push(2);
    assert.equal(textOf(state), '[{"n":[1],"m":{"n":[1]}}]');
  });
});
