import assert from 'node:assert/strict';
import { Deferred } from '../../../../src/core/base/async.ts';
import { CancellationSource, type CancellationToken } from '../../../../src/core/base/cancellation.ts';
import { HostError } from '../../../../src/core/base/errors.ts';
import type { TurnResult } from '../../../../src/core/hostTypes.ts';
import { StoredInbox } from '../../../../src/core/events/eventInbox.ts';
import type { AuditRecord } from '../../../../src/core/model/audit.ts';
import type { InboundEvent } from '../../../../src/core/model/inboundEvent.ts';
import { DEFAULT_LIMITS } from '../../../../src/core/model/server.ts';
import { FakeClock, settle } from '../../../support/fakeClock.ts';
import { inboundEvent, MemoryEvents } from './memoryEvents.ts';

const RECORD: AuditRecord = {
  at: 0,
  server: 'gitlab',
  operation: 'push/event',
  featureSet: undefined,
  inferenceId: undefined,
  outcome: 'success',
  durationMs: 0,
  detail: undefined,
  tokens: undefined,
};

function turn(text: string): TurnResult {
  return {
    inferenceId: 'inf',
    text,
    model: { id: 'gpt', vendor: 'v', contextWindow: 1, capabilities: [] },
    usage: { inputTokens: 3, outputTokens: 4 },
    finishReason: 'end_turn',
    injectedBy: [],
    modifiedBy: [],
    remarks: [],
  };
}

/** An inbox with its events and started turns. */
class Setting {
  readonly clock = new FakeClock();
  readonly log: string[] = [];
  readonly turns: {
    readonly event: InboundEvent;
    readonly token: CancellationToken;
    readonly end: Deferred<TurnResult>;
  }[] = [];
  readonly told: string[] = [];
  readonly store: MemoryEvents;
  readonly inbox: StoredInbox;
  maxEvents = 1_000;

  constructor(store = new MemoryEvents()) {
    this.store = store;
    this.inbox = new StoredInbox({
      clock: this.clock,
      events: store,
      log: { log: (level, message) => this.log.push(`${level} ${message}`) },
      limits: () => ({ ...DEFAULT_LIMITS, maxEvents: this.maxEvents }),
      ask: (event, token) => {
        const end = new Deferred<TurnResult>();
        this.turns.push({ event, token, end });
        return end.promise;
      },
    });
    this.inbox.onDidChange(() => this.told.push(`${this.clock.now() - 1_000_000} changed`));
    this.inbox.onDidArrive((events) =>
      this.told.push(`${this.clock.now() - 1_000_000} arrived ${events.map(({ id }) => id).join(' ')}`),
    );
  }

  async admit(...ids: readonly string[]): Promise<void> {
    for (const id of ids) await this.inbox.admit(inboundEvent(id), RECORD);
  }

  ids(): string {
    return this.inbox
      .list()
      .map(({ id }) => id)
      .join(' ');
  }

  outcomes(): readonly string[] {
    return this.inbox.list().map(({ id, outcome }) => {
      const text = outcome.kind === 'answered' ? outcome.text : outcome.kind === 'failed' ? outcome.message : '';
      return `${id} ${outcome.kind} ${text}`.trim();
    });
  }
}

