import assert from 'node:assert/strict';
import { MODEL_FAILURES } from '../../../../src/core/model/inference.ts';
import { settle } from '../../../support/fakeClock.ts';
import { AFTER, BEFORE, checker, failureOf, HookMember, HookStage, injection } from './hookStage.ts';
import { failure, FakeModel } from './inferenceFakes.ts';

suite('A turn', () => {
  test('without servers is a round with the model that the host chooses', async () => {
    const stage = new HookStage();
    const result = await stage.said(['Fine', '.']);
    assert.deepEqual(result, {
      inferenceId: 'inf_1',
      text: 'Fine.',
      model: stage.model.facts,
      usage: { inputTokens: 12, outputTokens: 5 },
      finishReason: 'end_turn',
      injectedBy: [],
      modifiedBy: [],
      remarks: [],
    });
    assert.deepEqual(stage.wanted, [{ name: 'host-model', server: undefined }]);
    assert.equal(stage.model.last.request.justification, 'You asked.');
    assert.deepEqual([stage.shown, stage.clock.waiting, stage.audited], [['Fine', '.'], 0, '']);
  });

  test('of the user is audited with its model and tokens, even if it failed after the use', async () => {
    const stage = new HookStage();
    await stage.said(['Fine', '.']);
    const failing = stage.run();
    await settle();
    stage.model.last.say('Hm');
    stage.model.last.end({ kind: 'failed', reason: 'blocked', message: 'No.' });
    await failureOf(failing);
    const unused = stage.run();
    await settle();
    stage.model.last.end({ kind: 'failed', reason: 'no_permission', message: 'Ask.' });
    await failureOf(unused);
    assert.deepEqual(
      stage.own.map(({ operation, outcome, tokens, model, detail }) => [operation, outcome, tokens, model, detail]),
      [
        ['chat/turn', 'success', 17, 'acme/fake-1', '12 tokens read, 5 written.'],
        ['chat/turn', 'failure', 4, 'acme/fake-1', 'No. 3 tokens read, 1 written.'],
      ],
    );
  });

  test('counts what servers added as read', async () => {
    const stage = new HookStage(new HookMember('m', { [BEFORE]: () => injection('system', 'x') }));
    const { usage } = await stage.said(['ok']);
    assert.equal(usage.inputTokens, stage.prompt.replaceAll('user: ', '').length);
  });

  test('uses the model and the id that it was given', async () => {
    const stage = new HookStage();
    const model = new FakeModel();
    const turn = stage.run({ model, inferenceId: 'inf_told' });
    await settle();
    model.last.say('ok');
    model.last.end({ kind: 'ended', finishReason: 'max_tokens' });
    const { inferenceId, finishReason } = await turn;
    assert.deepEqual(
      [inferenceId, finishReason, stage.wanted, stage.model.runs.length],
      ['inf_told', 'max_tokens', [], 0],
    );
  });

  test('with no model asks no server anything, and says why in the words of whoever has the models', async () => {
    const member = new HookMember('a');
    const stage = new HookStage(member);
    const messages: string[] = [];
    for (const reason of MODEL_FAILURES) {
      stage.choose = () => Promise.resolve(failure(reason, 'It cannot be used.'));
      messages.push(await failureOf(stage.run()));
    }
    assert.deepEqual(messages, [
      'NO_MODEL | no_model | It cannot be used. | -',
      'NO_MODEL | no_permission | It cannot be used. | -',
      'NO_MODEL | blocked | It cannot be used. | -',
      'NO_MODEL | quota | It cannot be used. | -',
      'CANCELLED | - | The turn was cancelled. | -',
      'NO_MODEL | failed | It cannot be used. | -',
    ]);
    assert.equal(member.requests.length, 0);
    stage.choose = () => new Promise(() => undefined);
    const late = failureOf(stage.run());
    await stage.clock.advance(10_000);
    assert.match(await late, /^NO_MODEL \| failed \| The language model took too long/);
  });

  test('whose model fails, throws or is silent fails, and no server is notified', async () => {
    const guard = checker('guard', () => ({}));
    const told = new HookMember('told');
    told.dialect = { before: false, after: 'notify' };
    const stage = new HookStage(guard, told);
    const ends = [
      () => stage.model.last.end(failure('quota', 'The quota is used up.')),
      () => stage.model.last.fail(new Error('bug')),
      () => undefined,
    ];
    const messages: string[] = [];
    for (const end of ends) {
      const failed = failureOf(stage.run());
      await settle();
      stage.model.last.say('half of the secr');
      end();
      await stage.clock.advance(300_000);
      messages.push((await failed).split(' | ').slice(0, 3).join(' | '));
    }
    assert.deepEqual(messages, [
      'NO_MODEL | quota | The quota is used up.',
      'NO_MODEL | failed | The language model could not be used: bug',
      'NO_MODEL | failed | The language model took too long.',
    ]);
    assert.deepEqual([stage.shown, guard.requests.length, told.notified.length], [[], 0, 0]);
    assert.equal(stage.clock.waiting, 0);
  });

  test('that is cancelled stops the model at once, and what the model says then goes nowhere', async () => {
    const told = new HookMember('told');
    told.dialect = { before: false, after: 'notify' };
    const stage = new HookStage(told);
    const failed = failureOf(stage.run());
    await settle();
    stage.model.last.say('one');
    stage.source.cancel();
    assert.match(await failed, /^CANCELLED/);
    assert.equal(stage.model.last.token.isCancellationRequested, true);
    stage.says('two');
    await settle();
    assert.deepEqual([stage.shown, told.notified.length, stage.clock.waiting], [['one'], 0, 0]);
  });

  test('that is cancelled before it begins, while a model is chosen or while tokens are counted ends so', async () => {
    const before = new HookStage(new HookMember('a'));
    before.source.cancel();
    assert.match(await failureOf(before.run()), /^CANCELLED/);
    assert.deepEqual(before.wanted, []);

    const choosing = new HookStage(new HookMember('a'));
    choosing.choose = () => new Promise(() => undefined);
    const chosen = failureOf(choosing.run());
    await settle();
    choosing.source.cancel();
    assert.match(await chosen, /^CANCELLED/);
    assert.equal(choosing.members[0]?.requests.length, 0);

    const told = new HookMember('told', {});
    told.dialect = { before: false, after: 'notify' };
    const counting = new HookStage(told);
    counting.model.tokensOf = () => new Promise(() => undefined);
    const counted = failureOf(counting.said(['ok']));
    await settle();
    counting.source.cancel();
    assert.match(await counted, /^CANCELLED/);
    assert.equal(told.notified.length, 0);
    await counting.clock.advance(20_000);
    assert.equal(counting.clock.waiting, 0);
  });

  test('is not broken by whoever listens, nor by a model that cannot count', async () => {
    const stage = new HookStage(new HookMember('m', { [BEFORE]: () => ({}) }));
    stage.model.tokensOf = () => Promise.reject(new Error('no idea'));
    const fails = (): never => {
      throw new Error('closed');
    };
    const { text, usage } = await stage.said(['four'], { onText: fails, onStep: fails });
    assert.deepEqual([text, usage], ['four', { inputTokens: 3, outputTokens: 1 }]);
  });

  test('that continues without a new message sends none to servers', async () => {
    const member = new HookMember('a', { [BEFORE]: () => ({}), [AFTER]: () => ({}) });
    member.dialect.after = 'blocking';
    const stage = new HookStage(member);
    await stage.said(['ok'], { userMessage: null });
    assert.deepEqual(
      member.requests.map(({ method, params }) => [method, params['userMessage']]),
      [
        [BEFORE, null],
        [AFTER, null],
      ],
    );
  });

  test('holds back its text also where a server may change it only since the turn began', async () => {
    const member = new HookMember('a', { [AFTER]: () => ({ modifiedResponse: 'x' }) });
    const stage = new HookStage(member);
    const turn = stage.run();
    await settle();
    member.dialect.after = 'blocking';
    member.last.answer.resolve({});
    await settle();
    stage.says('secret');
    assert.deepEqual([(await turn).text, stage.shown], ['x', ['x']]);
  });
});

