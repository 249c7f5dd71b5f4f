import assert from 'node:assert/strict';
import { HostError } from '../../../../src/core/base/errors.ts';
import type { Json, JsonObject } from '../../../../src/core/base/json.ts';
import { InvokeFallback } from '../../../../src/core/session/dialectFallback.ts';

const refuse = (rpcCode: number, message = 'no'): HostError =>
  new HostError('REMOTE_ERROR', message, { layer: 'server', rpcCode });

suite('tools/invoke in the place of tools/call', () => {
  let heard: string[];
  let server: Record<string, Json | HostError>;
  let fallback: InvokeFallback;
  const call = (): Promise<string> =>
    fallback.call<string>({ name: 'w', arguments: { a: 1 }, _meta: {} }, (result) => JSON.stringify(result), ask);
  const ask = async (method: string, params: JsonObject, decode: (result: Json) => string): Promise<string> => {
    heard.push(`${method} ${JSON.stringify(params)}`);
    const answer = server[method];
    if (answer instanceof HostError) throw answer;
    return decode(answer ?? null);
  };
  setup(() => {
    heard = [];
    fallback = new InvokeFallback();
  });

  test('is asked only where tools/call is not known, and then at once', async () => {
    server = { 'tools/call': refuse(-32601), 'tools/invoke': { status: 'success', output: 'Sunny' } };
    assert.equal(await call(), '{"content":[{"type":"text","text":"Sunny"}]}');
    assert.equal(await call(), '{"content":[{"type":"text","text":"Sunny"}]}');
    assert.deepEqual(heard, [
      'tools/call {"name":"w","arguments":{"a":1},"_meta":{}}',
      'tools/invoke {"name":"w","arguments":{"a":1}}',
      'tools/invoke {"name":"w","arguments":{"a":1}}',
    ]);
  });

  test('is not asked where tools/call answers or fails otherwise', async () => {
    server = { 'tools/call': { content: [] } };
    assert.equal(await call(), '{"content":[]}');
    server = { 'tools/call': refuse(-32602) };
    await assert.rejects(call(), { rpcCode: -32602 });
    const late = new HostError('TIMEOUT', 'late', { layer: 'transport' });
    server = { 'tools/call': late };
    await assert.rejects(call(), late);
    assert.equal(heard.length, 3);
  });

  test('unknown too leaves the first failure, and nothing is remembered', async () => {
    server = { 'tools/call': refuse(-32601, 'first'), 'tools/invoke': refuse(-32601, 'second') };
    await assert.rejects(call(), { message: 'first' });
    await assert.rejects(call(), { message: 'first' });
    assert.equal(heard.length, 4);
  });

  test('a positive code is the word of the tool, any other one a failure', async () => {
    server = { 'tools/call': refuse(-32601), 'tools/invoke': refuse(4001, 'No city') };
    assert.equal(await call(), '{"content":[{"type":"text","text":"No city"}],"isError":true}');
    server = { 'tools/invoke': refuse(-32000, 'broken') };
    await assert.rejects(call(), { message: 'broken' });
    assert.equal(heard.length, 3);
  });
});
