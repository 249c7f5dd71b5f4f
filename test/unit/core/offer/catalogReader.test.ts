import assert from 'node:assert/strict';
import { CancellationSource } from '../../../../src/core/base/cancellation.ts';
import { isHostError } from '../../../../src/core/base/errors.ts';
import type { Json, JsonObject } from '../../../../src/core/base/json.ts';
import { ToolCatalog } from '../../../../src/core/offer/toolCatalog.ts';
import { FakeClock, settle } from '../../../support/fakeClock.ts';
import { failWith, NO_ANSWER, ScriptedServer, tool } from '../../../support/scriptedServer.ts';
import { connect, type Connected, type ConnectionOptions } from '../session/connection.ts';

type Responder = Parameters<ScriptedServer['on']>[1];

interface Setting extends Connected {
  readonly catalog: ToolCatalog;
  /** The catalog's reports, in order. */
  readonly told: readonly string[];
  /** Requests for the list since the last call. */
  lists(): readonly string[];
}

const TOOLS = { tools: {} };

async function listing(respond: Responder, options: ConnectionOptions = {}): Promise<Setting> {
  const clock = options.clock ?? new FakeClock();
  const told: string[] = [];
  const logs: string[] = [];
  const catalog = new ToolCatalog({
    clock,
    log: { log: (level, message) => logs.push(`${level}: ${message}`) },
    listTimeoutMs: () => 30_000,
    onTools: (tools) => told.push(tools.map(({ name }) => name).join(' ')),
    onFailed: (error) => told.push(`${error.code}: ${error.message}`),
  });
  const server = options.server ?? new ScriptedServer();
  server.on('tools/list', respond);
  const c = await connect([catalog], { capabilities: TOOLS, ...options, clock, server });
  return { ...c, logs, catalog, told, lists: () => c.heard().filter((line) => line.startsWith('tools/list')) };
}

function pages(by: Readonly<Record<string, Json>>): Responder {
  return ({ cursor }) => by[typeof cursor === 'string' ? cursor : ''] ?? failWith(-32602, 'no such page');
}

function page(names: string, nextCursor?: Json, extra: JsonObject = {}): JsonObject {
  const tools = names.split(' ').filter((name) => name !== '');
  return { tools: tools.map((name) => tool(name)), ...(nextCursor === undefined ? {} : { nextCursor }), ...extra };
}

const five = (server: ScriptedServer): void => {
  for (let i = 0; i < 5; i++) server.notify('notifications/tools/list_changed');
};

