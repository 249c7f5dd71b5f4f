import assert from 'node:assert/strict';
import { Deferred } from '../../../../src/core/base/async.ts';
import { isHostError } from '../../../../src/core/base/errors.ts';
import { settle } from '../../../support/fakeClock.ts';
import { Bench, failure, RUNNING } from './runnerBench.ts';

suite('A server that exits', () => {
  let bench: Bench;
  teardown(() => bench.close());

  test('is started again after a pause, and the log says when', async () => {
    bench = new Bench();
    await bench.start();
    await bench.crash(failure('SERVER_EXITED', 'The server ended with s3cret.'));
    assert.equal(bench.runner.session, undefined);
    assert.deepEqual(bench.news().slice(2), ['restarting at 1000 (SERVER_EXITED)']);
    assert.deepEqual(bench.logs.slice(2), [
      'error: The server ended with ***.',
      'info: Starting again in 1.0 seconds.',
      'info: Ended: The server ended with ***.',
    ]);
    await bench.clock.advance(999);
    assert.deepEqual(bench.news(), []);
    await bench.clock.advance(1);
    assert.deepEqual(bench.news(), ['starting', 'running pid 102 since 1000']);
  });

  test('without an error has closed the connection', async () => {
    bench = new Bench();
    await bench.start();
    await bench.server.transport.close();
    await settle();
    const { state } = bench.runner;
    assert.deepEqual(
      state.kind === 'restarting' && [state.error.code, state.error.message, state.error.layer, state.error.suggestion],
      ['CONNECTION_CLOSED', 'The server closed the connection.', 'transport', 'See its log.'],
    );
  });

  test('is not started again before its process is gone', async () => {
    bench = new Bench();
    await bench.start();
    const over = new Deferred<void>();
    bench.server.heldOpen = over.promise;
    await bench.crash();
    assert.deepEqual([bench.news(), bench.runner.session, bench.clock.waiting], [RUNNING, undefined, 0]);
    over.resolve();
    await settle();
    assert.deepEqual(bench.news(), ['restarting at 1000 (SERVER_EXITED)']);
  });

  test('is not started again where the settings say never', async () => {
    bench = new Bench({ restart: 'never' });
    await bench.start();
    await bench.crash();
    assert.deepEqual(bench.news().slice(2), ['failed (SERVER_EXITED: The server ended.)']);
    assert.equal(bench.clock.waiting, 0);
  });

  for (const [code, end] of [
    ['SERVER_EXITED', 'restarting at 3000 (SERVER_EXITED)'],
    ['CONNECTION_CLOSED', 'restarting at 3000 (CONNECTION_CLOSED)'],
    ['TIMEOUT', 'restarting at 3000 (TIMEOUT)'],
    ['HANDSHAKE_FAILED', 'restarting at 3000 (HANDSHAKE_FAILED)'],
    ['COMMAND_NOT_FOUND', 'failed (COMMAND_NOT_FOUND: it failed)'],
    ['NOT_APPROVED', 'stopped (notApproved)'],
  ] as const)
    test(`and cannot start again because of ${code} is then ${end.replace(/ .*/, '')}`, async () => {
      bench = new Bench();
      await bench.start();
      await bench.crash();
      bench.prepare = () => Promise.reject(failure(code));
      await bench.clock.advance(1_000);
      assert.deepEqual(bench.news().slice(3), ['starting', end]);
    });

  test('for the first time because it cannot start is not tried again', async () => {
    bench = new Bench();
    bench.prepare = () => Promise.reject(failure('SERVER_EXITED', 'gone'));
    await bench.start();
    assert.deepEqual(bench.news(), ['starting', 'failed (SERVER_EXITED: gone)']);
  });

  test('five times within three minutes is left alone, and a start by hand forgives', async () => {
    bench = new Bench();
    await bench.start();
    for (let crash = 1; crash < 5; crash++) {
      await bench.crash();
      await bench.clock.advance(10_000);
    }
    await bench.crash();
    const { state } = bench.runner;
    assert.deepEqual(
      state.kind === 'failed' && [state.error.message, state.error.layer, state.error.effect, state.error.suggestion],
      [
        'The server ended 5 times within 3 minutes. Last: The server ended.',
        'process',
        'none',
        'See its log, then restart it.',
      ],
    );
    assert.equal(state.kind === 'failed' && isHostError(state.error.cause, 'SERVER_EXITED'), true);
    bench.news();
    await bench.start();
    await bench.crash();
    assert.deepEqual(bench.news().slice(2), ['restarting at 41000 (SERVER_EXITED)']);
  });

  test('is started by hand during the pause, and not a second time after it', async () => {
    bench = new Bench();
    await bench.start();
    await bench.crash();
    assert.equal(await bench.start(), 'started');
    await bench.clock.advance(60_000);
    assert.deepEqual([bench.servers.length, bench.clock.waiting], [2, 0]);
  });

  test('is stopped during the pause', async () => {
    bench = new Bench();
    await bench.start();
    await bench.crash();
    await bench.runner.stop('byUser');
    assert.equal(bench.clock.waiting, 0);
    await bench.clock.advance(60_000);
    assert.deepEqual([bench.servers.length, bench.news().at(-1)], [1, 'stopped (byUser)']);
  });

  test('while a feature starts leaves no session', async () => {
    bench = new Bench();
    bench.features = [
      {
        started: () => {
          throw new Error('no s3cret');
        },
      },
    ];
    assert.equal(await bench.start(), 'INTERNAL');
    assert.deepEqual([bench.runner.session, bench.server.closed], [undefined, true]);
    assert.deepEqual(bench.news(), [...RUNNING, 'restarting at 1000 (INTERNAL)']);
    assert.ok(bench.logs.every((line) => !line.includes('s3cret')));
  });
});
