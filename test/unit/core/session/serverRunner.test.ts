import assert from 'node:assert/strict';
import { Deferred } from '../../../../src/core/base/async.ts';
import { toDisposable } from '../../../../src/core/base/disposable.ts';
import { Emitter } from '../../../../src/core/base/event.ts';
import type { PreparedConnection } from '../../../../src/core/session/serverRunner.ts';
import { settle } from '../../../support/fakeClock.ts';
import { initializeResult, NO_ANSWER, ScriptedServer } from '../../../support/scriptedServer.ts';
import { serverDefinition } from '../../../support/serverDefinition.ts';
import { Bench, failure, LEGACY, PREPARED, RUNNING, shown } from './runnerBench.ts';

suite('A server that is started', () => {
  let bench: Bench;
  teardown(() => bench.close());

  test('is starting at once, then runs, and says in its log what it is', async () => {
    bench = new Bench();
    assert.equal(shown(bench.runner.state), 'stopped (notStarted)');
    const started = bench.runner.start();
    assert.equal(shown(bench.runner.state), 'starting');
    await started;
    assert.deepEqual(bench.news(), RUNNING);
    assert.deepEqual(bench.runner.state, {
      kind: 'running',
      info: { name: 'scripted', title: undefined, version: '1.0.0', instructions: undefined },
      protocolVersion: '2025-06-18',
      connection: { era: 'legacy', isDialect: false, roundTripMs: 0, transport: 'stdio', session: undefined },
      pid: 101,
      since: 0,
    });
    await bench.runner.stop('restrictedMode');
    assert.deepEqual(bench.logs, [
      'info: Starting.',
      'info: Running: scripted 1.0.0, MCP 2025-06-18, process 101.',
      'info: Stopping.',
      'info: Stopped: this workspace is not trusted.',
    ]);
  });

  test('has its facts from the transport, and may have neither a name nor a process', async () => {
    bench = new Bench();
    bench.opened = { pid: undefined };
    bench.connect = () => {
      const server = new ScriptedServer({ initialize: () => initializeResult({ serverInfo: {} }) });
      return Object.assign(server, {
        transport: Object.assign(server.transport, { details: { kind: 'http', session: 's1' } }),
      });
    };
    await bench.start();
    const { state } = bench.runner;
    assert.deepEqual(state.kind === 'running' && [state.connection.transport, state.connection.session, state.pid], [
      'http',
      's1',
      undefined,
    ]);
    assert.match(bench.logs.at(-1) ?? '', /^info: Running: unnamed .*, MCP 2025-06-18\.$/);
  });

  test('is started once however often that is asked for', async () => {
    bench = new Bench();
    const first = bench.runner.start();
    assert.equal(bench.runner.start(), first);
    await first;
    await bench.runner.start();
    assert.equal(bench.servers.length, 1);
    assert.deepEqual(bench.news(), RUNNING);
  });

  test('has a session as long as it runs', async () => {
    bench = new Bench();
    await bench.start();
    const opened = (): string | undefined => bench.runner.session?.handshake.protocolVersion;
    assert.equal(opened(), '2025-06-18');
    const over = new Deferred<void>();
    bench.server.heldOpen = over.promise;
    const stopped = bench.runner.stop('byUser');
    await settle();
    assert.equal(bench.runner.session, undefined);
    over.resolve();
    await stopped;
  });

  test('waits until nothing is left of another one under its id', async () => {
    const after = new Deferred<void>();
    bench = new Bench({}, { after: after.promise });
    assert.equal(await bench.start(), 'not yet');
    assert.deepEqual([bench.servers.length, bench.news()], [0, ['starting']]);
    after.resolve();
    await settle();
    assert.deepEqual(bench.news(), ['running pid 101 since 0']);
  });

  test('shows that the user is asked, and goes on when they have answered', async () => {
    const answer = new Deferred<PreparedConnection>();
    bench = new Bench();
    bench.prepare = (_definition, _token, asking) => {
      asking();
      return answer.promise;
    };
    await bench.start();
    assert.deepEqual(bench.news(), ['starting', 'asking']);
    answer.resolve(PREPARED);
    await settle();
    assert.deepEqual(bench.news(), RUNNING);
    assert.ok(bench.logs.includes('info: Waiting for an answer.'));
  });

  test('shows that its connection waits for the user, until it runs', async () => {
    const waiting = new Emitter<boolean>();
    bench = new Bench();
    bench.opened = { onWaiting: waiting.event };
    bench.connect = () => new ScriptedServer({ initialize: () => NO_ANSWER });
    await bench.start();
    waiting.fire(true);
    waiting.fire(false);
    waiting.fire(true);
    waiting.fire(false);
    bench.server.answer(1, initializeResult());
    await settle();
    waiting.fire(true);
    assert.deepEqual(bench.news(), ['starting', 'asking', 'starting', 'asking', ...RUNNING]);
    waiting.dispose();
  });

  test('has the time that its settings give it, and the settings of its last definition', async () => {
    bench = new Bench();
    bench.connect = () => new ScriptedServer({ initialize: () => NO_ANSWER });
    bench.runner.define(
      serverDefinition({ protocol: LEGACY, timeouts: { start: 5, list: 1, call: 1, callMax: 1 }, restart: 'never' }),
    );
    await bench.start();
    await bench.clock.advance(4_999);
    assert.equal(bench.runner.state.kind, 'starting');
    await bench.clock.advance(1);
    assert.deepEqual(bench.news().slice(1), [
      'failed (HANDSHAKE_FAILED: The server did not answer "initialize" within 5 seconds.)',
    ]);
    assert.equal(bench.server.closed, true);
    assert.equal(bench.runner.definition.restart, 'never');
  });

  test('is seen by a tap', async () => {
    let taps = 0;
    bench = new Bench({}, { tap: (transport) => (taps++, transport) });
    await bench.start();
    assert.equal(taps, 1);
  });
});

