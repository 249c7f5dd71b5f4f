import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { Deferred } from '../../../src/core/base/async.ts';
import type { Json, JsonObject } from '../../../src/core/index.ts';
import { failWith, tool } from '../../support/scriptedServer.ts';
import { type Case, ID, openCase } from './caseHost.ts';
import type { Responder } from './caseServer.ts';

const CHANGED = 'notifications/tools/list_changed';
/** Longer than the host merges announcements. Later messages do not come. */
const QUIET_MS = 450;

function page(names: readonly string[], nextCursor?: string): JsonObject {
  return { tools: names.map((name) => tool(name)), ...(nextCursor === undefined ? {} : { nextCursor }) };
}

/** Pages by cursor. The first one has the cursor `start`. */
function paged(pages: Readonly<Record<string, Json>>): Responder {
  return ({ params }) =>
    pages[typeof params['cursor'] === 'string' ? params['cursor'] : 'start'] ?? failWith(-32602, 'Invalid cursor');
}

function namesIn({ snapshot }: Case): readonly string[] {
  return snapshot().tools.map(({ tool: { name } }) => name);
}

function cursorsSent({ life }: Case): readonly (Json | undefined)[] {
  return life.sent('tools/list').map(({ params }) => (params as JsonObject)['cursor']);
}

suite('Case: how lists are read', () => {
  let opened: Case;
  teardown(() => opened.close());

  test('pages with opaque cursors, one of them empty, give each item once, and cursors go back byte by byte', async () => {
    const cursors = ['eyJ+/=="\\\u2028 é', '  \t😀\n'];
    const [first = '', second = ''] = cursors;
    opened = await openCase({
      answers: {
        'tools/list': paged({ start: page(['a', 'b'], first), [first]: page([], second), [second]: page(['b', 'c']) }),
      },
    });
    assert.deepEqual(namesIn(opened), ['a', 'b', 'c']);
    assert.deepEqual(cursorsSent(opened), [undefined, first, second]);
    assert.deepEqual(opened.life.sent('tools/list')[0]?.['params'], {});
  });

  test('an empty cursor and one that is null end the list', async () => {
    const ends: readonly Json[] = ['', null];
    for (const nextCursor of ends) {
      opened = await openCase({ answers: { 'tools/list': () => ({ ...page(['a']), nextCursor }) } });
      await opened.life.caughtUp();
      assert.deepEqual([namesIn(opened), cursorsSent(opened)], [['a'], [undefined]]);
      await opened.close();
    }
  });

  test('a cursor that comes again and again ends the list with a warning', async () => {
    opened = await openCase({ answers: { 'tools/list': () => page(['a', 'b'], 'again') } });
    await opened.life.caughtUp();
    assert.deepEqual(
      [namesIn(opened), cursorsSent(opened)],
      [
        ['a', 'b'],
        [undefined, 'again'],
      ],
    );
    assert.ok(opened.log.includes('warn: The list of tools has no end; it was cut after 2 tools.'));
  });

  test('cursors that are always new end at a limit with a warning', async () => {
    let count = 0;
    opened = await openCase({ answers: { 'tools/list': () => page([`t${++count}`], String(count)) } });
    await opened.life.caughtUp();
    assert.equal(namesIn(opened).length, 1_001);
    assert.equal(opened.life.sent('tools/list').length, 1_001);
    assert.ok(opened.log.includes('warn: The list of tools has no end; it was cut after 1001 tools.'));
  });

  test('a cursor that is no longer valid has the list read once more from its beginning', async () => {
    let reading = 0;
    opened = await openCase({
      answers: {
        'tools/list': ({ params }) => {
          if (params['cursor'] === undefined) return page([++reading === 1 ? 'gone' : 'a'], `of ${reading}`);
          return params['cursor'] === 'of 2' ? page(['b']) : failWith(-32602, 'Invalid cursor');
        },
      },
    });
    assert.deepEqual(namesIn(opened), ['a', 'b']);
    assert.deepEqual(cursorsSent(opened), [undefined, 'of 1', undefined, 'of 2']);
  });

  test('cursors that are never valid are not followed forever', async () => {
    opened = await openCase({ answers: { 'tools/list': paged({ start: page(['a'], 'bad') }) } });
    await opened.life.caughtUp();
    assert.deepEqual(cursorsSent(opened), [undefined, 'bad', undefined, 'bad']);
    const { listing } = opened.snapshot();
    assert.ok(listing.kind === 'failed');
    assert.deepEqual([listing.error.code, listing.error.rpcCode], ['REMOTE_ERROR', -32602]);
    assert.ok(opened.log.includes('error: The list of tools could not be read: Invalid cursor'));
  });
});

suite('Case: how lists change', () => {
  let opened: Case;
  teardown(() => opened.close());

  /** In one write, so that they arrive together on a busy machine too. */
  const burst = (): Promise<void> => opened.life.say(...Array<JsonObject>(5).fill({ jsonrpc: '2.0', method: CHANGED }));

  test('five announcements while the list is being read and five at rest cause one reading each', async () => {
    const gate = new Deferred<void>();
    let version = 0;
    opened = await openCase({
      start: false,
      answers: {
        'tools/list': async () => {
          const own = ++version;
          if (own === 1) await gate.promise;
          return page([`v${own}`]);
        },
      },
    });
    const told: string[] = [];
    const listening = opened.host.onDidChangeServer(({ what }) => {
      if (what === 'tools') told.push(namesIn(opened).join());
    });
    await opened.host.start(ID);
    await opened.life.until('tools/list');
    await burst();
    gate.resolve();
    await opened.until('the second reading', () => namesIn(opened).join() === 'v2');
    await burst();
    await opened.until('the third reading', () => namesIn(opened).join() === 'v3');
    await delay(QUIET_MS);
    assert.equal(opened.life.sent('tools/list').length, 3);
    assert.deepEqual(told, ['v1', 'v2', 'v3']);
    listening.dispose();
  });

  test('a tool that came with a change can be called', async () => {
    let names = ['old'];
    opened = await openCase({
      answers: {
        'tools/list': () => page(names),
        'tools/call': ({ params }) => ({ content: [{ type: 'text', text: String(params['name']) }] }),
      },
    });
    names = ['old', 'new'];
    await opened.life.notify(CHANGED);
    await opened.until('the new tool', () => namesIn(opened).includes('new'));
    assert.equal((await opened.call('new')).modelText, 'new');
  });

  test('announcements that the server did not declare do no harm', async () => {
    let names = ['a'];
    opened = await openCase({ capabilities: { tools: {} }, answers: { 'tools/list': () => page(names) } });
    names = ['a', 'b'];
    for (const list of ['tools', 'prompts', 'resources'])
      await opened.life.notify(`notifications/${list}/list_changed`);
    await opened.life.notify('notifications/resources/updated', { uri: 'mem://nobody' });
    // A server can announce changes without having declared them.
    await opened.until('the new tool', () => namesIn(opened).includes('b'));
    await delay(QUIET_MS);
    await opened.life.caughtUp();
    assert.deepEqual(
      opened.life.heard.map(({ message }) => message['method']),
      ['initialize', 'notifications/initialized', 'tools/list', 'tools/list'],
    );
    assert.equal(opened.snapshot().state.kind, 'running');
  });
});
