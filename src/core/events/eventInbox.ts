import { AgingMap } from '../base/agingMap.ts';
import { ignoreFailure, KeyedQueue } from '../base/async.ts';
import { CancellationSource, type CancellationToken, NO_CANCELLATION, unlessCancelled } from '../base/cancellation.ts';
import { type Clock, nextTurn } from '../base/clock.ts';
import type { Disposable } from '../base/disposable.ts';
import { cancelled, HostError, isCancellation, messageOf, toHostError } from '../base/errors.ts';
import { Emitter } from '../base/event.ts';
import { clip } from '../base/json.ts';
import type { Logger } from '../base/log.ts';
import { Throttle } from '../base/throttle.ts';
import type { EventInbox, TurnResult } from '../hostTypes.ts';
import type { AuditRecord } from '../model/audit.ts';
import { sizeOf } from '../model/content.ts';
import type { EventOutcome, InboundEvent } from '../model/inboundEvent.ts';
import type { HostLimits } from '../model/server.ts';
import type { Admission, EventChange, EventStore } from '../ports.ts';

/** Slack above the limit, because removing events in batches is cheaper. */
const SLACK = 256;
/** Maximum text and base64 in memory: a thousand events may have 4 MB each. Others stay in the store only. */
const MAX_CHARACTERS = 32_000_000;

/** Above the default limit of a host. */
const AT_ONCE = 10_000;

/** Number of steps, unless they get too small. */
const PARTS = 4;

/** The newest events of all servers, up to the limits. */
export class RecentEvents {
  readonly #most: () => number;
  /** Oldest first. */
  #events = this.#none();
  #characters = 0;
  #unread = 0;
  #list: readonly InboundEvent[] | undefined;

  constructor(most: () => number) {
    this.#most = most;
  }

  get unread(): number {
    this.#trim();
    return this.#unread;
  }

  /** Newest first. Returns the same list until something changes. */
  list(): readonly InboundEvent[] {
    this.#trim();
    this.#list ??= this.#all().reverse();
    return this.#list;
  }

  find(id: string): InboundEvent | undefined {
    return this.#events.get(id);
  }

