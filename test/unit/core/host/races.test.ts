import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Deferred, ignoreFailure } from '../../../../src/core/base/async.ts';
import type { StartAnswer } from '../../../../src/core/ports.ts';
import { settle } from '../../../support/fakeClock.ts';
import { ScriptedServer, tool } from '../../../support/scriptedServer.ts';
import { exited, TestHost } from '../../../support/testHost.ts';

const settings = fc.record({
  command: fc.constantFrom('x', 'y'),
  enabled: fc.boolean(),
  present: fc.boolean(),
  autoApprove: fc.constantFrom([], ['t']),
  trusted: fc.constantFrom(true, true, true, false),
});
const actions = [
  'start',
  'stop',
  'restart',
  'crash',
  'end',
  'allow',
  'deny',
  'wait',
  'turn',
  'call',
  'forget',
] as const;
const step = fc.oneof(settings, fc.constantFrom(...actions));
type Step = typeof settings extends fc.Arbitrary<infer S> ? S | (typeof actions)[number] : never;

const entry = { command: 'x', enabled: false, autoApprove: [], trusted: true } as const;
/** A regression: removed from settings while its code was loaded, it still started. */
const CALLED_OFF: Step[] = [
  { ...entry, present: true },
  ...Array.from({ length: 7 }, () => 'start' as const),
  { ...entry, present: false },
  'start',
  'start',
];

/** One server whose settings, user, process and clock act in any order. */
class Turmoil {
  readonly t = new TestHost();
  /** Violations of the invariants. */
  readonly wrong: string[] = [];
  readonly #scope: 'user' | 'workspace';
  #endings: Deferred<void>[] = [];
  #questions: Deferred<StartAnswer>[] = [];
  mayRun = false;

  readonly #actions: Readonly<Record<(typeof actions)[number], () => unknown>> = {
    start: () => ignoreFailure(this.t.host.start('a')),
    stop: () => ignoreFailure(this.t.host.stop('a')),
    restart: () => ignoreFailure(this.t.host.restart('a')),
    crash: () => this.t.servers.at(-1)?.crash(exited()),
    end: () => this.#endings.shift()?.resolve(),
    allow: () => this.#questions.shift()?.resolve('start'),
    deny: () => this.#questions.shift()?.resolve('dontStart'),
    wait: () => this.t.clock.advance(2_000),
    turn: () => new Promise((resolve) => setImmediate(resolve)),
    call: () => ignoreFailure(this.t.host.callTool({ server: 'a', tool: 't', args: {}, route: 'cli' })),
    forget: () => ignoreFailure(this.t.host.forgetConsent('a')),
  };

  constructor(scope: 'user' | 'workspace') {
    this.#scope = scope;
    Object.defineProperty(this.t, 'answer', {
      get: () => {
        const question = new Deferred<StartAnswer>();
        this.#questions.push(question);
        return question.promise;
      },
    });
    this.t.connect = () => {
      if (!this.mayRun) this.wrong.push('started what must not run');
      if (this.open > 0) this.wrong.push('two at once');
      const server = new ScriptedServer({ 'tools/list': () => ({ tools: [tool('t')] }) });
      const ending = new Deferred<void>();
      this.#endings.push(ending);
      server.heldOpen = ending.promise;
      return server;
    };
  }

  get open(): number {
    return this.t.servers.filter((server) => !server.closed).length;
  }

  async take(next: Step): Promise<void> {
    if (typeof next === 'string') {
      await this.#actions[next]();
      return;
    }
    const { trusted, present, autoApprove, ...entry } = next;
    this.mayRun = trusted && present;
    const value = present ? { a: { ...entry, tools: { autoApprove } } } : {};
    this.t.host.configure({ trusted, layers: [{ scope: this.#scope, servers: value }] });
  }

  /** Completes everything that waits for a process or the user. */
  async calm(): Promise<void> {
    for (let i = 0; i < 5; i++) {
      for (const ending of this.#endings) ending.resolve();
      for (const question of this.#questions) question.resolve('start');
      await this.t.clock.advance(100_000);
    }
  }
}

suite('A server whose settings, user and process disagree', () => {
  test('never runs twice or against the last word, comes to rest, and leaves nothing behind', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 5, maxLength: 30 }),
        fc.constantFrom('user', 'workspace'),
        async (steps, scope) => {
          const turmoil = new Turmoil(scope);
          const { host, clock } = turmoil.t;
          for (const next of steps) await turmoil.take(next);
          await turmoil.calm();
          const state = host.server('a')?.state.kind ?? 'none';
          assert.deepEqual(turmoil.wrong, []);
          assert.ok(['none', 'stopped', 'failed', 'running'].includes(state), state);
          assert.equal(turmoil.open, state === 'running' && turmoil.mayRun ? 1 : 0);
          const closed = host.close();
          await turmoil.calm();
          await closed;
          await settle();
          assert.deepEqual([turmoil.open, clock.waiting], [0, 0]);
        },
      ),
      { numRuns: 300, examples: [[CALLED_OFF, 'user']] },
    );
  });
});
