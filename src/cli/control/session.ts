import {
  assertNever,
  CancellationSource,
  type ConsentStore,
  type Disposable,
  DisposableStore,
  type Host,
  type HostSettings,
  type Json,
  type JsonObject,
  type ServerChange,
  toHostError,
} from '../../core/index.ts';
import { type CommandId, type ControlCommand, type ControlError, decodeLine } from './commands.ts';
import type { Questions } from './questions.ts';
import { consentView, errorView, problemView, resultView, serverView, stateView, toolView } from './views.ts';

export interface ControlOptions {
  readonly host: Host;
  readonly consents: ConsentStore;
  readonly questions: Questions;
  readonly settings: ControlSettings;
  readonly write: (message: JsonObject) => void;
  /** Called when the driver asks for the end, after everything has ended. */
  readonly onShutdown: () => void;
}

export interface ControlSettings {
  readonly servers: Json | undefined;
  readonly workspaceServers: Json | undefined;
  readonly inputs: Json | undefined;
  readonly trusted: boolean;
}

/** What is left out stays as it is. */
type SettingsChange = { readonly [K in keyof ControlSettings]?: ControlSettings[K] | undefined };
type CallCommand = Extract<ControlCommand, { kind: 'call' }>;
type Outcome =
  { readonly ok: true; readonly result: Json } | { readonly ok: false; readonly error: ControlError | JsonObject };

/** One driver of one host: commands in, answers and events out (docs/control.md). */
export class ControlSession implements Disposable {
  readonly #options: ControlOptions;
  readonly #life = new DisposableStore();
  readonly #calls = new Map<CommandId, CancellationSource>();
  #settings: ControlSettings;

  constructor(options: ControlOptions) {
    this.#options = options;
    this.#settings = options.settings;
    this.#life.add(options.host.onDidChangeServer((change) => this.#tellChange(change)));
  }

  /** Takes the settings that the command line named, now that everybody listens. */
  begin(): void {
    this.#configure({});
    this.#options.write({ event: 'ready' });
  }

  receive(line: string): void {
    const decoded = decodeLine(line);
    if (decoded.kind === 'invalid') this.#answer(decoded.id, { ok: false, error: decoded.error });
    else void this.#execute(decoded.id, decoded.command);
  }

  dispose(): void {
    for (const call of this.#calls.values()) call.cancel('shutdown');
    this.#life.dispose();
  }

  async #execute(id: CommandId, command: ControlCommand): Promise<void> {
    try {
      this.#answer(id, { ok: true, result: await this.#run(id, command) });
    } catch (error) {
      this.#answer(id, { ok: false, error: error instanceof Refused ? error.view : errorView(toHostError(error)) });
    }
    if (command.kind === 'shutdown') this.#options.onShutdown();
  }

  #answer(id: CommandId | null, outcome: Outcome): void {
    this.#options.write(
      outcome.ok ? { id, ok: true, result: outcome.result } : { id, ok: false, error: { ...outcome.error } },
    );
  }

  async #run(id: CommandId, command: ControlCommand): Promise<Json> {
    const { host, consents } = this.#options;
    switch (command.kind) {
      case 'servers':
        return host.servers().map(serverView);
      case 'problems':
        return host.problems().map(problemView);
      case 'tools':
        return this.#tools(command.server);
      case 'start':
      case 'stop':
      case 'restart':
        await host[command.kind](command.server);
        return stateOf(host, command.server);
      case 'configure':
        this.#configure(command);
        return host.servers().map(serverView);
      case 'call':
        return this.#call(id, command);
      case 'cancel':
        return this.#cancel(command.call);
      case 'consents':
        return (await consents.list()).map(consentView);
      case 'forget':
        await host.forgetConsent(command.server);
        return null;
      case 'answer':
        return this.#take(command.question, command.answer);
      case 'shutdown':
        this.dispose();
        await host.close();
        return null;
      default:
        return assertNever(command);
    }
  }

  #tools(id: string | undefined): Json {
    const { host } = this.#options;
    const found = id === undefined ? undefined : host.server(id);
    if (id !== undefined && found === undefined)
      throw new Refused('UNKNOWN_SERVER', `There is no server "${id}".`, 'List them with "servers".');
    const servers = found === undefined ? host.servers() : [found];
    return servers.flatMap((server) => server.tools.map((tool) => toolView(server.id, tool)));
  }

  #configure(change: SettingsChange): void {
    const now = this.#settings;
    this.#settings = {
      servers: change.servers ?? now.servers,
      workspaceServers: change.workspaceServers ?? now.workspaceServers,
      inputs: change.inputs ?? now.inputs,
      trusted: change.trusted ?? now.trusted,
    };
    this.#options.questions.declare(this.#settings.inputs);
    this.#options.host.configure(hostSettings(this.#settings));
  }

  async #call(id: CommandId, command: CallCommand): Promise<Json> {
    if (this.#calls.has(id))
      throw new Refused('INVALID_COMMAND', 'A call with this id is still running.', 'Give each command its own id.');
    const cancellation = new CancellationSource();
    this.#calls.set(id, cancellation);
    const { server, tool, args, conversationId, meta } = command;
    try {
      const result = await this.#options.host.callTool(
        { server, tool, args, conversationId, meta, route: 'cli' },
        {
          token: cancellation.token,
          onProgress: ({ progress, total, message }) =>
            this.#options.write({ event: 'progress', call: id, progress, total, message }),
        },
      );
      return resultView(result);
    } finally {
      this.#calls.delete(id);
      cancellation.dispose();
    }
  }

  #cancel(id: CommandId): Json {
    const call = this.#calls.get(id);
    call?.cancel('cancelled by the driver');
    return { cancelled: call !== undefined };
  }

  #take(question: string, answer: Json): Json {
    const problem = this.#options.questions.answer(question, answer);
    if (problem !== undefined) throw new Refused('INVALID_ANSWER', problem, 'Answer as the event "question" says.');
    return null;
  }

  #tellChange({ server, what }: ServerChange): void {
    const snapshot = this.#options.host.server(server);
    const state = snapshot === undefined ? undefined : stateView(snapshot.state);
    this.#options.write({ event: 'server', server, what, state });
  }
}

/** A command that makes no sense now. */
class Refused extends Error {
  readonly view: ControlError;

  constructor(code: string, message: string, suggestion: string) {
    super(message);
    this.view = { code, message, suggestion };
  }
}

function stateOf(host: Host, id: string): Json {
  const server = host.server(id);
  return server === undefined ? null : stateView(server.state);
}

function hostSettings({ servers, workspaceServers, trusted }: ControlSettings): HostSettings {
  return {
    trusted,
    layers: [
      { scope: 'user', servers },
      { scope: 'workspace', servers: workspaceServers },
    ],
  };
}
