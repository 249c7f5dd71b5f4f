import { messageOf } from '../base/errors.ts';
import { asyncLazy } from '../base/lazy.ts';
import type { Tool } from '../model/catalog.ts';
import type { DefinitionAnswer, SeenDefinition, ToolChange } from '../model/server.ts';
import type { ToolTrustOptions, TrustedTools } from '../consent/definitionTrust.ts';

/** Trust in the tools of one server. The implementation is loaded with the first name that the user chose. */
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
  /** Names written before the implementation was loaded. */
  #written: readonly string[] = [];

  constructor(options: ToolTrustOptions) {
    this.#options = options;
  }

  /** Reads stored approvals. If they cannot be read, no tool is trusted. */
  async load(): Promise<void> {
    await (await this.#definitions.get()).load();
  }

  /** The user wrote these names into the settings. */
  written(names: readonly string[]): void {
    const definitions = this.#definitions.value;
    if (definitions === undefined) this.#written = [...this.#written, ...names];
    else definitions.written(names);
  }

  /** Compares the current definitions with the approved ones. */
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

  /** How the definition differs from the approved one. Absent if it does not, or if that is not known yet. */
  changeOf(tool: Tool): ToolChange | undefined {
    return this.#definitions.value?.changeOf(tool);
  }

  /** The user chose tools while seeing these definitions. Rejects if the choice cannot be stored. */
  async choose(names: readonly string[], seen: readonly Tool[]): Promise<void> {
    await (await this.#definitions.get()).choose(names, seen);
  }

  /** The user answered for these definitions. Skips those that have changed since. */
  async answer(seen: readonly SeenDefinition[], answer: DefinitionAnswer): Promise<void> {
    await (await this.#definitions.get()).answer(seen, answer);
  }
}
