import assert from 'node:assert/strict';
import { NO_LOG } from '../../../../src/core/base/log.ts';
import { StoredAudit } from '../../../../src/core/audit/auditLog.ts';
import { StoredModelUses } from '../../../../src/core/turns/modelUses.ts';
import { Budgets } from '../../../../src/core/turns/budgets.ts';
import type { ModelUseRecord } from '../../../../src/core/model/modelUse.ts';
import { DEFAULT_LIMITS } from '../../../../src/core/model/server.ts';
import { memoryStorage } from '../../../../src/node/store/memoryStorage.ts';
import { FakeClock } from '../../../support/fakeClock.ts';

const HOUR = 3_600_000;

class Stage {
  readonly clock = new FakeClock();
  readonly storage = memoryStorage();
  readonly audit = new StoredAudit({
    clock: this.clock,
    audit: this.storage.audit,
    limits: () => DEFAULT_LIMITS,
    log: NO_LOG,
  });
  /** Enabled sets of the server that may use a model. */
  sets: readonly string[] = [];
  requestsPerHour = 2;
  loads = 0;
  readonly uses = new StoredModelUses({
    clock: this.clock,
    audit: this.audit,
    store: this.storage.audit,
    units: () => [this.#unit()],
    budgets: () => Promise.resolve(this.load()),
  });
  told = 0;
  #budgets: Budgets | undefined;

  constructor() {
    this.uses.onDidChange(() => this.told++);
  }

  load(): Budgets {
    if (this.#budgets === undefined) {
      this.#budgets = new Budgets({
        clock: this.clock,
        audit: this.storage.audit,
        recorder: this.audit,
        onRead: () => this.uses.changed(),
      });
      this.loads++;
      this.uses.counting(this.#budgets);
    }
    return this.#budgets;
  }

  record(changes: Partial<ModelUseRecord> = {}): void {
    this.uses.record({
      server: 'notes',
      route: 'sampling',
      at: this.clock.now(),
      durationMs: 12,
      model: 'acme/m1',
      usage: { inputTokens: 30, outputTokens: 12 },
      outcome: 'success',
      ...changes,
    });
  }

  /** The server's remaining budget as text. */
  get left(): string {
    const budget = this.uses.budget('notes');
    if (budget === undefined) return 'unknown';
    const { isUsing, requestsLastHour, requestsPerHour, tokensLastDay, tokensPerDay } = budget;
    return `${isUsing} ${requestsLastHour}/${requestsPerHour} ${tokensLastDay}/${tokensPerDay}`;
  }

  async close(): Promise<void> {
    this.uses.dispose();
    this.audit.dispose();
    await this.storage.close();
  }

  #unit(): ReturnType<ConstructorParameters<typeof StoredModelUses>[0]['units']>[number] {
    const inference = { model: undefined, requestsPerHour: this.requestsPerHour, tokensPerDay: 100 };
    const setsFor = (): never[] => this.sets.map((name) => ({ name })) as never[];
    return {
      id: 'notes',
      inference,
      mcpl: { member: { setsFor } },
    };
  }
}

suite('The use of models', () => {
  let stage: Stage;

  setup(() => {
    stage = new Stage();
  });
  teardown(() => stage.close());

  test('is in the audit, and summed up by server, route and model', async () => {
    stage.record();
    stage.record({ usage: { inputTokens: 1, outputTokens: 1 } });
    stage.record({ server: undefined, route: 'chat', model: 'acme/m2', usage: { inputTokens: 70, outputTokens: 30 } });
    stage.record({ server: undefined, route: 'wrapped', at: stage.clock.now() - HOUR });
    const since = stage.clock.now() - 1;
    const texts = (await stage.uses.totals(since)).map(({ server, route, model, requests, tokens }) =>
      [server ?? 'you', route, model, requests, tokens].join(' '),
    );
    assert.deepEqual(texts, ['you chat acme/m2 1 100', 'notes sampling acme/m1 2 44']);
    const [, , first] = await stage.audit.list({ limit: 9, operation: 'sampling/createMessage' });
    assert.equal(first, undefined);
    const [entry] = await stage.audit.list({ limit: 1, operation: 'chat/turn' });
    assert.deepEqual(entry, {
      place: 3,
      at: stage.clock.now(),
      server: '',
      operation: 'chat/turn',
      featureSet: undefined,
      inferenceId: undefined,
      outcome: 'success',
      durationMs: 12,
      detail: '70 tokens read, 30 written.',
      tokens: 100,
      model: 'acme/m2',
    });
  });

  test('counts towards the budget of its server, at once and after a restart', async () => {
    assert.equal(stage.left, 'unknown');
    stage.load();
    assert.equal(stage.left, 'false 0/2 0/100');
    await stage.clock.advance(300);
    stage.record();
    stage.sets = ['memory.think'];
    assert.equal(stage.left, 'true 1/2 42/100');
    await stage.audit.flush();
    await stage.clock.advance(HOUR);
    const again = new Budgets({ clock: stage.clock, audit: stage.storage.audit, recorder: stage.audit });
    again.spent('notes');
    await stage.clock.advance(1);
    assert.deepEqual(again.spent('notes'), { requestsLastHour: 0, tokensLastDay: 42 });
  });

  test('budget for one use is reserved and released, or refused with the reason', async () => {
    const first = await stage.uses.reserve('notes');
    const second = await stage.uses.reserve('notes');
    assert.deepEqual(
      [first.kind, second.kind, stage.loads, stage.left],
      ['reserved', 'reserved', 1, 'false 2/2 0/100'],
    );
    const third = await stage.uses.reserve('notes');
    assert.match(third.kind === 'refused' ? third.message : '', /^This server may make 2 requests to a model an hour/);
    if (first.kind === 'reserved') first.release();
    if (second.kind === 'reserved') {
      stage.record();
      second.release();
    }
    assert.equal(stage.left, 'false 1/2 42/100');
    assert.deepEqual(await stage.uses.reserve('gone'), {
      kind: 'refused',
      message: 'There is no server "gone" any more.',
    });
  });

  test('is announced once per burst, and not after disposal', async () => {
    stage.load();
    stage.record();
    stage.record();
    await stage.audit.flush();
    assert.equal(stage.told, 0);
    await stage.clock.advance(250);
    assert.equal(stage.told, 1);
    stage.record();
    stage.uses.dispose();
    await stage.audit.flush();
    await stage.clock.advance(1_000);
    assert.deepEqual([stage.told, stage.clock.waiting], [1, 0]);
  });
});
