import assert from 'node:assert/strict';
import { HostError } from '../../../../src/core/index.ts';
import { approval, decision, grant, target } from '../approvals.ts';
import { Driver } from './driver.ts';

const HOSTS = {
  server: 'files',
  featureSet: 'files.edit',
  action: { kind: 'elevate', mode: 'append' },
  label: '/etc/hosts',
  payload: '{\n  "path": "/etc/hosts"\n}',
  targets: [{ kind: 'path', from: 'label', written: '/etc/hosts', real: '/etc/hosts' }],
  why: 'unlisted',
  askedAt: 1,
  expiresAt: 61,
  waiting: 1,
  calls: [],
};
const QUESTION = {
  event: 'question',
  kind: 'approval',
  ...HOSTS,
  answers: ['once', 'session', 'workspace', 'deny', 'dismiss'],
};
const GRANT = {
  server: 'files',
  fingerprint: 'f1',
  featureSet: 'files.edit',
  action: 'scope/elevate',
  label: '/etc/hosts',
  targets: ['/etc/hosts'],
  lifetime: 'workspace',
  by: 'person',
  at: 5,
};
const NOW_NONE = { event: 'approvals', pending: 0, remembered: 0 };
const OK = (id: number, result: unknown): unknown => ({ id, ok: true, result });

