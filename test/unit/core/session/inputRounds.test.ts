import assert from 'node:assert/strict';
import { Deferred } from '../../../../src/core/base/async.ts';
import { CancellationSource, type CancellationToken } from '../../../../src/core/base/cancellation.ts';
import { HostError, isHostError, WireError } from '../../../../src/core/base/errors.ts';
import type { Json, JsonObject } from '../../../../src/core/base/json.ts';
import { InputRounds, type InputRoundsOptions } from '../../../../src/core/session/inputRounds.ts';
import { FakeClock, settle } from '../../../support/fakeClock.ts';
import { watchDisposables } from '../../../support/leaks.ts';

const questions = (count: number, requestState?: string): Parameters<InputRounds['next']>[1] => ({
  inputRequests: Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`q${index}`, { method: 'elicitation/create', params: { index } }]),
  ),
  requestState,
});

class Bench {
  readonly clock = new FakeClock();
  readonly call = new CancellationSource();
  readonly stop = new CancellationSource();
  readonly tokens: CancellationToken[] = [];
  answer: InputRoundsOptions['answer'] = (_method, params) => ({ ...params });
  readonly rounds = new InputRounds('tools/call', this.call.token, {
    clock: this.clock,
    stopping: this.stop.token,
    answer: (method, params, context) => {
      this.tokens.push(context.token);
      return this.answer(method, params, context);
    },
  });

  /** The params of the next attempt, or why there is none. */
  async next(count: number, params: JsonObject = { name: 't' }, state?: string): Promise<JsonObject | string> {
    try {
      return await this.rounds.next(params, questions(count, state));
    } catch (error) {
      if (!isHostError(error)) return String(error);
      const { code, message, layer, effect, suggestion } = error;
      return [`${code}: ${message}`, layer, effect, suggestion].join(' | ');
    }
  }
}

const GIVEN_UP = "so tools/call was given up. | protocol | unknown | See the server's log.";

suite('The rounds of a request', () => {
  let bench: Bench;
  setup(() => {
    bench = new Bench();
  });
  teardown(() => assert.equal(bench.clock.waiting, 0));

  test('give the answers back under their keys, with the state of the last round alone', async () => {
    assert.deepEqual(await bench.next(2, { name: 't', inputResponses: { old: 1 }, requestState: 'old' }, 'new'), {
      name: 't',
      inputResponses: { q0: { index: 0 }, q1: { index: 1 } },
      requestState: 'new',
    });
    assert.deepEqual(await bench.next(1, { inputResponses: { old: 1 }, requestState: 'old' }), {
      inputResponses: { q0: { index: 0 } },
    });
  });

  test('are ten at the most', async () => {
    for (let round = 1; round <= 10; round++) assert.equal(typeof (await bench.next(1)), 'object');
    assert.equal(
      await bench.next(1),
      `REMOTE_ERROR: The server asked for input 10 times without coming to an end, ${GIVEN_UP}`,
    );
  });

  test('ask for 32 inputs at the most', async () => {
    assert.equal(typeof (await bench.next(32)), 'object');
    assert.equal(await bench.next(33), `REMOTE_ERROR: The server asked for 33 inputs at once, ${GIVEN_UP}`);
    assert.equal(bench.tokens.length, 32);
  });

  test('without a question wait longer each time, up to five seconds', async () => {
    const pauses: number[] = [];
    for (let round = 1; round <= 10; round++) {
      const next = bench.next(0, { name: 't' }, 's');
      await settle();
      let pause = 0;
      while (bench.clock.waiting > 0 && pause < 10_000) {
        await bench.clock.advance(100);
        pause += 100;
      }
      pauses.push(pause);
      assert.deepEqual(await next, { name: 't', requestState: 's' });
    }
    assert.deepEqual(pauses, [100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000, 5_000, 5_000]);
  });

  test('with a question do not wait, and do not prolong the next pause', async () => {
    await bench.next(1);
    const next = bench.next(0);
    await bench.clock.advance(100);
    assert.deepEqual(await next, { name: 't' });
  });

  test('end when the call is cancelled during a pause', async () => {
    const next = bench.next(0);
    await settle();
    bench.call.cancel();
    assert.match(String(await next), /^CANCELLED: tools\/call was cancelled\./);
    assert.equal(bench.clock.waiting, 0);
  });

  for (const who of ['call', 'stop'] as const)
    test(`take their questions back when the ${who === 'call' ? 'call is cancelled' : 'server is stopped'}`, async () => {
      bench.answer = () => new Promise<Json>(() => undefined);
      const next = bench.next(2);
      await settle();
      assert.deepEqual(
        bench.tokens.map((token) => token.isCancellationRequested),
        [false, false],
      );
      bench[who].cancel();
      assert.match(String(await next), /^CANCELLED: tools\/call was cancelled\./);
      assert.deepEqual(
        bench.tokens.map((token) => token.isCancellationRequested),
        [true, true],
      );
    });

  test('without a token of the call go on until they are answered', async () => {
    const rounds = new InputRounds('x', undefined, { ...bench, stopping: bench.stop.token, answer: () => 1 });
    assert.deepEqual(await rounds.next({}, questions(1)), { inputResponses: { q0: 1 } });
  });

  test('end with the first question that fails, and take the others back', async () => {
    const open = new Deferred<Json>();
    bench.answer = (_method, { index }) => (index === 1 ? Promise.reject(new WireError(-1, 'rejected')) : open.promise);
    assert.equal(
      await bench.next(2),
      `REMOTE_ERROR: The server asked for input (elicitation/create) that it does not get: rejected, ${GIVEN_UP}`,
    );
    assert.equal(bench.tokens[0]?.isCancellationRequested, true);
    bench.answer = () => Promise.reject(new HostError('NO_MODEL', 'none', { layer: 'policy' }));
    assert.match(String(await bench.next(1)), /^NO_MODEL: none \| policy/);
  });

  test('leave no listener behind', async () => {
    const watch = watchDisposables();
    await bench.next(3);
    bench.answer = () => Promise.reject(new WireError(-1, 'rejected'));
    await bench.next(1);
    const next = bench.next(0);
    await bench.clock.advance(100);
    await next;
    assert.deepEqual(watch.end(), []);
  });
});
