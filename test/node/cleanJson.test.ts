import assert from 'node:assert/strict';
import { SecretList } from '../../src/core/index.ts';
import { cleanJson } from '../../src/node/gateway/gatewayExchange.ts';

suite('A message without secrets', () => {
  const list = new SecretList();
  for (const value of ['12345678', ',"isError":', 'abcdefg"']) list.add([{ name: 'KEY', value }]);

  test('is JSON whatever the secrets are, with its id and its numbers', () => {
    const message = {
      jsonrpc: '2.0',
      id: 'call-12345678',
      result: { n: 123456789, list: [12345678], text: 'abcdefg', isError: false, said: 'It is 12345678, abcdefg"' },
    };
    assert.deepEqual(JSON.parse(cleanJson(message, list.redact)), {
      ...message,
      result: { ...message.result, said: 'It is [secret: KEY], [secret: KEY]' },
    });
  });
});