suite('A list in pages', () => {
  test('is read to its end: cursors byte by byte, empty pages, each item once and as it came last', async () => {
    const s = await listing(
      pages({
        '': page('a b', '\u0000Ü/+1== \n'),
        '\u0000Ü/+1== \n': page('', '0'),
        '0': page('b c', '{"x":[1]}'),
        '{"x":[1]}': page('d', ''),
      }),
    );
    assert.deepEqual(s.told, ['a b c d']);
    assert.deepEqual(s.lists(), [
      'tools/list {}',
      'tools/list {"cursor":"\\u0000Ü/+1== \\n"}',
      'tools/list {"cursor":"0"}',
      'tools/list {"cursor":"{\\"x\\":[1]}"}',
    ]);
    s.dispose();
  });

  test('whose next cursor is no text ends there', async () => {
    for (const cursor of [null, 7, {}, '']) {
      const s = await listing(() => page('a', cursor));
      assert.deepEqual([s.told, s.lists().length], [['a'], 1]);
      s.dispose();
    }
  });

  test('that leads in a circle is cut where the circle closes, with a remark', async () => {
    const s = await listing(({ cursor }) => page(String(cursor), cursor === 'one' ? 'two' : 'one'));
    assert.deepEqual(s.told, ['undefined one two']);
    assert.equal(s.lists().length, 3);
    assert.deepEqual(s.logs, ['warn: The list of tools has no end; it was cut after 3 tools.']);
    s.dispose();
  });

  test('that never ends is cut after a thousand pages, or when it is too long', async () => {
    let count = 0;
    const endless = await listing(() => page('same', String(++count)));
    await endless.clock.advance(0);
    for (let turn = 0; turn < 500 && endless.told.length === 0; turn++) await settle();
    assert.deepEqual([endless.told, endless.lists().length], [['same'], 1_001]);
    endless.dispose();

    const names = (at: number): string => Array.from({ length: 4_000 }, (_, i) => `t${at}-${i}`).join(' ');
    let at = 0;
    const many = await listing(() => page(names(++at), String(at)));
    await many.clock.advance(0);
    assert.deepEqual(many.logs, ['warn: The list of tools has no end; it was cut after 20000 tools.']);
    many.dispose();
  });

  test('yields after a page of thousands, before it notifies listeners', async () => {
    const names = Array.from({ length: 1_001 }, (_, i) => `t${i}`).join(' ');
    const s = await listing(() => page(names));
    assert.equal(s.told.length, 0);
    await s.clock.advance(0);
    assert.deepEqual(s.told, [names]);
    s.dispose();
  });

  test('is started again when a later page is refused, and its pages are discarded', async () => {
    let firsts = 0;
    const s = await listing(({ cursor }) => {
      if (cursor === undefined) return page(`a${++firsts}`, `next${firsts}`);
      return cursor === 'next1' ? failWith(-32602, 'Invalid cursor') : page('b');
    });
    assert.deepEqual(s.told, ['a2 b']);
    s.dispose();
  });

  test('is not started again forever, nor when the first page is refused or the reason is another', async () => {
    for (const [respond, requests] of [
      [pages({ '': page('a', 'gone') }), 4],
      [pages({}), 1],
      [() => failWith(-32601, 'Method not found'), 1],
      [pages({ '': page('a', 'x'), x: failWith(-32603, 'broken') as unknown as Json }), 2],
    ] as const) {
      const s = await listing(respond);
      assert.equal(s.told.length, 1);
      assert.match(s.told[0] ?? '', /^REMOTE_ERROR/);
      assert.equal(s.lists().length, requests);
      s.dispose();
    }
  });

  test('is not asked for where the server did not declare it, whatever the server announces', async () => {
    const s = await listing(() => page('a'), { capabilities: { resources: {} } });
    five(s.server);
    await s.clock.advance(1_000);
    assert.deepEqual(await s.catalog.reread(), []);
    assert.deepEqual([s.told, s.heard()], [[''], []]);
    s.dispose();
  });
});

