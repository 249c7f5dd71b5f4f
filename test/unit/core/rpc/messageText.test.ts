import assert from 'node:assert/strict';
import fc from 'fast-check';
import { isJsonObject, type Json, parseJson } from '../../../../src/core/base/json.ts';
import { messageText, withoutParts } from '../../../../src/core/rpc/messages.ts';

const call = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'add', arguments: { a: 1 } } };

suite('A message with serialized parts', () => {
  test('is written like any other without parts', () => {
    assert.equal(messageText(call), JSON.stringify(call));
    assert.equal(messageText([1, 2], { state: '{}' }), '[1,2]');
  });

  test('has them behind the other params, as they are', () => {
    assert.equal(
      messageText(call, { state: '{"notes":[ 1 ]}' }),
      '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"add","arguments":{"a":1},"state":{"notes":[ 1 ]}}}',
    );
    assert.equal(messageText({ method: 'x' }, { a: '1', b: 'null' }), '{"method":"x","params":{"a":1,"b":null}}');
    assert.equal(messageText({}, { a: '1' }), '{"params":{"a":1}}');
  });

  test('says the same as a message that was written whole', () => {
    const members = fc.dictionary(fc.string(), fc.jsonValue().map(asJson));
    fc.assert(
      fc.property(members, members, (params, parts) => {
        const own = Object.fromEntries(Object.entries(params).filter(([name]) => !Object.hasOwn(parts, name)));
        const ready = Object.fromEntries(Object.entries(parts).map(([name, value]) => [name, JSON.stringify(value)]));
        const message = { jsonrpc: '2.0', id: 1, method: 'm', params: own };
        assert.deepEqual(
          parseJson(messageText(message, ready)),
          parseJson(JSON.stringify({ ...message, params: Object.assign(Object.create(null), own, parts) })),
        );
      }),
    );
  });

  test('is shown in a trace with their lengths', () => {
    const shown = withoutParts(call, { state: 'x'.repeat(1_000) });
    assert.ok(isJsonObject(shown));
    assert.deepEqual(shown['params'], { name: 'add', arguments: { a: 1 }, state: '‹1000 characters›' });
  });
});

function asJson(value: unknown): Json {
  return parseJson(JSON.stringify(value));
}
