import type { Recorder } from '../audit/auditLog.ts';
import { messageOf, toHostError } from '../base/errors.ts';
import { clip, type Json, type JsonObject } from '../base/json.ts';
import { KeyedRateLimit } from '../base/rateLimit.ts';
import type { Participant } from '../mcpl/participant.ts';
import { type AuditRecord, auditRecord } from '../model/audit.ts';
import { pushPolicyOf } from '../model/featureSetPattern.ts';
import type { EventOutcome, InboundEvent } from '../model/inboundEvent.ts';
import type { PushPolicy } from '../model/mcpl.ts';
import type { HostLimits } from '../model/server.ts';
import type { Admission, Clock, Ids } from '../ports.ts';
import type { InboundContext } from '../rpc/peer.ts';
import { invalidParams, isUndeclaredUse, type UndeclaredUse } from '../wire/mcpl/mcplErrors.ts';
import { decodePush, type PushParams } from '../wire/mcpl/pushEvent.ts';
import { redactContent, redactObject } from '../model/content.ts';

/** Per half. */
const MOST = 1_000;
const AGE_MS = 24 * 60 * 60_000;

/** A class instead of an object literal; see `NEW_EVENT`. */
class Remembered {
  readonly at: number;
  readonly answer: Promise<Json>;

  constructor(at: number, answer: Promise<Json>) {
    this.at = at;
    this.answer = answer;
  }
}

/**
 * The answers to recent events of each server (MCPL §9.4). A repeated event gets the first answer, even while it is
 * pending. Servers may use the same id for different events.
 */
export class PushDedupe {
  readonly #servers = new Map<string, Generations>();

  find(server: string, eventId: string, now: number): Promise<Json> | undefined {
    const events = this.#servers.get(server);
    const known = events?.find(eventId);
    if (events === undefined || known === undefined) return undefined;
    if (now - known.at < AGE_MS) return known.answer;
    events.delete(eventId);
    return undefined;
  }

  remember(server: string, eventId: string, now: number, answer: Promise<Json>): void {
    let events = this.#servers.get(server);
    if (events === undefined) this.#servers.set(server, (events = new Generations()));
    events.put(eventId, new Remembered(now, answer));
  }

  /** Allows the event to be sent again, because it was not accepted. */
  forget(server: string, eventId: string): void {
    this.#servers.get(server)?.delete(eventId);
  }
}

/**
 * Keeps at least the last thousand entries and those used since. Deleting the oldest entry of a Map one by one makes
 * each lookup of the oldest scan deleted entries, so the older half is dropped at once.
 */
class Generations {
  #newer = new Map<string, Remembered>();
  #older = new Map<string, Remembered>();

  find(eventId: string): Remembered | undefined {
    const known = this.#newer.get(eventId);
    if (known !== undefined) return known;
    const older = this.#older.get(eventId);
    if (older !== undefined) this.put(eventId, older);
    return older;
  }

  put(eventId: string, remembered: Remembered): void {
    if (this.#newer.size >= MOST) {
      this.#older = this.#newer;
      this.#newer = new Map();
    }
    this.#newer.set(eventId, remembered);
  }

  delete(eventId: string): void {
    this.#newer.delete(eventId);
    this.#older.delete(eventId);
  }
}

/** Storage for events. */
export interface PushInbox {
  /** Resolves once the event and its record are durable, or known to be. */
  admit(event: InboundEvent, record: AuditRecord): Promise<Admission>;
  /** Queues a notification for the user. */
  arrived(event: InboundEvent): void;
  /** Whether a turn about an event of the server is running or queued. */
  isAsking(server: string): boolean;
  /** Starts a turn about the event after pending work. */
  askSoon(event: InboundEvent): void;
}

interface PushEventsOptions {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly inbox: PushInbox;
  readonly recorder: Recorder;
  limits(): HostLimits;
  /** Whether the server's budget has room for a turn. */
  inferAllowed(member: Participant): boolean;
  newInferenceId(): string;
}

interface Plan {
  readonly receivedAt: number;
  readonly policy: PushPolicy;
  /** Why no turn starts although the policy asks for one. */
  readonly obstacle: string | undefined;
  /** The turn that the event starts. */
  readonly inferenceId: string | undefined;
}

const MAX_DETAIL = 300;
const MINUTE_MS = 60_000;
/** Maximum turns that one server's events start per minute. */
const MAX_TURNS = 6;

