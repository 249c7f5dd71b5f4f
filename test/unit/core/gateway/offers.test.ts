import assert from 'node:assert/strict';
import { type CallOptions, Deferred, HostError, type Json, type JsonObject } from '../../../../src/core/index.ts';
import { decodePromptPage, decodePromptResult } from '../../../../src/core/wire/prompts.ts';
import { decodeReadResult, decodeResourcePage, decodeTemplatePage } from '../../../../src/core/wire/resources.ts';
import { failOnLeaks } from '../../../support/leaks.ts';
import { settle } from '../../../support/fakeClock.ts';
import { Conversation, endConversations, initialize, request } from './conversation.ts';
import { RUNNING, tool } from './fakeHost.ts';

const HTTPS = { src: 'https://a.test/i.png' };
const SLY = { src: 'javascript:alert(1)' };

const value = <T>(decoded: { readonly kind: string; readonly value?: T }): T => {
  assert.ok(decoded.value !== undefined, decoded.kind);
  return decoded.value;
};

const result = async (client: Conversation, message: Json): Promise<Json | undefined> => {
  const answer = (await client.ask(message)) as JsonObject;
  return answer['result'] ?? answer['error'];
};

const TAGS = '\u{e0068}\u{e0069}';
const SLY_TEXT = `Adds\u200b${TAGS}.\u202e 👩‍💻`;

