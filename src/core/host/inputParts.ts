import type { AnyConcern } from '../calls/callSteps.ts';
import { HostError } from '../base/errors.ts';
import { asyncLazy } from '../base/lazy.ts';
import type { CallInterceptorsOptions } from './callInterceptors.ts';
import type { ServerInputs, ServerInputsOptions } from './serverInputs.ts';

/**
 * The interceptors of calls, and server requests during their work: questions, models, tasks. Loaded with the first
 * server that starts.
 */
export class InputParts {
  readonly #options: CallInterceptorsOptions;
  readonly #make = asyncLazy(
    () => Promise.all([import('./serverInputs.ts'), import('./callInterceptors.ts')]),
    ([{ HealthTimer, ServerInputs }, { callInterceptors }]) => {
      const timer = new HealthTimer(this.#options.clock);
      this.#interceptors = callInterceptors(this.#options);
      return (options: ServerInputsOptions): ServerInputs => new ServerInputs(options, timer);
    },
  );
  #interceptors: readonly AnyConcern[] | undefined;

  constructor(options: CallInterceptorsOptions) {
    this.#options = options;
  }

  /** Throws before a server has started, so that no call passes unchecked. */
  get interceptors(): readonly AnyConcern[] {
    if (this.#interceptors !== undefined) return this.#interceptors;
    throw new HostError('SERVER_NOT_RUNNING', 'No server has started yet.', { layer: 'host', effect: 'none' });
  }

  async create(options: ServerInputsOptions): Promise<ServerInputs> {
    return (await this.#make.get())(options);
  }
}
