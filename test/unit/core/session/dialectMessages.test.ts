import assert from 'node:assert/strict';
import type { Json, JsonObject } from '../../../../src/core/base/json.ts';
import {
  dialectNotification,
  dialectRequest,
  standardAnswer,
  standardNotifications,
} from '../../../../src/core/session/dialectMessages.ts';
import { resourceName, resourceUri } from '../../../../src/core/session/dialectResults.ts';

const text = (value: unknown): string => JSON.stringify(value);
const answer = (method: string, result: Json): string => text(standardAnswer(method, { kind: 'result', result }));
const refused = (method: string, code: number, message: string): string =>
  text(standardAnswer(method, { kind: 'error', error: { code, message } }));
const said = (method: string, params?: Json): readonly string[] =>
  standardNotifications(method, params, (id) => (id === 10 ? 'token' : undefined)).map(text);

suite('the messages of the short dialect', () => {
  test('requests of the standard in its words', () => {
    const asked = (method: string, params: JsonObject = {}): string => text(dialectRequest(method, params));
    assert.deepEqual(
      [
        asked('initialize', { protocolVersion: '2025-11-25', capabilities: { experimental: { mcpl: {} } } }),
        asked('tools/list', { cursor: 'x' }),
        asked('resources/list'),
        asked('tools/call', { name: 'w', arguments: { city: 'Phoenix' }, _meta: { progressToken: 4 } }),
        asked('tools/call', { name: 'w' }),
        asked('resources/read', { uri: 'dialect003:my%20files' }),
        asked('resources/templates/list'),
        asked('ping'),
        asked('completion/complete', { a: 1 }),
      ],
      [
        '{"kind":"send","spoken":{"method":"initialize","params":{"mcpVersion":"2025-06-18","clientCapabilities":{"supportsProgress":true,"supportsCancellation":true}}}}',
        '{"kind":"send","spoken":{"method":"tools/list"}}',
        '{"kind":"send","spoken":{"method":"resources/list"}}',
        '{"kind":"send","spoken":{"method":"tools/invoke","params":{"name":"w","arguments":{"city":"Phoenix"}}}}',
        '{"kind":"send","spoken":{"method":"tools/invoke","params":{"name":"w","arguments":{}}}}',
        '{"kind":"send","spoken":{"method":"resources/read","params":{"uri":"my files"}}}',
        '{"kind":"answered","result":{"resourceTemplates":[]}}',
        '{"kind":"answered","result":{}}',
        '{"kind":"send","spoken":{"method":"completion/complete","params":{"a":1}}}',
      ],
    );
  });

  test('notifications of the standard in its words, the others being left unsaid', () => {
    assert.deepEqual(
      [
        dialectNotification('notifications/initialized', {}),
        dialectNotification('notifications/cancelled', { requestId: 10, reason: 'why' }),
        dialectNotification('notifications/roots/list_changed', {}),
        dialectNotification('own/note', { a: 1 }),
      ],
      [
        { method: 'initialized', params: {} },
        { method: 'cancel', params: { id: 10 } },
        undefined,
        { method: 'own/note', params: { a: 1 } },
      ],
    );
  });

  test('its handshake in the words of the standard', () => {
    const all = { supportsToolDiscovery: true, supportsResourceDiscovery: true, supportsNotifications: true };
    assert.deepEqual(
      [
        answer('initialize', { server: { name: 's', version: '1' }, serverCapabilities: all }),
        answer('initialize', { server: 's', serverCapabilities: { supportsResourceDiscovery: true } }),
        answer('initialize', { server: { name: 's' }, instructions: 'Be kind.' }),
        answer('initialize', { serverCapabilities: { experimental: { mcpl: { version: '0.4' } } } }),
        answer('initialize', { protocolVersion: '2025-06-18', capabilities: {} }),
        answer('initialize', null),
      ],
      [
        `{"kind":"result","result":{"protocolVersion":"2025-06-18","serverInfo":{"name":"s","version":"1"},"capabilities":{"tools":{"listChanged":true},"resources":{"listChanged":true},"experimental":{"dialect003":${text(all)}}}}}`,
        '{"kind":"result","result":{"protocolVersion":"2025-06-18","serverInfo":{"name":"s","version":""},"capabilities":{"resources":{"listChanged":false},"experimental":{"dialect003":{"supportsResourceDiscovery":true}}}}}',
        '{"kind":"result","result":{"protocolVersion":"2025-06-18","serverInfo":{"name":"s"},"capabilities":{"tools":{"listChanged":false},"experimental":{"dialect003":{"supportsToolDiscovery":true}}},"instructions":"Be kind."}}',
        '{"kind":"result","result":{"protocolVersion":"2025-06-18","serverInfo":{"name":"","version":""},"capabilities":{"experimental":{"dialect003":{"experimental":{"mcpl":{"version":"0.4"}}}}}}}',
        '{"kind":"result","result":{"protocolVersion":"2025-06-18","capabilities":{}}}',
        '{"kind":"result","result":null}',
      ],
    );
  });

  test('its lists in the words of the standard', () => {
    assert.deepEqual(
      [
        answer('tools/list', [{ name: 'a', inputSchema: { type: 'object', x: 1 } }, { name: 'b' }, 'c', 7]),
        answer('tools/list', { tools: [{ name: 'b', inputSchema: null }], nextCursor: 'n' }),
        answer('tools/list', null),
        answer('resources/list', ['user files', 'file:///x', { name: 'n' }, { uri: 'u:1', name: 'n' }, { odd: 1 }]),
        answer('resources/list', { other: [] }),
      ],
      [
        '{"kind":"result","result":{"tools":[{"name":"a","inputSchema":{"type":"object","x":1}},{"name":"b","inputSchema":{"type":"object"}},{"name":"c","inputSchema":{"type":"object"}},7]}}',
        '{"kind":"result","result":{"tools":[{"name":"b","inputSchema":{"type":"object"}}],"nextCursor":"n"}}',
        '{"kind":"result","result":{"tools":[]}}',
        '{"kind":"result","result":{"resources":[{"uri":"dialect003:user%20files","name":"user files"},{"uri":"file:///x","name":"file:///x"},{"name":"n","uri":"dialect003:n"},{"uri":"u:1","name":"n"},{"odd":1}]}}',
        '{"kind":"result","result":{"other":[]}}',
      ],
    );
  });

  test('what a tool gave as a result of the standard', () => {
    const results: Record<string, readonly [Json, string]> = {
      object: [
        { status: 'success', output: { temperature: 89 } },
        '{"content":[{"type":"text","text":"{\\"temperature\\":89}"}],"structuredContent":{"temperature":89}}',
      ],
      words: [{ status: 'OK', output: 'Sunny' }, '{"content":[{"type":"text","text":"Sunny"}]}'],
      'no status': [{ output: [1, 2] }, '{"content":[{"type":"text","text":"[1,2]"}]}'],
      nothing: [{ status: 'success' }, '{"content":[]}'],
      failure: [
        { status: 'failed', output: 'No luck.' },
        '{"content":[{"type":"text","text":"No luck."}],"isError":true}',
      ],
      'failure in other words': [
        { status: 'error', message: 'Broken' },
        '{"content":[{"type":"text","text":"Broken"}],"isError":true}',
      ],
      'failure without words': [
        { status: { code: 3 } },
        '{"content":[{"type":"text","text":"The tool ended with the status {\\"code\\":3}."}],"isError":true}',
      ],
      'of the standard': [{ content: [], isError: true, status: 'x' }, '{"content":[],"isError":true,"status":"x"}'],
      'the output itself': [
        { temperature: 89 },
        '{"content":[{"type":"text","text":"{\\"temperature\\":89}"}],"structuredContent":{"temperature":89}}',
      ],
      'a bare word': ['Sunny', '{"content":[{"type":"text","text":"Sunny"}]}'],
      null: [null, '{"content":[]}'],
    };
    for (const [name, [result, expected]] of Object.entries(results))
      assert.equal(answer('tools/call', result), `{"kind":"result","result":${expected}}`, name);
  });

  test('a positive code is the word of the tool, any other one a failure', () => {
    assert.deepEqual(
      [
        refused('tools/call', 4001, "Missing required parameter 'city'"),
        refused('tools/call', 4002, ''),
        refused('tools/call', -32601, 'Method not found'),
        refused('tools/list', 4001, 'Not now'),
      ],
      [
        '{"kind":"result","result":{"content":[{"type":"text","text":"Missing required parameter \'city\'"}],"isError":true}}',
        '{"kind":"result","result":{"content":[{"type":"text","text":"The tool failed with the code 4002."}],"isError":true}}',
        '{"kind":"error","error":{"code":-32601,"message":"Method not found"}}',
        '{"kind":"error","error":{"code":4001,"message":"Not now"}}',
      ],
    );
  });

  test('what the server says unasked', () => {
    assert.deepEqual(
      {
        progress: said('progress', { id: 10, percent: 42, message: 'Searching...' }),
        'progress in words only': said('progress', { id: 10, message: 'Still' }),
        'progress that is not a number': said('progress', { id: 10, percent: 'half' }),
        'progress of nothing': said('progress', { id: 11, percent: 1 }),
        tools: said('tools/changed', { added: [{ name: 'n' }, 'm'], removed: ['d'] }),
        'tools without names': said('tools/changed', { added: 'n', removed: 7 }),
        resources: said('resources/changed', { updated: ['user_files', { uri: 'a:b' }, { name: 'n' }, 7, {}] }),
        'resources without names': said('resources/changed', 'what'),
        'of the standard': said('notifications/message', { level: 'info' }),
        positional: said('notifications/message', [1]),
        bare: said('own'),
      },
      {
        progress: [
          '{"method":"notifications/progress","params":{"progressToken":"token","progress":42,"total":100,"message":"Searching..."}}',
        ],
        'progress in words only': [
          '{"method":"notifications/progress","params":{"progressToken":"token","progress":0,"message":"Still"}}',
        ],
        // The peer ignores it.
        'progress that is not a number': [
          '{"method":"notifications/progress","params":{"progressToken":"token","progress":"half","total":100}}',
        ],
        'progress of nothing': [],
        tools: [
          '{"method":"notifications/tools/list_changed","params":{"added":[{"name":"n","inputSchema":{"type":"object"}},{"name":"m","inputSchema":{"type":"object"}}],"removed":["d"]}}',
        ],
        'tools without names': ['{"method":"notifications/tools/list_changed","params":{}}'],
        resources: [
          '{"method":"notifications/resources/list_changed","params":{}}',
          '{"method":"notifications/resources/updated","params":{"uri":"dialect003:user_files"}}',
          '{"method":"notifications/resources/updated","params":{"uri":"a:b"}}',
          '{"method":"notifications/resources/updated","params":{"uri":"dialect003:n"}}',
        ],
        'resources without names': ['{"method":"notifications/resources/list_changed","params":{}}'],
        'of the standard': ['{"method":"notifications/message","params":{"level":"info"}}'],
        positional: ['{"method":"notifications/message","params":{}}'],
        bare: ['{"method":"own"}'],
      },
    );
  });

  test('names become addresses and names again', () => {
    for (const name of ['user_files', 'my files/ü%41', 'a', '']) assert.equal(resourceName(resourceUri(name)), name);
    assert.equal(resourceUri('half \ud83d'), 'dialect003:half%20%EF%BF%BD');
    assert.equal(resourceName('dialect003:100%'), '100%');
  });
});
