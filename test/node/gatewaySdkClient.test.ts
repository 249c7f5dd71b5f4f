import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  LoggingMessageNotificationSchema,
  PromptListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { ChatElicitor, ChatSampler, GatewayClients, NO_CANCELLATION, schemaForm } from '../../src/core/index.ts';
import { type Gateway, startGateway } from '../../src/node/gateway/gatewayServer.ts';
import { nodeClock, nodeIds } from '../../src/node/nodePorts.ts';
import { failOnLeaks } from '../support/leaks.ts';
import { decodePromptPage, decodePromptResult } from '../../src/core/wire/prompts.ts';
import { decodeReadResult, decodeResourcePage, decodeTemplatePage } from '../../src/core/wire/resources.ts';
import { FakeHost, type HeldCall, RUNNING, tool } from '../unit/core/gateway/fakeHost.ts';

suite('gateway with the official client', () => {
  let host: FakeHost;
  let gateway: Gateway;
  let client: Client;
  let transport: StreamableHTTPClientTransport;
  const clients = new GatewayClients();
  const capabilities = { prompts: {}, resources: { subscribe: true }, completions: {} };

  setup(async () => {
    host = new FakeHost();
    host.set('notes', [tool('add', { description: 'Adds.' }), tool('hidden', {}, { offered: false })]);
    host.set('notes', host.server('notes')?.tools ?? [], RUNNING, 'state', { capabilities });
    gateway = await startGateway({ host, ids: nodeIds, clients });
    const { url, headers } = gateway.address('notes');
    client = new Client({ name: 'test', version: '1' }, { capabilities: { elicitation: { form: {} }, sampling: {} } });
    transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
    // The SDK's own classes disagree under exactOptionalPropertyTypes.
    await client.connect(transport as Parameters<Client['connect']>[0]);
  });
  teardown(async () => {
    await client.close();
    await gateway.dispose();
  });
  failOnLeaks();

  test('one odd tool costs it no other, and one odd block no result', async () => {
    const odd = { inputSchema: { properties: { any: true }, required: 'x' }, title: 5, icons: 'x', outputSchema: [] };
    host.set('notes', [
      tool('odd', { ...odd, annotations: { title: 7, destructiveHint: 'no' }, _meta: 1 }),
      tool('add'),
    ]);
    assert.deepEqual((await client.listTools()).tools, [
      { name: 'odd', inputSchema: { type: 'object', properties: { any: {} } }, annotations: { readOnlyHint: false } },
      { name: 'add', inputSchema: { type: 'object' }, annotations: { readOnlyHint: false } },
    ]);
    const result = client.callTool({ name: 'odd', arguments: {} });
    (await host.nextCall()).succeed({
      content: [
        { type: 'video', url: 'u' },
        { type: 'text', text: 'kept', annotations: { audience: ['robots'] }, _meta: 5 },
        { type: 'image', data: 'not base64', mimeType: 'image/png' },
        { type: 'resource', resource: { text: 'no uri' } },
        null,
      ],
      structuredContent: 'no object',
      isError: 'yes',
      _meta: 5,
    });
    assert.deepEqual(await result, {
      content: [
        { type: 'text', text: '{"type":"video","url":"u"}' },
        { type: 'text', text: 'kept' },
        { type: 'text', text: '[image image/png, 7 bytes]' },
        { type: 'text', text: 'no uri' },
        { type: 'text', text: 'null' },
      ],
    });
  });

  test('it shakes hands, lists and calls with progress', async () => {
    const seen: unknown[] = [];
    const result = client.callTool({ name: 'add', arguments: { a: 1 } }, undefined, {
      onprogress: (progress) => seen.push(progress),
    });
    const call = await host.nextCall();
    call.options.onProgress?.({ progress: 1, total: 2, message: 'half' });
    call.succeed({ content: [{ type: 'text', text: 'done' }], structuredContent: { x: 1 } });
    assert.deepEqual(
      {
        server: client.getServerVersion(),
        ping: await client.ping(),
        tools: (await client.listTools()).tools,
        result: await result,
        seen,
        asked: { ...call.request },
      },
      {
        server: { name: 'notes', title: 'notes', version: '1.2.3' },
        ping: {},
        tools: [
          {
            name: 'add',
            description: 'Adds.',
            inputSchema: { type: 'object' },
            annotations: { readOnlyHint: false },
          },
        ],
        result: { content: [{ type: 'text', text: 'done' }], structuredContent: { x: 1 } },
        seen: [{ progress: 1, total: 2, message: 'half' }],
        asked: {
          server: 'notes',
          tool: 'add',
          args: { a: 1 },
          route: 'gateway',
          conversationId: undefined,
          meta: undefined,
        },
      },
    );
  });

  test('its cancellation reaches the host', async () => {
    const abort = new AbortController();
    const result = client.callTool({ name: 'add' }, undefined, { signal: abort.signal });
    const call = await host.nextCall();
    const cancelled = new Promise((resolve) => call.options.token?.onCancellationRequested(resolve));
    abort.abort('enough');
    await assert.rejects(result);
    assert.equal(await cancelled, 'enough');
  });

  test('it gets notifications of changed tools', async () => {
    const heard = new Promise<void>((resolve) =>
      client.setNotificationHandler(ToolListChangedNotificationSchema, () => resolve()),
    );
    host.set('notes', [tool('other')]);
    await heard;
    assert.deepEqual(
      (await client.listTools()).tools.map(({ name }) => name),
      ['other'],
    );
  });

  test('it answers questions to the user, and withdraws them when another prompt was answered', async () => {
    const asked: unknown[] = [];
    const call = async (): Promise<[HeldCall, Promise<unknown>]> => {
      const params = { name: 'add', _meta: { 'vscode.conversationId': 'chat' } };
      const result = client.callTool(params, undefined, { onprogress: () => undefined });
      return [await host.nextCall(), result];
    };
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
      asked.push('requestedSchema' in params ? params.requestedSchema.required : params);
      return { action: 'accept', content: { decision: 'Allow once' } };
    });
    const [first, firstResult] = await call();
    const settled = host.approvals.nextSettled();
    host.approvals.ask('a1', [first.request]);
    assert.equal(await settled, 'a1');
    first.succeed({ content: [] });
    // The user ignores this question.
    const shown = new Promise<AbortSignal>((resolve) =>
      client.setRequestHandler(ElicitRequestSchema, (_, { signal }) => {
        resolve(signal);
        return new Promise(() => undefined);
      }),
    );
    const [second, secondResult] = await call();
    host.approvals.ask('a2', [second.request]);
    const signal = await shown;
    const takenBack = new Promise((resolve) => signal.addEventListener('abort', () => resolve(signal.reason)));
    host.approvals.settle('a2');
    assert.deepEqual(
      [asked, host.approvals.answers, await takenBack],
      [[['decision']], ['a1 once'], 'It waits for no answer any more.'],
    );
    second.succeed({ content: [] });
    assert.deepEqual([await firstResult, await secondResult], [{ content: [] }, { content: [] }]);
  });

  test('it lists prompts, fills one in with completions, and gets changes of the list', async () => {
    const odd = { name: 'odd', title: 1, arguments: [{ name: 'a', required: 'x' }, 7], icons: [{ src: 'file:///x' }] };
    const prompts = [{ name: 'greet', description: 'Says hello.', arguments: [{ name: 'who', required: true }] }, odd];
    const heard = new Promise<void>((resolve) =>
      client.setNotificationHandler(PromptListChangedNotificationSchema, () => resolve()),
    );
    host.set('notes', [], RUNNING, 'prompts', { capabilities, prompts: decodePromptPage({ prompts }).items });
    await heard;
    host.onComplete = () => Promise.resolve({ values: ['Ada'], total: undefined, hasMore: false });
    host.onPrompt = (_, name, args, options) => {
      options?.onProgress?.({ progress: 1, total: 2, message: undefined });
      const messages = [
        { role: 'user', content: { type: 'text', text: `${name} ${args['who']}` } },
        { role: 'user', content: { type: 'video', url: 'u' } },
      ];
      const decoded = decodePromptResult({ messages });
      return decoded.kind === 'ok' ? Promise.resolve(decoded.value) : Promise.reject(new Error(decoded.kind));
    };
    const steps: unknown[] = [];
    const filled = await client.getPrompt(
      { name: 'greet', arguments: { who: 'Ada' } },
      { onprogress: (step) => steps.push(step) },
    );
    const completed = await client.complete({
      ref: { type: 'ref/prompt', name: 'greet' },
      argument: { name: 'who', value: 'A' },
    });
    assert.deepEqual(
      [(await client.listPrompts()).prompts, filled, completed.completion, steps],
      [
        [prompts[0], { name: 'odd', arguments: [{ name: 'a' }] }],
        {
          messages: [
            { role: 'user', content: { type: 'text', text: 'greet Ada' } },
            { role: 'user', content: { type: 'text', text: '{"type":"video","url":"u"}' } },
          ],
        },
        { values: ['Ada'], hasMore: false },
        [{ progress: 1, total: 2 }],
      ],
    );
  });

  test('it lists and reads resources, and gets changes of subscribed ones', async () => {
    const resources = [{ uri: 'note:///1', name: 'One', size: 'x', annotations: { audience: ['robots'] } }];
    const resourceTemplates = [{ uriTemplate: 'note:///{id}', name: 'A note', mimeType: 5 }];
    host.set('notes', [], RUNNING, 'resources', {
      capabilities,
      resources: decodeResourcePage({ resources }).items,
      templates: decodeTemplatePage({ resourceTemplates }).items,
    });
    host.onRead = (_, uri) => {
      const decoded = decodeReadResult({ contents: [{ text: 'x' }, { blob: 'AA==', uri: 'note:///2' }] }, uri);
      return decoded.kind === 'ok' ? Promise.resolve(decoded.value) : Promise.reject(new Error(decoded.kind));
    };
    const updated = new Promise<string>((resolve) =>
      client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => resolve(params.uri)),
    );
    await client.subscribeResource({ uri: 'note:///1' });
    host.watched.get('note:///1')?.('note:///1');
    assert.deepEqual(
      [
        (await client.listResources()).resources,
        (await client.listResourceTemplates()).resourceTemplates,
        (await client.readResource({ uri: 'note:///1' })).contents,
        await updated,
      ],
      [
        [{ uri: 'note:///1', name: 'One' }],
        [{ uriTemplate: 'note:///{id}', name: 'A note' }],
        [
          { uri: 'note:///1', text: 'x' },
          { uri: 'note:///2', blob: 'AA==' },
        ],
        'note:///1',
      ],
    );
    await client.unsubscribeResource({ uri: 'note:///1' });
    assert.deepEqual([...host.watched.keys()], []);
  });

  test('it gets the log from its level on', async () => {
    const heard: unknown[] = [];
    const done = new Promise<void>((resolve) =>
      client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => {
        heard.push(params);
        if (params.level === 'alert') resolve();
      }),
    );
    await client.setLoggingLevel('error');
    host.log('notes', 'info', 'too little');
    host.log('notes', 'error', { code: 7 }, 'db');
    host.log('notes', 'alert', 'last');
    await done;
    assert.deepEqual(heard, [
      { level: 'error', logger: 'db', data: { code: 7 } },
      { level: 'alert', data: 'last' },
    ]);
  });

  test('it gets a server’s questions during its call, and model requests if the host has no model', async () => {
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
      assert.equal(params.message, 'notes: Who?');
      return { action: 'accept', content: { name: 'Ada' } };
    });
    client.setRequestHandler(CreateMessageRequestSchema, ({ params }) => ({
      role: 'assistant',
      model: 'm',
      content: { type: 'text', text: `to ${JSON.stringify(params.messages[0]?.content)}` },
    }));
    const params = { name: 'add', _meta: { 'vscode.conversationId': 'chat' } };
    const result = client.callTool(params);
    const call = await host.nextCall();
    const schema = { type: 'object', properties: { name: { type: 'string' } } };
    const question = { server: 'notes', message: 'Who?', form: schemaForm(schema), schema, values: {}, errors: {} };
    const never = (): Promise<never> => new Promise(() => undefined);
    const own = { form: never, url: never, finish: never, finished: () => undefined };
    const answer = await new ChatElicitor(own, clients, nodeClock).form(
      { ...question, sensitive: [], remarks: [] },
      NO_CANCELLATION,
    );
    const sampler = new ChatSampler({ own: { sample: never }, clients, hasModel: () => Promise.resolve(false) });
    const request = {
      messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }],
      systemPrompt: undefined,
      maxTokens: 5,
      temperature: undefined,
      stopSequences: [],
      preferences: { hints: [], cost: undefined, speed: undefined, intelligence: undefined },
      includeContext: 'none',
      tools: [],
      toolChoice: 'auto',
      metadata: undefined,
      relatedTask: undefined,
      raw: {},
    } as const;
    const said = await sampler.sample({ server: 'notes', request, remarks: [] }, NO_CANCELLATION);
    call.succeed({ content: [] });
    assert.deepEqual(
      [answer, said, await result],
      [
        { kind: 'accept', values: { '/name': 'Ada' } },
        {
          kind: 'answered',
          result: {
            content: [{ type: 'text', text: 'to {"type":"text","text":"hi"}' }],
            model: 'm',
            stopReason: undefined,
          },
        },
        { content: [] },
      ],
    );
  });

  test('it ends its session', async () => {
    const session = transport.sessionId;
    await transport.terminateSession();
    const { url, headers } = gateway.address('notes');
    const response = await fetch(url, { method: 'DELETE', headers: { ...headers, 'mcp-session-id': session ?? '' } });
    await response.arrayBuffer();
    assert.equal(response.status, 404);
  });
});