suite('Hidden characters before a client', () => {
  teardown(endConversations);
  failOnLeaks();

  const listed = async (client: Conversation, method: string): Promise<Json | undefined> =>
    result(client, request(method));

  test('are not in a schema either, whatever its properties are called', async () => {
    const client = new Conversation();
    const names = ['state', 'blob', 'data', '_meta', 'icons', 'structuredContent', 'properties'];
    const schemaOf = (text: string): JsonObject => ({
      type: 'object',
      properties: Object.fromEntries(names.map((name) => [name, { title: text, description: text, examples: [text] }])),
    });
    const odd = tool('odd', { inputSchema: schemaOf(SLY_TEXT), outputSchema: schemaOf(SLY_TEXT) });
    client.host.set('notes', [odd], RUNNING, 'tools');
    await client.ask(initialize('2025-11-25'));
    const { tools } = (await listed(client, 'tools/list')) as { readonly tools: readonly JsonObject[] };
    const clean = schemaOf('Adds. 👩‍💻');
    assert.deepEqual([tools[0]?.['inputSchema'], tools[0]?.['outputSchema']], [clean, clean]);
  });

  test('of an earlier list do not lead a later tool of the plain name astray', async () => {
    const client = new Conversation();
    client.host.set('notes', [tool(`a${TAGS}dd`)]);
    await result(client, initialize('2025-11-25'));
    await listed(client, 'tools/list');
    client.host.set('notes', [tool(`a${TAGS}dd`), tool('add')]);
    await listed(client, 'tools/list');
    void client.call(5, { name: 'add' });
    const call = await client.host.nextCall();
    call.succeed({ content: [] });
    await settle();
    client.heard();
    assert.equal(call.request.tool, 'add');
  });

  test('are not in names, descriptions and instructions, and a cleaned name still leads to its tool', async () => {
    const client = new Conversation();
    const inputSchema = {
      type: 'object',
      properties: { [`to${TAGS}`]: { type: 'string', description: SLY_TEXT, enum: [`a\ufeff`] } },
    };
    const odd = tool(`del${TAGS}`, { title: SLY_TEXT, description: SLY_TEXT, inputSchema, _meta: { as: SLY_TEXT } });
    const state = {
      ...RUNNING,
      ...(RUNNING.kind === 'running' && { info: { ...RUNNING.info, instructions: SLY_TEXT } }),
    };
    client.host.set('notes', [odd, tool('add'), tool(`a${TAGS}dd`)], state, 'tools', {
      prompts: decodePromptPage({ prompts: [{ name: `p${TAGS}`, description: SLY_TEXT }] }).items,
      resources: decodeResourcePage({ resources: [{ uri: `x:${TAGS}`, name: SLY_TEXT, title: SLY_TEXT }] }).items,
    });
    const { instructions } = (await result(client, initialize('2025-11-25'))) as JsonObject;
    const { tools } = (await listed(client, 'tools/list')) as { readonly tools: readonly JsonObject[] };
    assert.deepEqual(
      tools.map(({ name }) => name),
      ['del', 'add'],
    );
    assert.deepEqual(
      [instructions, tools[0]?.['title'], tools[0]?.['description'], tools[0]?.['inputSchema'], tools[0]?.['_meta']],
      [
        'Adds. 👩‍💻',
        'Adds. 👩‍💻',
        'Adds. 👩‍💻',
        { type: 'object', properties: { to: { type: 'string', description: 'Adds. 👩‍💻', enum: ['a'] } } },
        { as: SLY_TEXT },
      ],
    );
    assert.deepEqual(
      [await listed(client, 'prompts/list'), await listed(client, 'resources/list')],
      [
        { prompts: [{ name: 'p', description: 'Adds. 👩‍💻' }] },
        { resources: [{ uri: 'x:', name: 'Adds. 👩‍💻', title: 'Adds. 👩‍💻' }] },
      ],
    );
    const read: string[] = [];
    client.host.onRead = (_, uri) => {
      read.push(uri);
      return Promise.reject(new HostError('UNKNOWN_RESOURCE', `No ${SLY_TEXT}`, { layer: 'server' }));
    };
    const failed = await result(client, request('resources/read', { uri: 'x:' }));
    assert.deepEqual([read, (failed as JsonObject)['message']], [[`x:${TAGS}`], `No ${SHOWN}`]);
    void client.call(5, { name: 'del' });
    void client.call(6, { name: 'add' });
    const calls = [await client.host.nextCall(), await client.host.nextCall()];
    for (const call of calls) call.succeed({ content: [] });
    const names = calls.map((call) => call.request.tool);
    await settle();
    client.heard();
    assert.deepEqual(names, [`del${TAGS}`, 'add']);
  });

  const SHOWN = 'Adds\\u{200b}\\u{e0068}\\u{e0069}.\\u{202e} 👩‍💻';

  test('are shown in results, resources, prompts, errors, progress and logs, but not in structured content', async () => {
    const client = new Conversation();
    const text = { type: 'text', text: SLY_TEXT };
    const contents = [{ uri: 'x:1', text: SLY_TEXT }];
    const called = client.call(1, { name: 'add', _meta: { progressToken: 1 } });
    const held = await client.host.nextCall();
    held.options.onProgress?.({ progress: 1, total: undefined, message: SLY_TEXT });
    held.succeed({
      content: [text, { type: 'resource', resource: contents[0] ?? null }, { type: 'odd', of: SLY_TEXT }],
      structuredContent: { text: SLY_TEXT },
    });
    await called;
    const refused = client.call(2, { name: 'add' });
    (await client.host.nextCall()).fail(new HostError('REMOTE_ERROR', SLY_TEXT, { layer: 'server' }));
    await refused;
    client.host.onRead = () => Promise.resolve(value(decodeReadResult({ contents }, 'x:1')));
    client.host.onPrompt = () =>
      Promise.resolve(value(decodePromptResult({ messages: [{ role: 'user', content: text }] })));
    await client.say(request('resources/read', { uri: 'x:1' }));
    await client.say(request('prompts/get', { name: 'p' }));
    client.listen();
    await client.say(request('logging/setLevel', { level: 'info' }));
    client.host.log('notes', 'info', { [SLY_TEXT]: SLY_TEXT }, SLY_TEXT);
    const heard = client.heard();
    assert.ok(heard.length >= 6, heard.join('\n'));
    const structured = JSON.stringify({ text: SLY_TEXT });
    for (const line of heard) assert.equal(line.replace(structured, '').includes('\u200b'), false, line);
    assert.equal(heard.filter((line) => line.includes(JSON.stringify(SHOWN).slice(1, -1))).length, 6, heard.join('\n'));
    assert.ok(heard.some((line) => line.includes(structured)));
  });
});

