import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { DemoMessage } from '../support/demoMessages.ts';
import { DemoClient } from './demoClient.ts';

const HOST = { experimental: { mcpl: { version: '0.2', featureSets: { enabled: [], disabled: [] } } } };
const MODEL = { id: 'm', vendor: 'v', contextWindow: 8_000, capabilities: [] };
const TURN = { inferenceId: 'inf_1', conversationId: 'conv_1', turnIndex: 0, model: MODEL };

suite('The demo server and a host that speaks MCPL', () => {
  let demo: DemoClient;

  setup(() => {
    demo = new DemoClient();
  });

  teardown(() => demo.end());

  async function open(...enabled: readonly string[]): Promise<void> {
    const { result } = await demo.initialize('2025-11-25', HOST);
    assert.equal(result.capabilities.experimental.mcpl.version, '0.2');
    demo.send({ method: 'featureSets/update', params: { enabled, disabled: [] } });
  }

  function after(id: number, userMessage: string, assistantMessage: string): Promise<DemoMessage> {
    return demo.request(id, 'context/afterInference', { ...TURN, userMessage, assistantMessage });
  }

  const asks = (method: string): Promise<DemoMessage> => demo.until((message) => message.method === method);

  test('learns, remembers and redacts, each while it is on', async () => {
    await open('memory.retrieval', 'memory.extraction', 'compliance.redaction');
    const { result } = await after(1, 'My name is Ada.', 'Write to a@b.org.');
    assert.equal(result.modifiedResponse, 'Write to [REDACTED].');
    const before = { ...TURN, userMessage: 'What is my name?' };
    const asked = await demo.request(2, 'context/beforeInference', before);
    assert.match(JSON.stringify(asked.result.contextInjections), /name is Ada/);
    demo.send({
      method: 'featureSets/update',
      params: { enabled: [], disabled: ['memory.retrieval', 'compliance.redaction'] },
    });
    assert.deepEqual((await demo.request(3, 'context/beforeInference', before)).result, {});
    assert.deepEqual((await after(4, 'x', 'a@b.org')).result, { featureSet: 'memory.extraction' });
    assert.equal((await demo.call(5, 'list_memories', {})).result.isError, true);
  });

  test('reminds after the time that the user said', async () => {
    await open('memory.extraction', 'memory.proactive');
    const started = Date.now();
    await after(1, 'Remind me in 1 second to stretch.', 'Fine.');
    const { id, params } = await asks('push/event');
    assert.ok(Date.now() - started >= 990);
    assert.match(params.eventId, /^reminder-[0-9a-f-]{36}$/);
    // The only upper bound is now, because a busy machine may be late.
    const at = Date.parse(params.timestamp);
    assert.ok(at - started >= 990 && at <= Date.now(), params.timestamp);
    assert.deepEqual(params.payload.content, [{ type: 'text', text: 'Reminder: stretch' }]);
    demo.send({ id, result: { accepted: false, reason: 'Too many.' } });
    await demo.said('The reminder "stretch" was refused: Too many.\n');
  });

  test('lets the host summarize its memories, and names the used model', async () => {
    await open('memory.extraction', 'memory.consolidation');
    await after(1, 'My name is Ada.', 'Hello.');
    const calling = demo.call(2, 'consolidate_memories', {}, { progressToken: 1 });
    demo.send({ id: (await asks('model/info')).id, result: MODEL });
    const { id: requestId, params } = await asks('inference/request');
    assert.deepEqual([params.featureSet, params.stream], ['memory.consolidation', true]);
    demo.send({ method: 'inference/chunk', params: { requestId, index: 0, delta: 'It is Ada.' } });
    demo.send({ id: requestId, result: { content: 'It is Ada.', model: 'm', finishReason: 'end_turn', usage: {} } });
    assert.deepEqual((await calling).result.content, [
      { type: 'text', text: 'It is Ada.\n\n(1 memory, summarized by m)' },
    ]);
    assert.equal((await asks('notifications/progress')).params.message, 'It is Ada.');
  });

  test('requests inference after the third memory, and accepts a refusal', async () => {
    await open('memory.extraction', 'memory.consolidation');
    await after(1, 'My name is Ada. I prefer tea. My favorite color is red.', 'Hello.');
    const refused = { code: -32000, message: 'No language model available', data: { reason: 'no_model' } };
    demo.send({ id: (await asks('model/info')).id, error: refused });
    await demo.said('were not summarized. The host has no language model.');
  });

  test('ends with its stdin, whatever is still to come', async () => {
    await open('memory.extraction', 'memory.consolidation', 'memory.proactive');
    await demo.call(1, 'remind_me', { text: 'x', seconds: 3_600 });
    await after(2, 'My name is Ada.', 'Hello.');
    demo.send({ id: 3, method: 'tools/call', params: { name: 'consolidate_memories' } });
    await asks('model/info');
    demo.process.stdin.end();
    const [code] = (await once(demo.process, 'close')) as [number | null];
    assert.equal(code, 0);
  });

  test('is what the words of its command line say', async () => {
    const started = [['memory'], ['compliance'], ['other']].map((args) => new DemoClient(args));
    try {
      const seen = [];
      for (const each of started) {
        const { result } = await each.initialize('2025-11-25', HOST);
        const sets = Object.keys(result.capabilities.experimental.mcpl.featureSets).length;
        seen.push(`${result.serverInfo.title}, ${sets} sets`);
      }
      assert.deepEqual(seen, ['Demo Memory, 4 sets', 'Demo Compliance, 1 sets', 'Demo Notes, 9 sets']);
    } finally {
      for (const each of started) await each.end();
    }
    assert.deepEqual(
      started.map(({ stderr }) => stderr),
      [
        'Demo memory server is ready. What it learns is kept in memory until it stops.\n',
        'Demo compliance server is ready. It keeps nothing.\n',
        'Demo notes server is ready. Notes are kept in memory until it stops.\n"other" is none of notes, memory, compliance, files, state and was left out.\n',
      ],
    );
  });
});
