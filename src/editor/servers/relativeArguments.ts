import type { ServerSnapshot } from '../../core/index.ts';

const FILE =
  /\.(?:[cm]?[jt]sx?|pyz?|rb|pl|php|lua|sh|bash|zsh|fish|ps1|bat|cmd|exe|jar|dll|wasm|rs|go|jl|jsonc?|ya?ml|toml|ini|conf|env|xml|txt|md|csv|sql|db|sqlite3?)$/i;

/** Arguments with a relative file or folder, also after `=`. */
export function relativeArguments(args: readonly string[]): readonly string[] {
  return args.filter((arg) => {
    const value = arg.slice(arg.lastIndexOf('=') + 1);
    const isOption = value === arg && arg.startsWith('-');
    // Not relative: absolute paths, variables, the home folder, addresses and package names.
    if (isOption || /^(?:[/\\~@]|\$\{|[a-z][a-z\d+.-]*:)/i.test(value)) return false;
    return /^\.{1,2}(?:[/\\]|$)/.test(value) || FILE.test(value);
  });
}

/** Relative arguments of a user server that runs in the home folder because it has no `cwd`. */
export function relativeArgumentsOf({ definition }: ServerSnapshot): readonly string[] {
  if (definition?.definedBy !== 'user' || definition.connection.kind !== 'stdio') return [];
  const { cwd, args } = definition.connection;
  return cwd === undefined ? relativeArguments(args) : [];
}
