import assert from 'node:assert/strict';
import { HostError, toHostError } from '../../../../src/core/base/errors.ts';
import { NO_LOG } from '../../../../src/core/base/log.ts';
import { Peer } from '../../../../src/core/rpc/peer.ts';
import { settle } from '../../../support/fakeClock.ts';
import { NO_ANSWER, ScriptedServer } from '../../../support/scriptedServer.ts';
import { BEFORE, failureOf, HookMember, HookStage, injection } from './hookStage.ts';

function server(
  name: string,
  position: string,
  content: string,
  changes: Partial<HookMember['hooks']> = {},
): HookMember {
  return new HookMember(name, { [BEFORE]: () => injection(position, content) }, changes);
}

suite('Before a model is asked', () => {
  test('every server with the hook gets the turn, and its context reaches the model', async () => {
    const stage = new HookStage(server('memory', 'beforeUser', 'You like tea.'));
    const result = await stage.said(['Fine', '.'], { turnIndex: 1, inferenceId: 'inf_given' });
    const [request] = stage.members[0]!.requests;
    assert.deepEqual(request?.params, {
      inferenceId: 'inf_given',
      conversationId: 'c1',
      turnIndex: 1,
      userMessage: 'How are you?',
      model: { id: 'fake-1', vendor: 'acme', contextWindow: 8_000, capabilities: ['vision'] },
    });
    assert.equal(
      stage.prompt,
      'user: <context server="memory" namespace="facts">\nYou like tea.\n</context>\nuser: How are you?',
    );
    assert.deepEqual(result.injectedBy, [{ server: 'memory', namespace: 'facts', position: 'beforeUser' }]);
    assert.deepEqual(stage.steps, ['Asking memory for context']);
    assert.equal(
      stage.audited,
      'memory context/beforeInference hooks inf_given success 0 ms - 1 of 1 injections used.',
    );
    assert.equal(stage.members[0]?.hooksUnderWay, 0);
  });

  test('all are asked before any answers, and the turn takes as long as the slowest', async () => {
    const members = Array.from({ length: 20 }, (_, n) => new HookMember(`s${n}`));
    const stage = new HookStage(...members);
    const turn = stage.run();
    await settle();
    assert.deepEqual(
      members.map(({ requests, hooksUnderWay }) => [requests.length, hooksUnderWay]),
      Array(20).fill([1, 1]),
    );
    for (const [n, member] of members.entries()) {
      stage.clock.delay(100 + n, () => member.last.answer.resolve({}));
    }
    await stage.clock.advance(118);
    assert.equal(stage.model.runs.length, 0);
    await stage.clock.advance(1);
    stage.says('ok');
    assert.equal((await turn).text, 'ok');
    assert.equal(stage.clock.now(), 1_000_119);
  });

  test('only servers that announced it and have a set on for it are asked', async () => {
    const off = new HookMember('off');
    off.sets = { other: ['contextHooks.afterInference'] };
    const silent = new HookMember('silent');
    silent.dialect.before = false;
    const gone = new HookMember('gone');
    gone.isConnected = false;
    const stage = new HookStage(off, silent, gone);
    await stage.said(['ok']);
    assert.deepEqual([off.requests.length, silent.requests.length, stage.steps, stage.audited], [0, 0, [], '']);
  });

  test('a server that may not read the user’s message does not get it', async () => {
    const stage = new HookStage(
      new HookMember('a', { [BEFORE]: () => ({}) }, { readUserMessage: false }),
      server('b', 'system', 'x'),
    );
    await stage.said(['ok']);
    assert.deepEqual(
      stage.members.map(({ requests }) => requests[0]?.params['userMessage']),
      [null, 'How are you?'],
    );
  });

  test('their context follows the order of their settings, however fast each is', async () => {
    for (let round = 0; round < 5; round++) {
      const late = new HookMember('late', {}, { order: -1 });
      const stage = new HookStage(
        server('b', 'system', 'b1'),
        server('a', 'system', 'a1'),
        server('last', 'system', 'c1', { order: 1 }),
        late,
      );
      const turn = stage.run();
      await settle();
      late.last.answer.resolve(injection('system', 'first'));
      await settle();
      stage.says('ok');
      const { injectedBy } = await turn;
      assert.equal(injectedBy.map((one) => one.server).join(' '), 'late b a last');
      assert.match(stage.prompt, /first[^]*b1[^]*a1[^]*c1[^]*How are you/);
    }
  });

  test('one that does not answer is not waited for beyond its time, and what it says later changes nothing', async () => {
    const slow = new HookMember('slow', {}, { beforeTimeoutMs: 3_000 });
    const stage = new HookStage(slow, server('quick', 'system', 'fact'));
    const turn = stage.run();
    await stage.clock.advance(2_999);
    assert.deepEqual([stage.model.runs.length, slow.hooksUnderWay], [0, 1]);
    await stage.clock.advance(1);
    assert.deepEqual([stage.model.runs.length, slow.hooksUnderWay], [1, 0]);
    assert.equal(slow.last.options.token?.isCancellationRequested, true);
    const before = stage.prompt;
    slow.last.answer.resolve(injection('system', 'too late'));
    await settle();
    stage.says('ok');
    const { injectedBy, remarks } = await turn;
    assert.equal(stage.prompt, before);
    assert.deepEqual(
      injectedBy.map((one) => one.server),
      ['quick'],
    );
    assert.deepEqual(remarks, ['"slow" did not answer in time; the turn goes on without its context.']);
    assert.equal(
      stage.audited,
      [
        'quick context/beforeInference hooks inf_1 success 0 ms - 1 of 1 injections used.',
        'slow context/beforeInference hooks inf_1 timeout 3000 ms - The server did not answer in time.',
      ].join('\n'),
    );
    assert.equal(stage.clock.waiting, 0);
  });

  test('one that fails, ends or answers nonsense is left out', async () => {
    const broken = new HookMember('broken', {
      [BEFORE]: () => new HostError('REMOTE_ERROR', 'No such\nhunter2', { layer: 'server' }),
    });
    const ends = new HookMember('ends');
    const stage = new HookStage(
      broken,
      ends,
      new HookMember('nonsense', { [BEFORE]: () => 42 }),
      new HookMember('list', {
        [BEFORE]: () => ({ contextInjections: [7, { namespace: 'n', position: 'top', content: 'x' }] }),
      }),
      new HookMember('empty', { [BEFORE]: () => ({ contextInjections: [] }) }),
    );
    const turn = stage.run();
    await settle();
    ends.last.answer.reject(toHostError(new Error('The connection is closed.')));
    await settle();
    stage.says('ok');
    assert.deepEqual((await turn).remarks, [
      '"broken" failed: No such ‹secret›; the turn goes on without its context.',
      '"ends" failed: The connection is closed; the turn goes on without its context.',
      '"nonsense": Its answer is not an object.',
      '"list": Injection 1 is not an object.',
      '"list": Injection 2 names no position of system, beforeUser, afterUser.',
    ]);
    assert.equal(stage.prompt, 'user: How are you?');
    assert.deepEqual(
      stage.records.map(({ server: name, outcome }) => `${name} ${outcome}`),
      ['broken failure', 'nonsense dropped', 'list dropped', 'empty success', 'ends failure'],
    );
  });

  test('an answer that names a set that is off, unknown or has no such hook is dropped', async () => {
    const names = ['off', 'unknown', 'tools', 'hooks', undefined];
    for (const [n, name] of names.entries()) {
      const member = new HookMember('a');
      member.sets = { hooks: ['contextHooks.beforeInference'], tools: ['tools'] };
      const stage = new HookStage(member);
      const turn = stage.run();
      await settle();
      member.last.answer.resolve({ ...injection('system', 'x'), featureSet: name ?? null });
      await settle();
      stage.says('ok');
      const { injectedBy, remarks } = await turn;
      assert.deepEqual([injectedBy.length, stage.records[0]?.outcome], n < 3 ? [0, 'dropped'] : [1, 'success'], name);
      if (n < 3) {
        const why = `it names the feature set "${name}", which has no part in this hook`;
        assert.deepEqual(remarks, [`The context of "a" was not used: ${why}.`]);
      }
    }
  });

  test('a server that is switched off while it is asked, or while others are, adds nothing', async () => {
    const [early, late] = [new HookMember('early'), new HookMember('late')];
    const stage = new HookStage(early, late);
    const turn = stage.run();
    await settle();
    early.last.answer.resolve(injection('system', 'x'));
    await settle();
    early.sets = {};
    late.sets = {};
    late.last.answer.resolve(injection('system', 'y'));
    await settle();
    stage.says('ok');
    const { remarks } = await turn;
    assert.equal(stage.prompt, 'user: How are you?');
    const why = 'no feature set of it with this hook is on any more';
    assert.deepEqual(remarks, [
      `The context of "early" was not used: ${why}.`,
      `The context of "late" was not used: ${why}.`,
    ]);
    assert.deepEqual(
      stage.records.map(({ server: name, outcome }) => `${name} ${outcome}`),
      ['early success', 'late dropped', 'early dropped'],
    );
  });

  test('a turn that is cancelled stops asking at once', async () => {
    const member = new HookMember('a');
    const stage = new HookStage(member);
    const failure = failureOf(stage.run());
    await settle();
    stage.source.cancel();
    assert.equal(await failure, 'CANCELLED | - | The turn was cancelled. | -');
    assert.deepEqual([member.last.options.token?.isCancellationRequested, member.hooksUnderWay], [true, 0]);
    assert.deepEqual([stage.model.runs.length, stage.clock.waiting], [0, 0]);
    assert.equal(
      stage.audited,
      'a context/beforeInference hooks inf_1 cancelled 0 ms - The server was not waited for: the turn was cancelled.',
    );
  });

  test('over a real connection a hook that is not waited for is cancelled, and its late answer ignored', async () => {
    const stage = new HookStage();
    const heard = new ScriptedServer({ [BEFORE]: () => NO_ANSWER });
    const peer = new Peer(
      heard.transport,
      { request: () => null, notification: () => undefined },
      { clock: stage.clock, log: (level, message) => NO_LOG.log(level, message) },
    );
    const member = new HookMember('wire');
    Object.defineProperty(member, 'session', { value: peer });
    stage.members.push(member);
    const turn = stage.run();
    await stage.clock.advance(5_000);
    heard.answer(1, injection('system', 'too late'));
    await settle();
    stage.says('ok');
    assert.deepEqual((await turn).injectedBy, []);
    assert.deepEqual(
      heard.heard.map((line) => line.split(' ')[0]),
      [BEFORE, 'notifications/cancelled'],
    );
    assert.match(heard.heard[1]!, /"requestId":1/);
    const cancelled = failureOf(stage.run());
    await settle();
    stage.source.cancel();
    await cancelled;
    await settle();
    assert.match(heard.heard.at(-1)!, /notifications\/cancelled .*"requestId":2,"reason":"The turn was cancelled."/);
    peer.dispose();
    await heard.transport.close();
  });
});
