import { createHash } from 'node:crypto';
import { HostError } from '../../src/core/base/errors.ts';
import type { Json } from '../../src/core/base/json.ts';
import {
  createHost,
  type Era,
  type Host,
  type InputPorts,
  type Models,
  type ServerSnapshot,
  type VerdictStore,
} from '../../src/core/index.ts';
import type {
  ConnectContext,
  Connection,
  FileNames,
  InputAnswer,
  StartAnswer,
  StartQuestion,
  Storage,
  VariableSource,
  WeakeningAnswer,
} from '../../src/core/ports.ts';
import { memoryStorage } from '../../src/node/store/memoryStorage.ts';
import { fakeFiles } from './fakeFiles.ts';
import { FakeClock, settle } from './fakeClock.ts';
// Loaded here, so that the host's lazy imports take no time in tests.
import '../../src/core/host/engine.ts';
import '../../src/core/scopes/scopeDecider.ts';
import '../../src/core/consent/definitionTrust.ts';
import '../../src/core/session/credentials.ts';
import '../../src/core/consent/startInquiry.ts';
import '../../src/core/session/opener.ts';
import { ScriptedServer } from './scriptedServer.ts';

/** A whole host with scripted servers. The test controls everything outside of it. */
export class TestHost {
  readonly clock = new FakeClock();
  readonly host: Host;
  /** Connections in the order in which they were opened. */
  readonly connections: Connection[] = [];
  readonly questions: StartQuestion[] = [];
  readonly changes: string[] = [];
  readonly logs: string[] = [];
  readonly files: Record<string, string> = {};
  readonly inputs: Record<string, InputAnswer> = {};
  readonly env: Record<string, string> = {};
  folders: VariableSource['folders'] = [{ name: 'project', path: '/project' }];
  /** Called for each required input. */
  onInput: (id: string, definedBy: string) => void = () => undefined;
  answer: StartAnswer | Promise<StartAnswer> = 'start';
  /** Settings that the workspace wanted to weaken, and the user's answer. */
  readonly weakenings: string[] = [];
  weakeningAnswer: WeakeningAnswer | Promise<WeakeningAnswer> = 'dismissed';
  /** The remembered era of every server. `undefined`: the host probes each. */
  era: Era | undefined = 'legacy';
  /** Creates the server for a connection. Throw to fail the start. */
  connect: (connection: Connection, context: ConnectContext) => ScriptedServer = () => new ScriptedServer();
  /** The input ports. Tests of inputs replace members before a server starts. */
  readonly inputPorts: { -readonly [K in keyof InputPorts]: InputPorts[K] } = {
    elicitor: {
      form: () => Promise.resolve({ kind: 'cancel' }),
      url: () => Promise.resolve('cancel'),
      finish: () => Promise.resolve('cancel'),
      finished: () => undefined,
    },
    sampler: { canUseTools: false, sample: () => Promise.resolve({ kind: 'declined' }) },
    schemaChecker: { check: () => Promise.resolve({ kind: 'ok' }) },
  };
  /** The models for servers and turns. None by default. */
  models: Models = {
    choose: () => Promise.resolve({ kind: 'failed', reason: 'no_model', message: 'There is no model.' }),
  };
  /** Answers about file names. There are no links by default. */
  fileNames: FileNames = fakeFiles({});
  readonly servers: ScriptedServer[] = [];
  #ids = 0;

