import { ignoreFailure } from '../base/async.ts';
import type { Clock } from '../base/clock.ts';
import type { Disposable } from '../base/disposable.ts';
import { HostError, messageOf } from '../base/errors.ts';
import { Emitter } from '../base/event.ts';
import type { Logger } from '../base/log.ts';
import { APPROVAL_KINDS, type ApprovalRequest, isApprovalKind, type PendingApproval } from '../model/approval.ts';
import type { AuditRecord } from '../model/audit.ts';
import type { Grant, ApprovalGrant } from '../model/grant.ts';
import type { GrantStore, Ids } from '../ports.ts';
import { approvalGrant, grantRecord } from './approvalGrants.ts';

export interface RememberedApprovalsOptions {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly grants: GrantStore;
  readonly log: Logger;
  record(record: AuditRecord): void;
}

/** Which request a grant would have to answer. */
export type Remembered = Pick<ApprovalRequest, 'server' | 'fingerprint' | 'key'>;

/** More than anyone approves by hand; beyond it, the oldest is removed. */
const MOST_REMEMBERED = 10_000;
/** Of a file that has more, so many go at once: 100,000 held up everybody for 350 ms. */
const MOST_AT_ONCE = 1_000;
/** The last moment that a date can name. */
const LATEST = 8_640_000_000_000_000;

/**
 * Approvals of persons that last beyond one request. Those for the session belong to this window. Those for the workspace
 * are in the store, which other windows may share. A grant of another window counts here after the next start. A
 * revocation there applies here at once, because every use is looked up in the store; the approval is listed until it is
 * used or this window restarts. If two windows know different ends, the earlier one counts.
 */
export class RememberedApprovals implements Disposable {
  readonly #options: RememberedApprovalsOptions;
  readonly #changed = new Emitter<void>();
  readonly #grants = new Map<string, ApprovalGrant>();
  /** On their way to the store: they allow nothing yet. */
  readonly #saving = new Map<string, ApprovalGrant>();
  /** Revoked, and not yet known to be gone from the store: nothing may bring them back, and each write tries again. */
  readonly #doomed = new Set<string>();
  #list: readonly ApprovalGrant[] | undefined;
  #loading: Promise<void> | undefined;
  #isLoaded = false;
  #hasTried = false;
  #timer: Disposable | undefined;
  /** When the timer is due. */
  #armedFor: number | undefined;
  #isDisposed = false;

  readonly onDidChange = this.#changed.event;

  constructor(options: RememberedApprovalsOptions) {
    this.#options = options;
  }

