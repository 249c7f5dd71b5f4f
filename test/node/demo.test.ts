import assert from 'node:assert/strict';
import { once } from 'node:events';
import { DemoClient } from './demoClient.ts';

suite('The demo server', () => {
  let demo: DemoClient;

  setup(() => {
    demo = new DemoClient();
  });

  teardown(() => demo.end());

  for (const [asked, agreed, words] of [
    ['2024-11-05', '2024-11-05', 'description inputSchema name'],
    ['2025-03-26', '2025-03-26', 'annotations description inputSchema name'],
    ['2025-06-18', '2025-06-18', 'annotations description inputSchema name outputSchema title'],
    ['2025-11-25', '2025-11-25', 'annotations description inputSchema name outputSchema title'],
    ['2030-01-01', '2025-11-25', 'annotations description inputSchema name outputSchema title'],
  ] as const)
    test(`asked for ${asked}, agrees on ${agreed} and uses only its words`, async () => {
      const { result } = await demo.initialize(asked);
      assert.equal(result?.['protocolVersion'], agreed);
      const tools = (await demo.request(1, 'tools/list')).result?.['tools'] as readonly object[];
      assert.deepEqual(
        tools.map((tool) => Object.keys(tool).sort().join(' ')),
        Array(5).fill(words),
      );
      const added = await demo.call(2, 'add_note', { title: 'x' });
      assert.equal('structuredContent' in (added.result ?? {}), agreed >= '2025-06-18');
    });

  test('writes a greeting to stderr, and ends when its stdin ends, even during a call', async () => {
    await demo.initialize();
    demo.send({ id: 1, method: 'tools/call', params: { name: 'summarize_notes', arguments: { secondsPerStep: 10 } } });
    demo.process.stdin.end();
    const [code, signal] = (await once(demo.process, 'close')) as [number | null, string | null];
    assert.deepEqual([code, signal], [0, null]);
    assert.equal(demo.stderr, 'Demo notes server is ready. Notes are kept in memory until it stops.\n');
    assert.deepEqual(
      demo.messages.map((message) => message.id),
      [0],
    );
  });

  test('reports progress under the token it was given, and only then', async () => {
    await demo.initialize();
    await demo.call(1, 'summarize_notes', { secondsPerStep: 0 });
    await demo.call(2, 'summarize_notes', { secondsPerStep: 0 }, { progressToken: 'p' });
    const progress = demo.messages.filter((message) => message.method === 'notifications/progress');
    assert.deepEqual(
      progress.map(({ params }) => Object.values(params ?? {})),
      [
        ['p', 0, 4, 'Sorting'],
        ['p', 1, 4, 'Sorting'],
        ['p', 2, 4, 'Sorting'],
        ['p', 3, 4, 'Sorting'],
        ['p', 4, 4, 'Done'],
      ],
    );
  });

  test('stops what is cancelled, answers it not at all, and goes on', async () => {
    await demo.initialize();
    demo.send({
      id: 1,
      method: 'tools/call',
      params: { name: 'summarize_notes', arguments: { secondsPerStep: 10 }, _meta: { progressToken: 1 } },
    });
    await demo.until((message) => message.method === 'notifications/progress');
    demo.send({ method: 'notifications/cancelled', params: { requestId: 1 } });
    assert.deepEqual((await demo.request(2, 'ping')).result, {});
    // The id can be used again, because nothing of the cancelled request is left.
    assert.deepEqual((await demo.request(1, 'ping')).result, {});
  });

  test('answers what it cannot do with the right error', async () => {
    assert.equal((await demo.request(1, 'tools/list')).error?.code, -32600);
    await demo.initialize();
    assert.equal((await demo.request(2, 'resources/list')).error?.code, -32601);
    assert.equal((await demo.call(3, 'toString', {})).error?.code, -32602);
    assert.deepEqual((await demo.call(4, 'add_note', { title: '' })).result, {
      content: [{ type: 'text', text: 'title must not be empty.' }],
      isError: true,
    });
    demo.write('no JSON\n');
    assert.equal((await demo.answer(null)).error?.code, -32700);
  });

  test('reads lines however they are cut, and batches', async () => {
    await demo.initialize('2025-03-26');
    const call = { id: 1, method: 'tools/call', params: { name: 'add_note', arguments: { title: 'Käse ☕' } } };
    const bytes = Buffer.from(
      `\r\n${JSON.stringify([
        { jsonrpc: '2.0', ...call },
        { id: 2, method: 'ping' },
      ])}\r\n`,
    );
    for (let i = 0; i < bytes.length; i += 7) demo.write(bytes.subarray(i, i + 7));
    assert.deepEqual((await demo.answer(1)).result?.['content'], [{ type: 'text', text: 'Added note-1: Käse ☕' }]);
    assert.deepEqual((await demo.answer(2)).result, {});
  });
});