suite('The inbox of events', () => {
  let setting: Setting;

  function open(...kept: readonly InboundEvent[]): Setting {
    setting = new Setting(MemoryEvents.of(...kept));
    return setting;
  }

  teardown(async () => {
    setting.inbox.dispose();
    await settle();
    assert.equal(setting.clock.waiting, 0);
  });

  test('an event is here when it is in the store, the newest first; one that is known already is not here twice', async () => {
    const { inbox, store } = open();
    store.gate = new Deferred();
    const admitted = inbox.admit(inboundEvent('1'), RECORD);
    await settle();
    assert.equal(setting.ids(), '');
    store.gate.resolve();
    assert.deepEqual(await admitted, { kind: 'kept' });
    await setting.admit('2');
    const again = await inbox.admit(inboundEvent('3', { eventId: 'evt_1' }), RECORD);
    assert.deepEqual(again, { kind: 'known', inferenceId: undefined });
    assert.deepEqual([setting.ids(), inbox.unread, inbox.find('1')?.eventId], ['2 1', 2, 'evt_1']);
  });

  test('an event that cannot be stored does not exist, and its sender gets the error', async () => {
    const { inbox, store } = open();
    store.failure = 'the disk is full';
    await assert.rejects(inbox.admit(inboundEvent('1'), RECORD), /the disk is full/);
    assert.equal(inbox.find('1'), undefined);
  });

  test('views are notified at most once in a tenth of a second, and arrivals come in bursts', async () => {
    const { inbox, clock } = open();
    for (const id of ['1', '2', '3']) {
      const event = inboundEvent(id);
      await inbox.admit(event, RECORD);
      if (id !== '2') inbox.arrived(event);
    }
    await clock.advance(99);
    assert.deepEqual(setting.told, []);
    await clock.advance(1);
    await setting.admit('4');
    await clock.advance(1_000);
    assert.deepEqual(setting.told, ['100 changed', '100 arrived 1 3', '200 changed']);
  });

  test('an event that was cleared before its notification is not announced', async () => {
    const { inbox, clock } = open();
    await setting.admit('1');
    inbox.arrived(inboundEvent('1'));
    await inbox.clear();
    await clock.advance(100);
    assert.deepEqual(setting.told, ['100 changed']);
  });

  test('the events of earlier runs are older than those of this one', async () => {
    const { inbox } = open(inboundEvent('1', { isRead: true }), inboundEvent('2'));
    assert.equal(setting.ids(), '');
    await setting.admit('3');
    await inbox.loaded();
    assert.deepEqual([setting.ids(), inbox.unread], ['3 2 1', 2]);
    assert.equal(setting.store.requests.filter((request) => request.startsWith('list')).length, 1);
  });

  test('a store that cannot be read is asked again when all are requested', async () => {
    const { inbox, store } = open(inboundEvent('1'));
    store.failure = 'locked';
    await inbox.loaded();
    for (let i = 0; i < 3; i++) inbox.list();
    assert.deepEqual(setting.log, ['warn The events of earlier runs could not be read: locked']);
    store.failure = undefined;
    await inbox.loaded();
    assert.equal(setting.ids(), '1');
  });

  test('what an earlier run left open has failed, and is stored so', async () => {
    const asking = { kind: 'asking', at: 5 } as const;
    const { inbox, store } = open(inboundEvent('1', { outcome: asking, inferenceId: 'inf' }), inboundEvent('2'));
    await inbox.loaded();
    await settle();
    const failed = '1 failed The window was closed before a model had answered. Ask again.';
    assert.deepEqual(setting.outcomes(), ['2 none', failed]);
    assert.ok(store.requests.includes('change 1 failed'));
  });

  test('no more are kept than may be: the oldest go, here and in the store', async () => {
    const { inbox, store } = open();
    setting.maxEvents = 10;
    for (let i = 0; i < 600; i++) await setting.admit(`${i}`);
    assert.equal(setting.ids(), '599 598 597 596 595 594 593 592 591 590');
    assert.equal(inbox.unread, 10);
    assert.ok(store.kept.length <= 10 + 256, `${store.kept.length} in the store`);
    setting.maxEvents = 2;
    assert.equal(setting.ids(), '599 598');
  });

  test('the store is tidied up the sooner the larger events are', async () => {
    const { inbox, store } = open();
    setting.maxEvents = 2;
    const content = [{ type: 'text', text: 'x'.repeat(10_000_000) }] as const;
    await inbox.loaded();
    for (const id of ['1', '2', '3', '4', '5', '6', '7']) await inbox.admit(inboundEvent(id, { content }), RECORD);
    assert.equal(store.kept.length, 2);
  });

  test('large events take the place of many', async () => {
    const { inbox } = open();
    const content = [{ type: 'text', text: 'x'.repeat(10_000_000) }] as const;
    for (const id of ['1', '2', '3', '4']) await inbox.admit(inboundEvent(id, { content }), RECORD);
    assert.equal(setting.ids(), '4 3 2');
  });

  test('takes in, and marks as read, more than ten thousand in turns', async () => {
    const many = Array.from({ length: 10_500 }, (_, i) => ({ ...inboundEvent(`e${i}`), id: `e${i}` }));
    const { inbox, store } = open(...many);
    store.markRead = () => Promise.resolve();
    setting.maxEvents = 20_000;
    const loaded = inbox.loaded();
    await settle();
    assert.equal(inbox.list().length, 0, 'taken in at once');
    await setting.clock.advance(0);
    await loaded;
    assert.deepEqual([inbox.list().length, inbox.list()[0]?.id, inbox.unread], [10_500, 'e10499', 10_500]);
    const marked = inbox.markRead(many.map(({ id }) => id));
    await settle();
    assert.equal(inbox.unread, 500);
    await setting.clock.advance(0);
    await marked;
    assert.equal(inbox.unread, 0);
  });

  test('reading and clearing are stored first', async () => {
    const { inbox, store } = open();
    await setting.admit('1', '2');
    await inbox.admit(inboundEvent('3', { server: 'mail' }), RECORD);
    store.failure = 'locked';
    await assert.rejects(inbox.markRead(['1']), /locked/);
    await assert.rejects(inbox.clear(), /locked/);
    assert.deepEqual([inbox.unread, setting.ids()], [3, '3 2 1']);
    store.failure = undefined;
    await inbox.markRead(['1', '1', 'nobody']);
    await inbox.markRead(['1']);
    assert.equal(inbox.unread, 2);
    await inbox.clear('gitlab');
    assert.deepEqual([inbox.unread, setting.ids()], [1, '3']);
    await inbox.clear();
    assert.deepEqual([inbox.unread, setting.ids(), store.kept], [0, '', []]);
    assert.equal(store.requests.filter((request) => request.startsWith('markRead')).length, 2);
  });

  test('a list is the same one until something changes', async () => {
    const { inbox } = open();
    await setting.admit('1');
    await inbox.loaded();
    const list = inbox.list();
    assert.equal(inbox.list(), list);
    await inbox.markRead(['1']);
    assert.notEqual(inbox.list(), list);
    assert.equal(list[0]?.isRead, false);
  });
});

