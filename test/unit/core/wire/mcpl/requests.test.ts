import assert from 'node:assert/strict';
import type { Json, JsonObject } from '../../../../../src/core/base/json.ts';
import { MODEL_FAILURES } from '../../../../../src/core/model/inference.ts';
import {
  decodeInferenceRequest,
  encodeChunk,
  encodeInferenceResult,
  encodeModelInfo,
} from '../../../../../src/core/wire/mcpl/inferenceMessages.ts';
import {
  type DecodedParams,
  inHook,
  invalidParams,
  modelError,
  notEnabled,
  unknownFeatureSet,
} from '../../../../../src/core/wire/mcpl/mcplErrors.ts';
import { decodePush } from '../../../../../src/core/wire/mcpl/pushEvent.ts';

function verdict(decoded: DecodedParams<unknown>): string {
  return decoded.kind === 'ok' ? 'ok' : `${decoded.field}: ${decoded.why}`;
}

const text = { type: 'text', text: 't' };

suite('A push event', () => {
  const params: JsonObject = {
    featureSet: 'heartbeat',
    eventId: 'heartbeat_1794981745995_cwzku0',
    timestamp: '2026-11-18T06:02:25.995Z',
    origin: { source: 'heartbeat', reason: 'manual' },
    payload: { content: [{ type: 'text', text: '[heartbeat] Periodic self-check-in.' }] },
  };

  test('is read as a public server sends it', () => {
    assert.deepEqual(decodePush({ ...params, tags: ['chat:mention'] }), {
      kind: 'ok',
      value: {
        eventId: 'heartbeat_1794981745995_cwzku0',
        timestamp: '2026-11-18T06:02:25.995Z',
        origin: { source: 'heartbeat', reason: 'manual' },
        content: [{ type: 'text', text: '[heartbeat] Periodic self-check-in.' }],
      },
    });
  });

  test('may have blocks of any kind, no origin, and a time in any form of ISO 8601', () => {
    const content = [
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } },
      { type: 'video' },
    ];
    const read = (timestamp: Json, origin: Json): unknown => {
      const decoded = decodePush({ ...params, timestamp, origin, payload: { content } });
      return decoded.kind === 'ok' ? { ...decoded.value, eventId: '' } : decoded;
    };
    const blocks = [
      { type: 'image', data: 'AA==', mimeType: 'image/png' },
      { type: 'text', text: '[video, not understood]' },
    ];
    const expected = { eventId: '', origin: undefined, content: blocks };
    assert.deepEqual(read('2026-W47-3', 'x'), { ...expected, timestamp: '2026-W47-3' });
    assert.deepEqual(read('20261118T060225+0000', null), { ...expected, timestamp: '20261118T060225+0000' });
  });

  test('that cannot be used is refused with the member that is wrong', () => {
    const changes: readonly JsonObject[] = [
      { eventId: undefined },
      { eventId: '' },
      { eventId: 7 },
      { eventId: 'e'.repeat(513) },
      { timestamp: undefined },
      { timestamp: '\u200b' },
      { timestamp: 'yesterday' },
      { timestamp: 1_794_981_745_995 },
      { payload: undefined },
      { payload: [text] },
      { payload: {} },
      { payload: { content: 'text' } },
      { payload: { content: text } },
    ];
    assert.deepEqual(
      changes.map((change) => verdict(decodePush({ ...params, ...change }))),
      [
        ...Array<string>(4).fill('eventId: eventId must be a text of 1 to 512 characters.'),
        ...Array<string>(4).fill(
          'timestamp: timestamp must be an ISO 8601 date and time, such as "2026-01-23T10:30:00Z".',
        ),
        ...Array<string>(2).fill('payload: payload must be an object.'),
        ...Array<string>(3).fill('payload.content: payload.content must be a list of content blocks.'),
      ],
    );
  });

  test('is taken up to its bounds, and not beyond', () => {
    const many = (length: number): Json => Array.from({ length }, () => text);
    const large = (length: number): Json => [text, { type: 'text', text: 'x'.repeat(length - 1) }];
    const nested = (levels: number): JsonObject => (levels === 0 ? {} : { a: nested(levels - 1) });
    const cases: readonly JsonObject[] = [
      { eventId: 'e'.repeat(512) },
      { payload: { content: [] } },
      { payload: { content: many(256) } },
      { payload: { content: many(257) } },
      { payload: { content: large(4 * 1024 * 1024) } },
      { payload: { content: large(4 * 1024 * 1024 + 1) } },
      { origin: { a: 'x'.repeat(65_000), b: [1, true, null] } },
      { origin: { a: 'x'.repeat(66_000) } },
      { origin: { a: Array.from({ length: 100_000 }, () => 1) } },
      { origin: nested(31) },
      { origin: nested(32) },
    ];
    assert.deepEqual(
      cases.map((change) => verdict(decodePush({ ...params, ...change }))),
      [
        'ok',
        'ok',
        'ok',
        'payload.content: payload.content must be a list of at most 256 content blocks.',
        'ok',
        'payload.content: payload.content must be at most 4 MB of text and data.',
        'ok',
        'origin: origin must be an object of at most 64 KB.',
        'origin: origin must be an object of at most 64 KB.',
        'ok',
        'origin: origin must be an object of at most 64 KB.',
      ],
    );
  });
});

