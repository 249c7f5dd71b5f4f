import assert from 'node:assert/strict';
import { CancellationSource } from '../../../src/core/index.ts';
import { failWith, NO_ANSWER } from './mcplCase.ts';
import { type StateCase, stateCases } from './stateCase.ts';

const A = { checkpoint: 'a', parent: null, data: { notes: [] } };
const step = (checkpoint: string, parent: string, note: number) => ({
  checkpoint,
  parent,
  patch: [{ op: 'add', path: '/notes/-', value: note }],
});

/** Three checkpoints in a row. */
async function line(opened: StateCase): Promise<StateCase> {
  assert.equal(await opened.edit(A), 'kept a');
  assert.equal(await opened.edit(step('b', 'a', 1)), 'kept b');
  assert.equal(await opened.edit(step('c', 'b', 2)), 'kept c');
  return opened;
}

const LINE = ['a data', 'b < a patch', 'c < b patch head'];

stateCases('rollback', (open) => {
  test('§8.5, §8.6: the server is asked, and the next call goes on from there on a branch', async () => {
    const opened = await line(await open());
    assert.equal(await opened.goBack('a'), 'rolledBack a');
    assert.deepEqual(await opened.asked(), ['{"featureSet":"book","checkpoint":"a"}']);
    assert.deepEqual(await opened.tree(), ['a data head', 'b < a patch aside', 'c < b patch aside']);
    assert.equal(await opened.edit(step('d', 'a', 3)), 'kept d');
    assert.equal((await opened.sent()).at(-1), '{"state":{"notes":[]}}');
    assert.deepEqual(await opened.tree(), ['a data', 'b < a patch aside', 'c < b patch aside', 'd < a patch head']);
    // The branch that was left is unchanged, and can be the target again.
    assert.equal(await opened.stateAt('c'), '{"notes":[1,2]}');
    assert.equal(await opened.goBack('c'), 'rolledBack c');
    await opened.edit(undefined);
    assert.equal((await opened.sent()).at(-1), '{"state":{"notes":[1,2]}}');
    assert.deepEqual(await opened.mcpl.audit('state/rollback'), [
      'case state/rollback book success: a',
      'case state/rollback book success: c',
    ]);
  });

  test('a server that cannot go back says why, and nothing moves', async () => {
    const opened = await line(await open());
    opened.rollback = ({ checkpoint = null }) => ({
      checkpoint,
      success: false,
      reason: 'The letter was \u001b[31msent.',
    });
    assert.equal(await opened.goBack('a'), 'refused, can continue: The letter was [31msent.');
    assert.deepEqual(await opened.tree(), LINE);
    await opened.edit(undefined);
    assert.equal((await opened.sent()).at(-1), '{"state":{"notes":[1,2]}}');
    const { place } = await opened.find('a');
    const detail = await opened.lineages.checkpoint(place);
    assert.deepEqual(
      detail?.moves.map(({ kind, to, refusal }) => [kind, to === place, refusal]),
      [['rollback', true, 'The letter was [31msent.']],
    );
  });

  test('the user can continue from the host’s state without asking the server', async () => {
    const opened = await line(await open());
    opened.rollback = () => ({ checkpoint: 'a', success: false });
    assert.match(await opened.goBack('a'), /^refused, can continue: /);
    assert.equal(await opened.continueFrom('a'), 'continued');
    assert.equal((await opened.asked()).length, 1);
    await opened.edit(undefined);
    assert.equal((await opened.sent()).at(-1), '{"state":{"notes":[]}}');
  });

  test('§8.8: a checkpoint that the server no longer has is marked, and nothing moves', async () => {
    const opened = await line(await open());
    opened.rollback = ({ checkpoint = null }) => failWith(-32005, 'Checkpoint not found', { checkpoint });
    assert.equal(await opened.goBack('a'), 'pruned, can continue');
    assert.deepEqual(await opened.tree(), ['a data pruned', 'b < a patch', 'c < b patch head']);
    assert.equal(await opened.stateAt('a'), '{"notes":[]}');
  });

  test('what only the server kept is gone with it', async () => {
    const opened = await open({ book: { hostState: false } });
    await opened.edit({ checkpoint: 'a', parent: null });
    await opened.edit({ checkpoint: 'b', parent: 'a' });
    opened.rollback = () => failWith(-32005, 'Checkpoint not found');
    assert.equal(await opened.goBack('a'), 'pruned');
    assert.match(await opened.continueFrom('a'), /^ROLLBACK_UNAVAILABLE /);
    await opened.edit(undefined);
    assert.equal((await opened.sent()).at(-1), '{"checkpoint":"b"}');
  });

  test('where the server says that it is at another one, that is the head', async () => {
    const opened = await line(await open());
    opened.rollback = () => ({ checkpoint: 'z', success: true });
    assert.equal(await opened.goBack('a'), 'elsewhere z, asked for a');
    assert.deepEqual(await opened.tree(), [
      'a data',
      'b < a patch aside',
      'c < b patch aside',
      'z < a (rollback) same head',
    ]);
    await opened.edit(step('d', 'z', 4));
    assert.equal((await opened.sent()).at(-1), '{"state":{"notes":[]}}');
    assert.equal(await opened.stateAt('d'), '{"notes":[4]}');
    // An existing checkpoint keeps its parent.
    opened.rollback = () => ({ checkpoint: 'b', success: true });
    assert.equal(await opened.goBack('a'), 'elsewhere b, asked for a');
    await opened.edit(undefined);
    assert.equal((await opened.sent()).at(-1), '{"state":{"notes":[1]}}');
  });

  for (const [what, answers, said] of [
    ['an error', () => failWith(-32000, 'The disk is full.'), /^refused, can continue: .*The disk is full\./],
    ['no such method', () => failWith(-32601, 'Unknown.'), /^refused, can continue: /],
    ['no result that says so', () => ({ checkpoint: 'a' }), /^(?:refused|unanswered), can continue: /],
    [
      'a "success" that is no truth',
      () => ({ checkpoint: 'a', success: 'yes' }),
      /^(?:refused|unanswered), can continue: /,
    ],
    ['a text', () => 'done', /^(?:refused|unanswered), can continue: /],
  ] as const)
    test(`nothing moves for ${what}`, async () => {
      const opened = await line(await open());
      opened.rollback = answers;
      assert.match(await opened.goBack('a'), said);
      assert.deepEqual(await opened.tree(), LINE);
    });

  test('without an answer nothing moves, and calls of the set wait for it', async () => {
    const opened = await line(await open({ server: { entry: { timeouts: { call: 1 } } } }));
    opened.rollback = () => NO_ANSWER as never;
    const back = opened.goBack('a');
    await opened.mcpl.life().until('state/rollback');
    const edit = opened.edit(step('d', 'c', 3));
    assert.equal((await opened.sent()).length, 3);
    assert.match(await back, /^unanswered, can continue: /);
    assert.equal(await edit, 'kept d');
    assert.deepEqual(await opened.tree(), ['a data', 'b < a patch', 'c < b patch', 'd < c patch head']);
  });

  test('can be given up, and nothing moves', async () => {
    const opened = await line(await open());
    opened.rollback = () => NO_ANSWER as never;
    const source = new CancellationSource();
    const back = opened.goBack('a', { token: source.token });
    await opened.mcpl.life().until('state/rollback');
    source.cancel();
    assert.match(await back, /^(?:unanswered, can continue: |CANCELLED )/);
    assert.deepEqual(await opened.tree(), LINE);
    await opened.edit(undefined);
    assert.equal((await opened.sent()).at(-1), '{"state":{"notes":[1,2]}}');
  });

  test('a set without rollback is not asked', async () => {
    const opened = await line(await open({ book: { rollback: false } }));
    const plan = await opened.lineages.plan((await opened.find('a')).place);
    assert.ok(plan.hindrance !== undefined);
    assert.match(await opened.goBack('a'), /^ROLLBACK_UNAVAILABLE /);
    assert.deepEqual(await opened.asked(), []);
    assert.deepEqual(await opened.tree(), LINE);
  });

  test('a server that does not run, or whose set is off, is not asked, and the plan says so', async () => {
    const opened = await line(await open());
    const { place } = await opened.find('a');
    assert.equal((await opened.lineages.plan(place)).hindrance, undefined);
    await opened.mcpl.disable('book');
    assert.match((await opened.lineages.plan(place)).hindrance ?? '', /off/);
    assert.match(await opened.goBack('a'), /^ROLLBACK_UNAVAILABLE /);
    await opened.mcpl.enable('book');
    await opened.mcpl.host.stop('case');
    assert.match((await opened.lineages.plan(place)).hindrance ?? '', /not running/);
    assert.match(await opened.goBack('a'), /^ROLLBACK_UNAVAILABLE /);
    assert.deepEqual(await opened.tree(), LINE);
  });

  test('a plan lists the checkpoints that would be left, their tools, and whether these have other effects', async () => {
    const opened = await line(await open());
    const plan = await opened.lineages.plan((await opened.find('a')).place);
    assert.deepEqual(
      [plan.left.map(({ checkpoint }) => checkpoint), plan.leftCount, plan.isBack, plan.hasState, plan.canContinue],
      [['c', 'b'], 2, true, true, true],
    );
    assert.deepEqual(
      plan.tools.map(({ tool, count }) => [tool, count]),
      [['edit', 2]],
    );
  });

  test('the lineage, where one is in it, and the way back survive a restart of the host', async () => {
    const opened = await line(await open());
    await opened.goBack('a');
    await opened.edit(step('d', 'a', 3));
    await opened.goBack('b');
    const before = await opened.tree();
    assert.deepEqual(before, ['a data', 'b < a patch head', 'c < b patch aside', 'd < a patch aside']);
    await opened.reopen();
    assert.deepEqual(await opened.tree(), before);
    assert.equal(await opened.goBack('d'), 'rolledBack d');
    await opened.edit(undefined);
    assert.deepEqual(await opened.sent(), ['{"state":{"notes":[3]}}']);
  });
});
