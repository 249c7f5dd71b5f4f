import assert from 'node:assert/strict';
import { MAX_HEADS } from '../../src/node/store/states/lineageTable.ts';
import type { HeadMove } from '../../src/core/index.ts';
import { data, note, StateCase } from '../support/stateCase.ts';

suite('Heads', () => {
  let states: StateCase;

  setup(() => {
    states = new StateCase();
    states.call('a', { parent: null, body: data({ notes: [] }) });
    states.call('b', { body: note('b') });
    states.call('c', { body: note('c'), conversation: 'chat' });
    states.call('d', { body: note('d'), conversation: 'chat' });
    states.call('x', { parent: 'a', body: note('x'), conversation: 'other' });
  });

  teardown(() => states.database.close());

  const treeIs = (...lines: readonly string[]): void => assert.equal(states.tree, lines.join('\n'));

  const move = (to: string, conversation?: string, changes: Partial<HeadMove> = {}): void =>
    states.queries.move(
      { at: 7, kind: 'rollback', from: undefined, to: states.place(to), refusal: undefined, ...changes },
      conversation,
    );

  const moves = (): readonly object[] =>
    states.database
      .prepare('SELECT at, kind, origin, target, refusal FROM head_moves ORDER BY place')
      .all()
      .map((row) => ({ ...row }));

  test('each conversation goes on from its own head, and who has none from that of the lineage', () => {
    treeIs(
      'a data {"notes":[]}',
      '  b patch (assumed) {"notes":["b"]}',
      '    c patch (assumed) {"notes":["b","c"]}',
      '      d patch (assumed) {"notes":["b","c","d"]} <- chat',
      '  x patch {"notes":["x"]} <- head <- other',
    );
    assert.deepEqual(
      ['chat', 'other', 'new', undefined].map((conversation) => states.base(conversation).state),
      ['{"notes":["b","c","d"]}', '{"notes":["x"]}', '{"notes":["x"]}', '{"notes":["x"]}'],
    );
  });

  test('8.5: a rollback moves all heads at the left checkpoints and no others, and later calls branch', () => {
    move('b');
    treeIs(
      'a data {"notes":[]}',
      '  b patch (assumed) {"notes":["b"]} <- head <- chat',
      '    c patch (assumed) {"notes":["b","c"]}',
      '      d patch (assumed) {"notes":["b","c","d"]}',
      '  x patch {"notes":["x"]} <- other',
    );
    states.call('e', { body: note('e'), conversation: 'chat' });
    treeIs(
      'a data {"notes":[]}',
      '  b patch (assumed) {"notes":["b"]}',
      '    c patch (assumed) {"notes":["b","c"]}',
      '      d patch (assumed) {"notes":["b","c","d"]}',
      '    e patch (assumed) {"notes":["b","e"]} <- head <- chat',
      '  x patch {"notes":["x"]} <- other',
    );
    assert.deepEqual(moves(), [{ at: 7, kind: 'rollback', origin: 5, target: 2, refusal: null }]);
  });

  test('a rollback of one conversation moves others only if they have no head of their own', () => {
    move('c', 'chat');
    assert.deepEqual(
      [undefined, 'chat', 'other'].map((conversation) => states.base(conversation).head?.checkpoint),
      ['x', 'c', 'x'],
    );
    move('a', 'other');
    assert.deepEqual(
      [undefined, 'chat', 'other'].map((conversation) => states.base(conversation).head?.checkpoint),
      ['a', 'c', 'a'],
    );
  });

  test('8.6: a way back that was refused is noted, and moves nothing', () => {
    const before = states.tree;
    move('a', 'chat', { refusal: 'Too old.', from: 4 });
    assert.equal(states.tree, before);
    assert.deepEqual(moves(), [{ at: 7, kind: 'rollback', origin: 4, target: 1, refusal: 'Too old.' }]);
    assert.match(states.counts, /version 6$/, 'whoever looks on sees it');
  });

  test('to go on from somewhere takes away what kept calls from being sent', () => {
    states.call('y', { body: note('y'), parent: 'nowhere' });
    assert.equal(states.base().blocked?.checkpoint, 'y');
    move('x', undefined, { kind: 'continue', refusal: 'No.' });
    assert.equal(states.base().blocked?.checkpoint, 'y');
    move('x', undefined, { kind: 'continue' });
    assert.deepEqual([states.base().blocked, states.base().state], [undefined, '{"notes":["x"]}']);
  });

  test('a head without a known state is reported, and sends nothing', () => {
    states.call('y', { body: data(1), parent: 'nowhere' });
    move('nowhere');
    const { head, state, blocked } = states.base();
    assert.deepEqual([head?.checkpoint, state, blocked?.form], ['nowhere', undefined, 'placeholder']);
    assert.equal(states.base(undefined, 'server').blocked, undefined, 'where the server keeps it, it is not missed');
  });

  test('8.5: a server that goes back under another name is followed there', () => {
    const { kind } = states.call('b2', { cause: 'rollback', base: states.place('b'), at: 9 });
    assert.equal(kind, 'kept');
    treeIs(
      'a data {"notes":[]}',
      '  b patch (assumed) {"notes":["b"]}',
      '    c patch (assumed) {"notes":["b","c"]}',
      '      d patch (assumed) {"notes":["b","c","d"]}',
      '    b2 same (rollback) {"notes":["b"]} <- head <- chat',
      '  x patch {"notes":["x"]} <- other',
    );
    assert.deepEqual(moves(), [{ at: 9, kind: 'rollback', origin: 5, target: 6, refusal: null }]);
    states.call('c', { cause: 'rollback', base: states.place('b'), conversation: 'chat' });
    assert.deepEqual(
      [undefined, 'chat'].map((conversation) => states.base(conversation).head?.checkpoint),
      ['c', 'c'],
      'to one that is known',
    );
  });

  test('8.8: a checkpoint that its server gave up is marked, and what the host has of it stays', () => {
    states.queries.markPruned(states.place('b'));
    treeIs(
      'a data {"notes":[]}',
      '  b patch (assumed) pruned {"notes":["b"]}',
      '    c patch (assumed) {"notes":["b","c"]}',
      '      d patch (assumed) {"notes":["b","c","d"]} <- chat',
      '  x patch {"notes":["x"]} <- head <- other',
    );
    assert.match(states.counts, /version 6$/);
    assert.throws(() => states.queries.markPruned(99), /no longer kept/);
  });

  test('the heads of the conversations that worked last are kept', () => {
    for (let i = 0; i < MAX_HEADS; i++) states.call(`n${i}`, { conversation: `talk ${i}`, at: 10 + i });
    const [{ heads } = {}] = states.database.prepare('SELECT count(*) AS heads FROM heads').all();
    assert.equal(heads, MAX_HEADS);
    assert.deepEqual(
      ['chat', 'talk 0', 'talk 199'].map((conversation) => states.base(conversation).head?.checkpoint),
      ['n199', 'n0', 'n199'],
    );
  });

  test('names are one line of a hundred characters, and go with an empty one', () => {
    const named = (name: string): string | undefined => {
      states.queries.annotate(1, { name });
      return states.call('a').node.name;
    };
    assert.deepEqual(
      [named('  before\r\n\tthe \u202Eflood\u0000 '), named('𝄞'.repeat(101))?.length, named(' \n')],
      ['before the flood', 200, undefined],
    );
    states.queries.annotate(1, { isPinned: true });
    states.queries.annotate(1, { name: 'kept' });
    const { node } = states.call('a');
    assert.deepEqual([node.name, node.isPinned], ['kept', true]);
    assert.match(states.counts, /version 10$/);
    assert.throws(() => states.queries.annotate(99, { name: 'x' }), /no longer kept/);
  });
});
