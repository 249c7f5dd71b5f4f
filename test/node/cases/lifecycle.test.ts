import assert from 'node:assert/strict';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CLIENT } from '../../../src/cli/version.ts';
import { Deferred } from '../../../src/core/base/async.ts';
import { isAlive, waitUntil } from '../../support/processes.ts';
import { failWith, NO_ANSWER, tool } from '../../support/scriptedServer.ts';
import { type Case, ID, openCase } from './caseHost.ts';
import { type CaseLife, initializeAnswer } from './caseServer.ts';

const OLDEST = { version: '2024-11-05', capabilities: {} };
const ANSWERED = '{"protocolVersion":"2024-11-05","capabilities":{},"serverInfo":{"name":"case","version":"1.0.0"}}';
/** As `brief` shows it. */
const FIRST = '> 1 initialize 2025-11-25';

/** Lines in which `initialize` shows only the revision. */
function brief(lines: readonly string[]): readonly string[] {
  return lines.map((line) => line.replace(/ initialize \{"protocolVersion":"([^"]+)".*/, ' initialize $1'));
}

function called(text: string): { readonly content: readonly { readonly type: string; readonly text: string }[] } {
  return { content: [{ type: 'text', text }] };
}

suite('Case: how a session begins', () => {
  let opened: Case;
  teardown(() => opened.close());

  test('initialize comes first, nothing but the answer to a ping before its result, then initialized once', async () => {
    const gate = new Deferred<void>();
    opened = await openCase({
      start: false,
      capabilities: {},
      host: { sampler: { canUseTools: false, sample: () => Promise.resolve({ kind: 'declined' }) } },
      answers: {
        initialize: async ({ life }) => {
          await life.request('early', 'ping');
          await gate.promise;
          return initializeAnswer(OLDEST);
        },
      },
    });
    const starting = opened.host.start(ID);
    const life = await opened.server.started();
    await life.answer('early');
    await life.caughtUp();
    assert.equal(opened.snapshot().state.kind, 'starting');
    gate.resolve();
    await starting;
    await life.caughtUp();
    assert.deepEqual(brief(life.transcript), [
      FIRST,
      '< "early" ping {}',
      '> "early" {}',
      `< 1 ${ANSWERED}`,
      '> notifications/initialized {}',
    ]);
    const [first] = life.sent('initialize');
    assert.deepEqual(first?.['params'], {
      protocolVersion: '2025-11-25',
      capabilities: {
        elicitation: { form: {}, url: {} },
        sampling: {},
        experimental: {
          mcpl: {
            version: '0.2',
            pushEvents: true,
            contextHooks: { beforeInference: true, afterInference: { blocking: true } },
            inferenceRequest: { streaming: true },
            modelInfo: true,
            featureSets: { enabled: [], disabled: [] },
          },
        },
      },
      clientInfo: CLIENT,
    });
    assert.equal(opened.server.lives.length, 1);
  });

  test('a server of which nothing is known is first asked what it speaks, in the process of the session', async () => {
    opened = await openCase({ entry: { protocol: {} }, capabilities: {}, start: false });
    await opened.host.start(ID);
    await opened.life.caughtUp();
    const [life, ...more] = opened.server.lives;
    assert.deepEqual(more, []);
    assert.deepEqual(
      life?.heard.map(({ message }) => message['method']),
      ['server/discover', 'initialize', 'notifications/initialized'],
    );
    assert.equal(life.transcript[1], '< 1 error {"code":-32601,"message":"There is no server/discover."}');
    assert.equal(opened.snapshot().state.kind, 'running');
  });

  test('a server that answers 2024-11-05 gets that revision: no elicitation, no tasks', async () => {
    const asked: string[] = [];
    opened = await openCase({
      answers: {
        'tools/list': () => ({ tools: [tool('long', { execution: { taskSupport: 'required' } })] }),
        'tools/call': () => called('done'),
      },
      host: {
        elicitor: {
          form: ({ message }) => {
            asked.push(message);
            return Promise.resolve({ kind: 'cancel' });
          },
          url: () => Promise.resolve('cancel'),
          finish: () => Promise.resolve('cancel'),
          finished: () => undefined,
        },
      },
    });
    const { state } = opened.snapshot();
    assert.equal(state.kind === 'running' && state.protocolVersion, '2024-11-05');
    const { life } = opened;
    await life.request('e', 'elicitation/create', { message: 'Name?', requestedSchema: { type: 'object' } });
    assert.deepEqual((await life.answer('e'))['error'], {
      code: -32601,
      message: 'Method not found: elicitation/create',
    });
    assert.deepEqual(asked, []);
    assert.equal((await opened.call('long', { a: 1 })).modelText, 'done');
    const [call] = life.sent('tools/call');
    assert.deepEqual(call?.['params'], { name: 'long', arguments: { a: 1 }, _meta: { progressToken: call?.['id'] } });
    assert.deepEqual(life.sent('tasks/get'), []);
  });

  test('a server that answers an unknown revision is left, and the message names both', async () => {
    opened = await openCase({ version: '1999-01-01', start: false });
    await assert.rejects(opened.host.start(ID), {
      code: 'UNSUPPORTED_VERSION',
      message: 'The server speaks MCP 1999-01-01; this host offered 2025-11-25.',
    });
    assert.equal(opened.snapshot().state.kind, 'failed');
    const { life } = opened;
    await waitUntil('the process is gone', () => !isAlive(life.pid));
    assert.deepEqual(brief(life.hostLines), [FIRST]);
    assert.deepEqual(
      life.events.map(({ event }) => event),
      ['stdin ended'],
    );
  });

  test('a server that refuses the revision and names another is asked once more in that one', async () => {
    opened = await openCase({
      capabilities: {},
      answers: {
        initialize: ({ params }) =>
          params['protocolVersion'] === '2024-11-05'
            ? initializeAnswer(OLDEST)
            : failWith(-32602, 'Unsupported protocol version', { supported: ['2024-11-05'] }),
      },
    });
    await opened.life.caughtUp();
    assert.deepEqual(brief(opened.life.transcript), [
      FIRST,
      '< 1 error {"code":-32602,"message":"Unsupported protocol version","data":{"supported":["2024-11-05"]}}',
      '> 2 initialize 2024-11-05',
      `< 2 ${ANSWERED}`,
      '> notifications/initialized {}',
    ]);
  });

  test('a server that refuses the revision which it named itself is asked no third time', async () => {
    opened = await openCase({
      start: false,
      answers: { initialize: () => failWith(-32602, 'Unsupported protocol version', { supported: ['2024-11-05'] }) },
    });
    await assert.rejects(opened.host.start(ID), {
      code: 'HANDSHAKE_FAILED',
      message: 'The server refused the handshake: Unsupported protocol version',
    });
    assert.deepEqual(brief(opened.life.hostLines), [FIRST, '> 2 initialize 2024-11-05']);
    assert.equal(opened.server.lives.length, 1);
  });

  test('a server that refuses without a word about revisions is asked once more in the short dialect, and then left', async () => {
    opened = await openCase({ start: false, answers: { initialize: () => failWith(-32602, 'No.') } });
    await assert.rejects(opened.host.start(ID), { message: 'The server refused the handshake: No.' });
    assert.deepEqual(brief(opened.life.hostLines), [
      FIRST,
      '> 2 initialize {"mcpVersion":"2025-06-18","clientCapabilities":{"supportsProgress":true,"supportsCancellation":true}}',
    ]);
  });

  test('a server that never answers initialize is ended, and initialize is not cancelled', async () => {
    opened = await openCase({
      start: false,
      entry: { timeouts: { start: 0.5 } },
      answers: { initialize: () => NO_ANSWER },
    });
    await assert.rejects(opened.host.start(ID), {
      code: 'HANDSHAKE_FAILED',
      message: 'The server did not answer "initialize" within 0.5 seconds.',
    });
    const life = await opened.server.started();
    await waitUntil('the process is gone', () => life.isGone && !isAlive(life.pid));
    assert.deepEqual(brief(life.transcript), [FIRST, '* stdin ended']);
    assert.equal(opened.snapshot().state.kind, 'failed');
  });

  test('a server that asks for the roots and pings before initialized is answered', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'a case '));
    opened = await openCase({
      capabilities: {},
      host: { folders: [folder] },
      answers: {
        initialize: async ({ life }) => {
          await life.request('r', 'roots/list');
          await life.request('p', 'ping');
          // Not earlier: the answer must not depend on the end of the handshake.
          assert.deepEqual((await life.answer('p'))['result'], {});
          return initializeAnswer(OLDEST);
        },
      },
    });
    const roots = await opened.life.answer('r');
    assert.deepEqual(roots['result'], { roots: [{ uri: pathToFileURL(folder).href, name: basename(folder) }] });
    await opened.life.caughtUp();
    assert.equal(opened.life.sent('notifications/initialized').length, 1);
    assert.equal(opened.snapshot().state.kind, 'running');
    rmdirSync(folder);
  });

  test('a server that declares no tools, resources or prompts is never asked for them', async () => {
    opened = await openCase({ capabilities: { logging: {} } });
    const { life, host } = opened;
    await host.refresh(ID);
    await assert.rejects(opened.call('anything'), { code: 'UNKNOWN_TOOL' });
    await life.notify('notifications/tools/list_changed');
    await life.caughtUp();
    assert.deepEqual(brief(life.hostLines), [FIRST, '> notifications/initialized {}']);
    assert.deepEqual(opened.snapshot().tools, []);
  });
});

