import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import {
  type ConnectionDefinition,
  DEFAULT_TIMEOUTS,
  type ProtocolSettings,
  type ServerDefinition,
  type SettingsProblem,
  type Timeouts,
} from '../model/server.ts';
import type { EntryKey } from '../model/settingRules.ts';
import { MCPL_REVISIONS } from '../wire/mcpl/revisions.ts';
import { decodeAuth } from './authDecoder.ts';
import { EntryReader } from './entryReader.ts';
import { decodeMcpl } from './mcplDecoder.ts';
import { isGuard, type Protection, withOwnProtection } from './ownProtection.ts';
import { withDenialsOf } from './scopeDecoder.ts';
import { workspaceGrants } from './workspaceGrants.ts';
import type { SettingsEntry, Traced } from './settingsEntry.ts';

const PROTOCOL_KEYS = ['era', 'dialect', 'mcpl'] as const;
export const MCPL_CHOICES = ['auto', 'off', ...MCPL_REVISIONS.map(({ version }) => version)] as const;
const MAX_TIMEOUT = 24 * 3600;

const KNOWN_KEYS = [
  'enabled',
  'command',
  'args',
  'env',
  'envFile',
  'cwd',
  'url',
  'headers',
  'transport',
  'protocol',
  'auth',
  'featureSets',
  'toolFeatureSets',
  'scopes',
  'scopeAdapters',
  'hooks',
  'push',
  'inference',
  'tools',
  'timeouts',
  'restart',
  'healthCheck',
] as const;
const SCOPE_KEYS: ReadonlySet<string | number> = new Set(['scopes', 'scopeAdapters']);
const CONNECTION_KEYS = ['command', 'args', 'env', 'envFile', 'cwd', 'url', 'headers', 'transport', 'auth'] as const;

/** Whether the user agreed to a weakening, given as a line. */
export type Agreed = (line: string, key: EntryKey) => boolean;

/** Decodes one merged entry. An error leaves it without a definition, so that a misread entry never runs. */
export function decodeEntry(id: string, traced: Traced, isAgreed: Agreed): SettingsEntry {
  const reader = new EntryReader(id, traced);
  const connection = decodeConnection(reader);
  const all = decodeProtection(reader);
  const { autoApprove, validatesArguments } = decodeTools(reader);
  const checksHealth = reader.boolean(['healthCheck'], reader.value('healthCheck')) ?? true;
  const timeouts = decodeTimeouts(reader);
  const restart = reader.choice(['restart'], reader.value('restart'), ['onCrash', 'never']) ?? 'onCrash';
  const ownReader = readerOf(id, traced, traced.own);
  const own = decodeProtection(ownReader);
  const { mcpl: kept, ...effective } = protect(id, traced, all, isAgreed, reader);
  const mcpl = { ...kept, scopes: withDenialsOf(own.mcpl.scopes, kept.scopes) };
  for (const key of Object.keys(traced.value))
    if (!KNOWN_KEYS.some((known) => known === key)) reader.warn([key], `"${key}" is not a setting of a server.`, 'key');

  const problems = [...reader.problems, ...hiddenProblems(ownReader.problems, reader.problems)];
  const rest = { id, problems, ...effective.marks };
  if (connection === undefined || problems.some((problem) => problem.severity === 'error'))
    return { ...rest, definition: undefined };
  const definedBy = definerOf(traced, connection);
  const { enabled, hiddenTools, protocol } = effective;
  const definition: ServerDefinition = {
    id,
    enabled,
    connection,
    protocol,
    hiddenTools,
    autoApprove,
    validatesArguments,
    checksHealth,
    timeouts,
    restart,
    definedBy,
    ...(traced.contributor === undefined ? {} : { contributor: traced.contributor }),
    workspaceAutoApprove: addedApprovals(autoApprove, traced, definedBy),
    lentByUser: definedBy === 'user' ? [] : mergedUserValues(traced),
    mcpl,
    workspaceGrants: workspaceGrants({ mcpl, protocol }, own, definedBy),
  };
  return { ...rest, definition };
}

type Marks = Pick<SettingsEntry, 'weakenings' | 'isGuard'>;

