import assert from 'node:assert/strict';
import { isHostError } from '../../../../src/core/base/errors.ts';
import type { Json, JsonObject } from '../../../../src/core/base/json.ts';
import { settle } from '../../../support/fakeClock.ts';
import { failWith, tool } from '../../../support/scriptedServer.ts';
import { closeAll, type InputHost, legacy } from '../inputs/inputHost.ts';

const PAGE = { mode: 'url', message: 'Connect', url: 'https://example.com/connect', elicitationId: 'e1' };
const DONE = { content: [{ type: 'text', text: 'done' }] };
const TASK = { taskId: 't1', status: 'working', createdAt: 'x', lastUpdatedAt: 'x', ttl: 1, pollInterval: 1_000 };
const TASKS = { tools: {}, tasks: { cancel: {}, list: {}, requests: { tools: { call: {} } } } };

const needsPage = (pages: readonly JsonObject[] = [PAGE]): unknown =>
  failWith(-32042, 'A page must be visited', { elicitations: [...pages] });

/** A server that answers calls with these in turn, and then always with the last. */
function answering(answers: readonly (() => unknown)[], isTask = false): Promise<InputHost> {
  let turn = 0;
  const next = (): Json => answers[Math.min(turn++, answers.length - 1)]?.() as Json;
  return legacy(
    '2025-11-25',
    {
      'tools/list': () => ({ tools: [tool('work', isTask ? { execution: { taskSupport: 'required' } } : {})] }),
      'tools/call': next,
      'tasks/get': () => ({ ...TASK, status: 'completed' }),
      'tasks/result': () => DONE,
    },
    isTask ? TASKS : { tools: {} },
  );
}

function call(host: InputHost): Promise<string> {
  return host.t.host.callTool({ server: 'a', tool: 'work', args: { n: 1 }, route: 'command' }).then(
    ({ modelText }) => modelText,
    (error: unknown) => (isHostError(error) ? `${error.code}: ${error.message}` : String(error)),
  );
}

async function visit(host: InputHost): Promise<void> {
  await settle();
  host.person.pages.at(-1)?.answer.resolve('accept');
  await settle();
  host.t.server.say({ jsonrpc: '2.0', method: 'notifications/elicitation/complete', params: { elicitationId: 'e1' } });
  await settle();
}

const calls = (host: InputHost): number =>
  host.t.server.messages.filter(({ method }) => method === 'tools/call').length;

suite('A call that needs a page', () => {
  teardown(closeAll);

  test('is made once more after the visit, also by what stands between it and the server', async () => {
    const lone = await answering([needsPage, () => DONE]);
    const asTask = await answering([needsPage, () => ({ task: TASK })], true);
    const seen: string[] = [];
    for (const host of [lone, asTask]) {
      const over = call(host);
      await visit(host);
      await host.t.clock.advance(5_000);
      seen.push(`${await over}, ${calls(host)} calls, ${host.person.pages.length} page`);
    }
    assert.deepEqual(seen, ['done, 2 calls, 1 page', 'done, 2 calls, 1 page']);
  });

  test('and then needs it again fails, so that the user is not sent in circles', async () => {
    for (const isTask of [false, true]) {
      const host = await answering([needsPage], isTask);
      const over = call(host);
      await visit(host);
      assert.equal(await over, 'REMOTE_ERROR: A page must be visited');
      assert.deepEqual([calls(host), host.person.pages.length], [2, 1]);
    }
  });

  test('fails at once where the error names no page, too many, or something else', async () => {
    const failures = [
      () => failWith(-32042, 'No page', {}),
      () => needsPage(Array.from({ length: 6 }, () => PAGE)),
      () => failWith(-32000, 'Another failure', { elicitations: [PAGE] }),
    ];
    const seen: string[] = [];
    for (const failure of failures) {
      const host = await answering([failure]);
      seen.push(`${await call(host)} (${calls(host)})`);
    }
    assert.deepEqual(seen, [
      'REMOTE_ERROR: No page (1)',
      'REMOTE_ERROR: A page must be visited (1)',
      'REMOTE_ERROR: Another failure (1)',
    ]);
  });

  test('whose second try fails in another way says how', async () => {
    const host = await answering([needsPage, () => failWith(-32602, 'Gone meanwhile')]);
    const over = call(host);
    await visit(host);
    assert.equal(await over, 'REMOTE_ERROR: Gone meanwhile');
  });
});
