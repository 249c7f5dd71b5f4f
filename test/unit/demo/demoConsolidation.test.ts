import assert from 'node:assert/strict';
import { DemoHost } from './demoHost.ts';

const INFO = { result: { id: 'm', vendor: 'v', contextWindow: 8_000, capabilities: [] } };
const USAGE = { inputTokens: 30, outputTokens: 5 };
const DONE = { result: { content: 'Ada likes tea.', model: 'm', finishReason: 'end_turn', usage: USAGE } };

suite('Consolidation in the demo', () => {
  let host: DemoHost;

  setup(async () => {
    host = new DemoHost(['memory']);
    await host.open('memory.extraction', 'memory.retrieval', 'memory.consolidation');
  });

  teardown(() => {
    host.end();
    assert.equal(host.timers, 0);
  });

  const requests = (): number => host.asked('inference/request').length;
  const learn = (): void => host.tell('My name is Ada. I prefer tea. Remember that the key is under the mat.');
  const memories = async (): Promise<readonly string[]> =>
    (await host.call('list_memories')).result.structuredContent.memories.map((each) => each.text);

  test('requests inference once there are three memories, and only after the hook', async () => {
    host.tell('My name is Ada. I prefer tea.');
    await host.pass(10_000);
    assert.equal(host.asked('model/info').length, 0);
    const asking = host.after('Remember that the key is under the mat.', 'Fine.');
    assert.equal(host.asked('model/info').length, 0);
    assert.deepEqual((await asking).result, { featureSet: 'memory.extraction' });
    await host.pass(499);
    assert.equal(host.asked('model/info').length, 0);
    await host.pass(1);
    await host.answer('model/info', INFO);
    const { featureSet, stream, messages, preferences } = host.asked('inference/request')[0]!.params;
    assert.deepEqual(
      { featureSet, stream, preferences, roles: messages.map((each) => each.role) },
      {
        featureSet: 'memory.consolidation',
        stream: true,
        preferences: { maxTokens: 300, temperature: 0.2 },
        roles: ['user'],
      },
    );
    assert.match(messages[0]!.content, /name is Ada\.\n- The user prefers tea\.\n- The user said: the key/);
    await host.answer('inference/request', DONE);
    assert.deepEqual((await memories()).at(-1), 'Ada likes tea.');
    assert.equal(host.logged.at(-1), '3 memories were summarized by m.');
    host.tell('My favorite color is red.');
    await host.pass(10_000);
    assert.equal(host.asked('model/info').length, 1);
  });

  test('shows by the progress of its tool what the model writes', async () => {
    learn();
    host.start('consolidate_memories', { progressToken: 'p' });
    await host.answer('model/info', INFO);
    const requestId = host.asked('inference/request')[0]?.id;
    for (const [index, delta] of ['Ada ', 'likes ', 'tea.'].entries())
      host.send({ method: 'inference/chunk', params: { requestId, index, delta } });
    for (const params of [{ requestId: 99, delta: 'x' }, { requestId, delta: 5 }, {}])
      host.send({ method: 'inference/chunk', params });
    await host.answer('inference/request', DONE);
    assert.deepEqual(
      host.sent.filter(({ method }) => method === 'notifications/progress').map(({ params }) => params),
      [
        { progressToken: 'p', progress: 1, message: 'Ada ' },
        { progressToken: 'p', progress: 2, message: 'Ada likes ' },
        { progressToken: 'p', progress: 3, message: 'Ada likes tea.' },
      ],
    );
    assert.equal(host.outcome, 'Ada likes tea.\n\n(3 memories, summarized by m)');
    // The summary already contains it.
    await host.pass(10_000);
    assert.equal(host.asked('model/info').length, 1);
  });

  for (const [error, text] of [
    [
      { code: -32000, data: { reason: 'no_model' } },
      'The host has no language model. Set one up in the editor and try again.',
    ],
    [
      { code: -32000, data: { reason: 'no_permission' } },
      'Nobody has allowed the language model yet. Allow it in the editor and try again.',
    ],
    [{ code: -32000, data: { reason: 'budget' } }, 'The budget of this server is used up: no'],
    [{ code: -32000, data: { reason: 'quota' } }, 'The quota of the language model is used up. Try again later.'],
    [{ code: -32001 }, 'The host has memory.consolidation off. Switch it on and try again.'],
    [{ code: -32003 }, 'The host answered: no (-32003)'],
    [{ code: -32600 }, 'The host cannot be asked while a hook is under way. Try again.'],
    [{ code: -32601 }, 'The host has no language models for servers.'],
    [{ code: -32603, data: { reason: 'toString' } }, 'The host answered: no (-32603)'],
    [{}, 'The host answered: no (-32603)'],
  ] as const)
    test(`says what to do: ${text} ${JSON.stringify(error)}`, async () => {
      host.tell('My name is Ada.');
      host.start('consolidate_memories');
      await host.answer('model/info', { error: { code: -32601, message: 'unknown' } });
      await host.answer('inference/request', { error: { message: 'no', ...error } });
      assert.equal(host.outcome, `ERROR ${text}`);
      assert.equal((await memories()).length, 1);
    });

  test('asks no further where the host says that it has no model', async () => {
    host.tell('My name is Ada.');
    host.start('consolidate_memories');
    await host.answer('model/info', { error: { code: -32000, message: 'no', data: { reason: 'no_model' } } });
    assert.equal(requests(), 0);
    assert.match(host.outcome, /^ERROR The host has no language model\./);
  });

  test('says so when there is nothing to summarize, and when the model says nothing', async () => {
    assert.match(
      (await host.call('consolidate_memories')).result.content[0].text,
      /^There is nothing to summarize yet/,
    );
    host.tell('My name is Ada.');
    for (const result of [{ content: ' ' }, { content: 5 }, {}]) {
      host.start('consolidate_memories');
      await host.answer('model/info', INFO);
      await host.answer('inference/request', { result });
      assert.match(host.outcome, /^ERROR The model answered nothing/);
    }
  });

  test('takes its request back when the call is cancelled, and when the host never answers', async () => {
    host.tell('My name is Ada.');
    host.send({ id: 'call', method: 'tools/call', params: { name: 'consolidate_memories' } });
    await host.answer('model/info', INFO);
    assert.match((await host.call('consolidate_memories')).result.content[0].text, /being summarized already/);
    const requestId = host.asked('inference/request')[0]?.id;
    host.send({ method: 'notifications/cancelled', params: { requestId: 'call' } });
    await host.pass(0);
    assert.deepEqual(host.sent.at(-1)?.params, { requestId, reason: 'It was cancelled.' });
    host.start('consolidate_memories');
    await host.answer('model/info', INFO);
    await host.pass(330_000);
    assert.match(host.outcome, /^ERROR The host did not answer in time/);
    await host.answer('inference/request', DONE);
    assert.equal((await memories()).length, 1);
  });

  test('tries again where a hook was in the way, a few times, and else waits for something new', async () => {
    const inHook = { error: { code: -32600, message: 'hook' } };
    learn();
    for (let attempt = 1; attempt <= 4; attempt++) {
      await host.pass(500 * attempt);
      await host.answer('model/info', INFO);
      await host.answer('inference/request', inHook);
      assert.equal(requests(), attempt);
    }
    await host.pass(100_000);
    assert.equal(requests(), 4);
    host.tell('My name is Ada.');
    host.update(['memory.consolidation'], []);
    await host.pass(100_000);
    assert.equal(host.asked('model/info').length, 4);
    host.tell('My favorite color is red.');
    await host.pass(500);
    await host.answer('model/info', INFO);
    await host.answer('inference/request', DONE);
    assert.equal((await memories()).at(-1), 'Ada likes tea.');
  });

  test('begins when its set is switched on, and keeps nothing once it is switched off', async () => {
    host.update([], ['memory.consolidation']);
    learn();
    await host.pass(10_000);
    host.update(['memory.consolidation'], []);
    await host.pass(500);
    await host.answer('model/info', INFO);
    host.update([], ['memory.consolidation']);
    await host.answer('inference/request', DONE);
    assert.equal((await memories()).length, 3);
    assert.equal(host.logged.at(-1), 'The memories were not summarized. memory.consolidation was switched off.');
  });
});
