import assert from 'node:assert/strict';
import fc from 'fast-check';
import { HostError, type Json, type JsonObject } from '../../../../src/core/index.ts';
import { decodeToolPage } from '../../../../src/core/wire/tools.ts';
import { failOnLeaks } from '../../../support/leaks.ts';
import { Conversation, endConversations, initialize, request } from './conversation.ts';
import { RUNNING, tool } from './fakeHost.ts';

suite('gateway session', () => {
  teardown(endConversations);
  failOnLeaks();

  test('the handshake names the server by its id, never by what it calls itself', async () => {
    const client = new Conversation();
    assert.deepEqual(await client.ask(initialize('2025-06-18')), {
      jsonrpc: '2.0',
      id: 1,
      result: {
        protocolVersion: '2025-06-18',
        capabilities: { tools: { listChanged: true }, logging: {} },
        serverInfo: { name: 'notes', title: 'notes', version: '1.2.3' },
        instructions: 'Be kind.',
      },
    });
  });

  test('the handshake answers a known revision with itself, any other with the newest', async () => {
    const client = new Conversation();
    const asked = ['2024-10-07', '2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28', 7, null];
    const answers: string[] = [];
    for (const version of asked) {
      const answer = JSON.stringify(await client.ask(initialize(version)));
      answers.push(`${String(version)} -> ${/"protocolVersion":"(.*?)"/.exec(answer)?.[1]}`);
    }
    assert.deepEqual(answers, [
      '2024-10-07 -> 2025-11-25',
      '2024-11-05 -> 2024-11-05',
      '2025-03-26 -> 2025-03-26',
      '2025-06-18 -> 2025-06-18',
      '2025-11-25 -> 2025-11-25',
      '2026-07-28 -> 2025-11-25',
      '7 -> 2025-11-25',
      'null -> 2025-11-25',
    ]);
  });

  test('a stopped server still shakes hands, may have anything once it runs, and has no tools', async () => {
    const client = new Conversation();
    client.host.set('notes', [tool('add')], { kind: 'stopped', reason: 'byUser' });
    await client.say(initialize('2025-11-25'));
    await client.say(request('tools/list'));
    assert.deepEqual(client.heard(), [
      '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true},"prompts":{"listChanged":true},"resources":{"listChanged":true,"subscribe":true},"completions":{},"logging":{}},"serverInfo":{"name":"notes","title":"notes","version":"0"}}}',
      '{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}',
    ]);
  });

  test('tools are listed as the server defines them, but readOnlyHint says what the user approved', async () => {
    const client = new Conversation();
    client.host.set('notes', [
      tool('sly', { annotations: { readOnlyHint: true, title: 'Sly' }, _meta: { ui: 1 }, xFuture: [1] }),
      tool('plain', { annotations: 'odd' }),
      tool('approved', { annotations: { readOnlyHint: false, openWorldHint: true } }, { autoApproved: true }),
      tool('hidden', {}, { offered: false }),
    ]);
    const inputSchema = { type: 'object' };
    assert.deepEqual(await client.ask(request('tools/list', {})), {
      jsonrpc: '2.0',
      id: 1,
      result: {
        tools: [
          {
            name: 'sly',
            inputSchema,
            annotations: { readOnlyHint: false, title: 'Sly' },
            _meta: { ui: 1 },
            xFuture: [1],
          },
          { name: 'plain', inputSchema, annotations: { readOnlyHint: false } },
          { name: 'approved', inputSchema, annotations: { readOnlyHint: true, openWorldHint: true } },
        ],
      },
    });
  });

  test('a tool that was listed as approved and is not any more is refused until its client lists the tools again', async () => {
    const client = new Conversation();
    const passes = async (): Promise<void> => {
      const done = client.call(2, { name: 'add' });
      (await client.host.nextCall()).succeed({ content: [] });
      await done;
      client.heard();
    };
    client.host.set('notes', [tool('add', {}, { autoApproved: true })]);
    await client.ask(request('tools/list', {}));
    await passes();
    client.host.set('notes', [tool('add', { description: 'Other.' }, { autoApproved: false })]);
    for (let again = 0; again < 2; again++)
      assert.match(
        JSON.stringify(await client.ask(request('tools/call', { name: 'add' }))),
        /may no longer be called without asking the person\. List the tools again, then call it again\."\}\],"isError":true/,
      );
    await client.ask(request('tools/list', {}));
    await passes();
  });

  test('of the icons of a tool only those with harmless addresses go on', async () => {
    const client = new Conversation();
    const icons = [{ src: 'javascript:alert(1)' }, { src: 'https://a.test/i.png', sizes: ['48x48'] }];
    const { tools } = decodeToolPage({ tools: [{ name: 'drawn', icons }] });
    client.host.set(
      'notes',
      tools.map((each) => ({ tool: each, offered: true, autoApproved: false })),
    );
    assert.deepEqual(await client.ask(request('tools/list', {})), {
      jsonrpc: '2.0',
      id: 1,
      result: {
        tools: [
          {
            name: 'drawn',
            inputSchema: { type: 'object' },
            icons: [{ src: 'https://a.test/i.png', sizes: ['48x48'] }],
            annotations: { readOnlyHint: false },
          },
        ],
      },
    });
  });

  test('a client cannot pile up calls without end', async () => {
    const client = new Conversation();
    const calls = Array.from({ length: 1_001 }, (_, id) => client.call(id, { name: 'add' }));
    await calls.at(-1);
    assert.match(client.heard().join(), /"id":1000,"error":\{.*More than 1000 calls are still running/);
    client.session.dispose();
    await Promise.all(calls);
  });

  test('a server that is coming back keeps its tools listed', async () => {
    const client = new Conversation();
    const error = new HostError('SERVER_EXITED', 'It exited.', { layer: 'process' });
    const listed: string[] = [];
    for (const state of [
      { kind: 'restarting', error, at: 1 },
      { kind: 'starting' },
      { kind: 'failed', error },
    ] as const) {
      client.host.set('notes', [tool('add')], state);
      const answer = JSON.stringify(await client.ask(request('tools/list')));
      listed.push(`${state.kind}: ${answer.includes('"add"')}`);
    }
    assert.deepEqual(listed, ['restarting: true', 'starting: true', 'failed: false']);
  });

  test('a call reaches the host with its conversation, and its progress and result come back as they are', async () => {
    const client = new Conversation();
    const done = client.call('c1', {
      name: 'add',
      arguments: { text: 'hi' },
      _meta: { progressToken: 5, 'vscode.conversationId': 'chat-1', traceparent: '00-1' },
    });
    const call = await client.host.nextCall();
    call.options.onProgress?.({ progress: 1, total: 4, message: 'a' });
    call.options.onProgress?.({ progress: 2, total: undefined, message: undefined });
    call.succeed({ content: [{ type: 'text', text: 'ok' }, { type: 'new' }], structuredContent: { n: 1 }, xMore: 1 });
    await done;
    call.options.onProgress?.({ progress: 3, total: 4, message: 'too late' });
    assert.deepEqual(call.request, {
      server: 'notes',
      tool: 'add',
      args: { text: 'hi' },
      route: 'gateway',
      conversationId: 'chat-1',
      meta: { 'vscode.conversationId': 'chat-1', traceparent: '00-1' },
    });
    assert.deepEqual(client.heard(), [
      '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":5,"progress":1,"total":4,"message":"a"}}',
      '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":5,"progress":2}}',
      '{"jsonrpc":"2.0","id":"c1","result":{"content":[{"type":"text","text":"ok"},{"type":"text","text":"{\\"type\\":\\"new\\"}"}],"structuredContent":{"n":1},"xMore":1}}',
    ]);
  });

  test('progress goes only to clients that asked for it, and results always have content', async () => {
    const client = new Conversation();
    const results: readonly Json[] = [{ structuredContent: { n: 1 } }, {}, 'bare', { content: 'odd', isError: true }];
    for (const result of results) {
      const done = client.call(1, { name: 'add' });
      const call = await client.host.nextCall();
      call.options.onProgress?.({ progress: 1, total: 2, message: undefined });
      call.succeed(result);
      await done;
    }
    assert.deepEqual(client.heard(), [
      '{"jsonrpc":"2.0","id":1,"result":{"structuredContent":{"n":1},"content":[{"type":"text","text":"{\\"n\\":1}"}]}}',
      '{"jsonrpc":"2.0","id":1,"result":{"content":[]}}',
      '{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"bare"}]}}',
      '{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"odd"}],"isError":true}}',
    ]);
  });

  test('a cancelled call ends at once without an answer, whatever comes of it later', async () => {
    const client = new Conversation();
    const cancelled = client.call(7, { name: 'add', _meta: { progressToken: 'p' } });
    const other = client.call('7', { name: 'add' });
    const [first, second] = [await client.host.nextCall(), await client.host.nextCall()];
    await client.say({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7, reason: 'enough' } });
    await cancelled;
    assert.equal(first.options.token?.isCancellationRequested, true);
    assert.equal(second.options.token?.isCancellationRequested, false);
    first.options.onProgress?.({ progress: 1, total: undefined, message: undefined });
    first.succeed({ content: [] });
    second.succeed({ content: [] });
    await other;
    assert.deepEqual(client.heard(), ['{"jsonrpc":"2.0","id":"7","result":{"content":[]}}']);
  });

  test('failures that a model can act on are results, those of the client are errors', async () => {
    const client = new Conversation();
    const fail = async (...args: ConstructorParameters<typeof HostError>): Promise<string | undefined> => {
      const done = client.call(1, { name: 'add' });
      (await client.host.nextCall()).fail(new HostError(...args));
      await done;
      return client.heard()[0]?.slice('{"jsonrpc":"2.0","id":1,'.length, -1);
    };
    const text = (words: string): string => `"result":{"content":[{"type":"text","text":"${words}"}],"isError":true}`;
    assert.deepEqual(
      [
        await fail('TOOL_HIDDEN', 'Hidden.', { layer: 'policy', suggestion: 'Offer it first.' }),
        await fail('SERVER_NOT_RUNNING', 'It does not run.', { layer: 'host' }),
        await fail('REMOTE_ERROR', 'It broke.', { layer: 'server', rpcCode: -32000 }),
        await fail('CANCELLED', 'The call was cancelled.', { layer: 'host' }),
        await fail('UNKNOWN_TOOL', 'There is no tool “add”.', { layer: 'host', suggestion: 'List them.' }),
        await fail('INTERNAL', 'A bug.', { layer: 'host' }),
      ],
      [
        text('Hidden. Offer it first.'),
        text('It does not run. Start the server in the Servers view, then call the tool again.'),
        text('It broke.'),
        text('The call was cancelled.'),
        '"error":{"code":-32602,"message":"There is no tool “add”."}',
        '"error":{"code":-32603,"message":"A bug."}',
      ],
    );
  });

  test('what is wrong with a message is said, and what needs no answer gets none', async () => {
    const client = new Conversation();
    const call = (params: Json): JsonObject => request('tools/call', params);
    const lines: string[] = [];
    for (const message of [
      ...[
        request('ping'),
        request('logging/setLevel', { level: 'debug' }),
        request('prompts/rewrite'),
        request('constructor'),
        request('toString'),
        request('ping', [1]),
      ],
      ...[call({}), call({ name: 1 }), call({ name: 'add', arguments: [] }), request('tools/list', { cursor: 'x' })],
      ...[1, 'x', null, {}, { id: 4 }, { id: null, method: 'ping' }, { id: {}, method: 'ping' }],
      ...[{ id: Number.POSITIVE_INFINITY, method: 'ping' }, { id: 3, result: {} }, { method: 'notifications/other' }],
      ...[{ method: 'notifications/cancelled', params: { requestId: {} } }, { method: 'notifications/cancelled' }],
    ]) {
      await client.say(message);
      const said = client.heard().map((line) => line.replace('{"jsonrpc":"2.0",', '').slice(0, -1));
      lines.push(said.join(' | ') || '(nothing)');
    }
    assert.deepEqual(lines, [
      '"id":1,"result":{}',
      '"id":1,"result":{}',
      '"id":1,"error":{"code":-32601,"message":"Method not found: prompts/rewrite"}',
      '"id":1,"error":{"code":-32601,"message":"Method not found: constructor"}',
      '"id":1,"error":{"code":-32601,"message":"Method not found: toString"}',
      '"id":1,"error":{"code":-32602,"message":"The `params` of a request are a JSON object."}',
      '"id":1,"error":{"code":-32602,"message":"`name` is the name of a tool."}',
      '"id":1,"error":{"code":-32602,"message":"`name` is the name of a tool."}',
      '"id":1,"error":{"code":-32602,"message":"`arguments` is a JSON object."}',
      '"id":1,"error":{"code":-32602,"message":"This list has one page: call without a `cursor`."}',
      '"id":null,"error":{"code":-32600,"message":"A message is a JSON object."}',
      '"id":null,"error":{"code":-32600,"message":"A message is a JSON object."}',
      '"id":null,"error":{"code":-32600,"message":"A message is a JSON object."}',
      '"id":null,"error":{"code":-32600,"message":"A message has a `method`."}',
      '"id":4,"error":{"code":-32600,"message":"A message has a `method`."}',
      '"id":null,"error":{"code":-32600,"message":"The `id` of a request is a string or a number."}',
      '"id":null,"error":{"code":-32600,"message":"The `id` of a request is a string or a number."}',
      '"id":null,"error":{"code":-32600,"message":"The `id` of a request is a string or a number."}',
      '(nothing)',
      '(nothing)',
      '(nothing)',
      '(nothing)',
    ]);
  });

  test('an id that is still in use is refused, and is free again afterwards', async () => {
    const client = new Conversation();
    const first = client.call(1, { name: 'add' });
    await client.call(1, { name: 'add' });
    assert.deepEqual(client.heard(), [
      '{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"A call with the id 1 is still running."}}',
    ]);
    (await client.host.nextCall()).succeed({ content: [] });
    await first;
    const second = client.call(1, { name: 'add' });
    (await client.host.nextCall()).succeed({ content: [] });
    await second;
    assert.equal(client.heard().length, 2);
  });

  test('the end of a session cancels its calls, and no new one begins', async () => {
    const client = new Conversation();
    const open = client.call(1, { name: 'add' });
    const call = await client.host.nextCall();
    client.session.dispose();
    await open;
    await client.call(2, { name: 'add' });
    assert.equal(call.options.token?.isCancellationRequested, true);
    assert.deepEqual(client.heard(), [
      '{"jsonrpc":"2.0","id":2,"error":{"code":-32600,"message":"This session has ended."}}',
    ]);
  });

  test('no JSON whatever makes a session throw, and every request gets one answer', async () => {
    const method = fc.constantFrom('initialize', 'ping', 'tools/list', 'logging/setLevel', 'notifications/cancelled');
    const message = fc.oneof(
      fc.jsonValue(),
      fc.record({ id: fc.jsonValue(), method: fc.oneof(method, fc.jsonValue()), params: fc.jsonValue() }),
    );
    await fc.assert(
      fc.asyncProperty(message, async (value) => {
        const client = new Conversation();
        client.host.set('notes', [], RUNNING);
        const json: Json = JSON.parse(JSON.stringify(value));
        await client.say(json);
        const isRequest =
          typeof json === 'object' &&
          json !== null &&
          'method' in json &&
          'id' in json &&
          typeof json.method === 'string';
        const heard = client.heard();
        assert.ok(heard.length <= 1);
        if (isRequest) assert.equal(heard.length, 1);
      }),
      { numRuns: 300 },
    );
  });
});
