import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { annotationTexts, type JsonObject, LOG_LEVELS, parseUriTemplate } from '../../../src/core/index.ts';
import { startGateway } from '../../../src/node/gateway/gatewayServer.ts';
import { nodeIds } from '../../../src/node/nodePorts.ts';
import { failWith, NO_ANSWER, tool } from '../../support/scriptedServer.ts';
import { type Case, type CaseOptions, ID, openCase } from './caseHost.ts';
import { ask } from './casePerson.ts';
import { HttpCases } from './httpCaseServer.ts';

/** A case that is closed after its test. */
class Opened {
  #case: Case | undefined;

  static ofSuite(): Opened {
    const opened = new Opened();
    teardown(async () => {
      const last = opened.#case;
      opened.#case = undefined;
      await last?.close();
    });
    return opened;
  }

  async open(options: CaseOptions): Promise<Case> {
    await this.#case?.close();
    this.#case = await openCase(options);
    return this.#case;
  }
}

const paramsOf = ({ params }: JsonObject): JsonObject => params as JsonObject;
const text = (said: string): JsonObject => ({ content: [{ type: 'text', text: said }] });

suite('What a server proposes for a value', function () {
  const opened = Opened.ofSuite();
  const prompt = { reference: { kind: 'prompt', name: 'greet' }, settled: {} } as const;
  const template = { reference: { kind: 'template', uriTemplate: 'mem://{id}' }, settled: {} } as const;
  const OLD = { prompts: {}, resources: {} };
  const lists = {
    'prompts/list': () => ({ prompts: [] }),
    'resources/list': () => ({ resources: [] }),
    'resources/templates/list': () => ({ resourceTemplates: [] }),
  };

  test('is asked for prompts and templates, at most a hundred being taken', async () => {
    const { host, life } = await opened.open({
      capabilities: OLD,
      answers: {
        ...lists,
        'completion/complete': ({ params }) =>
          JSON.stringify(params['ref']).includes('ref/prompt')
            ? {
                completion: {
                  values: Array.from({ length: 120 }, (_, index) => `v${index}`),
                  total: 500,
                  hasMore: true,
                },
              }
            : { completion: { values: ['one'] } },
      },
    });
    const many = await host.complete(ID, { ...prompt, argument: { name: 'who', value: 'v' } });
    assert.deepEqual([many.values.length, many.values[99], many.total, many.hasMore], [100, 'v99', 500, true]);
    const few = await host.complete(ID, { ...template, argument: { name: 'id', value: 'o' } });
    assert.deepEqual(few, { values: ['one'], total: undefined, hasMore: false });
    assert.deepEqual(life.sent('completion/complete').map(paramsOf), [
      { ref: { type: 'ref/prompt', name: 'greet' }, argument: { name: 'who', value: 'v' } },
      { ref: { type: 'ref/resource', uri: 'mem://{id}' }, argument: { name: 'id', value: 'o' } },
    ]);
  });

  test('is not asked at each key, and what comes late for an older text is dropped', async () => {
    const { host, life } = await opened.open({
      capabilities: OLD,
      answers: {
        ...lists,
        'completion/complete': ({ params }) =>
          (params['argument'] as JsonObject)['value'] === 'abc' ? NO_ANSWER : { completion: { values: ['abcd!'] } },
      },
    });
    const typed = (value: string): Promise<unknown> =>
      host.complete(ID, { ...prompt, argument: { name: 'who', value } }).then(
        ({ values }) => values,
        ({ code }: { readonly code: string }) => code,
      );
    const early = [typed('a'), typed('ab'), typed('abc')];
    const asked = await life.until('completion/complete');
    const last = typed('abcd');
    assert.deepEqual(await Promise.all([...early, last]), ['CANCELLED', 'CANCELLED', 'CANCELLED', ['abcd!']]);
    await life.say({ jsonrpc: '2.0', id: asked['id'] as number, result: { completion: { values: ['late'] } } });
    await life.caughtUp();
    assert.deepEqual(
      life.sent('completion/complete').map((message) => (paramsOf(message)['argument'] as JsonObject)['value']),
      ['abc', 'abcd'],
    );
    assert.deepEqual(
      life.sent('notifications/cancelled').map((message) => paramsOf(message)['requestId']),
      [asked['id']],
    );
  });

  test('is not asked where the server has no such thing, for which there is a word since 2025-03-26', async () => {
    const answers = { ...lists, 'completion/complete': () => ({ completion: { values: ['x'] } }) };
    for (const [version, capabilities] of [
      ['2024-11-05', {}],
      ['2025-03-26', OLD],
    ] as const) {
      const { host, life } = await opened.open({ version, capabilities, answers });
      assert.deepEqual((await host.complete(ID, { ...prompt, argument: { name: 'who', value: '' } })).values, []);
      await life.caughtUp();
      assert.deepEqual(life.sent('completion/complete'), [], version);
    }
    const { host } = await opened.open({ version: '2025-03-26', capabilities: { ...OLD, completions: {} }, answers });
    assert.deepEqual((await host.complete(ID, { ...prompt, argument: { name: 'who', value: '' } })).values, ['x']);
  });
});