/** Applies the protection of user values: they stay where workspace values would weaken them. */
function protect(
  id: string,
  traced: Traced,
  all: Protection,
  isAgreed: Agreed,
  reader: EntryReader,
): Protection & { readonly marks: Marks } {
  if (traced.outside === undefined) return { ...all, marks: {} };
  const outside = decodeProtection(readerOf(id, traced, traced.outside));
  const isOutside = (path: readonly string[]): boolean => isSetOutsideWorkspace(traced, path);
  const { effective, open, refused } = withOwnProtection(outside, all, isOutside, isAgreed);
  for (const { path, instead } of open)
    reader.warn(path, `Your own value (${cut(instead)}) stays in effect until you agree to this one.`);
  for (const { path, instead } of refused)
    reader.warn(path, `Your own value (${cut(instead)}) stays in effect. A workspace cannot change it.`);
  const guards = isEnabledGuard(outside) && isEnabledGuard(effective);
  return { ...effective, marks: { ...(open.length > 0 && { weakenings: open }), ...(guards && { isGuard: true }) } };
}

function isEnabledGuard(protection: Protection): boolean {
  return protection.enabled && isGuard(protection);
}

/** Whether an entry defines an enabled server that must see every answer. */
export function isGuardEntry(id: string, value: JsonObject): boolean {
  const protection = decodeProtection(
    new EntryReader(id, { value, own: value, outside: value, scopeOf: () => 'user' }),
  );
  return isEnabledGuard(protection);
}

function readerOf(id: string, traced: Traced, value: JsonObject): EntryReader {
  return new EntryReader(id, { ...traced, value, scopeOf: () => 'user' });
}

function decodeProtection(reader: EntryReader): Protection {
  return {
    enabled: reader.boolean(['enabled'], reader.value('enabled')) ?? false,
    hiddenTools: reader.strings(['tools', 'hidden'], reader.object('tools')?.['hidden']),
    protocol: decodeProtocol(reader),
    mcpl: decodeMcpl(reader),
  };
}

/** For the user's own server, defaults count too. For others, only values that the user wrote. */
function isSetOutsideWorkspace({ outside = {} }: Traced, [group = '', member = '']: readonly string[]): boolean {
  if (outside['command'] !== undefined || outside['url'] !== undefined) return true;
  const given = outside[group];
  const isWhole = group === 'featureSets' || group === 'push' || !isJsonObject(given);
  return isWhole ? given !== undefined : given[member] !== undefined;
}

/** User approvals for a tool name apply to the user's server, not to another one with that id. */
function addedApprovals(
  autoApprove: readonly string[],
  { own }: Traced,
  definedBy: ServerDefinition['definedBy'],
): readonly string[] {
  const tools = own['tools'];
  const mine = definedBy === 'user' && isJsonObject(tools) ? tools['autoApprove'] : undefined;
  const known = new Set(isJsonArray(mine) ? mine : []);
  return autoApprove.filter((tool) => !known.has(tool));
}

const MAX_VALUE = 80;

function cut(json: string): string {
  return json.length > MAX_VALUE ? `${json.slice(0, MAX_VALUE)}…` : json;
}

/** Deny rules of the user apply even if other lists replace theirs, and so do errors in them. */
function hiddenProblems(
  own: readonly SettingsProblem[],
  shown: readonly SettingsProblem[],
): readonly SettingsProblem[] {
  const known = new Set(shown.map((problem) => JSON.stringify(problem)));
  return own.filter((problem) => SCOPE_KEYS.has(problem.path[1] ?? '') && !known.has(JSON.stringify(problem)));
}

/**
 * Who defines a connection: the workspace as soon as it gives any part. That includes a program or environment file
 * inside the workspace folder, because a repository owns its files. Otherwise an extension that gives a part.
 */
function definerOf(traced: Traced, connection: ConnectionDefinition): ServerDefinition['definedBy'] {
  const givers = CONNECTION_KEYS.filter((key) => traced.value[key] !== undefined).map((key) => traced.scopeOf([key]));
  const isWorkspace = givers.some((scope) => scope === 'workspace' || scope === 'folder') || isOfWorkspace(connection);
  if (isWorkspace) return 'workspace';
  return givers.includes('extension') ? 'extension' : 'user';
}

function isOfWorkspace(connection: ConnectionDefinition): boolean {
  if (connection.kind === 'remote') return false;
  const { command, envFile, cwd } = connection;
  if (envFile !== undefined && isInWorkspace(envFile)) return true;
  const isPath = /[/\\]/.test(command);
  if (!isPath || !isInWorkspace(command)) return false;
  return command.includes(FOLDER) || (cwd !== undefined && isInWorkspace(cwd));
}

const FOLDER = '${workspaceFolder';

