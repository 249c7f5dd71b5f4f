import {
  type ConsentStore,
  type Disposable,
  DisposableStore,
  type Host,
  type HostLimits,
  type HostSettings,
  type Json,
  type JsonObject,
  type ServerChange,
  toHostError,
} from '../../core/index.ts';
import type { Accounts } from '../nodeHost.ts';
import { ChangedDefinitions, definitionHandlers } from './changedDefinitions.ts';
import { approvalHandlers, ApprovalQuestions } from './controlApprovals.ts';
import {
  type CommandId,
  type CommandKind,
  type ControlCommand,
  type ControlError,
  type Handlers,
  Refused,
} from './controlCommands.ts';
import { errorView, eventView, serverView, stateView } from './controlViews.ts';
import type { DriverModels } from './driverModels.ts';
import { decodeLine } from './lineDecoder.ts';
import { lineageHandlers, LineageWatch } from './lineageHandlers.ts';
import { mcplHandlers } from './mcplHandlers.ts';
import type { Questions } from './questions.ts';
import { offerHandlers, serverHandlers } from './serverHandlers.ts';
import { Watches } from './watches.ts';
import { Work } from './work.ts';

interface ControlOptions {
  readonly host: Host;
  readonly consents: ConsentStore;
  readonly accounts: Accounts;
  readonly questions: Questions;
  readonly models: DriverModels;
  readonly settings: ControlSettings;
  readonly write: (message: JsonObject) => void;
  /** Called after the driver requested the shutdown and everything has ended. */
  readonly onShutdown: () => void;
}

interface ControlSettings {
  readonly servers: Json | undefined;
  readonly workspaceServers: Json | undefined;
  readonly inputs: Json | undefined;
  readonly trusted: boolean;
  readonly limits?: Partial<HostLimits> | undefined;
}

/** Omitted members stay unchanged. */
type SettingsChange = { readonly [K in keyof ControlSettings]?: ControlSettings[K] | undefined };
type Outcome =
  { readonly ok: true; readonly result: Json } | { readonly ok: false; readonly error: ControlError | JsonObject };

/** One driver of one host: commands in, answers and events out (docs/control.md). */
export class ControlSession implements Disposable {
  readonly #options: ControlOptions;
  readonly #handlers: Handlers;
  readonly #life = new DisposableStore();
  readonly #watches: Watches;
  readonly #definitions: ChangedDefinitions;
  #settings: ControlSettings;

  constructor(options: ControlOptions) {
    const { host, questions, write } = options;
    this.#options = options;
    this.#settings = options.settings;
    const work = this.#life.add(new Work());
    const watches = new Watches(host, (server, uri) => write({ event: 'resource', server, uri }));
    this.#watches = this.#life.add(watches);
    this.#definitions = new ChangedDefinitions(host, write);
    const { lineages } = host;
    const watch = this.#life.add(new LineageWatch(lineages, write));
    this.#handlers = {
      ...serverHandlers({ ...options, work }),
      ...offerHandlers({ host, work, watches, write }),
      ...mcplHandlers({
        ...options,
        work,
        layers: () => this.#settings,
        configure: (change) => this.#configure(change),
      }),
      ...approvalHandlers(host.approvals),
      ...definitionHandlers(host),
      ...lineageHandlers({ lineages, work, watch }),
      ...this.#ownHandlers(),
    };
    this.#life.add(
      host.events.onDidArrive((events) => {
        for (const event of events) write({ event: 'push', ...eventView(event) });
      }),
    );
    this.#life.add(host.events.onDidChange(() => write({ event: 'events', unread: host.events.unread })));
    this.#life.add(new ApprovalQuestions(host.approvals, questions, write));
    this.#life.add(host.onDidRefuseModel(({ server, reason }) => write({ event: 'modelRefused', server, reason })));
    this.#life.add(
      host.alsoEvents.onDidAsk(({ server, featureSet }) => write({ event: 'undeclaredEvents', server, featureSet })),
    );
    this.#life.add(host.onDidChangeServer((change) => this.#tellChange(change)));
  }

  /** Applies the settings of the command line once all listeners are attached. */
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

  /** Always async, so that a refusal does not overtake answers to earlier commands. */
  async #run<K extends CommandKind>(id: CommandId, command: ControlCommand<K>): Promise<Json> {
    return this.#handlers[command.kind](command, id);
  }

  #ownHandlers(): Handlers<'configure' | 'answer' | 'shutdown'> {
    const { host, questions } = this.#options;
    return {
      configure: (change) => {
        this.#configure(change);
        return host.servers().map(serverView);
      },
      answer: ({ question, answer }) => {
        const problem = questions.answer(question, answer);
        if (problem !== undefined) throw new Refused('INVALID_ANSWER', problem, 'Answer as the event "question" says.');
        return null;
      },
      shutdown: async () => {
        this.dispose();
        await host.close();
        return null;
      },
    };
  }

  #configure(change: SettingsChange): void {
    const now = this.#settings;
    this.#settings = {
      servers: change.servers ?? now.servers,
      workspaceServers: change.workspaceServers ?? now.workspaceServers,
      inputs: change.inputs ?? now.inputs,
      trusted: change.trusted ?? now.trusted,
      limits: change.limits ?? now.limits,
    };
    this.#options.questions.declare(this.#settings.inputs);
    this.#options.host.configure(hostSettings(this.#settings));
  }

  #tellChange({ server, what }: ServerChange): void {
    if (what === 'removed') this.#watches.drop(server);
    const snapshot = this.#options.host.server(server);
    const state = snapshot === undefined ? undefined : stateView(snapshot.state);
    this.#options.write({ event: 'server', server, what, state });
    this.#definitions.look(server);
  }
}

function hostSettings({ servers, workspaceServers, trusted, limits }: ControlSettings): HostSettings {
  return {
    trusted,
    limits,
    layers: [
      { scope: 'user', servers },
      { scope: 'workspace', servers: workspaceServers },
    ],
  };
}
