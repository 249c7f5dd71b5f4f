import assert from 'node:assert/strict';
import { CancellationSource } from '../../../../src/core/base/cancellation.ts';
import { isHostError } from '../../../../src/core/base/errors.ts';
import type { Json, JsonObject } from '../../../../src/core/base/json.ts';
import type { ResultView } from '../../../../src/core/model/content.ts';
import { settle } from '../../../support/fakeClock.ts';
import { failWith, NO_ANSWER, type ScriptedServer, tool } from '../../../support/scriptedServer.ts';
import { closeAll, type InputHost, legacy, modern } from '../inputs/inputHost.ts';

type Responders = ConstructorParameters<typeof ScriptedServer>[0];

const TASKS = { tools: {}, tasks: { cancel: {}, list: {}, requests: { tools: { call: {} } } } };
const DONE = { content: [{ type: 'text', text: 'done' }] };
const NAME = { type: 'object', properties: { name: { type: 'string' } } };

function task(status: string, extra: JsonObject = {}): JsonObject {
  return { taskId: 't1', status, createdAt: 'x', lastUpdatedAt: 'x', ttl: 1, pollInterval: 1_000, ...extra };
}

/** The requests about a task, from the call on. */
function heard(host: InputHost): readonly string[] {
  return host.t.server.messages.flatMap(({ method, params }) => {
    if (typeof method !== 'string' || !/^tasks\/|^tools\/call|^notifications\/cancelled/.test(method)) return [];
    const { _meta, ...rest } = params as JsonObject;
    return [`${method} ${JSON.stringify(rest)}`];
  });
}

function call(
  host: InputHost,
  source?: CancellationSource,
): { readonly over: Promise<string>; readonly told: string[] } {
  const told: string[] = [];
  const result = host.t.host.callTool(
    { server: 'a', tool: 'work', args: {}, route: 'command' },
    { token: source?.token, onProgress: ({ progress, message }) => told.push(`${progress} ${message}`) },
  );
  const over = result.then(
    ({ modelText, isError }: ResultView) => `${isError ? 'error ' : ''}${modelText}`,
    (error: unknown) => (isHostError(error) ? `${error.code}: ${error.message}` : String(error)),
  );
  return { over, told };
}

