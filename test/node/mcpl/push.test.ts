import assert from 'node:assert/strict';
import { Deferred } from '../../../src/core/index.ts';
import { CaseModel, ID, mcplCases, type McplScript, pushOf, set } from './mcplCase.ts';

const ORIGIN = { source: 'reminder', reminderId: 'rem_1', recurring: false };
const FROM = 'from {"source":"reminder","reminderId":"rem_1","recurring":false}';
const ACCEPTED = '{"accepted":true}';

/** A server whose set `alerts` is on, with this policy for its events. */
function alerts(policy?: string, more: Partial<McplScript> = {}): McplScript {
  return {
    sets: { alerts: set('pushEvents') },
    mcpl: { pushEvents: true },
    ...more,
    entry: { featureSets: { enabled: ['*'] }, ...(policy !== undefined && { push: { alerts: policy } }) },
  };
}

mcplCases('push events', (open) => {
  for (const policy of [undefined, 'notify'])
    test(`an event under the policy ${policy ?? 'by default'} is kept, announced once, and starts nothing`, async () => {
      const opened = await open({ server: alerts(policy) });
      assert.equal(await opened.push('alerts', 'e-1', { origin: ORIGIN }), ACCEPTED);
      const line = `case alerts e-1 at 2026-02-03T10:00:00Z, ${FROM}, "Event e-1.", unread`;
      assert.deepEqual(opened.events(), [line]);
      await opened.until('that a person is told', () => opened.arrived.length > 0);
      assert.equal(await opened.push('alerts', 'e-2'), ACCEPTED);
      await opened.until('that a person is told again', () => opened.arrived.length > 1);
      assert.deepEqual(opened.arrived, [line, 'case alerts e-2 at 2026-02-03T10:00:00Z, "Event e-2.", unread']);
      assert.deepEqual([opened.host.events.unread, opened.model.asked], [2, []]);
      assert.deepEqual(await opened.audit(), [
        'case featureSets/update success: 1 on, 0 off',
        'case push/event alerts success: event e-1',
        'case push/event alerts success: event e-2',
      ]);
      const [, first] = opened.host.events.list();
      assert.ok(first !== undefined && Math.abs(Date.now() - first.receivedAt) < 60_000);
    });

  test('events under the policy inbox are kept without a notification, under ignore only the audit is kept', async () => {
    const opened = await open({
      server: {
        ...alerts(),
        sets: { quiet: set('pushEvents'), dull: set('pushEvents'), loud: set('pushEvents') },
        entry: { featureSets: { enabled: ['*'] }, push: { quiet: 'inbox', dull: 'ignore' } },
      },
    });
    for (const name of ['quiet', 'dull', 'loud']) assert.equal(await opened.push(name, `of ${name}`), ACCEPTED);
    await opened.until('that a person is told', () => opened.arrived.length > 0);
    const loud = 'case loud of loud at 2026-02-03T10:00:00Z, "Event of loud.", unread';
    assert.deepEqual(opened.arrived, [loud]);
    assert.deepEqual(opened.events(), [loud, 'case quiet of quiet at 2026-02-03T10:00:00Z, "Event of quiet.", unread']);
    assert.deepEqual(await opened.audit('push/event'), [
      'case push/event quiet success: event of quiet',
      'case push/event dull dropped: event of dull: events of this feature set are ignored',
      'case push/event loud success: event of loud',
    ]);
  });

  test('an event under the policy infer is promised a turn, in which a model reads it, under one id everywhere', async () => {
    const model = new CaseModel();
    const said = new Deferred<string>();
    model.says = () => said.promise;
    const opened = await open({
      model,
      server: alerts('infer', {
        sets: {
          alerts: set('pushEvents'),
          recall: set('contextHooks.beforeInference'),
          notes: set('contextHooks.afterInference'),
        },
        mcpl: { pushEvents: true, contextHooks: { beforeInference: true, afterInference: { blocking: false } } },
        answers: {
          'context/beforeInference': () => ({
            featureSet: 'recall',
            contextInjections: [{ namespace: 'facts', position: 'beforeUser', content: 'Builds run at night.' }],
          }),
        },
      }),
    });
    assert.equal(await opened.push('alerts', 'e-1', { origin: ORIGIN }), '{"accepted":true,"inferenceId":"inf#1"}');
    await opened.until('that the model is asked', () => model.asked.length > 0);
    const line = `case alerts e-1 at 2026-02-03T10:00:00Z, ${FROM}, "Event e-1.", unread, inf#1`;
    assert.deepEqual(opened.events(), [`${line}, asking`]);
    said.resolve('I will look into it.');
    await opened.life().until('context/afterInference');
    await opened.until('the answer', () => opened.events()[0]?.includes('answered') === true);
    assert.deepEqual(opened.events(), [`${line}, answered, "I will look into it."`]);
    assert.deepEqual([model.asked.length, model.chosenFor, opened.arrived], [1, [ID], []]);
    assert.match(model.prompts[0] ?? '', /Builds run at night\.[^]*Event e-1\./);
    const [before] = opened.life().sent('context/beforeInference');
    const [after] = opened.life().sent('context/afterInference');
    const shown = [before, after].map((message) => opened.named(JSON.stringify(message?.['params'])));
    const facts = '"model":{"id":"case-model","vendor":"case","contextWindow":8000,"capabilities":["text"]}';
    const event = opened.host.events.list()[0]?.id ?? '';
    const start = `{"inferenceId":"inf#1","conversationId":"event_${event}","turnIndex":0,"userMessage":null,`;
    assert.equal(shown[0], `${start}${facts}}`);
    assert.ok(
      shown[1]?.startsWith(`${start}"assistantMessage":"I will look into it.",${facts},"usage":{"inputTokens":`),
    );
    const audit = await opened.audit();
    assert.deepEqual(
      audit.map((entry) => entry.replaceAll(/\d+/g, (digits) => (digits.length > 1 ? 'N' : digits))),
      [
        'case featureSets/update success: 3 on, 0 off',
        'case push/event alerts success inf#1: event e-1',
        'case context/beforeInference recall success inf#1: 1 of 1 injections used.',
        'case context/afterInference notes success inf#1: Told of the answer.',
        'case inference/turn success inf#1 N tokens: N tokens read, 5 written.',
      ],
    );
  });

  test('a turn that no model takes is a failure of the event, and the server is answered all the same', async () => {
    const model = new CaseModel();
    model.absent = { kind: 'failed', reason: 'no_permission', message: 'Nobody has allowed this server a model.' };
    const opened = await open({ model, server: alerts('infer') });
    assert.equal(await opened.push('alerts', 'e-1'), '{"accepted":true,"inferenceId":"inf#1"}');
    await opened.until('the end of the turn', () => opened.events()[0]?.includes('failed') === true);
    assert.match(opened.events()[0] ?? '', /unread, inf#1, failed, "Nobody has allowed this server a model\./);
    assert.equal(model.asked.length, 0);
  });

  test('the same event again has the same answer and no other effect, also while the first is under way', async () => {
    const model = new CaseModel();
    const opened = await open({ model, server: alerts('infer') });
    const life = opened.life();
    const message = (
      id: string,
    ): {
      readonly jsonrpc: '2.0';
      readonly id: string;
      readonly method: string;
      readonly params: ReturnType<typeof pushOf>;
    } => ({
      jsonrpc: '2.0',
      id,
      method: 'push/event',
      params: pushOf('alerts', 'e-1'),
    });
    // In one write: the second comes while the first is being stored.
    await life.say(message('x'), message('y'));
    const answers = [opened.answerText(await life.answer('x')), opened.answerText(await life.answer('y'))];
    await opened.until('the answer', () => opened.events()[0]?.includes('answered') === true);
    answers.push(await opened.push('alerts', 'e-1', { payload: { content: [{ type: 'text', text: 'Changed.' }] } }));
    assert.deepEqual(
      answers,
      Array.from({ length: 3 }, () => '{"accepted":true,"inferenceId":"inf#1"}'),
    );
    assert.deepEqual(opened.events(), [
      'case alerts e-1 at 2026-02-03T10:00:00Z, "Event e-1.", unread, inf#1, answered, "The answer."',
    ]);
    assert.equal(model.asked.length, 1);
    assert.equal((await opened.audit('push/event')).length, 1);
  });

  test('an event that was refused is no repetition when it comes again', async () => {
    const opened = await open({ server: { sets: { alerts: set('pushEvents') } } });
    assert.match(await opened.push('alerts', 'e-1'), /^error -32001/);
    await opened.enable('alerts');
    assert.equal(await opened.push('alerts', 'e-1'), ACCEPTED);
    assert.equal(opened.events().length, 1);
  });

  test('the same id from two servers is two events', async () => {
    const opened = await open({ servers: { one: alerts('notify'), two: alerts('notify') } });
    for (const id of ['one', 'two', 'one', 'two']) assert.equal(await opened.push('alerts', 'e-1', {}, id), ACCEPTED);
    await opened.until('that a person is told', () => opened.arrived.length > 1);
    const lines = ['one', 'two'].map((id) => `${id} alerts e-1 at 2026-02-03T10:00:00Z, "Event e-1.", unread`);
    assert.deepEqual([opened.arrived, opened.events()], [lines, lines.toReversed()]);
    assert.deepEqual(await opened.audit('push/event'), [
      'one push/event alerts success: event e-1',
      'two push/event alerts success: event e-1',
    ]);
  });
});
