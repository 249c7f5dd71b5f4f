import type { AnyConcern } from '../calls/callSteps.ts';
import type { InputInterceptorsOptions, ServerInputs, ServerInputsOptions } from './serverInputs.ts';

type Make = (options: ServerInputsOptions) => ServerInputs;

/** All by which servers ask for something while they work: questions, models, tasks. Loaded with the first that starts. */
export class InputParts {
  readonly #options: InputInterceptorsOptions;
  #loading: Promise<Make> | undefined;
  #interceptors: readonly AnyConcern[] = [];

  constructor(options: InputInterceptorsOptions) {
    this.#options = options;
  }

  /** None before a server has started: there is nothing to be called then. */
  get interceptors(): readonly AnyConcern[] {
    return this.#interceptors;
  }

  async create(options: ServerInputsOptions): Promise<ServerInputs> {
    return (await this.#load())(options);
  }

  #load(): Promise<Make> {
    this.#loading ??= this.#loadOnce().catch((error: unknown) => {
      // The next start tries again.
      this.#loading = undefined;
      throw error;
    });
    return this.#loading;
  }

  async #loadOnce(): Promise<Make> {
    const { HealthTimer, ServerInputs, inputInterceptors } = await import('./serverInputs.ts');
    const timer = new HealthTimer(this.#options.clock);
    this.#interceptors = inputInterceptors(this.#options);
    return (options) => new ServerInputs(options, timer);
  }
}
