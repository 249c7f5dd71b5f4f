import assert from 'node:assert/strict';
import { CancellationSource } from '../../../../src/core/base/cancellation.ts';
import { Deferred } from '../../../../src/core/base/async.ts';
import type { Json } from '../../../../src/core/base/json.ts';
import { settle } from '../../../support/fakeClock.ts';
import { failWith, NO_ANSWER } from '../../../support/scriptedServer.ts';
import { FailingStates, git, notes, StateCase, type StateSetting } from './stateCase.ts';

const add = (value: Json): Json => [{ op: 'add', path: '/notes/-', value }];

/** a <- b <- c, with c as the head. */
async function grown(setting: StateSetting = {}): Promise<StateCase> {
  const c = await StateCase.open(setting);
  await c.call({ checkpoint: 'a', parent: null, data: { notes: [] } });
  await c.call({ checkpoint: 'b', parent: 'a', patch: add('b') });
  await c.call({ checkpoint: 'c', parent: 'b', patch: add('c') });
  return c;
}

async function rollBack(c: StateCase, checkpoint: string, chat?: string): Promise<string> {
  const told = c.t.host.lineages.rollBack(await c.place(checkpoint), { conversation: chat }).then(
    (result) => {
      const { kind } = result;
      if (kind === 'rolledBack') return `${kind} ${result.head.checkpoint}`;
      if (kind === 'elsewhere') return `${kind} ${result.head.checkpoint} for ${result.asked.checkpoint}`;
      const reason = kind === 'pruned' ? '' : ` ${result.reason}`;
      return `${kind}${reason}${result.canContinue ? ' (can continue)' : ''}`;
    },
    (error: unknown) => String(error),
  );
  await settle();
  return told;
}

const asked = (c: StateCase): readonly string[] =>
  c.t.server.heard.filter((line) => line.startsWith('state/rollback')).map((line) => line.slice(15));

const moves = async (c: StateCase, checkpoint: string): Promise<readonly string[]> => {
  const detail = await c.t.host.lineages.checkpoint(await c.place(checkpoint));
  return (detail?.moves ?? []).map(({ kind, refusal }) => [kind, refusal].filter(Boolean).join(': '));
};

