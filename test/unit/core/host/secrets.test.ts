import assert from 'node:assert/strict';
import { HostError, isHostError } from '../../../../src/core/base/errors.ts';
import { settle } from '../../../support/fakeClock.ts';
import { failWith, NO_ANSWER, ScriptedServer, tool } from '../../../support/scriptedServer.ts';
import { TestHost } from '../../../support/testHost.ts';

const SECRET = 'pa55-word-of-mine';
const LEAK = `env: KEY=${SECRET}`;

async function running(onCall: () => ReturnType<typeof failWith> | typeof NO_ANSWER): Promise<TestHost> {
  const t = new TestHost();
  t.inputs['key'] = { kind: 'value', value: SECRET, secret: true };
  t.connect = () => new ScriptedServer({ 'tools/list': () => ({ tools: [tool('x')] }), 'tools/call': onCall });
  await t.user({ a: { command: 'x', enabled: true, restart: 'never', env: { KEY: '${input:key}' } } });
  return t;
}

/** Everything of a failed call that a caller, and so a model or driver, can see. */
async function failureOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return 'no failure';
  } catch (error) {
    assert.ok(isHostError(error));
    const { message, suggestion, data } = error;
    return JSON.stringify({ message, suggestion, data, cause: String(error.cause) });
  }
}

suite('A secret', () => {
  test('is in no failure of a call that was under way when the server fell and wrote it', async () => {
    const t = await running(() => NO_ANSWER);
    const call = failureOf(t.host.callTool({ server: 'a', tool: 'x', args: {}, route: 'gateway' }));
    await settle();
    t.server.crash(new HostError('SERVER_EXITED', `It wrote last: ${LEAK}`, { layer: 'process' }));
    assert.match(await call, /It wrote last: env: KEY=\[secret: key\]/);
    assert.doesNotMatch(await call, new RegExp(SECRET));
    await t.host.close();
  });

  test('is in no error answer of the server', async () => {
    const t = await running(() => failWith(-32000, `Refused: ${LEAK}`, { detail: LEAK }));
    const call = await failureOf(t.host.callTool({ server: 'a', tool: 'x', args: {}, route: 'gateway' }));
    assert.equal(call, '{"message":"Refused: env: KEY=[secret: key]","cause":"undefined"}');
    await t.host.close();
  });

  test('is not in what an error carries beside its message', async () => {
    const t = await running(() => NO_ANSWER);
    const data = { stderr: [LEAK, 'a', 'b', 'c'] };
    t.server.crash(new HostError('SERVER_EXITED', 'It exited.', { layer: 'process', data, cause: new Error(LEAK) }));
    await settle();
    const state = t.host.server('a')?.state;
    assert.equal(state?.kind, 'failed');
    assert.ok(state?.kind === 'failed');
    assert.deepEqual([state.error.message, state.error.data, state.error.cause], ['It exited.', undefined, undefined]);
    assert.equal(
      t.logs.some((line) => line.includes(SECRET)),
      false,
    );
    await t.host.close();
  });

  test('that was typed for the user’s own server is not asked for in the name of the workspace’s', async () => {
    const t = new TestHost();
    const asked: string[] = [];
    t.onInput = (id, definedBy) => asked.push(`${id} for the ${definedBy}`);
    t.inputs['key'] = { kind: 'value', value: SECRET, secret: true };
    const mine = { command: 'x', env: { KEY: '${input:key}' }, enabled: true };
    await t.user({ mine }, { theirs: { url: 'https://x.test', headers: { A: '${input:key}' }, enabled: true } });
    assert.deepEqual(asked.sort(), ['key for the user', 'key for the workspace']);
    await t.host.close();
  });

  test('is not in a server’s log entries, which the host reports by the server’s id', async () => {
    const t = await running(() => NO_ANSWER);
    const heard: string[] = [];
    const listening = t.host.onDidLog((log) => heard.push(JSON.stringify(log)));
    t.server.say({ method: 'notifications/message', params: { level: 'debug', logger: 'db', data: { line: [LEAK] } } });
    await settle();
    listening.dispose();
    t.server.say({ method: 'notifications/message', params: { level: 'debug', data: LEAK } });
    await settle();
    assert.deepEqual(heard, [
      '{"server":"a","level":"debug","logger":"db","data":{"line":["env: KEY=[secret: key]"]}}',
    ]);
    assert.throws(() => t.host.wishLogLevel('b', 'info'), /There is no server "b"/);
    t.host.wishLogLevel('a', 'info').dispose();
    await t.host.close();
  });
});