  /** Adds a new event. Returns its size in characters. */
  add(event: InboundEvent): number {
    const before = this.#characters;
    this.#events.add(event.id, event);
    this.#count(event, 1);
    const size = this.#characters - before;
    if (this.#events.size > this.#most() + SLACK || this.#characters > MAX_CHARACTERS) this.#trim();
    return size;
  }

  change(id: string, change: Partial<Pick<InboundEvent, 'inferenceId' | 'isRead' | 'outcome'>>): void {
    const event = this.find(id);
    if (event === undefined) return;
    const changed = { ...event, ...change };
    this.#count(event, -1);
    this.#events.replace(id, changed);
    this.#count(changed, 1);
  }

  /**
   * Adds events older than all in memory. Events in memory are already current. Yields between steps: 100,000 at once
   * took 50 ms.
   */
  *addOlder(newestFirst: readonly InboundEvent[]): Generator<void, void, void> {
    const events = this.#none();
    let [characters, unread] = [0, 0];
    for (const event of newestFirst.toReversed()) {
      if (this.#events.get(event.id) !== undefined) continue;
      events.add(event.id, event);
      characters += sizeOf(event.content);
      if (!event.isRead) unread++;
      if (events.size % AT_ONCE === 0) yield;
    }
    for (const event of this.#events.values()) {
      // Events that arrived between the steps are already current.
      const copy = events.get(event.id);
      if (copy !== undefined) {
        events.delete(copy.id);
        characters -= sizeOf(copy.content);
        if (!copy.isRead) unread--;
      }
      events.add(event.id, event);
    }
    this.#events = events;
    this.#characters += characters;
    this.#unread += unread;
    this.#list = undefined;
    this.#trim();
  }

  /** Removes the events of one server, or all. */
  clear(server: string | undefined): void {
    if (server === undefined) {
      this.#events = this.#none();
      [this.#characters, this.#unread, this.#list] = [0, 0, undefined];
    } else for (const event of this.#all()) if (event.server === server) this.#drop(event);
  }

  #none(): AgingMap<string, InboundEvent> {
    return new AgingMap(() => Math.max(SLACK, this.#most() / PARTS));
  }

  #all(): InboundEvent[] {
    return [...this.#events.values()];
  }

  #trim(): void {
    const most = Math.max(1, this.#most());
    for (const event of this.#events.values()) {
      const isTooMuch = this.#characters > MAX_CHARACTERS && this.#events.size > 1;
      if (this.#events.size <= most && !isTooMuch) return;
      this.#drop(event);
    }
  }

  #drop(event: InboundEvent): void {
    this.#events.delete(event.id);
    this.#count(event, -1);
  }

  #count(event: InboundEvent, sign: 1 | -1): void {
    this.#list = undefined;
    if (!event.isRead) this.#unread += sign;
    this.#characters += sign * sizeOf(event.content);
  }
}

interface StoredInboxOptions {
  readonly clock: Clock;
  readonly events: EventStore;
  readonly log: Logger;
  limits(): HostLimits;
  /** Receives the audit record stored with an event. */
  readonly audit?: { kept(record: AuditRecord): void };
  /** Runs one turn with a model. */
  ask(event: InboundEvent, token: CancellationToken): Promise<TurnResult>;
}

interface Question {
  readonly server: string;
  readonly source: CancellationSource;
  readonly answered: Promise<InboundEvent>;
  /** Whether the event started it, rather than the user. */
  readonly isPromised: boolean;
}

/** Minimum interval between updates of views. */
const TELL_MS = 100;
/** Maximum events announced separately. All of them are in the list. */
const MAX_ARRIVALS = 1_000;
/** Number of new events after which the store is trimmed. */
const TRIM_EVERY = 256;
/** Characters of an event that count as one more event. */
const LARGE = 250_000;
const MAX_ANSWER = 100_000;
/** Events marked per batch, with a yield to the event loop in between: 100,000 took 40 ms. */
const MARKED_AT_ONCE = 10_000;

const LEFT_OPEN = 'The window was closed before a model had answered. Ask again.';
const STOPPED = 'It was stopped before a model had answered. Ask again.';

/** The events of all servers. Each is stored before it is announced, and the newest are kept in memory for views. */
export class StoredInbox implements EventInbox, Disposable {
  readonly #options: StoredInboxOptions;
  readonly #recent: RecentEvents;
  readonly #changed = new Emitter<void>();
  readonly #arrived = new Emitter<readonly InboundEvent[]>();
  readonly #questions = new Map<string, Question>();
  /** Each server has at most one running question. */
  readonly #turns = new KeyedQueue();
  /** Ids only, because events may change or be cleared before the notification. */
  #arrivals: string[] = [];
  readonly #telling: Throttle;
  #loading: Promise<void> | undefined;
  #hasTried = false;
  #untrimmed = 0;
  #isDisposed = false;

  readonly onDidChange = this.#changed.event;
  readonly onDidArrive = this.#arrived.event;

  constructor(options: StoredInboxOptions) {
    this.#options = options;
    this.#recent = new RecentEvents(() => options.limits().maxEvents);
    this.#telling = new Throttle(options.clock, TELL_MS, () => this.#tell());
  }

  get unread(): number {
    return this.#recent.unread;
  }

  list(): readonly InboundEvent[] {
    this.#loadOnce();
    return this.#recent.list();
  }

  find(id: string): InboundEvent | undefined {
    return this.#recent.find(id);
  }

  /** Never rejects. A failed read is retried next time. */
  loaded(): Promise<void> {
    this.#loading ??= this.#load();
    return this.#loading;
  }

  /** Resolves once the event is durable. Rejects if it cannot be stored; the event then does not exist. */
  admit(event: InboundEvent, record: AuditRecord): Promise<Admission> {
    return this.#options.events.admit(event, record).then((admission) => {
      if (admission.kind === 'kept' && !this.#isDisposed) {
        this.#keep(event);
        this.#options.audit?.kept(record);
      }
      return admission;
    });
  }

  /** Queues a notification. */
  arrived(event: InboundEvent): void {
    if (this.#arrivals.length < MAX_ARRIVALS) this.#arrivals.push(event.id);
    this.#telling.request();
  }

  async change(id: string, change: EventChange): Promise<void> {
    this.#recent.change(id, change);
    this.#telling.request();
    await this.#options.events.change(id, change);
  }

  async markRead(ids: readonly string[]): Promise<void> {
    const unread = ids.filter((id) => this.#recent.find(id)?.isRead === false);
    if (unread.length === 0) return;
    await this.#options.events.markRead(unread);
    for (const [index, id] of unread.entries()) {
      if (index > 0 && index % MARKED_AT_ONCE === 0) await nextTurn(this.#options.clock);
      this.#recent.change(id, { isRead: true });
    }
    this.#telling.request();
  }

  async clear(server?: string): Promise<void> {
    await this.#options.events.clear(server);
    // Their events are about to be removed.
    for (const question of this.#questions.values())
      if (server === undefined || question.server === server) question.source.cancel();
    this.#recent.clear(server);
    this.#telling.request();
  }

  isAsking(server: string): boolean {
    for (const question of this.#questions.values()) if (question.server === server) return true;
    return false;
  }

  /** Callers share a running question. */
  ask(id: string, token: CancellationToken = NO_CANCELLATION): Promise<InboundEvent> {
    const open = this.#questions.get(id);
    if (open !== undefined) return unlessCancelled(open.answered, token, 'The question');
    const event = this.#recent.find(id);
    if (event === undefined) return Promise.reject(unknownEvent());
    // The server only knows the id of the first turn.
    return this.#open({ ...event, inferenceId: undefined }, token, false);
  }

  /** Starts the turn that the server was promised, after the answer with the promise is sent. */
  askSoon(event: InboundEvent): void {
    if (!this.#questions.has(event.id)) ignoreFailure(this.#open(event, NO_CANCELLATION, true));
  }

  /** Ends turns that a server's events started. Turns requested by the user continue. */
  stopTurns(server: string): void {
    for (const question of this.#questions.values())
      if (question.isPromised && question.server === server) question.source.cancel();
  }

  /** Ends and records running turns before the store is closed. */
  async close(): Promise<void> {
    const open = [...this.#questions.values()];
    for (const question of open) question.source.cancel();
    await Promise.allSettled(open.map(({ answered }) => answered));
    this.dispose();
  }

  dispose(): void {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    this.#telling.dispose();
    for (const question of this.#questions.values()) question.source.cancel();
    this.#changed.dispose();
    this.#arrived.dispose();
  }

  #keep(event: InboundEvent): void {
    this.#untrimmed += 1 + this.#recent.add(event) / LARGE;
    this.#loadOnce();
    if (this.#untrimmed >= TRIM_EVERY) this.#trim();
    this.#telling.request();
  }

  /** Merges changes into one event for views. */
  #tell(): void {
    const arrivals = this.#arrivals.flatMap((id) => this.#recent.find(id) ?? []);
    this.#arrivals = [];
    this.#changed.fire();
    if (arrivals.length > 0) this.#arrived.fire(arrivals);
  }

  /** Avoids repeated reads of an unreadable store. */
  #loadOnce(): void {
    if (!this.#hasTried) void this.loaded();
  }

  async #load(): Promise<void> {
    const { events, log } = this.#options;
    this.#hasTried = true;
    try {
      const kept = await events.list(this.#options.limits().maxEvents);
      if (this.#isDisposed) return;
      const isHere = (id: string): boolean => this.#recent.find(id) !== undefined;
      const leftOpen = kept.filter(({ id, outcome }) => outcome.kind === 'asking' && !isHere(id));
      for (const _ of this.#recent.addOlder(kept)) await nextTurn(this.#options.clock);
      if (this.#isDisposed) return;
      for (const { id } of leftOpen) void this.#note(id, this.#failed(LEFT_OPEN));
      this.#trim();
      this.#telling.request();
    } catch (error) {
      this.#loading = undefined;
      log.log('warn', `The events of earlier runs could not be read: ${messageOf(error)}`);
    }
  }

  #trim(): void {
    this.#untrimmed = 0;
    this.#options.events.trim(this.#options.limits().maxEvents).catch((error: unknown) => {
      this.#options.log.log('warn', `Old events could not be removed: ${messageOf(error)}`);
    });
  }

  #open(event: InboundEvent, token: CancellationToken, isSoon: boolean): Promise<InboundEvent> {
    const source = new CancellationSource();
    const subscription = token.onCancellationRequested(() => source.cancel());
    if (this.#isDisposed) source.cancel();
    const answered = this.#answer(event, source.token, isSoon).finally(() => {
      this.#questions.delete(event.id);
      subscription.dispose();
      source.dispose();
    });
    this.#questions.set(event.id, { server: event.server, source, answered, isPromised: isSoon });
    return answered;
  }

  async #answer(event: InboundEvent, token: CancellationToken, isSoon: boolean): Promise<InboundEvent> {
    const { id, server } = event;
    const { clock } = this.#options;
    try {
      if (isSoon) await afterAnswers(clock, token);
      // A promised turn is already stored as such.
      else await this.#note(id, { kind: 'asking', at: clock.now() });
      const turn = this.#turns.run(server, async () => {
        if (token.isCancellationRequested) throw cancelled('The question');
        // The current event, with the inference id that `ask` selected.
        return this.#options.ask({ ...(this.#recent.find(id) ?? event), inferenceId: event.inferenceId }, token);
      });
      const { text, model, usage } = await unlessCancelled(turn, token, 'The question');
      const said = clip(text, MAX_ANSWER);
      const outcome = { kind: 'answered', at: clock.now(), text: said, model: model.id, usage } as const;
      await this.#note(id, outcome);
      return this.#recent.find(id) ?? { ...event, outcome };
    } catch (thrown) {
      const error = toHostError(thrown);
      // After disposal the store may be closed. The next run marks open turns as failed.
      if (!this.#isDisposed) await this.#note(id, this.#failed(isCancellation(error) ? STOPPED : sentences(error)));
      throw error;
    }
  }

  #failed(message: string): EventOutcome {
    return { kind: 'failed', at: this.#options.clock.now(), message };
  }

  /** Keeps an answer in memory for this run if it cannot be stored. */
  async #note(id: string, outcome: EventOutcome): Promise<void> {
    try {
      await this.change(id, { outcome });
    } catch (error) {
      this.#options.log.log('warn', `What a model made of an event could not be stored: ${messageOf(error)}`);
    }
  }
}

/** Resolves after pending work, such as the answer to a server. */
function afterAnswers(clock: Clock, token: CancellationToken): Promise<void> {
  return new Promise((resolve) => {
    const timer = clock.delay(0, () => {
      subscription.dispose();
      resolve();
    });
    const subscription = token.onCancellationRequested(() => {
      timer.dispose();
      resolve();
    });
  });
}

function sentences({ message, suggestion }: HostError): string {
  return suggestion === undefined ? message : `${message} ${suggestion}`;
}

function unknownEvent(): HostError {
  return new HostError('INVALID_ARGUMENTS', 'There is no such event any more.', {
    layer: 'host',
    effect: 'none',
    suggestion: 'Choose one of the list of events.',
  });
}
