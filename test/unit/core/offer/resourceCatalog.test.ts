import assert from 'node:assert/strict';
import { CancellationSource } from '../../../../src/core/base/cancellation.ts';
import type { Disposable } from '../../../../src/core/base/disposable.ts';
import { isHostError } from '../../../../src/core/base/errors.ts';
import type { Json, JsonObject } from '../../../../src/core/base/json.ts';
import { ResourceCatalog } from '../../../../src/core/offer/resourceCatalog.ts';
import { FakeClock, settle } from '../../../support/fakeClock.ts';
import { failWith, NO_ANSWER, ScriptedServer } from '../../../support/scriptedServer.ts';
import { connect, type Connected, type ConnectionOptions } from '../session/connection.ts';

const READING = { timeoutMs: 10_000 };
const SUBSCRIBABLE = { resources: { subscribe: true, listChanged: true } };

class Setting {
  readonly clock = new FakeClock();
  readonly told: string[] = [];
  readonly logs: string[] = [];
  readonly catalog = new ResourceCatalog({
    clock: this.clock,
    log: { log: (level, message) => this.logs.push(`${level}: ${message}`) },
    listTimeoutMs: () => 30_000,
    requestTimeoutMs: () => 10_000,
    setOffOf: () => undefined,
    isSetOn: () => true,
    onResources: (resources) => this.told.push(`resources ${resources.map(({ uri }) => uri).join(' ')}`),
    onTemplates: (templates) =>
      this.told.push(`templates ${templates.map(({ uriTemplate }) => uriTemplate).join(' ')}`),
    onFailed: (list, error) => this.told.push(`${list} failed: ${error.message}`),
  });

  connect(server: ScriptedServer, options: ConnectionOptions = {}): Promise<Connected> {
    return connect([this.catalog], { capabilities: SUBSCRIBABLE, clock: this.clock, server, ...options });
  }

  /** Subscribes to a resource, and records the changes. */
  subscribe(uri: string, name = ''): Disposable & { readonly agreed: Promise<void> } {
    return this.catalog.subscribe(uri, (changed) => this.told.push(`${name}changed ${changed}`));
  }
}

function files(): ScriptedServer {
  return new ScriptedServer({
    'resources/list': () => ({ resources: [{ uri: 'mem://a', name: 'a' }] }),
    'resources/templates/list': () => ({ resourceTemplates: [{ uriTemplate: 'mem://{x}', name: 't' }] }),
    'resources/subscribe': () => ({}),
    'resources/unsubscribe': () => ({}),
  });
}

