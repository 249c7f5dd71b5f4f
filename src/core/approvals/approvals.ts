import { Deferred } from '../base/async.ts';
import type { CancellationToken } from '../base/cancellation.ts';
import type { Clock } from '../base/clock.ts';
import { type Disposable, DisposableStore } from '../base/disposable.ts';
import { messageOf, toHostError } from '../base/errors.ts';
import { Emitter, type Event } from '../base/event.ts';
import { canonicalJson } from '../base/json.ts';
import type { Logger } from '../base/log.ts';
import { KeyedRateLimit } from '../base/rateLimit.ts';
import { Throttle } from '../base/throttle.ts';
import type { Approvals, AuditLog } from '../hostTypes.ts';
import {
  type ApprovalChoice,
  type ApprovalOutcome,
  type ApprovalRequest,
  DECISION_OPERATIONS,
  type DenialReason,
  type PendingApproval,
  type SettledApproval,
} from '../model/approval.ts';
import type { AuditEntry } from '../model/audit.ts';
import type { ApprovalGrant } from '../model/grant.ts';
import type { ToolCallRequest } from '../model/operation.ts';
import type { HostLimits, ServerSnapshot } from '../model/server.ts';
import type { Ids } from '../ports.ts';
import { type Remembered, RememberedApprovals, type RememberedApprovalsOptions } from './rememberedApprovals.ts';

interface ApprovalGateOptions {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Logger;
  readonly limits: () => HostLimits;
  /** Resolves once identical requests need no prompt. */
  remember(approval: PendingApproval, lifetime: 'session' | 'workspace'): Promise<void>;
}

const MAX_OF_A_SERVER = 3;
const MAX_OF_ALL = 20;
/** Maximum requests per question, so that the user knows what an answer affects. */
const MAX_WAITING = 20;
const PROMPTS = 12;
const PROMPTS_MS = 60_000;
/** A denied request does not prompt again within this time. */
const DENIED_MS = 10_000;
/** Maximum remembered denials. */
const MAX_DENIED = 100;

interface Waiter {
  readonly call: ToolCallRequest | undefined;
  readonly settled: Deferred<ApprovalOutcome>;
  /** The subscription to its token. */
  subscription: Disposable | undefined;
}

interface Question {
  readonly id: string;
  /** The first of the identical requests. The others do not differ in anything shown or stored. */
  readonly request: ApprovalRequest;
  /** Equal for requests that share a question. */
  readonly shownAs: string;
  readonly askedAt: number;
  readonly expiresAt: number;
  readonly waiters: Set<Waiter>;
  timer: Disposable | undefined;
  /** The user has answered, and the answer is being stored. */
  isAnswered: boolean;
}

/**
 * Asks the user for approvals: one question for identical requests, with a limited number of questions and a deadline
 * for each.
 *
 * An answer, even `once`, applies to all waiting requests: they are identical, the prompt shows their number, and
 * asking for each would only train users to click. A request after a `once` prompts again.
 */
class ApprovalGate implements Disposable {
  readonly #options: ApprovalGateOptions;
  readonly #changed = new Emitter<void>();
  readonly #asked: Emitter<PendingApproval>;
  readonly #settled: Emitter<SettledApproval>;
  /** By id, oldest first. */
  readonly #questions = new Map<string, Question>();
  readonly #byRequest = new Map<string, Question>();
  /** Kept when a server ends: one that restarts again and again is still one server. */
  readonly #prompts = new KeyedRateLimit(PROMPTS_MS);
  /** Times of the user's denials. */
  readonly #denials = new Map<string, number>();
  #pending: readonly PendingApproval[] | undefined;
  #isDisposed = false;

  constructor(options: ApprovalGateOptions) {
    this.#options = options;
    const report = (error: unknown): void =>
      options.log.log('error', `An approval could not be shown: ${messageOf(error)}`);
    this.#asked = new Emitter(report);
    this.#settled = new Emitter(report);
  }

  readonly onDidChange = this.#changed.event;

  get onDidAsk(): Event<PendingApproval> {
    return this.#asked.event;
  }