suite('gateway offers', () => {
  teardown(endConversations);
  failOnLeaks();

  test('a client sees the capabilities that the server itself declared, and no others', async () => {
    const declared: Json[] = [];
    const capabilities: readonly JsonObject[] = [
      {},
      { prompts: {}, completions: {} },
      { resources: {} },
      { resources: { subscribe: true, listChanged: false } },
    ];
    for (const given of capabilities) {
      const client = new Conversation();
      client.host.set('notes', [], RUNNING, 'state', { capabilities: given });
      const { capabilities: told } = (await result(client, initialize('2025-11-25'))) as JsonObject;
      const { tools, logging, ...rest } = told as JsonObject;
      assert.deepEqual([tools, logging], [{ listChanged: true }, {}]);
      declared.push(rest);
    }
    assert.deepEqual(declared, [
      {},
      { prompts: { listChanged: true }, completions: {} },
      { resources: { listChanged: true } },
      { resources: { listChanged: true, subscribe: true } },
    ]);
  });

  test('a server older than the capability completes if it has prompts', async () => {
    const client = new Conversation();
    const old = { ...RUNNING, protocolVersion: '2024-11-05' } as typeof RUNNING;
    client.host.set('notes', [], old, 'state', { capabilities: { prompts: {} } });
    const { capabilities } = (await result(client, initialize('2025-11-25'))) as JsonObject;
    assert.deepEqual((capabilities as JsonObject)['completions'], {});
  });

  test('lists go on whole, but for what a strict client would refuse all of them for, and for sly icons', async () => {
    const client = new Conversation();
    const prompts = [
      {
        name: 'greet',
        title: 7,
        description: 'Says hello.',
        arguments: [{ name: 'who', required: 'yes', description: 'Whom.', xHint: 1 }, 'odd', { title: 'nameless' }],
        icons: [SLY, HTTPS],
        xFuture: true,
      },
      { name: 'plain', arguments: 'none' },
    ];
    const resources = [
      {
        uri: 'note:///1',
        name: 'One',
        size: 'big',
        mimeType: 3,
        annotations: { priority: 9 },
        icons: [SLY],
        _meta: [],
      },
      { uri: 'note:///2', size: 12, annotations: { audience: ['user'], priority: 0.5 } },
    ];
    const resourceTemplates = [{ uriTemplate: 'note:///{id}', title: 'A note', icons: 'odd', description: [] }];
    client.host.set('notes', [tool('add')], RUNNING, 'prompts', {
      prompts: decodePromptPage({ prompts }).items,
      resources: decodeResourcePage({ resources }).items,
      templates: decodeTemplatePage({ resourceTemplates }).items,
    });
    assert.deepEqual(
      [
        await result(client, request('prompts/list')),
        await result(client, request('resources/list')),
        await result(client, request('resources/templates/list', { cursor: null })),
        await result(client, request('resources/templates/list', { cursor: 'x' })),
      ],
      [
        {
          prompts: [
            {
              name: 'greet',
              description: 'Says hello.',
              arguments: [{ name: 'who', description: 'Whom.', xHint: 1 }],
              icons: [HTTPS],
              xFuture: true,
            },
            { name: 'plain' },
          ],
        },
        {
          resources: [
            { uri: 'note:///1', name: 'One' },
            { uri: 'note:///2', name: 'note:///2', size: 12, annotations: { audience: ['user'], priority: 0.5 } },
          ],
        },
        { resourceTemplates: [{ uriTemplate: 'note:///{id}', name: 'note:///{id}', title: 'A note' }] },
        { code: -32602, message: 'This list has one page: call without a `cursor`.' },
      ],
    );
    client.host.set('notes', [], { kind: 'stopped', reason: 'byUser' }, 'state', {
      prompts: decodePromptPage({ prompts }).items,
    });
    assert.deepEqual(await result(client, request('prompts/list')), { prompts: [] });
  });

  test('a prompt is asked for with texts, and its messages come back readable', async () => {
    const client = new Conversation();
    const asked: Json[] = [];
    client.host.onPrompt = (server, name, args, options: CallOptions = {}) => {
      asked.push([server, name, args]);
      options.onProgress?.({ progress: 1, total: 2, message: 'half' });
      const messages = [
        { role: 'user', content: [{ type: 'text', text: 'a' }, { type: 'new' }] },
        { role: 'assistant', content: 'bare' },
        { role: 'robot', content: { type: 'image', data: '?', mimeType: 'image/png' } },
      ];
      return Promise.resolve(value(decodePromptResult({ description: 4, messages, _meta: 5, xMore: 1 })));
    };
    const params = { name: 'greet', arguments: { who: 'Ada', count: 2, no: null }, _meta: { progressToken: 'p' } };
    await client.say(request('prompts/get', params));
    assert.deepEqual(asked, [['notes', 'greet', { who: 'Ada', count: '2' }]]);
    assert.deepEqual(client.heard(), [
      '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":1,"total":2,"message":"half"}}',
      '{"jsonrpc":"2.0","id":1,"result":{"xMore":1,"messages":[{"role":"user","content":{"type":"text","text":"a"}},{"role":"user","content":{"type":"text","text":"{\\"type\\":\\"new\\"}"}},{"role":"assistant","content":{"type":"text","text":"bare"}},{"role":"user","content":{"type":"text","text":"[image image/png, 0 bytes]"}}]}}',
    ]);
  });

  test('a resource is read as the server gave it, or as it could be understood', async () => {
    const client = new Conversation();
    const read = async (given: Json): Promise<Json | undefined> => {
      client.host.onRead = (_, uri) => Promise.resolve(value(decodeReadResult(given, uri)));
      return result(client, request('resources/read', { uri: 'note:///1' }));
    };
    const whole = { contents: [{ uri: 'note:///1', text: 'x', _meta: { a: 1 } }], xMore: 1 };
    assert.deepEqual(
      [
        await read(whole),
        await read({ contents: [{ text: 'no uri', mimeType: 4 }, { uri: 'u' }], _meta: 3 }),
        await read([{ uri: 'u', blob: 'AA==' }]),
      ],
      [whole, { contents: [{ uri: 'note:///1', text: 'no uri' }] }, { contents: [{ uri: 'u', blob: 'AA==' }] }],
    );
  });

  test('a failure says what happened in a code that clients know, and the next step', async () => {
    const client = new Conversation();
    const fail = (...args: ConstructorParameters<typeof HostError>): Promise<Json | undefined> => {
      client.host.onPrompt = () => Promise.reject(new HostError(...args));
      return result(client, request('prompts/get', { name: 'x' }));
    };
    assert.deepEqual(
      [
        await fail('UNKNOWN_PROMPT', 'No such prompt.', { layer: 'server' }),
        await fail('INVALID_ARGUMENTS', 'Not these.', { layer: 'server' }),
        await fail('UNKNOWN_RESOURCE', 'No such resource.', { layer: 'server' }),
        await fail('CAPABILITY_MISSING', 'It has none.', { layer: 'protocol' }),
        await fail('REMOTE_ERROR', 'Its own.', { layer: 'server', rpcCode: -32042, data: { elicitations: [] } }),
        await fail('SERVER_NOT_RUNNING', 'It does not run.', { layer: 'host' }),
        await fail('TIMEOUT', 'Too slow.', { layer: 'server', suggestion: 'Try again.' }),
        await result(client, request('prompts/get', {})),
        await result(client, request('prompts/get', { name: 'x', arguments: [] })),
        await result(client, request('resources/read', { uri: 3 })),
      ],
      [
        { code: -32602, message: 'No such prompt.' },
        { code: -32602, message: 'Not these.' },
        { code: -32002, message: 'No such resource.' },
        { code: -32601, message: 'It has none.' },
        { code: -32042, message: 'Its own.', data: { elicitations: [] } },
        { code: -32603, message: 'It does not run. Start the server in the Servers view, then call the tool again.' },
        { code: -32603, message: 'Too slow. Try again.' },
        { code: -32602, message: '`name` is the name of a prompt.' },
        { code: -32602, message: '`arguments` is a JSON object.' },
        { code: -32602, message: '`uri` is the URI of a resource.' },
      ],
    );
  });

  test('a prompt, a reading and a completion can be cancelled, and get no answer then', async () => {
    const client = new Conversation();
    const tokens: CallOptions['token'][] = [];
    const never = new Deferred<never>();
    client.host.onPrompt = (_, __, ___, options) => (tokens.push(options?.token), never.promise);
    client.host.onRead = (_, __, options) => (tokens.push(options?.token), never.promise);
    client.host.onComplete = (_, __, options) => (tokens.push(options?.token), never.promise);
    const ref = { type: 'ref/prompt', name: 'greet' };
    const open = [
      client.say({ id: 1, method: 'prompts/get', params: { name: 'greet' } }),
      client.say({ id: 2, method: 'resources/read', params: { uri: 'note:///1' } }),
      client.say({ id: 3, method: 'completion/complete', params: { ref, argument: { name: 'who', value: 'A' } } }),
    ];
    for (const requestId of [1, 2, 3]) await client.say({ method: 'notifications/cancelled', params: { requestId } });
    await Promise.all(open);
    assert.deepEqual(client.heard(), []);
    assert.deepEqual(
      tokens.map((token) => token?.isCancellationRequested),
      [true, true, true],
    );
  });

  test('arguments of prompts and variables of templates are completed', async () => {
    const client = new Conversation();
    const asked: Json[] = [];
    client.host.onComplete = (server, completion, options) => {
      asked.push([server, JSON.parse(JSON.stringify(completion)), options?.asker ?? null]);
      return Promise.resolve({ values: ['Ada', 'Alan'], total: 2, hasMore: false });
    };
    const argument = { name: 'who', value: 'A' };
    const complete = (params: JsonObject): Promise<Json | undefined> =>
      result(client, request('completion/complete', params));
    const ref = { type: 'ref/prompt', name: 'greet' };
    const context = { arguments: { tone: 'warm' } };
    const values = { completion: { values: ['Ada', 'Alan'], total: 2, hasMore: false } };
    assert.deepEqual(
      [
        await complete({ ref, argument, context }),
        await complete({ ref: { type: 'ref/resource', uri: 'note:///{id}' }, argument }),
        await complete({ ref: { type: 'ref/tool', name: 'x' }, argument }),
        await complete({ ref, argument: { name: 'who' } }),
      ],
      [
        values,
        values,
        { code: -32602, message: '`ref` names a prompt (`ref/prompt`) or a resource template (`ref/resource`).' },
        { code: -32602, message: '`argument` has a `name` and a `value`, which are texts.' },
      ],
    );
    const template = { reference: { kind: 'template', uriTemplate: 'note:///{id}' }, argument, settled: {} };
    assert.deepEqual(asked, [
      ['notes', { reference: { kind: 'prompt', name: 'greet' }, argument, settled: { tone: 'warm' } }, 's0'],
      ['notes', template, 's0'],
    ]);
    client.host.onComplete = () => Promise.reject(new HostError('CANCELLED', 'Overtaken.', { layer: 'host' }));
    assert.deepEqual(await complete({ ref, argument }), { completion: { values: [], hasMore: false } });
  });

  test('a client gets changes of its subscribed resources, also later, and the server is notified of the end', async () => {
    const client = new Conversation();
    await client.begin();
    const subscribe = (method: string, uri: Json): Promise<Json | undefined> =>
      result(client, request(`resources/${method}`, { uri }));
    await subscribe('subscribe', 'note:///1');
    await subscribe('subscribe', 'note:///1');
    client.host.watched.get('note:///1')?.('note:///1/part');
    client.host.watched.get('note:///1')?.('note:///1/part');
    assert.deepEqual(client.heard(), []);
    client.listen();
    client.host.watched.get('note:///1')?.('note:///1');
    const updated = (uri: string): string =>
      `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"${uri}"}}`;
    assert.deepEqual(client.heard(), [updated('note:///1/part'), updated('note:///1')]);
    assert.deepEqual([...client.host.watched.keys()], ['note:///1']);
    await subscribe('unsubscribe', 'note:///1');
    assert.deepEqual([...client.host.watched.keys()], []);
    await subscribe('subscribe', 'note:///2');
    client.session.dispose();
    assert.deepEqual([...client.host.watched.keys()], []);
  });

  test('a subscription that the server refuses does not count, and their number is limited', async () => {
    const client = new Conversation();
    const subscribe = (uri: string): Promise<Json | undefined> =>
      result(client, request('resources/subscribe', { uri }));
    client.host.agrees = () =>
      Promise.reject(new HostError('CAPABILITY_MISSING', 'It does not tell.', { layer: 'protocol' }));
    assert.deepEqual(await subscribe('a:1'), { code: -32601, message: 'It does not tell.' });
    assert.deepEqual([...client.host.watched.keys()], []);
    client.host.agrees = () => Promise.resolve();
    for (let n = 0; n < 256; n++) await subscribe(`a:${n}`);
    assert.deepEqual(await subscribe('a:256'), { code: -32600, message: 'More than 256 resources are subscribed to.' });
    client.host.set('notes', [], { kind: 'stopped', reason: 'byUser' });
    assert.deepEqual(await subscribe('a:0'), {
      code: -32603,
      message: 'The server "notes" is not running. Start the server in the Servers view, then call the tool again.',
    });
  });

  test('the log reaches a client from the level that it asked for, whatever others ask', async () => {
    const client = new Conversation();
    await client.begin();
    client.listen();
    client.host.log('notes', 'emergency', 'before it asked');
    const setLevel = (level: Json): Promise<Json | undefined> => result(client, request('logging/setLevel', { level }));
    assert.deepEqual(await setLevel('warning'), {});
    client.host.log('notes', 'notice', 'too little');
    client.host.log('other', 'error', 'of another server');
    client.host.log('notes', 'warning', { a: [1] }, 'db');
    assert.deepEqual(client.host.wanted, ['notes warning']);
    assert.deepEqual(client.heard(), [
      '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"warning","logger":"db","data":{"a":[1]}}}',
    ]);
    await setLevel('debug');
    client.host.log('notes', 'debug', 'all');
    assert.deepEqual(client.host.wanted, ['notes debug']);
    assert.deepEqual(client.heard(), [
      '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"debug","data":"all"}}',
    ]);
    const levels = 'debug, info, notice, warning, error, critical, alert, emergency';
    assert.deepEqual(await setLevel('loud'), { code: -32602, message: `\`level\` is one of ${levels}.` });
    client.session.dispose();
    assert.deepEqual(client.host.wanted, []);
    await settle();
  });

  test('a state stays with the host: the client gets the name of the checkpoint from the host only', async () => {
    const client = new Conversation();
    const call = async (raw: JsonObject, kept?: object): Promise<Json | undefined> => {
      const done = client.call(1, { name: 'add' });
      (await client.host.nextCall()).succeed(raw, kept as never);
      await done;
      return (JSON.parse(client.heard()[0] ?? '{}') as JsonObject)['result'];
    };
    const state = { checkpoint: 'c1', data: { secret: 1 } };
    const content: Json = [];
    assert.deepEqual(
      [
        await call({ content, state, _meta: { a: 1 } }, { kind: 'kept', checkpoint: 'c1', place: 1 }),
        await call({ content, state }, { kind: 'known', checkpoint: 'c1', place: 1 }),
        await call({ content, state }, { kind: 'lost', checkpoint: 'c1', problem: 'Full.' }),
        await call({ content, state: 'mine', _meta: { 'mcpl/checkpoint': 'forged', b: 1 } }),
        await call({ content, state: { of: 'another kind' } }),
      ],
      [
        { content, _meta: { a: 1, 'mcpl/checkpoint': 'c1' } },
        { content, _meta: { 'mcpl/checkpoint': 'c1' } },
        { content, _meta: {} },
        { content, state: 'mine', _meta: { b: 1 } },
        { content, state: { of: 'another kind' } },
      ],
    );
  });
});
