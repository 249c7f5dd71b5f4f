import assert from 'node:assert/strict';
import { HostError, type Json, type JsonObject } from '../../../src/core/index.ts';
import { ask, CaseModel, type McplCase, mcplCases, type McplScript, NO_ANSWER, set } from './mcplCase.ts';
import type { Responder } from '../cases/caseServer.ts';

const AFTER = 'context/afterInference';
const MODEL = { id: 'case-model', vendor: 'case', contextWindow: 8_000, capabilities: ['text'] };
/** The params for the first turn of every case, without the answer. */
const TURN = {
  inferenceId: 'inf#1',
  conversationId: 'conversation-1',
  turnIndex: 0,
  userMessage: 'What is it?',
  model: MODEL,
};

/** A server that gets answers. With a responder it may change them. */
function guard(responder?: Responder, hooks: JsonObject = {}): McplScript {
  return {
    sets: { guard: set('contextHooks.afterInference') },
    mcpl: { contextHooks: { afterInference: { blocking: responder !== undefined } } },
    answers: responder === undefined ? {} : { [AFTER]: responder },
    entry: { featureSets: { enabled: ['guard'] }, hooks: { afterTimeoutMs: 3_000, ...hooks } },
  };
}

function modified(change: (text: string) => string, featureSet = 'guard'): Responder {
  return ({ params }) => ({ featureSet, modifiedResponse: change(String(params['assistantMessage'])) });
}

/** The answers that a server got, with whether it was asked or notified. */
function told(opened: McplCase, id?: string): readonly (readonly [string, Json])[] {
  return opened
    .life(id)
    .sent(AFTER)
    .map((message) => [
      'id' in message ? 'asked' : 'told',
      JSON.parse(opened.named(JSON.stringify(message['params']))),
    ]);
}

const secret = (): CaseModel => {
  const model = new CaseModel();
  model.says = () => ['The SEC', 'RET is ', 'out.'];
  return model;
};

