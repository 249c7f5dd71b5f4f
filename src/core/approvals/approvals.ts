import type { CancellationToken } from '../base/cancellation.ts';
import { type Disposable, DisposableStore } from '../base/disposable.ts';
import { messageOf } from '../base/errors.ts';
import { Emitter, type Event } from '../base/event.ts';
import type { Approvals, AuditLog } from '../hostTypes.ts';
import { Throttle } from '../base/throttle.ts';
import {
  type ApprovalChoice,
  type ApprovalOutcome,
  type ApprovalRequest,
  DECISION_OPERATIONS,
  type PendingApproval,
  type SettledApproval,
} from '../model/approval.ts';
import type { AuditEntry } from '../model/audit.ts';
import type { ApprovalGrant } from '../model/grant.ts';
import type { ServerSnapshot } from '../model/server.ts';
import { ApprovalGate, type ApprovalGateOptions } from './approvalGate.ts';
import { type Remembered, RememberedApprovals, type RememberedApprovalsOptions } from './rememberedApprovals.ts';

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
        limits: () => options.limits(),
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
