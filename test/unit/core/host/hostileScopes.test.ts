import assert from 'node:assert/strict';
import { CancellationSource } from '../../../../src/core/base/cancellation.ts';
import type { JsonObject } from '../../../../src/core/base/json.ts';
import type { ToolCallRequest } from '../../../../src/core/index.ts';
import { fakeFiles } from '../../../support/fakeFiles.ts';
import { settle } from '../../../support/fakeClock.ts';
import { tool } from '../../../support/scriptedServer.ts';
import { edit, path, ScopeCase } from './scopeCase.ts';

const DENIED = '{"approved":false,"reason":"The settings of the host deny it."}';
const CHANGED = '{"approved":false,"reason":"Something changed while it was being decided."}';
const UNFIT = '{"approved":false,"reason":"It does not name something that can be allowed."}';

suite('An approval that the user gives too late', () => {
  const remembered = (c: ScopeCase): number => c.t.host.approvals.remembered().length;

  test('does not come back with the pattern gone that denied it meanwhile', async () => {
    for (const choice of ['session', 'workspace'] as const) {
      const c = await ScopeCase.open();
      await c.elevate('/etc/hosts', undefined, 1);
      await c.rewrite({ scopes: { files: { whitelist: [], blacklist: ['/etc/**'] } } });
      await c.choose(choice);
      assert.equal(remembered(c), 0);
      await c.rewrite({});
      await c.elevate('/etc/hosts', undefined, 2);
      assert.deepEqual([c.answers, c.asked.length], [[DENIED], 2]);
      await c.close();
    }
  });

  test('does not wait for its set to be switched on again', async () => {
    const c = await ScopeCase.open();
    await c.elevate('/etc/hosts', undefined, 1);
    await c.rewrite({ featureSets: { enabled: [] } });
    assert.deepEqual(c.t.host.approvals.pending(), []);
    assert.equal(remembered(c), 0);
    await c.rewrite({});
    await c.elevate('/etc/hosts', undefined, 2);
    assert.deepEqual([c.answers, c.asked.length], [[CHANGED], 2]);
    await c.close();
  });

  test('is not for another program that was there in between', async () => {
    const c = await ScopeCase.open();
    await c.elevate('/etc/hosts', undefined, 1);
    const [asked] = c.asked;
    await c.rewrite({ command: 'y' });
    await c.t.host.restart('a');
    await c.rewrite({});
    await c.t.host.restart('a');
    assert.equal(await c.t.host.approvals.answer(asked?.id ?? '', 'workspace'), false);
    assert.equal(remembered(c), 0);
    await c.close();
  });

  test('does not outlive a server that is taken out of the settings', async () => {
    const c = await ScopeCase.open();
    await c.elevate('/etc/hosts');
    const called = c.t.host.callTool({ server: 'a', tool: 'write', args: { path: '/etc/x' }, route: 'gateway' });
    const refused = assert.rejects(called, { code: 'SCOPE_DENIED' });
    await settle();
    assert.equal(c.t.host.approvals.pending().length, 2);
    await c.t.user({});
    await refused;
    assert.deepEqual([c.settled, c.t.host.approvals.pending()], [['/etc/hosts: withdrawn', '/etc/x: withdrawn'], []]);
    await c.close();
  });
});