mcplCases('hooks after a model has answered', (open) => {
  test('MCPL §10.5: a non-blocking server is notified of the answer, which is shown as it streams', async () => {
    const opened = await open({ server: guard(), model: secret() });
    const shown: string[] = [];
    const { text } = await opened.turn('What is it?', { onText: (piece) => shown.push(piece) });
    await opened.life().until(AFTER);
    const usage = { inputTokens: 3, outputTokens: 4 };
    assert.deepEqual([text, shown], ['The SECRET is out.', ['The SEC', 'RET is ', 'out.']]);
    assert.deepEqual(told(opened), [['told', { ...TURN, assistantMessage: 'The SECRET is out.', usage }]]);
    assert.deepEqual(await opened.audit(AFTER), [
      'case context/afterInference guard success inf#1: Told of the answer.',
    ]);
  });

  test('MCPL §10.5: servers that block change the answer one after the other, and nothing of it is shown before', async () => {
    const shown: string[] = [];
    const shownMeanwhile: string[] = [];
    const seen =
      (responder: Responder): Responder =>
      (asked) => {
        shownMeanwhile.push(shown.join(''));
        return responder(asked);
      };
    const opened = await open({
      servers: {
        listener: guard(),
        redactor: guard(seen(modified((text) => text.replace('SECRET', 'x')))),
        shouter: guard(seen(modified((text) => text.toUpperCase()))),
      },
      model: secret(),
    });
    const result = await opened.turn('What is it?', { onText: (piece) => shown.push(piece) });
    await opened.life('listener').until(AFTER);
    const usage = { inputTokens: 3, outputTokens: 4 };
    assert.deepEqual(
      { listener: told(opened, 'listener'), redactor: told(opened, 'redactor'), shouter: told(opened, 'shouter') },
      {
        listener: [['told', { ...TURN, assistantMessage: 'THE X IS OUT.', usage }]],
        redactor: [['asked', { ...TURN, assistantMessage: 'The SECRET is out.', usage }]],
        shouter: [['asked', { ...TURN, assistantMessage: 'The x is out.', usage }]],
      },
    );
    assert.deepEqual([shown, shownMeanwhile], [['THE X IS OUT.'], ['', '']]);
    assert.deepEqual([result.text, result.modifiedBy, result.remarks], ['THE X IS OUT.', ['redactor', 'shouter'], []]);
    assert.deepEqual(await opened.audit(AFTER), [
      'redactor context/afterInference guard success inf#1: Changed the answer.',
      'shouter context/afterInference guard success inf#1: Changed the answer.',
      'listener context/afterInference guard success inf#1: Told of the answer.',
    ]);
  });

  test('MCPL §13.3: where a blocking hook hangs, the answer is shown as it was, or withheld, as its settings say', async () => {
    const hangs = (afterInference: string): McplScript =>
      guard(() => NO_ANSWER, { afterTimeoutMs: 300, afterInference });
    for (const policy of ['failOpen', 'failClosed'] as const) {
      const opened = await open({ servers: { listener: guard(), guard: hangs(policy) }, model: secret() });
      const shown: string[] = [];
      const beganAt = Date.now();
      const turn = await opened
        .turn('What is it?', { onText: (piece) => shown.push(piece) })
        .catch((error: unknown) => {
          assert.ok(error instanceof HostError);
          return { code: error.code, message: error.message, suggestion: error.suggestion };
        });
      const tookMs = Date.now() - beganAt;
      assert.ok(tookMs >= 290 && tookMs < 2_000, `The turn took ${tookMs} ms.`);
      await opened.life('listener').caughtUp();
      const audit = await opened.audit(AFTER);
      if (policy === 'failOpen') {
        assert.ok('text' in turn);
        const { text, modifiedBy, remarks } = turn;
        assert.deepEqual(
          { text, modifiedBy, remarks, shown, listener: told(opened, 'listener').length },
          {
            text: 'The SECRET is out.',
            modifiedBy: [],
            remarks: ['"guard" did not check the answer: it did not answer in time.'],
            shown: ['The SECRET is out.'],
            listener: 1,
          },
        );
        assert.deepEqual(audit, [
          'guard context/afterInference guard timeout inf#1: The server did not answer in time.',
          'listener context/afterInference guard success inf#1: Told of the answer.',
        ]);
        continue;
      }
      assert.deepEqual(
        { turn, shown, listener: told(opened, 'listener') },
        {
          turn: {
            code: 'ANSWER_WITHHELD',
            message: 'The answer is not shown: "guard" has to check it first, and did not answer in time.',
            suggestion:
              'Ask again, or set "hooks.afterInference" of "guard" to "failOpen" to see answers that it did not check.',
          },
          shown: [],
          listener: [],
        },
      );
      assert.deepEqual(audit, [
        'guard context/afterInference guard timeout inf#1: The server did not answer in time. The answer was withheld.',
      ]);
    }
  });

  test('MCPL §10.7: during its own hook a server gets no inference, others do, and what the hook says still counts', async () => {
    const server = (...enabled: readonly string[]): McplScript => ({
      sets: {
        think: set('inferenceRequest'),
        hooks: set('contextHooks.beforeInference', 'contextHooks.afterInference'),
      },
      mcpl: { contextHooks: { beforeInference: true, afterInference: { blocking: true } }, inferenceRequest: {} },
      entry: { featureSets: { enabled } },
    });
    const opened = await open({ servers: { nested: server('*'), innocent: server('think') } });
    const answers: string[] = [];
    const think = async (id: string): Promise<void> => {
      const params = { featureSet: 'think', messages: [{ role: 'user', content: 'Hm?' }] };
      const { result, error } = await ask(opened.life(id), 'inference/request', params);
      answers.push(`${id}: ${JSON.stringify(error ?? result)}`);
    };
    Object.assign(opened.peer('nested').answers, {
      'context/beforeInference': async () => {
        await think('nested');
        await think('innocent');
        const injection = { namespace: 'n', position: 'beforeUser', content: 'Context.' };
        return { featureSet: 'hooks', contextInjections: [injection] };
      },
      [AFTER]: async () => {
        await think('nested');
        return { featureSet: 'hooks', modifiedResponse: 'Changed.' };
      },
    });
    const { text, injectedBy, modifiedBy } = await opened.turn('What is it?');
    await think('nested');
    const inHook = JSON.stringify({
      code: -32600,
      message: 'No inference may be requested while a context hook is under way.',
    });
    const given = (input: number): string =>
      JSON.stringify({
        content: 'The answer.',
        model: 'case-model',
        finishReason: 'end_turn',
        usage: { inputTokens: input, outputTokens: 2 },
      });
    assert.deepEqual(answers, [
      `nested: ${inHook}`,
      `innocent: ${given(1)}`,
      `nested: ${inHook}`,
      // The hook has ended, so inference is allowed again.
      `nested: ${given(1)}`,
    ]);
    assert.deepEqual([text, injectedBy.map(({ server }) => server), modifiedBy], ['Changed.', ['nested'], ['nested']]);
    // Inference of servers has no hooks, because that could loop.
    assert.deepEqual(opened.life('nested').sent('context/beforeInference').length, 1);
  });
});