suite('What a server wants to have logged', function () {
  const opened = Opened.ofSuite();

  for (const version of ['2024-11-05', '2025-11-25'])
    test(`has eight levels and data of any kind, in ${version}`, async () => {
      const { host, life, log, logged } = await opened.open({
        version,
        capabilities: { logging: {} },
        answers: { 'logging/setLevel': () => ({}) },
      });
      await host.setLogLevel(ID, 'notice');
      assert.deepEqual(life.sent('logging/setLevel').map(paramsOf), [{ level: 'notice' }]);
      for (const level of LOG_LEVELS)
        await life.notify('notifications/message', { level, logger: 'db', data: `at ${level}` });
      for (const data of [{ a: [1] }, null, 7, false])
        await life.notify('notifications/message', { level: 'info', data });
      await life.notify('notifications/message', { level: 'error', data: 'the end' });
      await logged(/the end/);
      assert.deepEqual(log.slice(log.indexOf('debug: [db] at debug')), [
        'debug: [db] at debug',
        'info: [db] at info',
        'info: [db] notice: at notice',
        'warn: [db] at warning',
        'error: [db] at error',
        'error: [db] critical: at critical',
        'error: [db] alert: at alert',
        'error: [db] emergency: at emergency',
        'info: {"a":[1]}',
        'info: null',
        'info: 7',
        'info: false',
        'error: the end',
      ]);
    });

  test('is left to a server that has no say in it', async () => {
    const { host, life } = await opened.open({ capabilities: {}, answers: { 'logging/setLevel': () => ({}) } });
    await assert.rejects(host.setLogLevel(ID, 'error'), { code: 'CAPABILITY_MISSING' });
    await life.caughtUp();
    assert.deepEqual(life.sent('logging/setLevel'), []);
  });
});