  constructor(storage: Storage = memoryStorage()) {
    const foldersNow = (): VariableSource['folders'] => this.folders;
    const variables: VariableSource = {
      get folders() {
        return foldersNow();
      },
      userHome: '/home/me',
      env: (name) => this.env[name],
      input: (id, _token, definedBy) => {
        this.onInput(id, definedBy);
        return Promise.resolve(this.inputs[id] ?? { kind: 'undeclared' });
      },
      readFile: (path) => {
        const text = this.files[path];
        return text === undefined ? Promise.reject(new Error('no such file')) : Promise.resolve(text);
      },
    };
    this.host = createHost({
      client: { name: 'test-host', title: 'Test Host', version: '0.0.0' },
      ports: {
        clock: this.clock,
        ids: {
          uuid: () => `id-${++this.#ids}`,
          random: () => 0.5,
          sha256: (text) => createHash('sha256').update(text).digest('hex'),
        },
        logs: {
          host: { log: (level, message) => this.logs.push(`host ${level}: ${message}`) },
          server: (id) => ({ log: (level, message) => this.logs.push(`${id} ${level}: ${message}`) }),
        },
        storage: { ...storage, verdicts: this.#verdicts(storage.verdicts) },
        variables,
        connector: {
          open: (connection, context) => {
            this.connections.push(connection);
            const server = this.connect(connection, context);
            this.servers.push(server);
            return Promise.resolve({ transport: server.transport, pid: 100 + this.servers.length });
          },
        },
        inputs: this.inputPorts,
        fileNames: this.#fileNames(),
        models: { choose: (wanted, token) => this.models.choose(wanted, token) },
        consent: {
          ask: (question) => {
            this.questions.push(question);
            return Promise.resolve(this.answer);
          },
          askToWeaken: (question) => {
            const items = question.weakenings.map(({ key, path, value, instead }) => {
              const name = path.length === 0 ? key : path.join('.');
              return `${name} ${value} instead of ${instead}`;
            });
            this.weakenings.push(`${question.server ?? 'window'}: ${items.join(', ')}`);
            return Promise.resolve(this.weakeningAnswer);
          },
        },
      },
    });
    this.host.onDidChangeServer((change) => this.changes.push(`${change.server} ${change.what}`));
  }

  #fileNames(): FileNames {
    const { style, ignoresCase } = this.fileNames;
    return { style, ignoresCase, real: (path, token) => this.fileNames.real(path, token) };
  }

  #verdicts(inner: VerdictStore): VerdictStore {
    return {
      ...inner,
      find: (fingerprint) =>
        this.era === undefined
          ? inner.find(fingerprint)
          : Promise.resolve({ fingerprint, era: this.era, mcpl: false, at: this.clock.now() }),
    };
  }

  /** The server of the last connection. */
  get server(): ScriptedServer {
    const last = this.servers.at(-1);
    if (last === undefined) throw new Error('No server was connected.');
    return last;
  }

  async user(servers: Json, workspace?: Json): Promise<void> {
    this.host.configure({
      trusted: true,
      layers: [
        { scope: 'user', servers },
        { scope: 'workspace', servers: workspace },
      ],
    });
    await settle();
  }

  async workspace(servers: Json, trusted = true): Promise<void> {
    this.host.configure({ trusted, layers: [{ scope: 'workspace', servers }] });
    await settle();
  }

  /** All servers as text, one line each, with their tools and problems. */
  show(): string {
    return this.host.servers().map(showServer).join('\n');
  }
}

export function showServer(server: ServerSnapshot): string {
  const tools = server.tools.map(
    ({ tool, offered, autoApproved }) => `${tool.name}${offered ? '' : ' hidden'}${autoApproved ? ' auto' : ''}`,
  );
  const problems = server.problems.map((problem) => ` !${problem.path.join('.')}: ${problem.message}`);
  return `${server.id}: ${showState(server)}${tools.length > 0 ? ` [${tools.join(', ')}]` : ''}${problems.join('')}`;
}

function showState({ state }: ServerSnapshot): string {
  switch (state.kind) {
    case 'stopped':
      return `stopped (${state.reason})`;
    case 'failed':
      return `failed ${state.error.code}: ${state.error.message}`;
    case 'restarting':
      return `restarting at ${state.at} after ${state.error.code}`;
    case 'running':
      return `running ${state.protocolVersion} pid ${state.pid}`;
    default:
      return state.kind;
  }
}

export function exited(): HostError {
  return new HostError('SERVER_EXITED', 'The server ended with exit code 1.', { layer: 'process' });
}