/** A relative `cwd` or `envFile` starts at the workspace folder. */
function isInWorkspace(path: string): boolean {
  return path.includes(FOLDER) || !/^([/\\]|[A-Za-z]:[/\\]|\$\{|~)/.test(path);
}

/** User values that are merged into a server defined by someone else. */
function mergedUserValues(traced: Traced): readonly string[] {
  return ['env', 'headers', 'auth'].flatMap((key) => mergedUserMembers(traced, [key], traced.value[key]));
}

/** Member by member, as they are merged: the user's identity token may be inside an object from the workspace. */
function mergedUserMembers(traced: Traced, path: readonly string[], value: Json | undefined): readonly string[] {
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const at = [...path, name];
    if (isJsonObject(member)) return mergedUserMembers(traced, at, member).map((inner) => `${name}.${inner}`);
    return traced.scopeOf(at) === 'user' ? [name] : [];
  });
}

function decodeConnection(reader: EntryReader): ConnectionDefinition | undefined {
  const command = reader.text(['command'], reader.value('command'));
  const url = reader.text(['url'], reader.value('url'));
  if (command !== undefined && url !== undefined) {
    reader.fail(['url'], 'An entry has either "command" or "url", not both.');
    return undefined;
  }
  if (url !== undefined) {
    checkUrl(reader, url);
    const transport =
      reader.choice(['transport'], reader.value('transport'), ['auto', 'http', 'sse', 'websocket']) ?? 'auto';
    const auth = decodeAuth(reader.value('auth'), reader);
    return { kind: 'remote', url, headers: reader.stringMap('headers'), transport, ...(auth && { auth }) };
  }
  if (command === undefined) {
    if (!reader.has('command') && !reader.has('url'))
      reader.fail(
        [],
        'Add "command" (a program to start) or "url" (a server to connect to), or have an extension that contributes it.',
      );
    return undefined;
  }
  if (reader.has('auth')) reader.warn(['auth'], 'Only a server with a "url" is signed in to.');
  return {
    kind: 'stdio',
    command,
    args: reader.strings(['args'], reader.value('args')),
    env: reader.stringMap('env'),
    envFile: reader.text(['envFile'], reader.value('envFile')),
    cwd: reader.text(['cwd'], reader.value('cwd')),
  };
}

function checkUrl(reader: EntryReader, url: string): void {
  // A URL that starts with a variable is checked after expansion.
  if (/^(https?|wss?):\/\/[^/\s]/i.test(url) || url.startsWith('${')) return;
  reader.fail(['url'], 'Must begin with http://, https://, ws:// or wss://.');
}

function decodeTools(reader: EntryReader): Pick<ServerDefinition, 'autoApprove' | 'validatesArguments'> {
  const given = reader.object('tools') ?? {};
  return {
    autoApprove: reader.strings(['tools', 'autoApprove'], given['autoApprove']),
    validatesArguments: reader.boolean(['tools', 'validateArguments'], given['validateArguments']) ?? true,
  };
}

function decodeProtocol(reader: EntryReader): ProtocolSettings {
  const given = reader.object('protocol') ?? {};
  const read = <const T extends string>(key: keyof ProtocolSettings, choices: readonly T[]): T | undefined =>
    reader.choice(['protocol', key], given[key], choices);
  reader.warnOfOthers(['protocol'], given, PROTOCOL_KEYS);
  return {
    era: read('era', ['auto', 'legacy', 'modern']) ?? 'auto',
    dialect: read('dialect', ['auto', 'off', 'force']) ?? 'auto',
    mcpl: read('mcpl', MCPL_CHOICES) ?? 'auto',
  };
}

function decodeTimeouts(reader: EntryReader): Timeouts {
  const given = reader.object('timeouts') ?? {};
  const read = (key: keyof Timeouts): number => {
    const value = given[key];
    if (value === undefined) return DEFAULT_TIMEOUTS[key];
    if (typeof value === 'number' && value > 0 && value <= MAX_TIMEOUT) return value;
    reader.fail(['timeouts', key], `Must be a number of seconds above 0 and up to ${MAX_TIMEOUT}.`);
    return DEFAULT_TIMEOUTS[key];
  };
  for (const key of Object.keys(given))
    if (!Object.hasOwn(DEFAULT_TIMEOUTS, key)) reader.warn(['timeouts', key], `"${key}" is not a timeout.`, 'key');
  const call = read('call');
  return { start: read('start'), list: read('list'), call, callMax: Math.max(call, read('callMax')) };
}