suite('The resources of a server', function () {
  const opened = Opened.ofSuite();
  const lists = {
    'resources/list': () => ({ resources: [{ uri: 'mem://a', name: 'a' }] }),
    'resources/templates/list': () => ({
      resourceTemplates: [
        { uriTemplate: 'mem://note/{id}', name: 'note' },
        { uriTemplate: 'file:///{+path}', name: 'file' },
        { uriTemplate: 'mem://find{?q*,limit}', name: 'find' },
      ],
    }),
  };

  test('are one list and their templates another, which are filled in and read', async () => {
    const { host, life, snapshot, until } = await opened.open({
      capabilities: { resources: {} },
      answers: {
        ...lists,
        'resources/read': ({ params }) => ({ contents: [{ uri: params['uri'] ?? '', text: 'read' }] }),
      },
    });
    await until('the templates', () => snapshot().templates.length > 0 && snapshot().resources.length > 0);
    assert.deepEqual(
      snapshot().resources.map(({ uri }) => uri),
      ['mem://a'],
    );
    const values = { id: 'ü/1', path: 'a b/c.txt', q: ['x', 'y&z'], limit: '2' };
    for (const { uriTemplate } of snapshot().templates) {
      const parsed = parseUriTemplate(uriTemplate);
      assert.ok(typeof parsed === 'object');
      const { contents } = await host.readResource(ID, parsed.expand(values));
      assert.deepEqual(
        contents.map((content) => content.kind === 'text' && content.text),
        ['read'],
      );
    }
    assert.deepEqual(
      life.sent('resources/read').map((message) => paramsOf(message)['uri']),
      ['mem://note/%C3%BC%2F1', 'file:///a%20b/c.txt', 'mem://find?q=x&q=y%26z&limit=2'],
    );
  });

  test('that are subscribed are read again after changes, also after a restart, until the last subscription ends', async () => {
    const current = await opened.open({
      capabilities: { resources: { subscribe: true } },
      answers: {
        ...lists,
        'resources/subscribe': () => ({}),
        'resources/unsubscribe': () => ({}),
        'resources/read': ({ params, life }) => ({ contents: [{ uri: params['uri'] ?? '', text: `of ${life.pid}` }] }),
      },
    });
    const { host, server } = current;
    const reads: Promise<string>[] = [];
    const watch = host.subscribeResource(ID, 'mem://a', (uri) => {
      reads.push(
        host.readResource(ID, uri).then(({ contents: [content] }) => (content?.kind === 'text' ? content.text : '')),
      );
    });
    await watch.agreed;
    const first = current.life;
    const changed = async (uri: string): Promise<void> => {
      await current.life.notify('notifications/resources/updated', { uri });
    };
    await changed('mem://b');
    await changed('mem://a');
    await current.until('the first change', () => reads.length === 1);
    assert.equal(await reads[0], `of ${first.pid}`);
    first.exit(1);
    const second = await server.started(2);
    await second.until('resources/subscribe');
    await changed('mem://a');
    await current.until('the change after the restart', () => reads.length === 2);
    assert.equal(await reads[1], `of ${second.pid}`);
    watch.dispose();
    assert.deepEqual(paramsOf(await second.until('resources/unsubscribe')), { uri: 'mem://a' });
    await changed('mem://a');
    await ask(second, 'ping');
    assert.equal(reads.length, 2);
    assert.deepEqual(
      [first, second].map((life) => life.sent('resources/subscribe').map(paramsOf)),
      [[{ uri: 'mem://a' }], [{ uri: 'mem://a' }]],
    );
  });

  test('are text or bytes or several of them, and missing ones are missing by either code', async () => {
    const { host } = await opened.open({
      capabilities: { resources: {} },
      answers: {
        ...lists,
        'resources/read': ({ params: { uri = '' } }) => {
          if (uri === 'mem://old') return failWith(-32002, 'Resource not found', { uri });
          if (uri === 'mem://new') return failWith(-32602, 'Unknown resource');
          return {
            contents: [
              { uri, mimeType: 'image/png', blob: 'AAEC' },
              { uri: `${String(uri)}/part`, text: 'plain' },
            ],
          };
        },
      },
    });
    assert.deepEqual((await host.readResource(ID, 'mem://a')).contents, [
      { kind: 'blob', uri: 'mem://a', mimeType: 'image/png', blob: 'AAEC' },
      { kind: 'text', uri: 'mem://a/part', mimeType: undefined, text: 'plain' },
    ]);
    await assert.rejects(host.readResource(ID, 'mem://old'), { code: 'UNKNOWN_RESOURCE', rpcCode: -32002 });
    await assert.rejects(host.readResource(ID, 'mem://new'), { code: 'UNKNOWN_RESOURCE', rpcCode: -32602 });
  });
});

