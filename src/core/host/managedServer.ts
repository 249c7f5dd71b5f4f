import { ignoreFailure } from '../base/async.ts';
import { CancellationSource, type CancellationToken } from '../base/cancellation.ts';
import { type Disposable, DisposableStore } from '../base/disposable.ts';
import { isHostError, messageOf, toHostError } from '../base/errors.ts';
import { Emitter, type Event } from '../base/event.ts';
import type { Json, JsonObject } from '../base/json.ts';
import type { Logger } from '../base/log.ts';
import type { Redact, SecretList } from '../base/secrets.ts';
import { decodeResult, type ResultView } from '../model/content.ts';
import type { InferenceSettings, McplSettings } from '../model/mcpl.ts';
import { DEFAULT_MCPL } from '../model/mcplDefaults.ts';
import type { ScopeSettings } from '../model/scope.ts';
import type { ServerDefinition, ServerSnapshot, ServerState, StopReason, ServerAspect } from '../model/server.ts';
import { effectiveMcpl } from '../consent/mcplGrants.ts';
import { effectiveAutoApprove } from '../consent/startConsent.ts';
import { setOffOf } from '../mcpl/offerSets.ts';
import type { McplEngine } from './engine.ts';
import type { Connection, Consent, Ports } from '../ports.ts';
import { ServerRunner } from '../session/serverRunner.ts';
import type { SettingsEntry } from '../session/settingsEntry.ts';
import { withFolders } from '../session/variables.ts';
import type { Session } from '../session/session.ts';
import { ProtocolTrace, tap } from '../trace/protocolTrace.ts';
import { foreignSecrets } from '../trace/foreignSecrets.ts';
import { LazyMcplConnection } from './lazyMcplConnection.ts';
import { offeredTools, ownApprovals } from '../offer/offeredTools.ts';
import { Roots } from '../inputs/workspaceRoots.ts';
import type { InputParts } from './inputParts.ts';
import type { ServerInputs, ServerInputsOptions } from './serverInputs.ts';
import { type LogListeners, ServerLogging } from '../logging/serverLogging.ts';
import { ServerOffer } from '../offer/serverOffer.ts';
import { ToolTrust } from '../offer/trustedTools.ts';
import type { StartGate } from '../consent/startGate.ts';

interface ManagedServerOptions {
  /** Settles when an earlier server of the same id has ended. */
  readonly after: Promise<void> | undefined;
  readonly ports: Ports;
  readonly secrets: SecretList;
  readonly gate: StartGate;
  engine(): Promise<McplEngine>;
  readonly inputs: Pick<InputParts, 'create'>;
  isTrusted(): boolean;
  /** Throws if the editor's policy forbids this connection. */
  checkAllowed(definition: ServerDefinition, connection: Connection): void;
  /** The server may start over this connection. */
  onAdmitted(server: string, fingerprint: string): void;
  /** Listeners of the server's log messages. */
  readonly logListeners: LogListeners;
  readonly client: { readonly name: string; readonly title: string; readonly version: string };
}

/** The allowed MCPL settings. */
interface EffectiveMcpl {
  readonly definition: ServerDefinition;
  readonly consent: Consent | undefined;
  readonly settings: McplSettings;
}

const NEVER_STARTED: ServerState = { kind: 'stopped', reason: 'notStarted' };

/** One entry of the settings, with its runtime state. */
export class ManagedServer implements Disposable {
  readonly id: string;
  readonly #options: ManagedServerOptions;
  readonly #log: Logger;
  readonly #store = new DisposableStore();
  readonly #changed = this.#store.add(new Emitter<ServerAspect>());
  #widening: CancellationSource | undefined;
  #entry: SettingsEntry;
  #runner: ServerRunner | undefined;
  readonly offer: ServerOffer;
  #inputs: ServerInputs | undefined;
  readonly logging: ServerLogging;
  readonly trace: ProtocolTrace;
  readonly mcpl: LazyMcplConnection;
  readonly trust: ToolTrust;
  readonly #roots: Roots;
  readonly redact: Redact;
  /** Decodes a result and removes its secrets, for models. */
  readonly decode = (value: Json): ResultView => decodeResult(value, this.redact);
  #consent: Consent | undefined;
  #fingerprint: string | undefined;
  #workingFolder: string | undefined;
  #snapshot: ServerSnapshot | undefined;
  #effective: EffectiveMcpl | undefined;

