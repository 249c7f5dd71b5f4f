import assert from 'node:assert/strict';
import { HostError } from '../../../../src/core/base/errors.ts';
import { settle } from '../../../support/fakeClock.ts';
import { AFTER, checker, failureOf, HookMember, HookStage } from './hookStage.ts';

const changed = (text: string) => ({ featureSet: 'hooks', modifiedResponse: text });

function listener(name: string): HookMember {
  const member = new HookMember(name);
  member.dialect = { before: false, after: 'notify' };
  return member;
}

suite('After a model has answered', () => {
  test('servers that are only notified get the shown answer, which streams', async () => {
    const [told, blind] = [listener('told'), listener('blind')];
    blind.hooks = { ...blind.hooks, readUserMessage: false };
    const stage = new HookStage(told, blind);
    const result = await stage.said(['I am ', 'fine.']);
    assert.deepEqual(stage.shown, ['I am ', 'fine.']);
    const params = {
      inferenceId: 'inf_1',
      conversationId: 'c1',
      turnIndex: 0,
      userMessage: 'How are you?',
      assistantMessage: 'I am fine.',
      model: { id: 'fake-1', vendor: 'acme', contextWindow: 8_000, capabilities: ['vision'] },
      usage: { inputTokens: 12, outputTokens: 10 },
    };
    assert.deepEqual(told.notified, [{ method: AFTER, params }]);
    assert.deepEqual(blind.notified, [{ method: AFTER, params: { ...params, userMessage: null } }]);
    assert.deepEqual([told.requests.length, told.hooksUnderWay, result.text], [0, 0, 'I am fine.']);
    assert.equal(
      stage.audited,
      ['told', 'blind'].map((name) => `${name} ${AFTER} hooks inf_1 success 0 ms - Told of the answer.`).join('\n'),
    );
  });

  test('servers that may change it do so one after the other, and nothing is shown before', async () => {
    const seen: string[] = [];
    const loud = checker('loud', (text) => changed((seen.push(text), text.toUpperCase())));
    const redactor = checker('redactor', (text) => changed(text.replace('secret', 'x')), { order: -1 });
    const same = checker('same', (text) => changed(text), { order: 2 });
    const told = listener('told');
    const stage = new HookStage(told, loud, redactor, same);
    const turn = stage.run();
    await settle();
    stage.model.last.say('the sec');
    stage.model.last.say('ret');
    await settle();
    assert.deepEqual(stage.shown, []);
    stage.says();
    const result = await turn;
    assert.deepEqual(stage.shown, ['THE X']);
    assert.deepEqual([result.text, result.modifiedBy, result.remarks], ['THE X', ['redactor', 'loud'], []]);
    assert.deepEqual(seen, ['the x']);
    assert.equal(told.notified[0]?.params['assistantMessage'], 'THE X');
    assert.deepEqual(result.usage, { inputTokens: 12, outputTokens: 10 });
    assert.deepEqual(stage.steps, [
      'Having redactor check the answer',
      'Having loud check the answer',
      'Having same check the answer',
    ]);
    assert.equal(
      stage.audited,
      [
        `redactor ${AFTER} hooks inf_1 success 0 ms - Changed the answer.`,
        `loud ${AFTER} hooks inf_1 success 0 ms - Changed the answer.`,
        `same ${AFTER} hooks inf_1 success 0 ms - Left the answer as it was.`,
        `told ${AFTER} hooks inf_1 success 0 ms - Told of the answer.`,
      ].join('\n'),
    );
  });

  test('hidden characters that a server puts into an answer are shown, and those of the model stay', async () => {
    const stage = new HookStage(checker('sly', (text) => changed(`${text}\u{e0041}\u200b`)));
    const result = await stage.said(['Fine. 👩‍💻']);
    assert.deepEqual([result.text, stage.shown], ['Fine. 👩‍💻\\u{e0041}\\u{200b}', ['Fine. 👩‍💻\\u{e0041}\\u{200b}']]);
    const calm = new HookStage(checker('calm', (text) => changed(text)));
    assert.equal((await calm.said(['a\u200bb'])).text, 'a\u200bb');
  });

  test('an answer of which nothing is left shows nothing, and says so', async () => {
    const stage = new HookStage(checker('strict', () => changed('')));
    const result = await stage.said(['secret']);
    assert.deepEqual(stage.shown, []);
    assert.deepEqual(
      [result.text, result.modifiedBy, result.remarks],
      ['', ['strict'], ['"strict" left nothing of the answer.']],
    );
  });

  test('a server that leaves it as it is need say nothing', async () => {
    for (const answer of [null, {}, { featureSet: 'hooks' }, { featureSet: 'hooks', modifiedResponse: null }]) {
      const stage = new HookStage(checker('calm', () => answer));
      const { text, modifiedBy, remarks } = await stage.said(['plain']);
      assert.deepEqual([text, modifiedBy, remarks, stage.shown], ['plain', [], [], ['plain']]);
    }
  });

  const failing: readonly (readonly [string, (text: string) => never | object | string, string, string])[] = [
    [
      'says a number',
      () => ({ modifiedResponse: 7 }),
      'gave an answer that cannot be read: Its "modifiedResponse" is not a text',
      'failure',
    ],
    ['says no object', () => 'x', 'gave an answer that cannot be read: Its answer is not an object', 'failure'],
    [
      'names a set that is off',
      () => ({ featureSet: 'off', modifiedResponse: 'x' }),
      'gave an answer that does not count: it names the feature set "off", which has no part in this hook',
      'dropped',
    ],
    [
      'fails',
      () => new HostError('REMOTE_ERROR', 'Cannot redact "plain".', { layer: 'server', rpcCode: -32603 }),
      'failed with the error -32603',
      'failure',
    ],
  ];
  for (const [name, answer, why, outcome] of failing) {
    test(`a server that ${name} leaves the answer as it was, or withholds it, by its settings`, async () => {
      const open = new HookStage(
        checker('a', answer as never),
        checker('b', (text) => changed(`${text}!`)),
      );
      const result = await open.said(['plain']);
      assert.deepEqual([result.text, result.modifiedBy], ['plain!', ['b']]);
      assert.deepEqual(result.remarks, [`"a" did not check the answer: it ${why}.`]);
      assert.equal(open.audited.split('\n')[0], `a ${AFTER} hooks inf_1 ${outcome} 0 ms - The server ${why}.`);

      const next = checker('b', changed);
      const closed = new HookStage(
        checker('a', answer as never, { afterInference: 'failClosed' }),
        next,
        listener('c'),
      );
      assert.equal(
        await failureOf(closed.said(['plain'])),
        `ANSWER_WITHHELD | - | The answer is not shown: "a" has to check it first, and ${why}. | ` +
          'Ask again, or set "hooks.afterInference" of "a" to "failOpen" to see answers that it did not check.',
      );
      assert.deepEqual([closed.shown, next.requests.length, closed.members[2]?.notified.length], [[], 0, 0]);
      assert.equal(
        closed.audited,
        `a ${AFTER} hooks inf_1 ${outcome} 0 ms - The server ${why}. The answer was withheld.`,
      );
    });
  }

  test('a server that does not answer is waited for so long and no longer', async () => {
    for (const afterInference of ['failOpen', 'failClosed'] as const) {
      const mute = new HookMember('mute', {}, { afterInference });
      mute.dialect = { before: false, after: 'blocking' };
      const stage = new HookStage(mute);
      const turn = stage.run();
      const failure = failureOf(turn);
      await settle();
      stage.says('plain');
      await stage.clock.advance(9_999);
      assert.deepEqual([stage.shown, mute.hooksUnderWay], [[], 1]);
      await stage.clock.advance(1);
      mute.last.answer.resolve(changed('too late'));
      await settle();
      assert.deepEqual([mute.last.options.token?.isCancellationRequested, mute.hooksUnderWay], [true, 0]);
      assert.match(stage.audited, /timeout 10000 ms - The server did not answer in time/);
      if (afterInference === 'failOpen') assert.deepEqual([(await turn).text, stage.shown], ['plain', ['plain']]);
      else assert.match(await failure, /^ANSWER_WITHHELD .* and did not answer in time\. /);
      assert.equal(stage.clock.waiting, 0);
    }
  });

  test('all of them together have half a minute', async () => {
    const members = [1, 2, 3, 4, 5].map((n) => {
      const member = new HookMember(`s${n}`, {}, { afterTimeoutMs: 8_000 });
      member.dialect = { before: false, after: 'blocking' };
      return member;
    });
    const stage = new HookStage(...members);
    const turn = stage.run();
    await settle();
    stage.says('plain');
    await stage.clock.advance(30_000);
    const { text, remarks } = await turn;
    assert.deepEqual([text, members.map(({ requests }) => requests.length)], ['plain', [1, 1, 1, 1, 0]]);
    assert.equal(members[3]?.last.options.timeoutMs, 6_000);
    assert.equal(remarks.at(-1), '"s5" did not check the answer: it had no time left after the others.');
  });

  test('a server that ends or is switched off before its turn does not see the answer', async () => {
    for (const afterInference of ['failOpen', 'failClosed'] as const) {
      const [off, gone] = ['off', 'gone'].map((name) => checker(name, changed, { afterInference }));
      const stage = new HookStage(off!, gone!);
      const turn = stage.run();
      const failure = failureOf(turn);
      await settle();
      off!.sets = {};
      gone!.isConnected = false;
      stage.members.length = 0;
      stage.says('plain');
      if (afterInference === 'failClosed')
        assert.match(await failure, /"off" has to check it first, and takes no part any more/);
      else assert.deepEqual((await turn).text, 'plain');
      assert.deepEqual([off!.requests.length, gone!.requests.length], [0, 0]);
    }
  });

  test('one that ended while it was asked for context still keeps the answer back', async () => {
    const guard = new HookMember('guard', {}, { afterInference: 'failClosed' });
    guard.dialect.after = 'blocking';
    const stage = new HookStage(guard);
    const failure = failureOf(stage.run());
    await settle();
    guard.isConnected = false;
    stage.members.length = 0;
    guard.last.answer.reject(new HostError('CONNECTION_CLOSED', 'It ended.', { layer: 'transport' }));
    await settle();
    stage.says('secret');
    assert.match(await failure, /^ANSWER_WITHHELD /);
    assert.deepEqual(stage.shown, []);
  });

  test('a turn that is cancelled meanwhile shows nothing and notifies no server', async () => {
    const mute = new HookMember('mute');
    mute.dialect = { before: false, after: 'blocking' };
    const [next, told] = [checker('next', changed), listener('told')];
    const stage = new HookStage(mute, next, told);
    const failure = failureOf(stage.run());
    await settle();
    stage.says('plain');
    await settle();
    stage.source.cancel();
    assert.equal(await failure, 'CANCELLED | - | The turn was cancelled. | -');
    assert.deepEqual([stage.shown, next.requests.length, told.notified.length, stage.clock.waiting], [[], 0, 0, 0]);
    assert.deepEqual([mute.last.options.token?.isCancellationRequested, mute.hooksUnderWay], [true, 0]);
    assert.match(stage.audited, /mute .* cancelled 0 ms/);
  });
});