suite('The result of a tool', function () {
  const opened = Opened.ofSuite();
  const cases = HttpCases.ofSuite();

  test('is for the model when the tool says that it failed, and an error when the protocol does', async () => {
    const { call } = await opened.open({
      answers: {
        'tools/list': () => ({ tools: [tool('fails'), tool('breaks')] }),
        'tools/call': ({ params }) =>
          params['name'] === 'fails' ? { ...text('No such city'), isError: true } : failWith(-32603, 'Out of memory'),
      },
    });
    const { isError, modelText } = await call('fails');
    assert.deepEqual([isError, modelText], [true, 'No such city']);
    await assert.rejects(call('breaks'), { code: 'REMOTE_ERROR', rpcCode: -32603, message: /Out of memory/ });
  });

  test('is checked against the output schema, and gets a remark if it does not match', async () => {
    const { call } = await opened.open({
      version: '2025-06-18',
      answers: {
        'tools/list': () => ({
          tools: [
            tool('sum', { outputSchema: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } }),
          ],
        }),
        'tools/call': ({ params }) => ({ ...text('?'), structuredContent: params['arguments'] ?? {} }),
      },
    });
    const right = await call('sum', { n: 1 });
    assert.deepEqual([right.structured, right.annotations], [{ n: 1 }, []]);
    const wrong = await call('sum', { n: 'one' });
    assert.deepEqual(wrong.structured, { n: 'one' });
    assert.match(String(annotationTexts(wrong, 'user')), /^Not as the tool had announced: /);
  });

  test('may be a link, which is not followed, and its picture is one that is safe to show', async () => {
    const site = await cases.serve({ GET: (exchange) => exchange.status(200) });
    const png = 'data:image/png;base64,AAAA';
    const { call, life, snapshot } = await opened.open({
      version: '2025-11-25',
      capabilities: { tools: {}, resources: {} },
      answers: {
        'resources/list': () => ({ resources: [] }),
        'resources/templates/list': () => ({ resourceTemplates: [] }),
        'tools/list': () => ({
          tools: [
            tool('link', {
              icons: ['javascript:alert(1)', 'file:///etc/passwd', 'vscode://x', 'http://x/i.png', png].map((src) => ({
                src,
              })),
            }),
          ],
        }),
        'tools/call': () => ({ content: [{ type: 'resource_link', uri: site.url('/big'), name: 'big' }] }),
      },
    });
    const { blocks, modelText } = await call('link');
    assert.deepEqual(blocks, [{ type: 'resource_link', uri: site.url('/big'), name: 'big' }]);
    assert.equal(modelText, `[big](${site.url('/big')})`);
    await life.caughtUp();
    assert.deepEqual([site.lines(), life.sent('resources/read')], [[], []]);
    assert.deepEqual(
      snapshot().tools[0]?.tool.icons.map(({ src }) => src),
      [png],
    );
  });

  test('does not skip the prompt for read-only hints, which editors do not get', async () => {
    const annotations = { readOnlyHint: true, destructiveHint: false };
    const { host, snapshot } = await opened.open({
      version: '2025-03-26',
      entry: { tools: { autoApprove: ['approved'] } },
      answers: { 'tools/list': () => ({ tools: [tool('claims', { annotations }), tool('approved')] }) },
    });
    assert.deepEqual(
      snapshot().tools.map(({ tool: { name, hints }, autoApproved }) => [name, hints.readOnly, autoApproved]),
      [
        ['claims', true, false],
        ['approved', false, true],
      ],
    );
    const gateway = await startGateway({ host, ids: nodeIds });
    const { url, headers } = gateway.address(ID);
    const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
    const client = new Client({ name: 'editor', version: '1' });
    try {
      // The SDK's own classes disagree under exactOptionalPropertyTypes.
      await client.connect(transport as Parameters<Client['connect']>[0]);
      const { tools } = await client.listTools();
      assert.deepEqual(
        tools.map(({ name, annotations: told }) => [name, told?.readOnlyHint]),
        [
          ['claims', false],
          ['approved', true],
        ],
      );
    } finally {
      await client.close();
      await gateway.dispose();
    }
  });
});
