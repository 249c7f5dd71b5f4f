import { ignoreFailure } from '../base/async.ts';
import type { Clock } from '../base/clock.ts';
import type { Disposable } from '../base/disposable.ts';
import { HostError, messageOf } from '../base/errors.ts';
import { Emitter } from '../base/event.ts';
import { clip } from '../base/json.ts';
import type { Logger } from '../base/log.ts';
import {
  APPROVAL_KINDS,
  type ApprovalRequest,
  type ApprovalSubject,
  isApprovalKind,
  type PendingApproval,
} from '../model/approval.ts';
import { type AuditRecord, auditRecord } from '../model/audit.ts';
import type { ApprovalGrant, Grant } from '../model/grant.ts';
import type { GrantStore, Ids } from '../ports.ts';
import { allowedBy } from './subjectText.ts';

const WORKSPACE_MS = 90 * 86_400_000;
const MAX_TEXT = 4_096;
/** For display only, because the key covers all targets. */
const MAX_TARGETS = 256;
const MAX_NAMED_COUNT = 5;
const MAX_NAMED = 200;

/** Creates the grant for an answer other than `once`. */
function approvalGrant(
  { server, fingerprint, featureSet, key, payloadHash, subject }: PendingApproval,
  { id, lifetime, at }: Pick<ApprovalGrant, 'id' | 'lifetime' | 'at'>,
): ApprovalGrant {
  const { kind, action, label, targets } = allowedBy(subject);
  return {
    id,
    direction: 'toServer',
    kind,
    server,
    fingerprint,
    featureSet,
    key,
    action: clip(action, MAX_TEXT),
    label: label === undefined ? undefined : clip(label, MAX_TEXT),
    // Label and payload usually name the same targets.
    targets: [...new Set(targets.map((target) => clip(target, MAX_TEXT)))].slice(0, MAX_TARGETS),
    payloadHash,
    lifetime,
    by: 'person',
    at,
    until: lifetime === 'workspace' ? at + WORKSPACE_MS : undefined,
  };
}

/** The audit record for a created, changed or ended grant. */
function grantRecord(
  { server, featureSet, action, targets }: ApprovalGrant,
  { what, ...rest }: Pick<AuditRecord, 'at' | 'operation' | 'durationMs'> & { readonly what: string },
): AuditRecord {
  const named = targets.slice(0, MAX_NAMED_COUNT).map((target) => clip(target, MAX_NAMED));
  const more = targets.length > MAX_NAMED_COUNT ? [`${targets.length - MAX_NAMED_COUNT} more`] : [];
  return auditRecord({
    ...rest,
    server,
    featureSet,
    outcome: 'success',
    detail: [`${what}: ${clip(action, MAX_NAMED)}`, [...named, ...more].join(', ')].filter(Boolean).join(' '),
  });
}

export interface RememberedApprovalsOptions {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly grants: GrantStore;
  readonly log: Logger;
  record(record: AuditRecord): void;
}

/** The request that a grant must match. */
export interface Remembered extends Pick<ApprovalRequest, 'server' | 'fingerprint' | 'key'> {
  readonly subject: Pick<ApprovalSubject, 'kind'>;
}

/** More than anyone approves by hand. Above it, the oldest is removed. */
const MAX_REMEMBERED = 10_000;
/** Grants removed per batch if a file has too many: 100,000 at once blocked for 350 ms. */
const MAX_AT_ONCE = 1_000;
/** The latest valid time in JavaScript. */
const LATEST = 8_640_000_000_000_000;

/**
 * Grants for more than one request. Session grants belong to this window. Workspace grants are in the store, which
 * windows may share. A grant of another window applies here after the next start. A revocation there applies at once,
 * because every use reads the store; the grant stays listed until it is used or this window restarts. If two windows
 * have different expiry times, the earlier one applies.
 */
export class RememberedApprovals implements Disposable {
  readonly #options: RememberedApprovalsOptions;
  readonly #changed = new Emitter<void>();
  readonly #grants = new Map<string, ApprovalGrant>();
  /** Grants being saved, which allow nothing yet. */
  readonly #saving = new Map<string, ApprovalGrant>();
  /** Revoked grants that may still be in the store: they must not come back, and each write retries their removal. */
  readonly #doomed = new Set<string>();
  #list: readonly ApprovalGrant[] | undefined;
  #loading: Promise<void> | undefined;
  #isLoaded = false;
  #hasTried = false;
  #timer: Disposable | undefined;
  /** Due time of the timer. */
  #armedFor: number | undefined;
  #isDisposed = false;

  readonly onDidChange = this.#changed.event;

  constructor(options: RememberedApprovalsOptions) {
    this.#options = options;
  }

