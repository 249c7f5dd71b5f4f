import assert from 'node:assert/strict';
import { CancellationSource } from '../../../../src/core/base/cancellation.ts';
import type { Disposable } from '../../../../src/core/base/disposable.ts';
import { isHostError } from '../../../../src/core/base/errors.ts';
import { StoredApprovals } from '../../../../src/core/approvals/approvals.ts';
import type { ApprovalOutcome, ApprovalRequest } from '../../../../src/core/model/approval.ts';
import type { AuditRecord } from '../../../../src/core/model/audit.ts';
import type { ScopeGrant } from '../../../../src/core/model/grant.ts';
import { DEFAULT_LIMITS } from '../../../../src/core/model/server.ts';
import type { GrantStore, Storage } from '../../../../src/core/ports.ts';
import { memoryStorage } from '../../../../src/node/store/memoryStorage.ts';
import { FakeClock, settle } from '../../../support/fakeClock.ts';

export const START = 1_000_000;

/** A request to touch one path. Equal paths make equal requests. */
export function scopeRequest(target: string, differing: Partial<ApprovalRequest> = {}): ApprovalRequest {
  return {
    server: 'files',
    fingerprint: 'print',
    featureSet: 'files.edit',
    key: `key ${target}`,
    subject: {
      kind: 'scope',
      action: { kind: 'elevate', mode: 'append' },
      label: target,
      payload: undefined,
      targets: [{ kind: 'path', from: 'label', written: target, real: target, inside: undefined }],
      why: 'unlisted',
    },
    payloadHash: 'hash',
    call: undefined,
    ...differing,
  };
}

/** A pending request, and its outcome. */
export interface Asker {
  readonly token: CancellationSource;
  outcome: ApprovalOutcome | undefined;
  /** Number of outcomes. More than one is an error. */
  answers: number;
}

/** The approvals of a host with a user. */
export class ApprovalCase {
  readonly clock: FakeClock;
  readonly storage: Storage;
  readonly approvals: StoredApprovals;
  readonly audited: AuditRecord[] = [];
  readonly logged: string[] = [];
  /** Events in order. */
  readonly events: string[] = [];
  readonly askers: Asker[] = [];
  /** The listener that makes a user available. */
  listener: Disposable;
  seconds = 60;

  constructor(storage = memoryStorage(), clock = new FakeClock(START)) {
    this.clock = clock;
    this.storage = storage;
    let ids = 0;
    this.approvals = new StoredApprovals({
      clock,
      ids: {
        uuid: () => `q${++ids}`,
        random: () => 0.5,
        sha256: (text) => text.replace(/^scope /, '').padEnd(32, ' '),
      },
      grants: storage.grants,
      audit: storage.audit,
      limits: () => ({ ...DEFAULT_LIMITS, approvalSeconds: this.seconds }),
      log: { log: (level, message) => this.logged.push(`${level}: ${message}`) },
      record: (record) => this.audited.push(record),
    });
    this.listener = this.approvals.onDidAsk(({ id, subject }) => this.events.push(`ask ${id} ${subject.label}`));
    this.approvals.onDidSettle(({ approval, outcome }) =>
      this.events.push(`settle ${approval.id} ${sayOutcome(outcome)} (${approval.waiting} waited)`),
    );
  }

  ask(target: string, differing: Partial<ApprovalRequest> = {}): Asker {
    const asker: Asker = { token: new CancellationSource(), outcome: undefined, answers: 0 };
    this.askers.push(asker);
    void this.approvals.ask(scopeRequest(target, differing), asker.token.token).then((outcome) => {
      asker.outcome = outcome;
      asker.answers++;
      // A token lives as long as its request.
      asker.token.dispose();
    });
    return asker;
  }

  /** Asks and answers. Returns the outcome. */
  async decide(target: string, choice: 'once' | 'session' | 'workspace' | 'deny'): Promise<string> {
    const asker = this.ask(target);
    await this.approvals.answer(this.approvals.pending().at(-1)?.id ?? '', choice);
    await settle();
    return sayOutcome(asker.outcome);
  }

  async found(target: string, differing: Partial<ApprovalRequest> = {}): Promise<string> {
    const grant = await this.approvals.find(scopeRequest(target, differing));
    return grant === undefined ? 'nothing' : sayGrant(grant);
  }

  get outcomes(): readonly string[] {
    return this.askers.map(({ outcome }) => sayOutcome(outcome));
  }

  /** The visible state, one line each. */
  state(): readonly string[] {
    const pending = this.approvals.pending().map(({ id, server, subject, waiting, calls, askedAt, expiresAt }) => {
      const called = calls.map(({ tool }) => ` ${tool}`).join('');
      return `${id} ${server} ${subject.label} ${since(askedAt)}..${since(expiresAt)} waiting ${waiting}${called}`;
    });
    return [...pending, ...this.approvals.remembered().map(sayGrant)];
  }

  audit(): readonly string[] {
    return this.audited.map(({ at, operation, server, detail, durationMs }) =>
      [since(at), operation, server, detail, ...(durationMs === 0 ? [] : [`after ${durationMs}`])].join(' | '),
    );
  }

  dispose(): void {
    this.approvals.dispose();
    for (const { token } of this.askers) token.dispose();
  }
}

export function sayOutcome(outcome: ApprovalOutcome | undefined): string {
  if (outcome === undefined) return 'waits';
  return outcome.kind === 'approved' ? outcome.choice : outcome.why;
}

export function sayGrant({ lifetime, server, fingerprint, targets, until }: ScopeGrant): string {
  const end = until === undefined ? 'for ever' : `until ${since(until)}`;
  return `${lifetime} ${server} ${fingerprint} ${targets.join(' ')} ${end}`;
}

/** Days or seconds since the start of the test. */
function since(at: number): string {
  const ms = at - START;
  return ms % 86_400_000 === 0 && ms !== 0 ? `${ms / 86_400_000} d` : `${ms / 1_000} s`;
}

/** Storage in which some grant operations wait or fail, according to `differing`. */
export function storageWith(base: Storage, differing: Partial<GrantStore>): Storage {
  const { grants } = base;
  return {
    ...base,
    grants: {
      list: () => (differing.list ?? grants.list)(),
      find: (id) => (differing.find ?? grants.find)(id),
      save: (grant) => (differing.save ?? grants.save)(grant),
      revoke: (ids) => (differing.revoke ?? grants.revoke)(ids),
    },
  };
}

/** Windows that share a clock and a store. */
export class ApprovalWindows {
  readonly clock = new FakeClock(START);
  readonly base = memoryStorage();
  /** Replaced operations of the store. */
  readonly broken: { -readonly [K in keyof GrantStore]?: GrantStore[K] } = {};
  readonly #opened: ApprovalCase[] = [];

  open(): ApprovalCase {
    const opening = new ApprovalCase(storageWith(this.base, this.broken), this.clock);
    this.#opened.push(opening);
    return opening;
  }

  async kept(): Promise<readonly string[]> {
    return (await this.base.grants.list()).map(({ id }) => plainId(id));
  }

  close(): void {
    for (const each of this.#opened) each.dispose();
    assert.equal(this.clock.waiting, 0, 'timers are left');
  }
}

export function plainId(id: string): string {
  return id.replaceAll(/["[\]]/g, '').trim();
}

/** The error of this work, or `none`. */
export async function failureOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'none';
  } catch (error) {
    return isHostError(error) ? `${error.code} ${error.message}` : String(error);
  }
}
