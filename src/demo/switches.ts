import { type Fields, isFields } from './schema.ts';

/**
 * Which feature sets the host has switched on. None is until it says so, and what it switches off is off with that
 * message (MCPL §6.7). A host that does not speak MCPL has no switches: there, this is a plain MCP server.
 */
export class Switches {
  readonly #names: readonly string[];
  readonly #on = new Set<string>();
  readonly #listeners: (() => void)[] = [];
  #isMcpl = false;

  constructor(names: readonly string[]) {
    this.#names = names;
  }

  /** The host speaks MCPL. */
  get isMcpl(): boolean {
    return this.#isMcpl;
  }

  /** Reads the params of `initialize`: MCPL §5.2, also as it shows it, beside the capabilities. */
  begin(params: Fields): void {
    const capabilities = isFields(params['capabilities']) ? params['capabilities'] : {};
    const host = mcplIn(capabilities) ?? mcplIn(params);
    this.#isMcpl = host !== undefined;
    this.#on.clear();
    this.update(isFields(host?.['featureSets']) ? host['featureSets'] : {});
  }

  /** Right for a host that names all sets, and for one that names those that change. */
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
