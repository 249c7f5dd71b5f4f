import { messageOf } from '../base/errors.ts';
import type { Logger } from '../base/log.ts';
import type { Clock, GrantStore, Ids } from '../ports.ts';

interface StateOwnersOptions {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly grants: GrantStore;
  readonly log: Logger;
}

/** Remembers across restarts which set owned the first state of each tool without a set (MCPL §8.1). */
export class StateOwners {
  readonly #options: StateOwnersOptions;
  readonly #owners = new Map<string, string>();
  #loading: Promise<void> | undefined;

  constructor(options: StateOwnersOptions) {
    this.#options = options;
  }

  /** Rejects if the store cannot be read, because a call must not be sent without its state. */
  async of(server: string, tool: string): Promise<string | undefined> {
    await this.#load();
    return this.#owners.get(keyOf(server, tool));
  }

  /** Stores the first owner. Resolves once it is durable or the failure is logged. */
  async learn(server: string, tool: string, featureSet: string): Promise<void> {
    const { clock, ids, grants, log } = this.#options;
    const key = keyOf(server, tool);
    if (this.#owners.has(key)) return;
    this.#owners.set(key, featureSet);
    const id = ids.sha256(`stateOwner ${key}`).slice(0, 32);
    const grant = { id, direction: 'toServer', kind: 'stateOwner', server, target: tool } as const;
    try {
      await grants.save({ ...grant, form: featureSet, at: clock.now() });
    } catch (error) {
      log.log('warn', `The feature set of "${tool}" of "${server}" could not be kept: ${messageOf(error)}`);
    }
  }

  #load(): Promise<void> {
    this.#loading ??= this.#options.grants.list('stateOwner').then(
      (grants) => {
        for (const grant of grants)
          if (grant.kind === 'stateOwner') this.#owners.set(keyOf(grant.server, grant.target), grant.form);
      },
      (error: unknown) => {
        this.#loading = undefined;
        throw error;
      },
    );
    return this.#loading;
  }
}

function keyOf(server: string, tool: string): string {
  return JSON.stringify([server, tool]);
}
