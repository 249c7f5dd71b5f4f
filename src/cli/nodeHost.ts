import { readFile, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import {
  type SignInAccount,
  type AuthBrowser,
  type AuthPrompt,
  type CancellationToken,
  type ConsentStore,
  createHost,
  type Elicitor,
  type Host,
  type HostLimits,
  type InputAnswer,
  type JsonObject,
  type Logger,
  type LogLevel,
  type Models,
  type Sampler,
  type SecretStore,
  type StartAnswer,
  type StartQuestion,
  type Storage,
  type VariableSource,
} from '../core/index.ts';
import { memorySecrets } from '../node/auth/memorySecrets.ts';
import { type ConnectorOptions, NodeConnector } from '../node/connector.ts';
import { createFileNames } from '../node/names/fileNames.ts';
import { nodeClock, nodeIds } from '../node/nodePorts.ts';
import { endLeftovers } from '../node/process/leftovers.ts';
import { createSchemaChecker } from '../node/schemas/schemaChecker.ts';
import { memoryStorage } from '../node/store/memoryStorage.ts';
import { openStore } from '../node/store/sqliteStore.ts';
import { CLIENT } from './version.ts';

export interface LogLine {
  /** Absent for messages of the host itself. */
  readonly server: string | undefined;
  readonly level: LogLevel;
  readonly message: string;
}

/** All members are optional. */
export interface NodeHostOptions {
  /**
   * User servers: the value of `mcpl.servers` in settings. They run in the home folder by default, and start without a
   * prompt unless files of an open folder become part of what runs.
   */
  readonly servers?: JsonObject | undefined;
  /** Workspace servers, merged over the user's key by key. Each asks before its first start. */
  readonly workspaceServers?: JsonObject | undefined;
  /** Whether the workspace is trusted. Nothing starts in an untrusted one. Default: true. */
  readonly trusted?: boolean | undefined;
  /**
   * Paths of the open folders, absolute or relative. The first is `${workspaceFolder}`, and the default working
   * directory of workspace servers.
   */
  readonly folders?: readonly string[] | undefined;
  /** The database for stored decisions. Without one, nothing outlives the process. */
  readonly storageFile?: string | undefined;
  /** Answers whether a server may start. Default: no. */
  readonly onStartQuestion?: ((question: StartQuestion, token: CancellationToken) => Promise<StartAnswer>) | undefined;
  /**
   * Answers `${input:id}`. Default: no inputs. Do not give values for user servers (`definedBy` is `user`) to workspace
   * servers.
   */
  readonly onInput?:
    ((id: string, token: CancellationToken, definedBy: 'user' | 'workspace') => Promise<InputAnswer>) | undefined;
  /** Answers forms and pages from servers (MCP "Elicitation"). Default: questions stay unanswered. */
  readonly elicitor?: Elicitor | undefined;
  /** Runs sampling requests from servers (MCP "Sampling"). Default: none. */
  readonly sampler?: Sampler | undefined;
  /** Models for servers' requests and turns. Default: none. */
  readonly models?: Models | undefined;
  /** Whether to sign in to a server with a URL that asks for it. Default: no. */
  readonly authPrompt?: AuthPrompt | undefined;
  /** Opens the sign-in page. Default: fails. */
  readonly authBrowser?: AuthBrowser | undefined;
  /** Storage for tokens. Default: in memory. */
  readonly secrets?: SecretStore | undefined;
  /** Settings for all servers. */
  readonly limits?: Partial<HostLimits> | undefined;
  /** Receives every log line, without secrets but with control characters. */
  readonly onLog?: ((line: LogLine) => void) | undefined;
  /** Receives news for the user, such as a damaged file that was set aside. */
  readonly onNotice?: ((text: string) => void) | undefined;
  /** Paths of the product's scripts, for programs that move them. */
  readonly scripts?: Scripts | undefined;
}

/**
 * A host of MCP servers in a Node program, without an editor. Servers with `"enabled": true` start at once, others by
 * `host.start(id)`. A program that is done calls `host.close()`, which ends every server and the store.
 *
 * ```js
 * const { createHost } = require('mcp-live/dist/host.cjs');
 * const host = createHost({ servers: { notes: { command: 'mcpl-demo', featureSets: { enabled: ['notes.edit'] } } } });
 * await host.start('notes');
 * const result = await host.callTool({ server: 'notes', tool: 'list_notes', args: {}, route: 'api' });
 * await host.close();
 * ```
 */
export function createNodeHost(options: NodeHostOptions = {}): Host {
  const { host } = assembleNodeHost(options);
  host.configure({
    trusted: options.trusted ?? true,
    limits: options.limits,
    layers: [
      { scope: 'user', servers: options.servers },
      { scope: 'workspace', servers: options.workspaceServers },
    ],
  });
  return host;
}

interface AssembledHost {
  readonly host: Host;
  readonly consents: ConsentStore;
  readonly accounts: Accounts;
}

/** The active sign-ins. */
export interface Accounts {
  list(): Promise<readonly SignInAccount[]>;
  /** Signs out of the server with that address. Resolves with false without a sign-in. */
  signOut(url: string): Promise<boolean>;
}

/** The host before it has settings, with its internals. */
export function assembleNodeHost(options: NodeHostOptions): AssembledHost {
  const scripts = options.scripts ?? findScripts();
  let redact = (text: string): string => text;
  const log = (server?: string): Logger => ({
    log: (level, message) => options.onLog?.({ server, level, message: redact(message) }),
  });
  const connector = new NodeConnector({
    demoScript: scripts.demo,
    records: recordsOf(options, log()),
    signIn: {
      secrets: options.secrets ?? memorySecrets(),
      prompt: options.authPrompt ?? NOBODY_SIGNS_IN,
      browser: options.authBrowser ?? NO_BROWSER,
    },
  });
  const variables = variablesOf(options);
  const storage = openStorage(options, scripts, log());
  const host = createHost({
    client: CLIENT,
    ports: {
      clock: nodeClock,
      ids: nodeIds,
      logs: { host: log(), server: log },
      storage,
      variables,
      connector,
      inputs: {
        elicitor: options.elicitor ?? NOBODY,
        sampler: options.sampler ?? NO_MODEL,
        schemaChecker: createSchemaChecker({ workerPath: scripts.schemaWorker }),
      },
      fileNames: createFileNames({ folders: () => variables.folders.map(({ path }) => path) }),
      models: options.models ?? NO_MODELS,
      consent: { ask: (question, token) => options.onStartQuestion?.(question, token) ?? Promise.resolve('dontStart') },
    },
  });
  redact = (text) => host.redact(text);
  return {
    host,
    consents: storage.consents,
    accounts: {
      list: async () => (await connector.remote()).auth.accounts(),
      signOut: async (url) => (await connector.remote()).auth.signOut(url),
    },
  };
}

const NOBODY_SIGNS_IN: AuthPrompt = { consent: () => Promise.resolve(false) };
const NO_BROWSER: AuthBrowser = { open: () => Promise.resolve(false) };

const NOBODY: Elicitor = {
  form: () => Promise.resolve({ kind: 'cancel' }),
  url: () => Promise.resolve('cancel'),
  finish: () => Promise.resolve('cancel'),
  finished: () => undefined,
};

const NO_MODELS: Models = {
  choose: () =>
    Promise.resolve({ kind: 'failed', reason: 'no_model', message: 'This host has no language model: give it one.' }),
};

const NO_MODEL: Sampler = {
  isOffered: false,
  canUseTools: false,
  sample: () => Promise.resolve({ kind: 'unavailable', reason: 'This host has no language model.' }),
};

function openStorage({ storageFile, onNotice }: NodeHostOptions, scripts: Scripts, log: Logger): Storage {
  if (storageFile === undefined) return memoryStorage();
  return openStore({ file: resolve(storageFile), workerPath: scripts.storeWorker, log, onNotice });
}

/** Next to the store, because only the next host with that store needs them. */
function recordsOf({ storageFile }: NodeHostOptions, log: Logger): ConnectorOptions['records'] {
  if (storageFile === undefined) return undefined;
  const folder = `${resolve(storageFile)}.processes`;
  void endLeftovers(folder, log);
  return { folder, log };
}

const MAX_FILE = 1_000_000;

function variablesOf(options: NodeHostOptions): VariableSource {
  const folders = (options.folders ?? []).map((folder) => ({ name: basename(resolve(folder)), path: resolve(folder) }));
  return {
    folders,
    userHome: homedir(),
    env: (name) => process.env[name],
    input: (id, token, definedBy) => options.onInput?.(id, token, definedBy) ?? Promise.resolve({ kind: 'undeclared' }),
    readFile: async (path) => {
      if ((await stat(path)).size > MAX_FILE) throw new Error(`${path} is larger than 1 MB.`);
      return readFile(path, 'utf8');
    },
  };
}

/** Scripts for separate processes and threads. */
export interface Scripts {
  readonly demo: string;
  readonly storeWorker: string;
  readonly schemaWorker: string;
}

/** Next to the bundle, or the sources themselves when run from source. */
export function findScripts(): Scripts {
  if (typeof __dirname === 'string')
    return {
      demo: join(__dirname, 'demo.js'),
      storeWorker: join(__dirname, 'storeWorker.js'),
      schemaWorker: join(__dirname, 'schemaWorker.js'),
    };
  const sources = dirname(import.meta.dirname);
  return {
    demo: join(sources, 'demo', 'server.ts'),
    storeWorker: join(sources, 'node', 'store', 'storeWorker.ts'),
    schemaWorker: join(sources, 'node', 'schemas', 'schemaWorker.ts'),
  };
}
