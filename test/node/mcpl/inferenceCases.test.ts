import assert from 'node:assert/strict';
import { CasePerson } from '../cases/casePerson.ts';
import { ask, CaseModel, mcplCases, type McplScript, set } from './mcplCase.ts';
import type { JsonObject } from '../../../src/core/index.ts';

const SUMMARY = { featureSet: 'think', messages: [{ role: 'user', content: 'Sum it up.' }] };

function thinker(entry: JsonObject = {}): McplScript {
  return {
    sets: { think: set('inferenceRequest') },
    mcpl: { inferenceRequest: { streaming: true }, modelInfo: true },
    entry: { featureSets: { enabled: ['think'] }, ...entry },
  };
}

function saying(...pieces: readonly string[]): CaseModel {
  const model = new CaseModel();
  model.says = () => pieces;
  return model;
}

mcplCases('inference that servers ask for', (open) => {
  test('MCPL §11.1–11.3: is run without a question, and answered whole with four members', async () => {
    const person = new CasePerson();
    const questions: string[] = [];
    const opened = await open({
      server: thinker(),
      model: saying('All ', 'is well ', 'there.'),
      host: {
        ...person.ports,
        onStartQuestion: ({ server }) => {
          questions.push(server);
          return Promise.resolve('dontStart');
        },
      },
    });
    const blocks = [{ type: 'text', text: 'Sum it up.' }];
    const messages = [...SUMMARY.messages, { role: 'assistant', content: 'What?' }, { role: 'user', content: blocks }];
    const preferences = { maxTokens: 500, temperature: 0.7 };
    const answers = [
      await opened.answerTo('inference/request', { ...SUMMARY, messages, conversationId: 'c-1', preferences }),
      await opened.answerTo('inference/request', { ...SUMMARY, stream: false, preferences: { maxTokens: 3 } }),
    ];
    assert.deepEqual(answers, [
      '{"content":"All is well there.","model":"case-model","finishReason":"end_turn","usage":{"inputTokens":7,"outputTokens":4}}',
      '{"content":"All is well ","model":"case-model","finishReason":"max_tokens","usage":{"inputTokens":3,"outputTokens":3}}',
    ]);
    assert.deepEqual(opened.model.prompts, [
      'user: Sum it up.\nassistant: What?\nuser: Sum it up.',
      'user: Sum it up.',
    ]);
    assert.deepEqual(
      opened.model.asked.map(({ maxTokens, temperature }) => [maxTokens, temperature]),
      [
        [500, 0.7],
        [3, undefined],
      ],
    );
    assert.deepEqual(
      [questions, person.forms, person.pages, person.prompts, opened.model.chosenFor],
      [[], [], [], [], ['case', 'case']],
    );
    assert.deepEqual(opened.life().sent('inference/chunk'), []);
    assert.deepEqual(await opened.audit('inference/request'), [
      'case inference/request think success inf#1 11 tokens: Conversation c-1: case-model: 7 tokens read, 4 written',
      'case inference/request think success inf#2 6 tokens: case-model: 3 tokens read, 3 written; ended by max_tokens',
    ]);
  });

  test('MCPL §11.4: comes in numbered pieces with the very id of the request, all of them before the whole', async () => {
    const opened = await open({ server: thinker(), model: saying('All ', 'is ', 'well.') });
    const life = opened.life();
    for (const id of ['req-7', 7, '7']) {
      await life.request(id, 'inference/request', { ...SUMMARY, stream: true });
      await life.answer(id);
    }
    const lines = opened.heard().filter((line) => line.includes('inference/chunk') || line.includes('All is well.'));
    const whole = { content: 'All is well.', model: 'case-model', finishReason: 'end_turn' };
    const usage = { inputTokens: 3, outputTokens: 3 };
    const streamed = (requestId: string | number): string[] => [
      ...['All ', 'is ', 'well.'].map(
        (delta, index) => `> inference/chunk ${JSON.stringify({ requestId, index, delta })}`,
      ),
      `> ${JSON.stringify(requestId)} ${JSON.stringify({ ...whole, usage })}`,
    ];
    assert.deepEqual(lines, [...streamed('req-7'), ...streamed(7), ...streamed('7')]);
  });

  test('MCPL §12.1, §12.2: a server learns of the model in four members, and of none by an error at once', async () => {
    const opened = await open({ server: thinker() });
    const facts = '{"id":"case-model","vendor":"case","contextWindow":8000,"capabilities":["text"]}';
    assert.equal(await opened.answerTo('model/info'), facts);

    const model = new CaseModel();
    model.absent = { kind: 'failed', reason: 'no_model', message: 'Sign in to a provider.' };
    const without = await open({ server: thinker(), model });
    const refusals: string[] = [];
    without.host.onDidRefuseModel(({ server, reason }) => refusals.push(`${server} ${reason}`));
    const beganAt = Date.now();
    const answers = [
      await without.answerTo('model/info'),
      await without.answerTo('inference/request', SUMMARY),
      await without.answerTo('inference/request', { ...SUMMARY, stream: true }),
    ];
    const tookMs = Date.now() - beganAt;
    assert.ok(tookMs < 2_000, `The answers took ${tookMs} ms.`);
    const none = 'error -32000 No language model available {"reason":"no_model"}';
    assert.deepEqual(answers, [none, none, none]);
    // The user could fix this, so it does not count against the server.
    assert.deepEqual(refusals, ['case no_model', 'case no_model', 'case no_model']);
    assert.deepEqual(await without.audit('model/info', 'inference/request'), [
      'case model/info failure: Sign in to a provider.',
      'case inference/request think failure inf#1: Sign in to a provider.',
      'case inference/request think failure inf#2: Sign in to a provider.',
    ]);
    assert.deepEqual(without.life().sent('inference/chunk'), []);
  });

  test('is over when the server takes it back: no piece and no answer follow, and what was used counts', async () => {
    const model = new CaseModel();
    let stopped = false;
    model.says = (_request, token) =>
      new Promise((resolve) => {
        token.onCancellationRequested(() => {
          stopped = true;
          resolve('Too late.');
        });
      });
    const opened = await open({ server: thinker(), model });
    const life = opened.life();
    await life.request('req-1', 'inference/request', { ...SUMMARY, stream: true });
    await opened.until('the model to be asked', () => model.asked.length > 0);
    await life.notify('notifications/cancelled', { requestId: 'req-1' });
    await opened.until('the model to be stopped', () => stopped);
    assert.deepEqual(await ask(life, 'ping'), { result: {} });
    assert.deepEqual(
      life.heard.filter(({ message }) => message['id'] === 'req-1' || message['method'] === 'inference/chunk'),
      [],
    );
    assert.deepEqual(await opened.audit('inference/request'), [
      'case inference/request think cancelled inf#1 3 tokens: The server took its request back, or its connection ended. 3 tokens were used.',
    ]);
  });
});
