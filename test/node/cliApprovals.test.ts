import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DrivenHost, mcpl, type Message } from './cliProgram.ts';

const FILES = {
  command: process.execPath,
  args: [fileURLToPath(new URL('fixtures/scopeServer.mjs', import.meta.url))],
  featureSets: { enabled: ['*'] },
};
const BY_PERSON = { approved: false, reason: 'The user denied it.' };

suite('mcpl host --control and what servers want to have approved', () => {
  let top: string;
  let host: DrivenHost;
  let lastId: number;

  setup(() => {
    top = realpathSync(mkdtempSync(join(tmpdir(), 'approvals-')));
    for (const folder of ['ws/src', 'ws/.vscode', 'etc']) mkdirSync(join(top, folder), { recursive: true });
    lastId = 0;
  });

  teardown(async () => {
    await host.end();
    rmSync(top, { recursive: true, force: true });
  });

  async function start(scopes: object = {}, ...options: readonly string[]): Promise<void> {
    host = new DrivenHost('--workspace', join(top, 'ws'), ...options);
    await ask('configure', { servers: { files: { ...FILES, ...scopes } } });
    await ask('start', { server: 'files' });
  }

  function ask(command: string, members: object = {}): Promise<unknown> {
    return host.ask(++lastId, command, members);
  }

  /** The host's answer to the server's tool, or the error of the call. */
  async function call(tool: string, path: string, label?: string): Promise<unknown> {
    const args = { path: path.replace('TOP', top), ...(label !== undefined && { label }) };
    const result = (await ask('call', { server: 'files', tool, args })) as { text?: string };
    return result.text === undefined ? result : JSON.parse(result.text);
  }

  const approved = (path: string): unknown => ({
    approved: true,
    payload: { path: path.replace('TOP', top), mode: 'append' },
  });

  const question = (): Promise<Message> => host.hear({ event: 'question', kind: 'approval' });

  const realOf = ({ targets }: Message): readonly unknown[] =>
    [...new Set((targets as readonly Message[]).map(({ real }) => real))].map((real) =>
      String(real).replace(top, 'TOP'),
    );

  test('asks with what the host computed; once is once, a session is as long as the host runs, deny is no', async () => {
    await start();
    const once = call('elevate', 'TOP/etc/new');
    const asked = await host.answer('approval', 'once');
    const { server, featureSet, action, why, label, waiting } = asked;
    assert.deepEqual(
      [server, featureSet, action, why, String(label).replace(top, 'TOP'), waiting],
      ['files', 'files.edit', { kind: 'elevate', mode: 'append' }, 'unlisted', 'TOP/etc/new', 1],
    );
    assert.deepEqual(realOf(asked), ['TOP/etc/new']);
    assert.deepEqual(await once, approved('TOP/etc/new'));
    const settled = await host.hear({ event: 'approvalSettled' });
    assert.deepEqual([settled['outcome'], settled['choice']], ['approved', 'once']);

    const session = call('elevate', 'TOP/etc/new');
    await host.answer('approval', 'session');
    assert.deepEqual(await session, approved('TOP/etc/new'));
    assert.deepEqual(await call('elevate', 'TOP/etc/new'), approved('TOP/etc/new'));

    const denied = call('elevate', 'TOP/etc/other');
    await host.answer('approval', 'deny');
    assert.deepEqual(await denied, BY_PERSON);
    const open = call('elevate', 'TOP/etc/third');
    await host.answer('approval', null);
    assert.deepEqual(await open, { approved: false, reason: 'The user closed the question.' });
  });

  test('asks for the target, not for the label, and follows links', async () => {
    symlinkSync('../etc', join(top, 'ws/link'));
    await start({ scopes: { 'files.edit': { whitelist: ['${workspaceFolder}/**'] } } });
    assert.deepEqual(await call('elevate', 'TOP/ws/src/a.ts'), approved('TOP/ws/src/a.ts'));
    const linked = call('elevate', 'TOP/ws/link/passwd');
    const asked = await host.answer('approval', 'deny');
    assert.deepEqual([asked['why'], realOf(asked)], ['unlisted', ['TOP/etc/passwd']]);
    assert.deepEqual(await linked, BY_PERSON);
    const lied = call('elevate', 'TOP/etc/passwd', join(top, 'ws/a.ts'));
    const disagreed = await host.answer('approval', 'deny');
    assert.deepEqual([disagreed['why'], realOf(disagreed)], ['disagreement', ['TOP/ws/a.ts', 'TOP/etc/passwd']]);
    assert.deepEqual(await lied, BY_PERSON);
  });

  test('lists decide without a question, a call as well; a denied request asks no question', async () => {
    const lists = { whitelist: ['src/**'], blacklist: ['**/.env'] };
    await start({ scopes: { 'files.edit': lists } });
    const [{ scopes }] = (await ask('servers')) as [{ scopes: unknown }];
    assert.deepEqual(scopes, { lists: { 'files.edit': { ...lists, isBroken: false } }, adapters: {} });
    const wrote = (await call('write', 'TOP/ws/src/a.ts')) as Message;
    assert.deepEqual(wrote['wrote'], join(top, 'ws/src/a.ts'));
    const refused = (await call('write', 'TOP/ws/src/.env')) as Message;
    assert.equal(refused['code'], 'SCOPE_DENIED');
    const waiting = call('write', 'TOP/ws/b.ts');
    const asked = await host.answer('approval', 'once');
    const [target] = asked['targets'] as [Message];
    assert.deepEqual(
      [asked['action'], target['inside']],
      [
        { kind: 'call', tool: 'write' },
        { folder: 'ws', path: 'b.ts' },
      ],
    );
    assert.equal(((await waiting) as Message)['wrote'], join(top, 'ws/b.ts'));
    const { history } = (await ask('approvals')) as { history: readonly Message[] };
    assert.deepEqual(
      history.map(({ outcome }) => outcome),
      ['success', 'refused', 'success'],
    );
  });

  test('what is allowed in the workspace is kept, listed, given an end and revoked', async () => {
    const store = join(top, 'store.sqlite');
    await start({}, '--store', store);
    const first = call('elevate', 'TOP/etc/new');
    await host.answer('approval', 'workspace');
    assert.deepEqual(await first, approved('TOP/etc/new'));
    await host.end();

    await start({}, '--store', store);
    assert.deepEqual(await call('elevate', 'TOP/etc/new'), approved('TOP/etc/new'));
    const { pending, remembered } = (await ask('approvals')) as Record<string, readonly Message[]>;
    const [grant] = remembered ?? [];
    assert.deepEqual(
      [pending, remembered?.length, grant?.['lifetime'], grant?.['targets']],
      [[], 1, 'workspace', [join(top, 'etc/new')]],
    );
    assert.ok(Number(grant?.['until']) > Number(grant?.['at']));
    const ids = [grant?.['id']];
    const kept = (await ask('setApprovalExpiry', { ids, until: null })) as { remembered: readonly Message[] };
    assert.deepEqual(
      kept.remembered.map(({ until }) => until),
      [undefined],
    );
    assert.deepEqual(await ask('setApprovalExpiry', { ids, until: 5 }), { remembered: [] });
    const expired = call('elevate', 'TOP/etc/new');
    await host.answer('approval', 'workspace');
    assert.deepEqual(await expired, approved('TOP/etc/new'));
    assert.deepEqual(await ask('revokeApprovals', { ids }), { remembered: [] });
    const revoked = call('elevate', 'TOP/etc/new');
    const { approval } = await question();
    assert.deepEqual(await ask('answerApproval', { approval, answer: 'deny' }), { answered: true });
    assert.deepEqual(await revoked, BY_PERSON);
    assert.deepEqual(await ask('answerApproval', { approval, answer: 'once' }), { answered: false });
  });

  test('without an answer, the host denies at its timeout, and serves others meanwhile', async () => {
    await start();
    await ask('configure', { limits: { approvalSeconds: 5 } });
    const waiting = call('elevate', 'TOP/etc/new');
    const { question: asked } = await question();
    assert.equal(((await call('elevate', '')) as Message)['approved'] === true, false);
    await host.hear({ event: 'questionClosed', question: asked });
    assert.deepEqual(await waiting, { approved: false, reason: 'It was not approved in time.' });
  });
});