  get onDidSettle(): Event<SettledApproval> {
    return this.#settled.event;
  }

  /** Oldest first. Returns the same list until something changes. */
  pending(): readonly PendingApproval[] {
    this.#pending ??= [...this.#questions.values()].map(pendingOf);
    return this.#pending;
  }

  /** Never rejects. Cancelling the token withdraws the request. */
  ask(request: ApprovalRequest, token: CancellationToken): Promise<ApprovalOutcome> {
    if (this.#isDisposed || token.isCancellationRequested) return Promise.resolve(denied('withdrawn'));
    const shownAs = this.#shownAs(request);
    const same = this.#byRequest.get(shownAs);
    if (same !== undefined) return this.#join(same, request, token);
    const refusal = this.#refusal(request);
    return refusal === undefined ? this.#open(request, shownAs, token) : Promise.resolve(denied(refusal));
  }

  /**
   * The first answer counts. Returns false if there was one, or no request waits any more. Rejects if the answer could
   * not be stored: waiting requests are then approved, and the next one prompts again.
   */
  async answer(id: string, choice: ApprovalChoice | 'dismiss'): Promise<boolean> {
    const question = this.#questions.get(id);
    if (question === undefined || question.isAnswered) return false;
    question.isAnswered = true;
    question.timer?.dispose();
    if (choice === 'deny') this.#noteDenial(question.request);
    if (choice === 'deny') this.#settle(question, denied('byPerson'));
    else if (choice === 'dismiss') this.#settle(question, denied('dismissed'));
    else if (choice === 'once') this.#settle(question, { kind: 'approved', choice });
    else await this.#keep(question, choice);
    return true;
  }

  /** Withdraws questions of this server, or those that match `which`. */
  withdraw(server: string, which: (request: ApprovalRequest) => boolean = () => true): void {
    for (const question of [...this.#questions.values()])
      if (question.request.server === server && which(question.request)) this.#settle(question, denied('withdrawn'));
  }

  dispose(): void {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    for (const question of [...this.#questions.values()]) this.#settle(question, denied('withdrawn'));
    this.#changed.dispose();
    this.#asked.dispose();
    this.#settled.dispose();
  }

  /**
   * An approval covers the targets of a call, whatever its other arguments. But a prompt that shows arguments must not
   * also answer for a call with different ones.
   */
  #shownAs(request: ApprovalRequest): string {
    return this.#options.ids.sha256(`${keyOf(request)} ${canonicalJson(request.call?.args ?? {})}`);
  }

  /** Why no question is asked. */
  #refusal(request: ApprovalRequest): DenialReason | undefined {
    const { server } = request;
    const now = this.#options.clock.now();
    const deniedAt = this.#denials.get(keyOf(request));
    if (deniedAt !== undefined && now - deniedAt < DENIED_MS) return 'byPerson';
    if (!this.#asked.hasListeners) return 'nobody';
    const ofServer = [...this.#questions.values()].filter(({ request: open }) => open.server === server).length;
    if (ofServer >= MAX_OF_A_SERVER || this.#questions.size >= MAX_OF_ALL) return 'flood';
    return this.#prompts.take(server, PROMPTS, now) > 0 ? 'flood' : undefined;
  }

  #open(request: ApprovalRequest, shownAs: string, token: CancellationToken): Promise<ApprovalOutcome> {
    const { clock, ids } = this.#options;
    const askedAt = clock.now();
    const patience = this.#options.limits().approvalSeconds * 1_000;
    const question: Question = {
      id: ids.uuid(),
      request,
      shownAs,
      askedAt,
      expiresAt: askedAt + patience,
      waiters: new Set(),
      timer: undefined,
      isAnswered: false,
    };
    question.timer = clock.delay(patience, () => this.#settle(question, denied('timeout')));
    this.#questions.set(question.id, question);
    this.#byRequest.set(shownAs, question);
    const outcome = this.#join(question, request, token);
    // A listener may have withdrawn it.
    if (this.#questions.has(question.id)) this.#asked.fire(pendingOf(question));
    return outcome;
  }

  #join(question: Question, { call }: ApprovalRequest, token: CancellationToken): Promise<ApprovalOutcome> {
    if (question.waiters.size >= MAX_WAITING) return Promise.resolve(denied('flood'));
    const waiter: Waiter = { call, settled: new Deferred(), subscription: undefined };
    question.waiters.add(waiter);
    waiter.subscription = token.onCancellationRequested(() => this.#leave(question, waiter));
    // A token may call back at once.
    if (!question.waiters.has(waiter)) waiter.subscription.dispose();
    this.#tell();
    return waiter.settled.promise;
  }

  /** The last waiting request ends the question. */
  #leave(question: Question, waiter: Waiter): void {
    if (!question.waiters.has(waiter)) return;
    if (question.waiters.size === 1) {
      this.#settle(question, denied('withdrawn'));
      return;
    }
    question.waiters.delete(waiter);
    release(waiter, denied('withdrawn'));
    this.#tell();
  }

  async #keep(question: Question, choice: 'session' | 'workspace'): Promise<void> {
    try {
      await this.#options.remember(pendingOf(question), choice);
      this.#settle(question, { kind: 'approved', choice });
    } catch (error) {
      this.#options.log.log('error', `An approval holds for this one time only: ${messageOf(error)}`);
      this.#settle(question, { kind: 'approved', choice: 'once' });
      throw toHostError(error);
    }
  }

  #noteDenial(request: ApprovalRequest): void {
    const now = this.#options.clock.now();
    for (const [key, at] of this.#denials)
      if (now - at >= DENIED_MS || this.#denials.size >= MAX_DENIED) this.#denials.delete(key);
    this.#denials.set(keyOf(request), now);
  }

  #settle(question: Question, outcome: ApprovalOutcome): void {
    if (!this.#questions.delete(question.id)) return;
    this.#byRequest.delete(question.shownAs);
    question.timer?.dispose();
    const approval = pendingOf(question);
    for (const waiter of question.waiters) release(waiter, outcome);
    question.waiters.clear();
    this.#tell();
    this.#settled.fire({ approval, outcome });
  }

  #tell(): void {
    this.#pending = undefined;
    this.#changed.fire();
  }
}

function release({ settled, subscription }: Waiter, outcome: ApprovalOutcome): void {
  subscription?.dispose();
  settled.resolve(outcome);
}

function denied(why: DenialReason): ApprovalOutcome {
  return { kind: 'denied', why };
}

/** Different kinds, servers, or programs under one id never share an answer, even with equal keys. */
function keyOf({ server, fingerprint, key, subject }: ApprovalRequest): string {
  return JSON.stringify([subject.kind, server, fingerprint, key]);
}

function pendingOf({ id, request, askedAt, expiresAt, waiters }: Question): PendingApproval {
  const { server, fingerprint, featureSet, key, subject, payloadHash } = request;
  const calls = [...waiters].flatMap(({ call }) => call ?? []);
  return {
    id,
    server,
    fingerprint,
    featureSet,
    key,
    subject,
    payloadHash,
    askedAt,
    expiresAt,
    waiting: waiters.size,
    calls,
  };
}

interface StoredApprovalsOptions extends Omit<ApprovalGateOptions, 'remember'>, RememberedApprovalsOptions {
  readonly audit: Pick<AuditLog, 'list'>;
}

/** Minimum interval between updates of views. */
const TELL_MS = 50;

/** Approval requests and grants: the questions, and the memory of their answers. */
export class StoredApprovals implements Approvals, Disposable {
  readonly #options: StoredApprovalsOptions;
  readonly #store = new DisposableStore();
  readonly #changed: Emitter<void>;
  readonly #remembered: RememberedApprovals;
  readonly #gate: ApprovalGate;

  constructor(options: StoredApprovalsOptions) {
    this.#options = options;
    this.#changed = this.#store.add(new Emitter<void>());
    const fire = (): void => this.#changed.fire();
    const changes = this.#store.add(new Throttle(options.clock, TELL_MS, fire, { leading: true }));
    this.#remembered = this.#store.add(new RememberedApprovals(options));
    this.#gate = this.#store.add(
      new ApprovalGate({
        clock: options.clock,
        ids: options.ids,
        log: options.log,
        limits: options.limits,
        remember: (approval, lifetime) => this.#remembered.remember(approval, lifetime),
      }),
    );
    for (const { onDidChange } of [this.#remembered, this.#gate]) this.#store.add(onDidChange(() => changes.request()));
  }

  get onDidChange(): Event<void> {
    return this.#changed.event;
  }

  get onDidAsk(): Event<PendingApproval> {
    return this.#gate.onDidAsk;
  }

  get onDidSettle(): Event<SettledApproval> {
    return this.#gate.onDidSettle;
  }

  pending(): readonly PendingApproval[] {
    return this.#gate.pending();
  }

  asksInChat(): boolean {
    return this.#options.limits().asksInChat;
  }

  remembered(): readonly ApprovalGrant[] {
    return this.#remembered.list();
  }

  /** Resolves when the approvals of earlier sessions are read, or cannot be. `find` also waits for this. */
  loaded(): Promise<void> {
    return this.#remembered.loaded();
  }

  /** The grant for exactly this request, if any. */
  find(request: Remembered): Promise<ApprovalGrant | undefined> {
    return this.#remembered.find(request);
  }

  /** Never rejects. Cancelling the token withdraws the request. */
  ask(request: ApprovalRequest, token: CancellationToken): Promise<ApprovalOutcome> {
    return this.#gate.ask(request, token);
  }

  answer(id: string, choice: ApprovalChoice | 'dismiss'): Promise<boolean> {
    return this.#gate.answer(id, choice);
  }

  /** Withdraws requests of this server, or those that match `which`. */
  withdraw(server: string, which?: (request: ApprovalRequest) => boolean): void {
    this.#gate.withdraw(server, which);
  }

  revoke(ids: readonly string[], why = 'Taken back by the person'): Promise<void> {
    return this.#remembered.revoke(ids, why);
  }

  /** Revokes matching grants on behalf of the host, including those of earlier sessions. */
  revokeWhere(predicate: (grant: ApprovalGrant) => boolean, why: string): Promise<void> {
    return this.#remembered.revokeWhere(predicate, why);
  }

  setExpiry(ids: readonly string[], until: number | undefined): Promise<void> {
    return this.#remembered.setExpiry(ids, until);
  }

  history(limit: number): Promise<readonly AuditEntry[]> {
    return newestOf(this.#options.audit, Object.values(DECISION_OPERATIONS), limit);
  }

  /** A connection with this fingerprint may start. Grants for another fingerprint belonged to a different server. */
  admitted(server: string, fingerprint: string): void {
    this.end((grant) => grant.server === server && grant.fingerprint !== fingerprint, 'the server is another one now');
  }

  /** Ends the requests and grants of feature sets that are off. */
  async endOfSetsOff({ id, mcpl }: Pick<ServerSnapshot, 'id' | 'mcpl'>): Promise<void> {
    const isOff = ({ server, featureSet }: Pick<ApprovalRequest, 'server' | 'featureSet'>): boolean =>
      server === id &&
      featureSet !== undefined &&
      mcpl?.sets.find(({ set }) => set.name === featureSet)?.state !== 'enabled';
    if (this.pending().some(isOff)) this.withdraw(id, isOff);
    await this.loaded();
    if (this.remembered().some(({ server }) => server === id)) this.end(isOff, 'its feature set is off');
  }

  /** As `revokeWhere`, but logs a failure. */
  end(predicate: (grant: ApprovalGrant) => boolean, why: string): void {
    this.revokeWhere(predicate, why).catch((error: unknown) => {
      this.#options.log.log('error', `An approval could not be revoked: ${messageOf(error)}`);
    });
  }

  dispose(): void {
    this.#store.dispose();
  }
}

/** The newest records of these operations together. */
export async function newestOf(
  audit: Pick<AuditLog, 'list'>,
  operations: readonly string[],
  limit: number,
): Promise<readonly AuditEntry[]> {
  const lists = await Promise.all(operations.map((operation) => audit.list({ limit, operation })));
  return lists
    .flat()
    .sort((a, b) => b.place - a.place)
    .slice(0, limit);
}
