import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { JsonObject } from '../../../src/core/index.ts';
import { set } from './mcplCase.ts';
import { FILES_SET, LISTS, type ScopeCase, scopeCases } from './scopeCase.ts';

const NO = '{"approved":false,"reason":"The settings of the host deny it."}';
const CLOSED = '{"approved":false,"reason":"The user closed the question."}';
const LATE = '{"approved":false,"reason":"It was not approved in time."}';
const MANY = '{"approved":false,"reason":"Too many requests wait for an approval."}';
const CHANGED = '{"approved":false,"reason":"Something changed while it was being decided."}';
const YES = '{"approved":true}';
const HOSTS = realpathSync('/etc/hosts');
const APPROVER = fileURLToPath(new URL('scopeApprover.ts', import.meta.url));

const FILES = { 'src/a.ts': '', 'secrets/k': '', '../out/x': '', '../out/y': '', link: { to: '/out' } } as const;

const DECIDED = 'case scope/decision files';

scopeCases('the approvals', (open) => {
  test('what no list has is asked about: once, for the session, or closed', async () => {
    const opened = await open({ files: FILES });
    opened.person.push('once', 'session');
    const payload = { path: '/etc/hosts', mode: 'append' };
    const answers: string[] = [];
    for (let i = 0; i < 4; i++) answers.push(await opened.elevate('/etc/hosts', payload));
    opened.person.push('dismiss', 'deny');
    answers.push(await opened.elevate('/out/x'), await opened.elevate('/out/x'), await opened.elevate('/out/x'));
    const yes = '{"approved":true,"payload":{"path":"/etc/hosts","mode":"append"}}';
    const denied = '{"approved":false,"reason":"The user denied it."}';
    // Right after a denial, the same request is denied without a question.
    assert.deepEqual(answers, [yes, yes, yes, yes, CLOSED, denied, denied]);
    const hosts = `case files elevate append unlisted “/etc/hosts”: label ${HOSTS}, /payload/path ${HOSTS}`;
    const other = 'case files elevate unlisted “/out/x”: label /out/x';
    assert.deepEqual(opened.settled, [
      `${hosts}: once`,
      `${hosts}: session`,
      `${other}: dismissed`,
      `${other}: byPerson`,
    ]);
    assert.deepEqual(opened.asked, [hosts, hosts, other, other]);
    assert.deepEqual(await opened.decisions(), [
      `${DECIDED} success: scope/elevate ${HOSTS}: allowed by the person (once)`,
      `case approval/granted files success: Allowed for this session: scope/elevate ${HOSTS}`,
      `${DECIDED} success: scope/elevate ${HOSTS}: allowed by the person (session)`,
      `${DECIDED} success: scope/elevate ${HOSTS}: allowed by the person before (session)`,
      `${DECIDED} success: scope/elevate ${HOSTS}: allowed by the person before (session)`,
      `${DECIDED} refused: scope/elevate /out/x: denied, because the question was closed`,
      `${DECIDED} refused: scope/elevate /out/x: denied by the person`,
      `${DECIDED} refused: scope/elevate /out/x: denied by the person`,
    ]);
    assert.deepEqual(opened.remembered(), [`case files scope/elevate ${HOSTS} session`]);
  });

  test('no answer is a no, in time, and everything else is served meanwhile', async () => {
    const sets = { files: FILES_SET, remind: set('pushEvents') };
    const entry = { featureSets: { enabled: ['files', 'remind'] } };
    const opened = await open({ files: FILES, server: { sets, entry }, limits: { approvalSeconds: 1 } });
    const beganAt = Date.now();
    const late = opened.elevate('/out/x');
    await opened.untilAsked(1);
    opened.person.push('once');
    const meanwhile = [
      await opened.elevate('/ws/src/a.ts'),
      await opened.elevate('/ws/secrets/k'),
      await opened.elevate('/out/y'),
      await opened.mcpl.push('remind', 'e-1'),
      await opened.call({ path: 'src/a.ts' }),
    ];
    assert.deepEqual(meanwhile, [YES, NO, YES, '{"accepted":true}', 'Done.']);
    assert.equal(await late, LATE);
    const tookMs = Date.now() - beganAt;
    assert.ok(tookMs >= 990 && tookMs < 5_000, `${tookMs} ms`);
    assert.deepEqual(opened.mcpl.host.approvals.pending(), []);
    assert.equal(
      (await opened.decisions()).at(-1),
      `${DECIDED} timeout: scope/elevate /out/x: denied, because there was no answer in time`,
    );
  });

  test('a server that cancels its request gets no answer, and the question closes', async () => {
    const opened = await open({ files: FILES });
    const life = opened.mcpl.life();
    const params = opened.folders.realIn({ featureSet: 'files', scope: { label: '/out/x' } });
    await life.request('gone', 'scope/elevate', params);
    await opened.untilAsked(1);
    await life.notify('notifications/cancelled', { requestId: 'gone', reason: 'No longer.' });
    await opened.mcpl.until('the end of the question', () => opened.settled.length > 0);
    await life.caughtUp();
    assert.deepEqual(opened.settled, ['case files elevate unlisted “/out/x”: label /out/x: withdrawn']);
    assert.deepEqual(
      life.heard.filter(({ message }) => message['id'] === 'gone'),
      [],
    );
    assert.deepEqual(opened.mcpl.host.approvals.pending(), []);
  });

  test('what the settings deny now is denied, whatever was allowed, and does not come back with the pattern gone', async () => {
    const opened = await open({ files: FILES });
    opened.person.push('session', 'workspace');
    await opened.elevate('/out/x');
    await opened.elevate('/out/y');
    const denying = { ...LISTS, blacklist: [...LISTS.blacklist, '/out/x'] };
    opened.configure({ scopes: { files: denying } });
    const answers = [await opened.elevate('/out/x'), await opened.elevate('/out/y')];
    opened.configure({ scopes: { files: LISTS } });
    opened.person.push('dismiss');
    answers.push(await opened.elevate('/out/x'));
    assert.deepEqual(answers, [NO, YES, CLOSED]);
    assert.deepEqual(opened.remembered(), ['case files scope/elevate /out/y workspace']);
    const lines = await opened.decisions();
    assert.deepEqual(
      lines.filter((line) => line.includes('revoked')),
      ['case approval/revoked files success: the settings deny it now: scope/elevate /out/x'],
      lines.join('\n'),
    );
  });

  test('what one server may another may not, with a set of the same name', async () => {
    const opened = await open({ files: FILES, servers: { case: {}, other: {} } });
    opened.person.push('session');
    const payload = { path: '/out/x' };
    const first = await opened.elevate('/out/x', payload);
    opened.person.push('dismiss');
    const second = await opened.elevate('/out/x', payload, { id: 'other' });
    const third = await opened.elevate('/out/x', payload);
    assert.deepEqual([first, second, third], [approved(payload), CLOSED, approved(payload)]);
    const question = 'files elevate unlisted “/out/x”: label /out/x, /payload/path /out/x';
    assert.deepEqual(opened.asked, [`case ${question}`, `other ${question}`]);
  });

  test('what was allowed is not for another set, action, label, payload or place', async () => {
    const sets = { files: FILES_SET, more: FILES_SET };
    const entry = { featureSets: { enabled: ['*'] }, scopes: { '*': LISTS } };
    const opened = await open({ files: FILES, server: { sets, entry } });
    opened.person.push('session');
    await opened.elevate('/out/x', { path: '/out/x', n: 1 });
    opened.person.push(...Array<'dismiss'>(6).fill('dismiss'));
    await opened.elevate('/out/x', { path: '/out/x', n: 1 }, { featureSet: 'more' });
    await opened.elevate('/out/x', { path: '/out/x', n: 2 });
    await opened.elevate('/out/./x', { path: '/out/x', n: 1 });
    await opened.elevate('/out/x');
    await opened.elevate('/out/y', { path: '/out/y', n: 1 });
    const odd: unknown = JSON.parse('{"path":"/out/x","n":1,"__proto__":{"n":2}}');
    await opened.elevate('/out/x', odd as JsonObject);
    assert.equal(opened.asked.length, 7, opened.asked.join('\n'));
    // JSON members have no order.
    assert.equal(await opened.elevate('/out/x', { n: 1, path: '/out/x' }), approved({ n: 1, path: '/out/x' }));
    assert.equal(opened.asked.length, 7);
  });

  test('another program under the same id is another server', async () => {
    const opened = await open({ files: FILES });
    opened.person.push('workspace');
    await opened.elevate('/out/x');
    const { args, url } = opened.mcpl.servers['case'] ?? {};
    opened.mcpl.configure(
      Array.isArray(args) ? { args: [...(args as string[]), '--other'] } : { url: `${String(url)}?other` },
    );
    await opened.mcpl.until('the other program', () => opened.mcpl.peer().lives.length === 2);
    await opened.mcpl.start();
    opened.person.push('dismiss');
    assert.equal(await opened.elevate('/out/x'), CLOSED);
    assert.deepEqual([opened.asked.length, opened.remembered()], [2, []]);
    const revoked = (await opened.decisions()).filter((line) => line.includes('revoked'));
    assert.deepEqual(revoked, [
      `case approval/revoked files success: the server is another one now: scope/elevate /out/x`,
    ]);
  });

  test('a link that leads elsewhere by the time of the answer makes it void', async () => {
    const opened = await open({ files: FILES });
    const swapped = async (to: string): Promise<string> => {
      const asked = opened.asked.length;
      const answer = opened.elevate('/ws/link/x');
      await opened.untilAsked(asked + 1);
      opened.folders.relink('link', to);
      await opened.answer('once');
      return answer;
    };
    const elsewhere = await swapped('/etc');
    opened.folders.relink('link', '/out');
    const denied = await swapped('/ws/secrets');
    opened.folders.relink('link', '/out');
    const inside = await swapped('/ws/src');
    opened.folders.relink('link', '/out');
    const same = await swapped('/out');
    assert.deepEqual([elsewhere, denied, inside, same], [CHANGED, NO, CHANGED, YES]);
    assert.deepEqual(opened.asked, Array(4).fill('case files elevate unlisted “/ws/link/x”: label /out/x'));
    assert.deepEqual(await opened.decisions(), [
      `${DECIDED} refused: scope/elevate /etc/x: denied, because something else changed meanwhile`,
      `${DECIDED} refused: scope/elevate /ws/secrets/x: denied by the settings`,
      `${DECIDED} refused: scope/elevate /ws/src/x: denied, because something else changed meanwhile`,
      `${DECIDED} success: scope/elevate /out/x: allowed by the person (once)`,
    ]);
  });

  test('an approval of a link is for its target, and not for the link', async () => {
    const opened = await open({ files: FILES });
    opened.person.push('session', 'dismiss');
    const answers = [await opened.elevate('/ws/link/x'), await opened.elevate('/ws/link/x')];
    opened.folders.relink('link', '/etc');
    answers.push(await opened.elevate('/ws/link/x'));
    opened.folders.relink('link', '/out');
    answers.push(await opened.elevate('/ws/link/x'));
    assert.deepEqual(answers, [YES, YES, CLOSED, YES]);
    assert.deepEqual(opened.asked, [
      'case files elevate unlisted “/ws/link/x”: label /out/x',
      'case files elevate unlisted “/ws/link/x”: label /etc/x',
    ]);
  });

  test('what is allowed in the workspace outlives the host, what is allowed for the session does not', async () => {
    const opened = await openStored();
    opened.person.push('workspace', 'session');
    await opened.elevate('/out/x');
    await opened.elevate('/out/y');
    await opened.reopen();
    opened.person.push('dismiss');
    assert.deepEqual([await opened.elevate('/out/x'), await opened.elevate('/out/y')], [YES, CLOSED]);
    assert.deepEqual(opened.remembered(), ['case files scope/elevate /out/x workspace']);
    await opened.mcpl.host.approvals.revoke(opened.mcpl.host.approvals.remembered().map(({ id }) => id));
    await opened.reopen();
    opened.person.push('dismiss');
    assert.equal(await opened.elevate('/out/x'), CLOSED);
    assert.deepEqual(
      opened.asked,
      ['x', 'y', 'y', 'x'].map((name) => `case files elevate unlisted “/out/${name}”: label /out/${name}`),
    );
  });

  test('an approval for the workspace that a server got survives kill -9', async () => {
    const opened = await openStored({ start: false });
    const approver = runApprover(opened);
    await opened.mcpl.peer().started();
    await opened.mcpl.life().until('tools/list');
    const answer = await opened.elevate('/out/x');
    await killed(approver);
    await opened.reopen();
    assert.deepEqual([answer, await opened.elevate('/out/x')], [YES, YES]);
    assert.deepEqual(opened.asked, []);
    assert.deepEqual(opened.remembered(), ['case files scope/elevate /out/x workspace']);
  });

  test('of two hundred at once each is answered, three are asked about, and what is allowed is not held up', async () => {
    const opened = await open({ files: FILES });
    const life = opened.mcpl.life();
    const request = (id: number): JsonObject => ({
      jsonrpc: '2.0',
      id: `many ${id}`,
      method: 'scope/elevate',
      params: opened.folders.realIn({ featureSet: 'files', scope: { label: `/out/${id}` } }),
    });
    await life.say(...Array.from({ length: 200 }, (_, id) => request(id)));
    const answered = (): readonly string[] =>
      life.heard.flatMap(({ message }) =>
        String(message['id']).startsWith('many') ? [opened.mcpl.answerText(message)] : [],
      );
    await opened.mcpl.until('197 answers', () => answered().length >= 197);
    assert.equal(await opened.elevate('/ws/src/a.ts'), YES);
    assert.deepEqual(answered(), Array(197).fill(MANY));
    assert.equal(opened.mcpl.host.approvals.pending().length, 3);
    for (let i = 0; i < 3; i++) await opened.answer('once');
    await opened.mcpl.until('200 answers', () => answered().length >= 200);
    await life.caughtUp();
    assert.deepEqual(answered().slice(197), [YES, YES, YES]);
    const ids = new Set(life.heard.map(({ message }) => String(message['id'])).filter((id) => id.startsWith('many')));
    assert.deepEqual([ids.size, opened.asked.length], [200, 3]);
  });

  test('two hundred that are identical are one question, for twenty of them', async () => {
    const opened = await open({ files: FILES });
    const life = opened.mcpl.life();
    const params = opened.folders.realIn({ featureSet: 'files', scope: { label: '/out/x' } });
    await life.say(
      ...Array.from({ length: 200 }, (_, id) => ({
        jsonrpc: '2.0',
        id: `same ${id}`,
        method: 'scope/elevate',
        params,
      })),
    );
    const answers = (text: string): number =>
      life.heard.filter(
        ({ message }) => String(message['id']).startsWith('same') && opened.mcpl.answerText(message) === text,
      ).length;
    await opened.mcpl.until('180 answers', () => answers(MANY) >= 180);
    assert.deepEqual(
      opened.mcpl.host.approvals.pending().map(({ waiting }) => waiting),
      [20],
    );
    await opened.answer('once');
    await opened.mcpl.until('200 answers', () => answers(YES) + answers(MANY) >= 200);
    assert.deepEqual([answers(YES), answers(MANY), opened.asked.length], [20, 180, 1]);
  });

  function openStored(options: { readonly start?: boolean } = {}): Promise<ScopeCase> {
    return open({ files: FILES, isStored: true, ...options });
  }
});

function approved(payload: JsonObject): string {
  return `{"approved":true,"payload":${JSON.stringify(payload)}}`;
}

function runApprover({ mcpl, folders }: ScopeCase): ChildProcess {
  const options = { servers: mcpl.servers, folder: folders.ws, storageFile: folders.storageFile };
  return spawn(process.execPath, [APPROVER, JSON.stringify(options)], { stdio: 'ignore' });
}

async function killed(child: ChildProcess): Promise<void> {
  const closed = once(child, 'close');
  child.kill('SIGKILL');
  await closed;
}