suite('A list that changes', () => {
  test('is read once more for a burst, and once more for a burst that comes while it is read', async () => {
    let version = 1;
    const s = await listing(() => page(`v${version}`));
    version = 2;
    five(s.server);
    await s.clock.advance(199);
    assert.equal(s.lists().length, 1);
    await s.clock.advance(1);
    assert.equal(s.lists().length, 1);

    const held: (string | number)[] = [];
    s.server.on('tools/list', (_, id) => {
      held.push(id);
      return NO_ANSWER;
    });
    five(s.server);
    await s.clock.advance(200);
    five(s.server);
    await s.clock.advance(1_000);
    assert.equal(held.length, 1);
    s.server.on('tools/list', () => page('v4'));
    s.server.answer(held[0] ?? '', page('v3'));
    await s.clock.advance(1_000);
    assert.deepEqual(s.told, ['v1', 'v2', 'v3', 'v4']);
    assert.equal(s.lists().length, 2);
    s.dispose();
  });

  test('while it is first read is read once more, and one that never rests is read five times a second at most', async () => {
    const server = new ScriptedServer();
    let readings = 0;
    const s = await listing(
      () => {
        five(server);
        return page(`r${++readings}`);
      },
      { server },
    );
    await s.clock.advance(1_000);
    assert.deepEqual(s.told, ['r1', 'r2', 'r3', 'r4', 'r5', 'r6']);
    s.dispose();
    assert.equal(s.clock.waiting, 0);
  });

  test('is read again when the server forgot its session', async () => {
    let version = 1;
    const s = await listing(() => page(`v${version}`));
    version = 2;
    s.renew();
    await s.clock.advance(200);
    assert.deepEqual(s.told, ['v1', 'v2']);
    s.dispose();
  });

  test('is neither read nor reported after the end of its connection', async () => {
    const s = await listing(() => NO_ANSWER);
    const wanted = assert.rejects(s.catalog.fresh(), (error) => isHostError(error, 'CANCELLED', 'CONNECTION_CLOSED'));
    five(s.server);
    await settle();
    s.dispose();
    await wanted;
    await assert.rejects(s.catalog.fresh(), (error) => isHostError(error, 'SERVER_NOT_RUNNING'));
    await s.clock.advance(60_000);
    assert.deepEqual([s.told, s.logs, s.clock.waiting], [[], [], 0]);
  });

  test('is not reported after the end of its connection, even if the answer had arrived', async () => {
    for (let turns = 0; turns < 12; turns++) {
      const held: (string | number)[] = [];
      const s = await listing((_, id) => {
        held.push(id);
        return NO_ANSWER;
      });
      s.server.answer(held[0] ?? '', page('a'));
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      const before = s.told.length;
      s.dispose();
      await settle();
      assert.equal(s.told.length, before);
    }
  });
});

suite('A list that is needed now', () => {
  const modern: ConnectionOptions = { handshake: { era: 'modern', protocolVersion: '2026-07-28' } };

  test('is the cached one if a server announces changes, however old it is', async () => {
    const s = await listing(() => page('a', undefined, { ttlMs: 0 }));
    await s.clock.advance(10_000_000);
    assert.deepEqual(
      (await s.catalog.fresh()).map(({ name }) => name),
      ['a'],
    );
    assert.equal(s.lists().length, 1);
    s.dispose();
  });

  test('of a stateless server is read again when it is older than the first of its pages may be, and only on demand', async () => {
    const s = await listing(
      pages({ '': page('a', 'x', { ttlMs: 5_000 }), x: page('b', undefined, { ttlMs: 1_000 }) }),
      modern,
    );
    await s.clock.advance(999);
    await s.catalog.fresh();
    assert.equal(s.lists().length, 2);
    await s.clock.advance(1);
    assert.deepEqual(s.lists(), []);
    await Promise.all([s.catalog.fresh(), s.catalog.fresh()]);
    assert.equal(s.lists().length, 2);
    s.dispose();
  });

  test('is read each time where the server does not say how long it is good', async () => {
    const s = await listing(() => page('a'), modern);
    await s.catalog.fresh();
    await s.catalog.fresh();
    assert.equal(s.lists().length, 3);
    s.dispose();
  });

  test('is not older than the last announced change, and is read at once', async () => {
    let version = 1;
    const s = await listing(() => page(`v${version}`, undefined, { ttlMs: 60_000 }), modern);
    version = 2;
    five(s.server);
    await settle();
    const [fresh] = await s.catalog.fresh();
    assert.equal(fresh?.name, 'v2');
    await s.clock.advance(1_000);
    assert.equal(s.lists().length, 2);
    s.dispose();
  });

  test('is waited for while it is read, and read again if it changed meanwhile', async () => {
    const held: (string | number)[] = [];
    const s = await listing((_, id) => {
      held.push(id);
      return NO_ANSWER;
    });
    const plain = s.catalog.fresh();
    s.server.answer(held[0] ?? '', page('v1'));
    assert.equal((await plain)[0]?.name, 'v1');

    const again = s.catalog.reread();
    await settle();
    five(s.server);
    await settle();
    const late = s.catalog.fresh();
    s.server.on('tools/list', () => page('v3'));
    s.server.answer(held[1] ?? '', page('v2'));
    assert.equal((await late)[0]?.name, 'v3');
    await again;
    assert.deepEqual(s.told, ['v1', 'v2', 'v3']);
    s.dispose();
  });

  test('and cannot be had is a failure for each who asked, once in the log, and is tried again', async () => {
    const s = await listing(() => failWith(-32000, 'busy'));
    await assert.rejects(s.catalog.fresh(), /busy/);
    s.server.on('tools/list', () => page('a'));
    assert.equal((await s.catalog.fresh()).length, 1);
    assert.deepEqual(s.told, ['REMOTE_ERROR: busy', 'REMOTE_ERROR: busy', 'a']);
    s.dispose();
  });

  test('can be given up by one who waits without harm to the others', async () => {
    const held: (string | number)[] = [];
    const s = await listing((_, id) => {
      held.push(id);
      return NO_ANSWER;
    });
    const source = new CancellationSource();
    const given = assert.rejects(s.catalog.fresh(source.token), (error) => isHostError(error, 'CANCELLED'));
    const kept = s.catalog.fresh();
    source.cancel();
    await given;
    s.server.answer(held[0] ?? '', page('a'));
    assert.equal((await kept).length, 1);
    s.dispose();
  });
});

