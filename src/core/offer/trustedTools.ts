import { messageOf } from '../base/errors.ts';
import { asyncLazy } from '../base/lazy.ts';
import type { Tool } from '../model/catalog.ts';
import type { DefinitionAnswer, SeenDefinition, ToolChange } from '../model/server.ts';
import type { ToolTrustOptions, TrustedTools } from '../consent/definitionTrust.ts';

/** Trust in the tools of one server before any is trusted: the rest is loaded with the first name that a person chose. */
export class ToolTrust {
  readonly #options: ToolTrustOptions;
  readonly #definitions = asyncLazy(
    () => import('../consent/definitionTrust.ts'),
    ({ DefinitionTrust }) => {
      const definitions = new DefinitionTrust(this.#options);
      definitions.written(this.#written);
      return definitions;
    },
  );
  /** Names that were written before it was loaded. */
  #written: readonly string[] = [];

  constructor(options: ToolTrustOptions) {
    this.#options = options;
  }

  /** Reads what was approved; what cannot be read is not trusted. */
  async load(): Promise<void> {
    await (await this.#definitions.get()).load();
  }

  /** A person wrote these names into the settings. */
  written(names: readonly string[]): void {
    const definitions = this.#definitions.value;
    if (definitions === undefined) this.#written = [...this.#written, ...names];
    else definitions.written(names);
  }

  /** Compares what the server offers now with what was approved. */
  look(now: TrustedTools | undefined): void {
    const definitions = this.#definitions.value;
    if (definitions !== undefined) return definitions.look(now);
    if (now === undefined || now.names.length === 0 || this.#definitions.isStarted) return;
    this.load().then(
      () => this.#options.onChange(),
      (error: unknown) => this.#options.log.log('error', `All tools ask first: ${messageOf(error)}`),
    );
  }

  isTrusted(tool: Tool): boolean {
    return this.#definitions.value?.isTrusted(tool) === true;
  }

  /** How the definition differs from the approved one; absent without a difference, or while it is unknown. */
  changeOf(tool: Tool): ToolChange | undefined {
    return this.#definitions.value?.changeOf(tool);
  }

  /** A person chose tools while seeing these definitions. Rejects if the choice cannot be stored. */
  async choose(names: readonly string[], seen: readonly Tool[]): Promise<void> {
    await (await this.#definitions.get()).choose(names, seen);
  }

  /** A person answered for definitions they saw; one that is another by now is left as it is. */
  async answer(seen: readonly SeenDefinition[], answer: DefinitionAnswer): Promise<void> {
    await (await this.#definitions.get()).answer(seen, answer);
  }
}