/** Shared constants, never modified. */
const ACCEPTED: JsonObject = { accepted: true };
const NO_OUTCOME: EventOutcome = { kind: 'none' };
const PUSHED = { kind: 'push', featureSet: '' } as const;
/**
 * Template that every new event is copied from. V8 soon allocates objects from this literal in the old generation,
 * because most of them survive at first; there they retain everything they reference until a full collection. Copies of
 * a template avoid that. In a flood, this saves a tenth of the cost per event.
 */
const NEW_EVENT: InboundEvent = {
  id: '',
  server: '',
  source: PUSHED,
  eventId: '',
  occurredAt: '',
  receivedAt: 0,
  origin: undefined,
  content: [],
  inferenceId: undefined,
  isRead: false,
  outcome: NO_OUTCOME,
};

/**
 * `push/event` (MCPL §9): an event is durable before the server gets its answer, and stored once even if it is sent
 * repeatedly. The policy decides about a notification or a turn; the answer waits for neither.
 */
export class PushEvents {
  readonly #options: PushEventsOptions;
  readonly #known = new PushDedupe();
  readonly #rate = new KeyedRateLimit(MINUTE_MS);
  readonly #turns = new KeyedRateLimit(MINUTE_MS);
  /** Servers with an event that is being stored and will start a turn. */
  readonly #promised = new Set<string>();

  constructor(options: PushEventsOptions) {
    this.#options = options;
  }

  /** Rejects with a `WireError` as the answer. */
  handle(member: Participant, params: JsonObject, context: InboundContext): Promise<Json> {
    try {
      return this.#handle(member, params, context);
    } catch (error) {
      if (isUndeclaredUse(error)) return this.#hold(error, member, params, context);
      return Promise.reject(error instanceof Error ? error : new Error(messageOf(error)));
    }
  }