suite('A request for inference', () => {
  test('is read with all of its members', () => {
    const params = {
      featureSet: 'memory.consolidation',
      conversationId: 'conv_123',
      stream: true,
      messages: [
        { role: 'user', content: 'Summarize' },
        { role: 'assistant', content: text },
        { role: 'user', content: [text, { type: 'image', data: 'AA==', mimeType: 'image/png' }] },
      ],
      preferences: { maxTokens: 500.9, temperature: 0.7, costPriority: 1 },
    };
    assert.deepEqual(decodeInferenceRequest(params), {
      kind: 'ok',
      value: {
        conversationId: 'conv_123',
        stream: true,
        messages: [
          { role: 'user', content: [{ type: 'text', text: 'Summarize' }] },
          { role: 'assistant', content: [text] },
          { role: 'user', content: [text, { type: 'image', data: 'AA==', mimeType: 'image/png' }] },
        ],
        maxTokens: 500,
        temperature: 0.7,
      },
    });
  });

  test('needs its messages only', () => {
    const messages = [{ role: 'user', content: [] }];
    const others: readonly JsonObject[] = [
      { messages },
      { messages, stream: 'true', conversationId: 7, preferences: null },
      { messages, conversationId: 'c'.repeat(513), preferences: { maxTokens: null, temperature: null } },
    ];
    const value = { conversationId: undefined, stream: false, messages, maxTokens: undefined, temperature: undefined };
    assert.deepEqual(
      others.map((params) => decodeInferenceRequest(params)),
      others.map(() => ({ kind: 'ok', value })),
    );
  });

  test('that cannot be used is refused with the member that is wrong', () => {
    const fine = { role: 'user', content: 't' };
    const lists: readonly Json[] = [
      'x',
      [],
      Array.from({ length: 1_001 }, () => fine),
      [fine, 'x'],
      [{ role: 'system', content: 't' }],
      [{ role: '__proto__', content: 't' }],
      [fine, { role: 'user' }],
      [{ role: 'user', content: 7 }],
      [fine, { role: 'user', content: 'x'.repeat(4 * 1024 * 1024) }],
    ];
    assert.deepEqual(
      lists.map((messages) => verdict(decodeInferenceRequest({ messages }))),
      [
        ...Array<string>(3).fill('messages: messages must be a list of 1 to 1000 messages.'),
        'messages[1]: messages[1] must be an object.',
        ...Array<string>(2).fill('messages[0].role: messages[0].role must be "user" or "assistant".'),
        'messages[1].content: messages[1].content must be a text, a content block or a list of them.',
        'messages[0].content: messages[0].content must be a text, a content block or a list of them.',
        'messages: messages must be at most 4 MB of text and data.',
      ],
    );
  });

  test('sets limits that are numbers, or none', () => {
    const messages = [{ role: 'user', content: 't' }];
    const limits: readonly Json[] = [
      { maxTokens: 1 },
      { maxTokens: 1e300 },
      { maxTokens: 0 },
      { maxTokens: -5 },
      { maxTokens: NaN },
      { maxTokens: Infinity },
      { maxTokens: '10' },
      { temperature: 0 },
      { temperature: -1 },
      { temperature: NaN },
      'x',
    ];
    const read = (preferences: Json): string => {
      const decoded = decodeInferenceRequest({ messages, preferences });
      if (decoded.kind === 'invalid') return decoded.field;
      return `${decoded.value.maxTokens} ${decoded.value.temperature}`;
    };
    assert.deepEqual(limits.map(read), [
      '1 undefined',
      '9007199254740991 undefined',
      ...Array<string>(5).fill('preferences.maxTokens'),
      'undefined 0',
      ...Array<string>(2).fill('preferences.temperature'),
      'preferences',
    ]);
  });
});

suite('What a server is answered', () => {
  test('has the members of MCPL and no others', () => {
    const facts = { id: 'm', vendor: 'v', contextWindow: 8, capabilities: ['vision'], secret: 's' };
    const usage = { inputTokens: 1, outputTokens: 2, secret: 's' };
    const answer = { content: 'c', model: 'm', finishReason: 'end_turn', usage, secret: 's' } as const;
    assert.deepEqual(encodeModelInfo(facts), { id: 'm', vendor: 'v', contextWindow: 8, capabilities: ['vision'] });
    assert.deepEqual(encodeInferenceResult(answer), {
      content: 'c',
      model: 'm',
      finishReason: 'end_turn',
      usage: { inputTokens: 1, outputTokens: 2 },
    });
  });

  test('in pieces names the request by the id that it has, text or number', () => {
    assert.deepEqual(
      [encodeChunk('1', 0, 'a'), encodeChunk(1, 1, '')],
      [
        { requestId: '1', index: 0, delta: 'a' },
        { requestId: 1, index: 1, delta: '' },
      ],
    );
  });

  test('as an error has the code and the data of MCPL', () => {
    const errors = [
      notEnabled('a.b', true),
      notEnabled('a.b', false),
      unknownFeatureSet('__proto__'),
      invalidParams('eventId must be a text.', 'eventId'),
      invalidParams('No.'),
      inHook(),
      ...MODEL_FAILURES.map((reason) => modelError({ reason })),
    ];
    assert.deepEqual(
      errors.map(({ code, message, data }) => `${code} ${message} ${JSON.stringify(data)}`),
      [
        '-32001 Feature set not enabled {"featureSet":"a.b","canEnable":true}',
        '-32001 Feature set not enabled {"featureSet":"a.b","canEnable":false}',
        '-32003 Unknown feature set {"featureSet":"__proto__"}',
        '-32602 eventId must be a text. {"field":"eventId"}',
        '-32602 No. undefined',
        '-32600 No inference may be requested while a context hook is under way. undefined',
        '-32000 No language model available {"reason":"no_model"}',
        '-32000 No language model available {"reason":"no_permission"}',
        '-32000 The language model refused the request {"reason":"blocked"}',
        '-32000 The quota of the language model is used up {"reason":"quota"}',
        '-32000 The request was cancelled {"reason":"cancelled"}',
        '-32603 The language model failed {"reason":"failed"}',
      ],
    );
  });
});
