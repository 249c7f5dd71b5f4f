import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Json, JsonObject } from '../../../../src/core/base/json.ts';
import type { Decoded } from '../../../../src/core/wire/members.ts';
import { decodeElicitation, type ElicitationModes, urlElicitationsOf } from '../../../../src/core/wire/elicitation.ts';
import { encodeRoots } from '../../../../src/core/wire/roots.ts';
import { decodeSamplingRequest, encodeSamplingResult, type SamplingRules } from '../../../../src/core/wire/sampling.ts';

function why(decoded: Decoded<unknown>): string {
  return decoded.kind === 'invalid' ? decoded.why : decoded.kind;
}

const form = { message: 'm', requestedSchema: { type: 'object', properties: { a: { type: 'string' } } } };
const page = { mode: 'url', message: 'm', url: 'https://example.com/a b?c#d', elicitationId: 'e' };

suite('A question to the user', () => {
  test('is a form unless it says otherwise', () => {
    const params = { ...form, _meta: { 'io.modelcontextprotocol/related-task': { taskId: 't' } }, later: 1 };
    assert.deepEqual(decodeElicitation(params, 'form'), {
      kind: 'ok',
      value: { kind: 'form', message: 'm', schema: form.requestedSchema, relatedTask: 't', raw: params },
    });
  });

  test('or a page to visit, whose address is kept to the letter', () => {
    assert.deepEqual(decodeElicitation(page, 'form+url'), {
      kind: 'ok',
      value: { kind: 'url', message: 'm', url: page.url, elicitationId: 'e', relatedTask: undefined, raw: page },
    });
  });

  test('is only asked in the ways that were declared', () => {
    const all = (['none', 'form', 'form+url'] as const).map((modes: ElicitationModes) => [
      why(decodeElicitation(form, modes)),
      why(decodeElicitation(page, modes)),
    ]);
    assert.deepEqual(all, [
      ['nobody can be asked here', 'nobody can be asked here'],
      ['ok', 'it asks in the mode "url", which is not one that was declared'],
      ['ok', 'ok'],
    ]);
  });

  test('never leads to anything but a page of the web', () => {
    const urls = [
      'http://localhost:1/x',
      'ftp://a',
      'vscode://x',
      'file:///x',
      'javascript:1',
      'data:,x',
      '//a',
      'x',
      '',
    ];
    const taken = urls.filter((url) => decodeElicitation({ ...page, url }, 'form+url').kind === 'ok');
    assert.deepEqual(taken, ['http://localhost:1/x']);
  });

  test('may be required by an error, which is recognized by its content', () => {
    const found = urlElicitationsOf({ elicitations: [page, { ...page, url: 'file:///x' }, 7] });
    assert.deepEqual(
      found.map(({ url }) => url),
      [page.url],
    );
    assert.deepEqual(
      [urlElicitationsOf(undefined), urlElicitationsOf([]), urlElicitationsOf({ elicitations: {} })],
      [[], [], []],
    );
  });
});

const text = { type: 'text', text: 'hi' };
const use = (id: string): JsonObject => ({ type: 'tool_use', id, name: 'n', input: { a: 1 } });
const result = (toolUseId: string): JsonObject => ({ type: 'tool_result', toolUseId, content: [text] });
const user = (...content: readonly Json[]): JsonObject => ({ role: 'user', content });
const assistant = (...content: readonly Json[]): JsonObject => ({ role: 'assistant', content });

