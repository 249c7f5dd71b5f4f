import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { type Gateway, startGateway } from '../../src/node/gatewayServer.ts';
import { nodeIds } from '../../src/node/nodePorts.ts';
import { failOnLeaks } from '../support/leaks.ts';
import { FakeHost, type HeldCall, tool } from '../unit/gateway/fakeHost.ts';

suite('gateway with the official client', () => {
  let host: FakeHost;
  let gateway: Gateway;
  let client: Client;
  let transport: StreamableHTTPClientTransport;

  setup(async () => {
    host = new FakeHost();
    host.set('notes', [tool('add', { description: 'Adds.' }), tool('hidden', {}, { offered: false })]);
    gateway = await startGateway({ host, ids: nodeIds });
    const { url, headers } = gateway.address('notes');
    client = new Client({ name: 'test', version: '1' }, { capabilities: { elicitation: { form: {} } } });
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

  test('it hears of changed tools', async () => {
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

  test('it answers what is asked of the person, and stops asking when somebody else has answered', async () => {
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
    // The person leaves this one alone.
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

  test('it ends its session', async () => {
    const session = transport.sessionId;
    await transport.terminateSession();
    const { url, headers } = gateway.address('notes');
    const response = await fetch(url, { method: 'DELETE', headers: { ...headers, 'mcp-session-id': session ?? '' } });
    await response.arrayBuffer();
    assert.equal(response.status, 404);
  });
});
