import assert from 'node:assert/strict';
import type { Json, JsonObject } from '../../../../src/core/base/json.ts';
import { settle } from '../../../support/fakeClock.ts';
import { ENDED, failure, InferenceStage } from './inferenceFakes.ts';

const IMAGE = { type: 'image', data: 'AAAA', mimeType: 'image/png' };

function deltas(stage: InferenceStage): string {
  return stage.member.notified.map(({ method, params }) => `${method} ${JSON.stringify(params)}`).join('\n');
}

suite('Inference that servers request', () => {
  let stage: InferenceStage;
  setup(() => (stage = new InferenceStage()));
  teardown(() => assert.equal(stage.clock.waiting, 0, 'no timer is left'));

  test('is run on a model and answered with exactly what MCPL says', async () => {
    stage.member.inference = { ...stage.member.inference, model: 'haiku' };
    const { answer } = stage.ask({
      messages: [
        { role: 'user', content: 'Look:' },
        { role: 'assistant', content: [{ type: 'text', text: 'At?' }, IMAGE] },
      ],
      preferences: { maxTokens: 50, temperature: 0.2 },
    });
    await settle();
    const { request, say, end } = stage.model.last;
    assert.deepEqual(request, {
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'Look:' }] },
        { role: 'assistant', content: [{ type: 'text', text: 'At?' }, IMAGE] },
      ],
      maxTokens: 50,
      temperature: 0.2,
      justification: 'The server "memory" sends a request to a model (memory.think).',
    });
    await stage.clock.advance(250);
    say('It is ');
    say('fine.');
    end(ENDED);
    assert.deepEqual(await answer, {
      content: 'It is fine.',
      model: 'fake-1',
      finishReason: 'end_turn',
      usage: { inputTokens: 9, outputTokens: 11 },
    });
    assert.equal(deltas(stage), '');
    assert.deepEqual(stage.wanted, [{ name: 'haiku', server: 'memory' }]);
    assert.deepEqual(stage.records, [
      {
        at: Date.parse('2026-03-01T12:00:00Z'),
        server: 'memory',
        operation: 'inference/request',
        featureSet: 'memory.think',
        inferenceId: 'inf_1',
        model: 'acme/fake-1',
        outcome: 'success',
        durationMs: 250,
        detail: 'fake-1: 9 tokens read, 11 written',
        tokens: 20,
      },
    ]);
  });

  test('uses the model of its conversation, which the audit names', async () => {
    stage.hostModel = 'gpt';
    stage.conversations.note('chat-1', { id: 'large', vendor: 'acme', contextWindow: 1, capabilities: [] });
    const ask = async (conversationId: Json): Promise<void> => {
      const { answer } = stage.ask({ conversationId });
      await settle();
      stage.model.last.end(ENDED);
      await answer;
    };
    for (const id of ['chat-1', 'chat-2', 7, 'chat-1\u202e']) await ask(id);
    stage.member.inference = { ...stage.member.inference, model: 'haiku' };
    await ask('chat-1');
    assert.deepEqual(
      stage.wanted.map(({ name }) => name),
      ['acme/large', 'gpt', 'gpt', 'gpt', 'haiku'],
    );
    const used = 'fake-1: 5 tokens read, 0 written';
    assert.deepEqual(
      stage.records.map(({ detail }) => detail),
      [
        `Conversation chat-1: ${used}`,
        `Conversation chat-2: ${used}`,
        used,
        `Conversation chat-1: ${used}`,
        `Conversation chat-1: ${used}`,
      ],
    );
  });

  test('uses the model of the host if that of its conversation is gone', async () => {
    stage.hostModel = 'gpt';
    stage.conversations.note('chat-1', { id: 'gone', vendor: 'acme', contextWindow: 1, capabilities: [] });
    stage.choose = ({ name }) =>
      Promise.resolve(name === 'acme/gone' ? failure('no_model') : { kind: 'model', model: stage.model });
    const { answer } = stage.ask({ conversationId: 'chat-1' });
    await settle();
    stage.model.last.end(ENDED);
    assert.equal(((await answer) as JsonObject)['model'], 'fake-1');
    assert.deepEqual(
      stage.wanted.map(({ name }) => name),
      ['acme/gone', 'gpt'],
    );
    assert.equal(stage.refusals.length, 0);
  });

  test('names its conversation in the audit even if it is refused', async () => {
    await stage.ask({ conversationId: 'chat-1', messages: [] }).answer;
    assert.deepEqual(
      stage.records.map(({ outcome, detail }) => `${outcome} ${detail}`),
      ['refused Conversation chat-1: messages must be a list of 1 to 1000 messages.'],
    );
  });

  test('names the model of the host if the server has none, and sends only limits that were set', async () => {
    stage.hostModel = 'gpt';
    const { answer } = stage.ask();
    await settle();
    stage.model.last.end({ kind: 'ended', finishReason: 'stop_sequence' });
    assert.deepEqual([stage.wanted[0]?.name, stage.model.last.request.maxTokens], ['gpt', undefined]);
    assert.deepEqual((await answer) as object, {
      content: '',
      model: 'fake-1',
      finishReason: 'stop_sequence',
      usage: { inputTokens: 5, outputTokens: 0 },
    });
    assert.deepEqual(stage.audited, [
      'inference/request success [5] fake-1: 5 tokens read, 0 written; ended by stop_sequence',
    ]);
  });

  test('is streamed in numbered pieces with the id of the request as it came, before the answer', async () => {
    let isAnswered = false;
    const { answer } = stage.ask({ stream: true }, 'req-7');
    void answer.then(() => (isAnswered = true));
    await settle();
    stage.model.last.say('Con');
    stage.model.last.say('solidated');
    assert.equal(
      deltas(stage),
      'inference/chunk {"requestId":"req-7","index":0,"delta":"Con"}\n' +
        'inference/chunk {"requestId":"req-7","index":1,"delta":"solidated"}',
    );
    assert.equal(isAnswered, false);
    stage.model.last.end(ENDED);
    assert.equal(((await answer) as { content: string }).content, 'Consolidated');
    const numbered = stage.ask({ stream: true }, 3);
    await settle();
    stage.model.last.say('x');
    assert.deepEqual(stage.member.notified.at(-1)?.params, { requestId: 3, index: 0, delta: 'x' });
    stage.model.last.end(ENDED);
    await numbered.answer;
  });

  test('is cut at the limit by the host, streams nothing beyond it and stops the model', async () => {
    const { answer } = stage.ask({ stream: true, preferences: { maxTokens: 7 } });
    await settle();
    const { say, token } = stage.model.last;
    say('12345');
    say('67890');
    say('more');
    assert.deepEqual(await answer, {
      content: '1234567',
      model: 'fake-1',
      finishReason: 'max_tokens',
      usage: { inputTokens: 5, outputTokens: 7 },
    });
    say('and more');
    assert.equal(token.isCancellationRequested, true);
    const streamed = stage.member.notified.map(({ params }) => (params as { delta: string }).delta);
    assert.equal(streamed.join(''), '1234567');
    assert.deepEqual(stage.audited, [
      'inference/request success [12] fake-1: 5 tokens read, 7 written; ended by max_tokens',
    ]);
  });

  test('ends with the reason of the host also where the cut falls into the last piece', async () => {
    const { answer } = stage.ask({ preferences: { maxTokens: 3 } });
    await settle();
    stage.model.last.say('abcd');
    stage.model.last.end(ENDED);
    const { content, finishReason } = (await answer) as { content: string; finishReason: string };
    assert.deepEqual([content, finishReason], ['abc', 'max_tokens']);
  });

  test('is cut where the budget of the day ends, and refused from then on with the time of the next', async () => {
    stage.member.inference = { ...stage.member.inference, tokensPerDay: 12 };
    const { answer } = stage.ask();
    await settle();
    stage.model.last.say('a long answer');
    assert.equal(((await answer) as { content: string }).content, 'a long ');
    assert.deepEqual(await stage.ask().answer, {
      code: -32000,
      message:
        'This server may use 12 tokens of models a day; it used 12. ' +
        'It may ask again at 2026-03-02 12:00 UTC; for more, raise "inference.tokensPerDay" in its settings.',
      data: { reason: 'budget', limit: 'tokensPerDay', retryAt: '2026-03-02T12:00:00.000Z' },
    });
    assert.equal(stage.model.runs.length, 1);
    assert.match(stage.audited[1] ?? '', /^inference\/request refused \[-\] This server may use 12 tokens/);
  });

  test('is refused where the question alone is more than what is left, and that costs nothing', async () => {
    stage.member.inference = { ...stage.member.inference, requestsPerHour: 1, tokensPerDay: 8 };
    const long = stage.ask({ messages: [{ role: 'user', content: 'far too long' }] });
    assert.deepEqual(((await long.answer) as { data: unknown }).data, { reason: 'budget', limit: 'tokensPerDay' });
    const { answer } = stage.ask();
    await settle();
    stage.model.last.end(ENDED);
    await answer;
  });

  test('runs at most four at once, and counts none of those that wait for nothing', async () => {
    const asked = [1, 2, 3, 4].map((id) => stage.ask({}, id));
    await settle();
    assert.deepEqual(((await stage.ask({}, 5).answer) as { data: unknown }).data, {
      reason: 'budget',
      limit: 'concurrent',
    });
    for (const { end } of stage.model.runs) end(ENDED);
    await Promise.all(asked.map(({ answer }) => answer));
    const sixth = stage.ask({}, 6);
    await settle();
    stage.model.last.end(ENDED);
    await sixth.answer;
    assert.equal(stage.model.runs.length, 5);
  });

  test('stops when the server takes it back: no piece after that, and what was used counts', async () => {
    const { source, answer } = stage.ask({ stream: true });
    await settle();
    const { say, token, end } = stage.model.last;
    say('12345678');
    source.cancel();
    say('not heard');
    assert.deepEqual(await answer, {
      code: -32000,
      message: 'The request was cancelled',
      data: { reason: 'cancelled' },
    });
    assert.equal(token.isCancellationRequested, true);
    say('not heard');
    end(ENDED);
    await settle();
    assert.equal(stage.member.notified.length, 1);
    assert.deepEqual(stage.audited, [
      'inference/request cancelled [7] The server took its request back, or its connection ended. 7 tokens were used (estimated).',
    ]);
  });

  test('is refused with an id that every piece of an answer would have to carry', async () => {
    const { answer } = stage.ask({ stream: true }, 'x'.repeat(1_000_000));
    assert.equal(((await answer) as { code: number }).code, -32602);
    assert.equal(stage.model.runs.length, 0);
  });

  test('runs no model for a request that was taken back before', async () => {
    stage.choose = () => new Promise(() => undefined);
    const { source, answer } = stage.ask();
    await settle();
    source.cancel();
    assert.equal(((await answer) as { code: number }).code, -32000);
    stage.choose = () => Promise.resolve({ kind: 'model', model: stage.model });
    stage.model.tokensOf = () => new Promise(() => undefined);
    const second = stage.ask();
    await settle();
    second.source.cancel();
    await stage.clock.advance(10_000);
    assert.equal(((await second.answer) as { code: number }).code, -32000);
    assert.equal(stage.model.runs.length, 0);
  });

  test('gives a model five minutes, and one that hangs hangs nothing', async () => {
    const { answer } = stage.ask();
    await settle();
    await stage.clock.advance(299_999);
    assert.equal(stage.model.last.token.isCancellationRequested, false);
    await stage.clock.advance(1);
    assert.deepEqual(await answer, {
      code: -32603,
      message: 'The language model failed',
      data: { reason: 'failed' },
    });
    assert.equal(stage.model.last.token.isCancellationRequested, true);
    assert.deepEqual(stage.audited, [
      'inference/request timeout [5] The language model took too long. 5 tokens were used.',
    ]);
  });

  test('answers every failure of a model with its reason, without the words that are for people', async () => {
    const codes: unknown[] = [];
    for (const reason of ['no_model', 'no_permission', 'blocked', 'quota', 'cancelled', 'failed'] as const) {
      const { answer } = stage.ask();
      await settle();
      stage.model.last.end(failure(reason, 'Sign in as jo@example.com with s3cret.'));
      const { code, data, message } = (await answer) as { code: number; data: object; message: string };
      assert.doesNotMatch(message, /example/);
      codes.push([code, data]);
    }
    assert.deepEqual(codes, [
      [-32000, { reason: 'no_model' }],
      [-32000, { reason: 'no_permission' }],
      [-32000, { reason: 'blocked' }],
      [-32000, { reason: 'quota' }],
      [-32000, { reason: 'cancelled' }],
      [-32603, { reason: 'failed' }],
    ]);
    const said = 'Sign in as jo@example.com with ‹secret›.';
    assert.deepEqual(stage.audited, [
      `inference/request failure [-] ${said}`,
      `inference/request failure [-] ${said}`,
      `inference/request failure [5] ${said} 5 tokens were used.`,
      `inference/request failure [5] ${said} 5 tokens were used.`,
      `inference/request cancelled [5] ${said} 5 tokens were used.`,
      `inference/request failure [5] ${said} 5 tokens were used.`,
    ]);
    assert.deepEqual(stage.refusals, [
      { server: 'memory', reason: 'no_model' },
      { server: 'memory', reason: 'no_permission' },
    ]);
  });

  test('answers with a failure at once, whatever of the text was still to be counted', async () => {
    const { answer } = stage.ask({ preferences: { maxTokens: 3 } });
    await settle();
    stage.model.tokensOf = () => new Promise(() => undefined);
    stage.model.last.say('abcdef');
    stage.model.last.end(failure('blocked'));
    assert.deepEqual(((await answer) as { data: unknown }).data, { reason: 'blocked' });
    await stage.clock.advance(10_000);
  });

  test('reports to the editor that the user could allow a model, without counting the request', async () => {
    stage.member.inference = { ...stage.member.inference, requestsPerHour: 1 };
    stage.choose = () => Promise.resolve(failure('no_permission', 'Nobody allowed it.'));
    for (let i = 0; i < 3; i++) {
      assert.deepEqual(await stage.ask().answer, {
        code: -32000,
        message: 'No language model available',
        data: { reason: 'no_permission' },
      });
    }
    assert.deepEqual(stage.refusals, Array(3).fill({ server: 'memory', reason: 'no_permission' }));
    assert.equal(stage.audited[0], 'inference/request failure [-] Nobody allowed it.');
  });

  test('says nothing of what went wrong inside, and that the request is over', async () => {
    stage.choose = () => Promise.reject(new Error('a secret of ours'));
    const expected = { code: -32603, message: 'Internal error', data: undefined };
    assert.deepEqual(await stage.ask().answer, expected);
    stage.choose = () => Promise.resolve({ kind: 'model', model: stage.model });
    const { answer } = stage.ask();
    await settle();
    stage.model.last.fail(new Error('a secret of ours'));
    assert.deepEqual(await answer, expected);
    stage.choose = () => new Promise(() => undefined);
    const late = stage.ask();
    await settle();
    await stage.clock.advance(10_000);
    assert.deepEqual(((await late.answer) as { data: unknown }).data, { reason: 'failed' });
  });

  test('estimates tokens where the model cannot count or never says, and the audit says so', async () => {
    stage.model.tokensOf = () => Promise.reject(new Error('no tokenizer'));
    const first = stage.ask();
    await settle();
    stage.model.last.say('12345678');
    stage.model.last.end(ENDED);
    assert.deepEqual(((await first.answer) as { usage: unknown }).usage, { inputTokens: 2, outputTokens: 2 });
    stage.model.tokensOf = () => new Promise(() => undefined);
    const second = stage.ask({ preferences: { maxTokens: 2 } });
    await settle();
    await stage.clock.advance(10_000);
    stage.model.last.say('1234567890');
    assert.equal(((await second.answer) as { content: string }).content, '12345678');
    assert.deepEqual(stage.audited, [
      'inference/request success [4] fake-1: 2 tokens read, 2 written (estimated)',
      'inference/request success [4] fake-1: 2 tokens read, 2 written (estimated); ended by max_tokens',
    ]);
    assert.equal(stage.model.counted.length, 2);
  });

  test('is refused during a hook of the same server', async () => {
    stage.member.isInHook = true;
    assert.equal(((await stage.ask().answer) as { code: number }).code, -32600);
    assert.match(stage.audited[0] ?? '', /^inference\/request refused \[-\] No inference/);
    assert.equal(stage.wanted.length, 0);
  });

  test('is refused for a set that is off, and for params that cannot be read', async () => {
    const off = (await stage.ask({ featureSet: 'memory.other' }).answer) as { code: number };
    const wrong = (await stage.ask({ messages: [{ role: 'system', content: 'x' }] }).answer) as {
      code: number;
      data: unknown;
    };
    assert.deepEqual([off.code, wrong.code, wrong.data], [-32001, -32602, { field: 'messages[0].role' }]);
    // The first refusal is recorded by the participant.
    assert.equal(stage.audited.length, 1);
    assert.equal(stage.wanted.length, 0);
  });
});