suite('A rollback (MCPL §8.5, §8.6)', () => {
  test('MCPL §8.5: that succeeds sends the state from there on, and what comes then branches', async () => {
    const c = await grown();
    assert.equal(await rollBack(c, 'a'), 'rolledBack a');
    assert.deepEqual(asked(c), ['{"featureSet":"notes","checkpoint":"a"}']);
    assert.deepEqual(await c.tree(), ['c <- b patch', 'b <- a patch', '*a data']);
    await c.call({ checkpoint: 'd', parent: 'a', patch: add('d') });
    await c.call(undefined);
    assert.deepEqual(c.sent.slice(3), ['{"state":{"notes":[]}}', '{"state":{"notes":["d"]}}']);
    assert.deepEqual(await c.tree(), ['*d <- a patch', 'c <- b patch', 'b <- a patch', 'a data']);
    assert.deepEqual(await c.audit('state/rollback'), ['notes | success | a']);
    assert.deepEqual(await moves(c, 'a'), ['rollback']);
    await c.close();
  });

  test('MCPL §8.6: that the server refuses moves nothing, and says why', async () => {
    const c = await grown();
    const reason = `It was \u202Esent.\u0007${'!'.repeat(3_000)}`;
    c.rollsBack(() => ({ checkpoint: 'a', success: false, reason }));
    const told = await rollBack(c, 'a');
    assert.match(told, /^refused It was sent\.!+… \(can continue\)$/);
    assert.ok(told.length <= 2_030);
    assert.deepEqual(await c.tree(), ['*c <- b patch', 'b <- a patch', 'a data']);
    assert.match((await moves(c, 'a')).join(), /^rollback: It was sent/);
    assert.match((await c.audit('state/rollback')).join(), /^notes \| failure \| a: It was sent/);
    c.rollsBack(() => 'what?');
    assert.equal(await rollBack(c, 'a'), 'refused It gave no reason. (can continue)');
    c.rollsBack(() => failWith(-32601, 'no such method'));
    assert.match(await rollBack(c, 'a'), /^refused .*no such method.* \(can continue\)$/);
    await c.close();
  });

  test('MCPL §8.8: to what the server gave up marks it, and moves nothing', async () => {
    const c = await grown();
    c.rollsBack(() => failWith(-32005, 'Checkpoint not found', { checkpoint: 'a' }));
    assert.equal(await rollBack(c, 'a'), 'pruned (can continue)');
    assert.deepEqual(await c.tree(), ['*c <- b patch', 'b <- a patch', 'a data pruned']);
    assert.equal((await c.audit('state/rollback')).length, 1);
    await c.t.host.lineages.continueFrom(await c.place('a'));
    await c.call(undefined);
    assert.equal(c.sent.at(-1), '{"state":{"notes":[]}}');
    await c.close();
  });

  test('that leads to another name is at that one from then on', async () => {
    const c = await grown();
    c.rollsBack(() => ({ checkpoint: 'a2', success: true }));
    assert.equal(await rollBack(c, 'a'), 'elsewhere a2 for a');
    assert.deepEqual(await c.tree(), ['*a2 <- a same', 'c <- b patch', 'b <- a patch', 'a data']);
    await c.call(undefined);
    assert.equal(c.sent.at(-1), '{"state":{"notes":[]}}');
    assert.deepEqual(await c.audit('state/rollback'), ['notes | success | a: the server went to a2']);
    c.rollsBack(() => ({ checkpoint: 'b', success: true }));
    assert.equal(await rollBack(c, 'c'), 'elsewhere b for c');
    assert.deepEqual([await moves(c, 'b'), await moves(c, 'c')], [['rollback'], []]);
    await c.call(undefined);
    assert.equal(c.sent.at(-1), '{"state":{"notes":["b"]}}');
    await c.close();
  });

  test('that leads to where no state is known moves nothing here, and blocks what would go on from it', async () => {
    const c = await grown();
    await c.call({ checkpoint: 'x', parent: 'c', patch: [{ op: 'remove', path: '/nowhere' }] });
    c.rollsBack(() => ({ checkpoint: 'x2', success: true }));
    assert.equal(await rollBack(c, 'x'), 'unanswered The server went to x2, whose state is not known here.');
    assert.deepEqual((await c.tree()).slice(0, 3), ['x2 <- x same broken', 'x <- c patch broken', '*c <- b patch']);
    assert.match(await c.call(undefined), /^The tool "add" was not called: the state of "notes" after checkpoint x2 /);
    await c.close();
  });

  test('of what a server keeps itself names the checkpoint with the next call', async () => {
    const c = await StateCase.open({ sets: { git }, tools: { commit: 'git' } });
    await c.call({ checkpoint: 'a' }, 'commit');
    await c.call({ checkpoint: 'b' }, 'commit');
    assert.equal(await rollBack(c, 'a'), 'rolledBack a');
    await c.call({ checkpoint: 'c' }, 'commit');
    assert.equal(c.sent.at(-1), '{"checkpoint":"a"}');
    assert.deepEqual(await c.tree('git'), ['*c <~ a opaque', 'b <~ a opaque', 'a opaque']);
    c.rollsBack(() => ({ checkpoint: 'a', success: false }));
    assert.equal(await rollBack(c, 'a'), 'refused It gave no reason.');
    await assert.rejects(c.t.host.lineages.continueFrom(await c.place('a')), {
      code: 'ROLLBACK_UNAVAILABLE',
      message: 'The server "a" keeps its state itself: only it can go back to a.',
    });
    await c.close();
  });

  test('without an answer moves nothing, and says that the outcome is unknown', async () => {
    const c = await grown();
    c.rollsBack(() => NO_ANSWER);
    const late = rollBack(c, 'a');
    await settle();
    await c.t.clock.advance(60_000);
    assert.match(await late, /^unanswered /);
    const cancel = new CancellationSource();
    const taken = c.t.host.lineages.rollBack(await c.place('a'), { token: cancel.token });
    await settle();
    cancel.cancel();
    assert.equal((await taken).kind, 'unanswered');
    const lost = rollBack(c, 'a');
    await settle();
    await c.t.host.stop('a');
    assert.match(await lost, /^unanswered /);
    assert.deepEqual(await c.tree(), ['*c <- b patch', 'b <- a patch', 'a data']);
    assert.deepEqual(
      (await c.audit('state/rollback')).map((line) => line.split(' | ')[1]),
      ['failure', 'cancelled', 'timeout'],
    );
    assert.equal((await moves(c, 'a')).length, 3);
    await c.close();
  });

  test('is not asked for where the server cannot go back: nothing is sent', async () => {
    const c = await grown({
      sets: { notes, fixed: { ...notes, rollback: false }, git },
      tools: { add: 'notes', keep: 'fixed', commit: 'git' },
    });
    await c.call({ checkpoint: 'f', data: 1 }, 'keep');
    await c.call({ checkpoint: 'p', parent: 'unseen', data: 1 });
    const why = async (checkpoint: string): Promise<string | undefined> => {
      const { hindrance } = await c.t.host.lineages.plan(await c.place(checkpoint));
      const told = await rollBack(c, checkpoint);
      assert.equal(told.replace(/^HostError: /, ''), hindrance);
      return hindrance;
    };
    assert.equal(await why('f'), 'The feature set "fixed" does not offer to roll back.');
    assert.match((await why('unseen')) ?? '', /^Nothing but its name is known of unseen\./);
    await c.rewrite({ featureSets: { enabled: ['git'] } });
    assert.equal(await why('a'), 'The feature set "notes" is off. Switch it on, then try again.');
    await c.t.host.stop('a');
    assert.equal(await why('a'), 'The server "a" is not running. Start it, then try again.');
    assert.deepEqual(asked(c), []);
    assert.deepEqual(
      (await c.audit('state/rollback')).map((line) => line.split(' | ')[1]),
      Array(4).fill('refused'),
    );
    await assert.rejects(c.t.host.lineages.rollBack(await c.place('f')), {
      code: 'ROLLBACK_UNAVAILABLE',
      effect: 'none',
    });
    await assert.rejects(c.t.host.lineages.rollBack(9_999), { code: 'UNKNOWN_CHECKPOINT' });
    await assert.rejects(c.t.host.lineages.plan(9_999), { code: 'UNKNOWN_CHECKPOINT' });
    await assert.rejects(c.t.host.lineages.continueFrom(9_999), { code: 'UNKNOWN_CHECKPOINT' });
    await c.close();
  });

  test('waits its turn behind the calls of its set, and the calls after it have its state', async () => {
    const c = await grown();
    const first = new Deferred<Json>();
    c.answers(() => first.promise);
    const call = c.begin('add');
    await settle();
    const back = rollBack(c, 'a');
    await settle();
    const next = c.begin('add');
    await settle();
    assert.deepEqual(asked(c), []);
    c.answers(() => ({ content: [] }));
    first.resolve({ content: [], state: { checkpoint: 'd', parent: 'c', patch: add('d') } });
    assert.equal(await back, 'rolledBack a');
    await Promise.all([call, next]);
    assert.equal(c.sent.at(-1), '{"state":{"notes":[]}}');
    await c.close();
  });

  test('that is taken back while it waits is not sent', async () => {
    const c = await grown();
    const first = new Deferred<Json>();
    c.answers(() => first.promise);
    const call = c.begin('add');
    await settle();
    const cancel = new CancellationSource();
    const back = c.t.host.lineages.rollBack(await c.place('a'), { token: cancel.token });
    await settle();
    cancel.cancel();
    await assert.rejects(back, { code: 'CANCELLED', message: 'The rollback was cancelled.' });
    first.resolve({ content: [] });
    await call;
    assert.deepEqual(asked(c), []);
    await c.close();
  });

  test('is not sent where its set was switched off while it waited', async () => {
    const c = await grown();
    const first = new Deferred<Json>();
    c.answers(() => first.promise);
    const call = c.begin('add');
    await settle();
    const back = rollBack(c, 'a');
    await settle();
    await c.rewrite({ featureSets: { enabled: [] } });
    first.resolve({ content: [] });
    assert.match(await back, /The feature set "notes" is off\. Switch it on, then try again\./);
    await call;
    assert.deepEqual(asked(c), []);
    await c.close();
  });

  test('lifts what blocked the set', async () => {
    const c = await grown();
    await c.call({ checkpoint: 'x', parent: 'c', patch: 'none' });
    assert.match(await c.call(undefined), /was not called/);
    assert.equal(await rollBack(c, 'c'), 'rolledBack c');
    assert.equal(await c.call(undefined), 'done');
    assert.equal(c.sent.at(-1), '{"state":{"notes":["b","c"]}}');
    await c.close();
  });

  test('of one conversation does not move the others', async () => {
    const c = await StateCase.open();
    await c.call({ checkpoint: 'a', data: { notes: [] } });
    await c.call({ checkpoint: 'b', parent: 'a', patch: add('one') }, 'add', 'one');
    await c.call({ checkpoint: 'c', parent: 'a', patch: add('two') }, 'add', 'two');
    assert.equal(await rollBack(c, 'a', 'two'), 'rolledBack a');
    await c.call(undefined, 'add', 'one');
    await c.call(undefined, 'add', 'two');
    assert.deepEqual(c.sent.slice(3), ['{"state":{"notes":["one"]}}', '{"state":{"notes":[]}}']);
    await c.close();
  });

  test('that happened and cannot be stored is reported as both', async () => {
    const states = new FailingStates();
    const c = await grown({ storage: states.storage });
    states.fill();
    await assert.rejects(c.t.host.lineages.rollBack(await c.place('a')), {
      code: 'STORAGE_FAILED',
      effect: 'applied',
      message: 'The server went back to a, and that could not be stored: The disk is full.',
    });
    assert.match((await c.audit('state/rollback')).join(), /^notes \| failure \| The server went back to a, and/);
    await c.close();
  });

  test('is announced with any outcome, and shows no secret', async () => {
    const c = await StateCase.open({
      entry: { env: { KEY: '${input:key}' } },
      prepare: (t) => {
        t.inputs['key'] = { kind: 'value', value: 'hunter2secret', secret: true };
      },
    });
    await c.call({ checkpoint: 'a', data: 1 });
    await c.call({ checkpoint: 'b', data: 2 });
    await c.t.host.lineages.loaded();
    let count = 0;
    const heard = c.t.host.lineages.onDidChange(() => count++);
    await c.t.clock.advance(100);
    count = 0;
    const told: string[] = [];
    for (const answer of [
      { checkpoint: 'a', success: true },
      { checkpoint: 'other', success: true },
      { checkpoint: 'a', success: false, reason: 'It has hunter2secret.' },
    ]) {
      c.rollsBack(() => answer);
      told.push(await rollBack(c, 'a'));
      await c.t.clock.advance(100);
    }
    await c.t.host.lineages.continueFrom(await c.place('b'));
    await c.t.clock.advance(100);
    assert.equal(count, 4);
    assert.deepEqual(told, ['rolledBack a', 'elsewhere other for a', 'refused It has [secret: key]. (can continue)']);
    assert.doesNotMatch(JSON.stringify([await c.audit('state/rollback'), await moves(c, 'a')]), /hunter2/);
    heard.dispose();
    await c.close();
  });

  test('leaves behind what cannot be stored', async () => {
    const states = new FailingStates();
    const c = await grown({ storage: states.storage });
    states.fails.set('record', 'It is too strange.');
    await c.call({ checkpoint: 'd', parent: 'c', patch: add('d') });
    assert.match(await c.call(undefined), /It is too strange/);
    assert.equal(await rollBack(c, 'a'), 'rolledBack a');
    assert.equal(await c.call(undefined), 'done');
    assert.deepEqual(await c.tree(), ['c <- b patch', 'b <- a patch', '*a data']);
    assert.match(c.t.logs.join('\n'), /States that could not be stored were given up: 1\./);
    await c.close();
  });
});