  /** The newest first. The same list until something changes. */
  list(): readonly ApprovalGrant[] {
    // An unreadable store is not asked again at each access.
    if (!this.#hasTried) void this.loaded();
    this.#list ??= [...this.#grants.values()].reverse().sort((a, b) => b.at - a.at);
    // The machine may have slept through the moment at which one of them ended.
    const now = this.#options.clock.now();
    if (this.#list.some((grant) => isOver(grant, now))) this.#list = this.#list.filter((grant) => !isOver(grant, now));
    return this.#list;
  }

  /** Never rejects: what cannot be read now is tried again the next time. */
  loaded(): Promise<void> {
    this.#loading ??= this.#load();
    return this.#loading;
  }

  /** What allows exactly this request now. A store that cannot be read allows nothing: the person is asked again. */
  async find(request: Remembered): Promise<ApprovalGrant | undefined> {
    await this.loaded();
    const id = this.#idOf(request);
    const grant = this.#grants.get(id);
    if (grant === undefined || !this.#allows(grant, request)) return undefined;
    if (grant.lifetime === 'session') return grant;
    const kept = await this.#look(id);
    const current = this.#grants.get(id);
    // Revoked, or approved again, while the store was asked.
    if (current !== grant) return current !== undefined && this.#allows(current, request) ? current : undefined;
    if (kept === 'unreadable') return undefined;
    if (kept === undefined || !isApproval(kept) || !this.#allows(kept, request)) {
      this.#drop([id]);
      return undefined;
    }
    if (kept.until !== grant.until) this.#put(kept);
    return kept;
  }

  /** Resolves when the grant is as durable as it is meant to be; rejects when it cannot be kept, and is not then. */
  async remember(approval: PendingApproval, lifetime: ApprovalGrant['lifetime']): Promise<void> {
    const id = this.#idOf(approval);
    const grant = approvalGrant(approval, { id, lifetime, at: this.#options.clock.now() });
    if (lifetime === 'workspace') {
      this.#doomed.delete(id);
      this.#saving.set(id, grant);
      try {
        await this.#options.grants.save(grant);
      } finally {
        if (this.#saving.get(id) === grant) this.#saving.delete(id);
      }
      // Revoked before its first use; the store removes it after saving it.
      if (this.#doomed.has(id) || this.#isDisposed) return;
    }
    this.#put(grant);
    this.#record('approval/granted', grant, `Allowed for this ${lifetime}`, grant.at - approval.askedAt);
    this.#trim();
  }

  /** They allow nothing from now on. Resolves when they will not come back either. */
  async revoke(ids: readonly string[], why: string): Promise<void> {
    const chosen = new Set(ids);
    await this.#end(
      this.#all().filter(({ id }) => chosen.has(id)),
      'approval/revoked',
      why,
    );
  }

  /** Rejects if the stored approvals are unknown: they may come back. */
  async revokeWhere(predicate: (grant: ApprovalGrant) => boolean, why: string): Promise<void> {
    const work = this.#end(this.#all().filter(predicate), 'approval/revoked', why);
    ignoreFailure(work);
    await this.loaded();
    await Promise.all([work, this.#end(this.#all().filter(predicate), 'approval/revoked', why)]);
    if (!this.#isLoaded && !this.#isDisposed) throw unreadable();
  }

  async setExpiry(ids: readonly string[], until: number | undefined): Promise<void> {
    if (until !== undefined && !(Number.isSafeInteger(until) && Math.abs(until) <= LATEST)) throw noMoment();
    const chosen = new Set(ids);
    for (const grant of this.#all().filter(({ id }) => chosen.has(id))) {
      if (grant.lifetime === 'workspace') await this.#saveExpiry(grant, until);
      // Revoked, or approved again, meanwhile.
      if (this.#grants.get(grant.id) !== grant) continue;
      this.#put({ ...grant, until });
      const end = until === undefined ? 'does not end by itself' : `ends ${new Date(until).toISOString()}`;
      this.#record('approval/granted', grant, `Now ${end}`, 0);
    }
    this.#expire();
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#timer?.dispose();
    this.#changed.dispose();
  }

  /** A new end does not bring back a grant that another window revoked. */
  async #saveExpiry(grant: ApprovalGrant, until: number | undefined): Promise<void> {
    const { grants } = this.#options;
    const kept = await grants.find(grant.id);
    if (this.#grants.get(grant.id) !== grant) return;
    if (kept === undefined) this.#drop([grant.id]);
    else await grants.save({ ...grant, until });
  }

  async #load(): Promise<void> {
    const { grants, log } = this.#options;
    this.#hasTried = true;
    try {
      const kept = (await Promise.all(APPROVAL_KINDS.map((kind) => grants.list(kind)))).flat();
      if (this.#isDisposed) return;
      this.#isLoaded = true;
      const news = kept.filter(isApproval).filter((grant) => this.#isNews(grant));
      const tooMany = Math.max(0, news.length - MOST_REMEMBERED);
      for (const grant of news.slice(tooMany)) this.#grants.set(grant.id, grant);
      // Before anything else ends: the grants that were revoked while the store was read.
      ignoreFailure(this.#remove([]));
      void this.#giveUp(news.slice(0, tooMany));
      if (news.length > 0) this.#tell();
      this.#armFirst();
      this.#expire();
      this.#trim();
    } catch (error) {
      this.#loading = undefined;
      if (this.#isDisposed) return;
      log.log('error', `The approvals of earlier sessions could not be read: ${messageOf(error)}`);
    }
  }

  /** Decisions of this session are newer than stored ones. */
  #isNews({ id }: ApprovalGrant): boolean {
    return !this.#grants.has(id) && !this.#saving.has(id) && !this.#doomed.has(id);
  }

  async #look(id: string): Promise<Grant | undefined | 'unreadable'> {
    try {
      return await this.#options.grants.find(id);
    } catch (error) {
      this.#options.log.log('warn', `Whether an approval still holds could not be read: ${messageOf(error)}`);
      return 'unreadable';
    }
  }

  #allows(grant: ApprovalGrant, { server, fingerprint, key }: Remembered): boolean {
    return grant.server === server && grant.fingerprint === fingerprint && grant.key === key && !this.#isOver(grant);
  }

  #isOver(grant: ApprovalGrant): boolean {
    return isOver(grant, this.#options.clock.now());
  }

  /** Those that are about to be kept as well: they may be revoked before that. */
  #all(): readonly ApprovalGrant[] {
    const saving = [...this.#saving.values()].filter(({ id }) => !this.#doomed.has(id));
    return [...this.#grants.values(), ...saving];
  }

  /** The same for the same request, so that approving it again replaces what was approved before. */
  #idOf({ server, fingerprint, key }: Remembered): string {
    return this.#options.ids.sha256(`scope ${JSON.stringify([server, fingerprint, key])}`).slice(0, 32);
  }

  #put(grant: ApprovalGrant): void {
    // Of equal times, the last one is the newest.
    this.#grants.delete(grant.id);
    this.#grants.set(grant.id, grant);
    this.#tell();
    this.#arm(grant.until);
  }

  #drop(ids: readonly string[]): void {
    for (const id of ids) this.#grants.delete(id);
    this.#tell();
  }

  #tell(): void {
    this.#list = undefined;
    this.#changed.fire();
  }

  #trim(): void {
    if (this.#grants.size <= MOST_REMEMBERED) return;
    const work = this.#end(this.list().slice(MOST_REMEMBERED), 'approval/revoked', TOO_MANY);
    work.catch((error: unknown) => this.#notRemoved(error));
  }

  /** They were never allowed here. */
  async #giveUp(grants: readonly ApprovalGrant[]): Promise<void> {
    try {
      for (let from = 0; from < grants.length && !this.#isDisposed; from += MOST_AT_ONCE)
        await this.#end(grants.slice(from, from + MOST_AT_ONCE), 'approval/revoked', TOO_MANY);
    } catch (error) {
      this.#notRemoved(error);
    }
  }

  #expire(): void {
    const now = this.#options.clock.now();
    const over = [...this.#grants.values()].filter((grant) => isOver(grant, now));
    const work = this.#end(over, 'approval/expired', 'Its time is over');
    work.catch((error: unknown) => this.#notRemoved(error));
  }

  #notRemoved(error: unknown): void {
    this.#options.log.log('warn', `Approvals that ended could not be removed: ${messageOf(error)}`);
  }

  /** In memory at once, whatever becomes of the store. */
  async #end(grants: readonly ApprovalGrant[], operation: string, why: string): Promise<void> {
    if (grants.length === 0) return;
    // Those of the session as well: the store may hold an earlier answer to the same request, not read yet.
    const ids = grants.map(({ id }) => id);
    for (const grant of grants) this.#record(operation, grant, why, 0);
    const removed = this.#remove(ids);
    this.#drop(ids);
    await removed;
  }

  async #remove(ids: readonly string[]): Promise<void> {
    for (const id of ids) this.#doomed.add(id);
    const all = [...this.#doomed];
    if (all.length === 0) return;
    await this.#options.grants.revoke(all);
    // A running reading may still contain them.
    if (this.#isLoaded) for (const id of all) if (!this.#saving.has(id)) this.#doomed.delete(id);
  }

  #armFirst(): void {
    let first: number | undefined;
    for (const { until } of this.#grants.values())
      if (until !== undefined && (first === undefined || until < first)) first = until;
    this.#arm(first);
  }

  /**
   * At the end of the one that ends first, or of one that is gone by now. To look at all of them for each that comes would
   * take a second for 10,000.
   */
  #arm(until: number | undefined): void {
    if (until === undefined || this.#isDisposed) return;
    if (this.#armedFor !== undefined && this.#armedFor <= until) return;
    this.#timer?.dispose();
    this.#armedFor = until;
    this.#timer = this.#options.clock.delay(Math.max(0, until - this.#options.clock.now()), () => {
      this.#armedFor = undefined;
      this.#expire();
      // A timer may be early, and a clock may be set back.
      this.#armFirst();
    });
  }

  #record(operation: string, grant: ApprovalGrant, what: string, durationMs: number): void {
    this.#options.record(grantRecord(grant, { operation, what, durationMs, at: this.#options.clock.now() }));
  }
}

const TOO_MANY = 'There were too many';

function isOver({ until }: ApprovalGrant, now: number): boolean {
  return until !== undefined && until <= now;
}

function isApproval(grant: Grant): grant is ApprovalGrant {
  return isApprovalKind(grant.kind);
}

function unreadable(): HostError {
  return new HostError('STORAGE_FAILED', 'The approvals of earlier sessions could not be read.', {
    layer: 'host',
    effect: 'none',
    suggestion: 'Look into the log of MCP Live, and try again.',
  });
}

function noMoment(): HostError {
  return new HostError('INVALID_ARGUMENTS', 'That is no time at which an approval could end.', {
    layer: 'host',
    effect: 'none',
    suggestion: 'Choose another time.',
  });
}
