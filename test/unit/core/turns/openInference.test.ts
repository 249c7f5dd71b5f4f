import assert from 'node:assert/strict';
import { CancellationSource } from '../../../../src/core/base/cancellation.ts';
import type { InferenceOpening } from '../../../../src/core/hostTypes.ts';
import { OpenInferences } from '../../../../src/core/turns/openInference.ts';
import { settle } from '../../../support/fakeClock.ts';
import { BEFORE, checker, failureOf, HookMember, HookStage, injection } from './hookStage.ts';

const USAGE = { inputTokens: 7, outputTokens: 3 };

function openingOf(stage: HookStage, changes: Partial<InferenceOpening> = {}): InferenceOpening {
  return {
    conversationId: 'c1',
    turnIndex: 2,
    userMessage: 'How are you?',
    model: stage.model.facts,
    onStep: (step) => stage.steps.push(step),
    ...changes,
  };
}

function inferencesOf(stage: HookStage): OpenInferences {
  return new OpenInferences({ ids: stage.ids, hooks: stage.hooks });
}

suite('An inference that runs elsewhere', () => {
  test('has the context of servers by position, and its answer is checked and sent once', async () => {
    const seen: string[] = [];
    const adds = new HookMember('adds', {
      [BEFORE]: (params) => {
        seen.push(`before ${String(params['turnIndex'])} ${String(params['userMessage'])}`);
        return injection('afterUser', 'Be kind.');
      },
    });
    const checks = checker('checks', (text) => ({
      featureSet: 'hooks',
      modifiedResponse: text.replace('fine', 'well'),
    }));
    const stage = new HookStage(adds, checks);
    const open = await inferencesOf(stage).open(openingOf(stage));
    assert.deepEqual(open.context, [
      {
        position: 'afterUser',
        message: {
          role: 'user',
          content: [{ type: 'text', text: '<context server="adds" namespace="facts">\nBe kind.\n</context>' }],
        },
      },
    ]);
    assert.deepEqual(
      [open.inferenceId, open.isChecked, open.injectedBy, open.remarks],
      ['inf_1', true, [{ server: 'adds', namespace: 'facts', position: 'afterUser' }], []],
    );
    const answer = { text: 'I am fine.', usage: USAGE };
    const finished = await open.finish(answer);
    assert.deepEqual(finished, { text: 'I am well.', modifiedBy: ['checks'], remarks: [] });
    assert.equal(await open.finish(answer), finished);
    assert.deepEqual(seen, ['before 2 How are you?']);
    assert.equal(
      stage.audited,
      [
        'adds context/beforeInference hooks inf_1 success 0 ms - 1 of 1 injections used.',
        'checks context/afterInference hooks inf_1 success 0 ms - Changed the answer.',
      ].join('\n'),
    );
    assert.deepEqual(stage.steps, ['Asking adds for context', 'Having checks check the answer']);
    assert.equal(stage.model.runs.length, 0);
  });

  test('keeps a server that could change the answer among those that must, though it ends meanwhile', async () => {
    const guard = checker('guard', (text) => text, { afterInference: 'failClosed' });
    const stage = new HookStage(guard);
    const open = await inferencesOf(stage).open(openingOf(stage));
    guard.sets = {};
    assert.equal(open.isChecked, true);
    assert.match(await failureOf(open.finish({ text: 'secret', usage: USAGE })), /^ANSWER_WITHHELD/);
  });

  test('that is abandoned notifies no server, and can have no answer', async () => {
    const told = new HookMember('told');
    told.dialect = { before: false, after: 'notify' };
    const stage = new HookStage(told);
    const open = await inferencesOf(stage).open(openingOf(stage));
    open.abandon();
    assert.match(await failureOf(open.finish({ text: 'late', usage: USAGE })), /^CANCELLED/);
    assert.deepEqual([told.notified, stage.audited], [[], '']);
  });

  test('is over when it is cancelled, before and while its context is gathered', async () => {
    const stage = new HookStage(new HookMember('silent'));
    const source = new CancellationSource();
    const opening = inferencesOf(stage).open(openingOf(stage, { token: source.token }));
    await settle();
    source.cancel();
    assert.match(await failureOf(opening), /^CANCELLED/);
    assert.match(await failureOf(inferencesOf(stage).open(openingOf(stage, { token: source.token }))), /^CANCELLED/);
  });

  test('waits no longer for context than its opener has time', async () => {
    const stage = new HookStage(new HookMember('slow'));
    const opening = inferencesOf(stage).open(openingOf(stage, { contextMs: 3_000 }));
    await stage.clock.advance(3_000);
    const { context, remarks } = await opening;
    assert.deepEqual(
      [context, remarks],
      [[], ['"slow" did not answer in time; the turn goes on without its context.']],
    );
  });

  test('is not opened where its answer is shown at once and a server must check it first', async () => {
    const guard = checker('guard', (text) => text, { afterInference: 'failClosed' });
    const asked = new HookMember('asked');
    const stage = new HookStage(guard, asked);
    const failure = await failureOf(inferencesOf(stage).open(openingOf(stage, { isShownAtOnce: true })));
    assert.match(failure, /^ANSWER_WITHHELD.*"guard" must see every answer first/);
    assert.deepEqual([asked.requests, guard.requests], [[], []]);
    guard.hooks = { ...guard.hooks, afterInference: 'failOpen' };
    const opening = inferencesOf(stage).open(openingOf(stage, { isShownAtOnce: true }));
    asked.last.answer.resolve({});
    assert.equal((await opening).isChecked, true);
  });
});
