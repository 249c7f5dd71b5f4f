import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { StateLimits, StateUpdate } from '../../src/core/index.ts';
import { Retention } from '../../src/node/store/states/retention.ts';
import { rowIdOf } from '../../src/node/store/contract.ts';
import { dose } from '../support/dose.ts';
import { data, note, StateCase, stateUpdate } from '../support/stateCase.ts';

const UNLIMITED: StateLimits = { count: 1e9, ageMs: 1e15, characters: 1e15 };

suite('Giving up old checkpoints', () => {
  let states: StateCase;

  setup(() => {
    states = new StateCase();
  });

  teardown(() => states.database.close());

  const treeIs = (...lines: readonly string[]): void => assert.equal(states.tree, lines.join('\n'));

  /** Trims like the store's client. Returns the number of steps. */
  const trim = (limits: Partial<StateLimits>, now = 1_000): number => {
    const retention = new Retention(states.database, states.states);
    let steps = 0;
    for (let after: number | null = 0; after !== null; steps++) {
      states.database.exec('BEGIN IMMEDIATE');
      after = retention.step({ ...UNLIMITED, ...limits }, now, after);
      states.database.exec('COMMIT');
    }
    return steps;
  };

  const chain = (...names: readonly string[]): void =>
    names.forEach((name, i) =>
      states.call(name, i === 0 ? { parent: null, body: data({ notes: [] }) } : { body: note(name), at: i + 1 }),
    );

  const pin = (name: string): void => states.queries.annotate(states.place(name), { isPinned: true });

  test('the oldest go; who comes after them is a root and keeps its state, and their name', () => {
    chain('a', 'b', 'c', 'd', 'e');
    trim({ count: 2 });
    treeIs('d patch (trimmed) {"notes":["b","c","d"]}', '  e patch (assumed) {"notes":["b","c","d","e"]} <- head');
    states.reopen();
    treeIs('d patch (trimmed) {"notes":["b","c","d"]}', '  e patch (assumed) {"notes":["b","c","d","e"]} <- head');
    assert.match(states.counts, /^host, 2 kept, /);
    const [root] = states.database.prepare('SELECT parent, parent_name FROM checkpoints ORDER BY place').all();
    assert.deepEqual({ ...root }, { parent: null, parent_name: 'c' });
    states.call('f', { body: note('f') });
    assert.equal(states.state('f'), '{"notes":["b","c","d","e","f"]}');
  });

  test('nothing goes within the limits, and one that was made a root may go later', () => {
    chain('a', 'b', 'c', 'd');
    const before = states.tree;
    trim({});
    assert.equal(states.tree, before);
    trim({ count: 3 });
    trim({ count: 2 });
    trim({ count: 1 });
    treeIs('d patch (trimmed) {"notes":["b","c","d"]} <- head');
    trim({ count: 0, ageMs: 0, characters: 0 });
    treeIs('d patch (trimmed) {"notes":["b","c","d"]} <- head');
    assert.equal(states.counts, 'host, 1 kept, 67 characters, version 7');
  });

  test('what is too old goes, what is not stays however much it is', () => {
    chain('a', 'b', 'c', 'd');
    trim({ ageMs: 997 });
    treeIs('c patch (trimmed) {"notes":["b","c"]}', '  d patch (assumed) {"notes":["b","c","d"]} <- head');
  });

  test('heads of conversations, what is pinned and what blocks stay, and so does what leads to them from a fork', () => {
    chain('a', 'b', 'c');
    states.call('chat', { parent: 'b', body: note('chat'), conversation: 'one' });
    states.call('side', { parent: 'b', body: note('side') });
    states.call('left', { parent: 'b', body: note('left') });
    states.call('end', { parent: 'c', body: note('end') });
    states.call('bad', { body: BAD });
    pin('side');
    trim({ count: 0 });
    treeIs(
      'b patch (trimmed) {"notes":["b"]}',
      '  c patch (assumed) {"notes":["b","c"]}',
      '    end patch {"notes":["b","c","end"]} <- head',
      '      bad patch (assumed) broken <- blocks',
      '  chat patch {"notes":["b","chat"]} <- one',
      '  side patch {"notes":["b","side"]}',
    );
  });

  test('a branch that was left goes from its end, the fork with its last child', () => {
    chain('a', 'b', 'c', 'd');
    states.call('x', { parent: 'a', body: note('x') });
    states.call('y', { body: note('y') });
    trim({ count: 4 });
    treeIs(
      'a data {"notes":[]}',
      '  b patch (assumed) {"notes":["b"]}',
      '  x patch {"notes":["x"]}',
      '    y patch (assumed) {"notes":["x","y"]} <- head',
    );
    trim({ count: 2 });
    treeIs('x patch (trimmed) {"notes":["x"]}', '  y patch (assumed) {"notes":["x","y"]} <- head');
  });

  test('for room, a large state is not written down again to be rid of a few patches', () => {
    states.call('a', { parent: null, body: data({ notes: ['x'.repeat(10_000)] }) });
    for (let i = 0; i < 10; i++) states.call(`b${i}`, { body: note(i) });
    const before = states.tree;
    trim({ characters: 9_000 });
    assert.equal(states.tree, before);
    states.call('whole', { body: data({ notes: [] }) });
    states.call('end', { body: note('end') });
    trim({ characters: 9_000 });
    treeIs('whole data (trimmed) {"notes":[]}', '  end patch (assumed) {"notes":["end"]} <- head');
  });

  test('room is made among all lineages, the oldest first', () => {
    const other = { server: 'other', featureSet: '' };
    for (let i = 0; i < 4; i++) {
      states.recorder.record(stateUpdate(`a${i}`, { body: data('x'.repeat(98)) }));
      states.recorder.record(stateUpdate(`b${i}`, { ...other, body: data('y'.repeat(98)) }));
    }
    trim({ characters: 500 });
    assert.deepEqual(
      states.database
        .prepare('SELECT checkpoint FROM checkpoints ORDER BY place')
        .all()
        .map((row) => row['checkpoint']),
      ['b1', 'a2', 'b2', 'a3', 'b3'],
    );
  });

  test('many go in steps, each of which leaves the lineage whole', () => {
    chain('a');
    for (let i = 0; i < 6_000; i++)
      states.call(`n${i}`, { body: { kind: 'patch', text: `[{"op":"add","path":"/notes","value":[${i}]}]` } });
    const steps = trim({ count: 2 });
    assert.ok(steps >= 3, `${steps} steps`);
    treeIs('n5998 patch (trimmed) {"notes":[5998]}', '  n5999 patch (assumed) {"notes":[5999]} <- head');
    assert.match(states.counts, /^host, 2 kept, /);
  });

  test('whatever the tree and the limits: the state of all that is left is what it was, and no head is lost', () => {
    const step = fc.record({
      kind: fc.constantFrom('patch', 'patch', 'patch', 'data', 'same', 'bad', 'unknown'),
      parent: fc.nat(30),
      conversation: fc.constantFrom(undefined, undefined, 'one', 'two'),
      pin: fc.integer({ min: 0, max: 8 }),
    });
    const limits = fc.record({ count: fc.nat(20), ageMs: fc.nat(40), characters: fc.nat(2_000) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), fc.array(limits, { minLength: 1, maxLength: 3 }), (steps, all) => {
        states.database.close();
        states = new StateCase();
        steps.forEach(({ kind, parent, conversation, pin: pins }, i) => {
          const bodies = new Map<string, StateUpdate['body']>(
            Object.entries({ patch: note(i), data: data({ notes: [`d${i}`] }), bad: BAD }),
          );
          const body = bodies.get(kind);
          const from = kind === 'unknown' ? `never ${parent}` : parent < i ? `n${parent}` : undefined;
          const { node } = states.call(`n${i}`, { parent: from, body, conversation, at: i });
          if (pins === 0) states.queries.annotate(node.place, { isPinned: true });
        });
        for (const each of all) {
          const before = snapshot();
          trim(each, 30);
          states.reopen();
          const after = snapshot();
          for (const [place, state] of after.states)
            assert.deepEqual([place, state], [place, before.states.get(place)]);
          assert.deepEqual(after.kept, before.kept);
          for (const place of after.kept) assert.ok(after.states.has(place), `${place} is kept`);
          assert.match(states.counts, /^$|kept|^undefined/);
        }
      }),
      { numRuns: dose(100, 2_000) },
    );
  });

  const BAD = { kind: 'patch', text: '[{"op":"remove","path":"/nowhere"}]' } as const;

  /** States by row id, and the row ids that must stay. */
  function snapshot(): { readonly states: ReadonlyMap<number, string>; readonly kept: readonly number[] } {
    const places = (sql: string): readonly number[] => states.database.prepare(sql).all().map(rowIdOf);
    const all = places('SELECT place FROM checkpoints');
    return {
      states: new Map(all.map((place) => [place, states.states.text(place) ?? 'none'])),
      kept: places(
        `SELECT place FROM heads UNION SELECT head FROM lineages WHERE head IS NOT NULL UNION
         SELECT blocked_by FROM lineages WHERE blocked_by IS NOT NULL UNION SELECT place FROM checkpoints WHERE is_pinned = 1`,
      ),
    };
  }
});
