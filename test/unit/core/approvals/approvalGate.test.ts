import assert from 'node:assert/strict';
import type { CancellationToken } from '../../../../src/core/base/cancellation.ts';
import { toDisposable } from '../../../../src/core/base/disposable.ts';
import { settle } from '../../../support/fakeClock.ts';
import { ApprovalCase, sayOutcome, scopeRequest } from './approvalCase.ts';

suite('Questions whether something is approved', () => {
  let own: ApprovalCase;

  setup(() => {
    own = new ApprovalCase();
  });

  teardown(() => {
    own.dispose();
    assert.equal(own.clock.waiting, 0, 'timers are left');
  });

  const call = (tool: string): Parameters<ApprovalCase['ask']>[1] => ({
    call: { server: 'files', tool, args: {}, route: 'command' },
  });

  test('are put once for identical requests, and answered for all of them', async () => {
    own.ask('/etc/hosts', call('append'));
    await own.clock.advance(1_000);
    own.ask('/etc/hosts', call('append'));
    own.ask('/etc/hosts');
    own.ask('/etc/passwd');
    assert.deepEqual(own.state(), [
      'q1 files /etc/hosts 0 s..60 s waiting 3 append append',
      'q2 files /etc/passwd 1 s..61 s waiting 1',
    ]);
    assert.equal(await own.approvals.answer('q1', 'once'), true);
    await settle();
    assert.deepEqual(own.outcomes, ['once', 'once', 'once', 'waits']);
    assert.deepEqual(own.events, ['ask q1 /etc/hosts', 'ask q2 /etc/passwd', 'settle q1 once (3 waited)']);
    own.ask('/etc/hosts');
    assert.deepEqual(own.state(), [
      'q2 files /etc/passwd 1 s..61 s waiting 1',
      'q3 files /etc/hosts 1 s..61 s waiting 1',
    ]);
  });

  test('are not the same for two servers, nor for two programs of one id', async () => {
    own.ask('/etc/hosts');
    own.ask('/etc/hosts', { server: 'other' });
    own.ask('/etc/hosts', { fingerprint: 'another' });
    await own.approvals.answer('q1', 'session');
    await settle();
    assert.deepEqual(own.outcomes, ['session', 'waits', 'waits']);
    assert.deepEqual(
      [
        await own.found('/etc/hosts'),
        await own.found('/etc/hosts', { server: 'other' }),
        await own.found('/etc/hosts', { fingerprint: 'another' }),
      ],
      ['session files print /etc/hosts for ever', 'nothing', 'nothing'],
    );
  });

  test('take the first answer and no other', async () => {
    own.ask('/etc/hosts');
    const { approvals } = own;
    const answers = await Promise.all([
      approvals.answer('q1', 'session'),
      approvals.answer('q1', 'deny'),
      approvals.answer('q1', 'workspace'),
      approvals.answer('q7', 'once'),
    ]);
    assert.deepEqual([answers, own.outcomes], [[true, false, false, false], ['session']]);
    assert.deepEqual(own.state(), ['session files print /etc/hosts for ever']);
    assert.deepEqual(own.events, ['ask q1 /etc/hosts', 'settle q1 session (1 waited)']);
  });

  test('are denied when they are closed or time out, and may be put again at once', async () => {
    own.seconds = 5;
    own.ask('/a');
    own.ask('/b');
    await own.clock.advance(4_999);
    await own.approvals.answer('q1', 'dismiss');
    await settle();
    assert.deepEqual(own.outcomes, ['dismissed', 'waits']);
    await own.clock.advance(1);
    assert.deepEqual(own.outcomes, ['dismissed', 'timeout']);
    assert.equal(await own.approvals.answer('q2', 'once'), false);
    own.ask('/a');
    own.ask('/b');
    assert.deepEqual(own.state(), ['q3 files /a 5 s..10 s waiting 1', 'q4 files /b 5 s..10 s waiting 1']);
  });

  test('are denied for a while without being put, when the user has just denied the same', async () => {
    own.ask('/a');
    await own.approvals.answer('q1', 'deny');
    await own.clock.advance(9_999);
    own.ask('/a');
    own.ask('/a', { fingerprint: 'another' });
    await settle();
    assert.deepEqual(own.outcomes, ['byPerson', 'byPerson', 'waits']);
    await own.clock.advance(1);
    own.ask('/a');
    await settle();
    assert.deepEqual(own.outcomes, ['byPerson', 'byPerson', 'waits', 'waits']);
    assert.deepEqual(own.events, ['ask q1 /a', 'settle q1 byPerson (1 waited)', 'ask q2 /a', 'ask q3 /a']);
  });

  test('are denied without being put for the latest hundred denials, of which the oldest is forgotten first', async () => {
    for (let i = 0; i < 101; i++) {
      own.ask('/a', { server: `server ${i}` });
      await own.approvals.answer(`q${i + 1}`, 'deny');
    }
    const again = [0, 1, 2, 100].map((i) => own.ask('/a', { server: `server ${i}` }));
    await settle();
    assert.deepEqual(
      again.map(({ outcome }) => sayOutcome(outcome)),
      ['waits', 'byPerson', 'byPerson', 'byPerson'],
    );
  });

  test('are denied without a user to ask', async () => {
    own.listener.dispose();
    own.ask('/a');
    await settle();
    assert.deepEqual([own.outcomes, own.state(), own.events], [['nobody'], [], []]);
  });

  test('of one server are three at the most, of all servers twenty', async () => {
    for (const target of ['/a', '/b', '/c', '/d', '/a']) own.ask(target);
    own.ask('/a', { server: 'other' });
    await settle();
    assert.deepEqual(own.outcomes, ['waits', 'waits', 'waits', 'flood', 'waits', 'waits']);
    for (let i = 0; i < 20; i++) own.ask('/x', { server: `server ${i}` });
    await settle();
    assert.equal(own.approvals.pending().length, 20);
    assert.deepEqual(own.outcomes.slice(-5), ['waits', 'flood', 'flood', 'flood', 'flood']);
    await own.approvals.answer('q1', 'once');
    own.ask('/d');
    assert.equal(own.approvals.pending().length, 20);
  });

  test('of one server are twelve within a minute at the most, those that are not put not counted', async () => {
    for (let i = 0; i < 5; i++) {
      for (const target of ['/a', '/b', '/c', '/too much']) own.ask(target);
      for (const { id } of own.approvals.pending()) await own.approvals.answer(id, 'once');
      await own.clock.advance(1_000);
    }
    const said = (): string => own.outcomes.map((outcome) => outcome.charAt(0)).join('');
    assert.equal(said(), 'ooofooofooofooofffff');
    await own.clock.advance(54_999);
    own.ask('/a');
    await settle();
    assert.equal(said().slice(20), 'f');
    await own.clock.advance(1);
    for (const target of ['/a', '/b', '/c', '/d']) own.ask(target);
    await settle();
    assert.equal(said().slice(20), 'fwwwf');
  });

  test('keep no more requests waiting than the user can overlook', async () => {
    for (let i = 0; i < 22; i++) own.ask('/a');
    await settle();
    assert.deepEqual(own.state(), ['q1 files /a 0 s..60 s waiting 20']);
    assert.deepEqual(own.outcomes.slice(-3), ['waits', 'flood', 'flood']);
  });

  test('go when the last who waits has left', async () => {
    const [first, second] = [own.ask('/a'), own.ask('/a')];
    first.token.cancel();
    await settle();
    assert.deepEqual([own.outcomes, own.state()], [['withdrawn', 'waits'], ['q1 files /a 0 s..60 s waiting 1']]);
    second.token.cancel();
    await settle();
    assert.deepEqual([own.outcomes, own.state()], [['withdrawn', 'withdrawn'], []]);
    assert.deepEqual(own.events, ['ask q1 /a', 'settle q1 withdrawn (1 waited)']);
  });

  test('are not put for who has left before', async () => {
    const { token } = own.ask('/a');
    token.cancel();
    const outcome = await own.approvals.ask(scopeRequest('/b'), token.token);
    assert.deepEqual(outcome, { kind: 'denied', why: 'withdrawn' });
    assert.deepEqual(own.events, ['ask q1 /a', 'settle q1 withdrawn (1 waited)']);
  });

  test('go with their server, and all of them at the end', async () => {
    own.ask('/a');
    own.ask('/b');
    own.ask('/a', { server: 'other' });
    own.approvals.withdraw('files');
    await settle();
    assert.deepEqual(own.outcomes, ['withdrawn', 'withdrawn', 'waits']);
    assert.deepEqual(own.state(), ['q3 other /a 0 s..60 s waiting 1']);
    own.approvals.dispose();
    own.ask('/c');
    await settle();
    assert.deepEqual([own.outcomes.slice(2), own.state()], [['withdrawn', 'withdrawn'], []]);
    assert.equal(own.clock.waiting, 0);
  });

  test('may be answered by the first listener, while they are put', async () => {
    own.approvals.onDidAsk(({ id }) => void own.approvals.answer(id, 'once'));
    own.ask('/a');
    await settle();
    assert.deepEqual([own.outcomes, own.state()], [['once'], []]);
  });

  test('are not put if the first listener withdraws them', async () => {
    own.approvals.onDidChange(() => own.approvals.withdraw('files'));
    own.ask('/a');
    await settle();
    assert.deepEqual([own.outcomes, own.events], [['withdrawn'], ['settle q1 withdrawn (1 waited)']]);
  });

  test('stop listening for cancellation once they are answered', async () => {
    let listening = 0;
    const token: CancellationToken = {
      isCancellationRequested: false,
      onCancellationRequested: () => {
        listening++;
        return toDisposable(() => listening--);
      },
    };
    const outcome = own.approvals.ask(scopeRequest('/a'), token);
    assert.equal(listening, 1);
    await own.approvals.answer('q1', 'once');
    assert.deepEqual([await outcome, listening], [{ kind: 'approved', choice: 'once' }, 0]);
  });

  test('end where a token is cancelled while the gate begins to listen to it', async () => {
    let listening = 1;
    const token: CancellationToken = {
      isCancellationRequested: false,
      onCancellationRequested: (listener) => {
        listener(undefined);
        return toDisposable(() => listening--);
      },
    };
    assert.deepEqual(await own.approvals.ask(scopeRequest('/a'), token), { kind: 'denied', why: 'withdrawn' });
    assert.deepEqual([own.state(), own.events, listening], [[], ['settle q1 withdrawn (1 waited)'], 0]);
  });

  test('ignore tokens that are cancelled after the answer', async () => {
    const late: (() => void)[] = [];
    const token: CancellationToken = {
      isCancellationRequested: false,
      onCancellationRequested: (listener) => {
        late.push(() => listener(undefined));
        return toDisposable(() => undefined);
      },
    };
    const outcomes = [own.approvals.ask(scopeRequest('/a'), token), own.approvals.ask(scopeRequest('/a'), token)];
    await own.approvals.answer('q1', 'once');
    await own.clock.advance(100);
    const list = own.approvals.pending();
    let changes = 0;
    own.approvals.onDidChange(() => changes++);
    for (const cancel of late) cancel();
    await own.clock.advance(100);
    assert.equal(own.approvals.pending(), list);
    assert.deepEqual(
      [changes, own.events, (await Promise.all(outcomes)).map(sayOutcome)],
      [0, ['ask q1 /a', 'settle q1 once (2 waited)'], ['once', 'once']],
    );
  });

  test('are announced in bursts, and a listener that fails prevents no answer', async () => {
    let told = 0;
    own.approvals.onDidChange(() => told++);
    own.approvals.onDidAsk(() => {
      throw new Error('no window');
    });
    for (let i = 0; i < 10; i++) own.ask('/a');
    assert.equal(told, 1);
    await own.clock.advance(50);
    assert.equal(told, 2);
    await own.approvals.answer('q1', 'once');
    await own.clock.advance(100);
    assert.deepEqual([told, own.outcomes[9]], [3, 'once']);
    assert.deepEqual(own.logged, ['error: An approval could not be shown: no window']);
  });

  test('are the same list until something changes', () => {
    own.ask('/a');
    const list = own.approvals.pending();
    assert.equal(own.approvals.pending(), list);
    own.ask('/a');
    assert.notEqual(own.approvals.pending(), list);
  });
});
