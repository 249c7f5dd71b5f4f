import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Json, JsonObject } from '../../../../src/core/base/json.ts';
import { codecFor, dialectCodec, type WireCodec } from '../../../../src/core/wire/codec.ts';
import { METHODS, REVISIONS } from '../../../../src/core/wire/mcpRevisions.ts';

const codecs = [...REVISIONS.map(({ version }) => codec(version)), dialectCodec];

function codec(version: string): WireCodec {
  return codecFor(version) ?? assert.fail(`no codec for ${version}`);
}

const modern = codec('2026-07-28');
const declared = {
  _meta: {
    'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } },
  },
};

suite('The codec of a revision', () => {
  test('is there for every version that is spoken, the pre-history included', () => {
    assert.equal(codecFor('2024-10-07'), codecFor('2024-11-05'));
    assert.deepEqual(['1999-01-01', '', 'constructor'].map(codecFor), [undefined, undefined, undefined]);
  });

  test('knows methods by the direction in which they are sent, and inputs in none', () => {
    const known = (version: string, method: string): string =>
      (['toServer', 'toClient'] as const).filter((direction) => codec(version).knows(method, direction)).join('+');
    assert.deepEqual(
      [
        known('2025-06-18', 'tools/call'),
        known('2025-06-18', 'elicitation/create'),
        known('2025-03-26', 'elicitation/create'),
        known('2025-11-25', 'tasks/get'),
        known('2026-07-28', 'tasks/get'),
        known('2026-07-28', 'elicitation/create'),
        known('2026-07-28', 'push/event'),
      ],
      ['toServer', 'toClient', '', 'toServer+toClient', 'toServer', '', ''],
    );
    assert.equal(modern.lacks('ping', 'toServer'), true);
    assert.equal(modern.lacks('push/event', 'toServer'), false);
  });

  test('passes what it accepts in the same object, and methods of extensions unseen', () => {
    const params = { uri: 'a:b', later: { x: 1 } };
    const same = (decoded: { readonly kind: string; readonly value?: unknown }): boolean => decoded.value === params;
    for (const each of codecs) {
      assert.ok(same(each.decodeNotification('notifications/resources/updated', params)));
      assert.ok(same(each.decodeNotification('x/y', params)));
      assert.ok(same(each.decodeRequest('push/event', params)));
      assert.ok(same(each.decodeResult('tools/call', {}, params)));
    }
  });

  test('takes a server’s request as an input only within an answer', () => {
    const params = { message: 'm', requestedSchema: { type: 'object', properties: {} } };
    const kinds = (each: WireCodec): string =>
      `${each.decodeRequest('elicitation/create', params).kind} ${each.decodeInput('elicitation/create', params).kind}`;
    assert.equal(kinds(codec('2025-11-25')), 'ok notInRevision');
    assert.equal(kinds(modern), 'notInRevision ok');
    assert.equal(kinds(codec('2025-03-26')), 'notInRevision notInRevision');
  });

  test('accepts a task as an answer only if tasks were offered', () => {
    const task = { resultType: 'task', taskId: 't', status: 'working' };
    const kinds = [
      modern.decodeResult('tools/call', declared, task),
      modern.decodeResult('tools/call', {}, task),
      modern.decodeResult('prompts/get', declared, task),
      codec('2025-11-25').decodeResult('tools/call', {}, task),
    ].map(({ kind }) => kind);
    assert.deepEqual(kinds, ['ok', 'invalid', 'invalid', 'ok']);
  });

  test('knows no types of results before the revision that brings them', () => {
    const odd = { resultType: 'partial', content: [] };
    assert.equal(codec('2025-11-25').decodeResult('tools/call', {}, odd).kind, 'ok');
    assert.deepEqual(modern.decodeResult('tools/call', {}, odd), {
      kind: 'invalid',
      why: 'the answer is of a type that is not known: "partial"',
    });
  });

  test('never throws and never changes anything, whatever JSON arrives', () => {
    const methods = [...new Set(METHODS.map(({ method }) => method)), 'x/y', '__proto__'];
    const params = fc.dictionary(
      fc.constantFrom(
        'messages',
        'maxTokens',
        'message',
        'requestedSchema',
        'mode',
        'url',
        'taskId',
        'status',
        '_meta',
        'uri',
        'x',
      ),
      fc.jsonValue(),
    );
    const result = fc.oneof(
      fc.jsonValue(),
      fc.dictionary(
        fc.constantFrom(
          'tools',
          'contents',
          'messages',
          'completion',
          'resultType',
          'inputRequests',
          'requestState',
          'task',
          'x',
        ),
        fc.oneof(fc.jsonValue(), fc.constantFrom('task', 'input_required', 'complete')),
      ),
    );
    fc.assert(
      fc.property(fc.constantFrom(...methods), params, result, (method, given, answer) => {
        const before = JSON.stringify([given, answer]);
        for (const each of codecs) {
          const decoded = [
            [given, each.decodeRequest(method, given as JsonObject)],
            [given, each.decodeInput(method, given as JsonObject)],
            [given, each.decodeNotification(method, given as JsonObject)],
            [answer, each.decodeResult(method, given as JsonObject, answer as Json)],
          ] as const;
          for (const [sent, outcome] of decoded) if (outcome.kind === 'ok') assert.equal(outcome.value, sent);
        }
        assert.equal(JSON.stringify([given, answer]), before);
      }),
      { numRuns: 300 },
    );
  });
});
