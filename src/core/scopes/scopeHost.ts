import type { CancellationToken } from '../base/cancellation.ts';
import { asyncLazy } from '../base/lazy.ts';
import { BoundedRecorder, type Recorder } from '../audit/auditLog.ts';
import type { ElevationRequest, ScopeAuthority } from './scopeRequests.ts';
import type { Ports } from '../ports.ts';
import type { ScopeContext } from './paths/computed.ts';
import type { StoredApprovals } from '../approvals/approvals.ts';
import { denialAnswer } from './denials.ts';
import type { ScopeAnswer, ScopeDecider } from './scopeDecider.ts';
import { ScopeGate, type ScopedServer } from './scopeGate.ts';

/** A server with everything that its scopes depend on. */
export interface ScopeUnit extends ScopedServer {
  /** Working directory of its process, the base of relative paths. */
  readonly workingFolder: string | undefined;
}

interface ScopeHostOptions {
  readonly ports: Pick<Ports, 'clock' | 'ids' | 'logs' | 'variables' | 'fileNames'>;
  readonly audit: Recorder;
  readonly approvals: StoredApprovals;
  units(): readonly ScopeUnit[];
}

/** Combines the parts of scopes: requests and calls in, decisions out. Loads the decider on demand. */
export class ScopeHost implements ScopeAuthority {
  readonly gate: ScopeGate;
  readonly #options: ScopeHostOptions;
  readonly #recorder: BoundedRecorder;
  readonly #decider = asyncLazy(
    () => import('./scopeDecider.ts'),
    ({ ScopeDecider }) => this.#open(ScopeDecider),
  );

  constructor(options: ScopeHostOptions) {
    this.#options = options;
    this.#recorder = new BoundedRecorder(options.ports.clock, options.audit);
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

  /** MCPL §7.6: a new deny rule overrides all grants. */
  async endDenied(unit: ScopeUnit): Promise<void> {
    const { approvals } = this.#options;
    await approvals.loaded();
    const own = approvals
      .remembered()
      .filter(({ server }) => server === unit.id)
      .filter((grant) => grant.kind === 'scope');
    if (own.length === 0) return;
    const decider = await this.#decider.get();
    const denied = new Set((await decider.denied(own, unit)).map(({ id }) => id));
    if (denied.size > 0) approvals.end(({ id }) => denied.has(id), 'the settings deny it now');
  }

  #unit(id: string): ScopeUnit | undefined {
    return this.#options.units().find((unit) => unit.id === id);
  }

  #context(unit: ScopeUnit | undefined): ScopeContext {
    const { folders, userHome } = this.#options.ports.variables;
    const own = unit?.workingFolder;
    const paths = folders.map(({ path }) => path);
    return { folders, userHome, bases: [...new Set(own === undefined ? paths : [own, ...paths])] };
  }

  #open(Decider: typeof ScopeDecider): ScopeDecider {
    const { clock, ids, logs, fileNames } = this.#options.ports;
    return new Decider({
      clock,
      ids,
      log: logs.host,
      approvals: this.#options.approvals,
      names: fileNames,
      context: (unit) => this.#context(this.#unit(unit.id)),
      record: (record, isFree) => (isFree ? this.#recorder.recordBounded(record) : this.#recorder.record(record)),
    });
  }
}