suite('A tool that runs as a task', () => {
  teardown(closeAll);

  const core = (responders: Responders, support = 'required', capabilities: JsonObject = TASKS): Promise<InputHost> =>
    legacy(
      '2025-11-25',
      {
        'tools/list': () => ({ tools: [tool('work', { execution: { taskSupport: support } })] }),
        'tools/call': () => ({ task: task('working', { statusMessage: 'Begins' }) }),
        'tasks/cancel': () => task('cancelled'),
        'tasks/result': () => DONE,
        ...responders,
      },
      capabilities,
    );

  test('is asked for as one, looked at as often as the server says, and asked for its result', async () => {
    const steps = [
      task('working', { statusMessage: 'Half' }),
      task('working', { statusMessage: 'Half' }),
      task('completed'),
    ];
    const host = await core({ 'tasks/get': () => steps.shift() ?? failWith(-32602, 'gone') });
    const { over, told } = call(host);
    await host.t.clock.advance(999);
    assert.equal(heard(host).length, 1);
    await host.t.clock.advance(2_001);
    assert.equal(await over, 'done');
    assert.deepEqual(heard(host), [
      'tools/call {"name":"work","arguments":{},"task":{"ttl":3600000}}',
      ...Array.from({ length: 3 }, () => 'tasks/get {"taskId":"t1"}'),
      'tasks/result {"taskId":"t1"}',
    ]);
    assert.deepEqual(told, ['1 Begins', '2 Half']);
  });

  test('is called as usual if it need not or must not be one', async () => {
    for (const [support, capabilities] of [
      ['optional', TASKS],
      ['forbidden', TASKS],
      ['required', { tools: {}, tasks: {} }],
    ] as const) {
      const host = await core({ 'tools/call': () => DONE }, support, capabilities);
      assert.equal(await call(host).over, 'done');
      assert.deepEqual(heard(host), ['tools/call {"name":"work","arguments":{}}']);
    }
  });

  test('that is answered at once all the same is over at once', async () => {
    const host = await core({ 'tools/call': () => DONE });
    assert.equal(await call(host).over, 'done');
  });

  test('is looked at sooner when the server says that something changed, but not without end', async () => {
    const host = await core({
      'tools/call': () => ({ task: task('working', { pollInterval: 60_000 }) }),
      'tasks/get': () => task('working', { pollInterval: 60_000 }),
    });
    const { over } = call(host);
    await settle();
    await host.t.clock.advance(1_000);
    for (let n = 0; n < 20; n++) {
      host.t.server.notify('notifications/tasks/status', task('working'));
      await settle();
    }
    assert.equal(heard(host).filter((line) => line.startsWith('tasks/get')).length, 1);
    host.t.server.on('tasks/get', () => task('completed'));
    host.t.server.notify('notifications/tasks/status', task('completed'));
    await host.t.clock.advance(250);
    assert.equal(await over, 'done');
  });

  test('that needs input is asked for its result, with which the question comes', async () => {
    let status = 'input_required';
    const held: (string | number)[] = [];
    const host = await core({
      'tasks/get': () => task(status),
      'tasks/result': (_params, id) => {
        held.push(id);
        return NO_ANSWER;
      },
    });
    const { over, told } = call(host);
    await host.t.clock.advance(1_000);
    const related = { 'io.modelcontextprotocol/related-task': { taskId: 't1' } };
    const id = await host.asks('elicitation/create', { message: 'Who?', requestedSchema: NAME, _meta: related });
    host.person.forms[0]?.answer.resolve({ kind: 'accept', values: { '/name': 'Ada' } });
    await settle();
    assert.deepEqual(host.answerTo(id), { action: 'accept', content: { name: 'Ada' } });
    status = 'working';
    await host.t.clock.advance(3_000);
    assert.equal(held.length, 1);
    host.t.server.answer(held[0]!, DONE);
    assert.equal(await over, 'done');
    assert.deepEqual(told, ['1 Begins', '2 Waits for an answer.']);
  });

  test('that is cancelled by its caller ends at once, and the server gets tasks/cancel', async () => {
    const host = await core({ 'tasks/get': () => task('working') });
    const source = new CancellationSource();
    const { over } = call(host, source);
    await host.t.clock.advance(1_500);
    source.cancel();
    assert.equal(await over, 'CANCELLED: The call was cancelled.');
    await settle();
    assert.deepEqual(heard(host).slice(-2), ['tasks/get {"taskId":"t1"}', 'tasks/cancel {"taskId":"t1"}']);
    await host.t.clock.advance(60_000);
    assert.equal(heard(host).at(-1), 'tasks/cancel {"taskId":"t1"}');
    const uncancellable = await core({}, 'required', { tools: {}, tasks: { requests: { tools: { call: {} } } } });
    const other = new CancellationSource();
    const second = call(uncancellable, other);
    await settle();
    other.cancel();
    await second.over;
    assert.deepEqual(heard(uncancellable).length, 1);
  });

  test('has the end that the server gives it: its error, its refusal, its silence', async () => {
    const ends = [];
    for (const responders of [
      { 'tasks/get': () => task('failed'), 'tasks/result': () => failWith(-32603, 'It broke.') },
      { 'tasks/get': () => task('failed'), 'tasks/result': () => ({ ...DONE, isError: true }) },
      {
        'tasks/get': () => task('cancelled', { statusMessage: 'No time' }),
        'tasks/result': () => failWith(-32603, ''),
      },
      { 'tasks/get': () => failWith(-32602, 'No such task.') },
      { 'tasks/get': () => NO_ANSWER },
      { 'tasks/get': () => ({ status: 'odd' }) },
      { 'tools/call': () => ({ task: { status: 'working' } }) },
      { 'tasks/get': () => task('working') },
    ] satisfies Responders[]) {
      const host = await core(responders);
      const { over } = call(host);
      await host.t.clock.advance(3_600_000);
      ends.push(await over);
    }
    assert.deepEqual(ends, [
      'REMOTE_ERROR: It broke.',
      'error done',
      'REMOTE_ERROR: The server cancelled the task of "work": No time',
      'REMOTE_ERROR: No such task.',
      'TIMEOUT: The server did not answer tasks/get within 60 s.',
      'INVALID_MESSAGE: The answer to tasks/get cannot be read: the task has no "taskId"',
      'INVALID_MESSAGE: The answer of "work" is a task that cannot be followed.',
      'TIMEOUT: The task of "work" did not end within 3600 s.',
    ]);
  });

  test('ends with its connection', async () => {
    const host = await core({ 'tasks/get': () => task('working') });
    const { over } = call(host);
    await host.t.clock.advance(1_500);
    await host.t.host.stop('a');
    await host.t.clock.advance(1_000);
    assert.match(await over, /^CONNECTION_CLOSED: /);
    assert.equal(host.t.clock.waiting, 0);
  });
});