suite('Asking a model about an event', () => {
  let setting: Setting;

  setup(() => {
    setting = new Setting();
  });

  teardown(async () => {
    setting.inbox.dispose();
    for (const { end } of setting.turns) end.resolve(turn('late'));
    await settle();
    assert.equal(setting.clock.waiting, 0);
  });

  test('the question and the answer are stored with the event', async () => {
    const { inbox, store, turns, clock } = setting;
    await setting.admit('1');
    const asked = inbox.ask('1');
    await settle();
    assert.deepEqual([setting.outcomes(), inbox.isAsking('gitlab')], [['1 asking'], true]);
    await clock.advance(2_000);
    turns[0]?.end.resolve(turn('It is a commit.'));
    const event = await asked;
    assert.deepEqual(event.outcome, {
      kind: 'answered',
      at: 1_002_000,
      text: 'It is a commit.',
      model: 'gpt',
      usage: { inputTokens: 3, outputTokens: 4 },
    });
    assert.deepEqual(
      [inbox.find('1'), store.kept[0]?.outcome, inbox.isAsking('gitlab')],
      [event, event.outcome, false],
    );
    assert.deepEqual(
      store.requests.filter((request) => request.startsWith('change')),
      ['change 1 asking', 'change 1 answered'],
    );
  });

  test('a failure is stored with its next step, and reported to the caller', async () => {
    const { inbox, turns } = setting;
    await setting.admit('1');
    const asked = inbox.ask('1');
    await settle();
    const error = new HostError('NO_MODEL', 'There is no model.', { layer: 'host', suggestion: 'Sign in to one.' });
    turns[0]?.end.reject(error);
    await assert.rejects(asked, error);
    assert.deepEqual(setting.outcomes(), ['1 failed There is no model. Sign in to one.']);
    const again = inbox.ask('1');
    await settle();
    turns[1]?.end.resolve(turn('Now.'));
    await again;
    assert.deepEqual(setting.outcomes(), ['1 answered Now.']);
  });

  test('one question at a time of each server; the same question twice is one', async () => {
    const { inbox, turns } = setting;
    await setting.admit('1', '2');
    await inbox.admit(inboundEvent('3', { server: 'mail' }), RECORD);
    const all = Promise.allSettled(['1', '1', '2', '3'].map((id) => inbox.ask(id)));
    await settle();
    const begun = (): string => turns.map(({ event }) => event.id).join(' ');
    assert.equal(begun(), '1 3');
    turns[0]?.end.reject(new Error('broken'));
    await settle();
    assert.equal(begun(), '1 3 2');
    for (const { end } of turns) end.resolve(turn('ok'));
    const results = await all;
    assert.deepEqual(
      results.map(({ status }) => status),
      ['rejected', 'rejected', 'fulfilled', 'fulfilled'],
    );
  });

  test('the turn that a server was promised has its id and begins later; one by hand has none', async () => {
    const { inbox, store, clock, turns } = setting;
    const event = inboundEvent('1', { inferenceId: 'inf_1', outcome: { kind: 'asking', at: 1_000_000 } });
    await inbox.admit(event, RECORD);
    inbox.askSoon(event);
    inbox.askSoon(event);
    assert.equal(inbox.isAsking('gitlab'), true);
    await settle();
    assert.equal(turns.length, 0);
    await clock.advance(0);
    assert.deepEqual(
      turns.map(({ event: { inferenceId } }) => inferenceId),
      ['inf_1'],
    );
    turns[0]?.end.resolve(turn('first'));
    await settle();
    const again = inbox.ask('1');
    await settle();
    turns[1]?.end.resolve(turn('second'));
    assert.equal((await again).inferenceId, 'inf_1');
    assert.equal(turns[1]?.event.inferenceId, undefined);
    assert.deepEqual(
      store.requests.filter((request) => request.startsWith('change')),
      ['change 1 answered', 'change 1 asking', 'change 1 answered'],
    );
  });

  test('whoever asked may stop it, also while it waits', async () => {
    const { inbox, turns } = setting;
    await setting.admit('1', '2');
    const sources = [new CancellationSource(), new CancellationSource()];
    const asked = Promise.allSettled(['1', '2'].map((id, i) => inbox.ask(id, sources[i]?.token)));
    await settle();
    for (const source of sources) source.cancel();
    const codes = (await asked).map((end) => end.status === 'rejected' && end.reason.code);
    assert.deepEqual(codes, ['CANCELLED', 'CANCELLED']);
    assert.deepEqual([turns.length, turns[0]?.token.isCancellationRequested], [1, true]);
    const stopped = 'failed It was stopped before a model had answered. Ask again.';
    assert.deepEqual(setting.outcomes(), [`2 ${stopped}`, `1 ${stopped}`]);
    turns[0]?.end.resolve(turn('too late'));
    await settle();
    assert.deepEqual([turns.length, setting.outcomes()[1]], [1, `1 ${stopped}`]);
  });

  test('clearing stops turns whose events are gone', async () => {
    const { inbox, turns } = setting;
    await setting.admit('1');
    const asked = inbox.ask('1');
    await settle();
    await inbox.clear('gitlab');
    await assert.rejects(asked, { code: 'CANCELLED' });
    assert.deepEqual([turns[0]?.token.isCancellationRequested, inbox.list()], [true, []]);
  });

  test('clearing one server stops its own runs, and clearing all stops the rest', async () => {
    const { inbox, turns } = setting;
    await setting.admit('1');
    await inbox.admit(inboundEvent('2', { server: 'jira' }), { ...RECORD, server: 'jira' });
    const asked = ['1', '2'].map((id) =>
      inbox.ask(id).then(
        () => 'answered',
        (error: HostError) => error.code,
      ),
    );
    await settle();
    const stopped = (): readonly string[] =>
      turns.map(({ event, token }) => `${event.server} ${token.isCancellationRequested ? 'stopped' : 'runs'}`);
    await inbox.clear('gitlab');
    assert.deepEqual(stopped(), ['gitlab stopped', 'jira runs']);
    await inbox.clear();
    assert.deepEqual([stopped(), inbox.list()], [['gitlab stopped', 'jira stopped'], []]);
    assert.deepEqual(await Promise.all(asked), ['CANCELLED', 'CANCELLED']);
  });

  test('what is open at the end stays open in the store, for the next run to say so', async () => {
    const { inbox, store, turns } = setting;
    await setting.admit('1', '2');
    const asked = inbox.ask('1');
    inbox.askSoon(inboundEvent('2'));
    await settle();
    inbox.dispose();
    await assert.rejects(asked, { code: 'CANCELLED' });
    assert.deepEqual([store.kept[0]?.outcome.kind, turns[0]?.token.isCancellationRequested], ['asking', true]);
    await assert.rejects(inbox.ask('1'), { code: 'CANCELLED' });
    assert.equal(turns.length, 1);
  });

  test('an answer that cannot be stored is shown all the same', async () => {
    const { inbox, store, turns } = setting;
    await setting.admit('1');
    await inbox.loaded();
    store.failure = 'locked';
    const asked = inbox.ask('1');
    await settle();
    turns[0]?.end.resolve(turn('Still.'));
    await asked;
    assert.deepEqual(setting.outcomes(), ['1 answered Still.']);
    const line = 'warn What a model made of an event could not be stored: locked';
    assert.deepEqual(setting.log, [line, line]);
  });

  test('an event that is gone cannot be asked about', async () => {
    await assert.rejects(setting.inbox.ask('1'), {
      code: 'INVALID_ARGUMENTS',
      message: 'There is no such event any more.',
    });
  });
});