suite('A server that is not allowed to start', () => {
  let bench: Bench;
  teardown(() => bench.close());

  for (const [code, end] of [
    ['NOT_APPROVED', 'stopped (notApproved)'],
    ['CANCELLED', 'stopped (notApproved)'],
    ['VARIABLE_UNRESOLVED', 'failed (VARIABLE_UNRESOLVED: it failed)'],
  ] as const)
    test(`because of ${code} is then ${end.replace(/ \(.*/, '')}`, async () => {
      bench = new Bench();
      bench.prepare = () => Promise.reject(failure(code));
      assert.equal(await bench.start(), code);
      assert.deepEqual(bench.news(), ['starting', end]);
      assert.equal(bench.loads, 0);
      await bench.clock.advance(60_000);
      assert.deepEqual(bench.news(), []);
    });

  test('fails without an unhandled rejection', async () => {
    bench = new Bench();
    bench.prepare = () => Promise.reject(new Error('unforeseen'));
    void bench.runner.start();
    await settle();
    assert.deepEqual(bench.news(), ['starting', 'failed (INTERNAL: unforeseen)']);
    assert.deepEqual(bench.logs, ['info: Starting.', 'error: unforeseen', 'info: Failed: unforeseen']);
  });
});

suite('A server that is stopped', () => {
  let bench: Bench;
  teardown(() => bench.close());

  test('without having run takes the reason', async () => {
    bench = new Bench();
    await bench.runner.stop('notAllowed');
    assert.deepEqual(bench.news(), ['stopped (notAllowed)']);
    assert.deepEqual(bench.logs, ['info: Stopped: it is not allowed by your organisation.']);
  });

  test('is stopping until its process is gone', async () => {
    bench = new Bench();
    await bench.start();
    const over = new Deferred<void>();
    bench.server.heldOpen = over.promise;
    let isStopped = false;
    const stopped = bench.runner.stop('byUser').then(() => (isStopped = true));
    await settle();
    assert.deepEqual([bench.news().slice(2), isStopped], [['stopping'], false]);
    over.resolve();
    await stopped;
    assert.deepEqual(bench.news(), ['stopped (byUser)']);
  });

  test('ends its connection before its session, and after a crash the other way round', async () => {
    bench = new Bench();
    const order: string[] = [];
    bench.features = [{ started: () => toDisposable(() => order.push('session over')) }];
    bench.connect = () => {
      const server = new ScriptedServer();
      const close = server.transport.close.bind(server.transport);
      server.transport.close = () => {
        order.push('close');
        return close();
      };
      return server;
    };
    await bench.start();
    await bench.runner.stop('byUser');
    assert.deepEqual(order.splice(0), ['close', 'session over', 'close']);
    await bench.start();
    await bench.crash();
    assert.deepEqual(order, ['session over', 'close']);
  });

  test('before its start began does not prompt', async () => {
    const after = new Deferred<void>();
    let asked = 0;
    bench = new Bench({}, { after: after.promise });
    bench.prepare = () => {
      asked++;
      return Promise.resolve(PREPARED);
    };
    const started = bench.start();
    const stopped = bench.runner.stop('byUser');
    after.resolve();
    await stopped;
    assert.deepEqual([await started, asked], ['CANCELLED', 0]);
    assert.deepEqual(bench.news(), ['starting', 'stopping', 'stopped (byUser)']);
  });

  test('while the user is asked is stopped at once, and the answer counts no more', async () => {
    const answer = new Deferred<PreparedConnection>();
    const asking: (() => void)[] = [];
    bench = new Bench();
    bench.prepare = (_definition, _token, ask) => {
      asking.push(ask);
      return answer.promise;
    };
    assert.equal(await bench.start(), 'not yet');
    await bench.runner.stop('byUser');
    const again = bench.start();
    asking[0]?.();
    assert.deepEqual(bench.news(), ['starting', 'stopping', 'stopped (byUser)', 'starting']);
    assert.equal(await again, 'not yet');
    answer.resolve(PREPARED);
    await settle();
    assert.deepEqual([bench.servers.length, bench.news()], [1, ['running pid 101 since 0']]);
  });

  test('as soon as it may start loads nothing', async () => {
    bench = new Bench();
    bench.prepare = () => {
      void bench.runner.stop('byUser');
      return Promise.resolve(PREPARED);
    };
    assert.equal(await bench.start(), 'CANCELLED');
    assert.deepEqual([bench.loads, bench.news()], [0, ['starting', 'stopping', 'stopped (byUser)']]);
  });

  test('at the end of its handshake gets no session', async () => {
    bench = new Bench();
    let isStarted = false;
    bench.features = [{ started: () => ((isStarted = true), toDisposable(() => undefined)) }];
    bench.connect = ({ negotiated }) => {
      negotiated?.(() => void bench.runner.stop('byUser'));
      return new ScriptedServer();
    };
    assert.equal(await bench.start(), 'CANCELLED');
    assert.deepEqual([isStarted, bench.runner.session, bench.server.closed], [false, undefined, true]);
    assert.deepEqual(bench.news(), ['starting', 'stopping', 'stopped (byUser)']);
  });

  test('by one of its features has not started', async () => {
    bench = new Bench();
    bench.features = [{ started: () => (void bench.runner.stop('byUser'), toDisposable(() => undefined)) }];
    assert.equal(await bench.start(), 'CANCELLED');
    assert.deepEqual(bench.news(), [...RUNNING, 'stopping', 'stopped (byUser)']);
    assert.equal(bench.server.closed, true);
  });

  test('takes no word of its connection for its state', async () => {
    const waiting = new Emitter<boolean>();
    const over = new Deferred<void>();
    bench = new Bench();
    bench.opened = { onWaiting: waiting.event };
    bench.connect = () => new ScriptedServer({ initialize: () => NO_ANSWER });
    await bench.start();
    bench.server.heldOpen = over.promise;
    const stopped = bench.runner.stop('byUser');
    over.resolve();
    await stopped;
    waiting.fire(true);
    assert.deepEqual(bench.news(), ['starting', 'stopping', 'stopped (byUser)']);
    waiting.dispose();
  });

  test('and started meanwhile starts when it is over, once', async () => {
    bench = new Bench();
    await bench.start();
    const over = new Deferred<void>();
    bench.server.heldOpen = over.promise;
    const stopped = bench.runner.stop('byUser');
    const again = bench.start();
    over.resolve();
    await stopped;
    assert.deepEqual(bench.news(), [...RUNNING, 'stopping', 'stopped (byUser)', 'starting']);
    await bench.runner.start();
    assert.equal(await again, 'started');
    assert.deepEqual([bench.servers.length, bench.news()], [2, ['running pid 102 since 0']]);
  });

  test('for good says nothing any more', async () => {
    bench = new Bench();
    await bench.start();
    bench.runner.dispose();
    await settle();
    assert.deepEqual([bench.news(), bench.server.closed], [[...RUNNING, 'stopping'], true]);
    assert.equal(shown(bench.runner.state), 'stopped (byUser)');
  });
});

