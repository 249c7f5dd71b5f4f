import { ignoreFailure } from '../base/async.ts';
import { CancellationSource } from '../base/cancellation.ts';
import { type Disposable, DisposableStore } from '../base/disposable.ts';
import { isHostError, messageOf } from '../base/errors.ts';
import { Emitter, type Event } from '../base/event.ts';
import type { Logger } from '../base/log.ts';
import type { Tool } from '../model/catalog.ts';
import type {
  OfferedTool,
  ServerDefinition,
  ServerSnapshot,
  ServerState,
  StopReason,
  ToolListing,
} from '../model/server.ts';
import { effectiveAutoApprove } from '../policy/startConsent.ts';
import type { Consent, Ports } from '../ports.ts';
import { ServerRunner } from '../session/serverRunner.ts';
import type { SettingsEntry } from '../session/settingsEntry.ts';
import type { Session } from '../session/session.ts';
import { McplNegotiation } from './mcplNegotiation.ts';
import type { StartGate } from './startGate.ts';
import { ToolCatalog } from './toolCatalog.ts';

export interface UnitOptions {
  /** Settles when nothing is left of an earlier server of the same id. */
  readonly after: Promise<void> | undefined;
  readonly ports: Ports;
  readonly gate: StartGate;
  readonly client: { readonly name: string; readonly title: string; readonly version: string };
}

const NEVER_STARTED: ServerState = { kind: 'stopped', reason: 'notStarted' };

/** One entry of the settings with all that the host knows and does about it. */
export class ServerUnit implements Disposable {
  readonly id: string;
  readonly #options: UnitOptions;
  readonly #log: Logger;
  readonly #store = new DisposableStore();
  readonly #changed = this.#store.add(new Emitter<'settings' | 'state' | 'tools'>());
  #widening: CancellationSource | undefined;
  #entry: SettingsEntry;
  #runner: ServerRunner | undefined;
  #tools: readonly Tool[] = [];
  #listing: ToolListing = { kind: 'unread' };
  #consent: Consent | undefined;
  #snapshot: ServerSnapshot | undefined;

  constructor(entry: SettingsEntry, options: UnitOptions) {
    this.id = entry.id;
    this.#options = options;
    this.#log = options.ports.logs.server(entry.id);
    this.#entry = entry;
    this.#define(entry);
  }

  get onDidChange(): Event<'settings' | 'state' | 'tools'> {
    return this.#changed.event;
  }

  get entry(): SettingsEntry {
    return this.#entry;
  }

  /** The last definition without an error, which is what runs. */
  get definition(): ServerDefinition | undefined {
    return this.#runner?.definition;
  }

  get state(): ServerState {
    return this.#runner?.state ?? NEVER_STARTED;
  }

  get session(): Session | undefined {
    return this.#runner?.session;
  }

  /** The same object as long as nothing changes, so that a view can compare. */
  get snapshot(): ServerSnapshot {
    this.#snapshot ??= this.#takeSnapshot();
    return this.#snapshot;
  }

  /** Takes a changed entry; what runs is left alone. */
  configure(entry: SettingsEntry): void {
    this.#entry = entry;
    this.#define(entry);
    this.#tell('settings');
    this.#widening?.cancel();
    if (this.state.kind === 'running') this.#askForWidening();
  }

  async start(): Promise<void> {
    await this.#runner?.start();
  }

  async stop(reason: StopReason): Promise<void> {
    await this.#runner?.stop(reason);
  }

  /** Says of a server at rest whether it is the missing trust that keeps it there. */
  showTrust(trusted: boolean): void {
    const { state } = this;
    if (state.kind !== 'stopped') return;
    if (trusted && state.reason === 'restrictedMode') ignoreFailure(this.stop('notStarted'));
    else if (!trusted && state.reason !== 'restrictedMode') ignoreFailure(this.stop('restrictedMode'));
  }

  async restart(): Promise<void> {
    await this.#runner?.restart();
  }

  /** Takes a consent that was given outside a start. */
  setConsent(consent: Consent | undefined): void {
    this.#consent = consent;
    this.#tell('tools');
  }

  dispose(): void {
    this.#widening?.cancel();
    this.#store.dispose();
  }

  #define(entry: SettingsEntry): void {
    if (entry.definition === undefined) return;
    if (this.#runner === undefined) this.#runner = this.#createRunner(entry.definition);
    else this.#runner.define(entry.definition);
  }

  #createRunner(definition: ServerDefinition): ServerRunner {
    const { ports, gate, client } = this.#options;
    const catalog = new ToolCatalog({
      clock: ports.clock,
      log: this.#log,
      listTimeoutMs: () => (this.definition?.timeouts.list ?? 30) * 1000,
      onTools: (tools) => {
        this.#tools = tools;
        this.#setListing({ kind: 'read' });
      },
      onFailed: (error) => this.#setListing({ kind: 'failed', error }),
    });
    const runner = this.#store.add(
      new ServerRunner(definition, {
        id: this.id,
        clock: ports.clock,
        ids: ports.ids,
        log: this.#log,
        connector: ports.connector,
        verdicts: ports.storage.verdicts,
        client,
        after: this.#options.after,
        // In this order: a server may wait for its feature sets before it answers anything.
        features: [new McplNegotiation(() => this.definition?.protocol.mcpl === 'off'), catalog],
        prepare: async (current, token, asking) => {
          const admitted = await gate.admit(current, token, asking);
          this.#consent = admitted.consent;
          return { ...admitted.expanded, fingerprint: admitted.fingerprint };
        },
      }),
    );
    this.#store.add(
      runner.onDidChangeState((state) => {
        if (state.kind !== 'running') {
          this.#listing = { kind: 'unread' };
          // The next start asks for itself.
          this.#widening?.cancel();
        }
        this.#tell('state');
      }),
    );
    return runner;
  }

  /** A running server keeps what it was granted; what the workspace grants anew is asked for meanwhile. */
  #askForWidening(): void {
    const definition = this.definition;
    if (definition === undefined) return;
    const widening = new CancellationSource();
    this.#widening = widening;
    const asked = this.#options.gate.widen(definition, widening.token).then(
      (consent) => {
        if (consent !== undefined && !widening.isCancelled) this.setConsent(consent);
      },
      (error: unknown) => {
        if (!isHostError(error, 'NOT_APPROVED', 'CANCELLED')) this.#log.log('error', messageOf(error));
      },
    );
    ignoreFailure(asked);
  }

  #setListing(listing: ToolListing): void {
    this.#listing = listing;
    this.#tell('tools');
  }

  #tell(what: 'settings' | 'state' | 'tools'): void {
    this.#snapshot = undefined;
    this.#changed.fire(what);
  }

  #takeSnapshot(): ServerSnapshot {
    const definition = this.definition;
    const hidden = new Set(definition?.hiddenTools);
    const approved = new Set(definition === undefined ? [] : effectiveAutoApprove(definition, this.#consent));
    const tools = this.#tools.map<OfferedTool>((tool) => ({
      tool,
      offered: !hidden.has(tool.name),
      autoApproved: approved.has(tool.name),
    }));
    return {
      id: this.id,
      definedBy: definition?.definedBy ?? 'user',
      enabled: definition?.enabled ?? false,
      state: this.state,
      tools,
      listing: this.#listing,
      problems: this.#entry.problems,
      definition,
      capabilities: this.session?.handshake.capabilities ?? {},
    };
  }
}
