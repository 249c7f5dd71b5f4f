import assert from 'node:assert/strict';
import { Deferred } from '../../../src/core/base/async.ts';
import type { Json, JsonObject } from '../../../src/core/index.ts';
import { ask, AT, CaseModel, mcplCases, type McplScript, pushOf, set, tool } from './mcplCase.ts';

const PIXEL = 'iVBORw0KGgo=';

/** A server that may push builds. `policy` applies to them. */
function builds(policy: 'inbox' | 'notify' | 'infer', script: McplScript = {}): McplScript {
  return {
    sets: { builds: set('pushEvents') },
    mcpl: { pushEvents: true },
    entry: { featureSets: { enabled: ['builds'] }, push: { builds: policy } },
    ...script,
  };
}

mcplCases('what push events bring', (open) => {
  test('MCPL §10.3: blocks of every version are kept and read by a model, unknown ones as a placeholder', async () => {
    const content: Json = [
      { type: 'text', text: 'Build 7:' },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL } },
      { type: 'audio', source: { type: 'base64', media_type: 'audio/wav', data: 'AAAA' } },
      { type: 'resource_link', uri: 'memory://facts/1' },
      { type: 'image', data: PIXEL, mimeType: 'image/jpeg' },
      { type: 'resource', uri: 'file:///log' },
      { type: 'resource', resource: { uri: 'file:///note', text: 'A note.', more: { of: 'it' } } },
      { type: 'video', url: 'https://example.com/v.mp4' },
      'no block',
    ];
    const opened = await open({ server: builds('infer') });
    const answer = await opened.push('builds', 'e-1', { payload: { content } });
    assert.equal(answer, '{"accepted":true,"inferenceId":"inf#1"}');
    await opened.until('the answer of the model', () => opened.events()[0]?.includes('answered') === true);
    const kept = opened.host.events.list()[0]?.content;
    const link = { type: 'resource_link', uri: 'memory://facts/1', name: 'memory://facts/1' };
    assert.deepEqual(
      kept?.map((block) => JSON.parse(JSON.stringify(block)) as Json),
      [
        { type: 'text', text: 'Build 7:' },
        { type: 'image', data: PIXEL, mimeType: 'image/png' },
        { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' },
        link,
        { type: 'image', data: PIXEL, mimeType: 'image/jpeg' },
        { type: 'resource_link', uri: 'file:///log', name: 'file:///log' },
        { type: 'resource', resource: { uri: 'file:///note', text: 'A note.' } },
        { type: 'text', text: '[video, not understood]' },
        { type: 'text', text: '[content, not understood]' },
      ],
    );
    const read = /<event.*<\/event>/s.exec(opened.model.prompts[0] ?? '')?.[0];
    assert.equal(
      read,
      [
        `<event server="case" featureSet="builds" id="e-1" time="${AT}">`,
        'Build 7:',
        '[image image/png, 9 bytes]',
        '',
        '[audio audio/wav, 3 bytes]',
        '[memory://facts/1](memory://facts/1)',
        '[image image/jpeg, 9 bytes]',
        '',
        '[file:///log](file:///log)',
        'A note.',
        '[video, not understood]',
        '[content, not understood]',
        '</event>',
      ].join('\n'),
    );
    const images = opened.model.asked[0]?.messages.flatMap((message) => message.content.filter(isImage));
    assert.deepEqual(
      images?.map((image) => JSON.parse(JSON.stringify(image)) as Json),
      [
        { type: 'image', data: PIXEL, mimeType: 'image/png' },
        { type: 'image', data: PIXEL, mimeType: 'image/jpeg' },
      ],
    );
  });

  test('MCPL §9.2: an event without what it must have is an error that names the member, and nothing is kept', async () => {
    const opened = await open({ server: builds('notify') });
    const wrong: readonly JsonObject[] = [
      { eventId: null },
      { eventId: '' },
      { timestamp: null },
      { timestamp: 'yesterday' },
      { payload: null },
      { payload: {} },
      { payload: { content: 'A text.' } },
    ];
    const answers: string[] = [];
    for (const more of wrong) answers.push(await opened.push('builds', 'e-1', more));
    const id = 'eventId must be a text of 1 to 512 characters.';
    const time = 'timestamp must be an ISO 8601 date and time, such as "2026-01-23T10:30:00Z".';
    const list = 'payload.content must be a list of content blocks.';
    assert.deepEqual(answers, [
      `error -32602 ${id} {"field":"eventId"}`,
      `error -32602 ${id} {"field":"eventId"}`,
      `error -32602 ${time} {"field":"timestamp"}`,
      `error -32602 ${time} {"field":"timestamp"}`,
      'error -32602 payload must be an object. {"field":"payload"}',
      `error -32602 ${list} {"field":"payload.content"}`,
      `error -32602 ${list} {"field":"payload.content"}`,
    ]);
    assert.deepEqual(
      await opened.audit('push/event'),
      [id, id, time, time, 'payload must be an object.', list, list].map(
        (why) => `case push/event builds refused: ${why}`,
      ),
    );
    // A refused event is not remembered. After a correction it counts as new.
    assert.equal(await opened.push('builds', 'e-1'), '{"accepted":true}');
    await opened.until('the event to be told of', () => opened.arrived.length > 0);
    const kept = [`case builds e-1 at ${AT}, "Event e-1.", unread`];
    assert.deepEqual([opened.events(), opened.arrived], [kept, kept]);
  });

  test('of a hundred events within a second one at a time and six in a minute are read by a model, and all are answered at once', async () => {
    const model = new CaseModel();
    const first = new Deferred<string>();
    model.says = () => first.promise;
    const opened = await open({ server: builds('infer'), model });
    const life = opened.life();
    const ids = Array.from({ length: 100 }, (_, index) => `p-${index}`);
    const requests = ids.map((id) => ({ jsonrpc: '2.0', id, method: 'push/event', params: pushOf('builds', id) }));
    const sentAt = Date.now();
    await life.say(...requests);
    const answers = await Promise.all(ids.map(async (id) => opened.answerText(await life.answer(id))));
    const tookMs = Date.now() - sentAt;
    assert.deepEqual(answers, [
      '{"accepted":true,"inferenceId":"inf#1"}',
      ...ids.slice(1).map(() => '{"accepted":true}'),
    ]);
    assert.ok(tookMs < 5_000, `The last answer came after ${tookMs} ms.`);
    await opened.until('the model to be asked', () => model.asked.length > 0);

    first.resolve('Seen.');
    const later: string[] = [];
    for (const id of ['q-2', 'q-3', 'q-4', 'q-5', 'q-6', 'q-7']) {
      await opened.until(
        'a model that looks at nothing',
        () => !opened.events().some((line) => line.endsWith('asking')),
      );
      later.push(await opened.push('builds', id));
    }
    assert.deepEqual(later, [
      ...[2, 3, 4, 5, 6].map((nth) => `{"accepted":true,"inferenceId":"inf#${nth}"}`),
      '{"accepted":true}',
    ]);
    await opened.until(
      'the last answer',
      () => opened.events().filter((line) => line.includes('answered')).length === 6,
    );
    assert.deepEqual([model.asked.length, opened.host.events.list().length], [6, 106]);
    const audit = await opened.audit('push/event');
    assert.deepEqual(
      [audit.length, audit[1], audit.at(-1)],
      [
        106,
        'case push/event builds success: event p-1: no model was asked, because one is still looking at an earlier event',
        'case push/event builds success: event q-7: no model was asked, because 6 a minute is the most',
      ],
    );
  });

  test('an event and a request for a model are answered while the call of a tool waits for them', async () => {
    const answers: McplScript['answers'] = {
      'tools/call': async ({ life }) => {
        const pushed = await ask(life, 'push/event', pushOf('builds', 'e-1'));
        const thought = await ask(life, 'inference/request', {
          featureSet: 'thoughts',
          messages: [{ role: 'user', content: 'Hm?' }],
        });
        return { content: [{ type: 'text', text: JSON.stringify([pushed['result'], thought['result']]) }] };
      },
    };
    const opened = await open({
      server: {
        sets: { builds: set('pushEvents'), thoughts: set('inferenceRequest') },
        mcpl: { pushEvents: true, inferenceRequest: {} },
        tools: [tool('report')],
        answers,
        entry: { featureSets: { enabled: ['*'] }, timeouts: { call: 10 } },
      },
    });
    const { isError, modelText } = await opened.call('report');
    assert.equal(isError, false);
    assert.deepEqual(JSON.parse(modelText), [
      { accepted: true },
      {
        content: 'The answer.',
        model: 'case-model',
        finishReason: 'end_turn',
        usage: { inputTokens: 1, outputTokens: 2 },
      },
    ]);
    assert.deepEqual(await opened.audit('tools/call', 'push/event', 'inference/request'), [
      'case push/event builds success: event e-1',
      'case inference/request thoughts success inf#1 3 tokens: case-model: 1 tokens read, 2 written',
      'case tools/call success: report by api',
    ]);
  });
});

function isImage({ type }: { readonly type: string }): boolean {
  return type === 'image';
}
