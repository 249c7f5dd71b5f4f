import assert from 'node:assert/strict';
import { CancellationSource } from '../../../../src/core/base/cancellation.ts';
import type { Json, JsonObject } from '../../../../src/core/base/json.ts';
import { settle } from '../../../support/fakeClock.ts';
import { initializeResult, ScriptedServer, tool } from '../../../support/scriptedServer.ts';
import { TestHost } from '../../../support/testHost.ts';
import { fakeFiles } from '../../../support/fakeFiles.ts';
import { memoryStorage } from '../../../../src/node/store/memoryStorage.ts';
import { edit, LISTS, path, ScopeCase } from './scopeCase.ts';

suite('A request for a scope (MCPL §7.4)', () => {
  test('is decided by lists that cover it, without a question', async () => {
    const c = await ScopeCase.open();
    await c.elevate('/project/src/a.ts', { path: '/project/src/a.ts', mode: 'append', list: [1, { a: null }] });
    await c.elevate('/project/src/b.ts');
    await c.elevate('/project/.env', { path: '/project/.env' });
    await c.elevate('/project/src/../secrets/k');
    assert.deepEqual(c.answers, [
      '{"approved":true,"payload":{"path":"/project/src/a.ts","mode":"append","list":[1,{"a":null}]}}',
      '{"approved":true}',
      '{"approved":false,"reason":"The settings of the host deny it."}',
      '{"approved":false,"reason":"The settings of the host deny it."}',
    ]);
    assert.deepEqual(c.asked, []);
    assert.deepEqual(await c.decisions(), [
      'files | refused | scope/elevate /project/secrets/k: denied by the settings',
      'files | refused | scope/elevate /project/.env: denied by the settings',
      'files | success | scope/elevate /project/src/b.ts: allowed by the settings',
      'files | success | scope/elevate /project/src/a.ts: allowed by the settings',
    ]);
    await c.close();
  });

  test('is decided alike by either name of a folder that is a link', async () => {
    const c = await ScopeCase.open();
    c.t.fileNames = fakeFiles({
      '/project': { link: '/data/p' },
      '/data/p/src': 'folder',
      '/data/p/secrets': 'folder',
    });
    for (const label of ['/project/src/a.ts', '/data/p/src/a.ts', 'src/a.ts', '/data/p/secrets/k', 'secrets/k'])
      await c.elevate(label);
    const denied = '{"approved":false,"reason":"The settings of the host deny it."}';
    const approved = '{"approved":true}';
    assert.deepEqual(c.answers, [approved, approved, approved, denied, denied]);
    await c.rewrite({ scopes: { files: { whitelist: ['**'], blacklist: ['${workspaceFolder}/src'] } } });
    await c.elevate('/data/p/src/a.ts');
    assert.equal(c.answers.at(-1), denied);
    await c.close();
  });

  test('that no list speaks of waits for the user, and others are served meanwhile', async () => {
    const c = await ScopeCase.open();
    await c.elevate('/etc/hosts', { path: '/etc/hosts', mode: 'append' }, 1);
    await c.elevate('/project/src/a.ts', undefined, 2);
    assert.deepEqual(c.answers, ['{"approved":true}']);
    assert.deepEqual(
      c.asked.map(({ server, featureSet, subject }) => ({ server, featureSet, subject })),
      [
        {
          server: 'a',
          featureSet: 'files',
          subject: {
            kind: 'scope',
            action: { kind: 'elevate', mode: 'append' },
            label: '/etc/hosts',
            payload: '{\n  "path": "/etc/hosts",\n  "mode": "append"\n}',
            targets: c.asked[0]?.subject.targets,
            why: 'unlisted',
          },
        },
      ],
    );
    assert.deepEqual(
      [...new Set(c.asked[0]?.subject.targets.map(({ real, inside }) => `${real} ${inside?.path ?? 'outside'}`))],
      ['/etc/hosts outside'],
    );
    await c.choose('once');
    assert.equal(c.answers.at(-1), '{"approved":true,"payload":{"path":"/etc/hosts","mode":"append"}}');
    await c.elevate('/etc/hosts', { path: '/etc/hosts', mode: 'append' }, 3);
    assert.equal(c.asked.length, 2);
    await c.choose('dismiss');
    assert.equal(c.answers.at(-1), '{"approved":false,"reason":"The user closed the question."}');
    await c.close();
  });

  test('is remembered for the session, for exactly what was asked', async () => {
    const c = await ScopeCase.open();
    const hosts = { path: '/etc/hosts', mode: 'append' };
    await c.elevate('/etc/hosts', hosts, 1);
    await c.choose('session');
    await c.elevate('/etc/hosts', hosts, 2);
    assert.equal(c.asked.length, 1);
    assert.equal(c.answers.length, 2);
    await c.elevate('/etc/hosts', { ...hosts, mode: 'delete' }, 3);
    assert.equal(c.asked.length, 2);
    await c.choose('deny');
    assert.equal(c.answers.at(-1), '{"approved":false,"reason":"The user denied it."}');
    await c.close();
  });

  test('ends with what it was given for: a new denial, the set that is off, another program', async () => {
    const hosts = { path: '/etc/hosts' };
    const remembered = async (change: JsonObject): Promise<readonly number[]> => {
      const c = await ScopeCase.open();
      await c.elevate('/etc/hosts', hosts, 1);
      await c.choose('workspace');
      const before = c.t.host.approvals.remembered().length;
      await c.rewrite(change);
      const after = c.t.host.approvals.remembered().length;
      await c.rewrite({});
      const again = c.t.host.approvals.remembered().length;
      await c.close();
      return [before, after, again];
    };
    assert.deepEqual(await remembered({ scopes: { files: { ...LISTS, blacklist: ['/etc/**'] } } }), [1, 0, 0]);
    assert.deepEqual(await remembered({ featureSets: { enabled: [] } }), [1, 0, 0]);
    assert.deepEqual(await remembered({ command: 'y' }), [1, 0, 0]);
    assert.deepEqual(await remembered({ timeouts: { call: 9 } }), [1, 1, 1]);
  });

  test('stays when another server starts, is changed or restarted', async () => {
    const c = await ScopeCase.open();
    await c.elevate('/etc/hosts', { path: '/etc/hosts' }, 1);
    await c.choose('workspace');
    const kept = (): readonly string[] => c.t.host.approvals.remembered().map(({ server }) => server);
    const other = { command: 'other', enabled: true };
    for (const entry of [other, { ...other, args: ['changed'] }, { ...other, enabled: false }]) {
      await c.t.user({ a: c.entry, b: entry });
      await settle();
      assert.deepEqual(kept(), ['a']);
    }
    await c.t.host.restart('a');
    await settle();
    assert.deepEqual(kept(), ['a']);
    await c.close();
  });

  test('of thousands ends as well, and the folders are looked up for many at once', async () => {
    const storage = memoryStorage();
    const files = await ScopeCase.open({ storage });
    await files.elevate('#one');
    await files.choose('workspace');
    const [one] = files.t.host.approvals.remembered();
    assert.ok(one !== undefined);
    await files.close();
    for (let i = 0; i < 1_000; i++)
      await storage.grants.save({
        ...one,
        id: `id-${i}`,
        key: `key-${i}`,
        targets: [`#${i % 2 === 0 ? 'old' : 'new'}-${i}`],
      });
    const again = await ScopeCase.open({ storage });
    await settle();
    assert.equal(again.t.host.approvals.remembered().length, 1_001);
    let lookups = 0;
    const { real } = again.t.fileNames;
    again.t.fileNames = { ...again.t.fileNames, real: (path, token) => (lookups++, real(path, token)) };
    await again.rewrite({ scopes: { files: { ...LISTS, blacklist: ['#old-*'] } } });
    for (let turn = 0; turn < 20; turn++) await settle();
    assert.equal(again.t.host.approvals.remembered().length, 501);
    // Yields to the event loop every two hundred.
    assert.equal(lookups >= 6 && lookups < 100, true, `${lookups} lookups`);
    await again.close();
  });

  test('of the user is not believed where a denial was written while they were asked', async () => {
    const c = await ScopeCase.open();
    await c.elevate('/etc/hosts');
    await c.rewrite({ scopes: { files: { whitelist: [], blacklist: ['/etc/**'] } } });
    await c.choose('session');
    assert.deepEqual(c.answers, ['{"approved":false,"reason":"The settings of the host deny it."}']);
    await c.close();
  });

  test('is void where its link leads elsewhere by the time that it is approved', async () => {
    const c = await ScopeCase.open();
    await c.elevate('/project/link/hosts');
    c.t.fileNames = fakeFiles({ '/project/link': { link: '/home/me/.ssh' }, '/home/me/.ssh/hosts': 'file' });
    await c.choose('once');
    assert.deepEqual(c.answers, ['{"approved":false,"reason":"Something changed while it was being decided."}']);
    await c.close();
  });

  test('is void where its set was switched off while the user thought', async () => {
    const c = await ScopeCase.open();
    await c.elevate('/etc/hosts');
    await c.rewrite({ featureSets: { enabled: [] } });
    assert.deepEqual(c.t.host.approvals.pending(), []);
    assert.deepEqual(c.answers, ['{"approved":false,"reason":"Something changed while it was being decided."}']);
    await c.close();
  });

  test('is denied in time without an answer', async () => {
    const c = await ScopeCase.open();
    await c.elevate('/etc/hosts');
    await c.t.clock.advance(59_999);
    await settle();
    assert.deepEqual(c.answers, []);
    await c.t.clock.advance(1);
    await settle();
    assert.deepEqual(c.answers, ['{"approved":false,"reason":"It was not approved in time."}']);
    assert.deepEqual(c.t.host.approvals.pending(), []);
    await c.close();
  });

  test('ends with its server', async () => {
    const c = await ScopeCase.open();
    await c.elevate('/etc/hosts');
    await c.t.host.stop('a');
    assert.deepEqual(c.t.host.approvals.pending(), []);
    assert.deepEqual(c.settled, [`${c.asked[0]?.subject.targets.map(({ real }) => real).join() ?? ''}: withdrawn`]);
    await c.close();
  });

  test('is gated like any message of a set, and answered by its code', async () => {
    const sets = { files: edit, plain: { ...edit, scoped: false }, off: edit };
    const c = await ScopeCase.open({
      mcpl: { version: '0.2', featureSets: sets },
      entry: { featureSets: { enabled: ['files', 'plain'] } },
    });
    const ask = async (featureSet: Json, scope: Json): Promise<string | undefined> => {
      c.t.server.say({ jsonrpc: '2.0', id: 9, method: 'scope/elevate', params: { featureSet, scope } });
      await settle();
      return c.answers.at(-1);
    };
    const label = { label: '/project/src/a.ts' };
    assert.deepEqual(
      [
        await ask('nobody', label),
        await ask('off', label),
        await ask('plain', label),
        await ask(7, label),
        await ask('files', 'x'),
        await ask('files', { label: 3 }),
        await ask('files', { ...label, payload: [] }),
      ],
      [
        '{"code":-32003,"message":"Unknown feature set","data":{"featureSet":"nobody"}}',
        '{"code":-32001,"message":"Feature set not enabled","data":{"featureSet":"off","canEnable":true}}',
        '{"code":-32602,"message":"The feature set \\"plain\\" is not declared as scoped.","data":{"field":"featureSet"}}',
        '{"code":-32602,"message":"featureSet must be a text.","data":{"field":"featureSet"}}',
        '{"code":-32602,"message":"scope must be an object.","data":{"field":"scope"}}',
        '{"code":-32602,"message":"scope.label must be a text.","data":{"field":"scope.label"}}',
        '{"code":-32602,"message":"scope.payload must be an object.","data":{"field":"scope.payload"}}',
      ],
    );
    await c.close();
  });

  test('is an unknown method in MCPL 0.5', async () => {
    const c = await ScopeCase.open({ mcpl: { version: '0.5', featureSets: { files: edit } } });
    await c.elevate('/project/src/a.ts');
    assert.match(c.answers.at(-1) ?? '', /"code":-32601/);
    await c.close();
  });
});

