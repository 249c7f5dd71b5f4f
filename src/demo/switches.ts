import { type Fields, isFields } from './schema.ts';

/**
 * The feature sets that the host has switched on: none until it says so, and changes apply with the host's message
 * (MCPL §6.7). Without MCPL there are no switches, and this is a plain MCP server.
 */
export class Switches {
  readonly #names: readonly string[];
  readonly #on = new Set<string>();
  readonly #listeners: (() => void)[] = [];
  #isMcpl = false;

  constructor(names: readonly string[]) {
    this.#names = names;
  }

  /** True if the host speaks MCPL. */
  get isMcpl(): boolean {
    return this.#isMcpl;
  }

  /** Reads the params of `initialize`. MCPL §5.2 shows its capability at two places; both are accepted. */
  begin(params: Fields): void {
    const capabilities = isFields(params['capabilities']) ? params['capabilities'] : {};
    const host = mcplIn(capabilities) ?? mcplIn(params);
    this.#isMcpl = host !== undefined;
    this.#on.clear();
    this.update(isFields(host?.['featureSets']) ? host['featureSets'] : {});
  }

  /** Works for hosts that name all sets and for hosts that only name changes. */
  update({ enabled, disabled }: Fields): void {
    for (const name of this.#names) {
      if (isNamed(disabled, name)) this.#on.delete(name);
      else if (isNamed(enabled, name)) this.#on.add(name);
    }
    for (const listener of this.#listeners) listener();
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  isOn(name: string): boolean {
    return this.#isMcpl && this.#on.has(name);
  }
}

function mcplIn(value: Fields): Fields | undefined {
  const experimental = value['experimental'];
  const mcpl = isFields(experimental) ? experimental['mcpl'] : undefined;
  return isFields(mcpl) ? mcpl : undefined;
}

function isNamed(list: unknown, name: string): boolean {
  return Array.isArray(list) && list.includes(name);
}