suite('Case: how a session ends', () => {
  let opened: Case;
  teardown(() => opened.close());

  const eventsOf = (life: CaseLife): readonly string[] => life.events.map(({ event }) => event);

  test('a polite server ends with its input, and gets nothing else', async () => {
    opened = await openCase();
    const { life } = opened;
    await opened.host.stop(ID);
    assert.deepEqual([eventsOf(life), isAlive(life.pid)], [['stdin ended'], false]);
    assert.deepEqual(opened.snapshot().state, { kind: 'stopped', reason: 'byUser' });
  });

  test('a server that writes without end is ended all the same', async () => {
    opened = await openCase();
    const { life } = opened;
    const began = Date.now();
    void life.fill(2_000_000_000, { tail: '\n' });
    await opened.host.stop(ID);
    assert.deepEqual([eventsOf(life), isAlive(life.pid)], [['stdin ended'], false]);
    assert.ok(Date.now() - began < 5_000);
  });

  test('a server that ignores the end of its input and SIGTERM is killed, with what it started', async () => {
    opened = await openCase({ ignores: ['stdin end', 'SIGTERM'] });
    const { life } = opened;
    const started = [await life.grandchild(), await life.grandchild(true)];
    assert.deepEqual(started.map(isAlive), [true, true]);
    const began = Date.now();
    await opened.host.stop(ID);
    const [inputEnded, terminated] = life.events;
    assert.deepEqual(eventsOf(life), ['stdin ended', 'SIGTERM']);
    assert.ok(inputEnded !== undefined && terminated !== undefined);
    assert.ok(terminated.at - inputEnded.at >= 1_500, 'There was time to end before the signal.');
    assert.ok(Date.now() - began < 10_000);
    assert.deepEqual([life.pid, ...started].map(isAlive), [false, false, false]);
  });

  test('a server that exits during calls fails each once, comes back, and is subscribed to again', async () => {
    opened = await openCase({
      capabilities: { tools: {}, resources: { subscribe: true } },
      answers: {
        'tools/list': () => ({ tools: [tool('slow')] }),
        'tools/call': () => NO_ANSWER,
        'resources/list': () => ({ resources: [] }),
        'resources/templates/list': () => ({ resourceTemplates: [] }),
        'resources/subscribe': () => ({}),
      },
    });
    const { host } = opened;
    const first = opened.life;
    const watch = host.subscribeResource(ID, 'mem://a', () => undefined);
    await watch.agreed;
    const failures: string[] = [];
    const listening = host.onDidChangeOperation(({ state }) => {
      if (state.kind === 'failed') failures.push(state.error.code);
    });
    const calls = [opened.call('slow'), opened.call('slow')];
    await first.until('tools/call', 2);
    const closed = calls.map((call) => assert.rejects(call, { code: 'CONNECTION_CLOSED' }));
    first.exit(3);
    await Promise.all(closed);
    await opened.until('the server is waited for', () => opened.snapshot().state.kind === 'restarting');
    const { state } = opened.snapshot();
    assert.ok(state.kind === 'restarting');
    assert.deepEqual([state.error.code, state.error.message], ['SERVER_EXITED', 'The server exited with code 3.']);
    const wait = state.at - Date.now();
    assert.ok(wait > 0 && wait <= 1_250, `${wait} ms until the restart`);

    const second = await opened.server.started(2);
    const again = await second.until('resources/subscribe');
    assert.deepEqual(again['params'], { uri: 'mem://a' });
    await opened.until('it runs again', () => opened.snapshot().state.kind === 'running');
    assert.equal(brief(second.hostLines)[0], FIRST);
    assert.deepEqual(failures, ['CONNECTION_CLOSED', 'CONNECTION_CLOSED']);
    assert.deepEqual(second.sent('tools/call'), [], 'What may have happened is not done twice.');
    listening.dispose();
    watch.dispose();
  });
});