suite('Approval requests for a driver', () => {
  let driver: Driver;

  setup(() => (driver = new Driver()));
  teardown(() => driver.dispose());

  const settled = (how: object, id = 'a1'): unknown => ({
    event: 'approvalSettled',
    approval: id,
    server: 'files',
    featureSet: 'files.edit',
    ...how,
  });

  function ask(id: string): string {
    driver.host.approvals.ask(approval(id));
    const asked = driver.written.find((message) => message['kind'] === 'approval' && message['approval'] === id);
    return String(asked?.['question']);
  }

  test('is a question with all facts, and the answer goes to the host', async () => {
    const question = ask('a1');
    assert.deepEqual(driver.heard(), [
      { event: 'approvals', pending: 1, remembered: 0 },
      { ...QUESTION, question, approval: 'a1' },
    ]);
    assert.deepEqual(await driver.say({ id: 1, command: 'answer', question, answer: 'session' }), [
      OK(1, null),
      NOW_NONE,
      settled({ outcome: 'approved', choice: 'session' }),
    ]);
    assert.deepEqual(driver.host.approvals.answers, ['a1 session']);
  });

  test('no answer is a word that it does not know; null leaves it open, which denies it', async () => {
    const question = ask('a1');
    driver.heard();
    for (const answer of ['yes', true, 'Once', {}, 0])
      assert.match(JSON.stringify(await driver.say({ id: 1, command: 'answer', question, answer })), /INVALID_ANSWER/);
    await driver.say({ id: 2, command: 'answer', question, answer: null });
    assert.deepEqual(driver.host.approvals.answers, ['a1 dismiss']);
  });

  test('a question that the host settles is closed, and nothing is answered for it', async () => {
    const question = ask('a1');
    driver.heard();
    driver.host.approvals.settle('a1', { kind: 'denied', why: 'timeout' });
    assert.deepEqual(await driver.say(), [
      NOW_NONE,
      { event: 'questionClosed', question },
      settled({ outcome: 'denied', why: 'timeout' }),
    ]);
    const [late] = (await driver.say({ id: 1, command: 'answer', question, answer: 'once' })) as [{ ok: boolean }];
    assert.equal(late.ok, false);
    assert.deepEqual(driver.host.approvals.answers, []);
  });

  test('may be answered by its own id as well, which closes the question; the first answer counts', async () => {
    const question = ask('a1');
    driver.heard();
    const answer = { command: 'answerApproval', approval: 'a1', answer: 'deny' };
    assert.deepEqual(await driver.say({ id: 1, ...answer }, { id: 2, ...answer, answer: 'once' }), [
      NOW_NONE,
      { event: 'questionClosed', question },
      settled({ outcome: 'denied', why: 'byPerson' }),
      OK(1, { answered: true }),
      OK(2, { answered: false }),
    ]);
    assert.deepEqual(driver.host.approvals.answers, ['a1 deny']);
  });

  test('an answer that cannot be stored is reported', async () => {
    const details = { layer: 'host', effect: 'none', suggestion: 'Free some space.' } as const;
    driver.host.approvals.failure = new HostError('STORAGE_FAILED', 'The disk is full.', details);
    const question = ask('a1');
    driver.heard();
    const heard = await driver.say({ id: 1, command: 'answer', question, answer: 'workspace' });
    const text = 'The answer holds for this one time only. The disk is full. Free some space.';
    assert.deepEqual((heard as unknown[]).at(-1), { event: 'notice', text });
    ask('a2');
    driver.heard();
    const second = await driver.say({ id: 2, command: 'answerApproval', approval: 'a2', answer: 'workspace' });
    assert.match(JSON.stringify(second), /"id":2,"ok":false,"error":\{"code":"STORAGE_FAILED"/);
  });

  test('is listed with what is remembered and how requests were decided', async () => {
    const { approvals } = driver.host;
    const inside = { folder: 'ws', path: 'a.ts' };
    const call = { server: 'files', tool: 'write', args: {}, route: 'gateway', conversationId: 'c1' } as const;
    const request = approval(
      'a1',
      { action: { kind: 'call', tool: 'write' }, label: undefined, targets: [target('/ws/a.ts', { inside })] },
      { waiting: 2, calls: [call] },
    );
    approvals.waiting = [request];
    approvals.granted = [grant('g1'), grant('g2', { lifetime: 'session', until: undefined })];
    approvals.decided = [decision('newer'), decision('older')];
    const { label: _none, ...shown } = HOSTS;
    assert.deepEqual(await driver.say({ id: 1, command: 'approvals', limit: 1 }), [
      OK(1, {
        pending: [
          {
            id: 'a1',
            ...shown,
            action: { kind: 'call', tool: 'write' },
            targets: [{ kind: 'path', from: 'label', written: '/ws/a.ts', real: '/ws/a.ts', inside }],
            waiting: 2,
            calls: [{ tool: 'write', route: 'gateway', conversationId: 'c1' }],
          },
        ],
        remembered: [
          { id: 'g1', ...GRANT, until: 90 },
          { id: 'g2', ...GRANT, lifetime: 'session' },
        ],
        history: [
          {
            place: 1,
            at: 7,
            server: 'files',
            operation: 'scope/decision',
            featureSet: 'files.edit',
            outcome: 'refused',
            durationMs: 2,
            detail: 'newer',
          },
        ],
      }),
    ]);
  });

  test('what is remembered is revoked, and given another end', async () => {
    driver.host.approvals.granted = [grant('g1'), grant('g2'), grant('g3')];
    const left = (...ends: readonly (readonly [string, number?])[]): unknown => ({
      remembered: ends.map(([id, until]) => ({ id, ...GRANT, ...(until !== undefined && { until }) })),
    });
    const revoke = { id: 1, command: 'revokeApprovals', ids: ['g1', 'unknown'] };
    assert.deepEqual(await driver.say(revoke), [OK(1, left(['g2', 90], ['g3', 90]))]);
    const expiry = { id: 2, command: 'setApprovalExpiry', ids: ['g2'] };
    assert.deepEqual(await driver.say({ ...expiry, until: 1_000 }), [OK(2, left(['g2', 1_000], ['g3', 90]))]);
    assert.deepEqual(await driver.say({ ...expiry, until: null }), [OK(2, left(['g2'], ['g3', 90]))]);
  });

  test('a command that says too little is refused: no approval gets no end by mistake', async () => {
    const wrong = [
      { command: 'setApprovalExpiry', ids: ['g1'] },
      { command: 'setApprovalExpiry', ids: ['g1'], until: '2030' },
      { command: 'setApprovalExpiry', until: 5 },
      { command: 'revokeApprovals' },
      { command: 'revokeApprovals', ids: 'g1' },
      { command: 'answerApproval', approval: 'a1' },
      { command: 'answerApproval', approval: 'a1', answer: 'always' },
      { command: 'answerApproval', answer: 'once' },
      { command: 'approvals', limit: -1 },
    ];
    const told = await driver.say(...wrong.map((command, id) => ({ id, ...command })));
    assert.deepEqual(
      (told as { error: { message: string } }[]).map(({ error }) => error.message),
      [
        '"until" is missing: a whole number.',
        '"until" must be a whole number from 0 on.',
        '"ids" must be a list of texts.',
        '"ids" must be a list of texts.',
        '"ids" must be a list of texts.',
        '"answer" must be one of once, session, workspace, deny, dismiss.',
        '"answer" must be one of once, session, workspace, deny, dismiss.',
        '"approval" must be a text.',
        '"limit" must be a whole number from 0 to 5000.',
      ],
    );
  });

  test('no request is shown after the driver has left', async () => {
    const question = ask('a1');
    driver.heard();
    driver.session.dispose();
    await driver.say();
    assert.equal(driver.host.approvals.asked.hasListeners, false);
    assert.deepEqual(driver.host.approvals.answers, []);
    assert.equal(driver.questions.answer(question, 'once'), `There is no open question "${question}".`);
  });
});