suite('A call of a scoped tool (MCPL §7.7)', () => {
  test('names its scope beside its arguments, as the host computed it', async () => {
    const c = await ScopeCase.open();
    await c.call({ path: 'src/./a.ts', text: 'x' });
    assert.deepEqual(c.calls, [
      '{"name":"write","arguments":{"path":"src/./a.ts","text":"x"},"scope":{"label":"/project/src/a.ts","payload":{"path":"/project/src/a.ts"}}}',
    ]);
    await c.close();
  });

  test('that lists deny is not sent, and the model reads what to do', async () => {
    const c = await ScopeCase.open();
    assert.equal(
      await c.call({ path: 'secrets/k' }),
      `The tool "write" was not called: the person's settings deny its target.`,
    );
    assert.deepEqual(c.calls, []);
    await c.close();
  });

  test('that no list speaks of waits for the user, whatever route it came by', async () => {
    const c = await ScopeCase.open();
    assert.equal(await c.call({ path: 'link/hosts' }), 'waits');
    assert.deepEqual(
      c.asked.map(({ subject, calls }) => [subject.action, subject.targets[0]?.real, calls.map(({ route }) => route)]),
      [[{ kind: 'call', tool: 'write' }, '/etc/hosts', ['gateway']]],
    );
    await c.choose('once');
    assert.equal(c.calls.length, 1);
    assert.match(c.calls[0] ?? '', /"label":"\/etc\/hosts"/);
    await c.close();
  });

  test('with unknown targets asks again for other arguments', async () => {
    const c = await ScopeCase.open({ tools: [tool('run', { _meta: { featureSet: 'files' } })] });
    assert.equal(await c.call({ how: 'fast' }, 'run'), 'waits');
    assert.deepEqual([c.asked[0]?.subject.why, c.asked[0]?.subject.targets], ['noTarget', []]);
    await c.choose('session');
    await c.call({ how: 'fast' }, 'run');
    assert.equal(c.asked.length, 1);
    await c.call({ how: 'slow' }, 'run');
    assert.equal(c.asked.length, 2);
    assert.deepEqual(
      c.calls.map((line) => line.replace(/[0-9a-f]{12}/, '…')),
      Array(2).fill('{"name":"run","arguments":{"how":"fast"},"scope":{"label":"run(…)"}}'),
    );
    await c.close();
  });

  test('of a plain MCP server is scoped by its lists, and sent without a scope', async () => {
    const c = await ScopeCase.open({
      mcpl: null,
      tools: [tool('write', path), tool('ping')],
      entry: { featureSets: {}, scopes: { '*': LISTS }, scopeAdapters: { ping: [] } },
    });
    assert.equal(await c.call({ path: 'src/a.ts' }), 'done');
    assert.match(await c.call({ path: '.env' }), /deny/);
    assert.equal(await c.call({}, 'ping'), 'done');
    assert.deepEqual(c.calls, ['{"name":"write","arguments":{"path":"src/a.ts"}}', '{"name":"ping","arguments":{}}']);
    await c.close();
  });

  test('is denied without a user to ask', async () => {
    const t = new TestHost();
    t.connect = () =>
      new ScriptedServer({
        initialize: () => initializeResult({ capabilities: { tools: {} } }),
        'tools/list': () => ({ tools: [tool('write', path)] }),
      });
    await t.user({ a: { command: 'x', enabled: true, scopes: { '*': LISTS } } });
    await assert.rejects(t.host.callTool({ server: 'a', tool: 'write', args: { path: '/etc/hosts' }, route: 'cli' }), {
      code: 'SCOPE_DENIED',
      suggestion: 'Add what it touches to "scopes" in the settings of the server.',
    });
    assert.deepEqual(
      t.server.heard.filter((line) => line.startsWith('tools/call')),
      [],
    );
    await t.host.close();
  });

  test('that is cancelled takes its question away', async () => {
    const c = await ScopeCase.open();
    const cancel = new CancellationSource();
    const call = c.t.host.callTool(
      { server: 'a', tool: 'write', args: { path: '/etc/hosts' }, route: 'gateway' },
      { token: cancel.token },
    );
    await settle();
    assert.equal(c.asked.length, 1);
    cancel.cancel();
    await assert.rejects(call, { code: 'CANCELLED' });
    assert.deepEqual(c.t.host.approvals.pending(), []);
    await c.close();
  });
});