suite('A list whose change the server names', () => {
  const change = (added: readonly string[], removed: readonly string[] = []): JsonObject => ({
    added: added.map((name) => tool(name)),
    removed: [...removed],
  });
  /** A list that can be read once, and then fails like this. */
  const once = (failure: ReturnType<Responder>): Responder => {
    let reads = 0;
    return () => (reads++ === 0 ? page('a b') : failure);
  };
  const changed = 'notifications/tools/list_changed';
  let t: Setting;
  teardown(() => t.dispose());

  for (const [what, failure] of [
    ['is refused', failWith(-32603, 'down')],
    ['gives no list', { tools: 'none' }],
  ] as const)
    test(`is taken as named where reading it again ${what}`, async () => {
      t = await listing(once(failure));
      t.server.notify(changed, change(['c'], ['a']));
      t.server.notify(changed, change(['a', 'd'], ['c', 'unknown']));
      await settle();
      await t.clock.advance(200);
      assert.deepEqual(t.told, ['a b', 'b a d']);
      assert.deepEqual(
        [...(await t.catalog.fresh())].map(({ name }) => name),
        ['b', 'a', 'd'],
      );
      assert.equal(t.lists().length, 2, 'a call does not wait for a list that fails');
      assert.match(
        t.logs.join(),
        /^warn: The list of tools could not be read: .* The changes that the server named are applied\.$/,
      );
    });

  test('is taken as named where reading it again takes too long', async () => {
    t = await listing(once(NO_ANSWER));
    t.server.notify(changed, change(['c']));
    await settle();
    await t.clock.advance(200);
    await t.clock.advance(300_000);
    assert.deepEqual(t.told, ['a b', 'a b c']);
  });

  test('is taken as named where the list could never be read', async () => {
    t = await listing(() => failWith(-32601, 'no such method'));
    t.server.notify(changed, change(['c']));
    await settle();
    await t.clock.advance(200);
    assert.deepEqual(t.told, ['REMOTE_ERROR: no such method', 'c']);
  });

  test('is as it is read, whatever the server named', async () => {
    t = await listing(() => page('a b'));
    t.server.notify(changed, change(['c'], ['a']));
    await settle();
    await t.clock.advance(200);
    assert.deepEqual(t.told, ['a b', 'a b']);
  });

  test('fails as before where the server names nothing', async () => {
    t = await listing(once(failWith(-32603, 'down')));
    t.server.notify(changed, change(['c']));
    await settle();
    await t.clock.advance(200);
    t.server.notify(changed);
    await settle();
    await t.clock.advance(200);
    assert.deepEqual(t.told, ['a b', 'a b c', 'REMOTE_ERROR: down']);
  });
});
