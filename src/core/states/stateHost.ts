import type { Disposable } from '../base/disposable.ts';
import { messageOf } from '../base/errors.ts';
import { asyncLazy } from '../base/lazy.ts';
import type { Recorder } from '../audit/auditLog.ts';
import type { UpdatedState, StateAuthority, StateVerdict } from '../mcpl/stateUpdates.ts';
import type { HostLimits } from '../model/server.ts';
import type { ResultView } from '../model/content.ts';
import { mayReturnState, type StateUse, stateUse, stateUseOfOwner } from '../mcpl/stateSets.ts';
import type { Ports } from '../ports.ts';
import { StoredLineages } from './storedLineages.ts';
import { AnnotatedResult } from '../calls/annotatedResult.ts';
import type { StateService } from './stateService.ts';
import type { StatefulServer } from './stateCalls.ts';
import type { CallContext, CallInterceptor, CallStep } from '../calls/callSteps.ts';

export type { StatefulServer };

interface StateHostOptions {
  readonly ports: Pick<Ports, 'clock' | 'ids' | 'logs' | 'storage'>;
  readonly audit: Recorder;
  readonly limits: () => HostLimits;
  units(): readonly StatefulServer[];
}

/**
 * The states of feature sets (MCPL §8): calls are sent with the current state, and states in results are stored. The
 * implementation is loaded with the first call that involves a state.
 */
export class StateHost implements StateAuthority, Disposable {
  readonly lineages: StoredLineages;
  /** The outermost interceptor: stores the state of the final result. */
  readonly outer: CallInterceptor;
  /** The innermost interceptor: runs the calls of a set one by one, each with the latest state. */
  readonly inner: CallInterceptor;
  readonly #options: StateHostOptions;
  readonly #service = asyncLazy(
    () => import('./stateService.ts'),
    ({ StateService }) => this.#open(StateService),
  );
  #isDisposed = false;

  constructor(options: StateHostOptions) {
    this.#options = options;
    const { clock, logs, storage } = options.ports;
    const { states } = storage;
    this.lineages = new StoredLineages({ clock, states, log: logs.host, actions: () => this.#service.get() });
    this.outer = {
      concerns: (_, tool, { mcpl }) => tool !== undefined && mcpl !== undefined && mayReturnState(mcpl),
      intercept: (context, next) => this.#keep(context, next),
    };
    this.inner = {
      concerns: (_, tool, { mcpl }) =>
        tool !== undefined && mcpl !== undefined && stateUse(mcpl, tool.name).kind !== 'never',
      intercept: (context, next) => this.#send(context, next),
    };
  }

  async update(state: UpdatedState): Promise<StateVerdict> {
    return (await this.#service.get()).calls.update(state);
  }

  /** Stores pending states, or reports them as lost. Call this before the store is closed. */
  async close(): Promise<void> {
    await this.#service.value?.close();
    this.dispose();
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#service.value?.dispose();
    this.lineages.dispose();
  }

  #keep(context: CallContext, next: CallStep): Promise<ResultView> {
    return next(context).then(
      (result) => {
        if ((result.raw['state'] ?? undefined) !== undefined) return this.#keepState(context, result);
        this.#service.value?.calls.release(context);
        return result;
      },
      (error: unknown) => {
        this.#service.value?.calls.release(context);
        throw error;
      },
    );
  }

  async #keepState(context: CallContext, result: ResultView): Promise<ResultView> {
    try {
      return await (await this.#service.get()).calls.keep(context, result);
    } catch (error) {
      // A failure here must not lose the tool's result.
      const problem = `The state that came with the result could not be looked at: ${messageOf(error)}`;
      this.#options.ports.logs.host.log('error', problem);
      const kept = { kind: 'lost', checkpoint: undefined, problem } as const;
      return new AnnotatedResult(result, [{ source: 'host', kind: 'state', text: '', data: kept }]);
    }
  }

  async #send(context: CallContext, next: CallStep): Promise<ResultView> {
    const use = await this.#useOf(context);
    if (use.kind === 'never' || use.kind === 'byOwner') return next(context);
    if (use.kind === 'onceKnown') {
      // Does not delay calls of servers that never returned a state.
      if (!this.lineages.isLoaded) await this.lineages.loaded();
      if (!this.lineages.isKnown({ server: context.server.id, featureSet: use.featureSet })) return next(context);
    }
    const service = await this.#service.get();
    return service.calls.send(context, use, next);
  }

  async #useOf({ server: { mcpl, id: server }, request }: CallContext): Promise<StateUse> {
    if (mcpl === undefined) return { kind: 'never' };
    const use = stateUse(mcpl, request.tool);
    if (use.kind !== 'byOwner') return use;
    if (!this.lineages.isLoaded) await this.lineages.loaded();
    // Without a state there is no owner, so nothing needs to be loaded.
    if (!mcpl.sets.some(({ set }) => this.lineages.isKnown({ server, featureSet: set.name }))) return use;
    const service = await this.#service.get();
    return stateUseOfOwner(mcpl, await service.ownerOf(server, request.tool));
  }

  #open(Service: typeof StateService): StateService {
    const options = this.#options;
    const { ports, audit } = options;
    const service = new Service({
      clock: ports.clock,
      ids: ports.ids,
      logs: ports.logs,
      states: ports.storage.states,
      grants: ports.storage.grants,
      audit,
      limits: options.limits,
      find: (server) => options.units().find(({ id }) => id === server),
      lineages: this.lineages,
    });
    // The host may have been disposed during loading.
    if (this.#isDisposed) service.dispose();
    return service;
  }
}
