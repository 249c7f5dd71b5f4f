import assert from 'node:assert/strict';
import { Deferred, type JsonObject, type Operation } from '../../../../src/core/index.ts';
import { settle } from '../../../support/fakeClock.ts';
import { failWith, initializeResult, ScriptedServer, tool } from '../../../support/scriptedServer.ts';
import { TestHost } from '../../../support/testHost.ts';
import { discovered, modernServer } from '../session/statelessServer.ts';

const node = { command: 'node', enabled: true };
const done = { content: [{ type: 'text', text: 'done' }] };

/** Answers with each of these in turn. */
function inTurn<T>(...answers: readonly T[]): () => T {
  let turn = 0;
  return () => {
    const answer = answers[turn++];
    assert.ok(answer !== undefined);
    return answer;
  };
}

async function toldOf(t: TestHost): Promise<readonly string[]> {
  const seen: Operation[] = [];
  const listening = t.host.onDidChangeOperation((operation) => seen.push(operation));
  const called = t.host.callTool({ server: 'a', tool: 'add', args: {}, route: 'api' });
  // A task is polled again after its interval.
  await t.clock.advance(10_000);
  await called;
  listening.dispose();
  await t.host.close();
  assert.equal(new Set(seen.map(({ id }) => id)).size, 1, 'one operation, whatever it takes');
  return seen.map(({ state, attempts, rounds, taskId }) => `${state.kind} ${attempts} ${rounds} ${taskId ?? '-'}`);
}

suite('The report of a call', () => {
  test('covers the call from its beginning to its end, and does not exist for later listeners', async () => {
    const t = new TestHost();
    const answer = new Deferred<JsonObject>();
    t.connect = () =>
      new ScriptedServer({
        initialize: () => initializeResult({}),
        'tools/list': () => ({ tools: [tool('add')] }),
        'tools/call': () => answer.promise,
      });
    await t.user({ a: node });
    await settle();
    const call = (text: string): Promise<unknown> =>
      t.host.callTool({ server: 'a', tool: 'add', args: { text }, route: 'api' });
    const seen: string[] = [];
    const unheard = call('before');
    const listening = t.host.onDidChangeOperation(({ request, state }) =>
      seen.push(`${JSON.stringify(request.args)} ${state.kind}`),
    );
    const heard = call('after');
    answer.resolve(done);
    await Promise.all([unheard, heard]);
    assert.deepEqual(seen, ['{"text":"after"} running', '{"text":"after"} succeeded']);
    listening.dispose();
    await t.host.close();
  });

  test('counts the rounds in which the server asked for something', async () => {
    const t = new TestHost();
    t.era = 'modern';
    const question = {
      method: 'elicitation/create',
      params: { message: 'ok?', requestedSchema: { type: 'object', properties: {} } },
    };
    const asks = { resultType: 'input_required', inputRequests: { q: question } };
    t.connect = () =>
      modernServer({
        'server/discover': () => discovered(),
        'tools/list': () => ({ tools: [tool('add')] }),
        'tools/call': inTurn<JsonObject>(asks, asks, done),
      });
    await t.user({ a: node });
    assert.deepEqual(await toldOf(t), ['running 1 0 -', 'running 1 1 -', 'running 1 2 -', 'succeeded 1 2 -']);
  });

  test('counts what was sent once more after a page was visited', async () => {
    const t = new TestHost();
    t.inputPorts.elicitor = {
      ...t.inputPorts.elicitor,
      url: () => Promise.resolve('accept'),
      finish: () => Promise.resolve('continue'),
    };
    const page = { mode: 'url', url: 'https://a.test/', message: 'Sign in there.', elicitationId: 'e1' };
    t.connect = () =>
      new ScriptedServer({
        initialize: () => initializeResult({ protocolVersion: '2025-11-25' }),
        'tools/list': () => ({ tools: [tool('add')] }),
        'tools/call': inTurn<JsonObject | ReturnType<typeof failWith>>(
          failWith(-32042, 'visit', { elicitations: [page] }),
          done,
        ),
      });
    await t.user({ a: node });
    const told = await toldOf(t);
    assert.deepEqual([told.at(0), told.at(-1)], ['running 1 0 -', 'succeeded 2 0 -']);
  });

  test('names the task that it became', async () => {
    const t = new TestHost();
    const task = {
      taskId: 't1',
      status: 'working',
      ttl: 60_000,
      pollInterval: 1_000,
      createdAt: '2025-11-25T00:00:00Z',
    };
    t.connect = () =>
      new ScriptedServer({
        initialize: () =>
          initializeResult({
            protocolVersion: '2025-11-25',
            capabilities: { tools: {}, tasks: { requests: { tools: { call: {} } } } },
          }),
        'tools/list': () => ({ tools: [tool('add', { execution: { taskSupport: 'required' } })] }),
        'tools/call': () => ({ task }),
        'tasks/get': () => ({ ...task, status: 'completed' }),
        'tasks/result': () => done,
      });
    await t.user({ a: node });
    await settle();
    const told = await toldOf(t);
    assert.deepEqual([told.at(0), told.at(1), told.at(-1)], ['running 1 0 -', 'running 1 0 t1', 'succeeded 1 0 t1']);
  });
});