  /** Decodes first, so that an invalid event prompts no question. */
  async #hold(problem: UndeclaredUse, member: Participant, params: JsonObject, context: InboundContext): Promise<Json> {
    this.#decode(member.server, problem.featureSet, params);
    await member.holdEvent(problem, context.token);
    return this.#handle(member, params, context);
  }

  /** Not async: returning a promise from an async function creates three more promises per event. */
  #handle(member: Participant, params: JsonObject, context: InboundContext): Promise<Json> {
    const { server } = member;
    // The member records its own refusals.
    const featureSet = member.requireEnabled(params['featureSet'], 'pushEvents').name;
    const push = this.#decode(server, featureSet, params);
    const policy = pushPolicyOf(member.settings.push, featureSet);
    if (policy === 'ignore') {
      const detail = member.redact(`event ${push.eventId}: events of this feature set are ignored`);
      this.#turnedAway({ server, featureSet, outcome: 'dropped', detail });
      return Promise.resolve(ACCEPTED);
    }
    const now = this.#options.clock.now();
    const known = this.#known.find(server, push.eventId, now);
    if (known !== undefined) return known;
    const most = this.#options.limits().pushPerMinute;
    const wait = this.#rate.take(server, most, now);
    if (wait > 0) return Promise.resolve(this.#tooMany(server, featureSet, most, wait));
    const obstacle = policy === 'infer' ? this.#obstacle(member, now) : undefined;
    const inferenceId = policy === 'infer' && obstacle === undefined ? this.#options.newInferenceId() : undefined;
    context.commit?.();
    const answer = this.#keep(member, featureSet, push, { receivedAt: now, policy, obstacle, inferenceId });
    this.#known.remember(server, push.eventId, now, answer);
    return answer;
  }

  #decode(server: string, featureSet: string, params: JsonObject): PushParams {
    const decoded = decodePush(params);
    if (decoded.kind === 'ok') return decoded.value;
    this.#turnedAway({ server, featureSet, outcome: 'refused', detail: decoded.why });
    throw invalidParams(decoded.why, decoded.field);
  }

  #tooMany(server: string, featureSet: string, most: number, waitMs: number): Json {
    const reason = `More than ${most === 1 ? 'one event' : `${most} events`} came within a minute. Send it again in ${Math.ceil(waitMs / 1_000)} seconds.`;
    this.#turnedAway({ server, featureSet, outcome: 'refused', detail: reason });
    return { accepted: false, reason };
  }

  /** Not async: the state of a suspended async function would be most of an event's allocations. */
  #keep(member: Participant, featureSet: string, push: PushParams, plan: Plan): Promise<Json> {
    const event = this.#event(member, featureSet, push, plan);
    const isPromised = event.inferenceId !== undefined;
    if (isPromised) this.#promised.add(event.server);
    return this.#admitted(event, plan.obstacle).then(
      (admission) => {
        if (isPromised) this.#promised.delete(event.server);
        return this.#kept(event, plan.policy, admission);
      },
      (error: unknown) => {
        if (isPromised) this.#promised.delete(event.server);
        return this.#notKept(member, featureSet, push.eventId, error);
      },
    );
  }

  #admitted(event: InboundEvent, obstacle: string | undefined): Promise<Admission> {
    try {
      return this.#options.inbox.admit(event, keptRecord(event, obstacle));
    } catch (error) {
      return Promise.reject(toHostError(error));
    }
  }

  #kept(event: InboundEvent, policy: PushPolicy, admission: Admission): Json {
    const { inbox } = this.#options;
    // Stored by an earlier run of the host. The answer is the same as the first time.
    if (admission.kind === 'known') return accepted(admission.inferenceId);
    if (event.inferenceId !== undefined) inbox.askSoon(event);
    if (policy === 'notify') inbox.arrived(event);
    return accepted(event.inferenceId);
  }

  #notKept(member: Participant, featureSet: string, eventId: string, error: unknown): Json {
    const { server } = member;
    this.#known.forget(server, eventId);
    member.log.log('error', `An event could not be stored: ${messageOf(error)}`);
    const reason = 'The event could not be stored. Send it again later.';
    this.#turnedAway({ server, featureSet, outcome: 'failure', detail: `${reason} ${messageOf(error)}` });
    return { accepted: false, reason };
  }

  /** Records an event that is not stored. */
  #turnedAway({ detail, ...event }: Pick<AuditRecord, 'server' | 'featureSet' | 'outcome'> & { detail: string }): void {
    const { clock, recorder } = this.#options;
    const facts = { at: clock.now(), operation: 'push/event', detail: clip(detail, MAX_DETAIL) };
    recorder.record(auditRecord({ ...event, ...facts }));
  }

  /** Why no turn may start now. If there is no reason, counts one more turn. */
  #obstacle(member: Participant, now: number): string | undefined {
    const { server } = member;
    if (this.#promised.has(server) || this.#options.inbox.isAsking(server))
      return 'no model was asked, because one is still looking at an earlier event';
    if (this.#turns.wait(server, MAX_TURNS, now) > 0)
      return `no model was asked, because ${MAX_TURNS} a minute is the most`;
    if (!this.#options.inferAllowed(member)) return "no model was asked, because the server's budget is used up";
    this.#turns.take(server, MAX_TURNS, now);
    return undefined;
  }

  #event(member: Participant, featureSet: string, push: PushParams, plan: Plan): InboundEvent {
    const redact = (text: string): string => member.redact(text);
    const { origin } = push;
    const { receivedAt, inferenceId } = plan;
    return {
      ...NEW_EVENT,
      id: this.#options.ids.uuid(),
      server: member.server,
      source: { ...PUSHED, featureSet },
      eventId: redact(push.eventId),
      occurredAt: redact(push.timestamp),
      receivedAt,
      origin: origin === undefined ? undefined : redactObject(origin, redact),
      content: redactContent(push.content, redact),
      inferenceId,
      // Set from the start: if the host ends now, the next run reports that the promised turn never ran.
      outcome: inferenceId === undefined ? NO_OUTCOME : { kind: 'asking', at: receivedAt },
    };
  }
}

function accepted(inferenceId: string | undefined): JsonObject {
  return inferenceId === undefined ? ACCEPTED : { accepted: true, inferenceId };
}

/** The audit record of a stored event. Both are written in one transaction. */
function keptRecord(event: InboundEvent, remark: string | undefined): AuditRecord {
  const { receivedAt: at, server, source, inferenceId } = event;
  const detail = clip(
    remark === undefined ? `event ${event.eventId}` : `event ${event.eventId}: ${remark}`,
    MAX_DETAIL * 2,
  );
  const { featureSet } = source;
  return auditRecord({ at, server, operation: 'push/event', featureSet, inferenceId, outcome: 'success', detail });
}