suite('A server that is restarted', () => {
  let bench: Bench;
  teardown(() => bench.close());

  test('is stopped and started', async () => {
    bench = new Bench();
    await bench.start();
    await bench.runner.restart();
    assert.deepEqual(bench.news(), [...RUNNING, 'stopping', 'stopped (byUser)', 'starting', 'running pid 102 since 0']);
  });

  test('stays stopped when that was asked for meanwhile', async () => {
    bench = new Bench();
    await bench.start();
    await Promise.all([bench.runner.restart(), bench.runner.stop('notAllowed')]);
    await settle();
    assert.deepEqual([bench.servers.length, shown(bench.runner.state)], [1, 'stopped (notAllowed)']);
  });

  test('stays stopped when that was the last of several words', async () => {
    bench = new Bench();
    await bench.start();
    await Promise.all([
      bench.runner.restart(),
      assert.rejects(bench.runner.start(), { code: 'CANCELLED' }),
      bench.runner.stop('notAllowed'),
    ]);
    await settle();
    assert.deepEqual([bench.servers.length, shown(bench.runner.state)], [1, 'stopped (notAllowed)']);
  });

  test('and started meanwhile is started once', async () => {
    bench = new Bench();
    await bench.start();
    await Promise.all([bench.runner.restart(), bench.runner.start()]);
    await settle();
    assert.equal(bench.servers.length, 2);
  });
});
