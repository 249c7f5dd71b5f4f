import { ignoreFailure } from '../base/async.ts';
import type { CancellationToken } from '../base/cancellation.ts';
import { type Disposable, DisposableStore } from '../base/disposable.ts';
import { messageOf } from '../base/errors.ts';
import { asyncLazy } from '../base/lazy.ts';
import { BoundedRecorder } from '../audit/boundedRecorder.ts';
import type { Recorder } from '../audit/recorder.ts';
import type { ElevationRequest, ScopeAuthority } from './scopeRequests.ts';
import type { AuditQuery, AuditEntry } from '../model/audit.ts';
import type { ApprovalGrant } from '../model/grant.ts';
import type { HostLimits, ServerSnapshot, ServerAspect } from '../model/server.ts';
import type { Ports } from '../ports.ts';
import type { ScopeContext } from './paths/computed.ts';
import { StoredApprovals } from '../approvals/approvals.ts';
import { denialAnswer } from './denials.ts';
import type { ScopeAnswer, ScopeDecider } from './scopeDecider.ts';
import { ScopeGate, type ScopedServer } from './scopeGate.ts';

/** A server with everything that its scopes depend on. */
export interface ScopeUnit extends ScopedServer {
  /** Working directory of its process, the base of relative paths. */
  readonly workingFolder: string | undefined;
}

interface ScopeHostOptions {
  readonly ports: Pick<Ports, 'clock' | 'ids' | 'logs' | 'storage' | 'variables' | 'fileNames'>;
  readonly audit: Recorder & { list(query: AuditQuery): Promise<readonly AuditEntry[]> };
  limits(): HostLimits;
  units(): readonly ScopeUnit[];
}

/** Combines the parts of scopes: requests and calls in, decisions out. Loads the decider on demand. */
export class ScopeHost implements ScopeAuthority, Disposable {
  readonly approvals: StoredApprovals;
  readonly gate: ScopeGate;
  readonly #options: ScopeHostOptions;
  readonly #store = new DisposableStore();
  readonly #recorder: BoundedRecorder;
  readonly #decider = asyncLazy(
    () => import('./scopeDecider.ts'),
    ({ ScopeDecider }) => this.#open(ScopeDecider),
  );

  constructor(options: ScopeHostOptions) {
    this.#options = options;
    const { clock, ids, logs, storage } = options.ports;
    const recorder = new BoundedRecorder(clock, options.audit);
    this.#recorder = recorder;
    this.approvals = this.#store.add(
      new StoredApprovals({
        clock,
        ids,
        log: logs.host,
        grants: storage.grants,
        audit: options.audit,
        limits: () => options.limits(),
        record: (record) => recorder.record(record),
      }),
    );
    this.gate = new ScopeGate({ decider: () => this.#decider.get(), find: (server) => this.#unit(server) });
  }

  /** MCPL §7.4. Returns a reason that does not reveal the pattern. */
  async elevate(request: ElevationRequest, token: CancellationToken): Promise<string | undefined> {
    const unit = this.#unit(request.server);
    if (unit === undefined) return denialAnswer('changed');
    const { featureSet, claim } = request;
    const decider = await this.#decider.get();
    const answer: ScopeAnswer = await decider.decide(
      { unit, featureSet, matter: { kind: 'elevate', claim }, call: undefined, isCurrent: () => request.isCurrent() },
      token,
    );
    return answer.approved ? undefined : denialAnswer(answer.why);
  }

  /** The decider, loaded on first use. */
  decider(): Promise<ScopeDecider> {
    return this.#decider.get();
  }

  /** A connection with this fingerprint may start. Grants for another fingerprint belonged to a different server. */
  admitted(server: string, fingerprint: string): void {
    const isOther = (grant: ApprovalGrant): boolean => grant.server === server && grant.fingerprint !== fingerprint;
    this.#revoke(isOther, 'the server is another one now');
  }

  /** Ends the approvals that a change of the server makes void. */
  changed(unit: ScopeUnit, what: ServerAspect): void {
    const { snapshot } = unit;
    if (snapshot.state.kind !== 'running') this.approvals.withdraw(unit.id);
    if (snapshot.state.kind !== 'running' || !TELLING.includes(what)) return;
    if (this.approvals.pending().some(({ server }) => server === unit.id))
      this.approvals.withdraw(unit.id, ({ featureSet }) => isOff(snapshot, featureSet));
    ignoreFailure(this.#endWhatIsVoid(unit));
  }

  dispose(): void {
    this.#store.dispose();
  }

  async #endWhatIsVoid(unit: ScopeUnit): Promise<void> {
    await this.approvals.loaded();
    const own = this.approvals
      .remembered()
      .filter(({ server }) => server === unit.id)
      .filter((grant) => grant.kind === 'scope');
    if (own.length === 0) return;
    const { snapshot } = unit;
    this.#revoke((grant) => grant.server === unit.id && isOff(snapshot, grant.featureSet), 'its feature set is off');
    // MCPL §7.6: a new deny rule overrides all grants.
    const decider = await this.#decider.get();
    const denied = new Set((await decider.denied(own, unit)).map(({ id }) => id));
    if (denied.size > 0) this.#revoke(({ id }) => denied.has(id), 'the settings deny it now');
  }

  #revoke(which: (grant: ApprovalGrant) => boolean, why: string): void {
    this.approvals.revokeWhere(which, why).catch((error: unknown) => {
      this.#options.ports.logs.host.log('error', `An approval could not be revoked: ${messageOf(error)}`);
    });
  }

  #unit(id: string): ScopeUnit | undefined {
    return this.#options.units().find((unit) => unit.id === id);
  }

  #place(unit: ScopeUnit | undefined): ScopeContext {
    const { folders, userHome } = this.#options.ports.variables;
    const own = unit?.workingFolder;
    const paths = folders.map(({ path }) => path);
    return { folders, userHome, bases: [...new Set(own === undefined ? paths : [own, ...paths])] };
  }

  #open(Desk: typeof ScopeDecider): ScopeDecider {
    const { clock, ids, logs, fileNames } = this.#options.ports;
    return new Desk({
      clock,
      ids,
      log: logs.host,
      approvals: this.approvals,
      names: fileNames,
      place: (unit) => this.#place(this.#unit(unit.id)),
      record: (record, isFree) => (isFree ? this.#recorder.recordBounded(record) : this.#recorder.record(record)),
    });
  }
}

/** Changes that may end an approval. A consent change is announced with the tools. */
const TELLING: readonly ServerAspect[] = ['settings', 'mcpl', 'tools'];

function isOff({ mcpl }: ServerSnapshot, featureSet: string | undefined): boolean {
  if (featureSet === undefined) return false;
  return mcpl?.sets.find(({ set }) => set.name === featureSet)?.state !== 'enabled';
}