suite('A stateless call that becomes a task', () => {
  teardown(closeAll);

  const extension = (responders: Responders): Promise<InputHost> =>
    modern({
      'tools/list': () => ({ tools: [tool('work')], ttlMs: 0, cacheScope: 'private' }),
      'tools/call': () => ({ resultType: 'task', ...flat('working') }),
      'tasks/update': () => ({ resultType: 'complete' }),
      'tasks/cancel': () => ({ resultType: 'complete' }),
      ...responders,
    });

  const flat = (status: string, extra: JsonObject = {}): JsonObject => ({
    taskId: 't1',
    status,
    createdAt: 'x',
    lastUpdatedAt: 'x',
    ttlMs: null,
    pollIntervalMs: 1_000,
    ...extra,
  });

  const question = (message: string): Json => ({
    method: 'elicitation/create',
    params: { message, requestedSchema: NAME },
  });

  test('was declared to be understood, is polled, and gives its result with its last look', async () => {
    const steps = [flat('working', { statusMessage: 'Half' }), flat('completed', { result: DONE })];
    const host = await extension({ 'tasks/get': () => steps.shift() ?? failWith(-32602, 'gone') });
    const { over, told } = call(host);
    await host.t.clock.advance(2_000);
    assert.equal(await over, 'done');
    assert.deepEqual(told, ['1 Half']);
    assert.deepEqual(heard(host), [
      'tools/call {"name":"work","arguments":{}}',
      'tasks/get {"taskId":"t1"}',
      'tasks/get {"taskId":"t1"}',
    ]);
    const sent = host.t.server.messages.find(({ method }) => method === 'tools/call')?.['params'] as JsonObject;
    const capabilities = (sent['_meta'] as JsonObject)['io.modelcontextprotocol/clientCapabilities'] as JsonObject;
    assert.deepEqual(capabilities['extensions'], { 'io.modelcontextprotocol/tasks': {} });
  });

  test('answers each of its questions once, however often it repeats them', async () => {
    let open: JsonObject = { one: question('1'), two: question('2') };
    const host = await extension({
      'tasks/get': () =>
        Object.keys(open).length === 0
          ? flat('completed', { result: DONE })
          : flat('input_required', { inputRequests: open }),
      'tasks/update': ({ inputResponses }) => {
        const answered = Object.keys(inputResponses as JsonObject);
        open = Object.fromEntries(Object.entries(open).filter(([key]) => !answered.includes(key)));
        return { resultType: 'complete' };
      },
    });
    const { over } = call(host);
    await host.t.clock.advance(5_000);
    assert.deepEqual(
      host.person.forms.map((shown) => shown.question.message),
      ['1'],
    );
    host.person.forms[0]?.answer.resolve({ kind: 'accept', values: { '/name': 'Ada' } });
    await host.t.clock.advance(3_000);
    host.person.forms[1]?.answer.resolve({ kind: 'decline' });
    await host.t.clock.advance(1_000);
    assert.equal(await over, 'done');
    assert.deepEqual(
      heard(host).filter((line) => line.startsWith('tasks/update')),
      [
        'tasks/update {"taskId":"t1","inputResponses":{"one":{"action":"accept","content":{"name":"Ada"}}}}',
        'tasks/update {"taskId":"t1","inputResponses":{"two":{"action":"decline"}}}',
      ],
    );
  });

  test('closes a question that is no longer asked, and all of them when it is over', async () => {
    let now = flat('input_required', { inputRequests: { one: question('1') } });
    const host = await extension({ 'tasks/get': () => now });
    const { over } = call(host);
    await host.t.clock.advance(1_000);
    now = flat('working');
    await host.t.clock.advance(1_000);
    assert.equal(host.person.forms[0]?.token.isCancellationRequested, true);
    now = flat('input_required', { inputRequests: { two: question('2') } });
    await host.t.clock.advance(1_000);
    now = flat('completed', { result: DONE });
    await host.t.clock.advance(1_000);
    assert.equal(await over, 'done');
    assert.equal(host.person.forms[1]?.token.isCancellationRequested, true);
    assert.equal(
      heard(host).some((line) => line.startsWith('tasks/update')),
      false,
    );
  });

  test('that asks for what it does not get is given up and cancelled', async () => {
    const inputRequests = { r: { method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } } };
    const host = await extension({ 'tasks/get': () => flat('input_required', { inputRequests }) });
    const { over } = call(host);
    await host.t.clock.advance(1_000);
    assert.match(
      await over,
      /^REMOTE_ERROR: The task of "work" asked for something \(sampling\/createMessage\) that it does not get: /,
    );
    await settle();
    assert.equal(heard(host).at(-1), 'tasks/cancel {"taskId":"t1"}');
  });

  test('fails with its error, or with a text if it has none', async () => {
    const ends = [];
    for (const last of [
      flat('failed', { error: { code: -32603, message: 'It broke.' } }),
      flat('failed'),
      flat('cancelled'),
      flat('completed'),
    ]) {
      const host = await extension({ 'tasks/get': () => last });
      const { over } = call(host);
      await host.t.clock.advance(1_000);
      ends.push(await over);
    }
    assert.deepEqual(ends, [
      'REMOTE_ERROR: It broke.',
      'REMOTE_ERROR: The task of "work" ended without a result.',
      'REMOTE_ERROR: The server cancelled the task of "work"',
      'REMOTE_ERROR: The task of "work" ended without a result.',
    ]);
  });

  test('that is cancelled by its caller is cancelled at the server too, and its question is closed', async () => {
    const now = flat('input_required', { inputRequests: { one: question('1') } });
    const host = await extension({ 'tasks/get': () => now });
    const source = new CancellationSource();
    const { over } = call(host, source);
    await host.t.clock.advance(1_000);
    source.cancel();
    assert.match(await over, /^CANCELLED/);
    await settle();
    assert.deepEqual(
      [heard(host).at(-1), host.person.forms[0]?.token.isCancellationRequested],
      ['tasks/cancel {"taskId":"t1"}', true],
    );
  });
});