suite('What a rollback would mean', () => {
  test('names what would be left, by which tools, and which of these reach beyond their state', async () => {
    const c = await StateCase.open({
      tools: { add: 'notes', mail: 'notes', look: 'notes', tidy: 'notes', post: 'notes' },
      hints: {
        add: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
        look: { readOnlyHint: true, openWorldHint: true },
        tidy: { destructiveHint: true, openWorldHint: false },
        post: { destructiveHint: false, openWorldHint: true },
      },
    });
    await c.call({ checkpoint: 'a', data: { notes: [] } });
    for (const [at, name] of ['post', 'mail', 'look', 'tidy', 'add', 'add'].entries())
      await c.call({ checkpoint: `n${at}`, patch: add(at) }, name);
    const plan = await c.t.host.lineages.plan(await c.place('a'));
    assert.deepEqual(
      [plan.server, plan.featureSet, plan.hindrance, plan.canContinue, plan.hasState, plan.isBack, plan.leftCount],
      ['a', 'notes', undefined, true, true, true, 6],
    );
    assert.deepEqual(plan.tools, [
      { tool: 'add', count: 2, reachesOut: false },
      { tool: 'tidy', count: 1, reachesOut: true },
      { tool: 'look', count: 1, reachesOut: false },
      { tool: 'mail', count: 1, reachesOut: true },
      { tool: 'post', count: 1, reachesOut: true },
    ]);
    await c.t.host.stop('a');
    const later = await c.t.host.lineages.plan(await c.place('a'));
    assert.match(later.hindrance ?? '', /is not running/);
    await c.close();
  });

  test('cannot be continued from without a state', async () => {
    const c = await grown();
    await c.call({ checkpoint: 'x', parent: 'unseen', patch: add(1) });
    const place = await c.place('x');
    assert.equal((await c.t.host.lineages.plan(place)).canContinue, false);
    await assert.rejects(c.t.host.lineages.continueFrom(place), {
      code: 'ROLLBACK_UNAVAILABLE',
      message: 'The host has no state at x to go on with.',
    });
    await c.close();
  });
});