  /** Newest first. Returns the same list until something changes. */
  list(): readonly ApprovalGrant[] {
    // Avoids repeated reads of an unreadable store.
    if (!this.#hasTried) void this.loaded();
    this.#list ??= [...this.#grants.values()].reverse().sort((a, b) => b.at - a.at);
    // The machine may have slept past an expiry time.
    const now = this.#options.clock.now();
    if (this.#list.some((grant) => isOver(grant, now))) this.#list = this.#list.filter((grant) => !isOver(grant, now));
    return this.#list;
  }

  /** Never rejects. A failed read is retried next time. */
  loaded(): Promise<void> {
    this.#loading ??= this.#load();
    return this.#loading;
  }

  /** The grant for exactly this request, if any. An unreadable store allows nothing, so the user is asked again. */
  async find(request: Remembered): Promise<ApprovalGrant | undefined> {
    await this.loaded();
    const id = this.#idOf(request);
    const grant = this.#grants.get(id);
    if (grant === undefined || !this.#allows(grant, request)) return undefined;
    if (grant.lifetime === 'session') return grant;
    const kept = await this.#look(id);
    const current = this.#grants.get(id);
    // Revoked, or approved again, during the read.
    if (current !== grant) return current !== undefined && this.#allows(current, request) ? current : undefined;
    if (kept === 'unreadable') return undefined;
    if (kept === undefined || !isApproval(kept) || !this.#allows(kept, request)) {
      this.#drop([id]);
      return undefined;
    }
    if (kept.until !== grant.until) this.#put(kept);
    return kept;
  }

  /** Resolves once the grant is stored as its lifetime requires. Rejects, without a grant, if that fails. */
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
      // Revoked before its first use. The store removes it after saving it.
      if (this.#doomed.has(id) || this.#isDisposed) return;
    }
    this.#put(grant);
    this.#record('approval/granted', grant, `Allowed for this ${lifetime}`, grant.at - approval.askedAt);
    this.#trim();
  }

  /** Revokes grants at once. Resolves when they cannot come back. */
  async revoke(ids: readonly string[], why: string): Promise<void> {
    const chosen = new Set(ids);
    await this.#end(
      this.#all().filter(({ id }) => chosen.has(id)),
      'approval/revoked',
      why,
    );
  }

  /** Rejects if the stored grants are unknown, because they may come back. */
  async revokeWhere(predicate: (grant: ApprovalGrant) => boolean, why: string): Promise<void> {
    const work = this.#end(this.#all().filter(predicate), 'approval/revoked', why);
    ignoreFailure(work);
    await this.loaded();
    await Promise.all([work, this.#end(this.#all().filter(predicate), 'approval/revoked', why)]);
    if (!this.#isLoaded && !this.#isDisposed) throw unreadable();
  }

  async setExpiry(ids: readonly string[], until: number | undefined): Promise<void> {
    if (until !== undefined && !(Number.isSafeInteger(until) && Math.abs(until) <= LATEST)) throw invalidExpiry();
    const chosen = new Set(ids);
    for (const grant of this.#all().filter(({ id }) => chosen.has(id))) {
      if (grant.lifetime === 'workspace') await this.#saveExpiry(grant, until);
      // Revoked, or approved again, in the meantime.
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

  /** A new expiry must not restore a grant that another window revoked. */
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
      const tooMany = Math.max(0, news.length - MAX_REMEMBERED);
      for (const grant of news.slice(tooMany)) this.#grants.set(grant.id, grant);
      // First, remove the grants that were revoked during the read.
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

  #allows(grant: ApprovalGrant, { server, fingerprint, key, subject }: Remembered): boolean {
    const isSame = grant.kind === subject.kind && grant.server === server && grant.fingerprint === fingerprint;
    return isSame && grant.key === key && !this.#isOver(grant);
  }

  #isOver(grant: ApprovalGrant): boolean {
    return isOver(grant, this.#options.clock.now());
  }

  /** Includes grants being saved, which may be revoked before that. */
  #all(): readonly ApprovalGrant[] {
    const saving = [...this.#saving.values()].filter(({ id }) => !this.#doomed.has(id));
    return [...this.#grants.values(), ...saving];
  }

  /** Equal for equal requests, so that a new approval replaces the old one. */
  #idOf({ server, fingerprint, key, subject }: Remembered): string {
    return this.#options.ids.sha256(`${subject.kind} ${JSON.stringify([server, fingerprint, key])}`).slice(0, 32);
  }

  #put(grant: ApprovalGrant): void {
    // Moves it to the end, because insertion order breaks ties.
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
    if (this.#grants.size <= MAX_REMEMBERED) return;
    const work = this.#end(this.list().slice(MAX_REMEMBERED), 'approval/revoked', TOO_MANY);
    work.catch((error: unknown) => this.#notRemoved(error));
  }

  /** They never applied here. */
  async #giveUp(grants: readonly ApprovalGrant[]): Promise<void> {
    try {
      for (let from = 0; from < grants.length && !this.#isDisposed; from += MAX_AT_ONCE)
        await this.#end(grants.slice(from, from + MAX_AT_ONCE), 'approval/revoked', TOO_MANY);
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

  /** Effective in memory at once, whatever happens to the store. */
  async #end(grants: readonly ApprovalGrant[], operation: string, why: string): Promise<void> {
    if (grants.length === 0) return;
    // Includes session grants, because the store may have an unread answer to the same request.
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
    // A read in progress may still return them.
    if (this.#isLoaded) for (const id of all) if (!this.#saving.has(id)) this.#doomed.delete(id);
  }

  #armFirst(): void {
    let first: number | undefined;
    for (const { until } of this.#grants.values())
      if (until !== undefined && (first === undefined || until < first)) first = until;
    this.#arm(first);
  }

  /** Set for the earliest expiry. Searching all grants for each new one would take a second for 10,000. */
  #arm(until: number | undefined): void {
    if (until === undefined || this.#isDisposed) return;
    if (this.#armedFor !== undefined && this.#armedFor <= until) return;
    this.#timer?.dispose();
    this.#armedFor = until;
    this.#timer = this.#options.clock.delay(Math.max(0, until - this.#options.clock.now()), () => {
      this.#armedFor = undefined;
      this.#expire();
      // A timer may be early, and the clock may be set back.
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

function invalidExpiry(): HostError {
  return new HostError('INVALID_ARGUMENTS', 'That is no time at which an approval could end.', {
    layer: 'host',
    effect: 'none',
    suggestion: 'Choose another time.',
  });
}