suite('While the user is asked', () => {
  test('a server cannot take its set back and declare it as not scoped', async () => {
    const c = await ScopeCase.open();
    await c.elevate('/etc/hosts');
    const added = { files: { ...edit, scoped: false } };
    c.t.server.say({ jsonrpc: '2.0', method: 'featureSets/changed', params: { removed: ['files'], added } });
    await settle();
    assert.deepEqual(c.t.host.approvals.pending(), []);
    assert.deepEqual([c.answers, c.t.host.approvals.remembered()], [[CHANGED], []]);
    assert.match(await c.call({ path: '/etc/hosts' }), /is off with its feature set/);
    await c.close();
  });

  test('a server cannot give the tool another schema or another set', async () => {
    for (const [members, isSent] of [
      [{ ...path, _meta: { featureSet: 'files' } }, true],
      [{ ...path, _meta: { featureSet: 'free' } }, false],
      [{ inputSchema: { type: 'object', properties: { file: {} } }, _meta: { featureSet: 'files' } }, false],
    ] as const) {
      const sets = { files: edit, free: { ...edit, scoped: false } };
      const c = await ScopeCase.open({
        mcpl: { version: '0.2', featureSets: sets },
        entry: { featureSets: { enabled: ['*'] } },
      });
      assert.equal(await c.call({ path: '/etc/hosts' }), 'waits');
      c.t.server.on('tools/list', () => ({ tools: [tool('write', members)] }));
      c.t.server.say({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
      await c.t.clock.advance(2_000);
      await settle();
      await c.choose('once');
      assert.equal(c.calls.length, isSent ? 1 : 0, JSON.stringify(members));
      await c.close();
    }
  });

  test('settings may begin to look elsewhere for what a tool touches', async () => {
    const c = await ScopeCase.open();
    await c.call({ path: '/etc/hosts', text: '/project/secrets/k' });
    await c.rewrite({ scopeAdapters: { write: ['$.path', '$.text'] } });
    await c.choose('once');
    assert.deepEqual(c.calls, []);
    await c.close();
  });

  test('a call with other arguments is not taken along', async () => {
    const c = await ScopeCase.open();
    await c.call({ path: '/etc/hosts', text: 'good' });
    await c.call({ path: '/etc/hosts', text: 'good' });
    await c.call({ path: '/etc/hosts', text: 'evil' });
    const pending = c.t.host.approvals.pending();
    assert.deepEqual(
      pending.map(({ waiting, subject }) => [waiting, /good|evil/.exec(subject.payload ?? '')?.[0]]),
      [
        [2, 'good'],
        [1, 'evil'],
      ],
    );
    await c.t.host.approvals.answer(pending[0]?.id ?? '', 'once');
    await settle();
    assert.deepEqual(
      c.calls.map((line) => /good|evil/.exec(line)?.[0]),
      ['good', 'good'],
    );
    assert.equal(c.t.host.approvals.pending().length, 1);
    await c.close();
  });
});

suite('An approved scope', () => {
  test('once is not for the same request when it is made again', async () => {
    const c = await ScopeCase.open();
    const request: ToolCallRequest = { server: 'a', tool: 'write', args: { path: '/etc/hosts' }, route: 'gateway' };
    for (const count of [1, 2]) {
      const called = c.t.host.callTool(request);
      await settle();
      assert.equal(c.asked.length, count);
      await c.choose('once');
      await called;
    }
    await c.close();
  });

  test('is not for a text that may also mean something else', async () => {
    const c = await ScopeCase.open({ entry: { cwd: '/p1' } });
    c.t.folders = [{ name: 'p2', path: '/p2' }];
    c.t.fileNames = fakeFiles({ '/p1/x': 'file', '/etc/hosts': 'file' });
    for (const approved of ['/p1/x', '/etc/hosts']) {
      await c.call({ path: approved });
      await c.choose('session');
    }
    assert.equal(await c.call({ path: '/p1/x' }), 'done');
    assert.equal(await c.call({ path: 'x' }), 'waits');
    assert.equal(await c.call({ path: '/etc/hosts /etc/shadow' }), 'waits');
    assert.equal(await c.call({ path: '/etc/host%73' }), 'waits');
    await c.close();
  });

  test('stays approved where a request like it is taken back before it is decided', async () => {
    const c = await ScopeCase.open();
    await c.call({ path: '/etc/hosts' });
    await c.choose('workspace');
    const slow = c.t.fileNames;
    const cancel = new CancellationSource();
    c.t.fileNames = {
      ...slow,
      real: () => {
        cancel.cancel();
        return Promise.resolve({ kind: 'unknown', why: 'Nobody waits.' });
      },
    };
    const request = { server: 'a', tool: 'write', args: { path: '/etc/hosts' }, route: 'gateway' } as const;
    await assert.rejects(c.t.host.callTool(request, { token: cancel.token }), { code: 'CANCELLED' });
    assert.match((await c.decisions())[0] ?? '', /cancelled .* withdrawn before it was answered/);
    c.t.fileNames = slow;
    assert.equal(await c.call({ path: '/etc/hosts' }), 'done');
    await c.close();
  });
});

suite('A file system', () => {
  test('that does not say now where a folder is leaves no denial out', async () => {
    const c = await ScopeCase.open();
    const files = fakeFiles({ '/project': { link: '/data/p' }, '/data/p/secrets': 'folder' });
    const scopes = { files: { whitelist: ['/data/**'], blacklist: ['${workspaceFolder}/secrets/**'] } };
    c.t.fileNames = {
      ...files,
      real: (name, token) =>
        name === '/project' ? Promise.resolve({ kind: 'unknown', why: 'Late.' }) : files.real(name, token),
    };
    await c.rewrite({ scopes });
    await c.elevate('/data/p/secrets/k', undefined, 1);
    await c.elevate('/data/p/a', undefined, 2);
    assert.deepEqual(c.answers, [UNFIT, UNFIT]);
    await c.rewrite({ scopes: { files: { ...scopes.files, blacklist: [] } } });
    await c.elevate('/data/p/a', undefined, 3);
    assert.equal(c.answers.at(-1), '{"approved":true}');
    await c.close();
  });
});

suite('A workspace', () => {
  const user = { command: 'x', enabled: true, featureSets: { enabled: [] }, protocol: { mcpl: 'auto' } };

  /** A user's server without enabled sets, in a workspace with these settings. */
  async function inWorkspace(workspace: JsonObject): Promise<ScopeCase> {
    const c = await ScopeCase.open({ entry: { scopes: {} } });
    c.t.answer = 'dontStart';
    await c.t.user({ a: user }, { a: workspace });
    await settle();
    return c;
  }

  test('does not free tools by having MCPL not spoken', async () => {
    for (const protocol of [{ mcpl: 'off' }, { era: 'modern' }]) {
      const c = await inWorkspace({ protocol });
      await c.t.host.restart('a').catch(() => undefined);
      await settle();
      const [[key, value] = []] = Object.entries(protocol);
      assert.deepEqual(c.t.weakenings, [`a: protocol.${key} "${value}" instead of "auto"`]);
      assert.equal(await c.call({ path: '/etc/hosts' }), 'The tool "write" is off with its feature set "files".');
      assert.deepEqual(c.calls, []);
      await c.close();
    }
  });

  test('does not hide a target from the question by calling it a secret', async () => {
    const c = await ScopeCase.open({ entry: { env: { API_TOKEN: 'authorized_keys' } } });
    assert.equal(
      await c.call({ path: '/etc/authorized_keys' }),
      'The tool "write" was not called: its target cannot be allowed (It names a secret of the settings, which a question cannot show).',
    );
    await c.elevate('/etc/authorized_keys');
    assert.deepEqual([c.answers, c.asked], [[UNFIT], []]);
    await c.rewrite({ env: { API_TOKEN: 'authorized_keys' }, scopes: { files: { whitelist: ['/etc/**'] } } });
    await c.elevate('/etc/authorized_keys', undefined, 2);
    assert.equal(c.answers.at(-1), '{"approved":true}');
    await c.close();
  });

  test('grants nothing by what the user said of the protocol', async () => {
    const c = await ScopeCase.open({ entry: { scopes: {} } });
    await c.t.user({ a: { ...user, protocol: { mcpl: 'off' } } }, { a: { protocol: { mcpl: 'off' } } });
    await c.t.host.restart('a');
    assert.deepEqual(c.t.questions, []);
    await c.close();
  });
});

suite('A server that asks for much', () => {
  test('and gets it leaves room in the audit for what users allowed', async () => {
    const c = await ScopeCase.open();
    for (let round = 0; round < 10; round++) {
      for (let i = 0; i < 20; i++) await c.elevate(`/project/src/${round}-${i}`);
      await c.elevate('/etc/hosts');
      await c.choose('once');
      await c.t.clock.advance(1_000);
    }
    const entries = await c.t.host.audit.list({ limit: 1_000, operation: 'scope/decision' });
    const byPerson = entries.filter(({ detail }) => detail?.includes('by the person'));
    assert.deepEqual([c.answers.length, entries.length, byPerson.length], [210, 70, 10]);
    await c.close();
  });

  test('has what it sent shown at a length that does not grow with its depth', async () => {
    const c = await ScopeCase.open({ entry: { scopeAdapters: { write: ['$.path'] } } });
    const nested = (depth: number): JsonObject => (depth === 0 ? {} : { in: nested(depth - 1) });
    await c.call({ path: '/etc/a', more: nested(3) });
    await c.call({ path: '/etc/b', more: nested(400) });
    const lines = c.asked.map(({ subject }) => subject.payload?.split('\n').length);
    assert.deepEqual(lines, [10, 1]);
    // Data nested that deep is refused without a question.
    await c.elevate('/etc/c', { more: nested(400) });
    assert.deepEqual(c.answers, [UNFIT]);
    await c.close();
  });
});