suite('A turn that a server started', () => {
  const payer = (): HookMember => {
    const member = new HookMember('feed');
    member.dialect.before = false;
    member.model = 'small';
    return member;
  };

  test('is at the cost of its budget, with its model and no longer than that allows', async () => {
    const stage = new HookStage();
    const result = await stage.said(['x'.repeat(60)], {}, payer());
    assert.deepEqual([result.text.length, result.finishReason], [40, 'max_tokens']);
    assert.deepEqual(stage.wanted, [{ name: 'small', server: 'feed' }]);
    assert.deepEqual(stage.done, [52]);
    assert.equal(stage.audited, 'feed inference/turn - inf_1 success 0 ms 52 12 tokens read, 40 written.');
  });

  test('does not begin where the budget is spent', async () => {
    const stage = new HookStage();
    stage.budget = { kind: 'refused', limit: 'tokensPerDay', message: 'It used too much.', retryAt: 5 };
    assert.equal(await failureOf(stage.run({}, payer())), 'BUDGET_SPENT | tokensPerDay | It used too much. | -');
    assert.deepEqual([stage.wanted, stage.model.runs.length], [[], 0]);
    assert.equal(stage.audited, 'feed inference/turn - inf_1 refused 0 ms - It used too much.');
  });

  test('counts the tokens before a failure, and nothing without a model', async () => {
    const cancelled = new HookStage();
    const half = failureOf(cancelled.run({}, payer()));
    await settle();
    cancelled.model.last.say('half of it');
    cancelled.source.cancel();
    await half;
    assert.deepEqual(cancelled.done, [6]);
    assert.match(cancelled.audited, /cancelled 0 ms 6 The turn was cancelled. 3 tokens read, 3 written./);

    const none = new HookStage();
    none.choose = () => Promise.resolve(failure('no_permission', 'Not allowed.'));
    await failureOf(none.run({}, payer()));
    assert.deepEqual(none.done, [undefined]);
    assert.match(none.audited, /failure 0 ms - Not allowed\.$/);
  });

  test('also counts if it is cancelled while tokens are counted', async () => {
    const stage = new HookStage();
    const failed = failureOf(stage.run({}, payer()));
    await settle();
    stage.model.tokensOf = () => new Promise(() => undefined);
    stage.says('four');
    await settle();
    stage.source.cancel();
    assert.match(await failed, /^CANCELLED/);
    assert.deepEqual(stage.done, [4]);
    await stage.clock.advance(20_000);
  });

  test('pays for an answer that is withheld', async () => {
    const stage = new HookStage(checker('guard', () => 7, { afterInference: 'failClosed' }));
    assert.match(await failureOf(stage.said(['ok'], {}, payer())), /^ANSWER_WITHHELD/);
    assert.deepEqual(stage.done, [14]);
  });
});
