import assert from 'node:assert/strict';
import { Deferred } from '../../../../src/core/base/async.ts';
import { NO_CANCELLATION } from '../../../../src/core/base/cancellation.ts';
import { WireError } from '../../../../src/core/base/errors.ts';
import type { Json, JsonObject } from '../../../../src/core/base/json.ts';
import type { AuditRecord } from '../../../../src/core/model/audit.ts';
import type { InboundEvent } from '../../../../src/core/model/inboundEvent.ts';
import { DEFAULT_LIMITS } from '../../../../src/core/model/server.ts';
import type { Participant } from '../../../../src/core/mcpl/participant.ts';
import { PushEvents, type PushInbox } from '../../../../src/core/events/pushEvents.ts';
import { FakeClock } from '../../../support/fakeClock.ts';
import { MemoryEvents } from './memoryEvents.ts';
import { pushMember } from './pushMember.ts';

class Setting {
  readonly clock = new FakeClock();
  readonly store = new MemoryEvents();
  readonly records: AuditRecord[] = [];
  readonly told: string[] = [];
  readonly asked: InboundEvent[] = [];
  readonly push: PushEvents;
  asking: string | undefined;
  pushPerMinute = 1_000;
  hasBudget = true;
  #ids = 0;

  constructor(before: readonly InboundEvent[] = []) {
    this.store.kept = [...before];
    const inbox: PushInbox = {
      admit: (event, record) => this.store.admit(event, record),
      arrived: ({ eventId }) => this.told.push(eventId),
      isAsking: (server) => this.asking === server,
      askSoon: (event) => this.asked.push(event),
    };
    this.push = new PushEvents({
      clock: this.clock,
      ids: { uuid: () => `id${++this.#ids}`, random: () => 0, sha256: (text) => text },
      inbox,
      recorder: { record: (record) => this.records.push(record) },
      limits: () => ({ ...DEFAULT_LIMITS, pushPerMinute: this.pushPerMinute }),
      inferAllowed: () => this.hasBudget,
      newInferenceId: () => `inf${++this.#ids}`,
    });
  }

  send(member: Participant, eventId: string, extra: JsonObject = {}): Promise<Json> {
    const params = {
      featureSet: 'notes',
      eventId,
      timestamp: '2026-01-23T10:30:00Z',
      payload: { content: [{ type: 'text', text: 'New commit' }] },
      ...extra,
    };
    return this.push.handle(member, params, { requestId: 1, token: NO_CANCELLATION });
  }

  /** The audit records, one line each. */
  audit(): readonly string[] {
    return [...this.store.records, ...this.records].map(
      ({ server, featureSet, outcome, inferenceId, detail }) =>
        `${server} ${featureSet ?? '-'} ${outcome} ${inferenceId ?? '-'} ${detail ?? '-'}`,
    );
  }
}

