import assert from 'node:assert/strict';
import {
  CancellationSource,
  type CancellationToken,
  type LanguageModel,
  type ModelRequest,
  type ModelRunEnd,
  NO_CANCELLATION,
} from '../../../../src/core/index.ts';
import { Driver } from './driver.ts';

const REQUEST: ModelRequest = {
  messages: [
    { role: 'user', content: [{ type: 'text', text: 'Hello.' }] },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'One' },
        { type: 'image', data: 'AAAA', mimeType: 'image/png' },
      ],
    },
  ],
  maxTokens: 10,
  temperature: 0.5,
  justification: 'A test.',
};

suite('The model that a driver plays', () => {
  let driver: Driver;

  setup(() => {
    driver = new Driver();
  });

  teardown(() => driver.dispose());

  async function chosen(): Promise<LanguageModel> {
    const choice = await driver.models.choose({ name: 'any', server: 'files' });
    assert.ok(choice.kind === 'model');
    return choice.model;
  }

  /** The pieces and the end of the run. */
  async function run(token: CancellationToken = NO_CANCELLATION): Promise<readonly (string | ModelRunEnd)[]> {
    const pieces: string[] = [];
    const model = await chosen();
    const end = await model.run(REQUEST, (piece) => pieces.push(piece), token);
    return [...pieces, end];
  }

  async function answered(question: string, answer: unknown): Promise<unknown> {
    const [{ result, error }] = (await driver.say({ id: 9, command: 'answer', question, answer })) as [
      { result: unknown; error?: { message: string } },
    ];
    return error?.message ?? result;
  }

  test('is absent until the driver gives one, and after it removes it', async () => {
    const none = {
      kind: 'failed',
      reason: 'no_model',
      message: 'The driver has given no model: give one with the command "model".',
    };
    assert.deepEqual(await driver.models.choose({ name: undefined, server: undefined }), none);
    await driver.say({ id: 1, command: 'model', model: { id: 'stub' } });
    const facts = { id: 'stub', vendor: 'driver', contextWindow: 100_000, capabilities: [] };
    assert.deepEqual((await chosen()).facts, facts);
    const given = { id: 'big', vendor: 'us', contextWindow: 9, capabilities: ['tools'] };
    await driver.say({ id: 2, command: 'model', model: given });
    assert.deepEqual((await chosen()).facts, given);
    await driver.say({ id: 3, command: 'model', model: null });
    assert.deepEqual(await driver.models.choose({ name: undefined, server: undefined }), none);
  });

  test('always gives its fixed reply, without asking the driver', async () => {
    await driver.say({ id: 1, command: 'model', model: { id: 'stub', reply: 'Yes.' } });
    assert.deepEqual(await run(), ['Yes.', { kind: 'ended', finishReason: 'end_turn' }]);
    assert.deepEqual(driver.written, []);
    assert.deepEqual([await (await chosen()).count('12345', NO_CANCELLATION)], [2]);
  });

  test('asks the driver without a fixed reply, with the server, the purpose and the input', async () => {
    await driver.say({ id: 1, command: 'model', model: { id: 'stub' } });
    const ended = run();
    await new Promise(setImmediate);
    assert.deepEqual(driver.heard(), [
      {
        event: 'question',
        question: 'q1',
        kind: 'model',
        model: 'stub',
        server: 'files',
        wanted: 'any',
        justification: 'A test.',
        messages: [
          { role: 'user', text: 'Hello.' },
          { role: 'assistant', text: 'One\n[image image/png, 3 bytes]' },
        ],
        maxTokens: 10,
        temperature: 0.5,
      },
    ]);
    const problems = [
      await answered('q1', 5),
      await answered('q1', {}),
      await answered('q1', { text: 5 }),
      await answered('q1', { text: 'x', finishReason: 'bored' }),
      await answered('q1', { chunks: ['a', 1] }),
      await answered('q1', { failed: 'tired' }),
      await answered('q1', { chunks: ['Good ', 'day.'], finishReason: 'stop_sequence' }),
    ];
    assert.deepEqual(problems, [
      'This is no answer to that question.',
      'This is no answer to that question.',
      '"text" must be a text.',
      '"finishReason" must be one of end_turn, max_tokens, stop_sequence.',
      '"chunks" must be a list of texts.',
      '"failed" must be one of no_model, no_permission, blocked, quota, cancelled, failed.',
      null,
    ]);
    assert.deepEqual(await ended, ['Good ', 'day.', { kind: 'ended', finishReason: 'stop_sequence' }]);
  });

  for (const [answer, end] of [
    ['Yes.', ['Yes.', { kind: 'ended', finishReason: 'end_turn' }]],
    [{ text: 'Y', finishReason: 'max_tokens' }, ['Y', { kind: 'ended', finishReason: 'max_tokens' }]],
    [null, [{ kind: 'failed', reason: 'failed', message: 'The driver gave no answer.' }]],
    [{ failed: 'quota' }, [{ kind: 'failed', reason: 'quota', message: 'The model failed: quota.' }]],
    [{ failed: 'blocked', message: 'No.' }, [{ kind: 'failed', reason: 'blocked', message: 'No.' }]],
  ] as const)
    test(`may answer ${JSON.stringify(answer)}`, async () => {
      await driver.say({ id: 1, command: 'model', model: { id: 'stub' } });
      const ended = run();
      await new Promise(setImmediate);
      driver.heard();
      assert.equal(await answered('q1', answer), null);
      assert.deepEqual(await ended, end);
    });

  test('is not asked any more when its answer is not needed', async () => {
    await driver.say({ id: 1, command: 'model', model: { id: 'stub' } });
    const source = new CancellationSource();
    const ended = run(source.token);
    await new Promise(setImmediate);
    driver.heard();
    source.cancel();
    assert.deepEqual(await ended, [{ kind: 'failed', reason: 'cancelled', message: 'The request was cancelled.' }]);
    assert.deepEqual(driver.heard(), [{ event: 'questionClosed', question: 'q1' }]);
    source.dispose();
  });
});
