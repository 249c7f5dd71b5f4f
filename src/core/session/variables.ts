import type { CancellationToken } from '../base/cancellation.ts';
import { cancelled, HostError, messageOf } from '../base/errors.ts';
import type { Secret } from '../base/secrets.ts';
import type { ConnectionDefinition, ServerDefinition } from '../model/server.ts';
import { escaped } from '../base/quotedText.ts';
import type { Connection, VariableSource } from '../ports.ts';
import { expandAuth, mapAuth } from './authDecoder.ts';
import { parseEnvFile } from './envFile.ts';

/** A connection ready to open, and its secrets, which only its server may see. */
export interface ExpandedConnection {
  readonly connection: Connection;
  readonly secrets: readonly Secret[];
}

const VARIABLE = /\$\{([^}]*)\}/g;

/**
 * Expands all variables of a connection. Calls `asking` before the user is asked for an input. Rejects if a variable
 * cannot be resolved.
 */
export async function expandConnection(
  { connection: definition, definedBy }: Pick<ServerDefinition, 'connection' | 'definedBy'>,
  source: VariableSource,
  token: CancellationToken,
  asking: () => void,
): Promise<ExpandedConnection> {
  const secrets: Secret[] = [];
  const { addressSecrets, argumentSecrets, headerSecrets, variableSecrets } = await import('./credentials.ts');
  const context: Expansion = { source, secrets, variableSecrets, token, asking, definedBy };
  const expand = async (text: string): Promise<string> => expandText(text, context);
  const expandMap = async (map: Readonly<Record<string, string>>): Promise<Record<string, string>> => {
    const result: Record<string, string> = {};
    // One by one, because parallel input prompts would compete.
    for (const [key, value] of Object.entries(map)) result[key] = await expand(value);
    return result;
  };

  if (definition.kind === 'remote') {
    const url = await expand(definition.url);
    if (!/^(https?|wss?):\/\//i.test(url))
      throw unresolved(`The URL "${definition.url}" does not expand to http://, https://, ws:// or wss://.`);
    const headers = await expandMap(definition.headers);
    secrets.push(...addressSecrets(url));
    for (const [name, value] of Object.entries(headers)) secrets.push(...headerSecrets(name, value));
    const auth = definition.auth && (await expandAuth(definition.auth, expand));
    if (auth !== undefined) secrets.push(...auth.secrets);
    const connection = { kind: 'remote', url, headers, transport: definition.transport } as const;
    return { connection: auth === undefined ? connection : { ...connection, auth: auth.settings }, secrets };
  }

  const command = await expand(definition.command);
  const args: string[] = [];
  for (const arg of definition.args) args.push(await expand(arg));
  const written = definition.cwd === undefined ? undefined : await expand(definition.cwd);
  const cwd = workingFolder(written, definedBy, source);
  const fromFile = parseEnvFile((await readEnvFile(definition, source)) ?? '');
  const env = { ...fromFile, ...(await expandMap(definition.env)) };
  // Settings and environment files may contain plain credentials.
  for (const [name, value] of Object.entries(env)) secrets.push(...variableSecrets(name, value));
  secrets.push(...argumentSecrets(args));
  return { connection: { kind: 'stdio', command, args, env, cwd }, secrets };
}

/**
 * The text of a connection's `envFile`. Its path may only contain variables without a prompt, because the text is part
 * of what the user consents to.
 */
export async function readEnvFile(
  definition: ConnectionDefinition,
  source: VariableSource,
): Promise<string | undefined> {
  if (definition.kind !== 'stdio' || definition.envFile === undefined) return undefined;
  const path = envFilePath(definition.envFile, source);
  try {
    return await source.readFile(path);
  } catch (error) {
    throw new HostError('VARIABLE_UNRESOLVED', `The envFile ${path} cannot be read: ${messageOf(error)}`, {
      layer: 'settings',
      effect: 'none',
      suggestion: 'Create the file or correct "envFile" in the settings.',
    });
  }
}

/** The path of an `envFile`. */
export function envFilePath(envFile: string, source: VariableSource): string {
  const written = envFile.replace(VARIABLE, (_, variable: string) => {
    const value = expandPlain(variable, source);
    if (value === undefined)
      throw unresolved(`The path of "envFile" cannot hold \${${variable}}.`, 'Write the path without that variable.');
    return value;
  });
  return inFolder(written, source);
}

/** A relative path starts at the first open folder, never at the editor's working directory. */
function inFolder(path: string, source: VariableSource): string {
  const isAbsolute = /^([/\\]|[A-Za-z]:[/\\])/.test(path);
  return isAbsolute ? path : `${source.folders[0]?.path ?? source.userHome}/${path}`;
}

/**
 * The working directory of a process. Only workspace servers run in the workspace by default. Otherwise a repository
 * could replace a user server's program, because `npx` searches the working folder first.
 */
function workingFolder(
  cwd: string | undefined,
  definedBy: ServerDefinition['definedBy'],
  source: VariableSource,
): string {
  if (cwd !== undefined) return inFolder(cwd, source);
  return (definedBy === 'workspace' ? source.folders[0]?.path : undefined) ?? source.userHome;
}

interface Expansion {
  readonly source: VariableSource;
  readonly secrets: Secret[];
  variableSecrets(name: string, value: string): readonly Secret[];
  readonly token: CancellationToken;
  readonly asking: () => void;
  readonly definedBy: ServerDefinition['definedBy'];
}

async function expandText(text: string, context: Expansion): Promise<string> {
  let result = '';
  let end = 0;
  for (const match of text.matchAll(VARIABLE)) {
    result += text.slice(end, match.index) + (await valueOf(match[1] ?? '', context));
    end = match.index + match[0].length;
  }
  return result + text.slice(end);
}

async function valueOf(variable: string, context: Expansion): Promise<string> {
  const { source, secrets, token, asking, definedBy } = context;
  const known = expandPlain(variable, source);
  if (known !== undefined) return known;
  const [kind, name = ''] = split(variable);
  if (kind === 'env') {
    const value = source.env(name) ?? '';
    secrets.push(...context.variableSecrets(name, value));
    return value;
  }
  if (kind !== 'input') throw unresolved(`The variable \${${variable}} is not known.`);
  asking();
  const answer = await source.input(name, token, definedBy === 'user' ? 'user' : 'workspace');
  switch (answer.kind) {
    case 'value':
      if (answer.secret) secrets.push({ name, value: answer.value });
      return answer.value;
    case 'declined':
      throw cancelled(`The question for "${name}"`);
    case 'undeclared':
      throw unresolved(`The input "${name}" is not declared.`, 'Declare it in the setting "mcpl.inputs".');
  }
}

/** Variables whose values are not secret and may be shown in a prompt. */
function expandPlain(variable: string, source: VariableSource): string | undefined {
  const [kind, name] = split(variable);
  if (variable === 'userHome') return source.userHome;
  if (kind !== 'workspaceFolder') return undefined;
  const folder = name === undefined ? source.folders[0] : source.folders.find((candidate) => candidate.name === name);
  if (folder !== undefined) return folder.path;
  throw unresolved(
    name === undefined
      ? '${workspaceFolder} has no value because no folder is open.'
      : `No folder named "${name}" is open.`,
    'Open the folder or correct the settings.',
  );
}

/** Expands folders. Keeps inputs and environment variables as written. */
export function withFolders(text: string, source: VariableSource): string {
  return text.replace(VARIABLE, (whole, variable: string) => {
    try {
      return expandPlain(variable, source) ?? whole;
    } catch {
      return whole;
    }
  });
}

/** The connection with the current folders: another folder under the same variable is another program. */
export function inOpenFolders(
  { connection: definition, definedBy }: Pick<ServerDefinition, 'connection' | 'definedBy'>,
  source: VariableSource,
): ConnectionDefinition {
  const show = (text: string): string => withFolders(text, source);
  const showAll = (map: Readonly<Record<string, string>>): Record<string, string> =>
    Object.fromEntries(Object.entries(map).map(([name, value]) => [name, show(value)]));
  if (definition.kind === 'remote')
    return {
      ...definition,
      url: show(definition.url),
      headers: showAll(definition.headers),
      ...(definition.auth && { auth: mapAuth(definition.auth, show) }),
    };
  const { command, args, env, envFile, cwd } = definition;
  return {
    kind: 'stdio',
    command: show(command),
    args: args.map(show),
    env: showAll(env),
    envFile: envFile === undefined ? undefined : inFolder(show(envFile), source),
    cwd: workingFolder(cwd === undefined ? undefined : show(cwd), definedBy, source),
  };
}

/**
 * The connection in a prompt, suitable for double quotes: paths expanded, inputs and environment variables as written,
 * and special words in single quotes.
 */
export function describeConnection(definition: ConnectionDefinition, source: VariableSource): string {
  const show = (text: string): string => withFolders(text, source);
  if (definition.kind === 'remote') return escaped(show(definition.url));
  return [definition.command, ...definition.args].map((word) => wordText(show(word))).join(' ');
}

function wordText(word: string): string {
  return /^[\w@%+=:,./~${}-]+$/.test(word) ? word : `'${escaped(word).replaceAll("'", '\\u{27}')}'`;
}

function split(variable: string): readonly [string, string | undefined] {
  const colon = variable.indexOf(':');
  return colon < 0 ? [variable, undefined] : [variable.slice(0, colon), variable.slice(colon + 1)];
}

function unresolved(message: string, suggestion = 'Correct the settings of this server.'): HostError {
  return new HostError('VARIABLE_UNRESOLVED', message, { layer: 'settings', effect: 'none', suggestion });
}