suite('Push events of servers', () => {
  test('an event is stored with its record before it is accepted, and the user is notified', async () => {
    const setting = new Setting();
    setting.store.gate = new Deferred();
    const answer = setting.send(pushMember('git'), 'e1', { origin: { repository: 'acme', by: 'hunter2' } });
    let isAnswered = false;
    void answer.then(() => (isAnswered = true));
    await setting.clock.advance(60_000);
    assert.equal(isAnswered, false);
    setting.store.gate.resolve();
    assert.deepEqual(await answer, { accepted: true });
    assert.deepEqual(setting.store.kept, [
      {
        id: 'id1',
        server: 'git',
        source: { kind: 'push', featureSet: 'notes' },
        eventId: 'e1',
        occurredAt: '2026-01-23T10:30:00Z',
        receivedAt: 1_000_000,
        origin: { repository: 'acme', by: '‹secret›' },
        content: [{ type: 'text', text: 'New commit' }],
        inferenceId: undefined,
        isRead: false,
        outcome: { kind: 'none' },
      },
    ]);
    assert.deepEqual(setting.store.records, [
      {
        at: 1_000_000,
        server: 'git',
        operation: 'push/event',
        featureSet: 'notes',
        inferenceId: undefined,
        outcome: 'success',
        durationMs: 0,
        detail: 'event e1',
        tokens: undefined,
      },
    ]);
    assert.deepEqual([setting.told, setting.asked, setting.records], [['e1'], [], []]);
  });

  test('the policy decides whether an event is ignored, kept, notified, or passed to a model', async () => {
    const answers: Json[] = [];
    const effects: string[] = [];
    for (const policy of ['ignore', 'inbox', 'notify', 'infer'] as const) {
      const setting = new Setting();
      answers.push(await setting.send(pushMember('git', { notes: policy }), 'e1'));
      const { store, told, asked } = setting;
      effects.push(`${policy}: ${store.kept.length} kept, ${told.length} told, ${asked.length} asked`);
      effects.push(...setting.audit());
    }
    const plain = { accepted: true };
    assert.deepEqual(answers, [plain, plain, plain, { accepted: true, inferenceId: 'inf1' }]);
    assert.deepEqual(effects, [
      'ignore: 0 kept, 0 told, 0 asked',
      'git notes dropped - event e1: events of this feature set are ignored',
      'inbox: 1 kept, 0 told, 0 asked',
      'git notes success - event e1',
      'notify: 1 kept, 1 told, 0 asked',
      'git notes success - event e1',
      'infer: 1 kept, 0 told, 1 asked',
      'git notes success inf1 event e1',
    ]);
  });

  test('an event that comes again has no second effect and gets the first answer, also while that is on its way', async () => {
    const setting = new Setting();
    const member = pushMember('git', { notes: 'infer' });
    setting.store.gate = new Deferred();
    const both = [setting.send(member, 'e1'), setting.send(member, 'e1')];
    setting.store.gate.resolve();
    const first = { accepted: true, inferenceId: 'inf1' };
    assert.deepEqual(await Promise.all(both), [first, first]);
    assert.deepEqual(await setting.send(member, 'e1'), first);
    assert.deepEqual(await setting.send(pushMember('other'), 'e1'), { accepted: true });
    assert.deepEqual(setting.store.requests, ['admit git e1', 'admit other e1']);
    assert.equal(setting.asked.length, 1);
  });

  test('what an earlier run of the host kept is answered as it was then', async () => {
    const first = new Setting();
    const member = pushMember('git', { notes: 'infer' });
    const answer = await first.send(member, 'e1');
    const second = new Setting(first.store.kept);
    await second.send(pushMember('git'), 'e2');
    assert.deepEqual(await second.send(member, 'e1'), answer);
    assert.deepEqual([second.asked, second.told, second.audit()], [[], ['e2'], ['git notes success - event e2']]);
  });

  test('what cannot be stored is not accepted, not remembered, and shown to no model', async () => {
    const setting = new Setting();
    const member = pushMember('git', { notes: 'infer' });
    setting.store.failure = 'the disk is full';
    const refusal = { accepted: false, reason: 'The event could not be stored. Send it again later.' };
    const twice = await Promise.all([setting.send(member, 'e1'), setting.send(member, 'e1')]);
    assert.deepEqual(twice, [refusal, refusal]);
    assert.deepEqual([setting.asked, setting.told], [[], []]);
    assert.deepEqual(setting.audit(), [
      'git notes failure - The event could not be stored. Send it again later. the disk is full',
    ]);
    setting.store.failure = undefined;
    assert.deepEqual(await setting.send(member, 'e1'), { accepted: true, inferenceId: 'inf3' });
  });

  test('a store that fails at once has stored nothing either', async () => {
    const setting = new Setting();
    const member = pushMember('git', { notes: 'infer' });
    const { admit } = setting.store;
    setting.store.admit = () => {
      throw new Error('the store is closed');
    };
    const refusal = { accepted: false, reason: 'The event could not be stored. Send it again later.' };
    assert.deepEqual(await setting.send(member, 'e1'), refusal);
    setting.store.admit = admit;
    assert.deepEqual(await setting.send(member, 'e1'), { accepted: true, inferenceId: 'inf3' });
  });

  test('more than may come in a minute is not accepted, and may come later', async () => {
    const setting = new Setting();
    setting.pushPerMinute = 2;
    const member = pushMember('git');
    await setting.send(member, 'e1');
    await setting.clock.advance(10_000);
    await setting.send(member, 'e2');
    const reason = 'More than 2 events came within a minute. Send it again in 50 seconds.';
    assert.deepEqual(await setting.send(member, 'e3'), { accepted: false, reason });
    assert.deepEqual(await setting.send(member, 'e1'), { accepted: true });
    assert.deepEqual(await setting.send(pushMember('other'), 'e3'), { accepted: true });
    await setting.clock.advance(50_000);
    assert.deepEqual(await setting.send(member, 'e3'), { accepted: true });
    assert.equal(setting.audit().at(-1), `git notes refused - ${reason}`);
  });

  test('of a hundred events at once one is shown to a model, and in a minute six', async () => {
    const setting = new Setting();
    const member = pushMember('git', { '*': 'infer' });
    const burst = await Promise.all(Array.from({ length: 100 }, (_, i) => setting.send(member, `e${i}`)));
    assert.deepEqual(burst.filter((answer) => JSON.stringify(answer) !== '{"accepted":true}').length, 1);
    for (let i = 100; i < 110; i++) await setting.send(member, `e${i}`);
    assert.deepEqual(
      setting.asked.map(({ eventId }) => eventId),
      ['e0', 'e100', 'e101', 'e102', 'e103', 'e104'],
    );
    assert.deepEqual(setting.asked[0]?.outcome, { kind: 'asking', at: 1_000_000 });
    assert.deepEqual(setting.store.kept.length, 110);
    const audit = setting.audit();
    assert.deepEqual(
      [audit[1], audit[105]],
      [
        'git notes success - event e1: no model was asked, because one is still looking at an earlier event',
        'git notes success - event e105: no model was asked, because 6 a minute is the most',
      ],
    );
    await setting.clock.advance(60_000);
    await setting.send(member, 'e200');
    assert.equal(setting.asked.at(-1)?.eventId, 'e200');
  });

  test('while a model looks at an event of a server, or without a budget, others are kept only', async () => {
    const setting = new Setting();
    const member = pushMember('git', { notes: 'infer' });
    setting.asking = 'git';
    assert.deepEqual(await setting.send(member, 'e1'), { accepted: true });
    setting.asking = 'other';
    setting.hasBudget = false;
    assert.deepEqual(await setting.send(member, 'e2'), { accepted: true });
    setting.hasBudget = true;
    assert.deepEqual(await setting.send(member, 'e3'), { accepted: true, inferenceId: 'inf3' });
    assert.deepEqual(setting.audit(), [
      'git notes success - event e1: no model was asked, because one is still looking at an earlier event',
      "git notes success - event e2: no model was asked, because the server's budget is used up",
      'git notes success inf3 event e3',
    ]);
  });

  test('what is no push event, or of a set that is off, is answered with the error', async () => {
    const setting = new Setting();
    const member = pushMember('git');
    const attempts: readonly JsonObject[] = [
      { featureSet: undefined },
      { featureSet: 'off' },
      { featureSet: 'nobody' },
      { eventId: undefined },
      { payload: { content: 'text' } },
    ];
    const errors: string[] = [];
    for (const extra of attempts)
      await assert.rejects(setting.send(member, 'e1', extra), (error) => {
        assert.ok(error instanceof WireError);
        errors.push(`${error.code} ${error.message} ${JSON.stringify(error.data)}`);
        return true;
      });
    assert.deepEqual(errors, [
      '-32602 featureSet must be a text. undefined',
      '-32001 Feature set not enabled undefined',
      '-32003 Unknown feature set undefined',
      '-32602 eventId must be a text of 1 to 512 characters. {"field":"eventId"}',
      '-32602 payload.content must be a list of content blocks. {"field":"payload.content"}',
    ]);
    // The participant records its own refusals.
    assert.deepEqual(setting.audit(), [
      'git notes refused - eventId must be a text of 1 to 512 characters.',
      'git notes refused - payload.content must be a list of content blocks.',
    ]);
    assert.deepEqual(setting.store.requests, []);
  });

  test('no secret is kept, wherever it stands', async () => {
    const setting = new Setting();
    const content = [
      { type: 'text', text: 'hunter2' },
      { type: 'resource', resource: { uri: 'file:///hunter2', text: 'hunter2' } },
      { type: 'resource_link', uri: 'https://example.test/hunter2', name: 'hunter2' },
      { type: 'image', data: 'AAAA', mimeType: 'image/png' },
    ];
    const extra = { payload: { content }, origin: { hunter2: ['hunter2'] } };
    await setting.send(pushMember('git'), 'hunter2', extra);
    await setting.send(pushMember('git', { notes: 'ignore' }), 'hunter2 too', extra);
    assert.doesNotMatch(JSON.stringify([setting.store.kept, setting.audit()]), /hunter2/);
    assert.deepEqual(setting.store.kept[0]?.content, [
      { type: 'text', text: '‹secret›' },
      { type: 'resource', resource: { uri: 'file:///‹secret›', text: '‹secret›' } },
      { type: 'resource_link', uri: 'https://example.test/‹secret›', name: '‹secret›' },
      { type: 'image', data: 'AAAA', mimeType: 'image/png' },
    ]);
  });
});
