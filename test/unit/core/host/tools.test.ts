import assert from 'node:assert/strict';
import { Deferred } from '../../../../src/core/base/async.ts';
import { CancellationSource } from '../../../../src/core/base/cancellation.ts';
import { isHostError } from '../../../../src/core/base/errors.ts';
import type { JsonObject } from '../../../../src/core/base/json.ts';
import { listedTools } from '../../../../src/core/gateway/offer.ts';
import type { Operation, Progress, ToolCallRequest } from '../../../../src/core/model/operation.ts';
import { settle } from '../../../support/fakeClock.ts';
import { failWith, NO_ANSWER, ScriptedServer, tool } from '../../../support/scriptedServer.ts';
import { exited, TestHost } from '../../../support/testHost.ts';

const entry = { a: { command: 'x', enabled: true } };

async function started(responders: ConstructorParameters<typeof ScriptedServer>[0], settings: JsonObject = entry) {
  const t = new TestHost();
  t.connect = () => new ScriptedServer({ 'tools/list': () => ({ tools: [tool('add'), tool('del')] }), ...responders });
  await t.user(settings);
  return t;
}

function call(extra: Partial<ToolCallRequest> = {}): ToolCallRequest {
  return { server: 'a', tool: 'add', args: { x: 1 }, route: 'gateway', ...extra };
}

const lists = (t: TestHost): number => t.server.heard.filter((line) => line.startsWith('tools/list')).length;
const names = (t: TestHost): string =>
  t.host
    .server('a')
    ?.tools.map(({ tool: { name } }) => name)
    .join(' ') ?? '';

suite('The list of tools', () => {
  test('a tool that the server has just announced can be called at once', async () => {
    const t = new TestHost();
    let names = ['first'];
    t.connect = () =>
      new ScriptedServer({
        'tools/list': () => ({ tools: names.map((name) => tool(name)) }),
        'tools/call': ({ name }) => ({ content: [{ type: 'text', text: `ran ${String(name)}` }] }),
      });
    await t.user({ a: { command: 'node', enabled: true } });
    names = ['first', 'second'];
    t.server.notify('notifications/tools/list_changed');
    await settle();
    const request = { server: 'a', tool: 'second', args: {}, route: 'api' } as const;
    assert.equal((await t.host.callTool(request)).modelText, 'ran second');
    await assert.rejects(t.host.callTool({ ...request, tool: 'third' }), (error) => isHostError(error, 'UNKNOWN_TOOL'));
    assert.equal(
      t.server.heard.filter((line) => line.startsWith('tools/list')).length,
      2,
      'nothing is read without need',
    );
    await t.host.close();
  });

  test('is read over all pages, with cursors as they came and empty pages in between', async () => {
    const pages: Record<string, JsonObject> = {
      '': { tools: [tool('a'), tool('b')], nextCursor: 'Ü/ +1' },
      'Ü/ +1': { tools: [], nextCursor: '2' },
      '2': { tools: [tool('c')], nextCursor: '' },
    };
    const t = await started({ 'tools/list': (params) => pages[(params['cursor'] as string | undefined) ?? ''] ?? {} });
    assert.equal(names(t), 'a b c');
    assert.deepEqual(t.server.heard.slice(2), [
      'tools/list {}',
      'tools/list {"cursor":"Ü/ +1"}',
      'tools/list {"cursor":"2"}',
    ]);
    await t.host.close();
  });

  test('of a server that repeats its cursor ends, with a remark', async () => {
    const t = await started({ 'tools/list': () => ({ tools: [tool('a')], nextCursor: 'same' }) });
    assert.equal(names(t), 'a');
    assert.equal(lists(t), 2);
    assert.match(t.logs.join('\n'), /has no end; it was cut after 1 tools/);
    await t.host.close();
  });

  test('is read once more from its beginning when a cursor is no longer valid', async () => {
    let calls = 0;
    const t = await started({
      'tools/list': (params) => {
        calls++;
        if (params['cursor'] === undefined) return { tools: [tool(`a${calls}`)], nextCursor: 'next' };
        return calls === 2 ? failWith(-32602, 'bad cursor') : { tools: [tool('b')] };
      },
    });
    assert.equal(names(t), 'a3 b');
    await t.host.close();
  });

  test('follows a burst of changes with one more reading, also when the burst comes while it reads', async () => {
    const t = await started({});
    for (let i = 0; i < 5; i++) t.server.notify('notifications/tools/list_changed');
    await t.clock.advance(1000);
    assert.equal(lists(t), 2);

    const held: (string | number)[] = [];
    t.server.on('tools/list', (_, id) => {
      held.push(id);
      return NO_ANSWER;
    });
    t.server.notify('notifications/tools/list_changed');
    await t.clock.advance(300);
    for (let i = 0; i < 5; i++) t.server.notify('notifications/tools/list_changed');
    await settle();
    t.server.answer(held[0] ?? '', { tools: [tool('stale')] });
    t.server.on('tools/list', () => ({ tools: [tool('fresh')] }));
    await t.clock.advance(1000);
    assert.equal(lists(t), 4);
    assert.equal(names(t), 'fresh');
    await t.host.close();
    assert.equal(t.clock.waiting, 0);
  });

  test('that is about to be read again is forgotten with its connection', async () => {
    const t = await started({});
    t.server.notify('notifications/tools/list_changed');
    await settle();
    await t.host.stop('a');
    assert.equal(t.clock.waiting, 0);
    await t.host.close();
  });

  test('that cannot be read is a line in the log, and the tools stay as they were', async () => {
    const t = await started({});
    t.server.on('tools/list', () => failWith(-32000, 'busy'));
    t.server.notify('notifications/tools/list_changed');
    await t.clock.advance(1000);
    assert.equal(names(t), 'add del');
    assert.match(t.logs.join('\n'), /The list of tools could not be read: .*busy/);
    await t.host.close();
  });
});