suite('The model as servers see it', () => {
  let stage: InferenceStage;
  setup(() => (stage = new InferenceStage()));
  teardown(() => assert.equal(stage.clock.waiting, 0, 'no timer is left'));

  test('is four facts', async () => {
    assert.deepEqual(await stage.info(), {
      id: 'fake-1',
      vendor: 'acme',
      contextWindow: 8_000,
      capabilities: ['vision'],
    });
    assert.deepEqual(stage.audited, ['model/info success [-] fake-1']);
    assert.deepEqual(stage.wanted, [{ name: undefined, server: 'memory' }]);
  });

  test('is an error at once without a model, and the editor is notified if one would help', async () => {
    stage.choose = () => Promise.resolve(failure('no_model', 'Install one.'));
    const expected = { code: -32000, message: 'No language model available', data: { reason: 'no_model' } };
    assert.deepEqual(await stage.info(), expected);
    assert.deepEqual(stage.refusals, [{ server: 'memory', reason: 'no_model' }]);
    await stage.clock.advance(1_000);
    stage.member.sets = [];
    assert.deepEqual(await stage.info(), expected);
    assert.equal(stage.refusals.length, 1);
    assert.deepEqual(stage.audited, Array(2).fill('model/info failure [-] Install one.'));
  });

  test('is looked for once in a second, however often a server asks', async () => {
    await Promise.all([stage.info(), stage.info(), stage.info()]);
    await stage.clock.advance(999);
    await stage.info();
    assert.deepEqual([stage.wanted.length, stage.records.length], [1, 1]);
    await stage.clock.advance(1);
    await stage.info();
    assert.deepEqual([stage.wanted.length, stage.records.length], [2, 2]);
  });

  test('is an error after ten seconds without a model', async () => {
    stage.choose = () => new Promise(() => undefined);
    const answer = stage.info();
    await stage.clock.advance(10_000);
    assert.equal(((await answer) as { code: number }).code, -32603);
  });
});
