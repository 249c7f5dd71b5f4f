import assert from 'node:assert/strict';
import type { Json, JsonObject } from '../../../../src/core/base/json.ts';
import type { Storage } from '../../../../src/core/ports.ts';
import { memoryStorage } from '../../../../src/node/store/memoryStorage.ts';
import { settle } from '../../../support/fakeClock.ts';
import { failWith, initializeResult, ScriptedServer, tool } from '../../../support/scriptedServer.ts';
import { TestHost } from '../../../support/testHost.ts';

const notes = { description: 'Edits notes.', uses: ['tools'] };
const reads = { description: 'Reads along.', uses: ['contextHooks.beforeInference'] };

interface Setting {
  readonly mcpl: Json;
  readonly tools?: readonly JsonObject[];
  readonly entry?: JsonObject;
  readonly storage?: Storage;
}

async function connected({ mcpl, tools = [], entry = {}, storage }: Setting): Promise<TestHost> {
  const t = new TestHost(storage);
  const capabilities = { tools: {}, experimental: { mcpl } };
  t.connect = () =>
    new ScriptedServer({
      initialize: () => initializeResult({ capabilities }),
      'tools/list': () => ({ tools }),
      'tools/call': () => ({ content: [{ type: 'text', text: 'done' }] }),
      'featureSets/update': () => ({ accepted: true }),
    });
  await t.user({ a: { command: 'x', enabled: true, ...entry } });
  return t;
}

/** The updates of sets that the server got, in order. */
function told(t: TestHost): readonly string[] {
  return t.server.heard.filter((line) => line.startsWith('featureSets/update')).map((line) => line.slice(19));
}

/** Each set as `name state`, with its undeclared uses. */
function sets(t: TestHost): readonly string[] {
  return (t.host.server('a')?.mcpl?.sets ?? []).map(({ set, state, undeclared }) =>
    [set.name, state, ...undeclared].join(' '),
  );
}

const enabled = (...names: readonly string[]): JsonObject => ({ featureSets: { enabled: names } });