suite('Scopes on the wire (MCPL §7.2)', () => {
  const advert = (c: ScopeCase): Json | undefined => {
    const line = c.t.servers.at(-1)?.messages.find(({ method }) => method === 'initialize') as
      { params: { capabilities: { experimental: { mcpl: JsonObject } } } } | undefined;
    return line?.params.capabilities.experimental.mcpl['scopes'];
  };

  test('are sent in the handshake, by the names of sets and with expanded paths', async () => {
    const c = await ScopeCase.open({
      entry: { scopes: { files: LISTS, '*': { whitelist: ['/tmp/**'], blacklist: ['/x'] } } },
    });
    const files = { whitelist: ['/project/src/**'], blacklist: ['**/.env', '**/secrets/**', '/x'] };
    assert.deepEqual(advert(c), { files });
    await c.t.host.restart('a');
    assert.deepEqual(advert(c), { files });
    await c.close();
  });

  test('are sent again with updates in MCPL 0.3, and only then', async () => {
    const updates = async (version: string): Promise<readonly string[]> => {
      const c = await ScopeCase.open({ mcpl: { version, featureSets: { files: edit } } });
      const said = c.t.server.heard.filter((line) => line.startsWith('featureSets/update'));
      await c.close();
      return said;
    };
    assert.deepEqual(await updates('0.2'), ['featureSets/update {"enabled":["files"],"disabled":[]}']);
    assert.deepEqual(await updates('0.3'), [
      'featureSets/update {"enabled":["files"],"disabled":[],"scopes":{"files":{"whitelist":["/project/src/**"],"blacklist":["**/.env","**/secrets/**"]}}}',
    ]);
  });
});
