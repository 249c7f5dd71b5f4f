import { realpathSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import { type JsonObject, patternProblem } from '../core/index.ts';
import { UsageError } from './usage.ts';

const OPTIONS = {
  json: { type: 'boolean' },
  args: { type: 'string' },
  cwd: { type: 'string' },
  env: { type: 'string', multiple: true },
  header: { type: 'string', multiple: true },
  timeout: { type: 'string' },
  transport: { type: 'string' },
  era: { type: 'string' },
  dialect: { type: 'string' },
  enable: { type: 'string', multiple: true },
  'allow-scope': { type: 'string', multiple: true },
  store: { type: 'string' },
  verbose: { type: 'boolean' },
} as const satisfies ParseArgsOptionsConfig;

export interface TargetOptions {
  readonly json: boolean;
  readonly args: string | undefined;
  readonly verbose: boolean;
  readonly timeout: number | undefined;
  /** The server's id in messages. */
  readonly server: string;
  /** The working folder, the base of relative and displayed paths. */
  readonly folder: string;
  /** The database for states and other stored data. */
  readonly store: string | undefined;
  /** The entry of `mcpl.servers` that the command line describes. */
  readonly entry: JsonObject;
}

export interface InspectCommand extends TargetOptions {
  readonly kind: 'inspect';
}

export interface CallCommand extends TargetOptions {
  readonly kind: 'call';
  readonly tool: string;
  readonly pairs: readonly string[];
}

export interface ReadCommand extends TargetOptions {
  readonly kind: 'read';
  readonly uri: string;
}

export interface PromptCommand extends TargetOptions {
  readonly kind: 'prompt';
  readonly name: string;
  readonly pairs: readonly string[];
}

/** `[options] <command…|url>`: everything after the first word belongs to the server, including options. */
export function parseInspect(argv: readonly string[]): InspectCommand {
  const { tokens } = parseArgs({ args: [...argv], options: OPTIONS, strict: false, tokens: true });
  const first = tokens.find((token) => token.kind !== 'option');
  const end = first?.index ?? argv.length;
  const words = argv.slice(first?.kind === 'option-terminator' ? end + 1 : end);
  return { kind: 'inspect', ...optionsOf(argv.slice(0, end), words, 'auto').options };
}

/** `[options] <tool> [name=value…] -- <command…|url>` */
export function parseCall(argv: readonly string[]): CallCommand {
  const { options, positionals } = beforeAndBehind(argv, 'the arguments of the tool');
  const [tool, ...pairs] = positionals;
  if (tool === undefined) throw new UsageError('Name the tool to call.');
  return { kind: 'call', ...options, tool, pairs };
}

/** `[options] <uri> -- <command…|url>` */
export function parseRead(argv: readonly string[]): ReadCommand {
  const { options, positionals } = beforeAndBehind(argv, 'the URI of the resource');
  const [uri, ...more] = positionals;
  if (uri === undefined) throw new UsageError('Name the URI of the resource to read.');
  if (more.length > 0) throw new UsageError('One resource is read at a time.');
  return { kind: 'read', ...options, uri };
}

/** `[options] <name> [name=value…] -- <command…|url>` */
export function parsePrompt(argv: readonly string[]): PromptCommand {
  const { options, positionals } = beforeAndBehind(argv, 'the arguments of the prompt');
  const [name, ...pairs] = positionals;
  if (name === undefined) throw new UsageError('Name the prompt to get.');
  return { kind: 'prompt', ...options, name, pairs };
}

function beforeAndBehind(argv: readonly string[], what: string): ReturnType<typeof optionsOf> {
  const end = argv.indexOf('--');
  if (end < 0) throw new UsageError(`Write "--" between ${what} and the command of the server.`);
  return optionsOf(argv.slice(0, end), argv.slice(end + 1), 'off');
}

function optionsOf(
  own: readonly string[],
  words: readonly string[],
  mcpl: 'auto' | 'off',
): { readonly options: TargetOptions; readonly positionals: readonly string[] } {
  const { values, positionals } = parseOwn(own);
  const timeout = values.timeout === undefined ? undefined : secondsOf(values.timeout);
  const folder = resolve(values.cwd ?? '.');
  const allowed = values['allow-scope'];
  const entry = {
    ...connectionOf(words, values),
    ...protocolOf(values, mcpl),
    ...(values.enable === undefined ? {} : { featureSets: { enabled: values.enable } }),
    ...(allowed === undefined ? {} : { scopes: allowedScopes(allowed, folder) }),
    restart: 'never',
    ...(timeout === undefined ? {} : { timeouts: { start: timeout, list: timeout, call: timeout } }),
  };
  const options = {
    json: values.json === true,
    args: values.args,
    verbose: values.verbose === true,
    timeout,
    server: nameOf(words[0] ?? ''),
    folder,
    store: values.store === undefined ? undefined : resolve(values.store),
    entry,
  };
  return { options, positionals };
}

/** Derives a server id from the program or host name. */
function nameOf(command: string): string {
  const name = URL.canParse(command) && command.includes('//') ? new URL(command).hostname : basename(command);
  return (
    name
      .replaceAll(/[^A-Za-z0-9._-]/g, '')
      .replace(/^[^A-Za-z0-9]+/, '')
      .slice(0, 64) || 'server'
  );
}

function parseOwn(own: readonly string[]) {
  try {
    return parseArgs({ args: [...own], options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

type Values = ReturnType<typeof parseOwn>['values'];

const TRANSPORTS = ['auto', 'http', 'sse', 'websocket'];

function connectionOf(words: readonly string[], { cwd, env = [], header = [], transport }: Values): JsonObject {
  const [command, ...args] = words;
  if (command === undefined) throw new UsageError('Name the command that starts the server, or its URL.');
  if (!/^(https?|wss?):\/\//i.test(command)) {
    if (transport !== undefined) throw new UsageError('--transport is for servers with a URL.');
    return {
      command,
      args,
      cwd: resolve(cwd ?? '.'),
      env: Object.fromEntries(env.map((pair) => split(pair, '=', '--env'))),
    };
  }
  if (args.length > 0) throw new UsageError('Nothing may follow the URL.');
  return {
    url: command,
    headers: Object.fromEntries(header.map((pair) => split(pair, ':', '--header'))),
    ...(transport === undefined ? {} : { transport: oneOf('--transport', transport, TRANSPORTS) }),
  };
}

/**
 * A single call does not need MCPL. Without it, the server offers its tools without feature sets, as to any other
 * client.
 */
function protocolOf({ era, dialect, enable }: Values, mcpl: 'auto' | 'off'): JsonObject {
  const protocol = {
    ...(era === undefined ? {} : { era: oneOf('--era', era, ['auto', 'legacy', 'modern']) }),
    ...(dialect === undefined ? {} : { dialect: oneOf('--dialect', dialect, ['auto', 'off', 'force']) }),
    ...(mcpl === 'auto' || enable !== undefined ? {} : { mcpl }),
  };
  return Object.keys(protocol).length === 0 ? {} : { protocol };
}

function oneOf(option: string, value: string, choices: readonly string[]): string {
  if (choices.includes(value)) return value;
  throw new UsageError(`${option} must be one of ${choices.join(', ')}.`);
}

/** `name=value` or `Name: value`. */
export function split(pair: string, mark: string, where: string): [string, string] {
  const at = pair.indexOf(mark);
  if (at <= 0) throw new UsageError(`"${pair}" must be a name, "${mark}" and a value (${where}).`);
  const value = pair.slice(at + 1);
  return [pair.slice(0, at).trim(), mark === ':' ? value.trim() : value];
}

function secondsOf(text: string): number {
  const seconds = Number(text);
  if (!Number.isFinite(seconds) || seconds <= 0) throw new UsageError('--timeout must be a number of seconds above 0.');
  return seconds;
}

/** Absolute patterns and patterns with variables, which need no base folder. */
const WHOLE = /^(?:[\\/]|\*\*(?:[\\/]|$)|[a-z]:[\\/]|~(?:[\\/]|$)|\$\{)/i;
/** Pattern characters, which would not match a folder with that name literally. */
const SIGNS = /[*?[\]{}~$]/;

/** The `scopes` of a server for `--allow-scope`. Relative patterns start at the working folder. */
function allowedScopes(patterns: readonly string[], folder: string): JsonObject {
  // A path is allowed if all its readings are, so a folder behind a link needs both names.
  const folders = [...new Set([folder, realFolder(folder)])];
  return { '*': { whitelist: patterns.flatMap((pattern) => readings(pattern, folders)) } };
}

/** Unchanged, the pattern matches names such as `#dev-*`: there is no open folder to be relative to. */
function readings(pattern: string, folders: readonly string[]): readonly string[] {
  const problem = patternProblem(pattern);
  if (problem !== undefined) throw new UsageError(`--allow-scope "${pattern}": ${problem}`);
  if (WHOLE.test(pattern)) return [pattern];
  if (folders.some(isAmbiguous))
    throw new UsageError(
      `--allow-scope "${pattern}": Use an absolute path: the name of the working folder contains pattern characters.`,
    );
  const whole = folders.map((folder) => `${folder.replace(/[\\/]$/, '')}/${pattern}`);
  for (const each of whole) {
    const tooLong = patternProblem(each);
    if (tooLong !== undefined) throw new UsageError(`--allow-scope "${each}": ${tooLong}`);
  }
  return [pattern, ...whole];
}

function isAmbiguous(folder: string): boolean {
  return SIGNS.test(folder) || (folder.startsWith('/') && folder.includes('\\'));
}

function realFolder(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}