suite('A command at a terminal, and what a server would touch', () => {
  const SERVER = ['--', FILES.command, ...FILES.args];

  test('is denied without a terminal, with the next step', async () => {
    const { code, out, err } = await mcpl('call', '--enable', '*', 'elevate', 'path=/nowhere/new', ...SERVER);
    const reason = 'It needs the approval of a user, and there is no user to ask.';
    assert.deepEqual([code, JSON.parse(out)], [0, { approved: false, reason }]);
    assert.deepEqual(err.split('\n'), [
      '! scope/elevate /nowhere/new: denied, because there is no user to ask',
      'Allow what needs an approval with --allow-scope <pattern>, or run this in a terminal to be asked.',
      '',
    ]);
    const called = await mcpl('call', '--enable', '*', 'write', 'path=/nowhere/new', ...SERVER);
    assert.deepEqual([called.code, called.out], [4, '']);
    assert.match(
      called.err,
      /The tool "write" was not called: .*\n! write \/nowhere\/new: denied, .*\nAllow what needs/,
    );
  });

  test('is allowed where the command line says so', async () => {
    const words = ['--enable', '*', '--cwd', tmpdir(), '--allow-scope', 'some/**', '--allow-scope', '/nowhere/*'];
    const elevated = await mcpl('call', ...words, 'elevate', 'path=/nowhere/new', ...SERVER);
    assert.deepEqual(JSON.parse(elevated.out), { approved: true, payload: { path: '/nowhere/new', mode: 'append' } });
    assert.equal(elevated.err, '');
    const path = join(tmpdir(), 'some/a.ts');
    const called = await mcpl('call', ...words, 'write', `path=${path}`, ...SERVER);
    assert.equal((JSON.parse(called.out) as Message)['wrote'], path);
    // Also for a server without MCPL.
    const plain = await mcpl('call', '--allow-scope', '/nowhere/*', 'write', 'path=/elsewhere', ...SERVER);
    assert.equal(plain.code, 4);
  });
});