suite('A feature set', () => {
  test('is switched on by settings, at once and without a restart', async () => {
    const t = await connected({ mcpl: { version: '0.2', featureSets: { 'memory.read': reads, other: notes } } });
    await t.user({ a: { command: 'x', enabled: true, ...enabled('memory.*') } });
    assert.deepEqual(sets(t), ['memory.read enabled', 'other disabled']);
    assert.deepEqual(told(t), [
      '{"enabled":[],"disabled":["memory.read","other"]}',
      '{"enabled":["memory.read"],"disabled":["other"]}',
    ]);
    assert.equal(t.servers.length, 1);
    await t.host.close();
  });

  test('is announced once, however often the same settings are read', async () => {
    const t = await connected({ mcpl: { version: '0.2', featureSets: { b: notes } }, entry: enabled('b') });
    await t.user({ a: { command: 'x', enabled: true, ...enabled('b'), timeouts: { call: 5 } } });
    assert.deepEqual(told(t), ['{"enabled":["b"],"disabled":[]}']);
    await t.host.close();
  });

  test('that is off takes its tools along: no model is offered them, and the user cannot call them either', async () => {
    const tools = [tool('edit', { _meta: { featureSet: 'b' } }), tool('free', { _meta: { featureSet: 'c' } })];
    const t = await connected({
      mcpl: { version: '0.2', featureSets: { b: notes, c: notes } },
      tools,
      entry: enabled('c'),
    });
    const offered = t.host.server('a')?.tools.map(({ tool: { name }, offered: is, setOff }) => [name, is, setOff]);
    assert.deepEqual(offered, [
      ['edit', false, 'b'],
      ['free', true, undefined],
    ]);
    const request = { server: 'a', tool: 'edit', args: {}, route: 'command' } as const;
    await assert.rejects(t.host.callTool(request), { code: 'FEATURE_SET_OFF' });
    await t.host.callTool({ ...request, tool: 'free' });
    assert.deepEqual(
      t.server.heard.filter((line) => line.startsWith('tools/call')),
      ['tools/call {"name":"free","arguments":{},"_meta":{"progressToken":3}}'],
    );
    const audit = await t.host.audit.list({ limit: 9 });
    assert.deepEqual(
      audit.map(({ operation, featureSet, outcome, detail }) => [operation, featureSet, outcome, detail].join(' | ')),
      [
        'tools/call | c | success | free by command with arguments 44136fa355b3678a',
        'tools/call | b | refused | edit by command with arguments 44136fa355b3678a: The tool "edit" is off with its feature set "b".',
        'featureSets/update |  | success | 1 on, 1 off',
      ],
    );
    await t.host.close();
  });

  test('that is one of several with tools, takes a tool along that names none, until the settings name its set', async () => {
    const tools = [tool('edit'), tool('prefixed', { _meta: { 'mcpl/featureSet': 'b' } }), tool('mine')];
    const mcpl = { version: '0.2', featureSets: { b: notes, c: notes } };
    const entry = { ...enabled('c'), toolFeatureSets: { mine: 'c' } };
    const t = await connected({ mcpl, tools, entry });
    const shown = (): readonly string[] =>
      (t.host.server('a')?.tools ?? []).map(({ tool: { name }, offered, setOff, needs }) =>
        [name, offered ? 'offered' : 'off', setOff, needs?.join('+')].filter((part) => part !== undefined).join(' '),
      );
    assert.deepEqual(shown(), ['edit off b b+c', 'prefixed off b', 'mine offered']);
    for (const route of ['command', 'gateway', 'participant', 'extension'] as const)
      await assert.rejects(t.host.callTool({ server: 'a', tool: 'edit', args: {}, route }), {
        code: 'FEATURE_SET_OFF',
        message: 'The tool "edit" may belong to any of 2 feature sets, and "b" is off.',
      });
    await t.user({ a: { command: 'x', enabled: true, ...enabled('b', 'c') } });
    assert.deepEqual(shown(), ['edit offered', 'prefixed offered', 'mine offered']);
    await t.host.close();
  });

  test('that does not declare tools has none: they are not offered, and a call says why on every route', async () => {
    const tools = [tool('edit', { _meta: { featureSet: 'b' } }), tool('spy', { _meta: { featureSet: 'c' } })];
    const mcpl = { version: '0.4', featureSets: { b: notes, c: reads } };
    const t = await connected({ mcpl, tools, entry: enabled('b', 'c') });
    const shown = (t.host.server('a')?.tools ?? []).map(({ tool: { name }, offered, setOff, lacksUse }) =>
      [name, offered ? 'offered' : 'off', setOff, lacksUse].filter((part) => part !== undefined).join(' '),
    );
    assert.deepEqual(shown, ['edit offered', 'spy off c true']);
    for (const route of ['command', 'gateway', 'participant', 'extension', 'api'] as const)
      await assert.rejects(t.host.callTool({ server: 'a', tool: 'spy', args: {}, route }), {
        code: 'FEATURE_SET_OFF',
        message: 'The feature set "c" of the tool "spy" does not declare "tools" in its "uses".',
        suggestion: 'Report this to the author of the server: the declaration of the feature set must be corrected.',
        data: { featureSet: 'c', reason: 'undeclaredUse', use: 'tools', canEnable: false },
      });
    assert.deepEqual(
      t.server.heard.filter((line) => line.startsWith('tools/call')),
      [],
    );
    await t.host.close();
  });

  test('that is declared after its wildcard was first used is off until the user keeps it, also after a restart', async () => {
    const storage = memoryStorage();
    const mcpl = (...names: readonly string[]): JsonObject => ({
      version: '0.2',
      featureSets: Object.fromEntries(names.map((name) => [name, notes])),
    });
    const first = await connected({ mcpl: mcpl('memory.a', 'other'), entry: enabled('memory.*'), storage });
    assert.deepEqual(sets(first), ['memory.a enabled', 'other disabled']);
    first.server.notify('featureSets/changed', { added: { 'memory.b': notes }, removed: [] });
    await settle();
    await first.clock.advance(1_000);
    assert.deepEqual(sets(first), ['memory.a enabled', 'other disabled', 'memory.b new']);
    assert.equal(told(first).at(-1), '{"enabled":["memory.a"],"disabled":["other","memory.b"]}');
    await first.host.close();

    const t = await connected({
      mcpl: mcpl('memory.a', 'memory.b', 'memory.c', 'memory.d'),
      entry: enabled('memory.*'),
      storage,
    });
    assert.deepEqual(sets(t), ['memory.a enabled', 'memory.b new', 'memory.c new', 'memory.d new']);
    await t.host.allowFeatureSets('a', ['memory.b'], true);
    assert.deepEqual(sets(t), ['memory.a enabled', 'memory.b enabled', 'memory.c new', 'memory.d new']);
    // A written name is no wildcard.
    await t.user({ a: { command: 'x', enabled: true, ...enabled('memory.*', 'memory.c') } });
    assert.deepEqual(sets(t), ['memory.a enabled', 'memory.b enabled', 'memory.c enabled', 'memory.d new']);
    // A wider wildcard is a new one that the user just wrote.
    await t.user({ a: { command: 'x', enabled: true, ...enabled('memory.*', '*') } });
    assert.deepEqual(sets(t), ['memory.a enabled', 'memory.b enabled', 'memory.c enabled', 'memory.d enabled']);
    await t.host.close();
    const again = await connected({
      mcpl: mcpl('memory.b', 'memory.d', 'memory.e'),
      entry: enabled('memory.*', '*'),
      storage,
    });
    assert.deepEqual(sets(again), ['memory.b enabled', 'memory.d enabled', 'memory.e new']);
    await again.host.close();
  });

  test('that settings except from a wildcard was there when it was written, and is on when it no longer is', async () => {
    const featureSets = { enabled: ['*'], disabled: ['b'] };
    const t = await connected({
      mcpl: { version: '0.2', featureSets: { a: notes, b: notes } },
      entry: { featureSets },
    });
    assert.deepEqual(sets(t), ['a enabled', 'b disabled']);
    await t.user({ a: { command: 'x', enabled: true, ...enabled('*') } });
    assert.deepEqual(sets(t), ['a enabled', 'b enabled']);
    await t.host.close();
  });

  test('that is taken back does not free its tools', async () => {
    const tools = [tool('edit', { _meta: { featureSet: 'b' } })];
    const t = await connected({
      mcpl: { version: '0.2', featureSets: { b: notes, c: notes } },
      tools,
      entry: enabled('c'),
    });
    t.server.notify('featureSets/changed', { added: {}, removed: ['b'] });
    await settle();
    assert.deepEqual(
      t.host.server('a')?.tools.map(({ offered, setOff }) => [offered, setOff]),
      [[false, 'b']],
    );
    await t.host.close();
  });

  test('that is withdrawn keeps its tools off, also the last one, and also if it only no longer declares tools', async () => {
    const tools = [tool('edit', { _meta: { featureSet: 'b' } }), tool('free')];
    const withoutTools = { ...notes, uses: ['pushEvents'] };
    const changes: readonly (readonly JsonObject[])[] = [
      [{ removed: ['b'] }],
      [{ added: { c: reads }, removed: ['b'] }],
      [{ added: { c: notes }, removed: ['b'] }],
      [{ added: { b: withoutTools } }],
      [{ added: { b: withoutTools } }, { added: { b: withoutTools } }, { removed: ['b'] }],
    ];
    for (const sent of changes) {
      const entry = enabled('c');
      const t = await connected({ mcpl: { version: '0.2', featureSets: { b: notes } }, tools, entry });
      for (const change of sent) {
        t.server.notify('featureSets/changed', change);
        await t.clock.advance(100);
      }
      const found = t.host.server('a')?.tools.map(({ offered, setOff }) => [offered, setOff]);
      const expected = [
        [false, 'b'],
        [false, 'b'],
      ];
      assert.deepEqual(found, expected, JSON.stringify(sent));
      for (const name of ['edit', 'free'])
        await assert.rejects(t.host.callTool({ server: 'a', tool: name, args: {}, route: 'gateway' }), {
          code: 'FEATURE_SET_OFF',
        });
      await t.host.close();
    }
  });

  test('that is declared again after it was withdrawn counts as before', async () => {
    const mcpl = { version: '0.2', featureSets: { b: notes } };
    const t = await connected({ mcpl, tools: [tool('free')], entry: enabled('b') });
    const offered = (): boolean | undefined => t.host.server('a')?.tools[0]?.offered;
    for (const [change, expected] of [
      [{ removed: ['b'] }, false],
      [{ added: { b: notes } }, true],
    ] as const) {
      t.server.notify('featureSets/changed', change);
      await t.clock.advance(100);
      assert.equal(offered(), expected);
    }
    await t.host.close();
  });

  test('that is declared with other rights than those it was switched on with is off until it is chosen again', async () => {
    const storage = memoryStorage();
    const first = await connected({
      mcpl: { version: '0.2', featureSets: { b: notes } },
      entry: enabled('b'),
      storage,
    });
    await first.host.stop('a');
    const more = { ...notes, uses: ['tools', 'inferenceRequest'] };
    const t = await connected({ mcpl: { version: '0.2', featureSets: { b: more } }, entry: enabled('b'), storage });
    assert.deepEqual(sets(t), ['b changed']);
    assert.deepEqual(told(t), ['{"enabled":[],"disabled":["b"]}']);
    await t.host.allowFeatureSets('a', ['b'], true);
    assert.deepEqual(sets(t), ['b enabled']);
    assert.deepEqual(told(t).at(-1), '{"enabled":["b"],"disabled":[]}');
    await first.host.close();
    await t.host.close();
  });

  test('may get other words for what it does', async () => {
    const storage = memoryStorage();
    const first = await connected({
      mcpl: { version: '0.2', featureSets: { b: notes } },
      entry: enabled('b'),
      storage,
    });
    await first.host.stop('a');
    const reworded = { ...notes, description: 'Edits your notes.' };
    const t = await connected({ mcpl: { version: '0.2', featureSets: { b: reworded } }, entry: enabled('b'), storage });
    assert.deepEqual(sets(t), ['b enabled']);
    await first.host.close();
    await t.host.close();
  });

  test('is named in the handshake of the next run, as it stood and as the settings want it now', async () => {
    const storage = memoryStorage();
    const declared = { 'memory.read': reads, 'memory.write': notes, other: notes, late: notes };
    const first = await connected({
      mcpl: { version: '0.2', featureSets: declared },
      entry: enabled('memory.*', 'late'),
      storage,
    });
    first.server.notify('featureSets/changed', { added: { added: notes }, removed: ['late'] });
    await settle();
    await first.host.close();
    const advertised = async (mcpl: Json, entry: JsonObject): Promise<Json | undefined> => {
      const t = await connected({ mcpl, entry, storage });
      const [initialize] = t.server.messages;
      await t.host.close();
      const { capabilities } = initialize?.['params'] as { capabilities: { experimental: { mcpl: JsonObject } } };
      return capabilities.experimental.mcpl['featureSets'];
    };
    const same = { version: '0.2', featureSets: { 'memory.read': { ...reads, uses: ['tools'] } } };
    assert.deepEqual(
      [
        await advertised(same, enabled('memory.read', 'other')),
        // Declared with other rights by then, and off until the user chooses it again.
        await advertised({ version: '0.2' }, enabled('memory.read')),
        await advertised({ version: '0.2' }, enabled('memory.read')),
      ],
      [
        { enabled: ['memory.read', 'other'], disabled: ['memory.write', 'added'] },
        { enabled: [], disabled: ['memory.read'] },
        { enabled: [], disabled: [] },
      ],
    );
  });

  test('stays off if the form of its grant cannot be read', async () => {
    const storage = memoryStorage();
    const broken = { ...storage.grants, list: () => Promise.reject(new Error('the disk is gone')) };
    const t = await connected({
      mcpl: { version: '0.2', featureSets: { b: notes } },
      entry: enabled('b'),
      storage: { ...storage, grants: broken },
    });
    assert.deepEqual(sets(t), ['b changed']);
    assert.match(t.logs.join('\n'), /could not be read: the disk is gone/);
    await t.host.close();
  });

  test('that does what it did not declare is refused, and shown so', async () => {
    const t = await connected({ mcpl: { version: '0.2', featureSets: { b: notes } }, entry: enabled('b') });
    const params = { featureSet: 'b', eventId: 'e1', timestamp: '2026-01-01T00:00:00Z', payload: { content: [] } };
    t.server.say({ jsonrpc: '2.0', id: 1, method: 'push/event', params });
    await settle();
    assert.match(t.server.heard.at(-1) ?? '', /^answer \{"code":-32001,"message":"Use not declared"/);
    assert.deepEqual(sets(t), ['b enabled pushEvents']);
    await t.host.close();
  });

  test('stands for a server that takes part in turns and declares none, off like any other', async () => {
    const t = await connected({ mcpl: { version: '0.2', contextHooks: { beforeInference: true } } });
    assert.deepEqual(sets(t), ['(undeclared) disabled']);
    assert.deepEqual(told(t), ['{"enabled":[],"disabled":[]}']);
    await t.host.close();
  });

  test('is undecided before the user chose', async () => {
    const mcpl = { version: '0.2', featureSets: { b: notes } };
    const first = await connected({ mcpl });
    const chosen = await connected({ mcpl, entry: { featureSets: { disabled: ['b'] } } });
    assert.deepEqual(
      [first.host.server('a')?.mcpl?.isUndecided, chosen.host.server('a')?.mcpl?.isUndecided],
      [true, false],
    );
    await first.host.close();
    await chosen.host.close();
  });
});

suite('A server that says MCPL 0.5', () => {
  const mcpl = { version: '0.5', featureSets: { b: notes } };

  test('gets its sets as a request', async () => {
    const t = await connected({ mcpl });
    assert.deepEqual(told(t), ['{"enabled":[],"disabled":["b"],"effectiveCapabilities":[]}']);
    await t.host.close();
  });

  test('and does not know it, gets them as a notification', async () => {
    const t = new TestHost();
    t.connect = () =>
      new ScriptedServer({
        initialize: () => initializeResult({ capabilities: { experimental: { mcpl } } }),
        'featureSets/update': () => failWith(-32601, 'no such method'),
      });
    await t.user({ a: { command: 'x', enabled: true } });
    assert.deepEqual(told(t), [
      '{"enabled":[],"disabled":["b"],"effectiveCapabilities":[]}',
      '{"enabled":[],"disabled":["b"]}',
    ]);
    await t.host.close();
  });

  test('is spoken to as a version that settings pin', async () => {
    const t = await connected({ mcpl, entry: { protocol: { mcpl: '0.2' } } });
    assert.deepEqual(told(t), ['{"enabled":[],"disabled":["b"]}']);
    await t.host.close();
  });
});

suite('A turn', () => {
  test('is refused while a server that must see every answer is not there', async () => {
    const t = await connected({
      mcpl: { version: '0.2', featureSets: {} },
      entry: { hooks: { afterInference: 'failClosed' } },
    });
    await t.host.stop('a');
    const request = { conversationId: 'c', turnIndex: 0, userMessage: 'Hi', messages: [], justification: 'test' };
    await assert.rejects(t.host.runTurn(request), {
      code: 'ANSWER_WITHHELD',
      message: 'The server "a" must see every answer, and cannot.',
    });
    await t.user({ a: { command: 'x', enabled: false, hooks: { afterInference: 'failClosed' } } });
    await assert.rejects(t.host.runTurn(request), { code: 'NO_MODEL' });
    await t.host.close();
  });
});
