import assert from 'node:assert/strict';
import type { CancellationToken } from '../../../../src/core/base/cancellation.ts';
import { isHostError } from '../../../../src/core/base/errors.ts';
import type { JsonObject } from '../../../../src/core/base/json.ts';
import { settle } from '../../../support/fakeClock.ts';
import { failWith, tool } from '../../../support/scriptedServer.ts';
import { closeAll, type InputHost, legacy, modern } from '../inputs/inputHost.ts';

const FORM = { message: 'Name?', requestedSchema: { type: 'object', properties: { name: { type: 'string' } } } };
const PAGE = { mode: 'url', message: 'Connect', url: 'https://example.com/connect', elicitationId: 'e1' };
const LISTED = { 'tools/list': () => ({ tools: [tool('work')], ttlMs: 0, cacheScope: 'private' }) };

function task(inputRequests: JsonObject): JsonObject {
  return {
    taskId: 't1',
    status: 'input_required',
    createdAt: 'x',
    lastUpdatedAt: 'x',
    ttlMs: null,
    pollIntervalMs: 500,
    inputRequests,
  };
}

/** The questions of a call before its result, with the tokens of the user's prompts. */
const ASKING: Readonly<Record<string, () => Promise<{ host: InputHost; token(): CancellationToken | undefined }>>> = {
  'a question in a stateless round': async () => {
    const required = {
      resultType: 'input_required',
      inputRequests: { q: { method: 'elicitation/create', params: FORM } },
    };
    const host = await modern({ ...LISTED, 'tools/call': () => required });
    return { host, token: () => host.person.forms[0]?.token };
  },
  'a question of a task': async () => {
    const asked = task({ q: { method: 'elicitation/create', params: FORM } });
    const host = await modern({
      ...LISTED,
      'tools/call': () => ({ resultType: 'task', ...asked }),
      'tasks/get': () => asked,
    });
    return { host, token: () => host.person.forms[0]?.token };
  },
  'a page that must be visited first': async () => {
    const needed = failWith(-32042, 'A page must be visited', { elicitations: [PAGE] });
    const host = await legacy('2025-11-25', {
      'tools/list': () => ({ tools: [tool('work')] }),
      'tools/call': () => needed,
    });
    return { host, token: () => host.person.pages[0]?.token };
  },
};

suite('Stopping a server withdraws', () => {
  teardown(closeAll);

  for (const [what, begin] of Object.entries(ASKING))
    test(what, async () => {
      const { host, token } = await begin();
      const over = host.t.host.callTool({ server: 'a', tool: 'work', args: {}, route: 'command' }).then(
        () => 'a result',
        (error: unknown) => (isHostError(error) ? error.code : String(error)),
      );
      await settle();
      await host.t.clock.advance(1_000);
      assert.equal(token()?.isCancellationRequested, false);
      const sent = host.t.server.messages.length;
      const stopping = host.t.host.stop('a');
      assert.equal(token()?.isCancellationRequested, true);
      await host.t.clock.advance(5_000);
      await stopping;
      assert.match(await over, /^(CANCELLED|CONNECTION_CLOSED|NOT_APPROVED)$/);
      const after = host.t.server.messages.slice(sent).map(({ method }) => method);
      assert.deepEqual(
        after.filter((method) => method !== 'notifications/cancelled' && method !== 'tasks/cancel'),
        [],
      );
    });
});