suite('A request to a model', () => {
  test('is read with defaults for what is not said', () => {
    const params = { messages: [{ role: 'user', content: text }], maxTokens: 2.7 };
    assert.deepEqual(decodeSamplingRequest(params, { tools: 'unknown' }), {
      kind: 'ok',
      value: {
        messages: [{ role: 'user', content: [text] }],
        systemPrompt: undefined,
        maxTokens: 2,
        temperature: undefined,
        stopSequences: [],
        preferences: { hints: [], cost: undefined, speed: undefined, intelligence: undefined },
        includeContext: 'none',
        tools: [],
        toolChoice: 'auto',
        metadata: undefined,
        relatedTask: undefined,
        raw: params,
      },
    });
  });

  test('has tools only if they were declared and the revision has them', () => {
    const params = { messages: [user(text)], maxTokens: 1, tools: [{ name: 'n' }, 7], toolChoice: { mode: 'none' } };
    const read = (tools: SamplingRules['tools']): string => {
      const decoded = decodeSamplingRequest(params, { tools });
      return decoded.kind === 'ok' ? `${decoded.value.tools.length} ${decoded.value.toolChoice}` : why(decoded);
    };
    assert.deepEqual((['declared', 'refused', 'unknown'] as const).map(read), [
      '1 none',
      'it brings tools, and this host did not declare "sampling.tools"',
      '0 auto',
    ]);
  });

  test('answers each use of a tool in the next message, all of them and nothing else', () => {
    const conversations: Readonly<Record<string, readonly JsonObject[]>> = {
      paired: [user(text), assistant(text, use('1'), use('2')), user(result('2'), result('1')), assistant(text)],
      missing: [assistant(use('1'), use('2')), user(result('1'))],
      other: [assistant(use('1')), user(result('2'))],
      late: [assistant(use('1')), user(text), user(result('1'))],
      never: [user(text), assistant(use('1'))],
      beside: [assistant(use('1')), user(result('1'), text)],
      twice: [assistant(use('1')), user(result('1'), result('1'))],
      sameId: [assistant(use('1'), use('1')), user(result('1'))],
      byAssistant: [assistant(use('1')), assistant(result('1'))],
      byUser: [user(use('1')), user(result('1'))],
    };
    const outcomes = Object.entries(conversations).map(
      ([name, messages]) => `${name}: ${why(decodeSamplingRequest({ messages, maxTokens: 1 }, { tools: 'declared' }))}`,
    );
    assert.deepEqual(outcomes, [
      'paired: ok',
      'missing: message 2 does not answer every use of a tool before it',
      'other: message 2 answers a use of a tool that is not in the message before it',
      'late: message 2 does not answer every use of a tool before it',
      'never: the last message uses a tool and nothing answers it',
      'beside: message 2 holds results of tools beside other content',
      'twice: message 2 answers a use of a tool that is not in the message before it',
      'sameId: message 1 uses two tools under one id',
      "byAssistant: message 2 holds the result of a tool, and is not the user's",
      "byUser: message 1 uses a tool, and is not the assistant's",
    ]);
  });

  test('is answered in the form that the revision has', () => {
    const one = { content: [{ type: 'text', text: 'a' } as const], model: 'm', stopReason: undefined };
    const two = { content: [...one.content, { type: 'text', text: 'b' } as const], model: 'm', stopReason: 'endTurn' };
    const called = {
      content: [{ type: 'tool_use', id: '1', name: 'n', input: {} } as const, ...one.content],
      model: 'm',
      stopReason: 'toolUse',
    };
    assert.deepEqual(encodeSamplingResult(one, { lists: true }), {
      role: 'assistant',
      content: one.content[0],
      model: 'm',
    });
    assert.deepEqual(encodeSamplingResult(two, { lists: true })['content'], two.content);
    assert.deepEqual(encodeSamplingResult(two, { lists: false }), {
      role: 'assistant',
      content: { type: 'text', text: 'a\nb' },
      model: 'm',
      stopReason: 'endTurn',
    });
    assert.deepEqual(encodeSamplingResult(called, { lists: true })['content'], called.content);
    assert.deepEqual(encodeSamplingResult({ ...one, content: [] }, { lists: true })['content'], {
      type: 'text',
      text: '',
    });
  });

  test('never throws, whatever a server says', () => {
    const odd = fc.jsonValue({ maxDepth: 2 });
    const word = fc.oneof(odd, fc.constantFrom('tool_use', 'tool_result', 'text', '1'));
    const members = { type: word, id: word, name: word, toolUseId: word, content: odd, text: odd, input: odd };
    const piece = fc.record(members, { requiredKeys: [] });
    const content = fc.oneof(odd, fc.array(piece, { maxLength: 3 }));
    const message = fc.record({ role: fc.constantFrom('user', 'assistant'), content });
    const params = fc.record({
      messages: fc.oneof(odd, fc.array(message, { maxLength: 3 })),
      maxTokens: fc.oneof(fc.double(), odd),
      tools: odd,
      modelPreferences: odd,
      message: odd,
      requestedSchema: odd,
      url: fc.oneof(fc.constantFrom('https://a.b', 'http:'), odd),
      mode: fc.constantFrom('form', 'url', null, 7),
    });
    fc.assert(
      fc.property(params, (given) => {
        const value = given as unknown as JsonObject;
        for (const tools of ['declared', 'refused', 'unknown'] as const) decodeSamplingRequest(value, { tools });
        decodeElicitation(value, 'form+url');
        urlElicitationsOf({ elicitations: [value] });
      }),
    );
  });
});

suite('The roots of a server', () => {
  test('have their names, if any', () => {
    const roots = [
      { uri: 'file:///a', name: 'A' },
      { uri: 'file:///b', name: undefined },
    ];
    assert.deepEqual(encodeRoots({ roots }), { roots: [{ uri: 'file:///a', name: 'A' }, { uri: 'file:///b' }] });
  });
});
