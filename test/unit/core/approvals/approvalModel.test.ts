import assert from 'node:assert/strict';
import fc from 'fast-check';
import { APPROVAL_CHOICES } from '../../../../src/core/model/approval.ts';
import { settle } from '../../../support/fakeClock.ts';
import { ApprovalCase, type Asker, sayOutcome, scopeRequest } from './approvalCase.ts';

const SERVERS = ['a', 'b'] as const;
const TARGETS = ['/1', '/2', '/3', '/4', '/5'] as const;
const DAY = 86_400_000;

const server = fc.constantFrom(...SERVERS);
const target = fc.constantFrom(...TARGETS);
/** An index into the current items. */
const which = fc.nat(40);

const step = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('ask' as const), server, target }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('answer' as const),
      which,
      choice: fc.constantFrom(...APPROVAL_CHOICES, 'dismiss' as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('leave' as const), which }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('wait' as const),
      ms: fc.constantFrom(1, 1_000, 9_999, 10_000, 30_000, 60_000, 89 * DAY),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('withdraw' as const), server }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('revoke' as const), which }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

interface Remembered {
  readonly choice: 'session' | 'workspace';
  readonly until: number;
}

/** Applies a step to the real object, and checks what must hold afterwards. */
class Run {
  readonly own = new ApprovalCase();
  /** Remembered answers, by server and target. */
  readonly #chosen = new Map<string, Remembered>();
  /** By server. */
  readonly #promptedAt: { readonly server: string; readonly at: number }[] = [];
  readonly #askedFor = new Map<Asker, string>();
  /** The user's answers, by request. */
  readonly #answers = new Map<string, Set<string>>();

  constructor() {
    this.own.approvals.onDidAsk((asked) => this.#promptedAt.push({ server: asked.server, at: asked.askedAt }));
  }

  async do(step: Step): Promise<void> {
    const { approvals, clock, askers } = this.own;
    if (step.kind === 'ask') this.#askedFor.set(this.own.ask(step.target, { server: step.server }), keyOf(step));
    else if (step.kind === 'answer') await this.#answer(step);
    else if (step.kind === 'leave') askers[step.which]?.token.cancel();
    else if (step.kind === 'wait') await clock.advance(step.ms);
    else if (step.kind === 'withdraw') approvals.withdraw(step.server);
    else await this.#revoke(step.which);
    await settle();
  }

  async #answer({ which: index, choice }: Extract<Step, { kind: 'answer' }>): Promise<void> {
    const { approvals, clock } = this.own;
    const pending = approvals.pending().at(index % 4);
    if (pending === undefined) return;
    const key = keyOf({ server: pending.server, target: pending.subject.label });
    this.#answers.set(key, (this.#answers.get(key) ?? new Set()).add(choice));
    assert.equal(await approvals.answer(pending.id, choice), true);
    assert.equal(await approvals.answer(pending.id, 'workspace'), false, 'it was answered');
    if (choice === 'session') this.#chosen.set(key, { choice, until: Infinity });
    if (choice === 'workspace') this.#chosen.set(key, { choice, until: clock.now() + 90 * DAY });
  }

  async #revoke(index: number): Promise<void> {
    const grant = this.own.approvals.remembered().at(index % 4);
    if (grant === undefined) return;
    await this.own.approvals.revoke([grant.id]);
    this.#chosen.delete(keyOf({ server: grant.server, target: grant.targets[0] }));
  }

  async check(): Promise<void> {
    const { approvals, askers, clock } = this.own;
    const pending = approvals.pending();
    for (const each of SERVERS) {
      assert.ok(pending.filter((open) => open.server === each).length <= 3, 'open at once');
      const now = this.#promptedAt.filter((prompt) => prompt.server === each && clock.now() - prompt.at < 60_000);
      assert.ok(now.length <= 12, 'within a minute');
    }
    assert.equal(new Set(pending.map(({ server: of, key }) => `${of} ${key}`)).size, pending.length, 'merged');
    assert.ok(
      pending.every(({ expiresAt }) => expiresAt > clock.now()),
      'in time',
    );
    const waiting = askers.filter(({ outcome }) => outcome === undefined).length;
    assert.equal(
      pending.reduce((sum, { waiting: of }) => sum + of, 0),
      waiting,
      'who waits is shown',
    );
    for (const asker of askers) this.#checkAsker(asker);
    for (const [key, { until }] of this.#chosen) if (until <= clock.now()) this.#chosen.delete(key);
    const remembered = approvals
      .remembered()
      .map(({ server: of, targets, lifetime }) => `${keyOf({ server: of, target: targets[0] })} ${lifetime}`);
    const chosen = [...this.#chosen].map(([key, { choice }]) => `${key} ${choice}`);
    assert.deepEqual(remembered.toSorted(), chosen.toSorted(), 'what was chosen is remembered, and nothing else');
    for (const each of SERVERS)
      for (const path of TARGETS) {
        const found = await approvals.find(scopeRequest(path, { server: each }));
        assert.equal(found?.lifetime, this.#chosen.get(keyOf({ server: each, target: path }))?.choice, 'found');
      }
  }

  /** Asserts that only the user can allow a request. */
  #checkAsker(asker: Asker): void {
    assert.equal(asker.answers, asker.outcome === undefined ? 0 : 1);
    if (asker.outcome?.kind !== 'approved') return;
    const said = this.#answers.get(this.#askedFor.get(asker) ?? '');
    assert.ok(said?.has(sayOutcome(asker.outcome)), 'a person said so');
  }

  async end(): Promise<void> {
    const { events } = this.own;
    this.own.dispose();
    await settle();
    for (const asker of this.own.askers) assert.equal(asker.answers, 1, 'everybody is answered once');
    const ids = (what: string): readonly (string | undefined)[] =>
      events.filter((event) => event.startsWith(`${what} `)).map((event) => event.split(' ')[1]);
    assert.equal(new Set(ids('ask')).size, ids('ask').length);
    assert.deepEqual(ids('settle').toSorted(), ids('ask').toSorted(), 'all that was asked has an end');
    assert.equal(this.own.clock.waiting, 0, 'no timer is left');
  }
}

function keyOf({ server: of, target: path }: { server: string; target: string | undefined }): string {
  return `${of} ${path}`;
}

suite('Approvals, whatever servers and users do', function () {
  this.timeout(30_000);

  test('answer everybody once, ask no flood, and remember what was chosen', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60, size: 'max' }), async (steps) => {
        const run = new Run();
        try {
          for (const each of steps) {
            await run.do(each);
            await run.check();
          }
          await run.end();
        } finally {
          run.own.dispose();
        }
      }),
      { numRuns: 60 },
    );
  });
});