  constructor(entry: SettingsEntry, options: ManagedServerOptions) {
    this.id = entry.id;
    this.#options = options;
    this.redact = options.secrets.redact;
    const { ports } = options;
    const { clock, variables } = ports;
    const log = ports.logs.server(entry.id);
    this.#log = log;
    this.#entry = entry;
    const listTimeoutMs = (): number => (this.definition?.timeouts.list ?? 30) * 1000;
    this.offer = this.#store.add(new ServerOffer({ clock, log, listTimeoutMs, mcpl: () => this.snapshot.mcpl }));
    this.#store.add(
      this.offer.onDidChange(({ kind, isNews }) => {
        this.#snapshot = undefined;
        if (isNews) this.#tell(kind);
      }),
    );
    this.trace = this.#store.add(new ProtocolTrace({ clock }));
    this.logging = new ServerLogging({
      clock,
      log,
      requestTimeoutMs: listTimeoutMs,
      redact: this.redact,
      listeners: options.logListeners,
    });
    this.#roots = new Roots({
      folders: () => variables.folders,
      onDidChangeFolders: variables.onDidChangeFolders,
      isTrusted: () => options.isTrusted(),
    });
    this.mcpl = new LazyMcplConnection({
      server: entry.id,
      log,
      engine: () => options.engine(),
      settings: () => this.#mcplSettings(),
      protocol: () => this.definition?.protocol.mcpl ?? 'auto',
      redact: this.redact,
      redactForeign: (text) => options.secrets.foreignTo(entry.id)?.(text) ?? text,
      expand: (pattern) => withFolders(pattern, variables),
      onChange: () => {
        this.#tell('mcpl');
        this.offer.resourceCatalog.setsChanged();
      },
      onGranted: (isFirst) => this.offer.granted(isFirst),
    });
    this.trust = new ToolTrust({
      server: entry.id,
      clock,
      ids: ports.ids,
      log,
      trust: ports.storage.trust,
      redact: (text) => this.redact(text),
      onChange: () => this.#tell('tools'),
    });
    this.#define(entry);
  }

  get onDidChange(): Event<ServerAspect> {
    return this.#changed.event;
  }

  get entry(): SettingsEntry {
    return this.#entry;
  }

  /** The last definition without an error, which is the one in use. */
  get definition(): ServerDefinition | undefined {
    return this.#runner?.definition;
  }

  get state(): ServerState {
    return this.#runner?.state ?? NEVER_STARTED;
  }

  get session(): Session | undefined {
    return this.#runner?.session;
  }

  /** Handlers of the server's requests. Present after its first start. */
  get inputs(): ServerInputs | undefined {
    return this.#inputs;
  }

  /** Fingerprint of the connection, once one was allowed. */
  get fingerprint(): string | undefined {
    return this.#fingerprint;
  }

  /** The working folder of its process. */
  get workingFolder(): string | undefined {
    return this.#workingFolder;
  }

  /** The scope settings in effect. */
  get scopes(): ScopeSettings {
    return this.#mcplSettings().scopes;
  }

  /** The model settings in effect. */
  get inference(): InferenceSettings | undefined {
    return this.definition === undefined ? undefined : this.#mcplSettings().inference;
  }

  /** Whether calls to the server name their scope: its version of MCPL has scopes (MCPL §7.7). */
  get takesScopes(): boolean {
    const { member } = this.mcpl;
    return member?.isMember === true && member.dialect.traits.scopes !== 'none';
  }

  /** The same object until something changes, so that a view can compare. */
  get snapshot(): ServerSnapshot {
    this.#snapshot ??= this.#takeSnapshot();
    return this.#snapshot;
  }

  /** Applies a changed entry. Does not restart a running server. */
  configure(entry: SettingsEntry): void {
    this.#entry = entry;
    const { autoApprove: before = [] } = this.definition ?? {};
    this.#define(entry);
    this.trust.written(ownApprovals(this.definition).filter((name) => !before.includes(name)));
    this.mcpl.update();
    this.#inputs?.update();
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

  async restart(): Promise<void> {
    await this.#runner?.restart();
  }

  freshTools(token: CancellationToken): Promise<unknown> {
    return this.offer.toolCatalog.fresh(token);
  }

  /** Reads all lists again. */
  async refresh(token?: CancellationToken): Promise<void> {
    const { toolCatalog, resourceCatalog, promptCatalog } = this.offer;
    const has = (capability: string): boolean => this.session?.handshake.capabilities[capability] !== undefined;
    // A list that cannot be read does not affect the others.
    const read = await Promise.allSettled([
      has('tools') ? toolCatalog.reread(token) : undefined,
      has('resources') ? resourceCatalog.reread(token) : undefined,
      has('prompts') ? promptCatalog.reread(token) : undefined,
    ]);
    for (const outcome of read) if (outcome.status === 'rejected') throw toHostError(outcome.reason);
  }

  /** Stores a consent given outside a start. */
  setConsent(consent: Consent | undefined): void {
    this.#consent = consent;
    this.mcpl.update();
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
    const options = this.#options;
    const { ports, gate, client, secrets } = options;
    const foreign = foreignSecrets(secrets, this.id);
    const runner = this.#store.add(
      new ServerRunner(definition, {
        id: this.id,
        clock: ports.clock,
        ids: ports.ids,
        log: this.#log,
        redact: this.redact,
        connector: ports.connector,
        verdicts: ports.storage.verdicts,
        client,
        after: options.after,
        tap: (transport) => tap(transport, { trace: this.trace, redact: this.redact, foreign }),
        // The order matters: a server may wait for its feature sets before it answers any request.
        features: async () => [
          await this.mcpl.connection(),
          this.#roots,
          ...(await this.#loadInputs()).features,
          this.logging,
          ...this.offer.features,
        ],
        prepare: async (current, token, asking) => {
          const admitted = await gate.admit(current, token, asking);
          options.checkAllowed(current, admitted.expanded.connection);
          if (current.autoApprove.length > 0) await this.trust.load();
          this.#consent = admitted.consent;
          secrets.add(admitted.expanded.secrets, this.id);
          this.#fingerprint = admitted.fingerprint;
          const { connection } = admitted.expanded;
          this.#workingFolder = connection.kind === 'stdio' ? connection.cwd : undefined;
          options.onAdmitted(this.id, admitted.fingerprint);
          return { connection, fingerprint: admitted.fingerprint };
        },
      }),
    );
    this.#store.add(
      runner.onDidChangeState((state) => {
        if (state.kind !== 'running') {
          this.offer.outdate();
          // The next start shows its own prompt.
          this.#widening?.cancel();
        }
        this.#tell('state');
      }),
    );
    return runner;
  }

  async #loadInputs(): Promise<ServerInputs> {
    const { clock, inputs: ports } = this.#options.ports;
    const facts = (): ReturnType<ServerInputsOptions['facts']> => {
      return { fingerprint: this.#fingerprint, model: this.#mcplSettings().inference.model };
    };
    const { redact } = this;
    const health = { isWanted: () => this.definition?.checksHealth === true, onChange: () => this.#tell('state') };
    const options = { server: this.id, clock, log: this.#log, redact, ports, facts, health, others: [this.#roots] };
    this.#inputs ??= await this.#options.inputs.create(options);
    return this.#inputs;
  }

  /** A running server keeps its grants while the user is asked for new ones of the workspace. */
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

  #tell(what: ServerAspect): void {
    this.#lookAtTools();
    this.#snapshot = undefined;
    this.#changed.fire(what);
  }

  #lookAtTools(): void {
    const { definition, session, offer } = this;
    if (definition === undefined || session === undefined || offer.listings.tools.kind !== 'read')
      return this.trust.look(undefined);
    const names = effectiveAutoApprove(definition, this.#consent);
    const { workspaceAutoApprove: allowedWithProgram } = definition;
    this.trust.look({ session, fingerprint: this.#fingerprint, tools: offer.tools, names, allowedWithProgram });
  }

  #mcplSettings(): McplSettings {
    const definition = this.definition;
    if (definition === undefined) return DEFAULT_MCPL;
    // Called for every message of the server.
    const known = this.#effective;
    if (known?.definition === definition && known.consent === this.#consent) return known.settings;
    const settings = effectiveMcpl(definition, this.#consent);
    this.#effective = { definition, consent: this.#consent, settings };
    return settings;
  }

  #takeSnapshot(): ServerSnapshot {
    const definition = this.definition;
    const { listings, tools, resources, templates, prompts } = this.offer;
    const mcpl = this.mcpl.view(tools);
    const options = { definition, consent: this.#consent, tools, mcpl, settings: this.#mcplSettings() };
    const isOn = (item: { readonly raw: JsonObject }): boolean => setOffOf(item, mcpl) === undefined;
    return {
      id: this.id,
      definedBy: definition?.definedBy ?? 'user',
      contributor: this.#entry.contributor,
      label: this.#entry.label,
      enabled: definition?.enabled ?? false,
      state: this.state,
      tools: offeredTools({ ...options, trust: this.trust, remarkOn: (tool) => this.offer.remarkOn(tool) }),
      listing: listings.tools,
      resources: resources.filter(isOn),
      templates: templates.filter(isOn),
      prompts: prompts.filter(isOn),
      listings,
      problems: this.#entry.problems,
      definition,
      capabilities: this.session?.handshake.capabilities ?? {},
      mcpl,
      health: this.#inputs?.health,
      scopes: this.scopes,
    };
  }
}