suite('A tool call', () => {
  test('right after a start waits until the tools are known', async () => {
    const t = new TestHost();
    const listed = new Deferred<JsonObject>();
    t.connect = () => new ScriptedServer({ 'tools/list': () => listed.promise, 'tools/call': () => ({ content: [] }) });
    await t.user(entry);
    const called = t.host.callTool(call());
    const given = new CancellationSource();
    const givenUp = assert.rejects(t.host.callTool(call(), { token: given.token }), (error) =>
      isHostError(error, 'CANCELLED'),
    );
    given.cancel();
    await givenUp;
    listed.resolve({ tools: [tool('add')] });
    assert.equal((await called).isError, false);
    await t.host.close();
  });

  test('waits no longer when the tools cannot be read, or the server ends', async () => {
    const t = new TestHost();
    t.connect = () => new ScriptedServer({ 'tools/list': () => NO_ANSWER });
    await t.user({ a: { command: 'x', enabled: true, timeouts: { list: 5 } } });
    const failed = assert.rejects(t.host.callTool(call()), (error) => isHostError(error, 'UNKNOWN_TOOL'));
    await t.clock.advance(5_000);
    await failed;
    assert.equal(t.host.server('a')?.listing.kind, 'failed');
    await t.host.restart('a');
    const stopped = assert.rejects(t.host.callTool(call()), (error) => isHostError(error, 'SERVER_NOT_RUNNING'));
    await settle();
    await t.host.stop('a');
    await stopped;
    await t.host.close();
  });

  test('waits no longer than it may take itself, for a list whose pages come slowly', async () => {
    const t = new TestHost();
    let pages = 0;
    t.connect = () =>
      new ScriptedServer({
        'tools/list': async () => {
          await new Promise<void>((resolve) => t.clock.delay(20_000, resolve));
          return { tools: [], nextCursor: String(++pages) };
        },
      });
    await t.user({ a: { command: 'x', enabled: true, timeouts: { call: 50 } } });
    const refused = assert.rejects(t.host.callTool(call()), (error) => isHostError(error, 'TIMEOUT'));
    await t.clock.advance(60_000);
    assert.equal(pages, 3);
    await refused;
    await t.host.close();
    await t.clock.advance(20_000);
  });

  test('sends name, arguments and the caller’s _meta, and returns what the server says, unknown fields included', async () => {
    const result = {
      content: [
        { type: 'text', text: 'done' },
        { type: 'new', x: 1 },
      ],
      extra: true,
    };
    const t = await started({ 'tools/call': () => result });
    const seen: Operation[] = [];
    const listening = t.host.onDidChangeOperation((operation) => seen.push(operation));
    const view = await t.host.callTool(call({ meta: { traceparent: 't' }, conversationId: 'c1' }));
    assert.equal(
      t.server.heard.at(-1),
      'tools/call {"name":"add","arguments":{"x":1},"_meta":{"traceparent":"t","progressToken":3}}',
    );
    assert.equal(view.modelText, 'done\n{"type":"new","x":1}');
    assert.deepEqual(view.raw, result);
    assert.deepEqual(
      seen.map(
        (operation) =>
          `${operation.id} ${operation.request.conversationId} ${operation.attempts} ${operation.state.kind}`,
      ),
      ['id-1-1 c1 1 running', 'id-1-1 c1 1 succeeded'],
    );
    listening.dispose();
    await t.host.close();
  });

  test('that cannot be made says why and what to do, and sends nothing', async () => {
    const t = await started(
      {},
      { a: { command: 'x', enabled: true, tools: { hidden: ['del'] } }, b: { command: 'y' } },
    );
    const refused = async (request: ToolCallRequest): Promise<string> => {
      try {
        await t.host.callTool(request);
        return 'called';
      } catch (error) {
        return isHostError(error)
          ? `${error.code} ${error.effect}: ${error.message} ${error.suggestion}`
          : String(error);
      }
    };
    assert.deepEqual(
      [
        await refused(call({ server: 'none' })),
        await refused(call({ server: 'b' })),
        await refused(call({ tool: 'none' })),
        await refused(call({ tool: 'del' })),
      ],
      [
        'UNKNOWN_SERVER none: There is no server "none". Check the setting "mcpl.servers".',
        'SERVER_NOT_RUNNING none: The server "b" is not running. Start it, then try again.',
        'UNKNOWN_TOOL none: The server "a" has no tool "none". List its tools again.',
        'TOOL_HIDDEN none: The tool "del" is not offered to models. Use another tool.',
      ],
    );
    assert.equal(
      t.server.heard.some((line) => line.startsWith('tools/call')),
      false,
    );
    await t.host.close();
  });

  test('of a tool for apps only is refused on every route of models and can be made by the user', async () => {
    const page = tool('page', { _meta: { ui: { visibility: ['app'] } } });
    const t = await started(
      { 'tools/list': () => ({ tools: [page] }), 'tools/call': () => ({ content: [] }) },
      { a: { command: 'x', enabled: true, tools: { autoApprove: ['page'] } } },
    );
    assert.deepEqual(
      t.host.server('a')?.tools.map(({ offered, forApps }) => [offered, forApps]),
      [[false, true]],
    );
    for (const route of ['gateway', 'participant', 'extension', 'api'] as const)
      await assert.rejects(t.host.callTool(call({ tool: 'page', route })), { code: 'TOOL_HIDDEN' });
    for (const route of ['command', 'cli'] as const)
      assert.equal((await t.host.callTool(call({ tool: 'page', route }))).modelText, '');

    assert.deepEqual(await listedTools(t.host.server('a'), t.clock), []);
    await t.host.close();
  });

  test('of a tool hidden from models can still be made by the user', async () => {
    const t = await started(
      { 'tools/call': () => ({ content: [] }) },
      { a: { command: 'x', enabled: true, tools: { hidden: ['add'] } } },
    );
    assert.equal((await t.host.callTool(call({ route: 'command' }))).modelText, '');
    await t.host.close();
  });

  test('that fails on the server carries its code and data', async () => {
    const t = await started({ 'tools/call': () => failWith(4001, 'no paper', { tray: 2 }) });
    await assert.rejects(
      t.host.callTool(call()),
      (error) =>
        isHostError(error, 'REMOTE_ERROR') && error.rpcCode === 4001 && JSON.stringify(error.data) === '{"tray":2}',
    );
    await t.host.close();
  });

  test('times out without progress, goes on with it, and ends at its cap however much there is', async () => {
    const t = await started(
      { 'tools/call': () => NO_ANSWER },
      { a: { command: 'x', enabled: true, timeouts: { call: 10, callMax: 25 } } },
    );
    const progress: Progress[] = [];
    const failed = assert.rejects(
      t.host.callTool(call(), { onProgress: (step) => progress.push(step) }),
      (error) =>
        isHostError(error, 'TIMEOUT') &&
        error.effect === 'unknown' &&
        error.message === 'The tool "add" of "a" did not finish within 25 s.' &&
        error.suggestion === 'Try again, or raise "timeouts.callMax" of the server.',
    );
    for (let step = 1; step <= 3; step++) {
      await t.clock.advance(8_000);
      t.server.notify('notifications/progress', { progressToken: 3, progress: step, message: `step ${step}` });
      t.server.notify('notifications/progress', { progressToken: 'unknown', progress: 9 });
      await settle();
    }
    await t.clock.advance(2_000);
    await failed;
    assert.deepEqual(
      progress.map((step) => step.message),
      ['step 1', 'step 2', 'step 3'],
    );
    assert.match(t.server.heard.at(-1) ?? '', /^notifications\/cancelled \{"requestId":\d+,"reason":/);
    await t.host.close();
  });

  test('that is cancelled ends at once, notifies the server, and drops the late answer', async () => {
    const t = await started({ 'tools/call': () => NO_ANSWER });
    const source = new CancellationSource();
    const failed = assert.rejects(t.host.callTool(call(), { token: source.token }), (error) =>
      isHostError(error, 'CANCELLED'),
    );
    await settle();
    const id = t.server.messages.at(-1)?.['id'] as number;
    source.cancel();
    await failed;
    await settle();
    assert.match(t.server.heard.at(-1) ?? '', new RegExp(`^notifications/cancelled {"requestId":${id},`));
    t.server.answer(id, { content: [] });
    await settle();
    assert.equal(t.host.server('a')?.state.kind, 'running');
    await t.host.close();
  });

  test('in flight when the server dies fails once, with an unknown effect', async () => {
    const t = await started({ 'tools/call': () => NO_ANSWER });
    const states: string[] = [];
    const listening = t.host.onDidChangeOperation(({ state }) =>
      states.push(state.kind === 'failed' ? `failed ${state.effect}` : state.kind),
    );
    const failed = assert.rejects(t.host.callTool(call()), (error) =>
      isHostError(error, 'CONNECTION_CLOSED', 'SERVER_EXITED'),
    );
    await settle();
    t.server.crash(exited());
    await failed;
    assert.deepEqual(states, ['running', 'failed unknown']);
    listening.dispose();
    await t.host.close();
  });
});
