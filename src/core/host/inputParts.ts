import type { AnyConcern } from '../calls/callSteps.ts';
import { asyncLazy } from '../base/lazy.ts';
import type { InputInterceptorsOptions, ServerInputs, ServerInputsOptions } from './serverInputs.ts';

/** Server requests during their work: questions, models, tasks. Loaded with the first server that starts. */
export class InputParts {
  readonly #options: InputInterceptorsOptions;
  readonly #make = asyncLazy(
    () => import('./serverInputs.ts'),
    ({ HealthTimer, ServerInputs, inputInterceptors }) => {
      const timer = new HealthTimer(this.#options.clock);
      this.#interceptors = inputInterceptors(this.#options);
      return (options: ServerInputsOptions): ServerInputs => new ServerInputs(options, timer);
    },
  );
  #interceptors: readonly AnyConcern[] = [];

  constructor(options: InputInterceptorsOptions) {
    this.#options = options;
  }

  /** Empty before a server has started: no tool can be called then. */
  get interceptors(): readonly AnyConcern[] {
    return this.#interceptors;
  }

  async create(options: ServerInputsOptions): Promise<ServerInputs> {
    return (await this.#make.get())(options);
  }
}