/** The session's subscription requests, in short. */
function asked(lines: readonly string[]): readonly string[] {
  return lines.filter((line) => line.includes('subscribe')).map((line) => line.replace(/^resources\//, ''));
}

function updated(server: ScriptedServer, uri: Json): void {
  server.notify('notifications/resources/updated', { uri });
}

suite('Resources', () => {
  test('and templates are two lists, each read to its end, and read again together when the server says so', async () => {
    const s = new Setting();
    const c = await s.connect(
      new ScriptedServer({
        'resources/list': ({ cursor }) =>
          cursor === undefined
            ? { resources: [{ uri: 'mem://a' }], nextCursor: '2' }
            : { resources: [{ uri: 'mem://b' }] },
        'resources/templates/list': () => ({ resourceTemplates: [{ uriTemplate: 'mem://{x}' }] }),
      }),
    );
    c.server.notify('notifications/resources/list_changed');
    c.server.notify('notifications/resources/list_changed');
    await s.clock.advance(500);
    const [resources, templates] = ['resources mem://a mem://b', 'templates mem://{x}'];
    assert.deepEqual(s.told.toSorted(), [resources, resources, templates, templates]);
    assert.deepEqual([(await s.catalog.fresh()).length, (await s.catalog.freshTemplates()).length], [2, 1]);
    c.dispose();
  });

  test('are not asked for where the server has none, and a server that knows no templates has none of those', async () => {
    const none = new Setting();
    const without = await none.connect(files(), { capabilities: { tools: {} } });
    await assert.rejects(none.catalog.read('mem://a', READING), (error) => isHostError(error, 'CAPABILITY_MISSING'));
    assert.deepEqual([none.told, without.heard()], [['resources ', 'templates '], []]);
    without.dispose();

    const s = new Setting();
    const c = await s.connect(new ScriptedServer({ 'resources/list': () => ({ resources: [] }) }));
    assert.deepEqual([s.told.toSorted(), s.logs], [['resources ', 'templates '], []]);
    c.dispose();

    const dialect = new Setting();
    const d = await dialect.connect(files(), { handshake: { isDialect: true } });
    assert.deepEqual(dialect.told.toSorted(), ['resources mem://a', 'templates ']);
    d.dispose();
  });

  test('of which one list fails report that list alone', async () => {
    const s = new Setting();
    const c = await s.connect(files().on('resources/list', () => failWith(-32603, 'broken')));
    assert.deepEqual(s.told.toSorted(), ['resources failed: broken', 'templates mem://{x}']);
    c.dispose();
  });
});

suite('A resource', () => {
  const read = async (result: Json): Promise<JsonObject> => {
    const s = new Setting();
    const c = await s.connect(files().on('resources/read', () => result));
    try {
      const { contents } = await s.catalog.read('mem://x', READING);
      assert.equal(c.heard().at(-1), 'resources/read {"uri":"mem://x"}');
      return { contents: contents as unknown as Json, logs: s.logs };
    } finally {
      c.dispose();
    }
  };

  test('is text or bytes or several of them, with or without a type, and without its own name is the one asked for', async () => {
    const contents = [
      { uri: 'mem://x/1', mimeType: 'text/plain', text: 'Ü' },
      { uri: 'mem://x/2', blob: 'AAEC' },
      { text: '' },
      { uri: 'mem://odd' },
    ];
    assert.deepEqual(await read({ contents }), {
      contents: [
        { kind: 'text', uri: 'mem://x/1', mimeType: 'text/plain', text: 'Ü' },
        { kind: 'blob', uri: 'mem://x/2', mimeType: undefined, blob: 'AAEC' },
        { kind: 'text', uri: 'mem://x', mimeType: undefined, text: '' },
      ],
      logs: ['warn: Left out of mem://x: 1 of 4 contents, which hold neither text nor data.'],
    });
    assert.deepEqual(await read({ contents: [] }), { contents: [], logs: [] });
    await assert.rejects(read({ content: [] }), (error) => isHostError(error, 'INVALID_MESSAGE'));
  });

  test('that is not there is unknown, by either of the codes that servers have for it', async () => {
    for (const code of [-32002, -32602])
      await assert.rejects(read(failWith(code, 'nope', { uri: 'mem://x' }) as unknown as Json), (error) => {
        assert.ok(isHostError(error, 'UNKNOWN_RESOURCE'));
        assert.deepEqual(
          [error.message, error.rpcCode, error.data],
          ['The server has no resource mem://x: nope', code, { uri: 'mem://x' }],
        );
        return true;
      });
    await assert.rejects(read(failWith(-32603, 'disk') as unknown as Json), (error) =>
      isHostError(error, 'REMOTE_ERROR'),
    );
  });

  test('cannot be read from a server that does not run, and reading can be cancelled', async () => {
    const s = new Setting();
    await assert.rejects(s.catalog.read('mem://x', READING), (error) => isHostError(error, 'SERVER_NOT_RUNNING'));
    const c = await s.connect(files().on('resources/read', () => NO_ANSWER));
    const source = new CancellationSource();
    const given = assert.rejects(s.catalog.read('mem://x', { ...READING, token: source.token }), (error) =>
      isHostError(error, 'CANCELLED'),
    );
    await settle();
    source.cancel();
    await given;
    await settle();
    assert.match(c.heard().at(-1) ?? '', /^notifications\/cancelled/);
    c.dispose();
  });
});

suite('A subscription', () => {
  test('is sent once for each resource, for any number of listeners, and removed after the last one', async () => {
    const s = new Setting();
    const c = await s.connect(files());
    const [one, two, other] = [
      s.subscribe('mem://a', '1 '),
      s.subscribe('mem://a', '2 '),
      s.subscribe('mem://b', '3 '),
    ];
    await Promise.all([one.agreed, two.agreed, other.agreed]);
    assert.deepEqual(asked(c.heard()), ['subscribe {"uri":"mem://a"}', 'subscribe {"uri":"mem://b"}']);
    s.told.length = 0;
    updated(c.server, 'mem://a');
    await settle();
    one.dispose();
    one.dispose();
    updated(c.server, 'mem://a');
    await settle();
    assert.deepEqual(asked(c.heard()), []);
    two.dispose();
    updated(c.server, 'mem://a');
    await settle();
    assert.deepEqual(asked(c.heard()), ['unsubscribe {"uri":"mem://a"}']);
    assert.deepEqual(s.told, ['1 changed mem://a', '2 changed mem://a', '2 changed mem://a']);
    other.dispose();
    c.dispose();
  });

  test('gets changes below its resource and with an extra slash, and no others', async () => {
    const s = new Setting();
    const c = await s.connect(files());
    const listening = [s.subscribe('mem://a', '1 '), s.subscribe('mem://b/', '2 ')];
    s.told.length = 0;
    for (const uri of ['mem://a/', 'mem://a/x', 'mem://ab', 'mem://b', 'mem://b/c', 'mem://', 7, null])
      updated(c.server, uri);
    await settle();
    assert.deepEqual(s.told, ['1 changed mem://a/', '1 changed mem://a/x', '2 changed mem://b', '2 changed mem://b/c']);
    for (const one of listening) one.dispose();
    c.dispose();
  });

  test('is sent again after a restart and when the server forgot, and waits without a server', async () => {
    const s = new Setting();
    const waiting = s.subscribe('mem://a');
    const first = await s.connect(files());
    await waiting.agreed;
    assert.deepEqual(asked(first.heard()), ['subscribe {"uri":"mem://a"}']);
    first.renew();
    await settle();
    assert.deepEqual(asked(first.heard()), ['subscribe {"uri":"mem://a"}']);
    first.dispose();
    const second = await s.connect(files());
    assert.deepEqual(asked(second.heard()), ['subscribe {"uri":"mem://a"}']);
    second.dispose();
    waiting.dispose();
    const third = await s.connect(files());
    assert.deepEqual(asked(third.heard()), []);
    third.dispose();
  });

  test('that ends and starts again while the server is asked has the last requested state', async () => {
    const s = new Setting();
    const held: (string | number)[] = [];
    const c = await s.connect(
      files().on('resources/subscribe', (_, id) => {
        held.push(id);
        return NO_ANSWER;
      }),
    );
    const one = s.subscribe('mem://a');
    await settle();
    const given = assert.rejects(one.agreed, (error) => isHostError(error, 'CANCELLED'));
    one.dispose();
    await given;
    c.server.answer(held[0] ?? '', {});
    await settle();
    assert.deepEqual(asked(c.heard()), ['subscribe {"uri":"mem://a"}', 'unsubscribe {"uri":"mem://a"}']);

    const two = s.subscribe('mem://a');
    await settle();
    two.dispose();
    const three = s.subscribe('mem://a');
    // The server loses its subscriptions during the request, so its answer counts for the earlier ones.
    c.renew();
    await settle();
    c.server.on('resources/subscribe', () => ({}));
    c.server.answer(held[1] ?? '', {});
    await three.agreed;
    await settle();
    assert.deepEqual(asked(c.heard()), ['subscribe {"uri":"mem://a"}', 'subscribe {"uri":"mem://a"}']);
    three.dispose();
    c.dispose();
  });

  test('that the server does not offer is not sent, and one that it refuses is asked for again by the next who wants it', async () => {
    const s = new Setting();
    const without = await s.connect(files(), { capabilities: { resources: {} } });
    const one = s.subscribe('mem://a');
    await assert.rejects(one.agreed, (error) => isHostError(error, 'CAPABILITY_MISSING'));
    assert.deepEqual(asked(without.heard()), []);
    without.dispose();

    const c = await s.connect(files().on('resources/subscribe', () => failWith(-32603, 'not now')));
    assert.deepEqual(s.logs, ['warn: The server does not announce changes of mem://a: not now']);
    c.server.on('resources/subscribe', () => ({}));
    const two = s.subscribe('mem://a');
    await two.agreed;
    assert.equal(asked(c.heard()).length, 2);
    one.dispose();
    two.dispose();
    await settle();
    c.dispose();
  });

  test('of a listener that throws harms no other, and the end of the connection is no failure in the log', async () => {
    const s = new Setting();
    const c = await s.connect(files());
    const bad = s.catalog.subscribe('mem://a', () => {
      throw new Error('oops');
    });
    const good = s.subscribe('mem://a');
    await good.agreed;
    updated(c.server, 'mem://a');
    await settle();
    assert.equal(s.told.at(-1), 'changed mem://a');
    assert.deepEqual(s.logs.splice(0), ['error: A change of mem://a was not taken: oops']);
    c.server.on('resources/subscribe', () => NO_ANSWER).on('resources/unsubscribe', () => NO_ANSWER);
    bad.dispose();
    good.dispose();
    const open = s.subscribe('mem://b');
    await settle();
    c.dispose();
    await assert.rejects(open.agreed);
    assert.deepEqual(s.logs, []);
    open.dispose();
  });
});
