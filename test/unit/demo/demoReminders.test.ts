import assert from 'node:assert/strict';
import { DemoHost } from './demoHost.ts';

suite('Reminders of the demo', () => {
  let host: DemoHost;

  setup(async () => {
    host = new DemoHost(['memory']);
    await host.open('memory.proactive', 'memory.extraction');
  });

  teardown(() => {
    host.end();
    assert.equal(host.timers, 0);
  });

  const pushed = (): readonly unknown[] => host.asked('push/event').map(({ params }) => params.eventId);

  test('come as an event at their time, by what was said and by the tool', async () => {
    host.tell('Remind me in 10 seconds to stretch.');
    const { content } = (await host.call('remind_me', { text: 'tea', seconds: 20 })).result;
    assert.equal(content[0].text, 'The reminder "tea" comes in 20 s.');
    await host.pass(9_999);
    assert.deepEqual(pushed(), []);
    await host.pass(1);
    assert.deepEqual(host.asked('push/event')[0]?.params, {
      featureSet: 'memory.proactive',
      eventId: 'reminder-1',
      timestamp: '2026-01-23T14:00:10.000Z',
      origin: { server: 'memory', kind: 'reminder' },
      payload: { content: [{ type: 'text', text: 'Reminder: stretch' }] },
    });
    await host.answer('push/event', { result: { accepted: true, inferenceId: 'inf_2' } });
    await host.pass(10_000);
    await host.answer('push/event', { result: { accepted: true } });
    assert.deepEqual(host.logged, [
      'Will remind of "stretch" in 10 s.',
      'The reminder "stretch" was told. A model is asked about it (inf_2).',
      'The reminder "tea" was told.',
    ]);
    assert.deepEqual(pushed(), ['reminder-1', 'reminder-2']);
  });

  for (const [answer, line] of [
    [{ result: { accepted: false, reason: 'Too many.' } }, 'The reminder "x" was refused: Too many.'],
    [{ result: {} }, 'The reminder "x" was refused: no reason was given.'],
    [
      { error: { code: -32001, message: 'Feature set not enabled' } },
      'The reminder "x" was not taken: Feature set not enabled',
    ],
  ] as const)
    test(`that are refused are logged and not repeated: ${line}`, async () => {
      await host.call('remind_me', { text: 'x', seconds: 1 });
      await host.pass(1_000);
      await host.answer('push/event', answer);
      await host.pass(100_000);
      assert.deepEqual([host.logged, pushed()], [[line], ['reminder-1']]);
    });

  test('without an answer are sent again with the same id, three times in all', async () => {
    await host.call('remind_me', { text: 'x', seconds: 1 });
    await host.pass(1_000);
    for (let step = 0; step < 10; step++) await host.pass(30_000);
    assert.deepEqual(pushed(), ['reminder-1', 'reminder-1', 'reminder-1']);
    assert.equal(host.sent.filter(({ method }) => method === 'notifications/cancelled').length, 3);
  });

  test('that fall due while their set is off wait until it is on', async () => {
    await host.call('remind_me', { text: 'x', seconds: 1 });
    host.update([], ['memory.proactive']);
    host.tell('Remind me in 1 second to stretch.');
    await host.pass(5_000);
    host.update(['memory.extraction'], []);
    assert.deepEqual(pushed(), []);
    host.update(['memory.proactive'], []);
    assert.deepEqual(pushed(), ['reminder-1']);
    assert.equal(
      host.logged[0],
      'The reminder "x" is due, but memory.proactive is off. It is told when that is on again.',
    );
  });

  test('are bounded in number and in time', async () => {
    assert.equal((await host.call('remind_me', { text: 'x', seconds: 86_401 })).result.isError, true);
    host.tell('Remind me in 25 hours to sleep.');
    assert.deepEqual(host.logged, ['A reminder is due in 1 second to 24 hours.']);
    for (let number = 0; number < 50; number++) await host.call('remind_me', { text: 'x', seconds: 60 });
    assert.deepEqual(
      (await host.call('remind_me', { text: 'x' })).result.content[0].text,
      'There are 50 reminders already. Wait for some of them.',
    );
  });
});
