import type { CancellationToken } from '../base/cancellation.ts';
import { type Disposable, DisposableStore } from '../base/disposable.ts';
import { isHostError, messageOf } from '../base/errors.ts';
import { Emitter } from '../base/event.ts';
import { cleaningAll } from '../base/log.ts';
import { SecretList } from '../base/secrets.ts';
import { McplHost } from './mcplHost.ts';
import { OwnSettings } from '../consent/ownSettings.ts';
import { ServerLogs } from '../logging/serverLogs.ts';
import { OfferGate } from './offerGate.ts';
import { ManagedServer } from './managedServer.ts';
import { StartGate } from '../consent/startGate.ts';
import { hostClosed, startRefusal, unknownServer } from '../consent/startRefusal.ts';
import { ToolCalls } from '../calls/toolCalls.ts';
import { InputParts } from './inputParts.ts';
import type { CallOptions, CompleteOptions, Host, ResourceReading, ResourceWatch, ServerChange } from '../hostTypes.ts';
import type { LogLevelName, Tool } from '../model/catalog.ts';
import type { Completion, CompletionRequest } from '../model/completion.ts';
import type { PromptResult, ResultView } from '../model/content.ts';
import type { ToolCallRequest } from '../model/operation.ts';
import type { PushPolicy } from '../model/mcpl.ts';
import type { HostLimits, HostSettings, ServerSnapshot, SettingsProblem, Bar } from '../model/server.ts';
import type { EntryKey } from '../model/settingRules.ts';
import type { Ports } from '../ports.ts';
import { isRemoved } from '../session/contributedEntry.ts';
import { type SettingsEntry, sameEntry } from '../session/settingsEntry.ts';
import type { ProtocolTrace } from '../trace/protocolTrace.ts';
import { ignoreFailure } from '../base/async.ts';
import { reconcile } from '../session/reconciliation.ts';

export interface HostOptions {
  readonly ports: Ports;
  /** The host's introduction to servers. */
  readonly client: { readonly name: string; readonly title: string; readonly version: string };
}

/** Creates a host from its ports. */
export function createHost(options: HostOptions): Host {
  return new LiveHost(options);
}

class LiveHost implements Host {
  readonly #options: HostOptions;
  readonly #secrets = new SecretList();
  readonly redact = this.#secrets.redact;
  readonly #gate: StartGate;
  readonly #calls: ToolCalls;
  readonly #store = new DisposableStore();
  readonly #changed: Emitter<ServerChange>;
  readonly #problemsChanged: Emitter<void>;
  readonly #logs: ServerLogs;
  #units = new Map<string, ManagedServer>();
  #problems: readonly SettingsProblem[] = [];
  #trusted = false;
  /** Servers that left the settings and are still stopping, by id. */
  readonly #leaving = new Map<string, Promise<void>>();
  #closing: Promise<void> | undefined;
  readonly #own: OwnSettings;
  readonly #mcpl: McplHost;
  readonly #offers: OfferGate;
  readonly alsoEvents: Host['alsoEvents'];
  readonly #inputs: InputParts;

  constructor(given: HostOptions) {
    const ports = { ...given.ports, logs: cleaningAll(given.ports.logs, this.redact) };
    this.#options = { ...given, ports };
    const { clock, ids, storage, consent, variables, logs, connector, fileNames } = ports;
    connector.keepSecrets?.(this.#secrets);
    const onError = (error: unknown): void => logs.host.log('error', messageOf(error));
    this.#changed = this.#store.add(new Emitter<ServerChange>(onError));
    this.#problemsChanged = this.#store.add(new Emitter<void>(onError));
    this.#logs = this.#store.add(new ServerLogs(onError));
    const { consents, states } = storage;
    this.#gate = new StartGate({ clock, ids, consents, states, prompt: consent, variables, fileNames });
    this.#own = this.#store.add(new OwnSettings({ ports, configure: (settings) => this.configure(settings) }));
    this.#mcpl = new McplHost({
      ports,
      redact: this.redact,
      limits: this.#own.limits,
      units: () => [...this.#units.values()],
      unit: (id) => this.#units.get(id),
    });
    this.alsoEvents = this.#mcpl.alsoEvents;
    this.#offers = new OfferGate({
      clock,
      decider: () => this.#mcpl.scopes.decider(),
      record: (record) => this.#mcpl.recordRefusal(record),
    });
    this.#inputs = new InputParts({
      clock,
      ports: ports.inputs,
      scopes: this.#mcpl.scopes.gate,
      states: this.#mcpl.states,
      find: (id) => this.#units.get(id)?.inputs,
      onSchemaFault: (id, tool, why) => this.#units.get(id)?.offer.remark(tool, why),
      reread: (server, token) => this.#reread(server, token),
    });
    this.#calls = new ToolCalls({
      clock,
      ids,
      audit: this.#mcpl.calls,
      interceptors: () => this.#inputs.interceptors,
      find: (server) => this.#units.get(server),
    });
  }

  get onDidChangeServer(): Host['onDidChangeServer'] {
    return this.#changed.event;
  }

  get onDidChangeProblems(): Host['onDidChangeProblems'] {
    return this.#problemsChanged.event;
  }

  get onDidChangeOperation(): Host['onDidChangeOperation'] {
    return this.#calls.onDidChangeOperation;
  }

  get onDidLog(): Host['onDidLog'] {
    return this.#logs.onDidLog;
  }

  get onDidRefuseModel(): Host['onDidRefuseModel'] {
    return this.#mcpl.onDidRefuseModel;
  }

  get events(): Host['events'] {
    return this.#mcpl.events;
  }

  get audit(): Host['audit'] {
    return this.#mcpl.audit;
  }

  get lineages(): Host['lineages'] {
    return this.#mcpl.states.lineages;
  }

  get modelUses(): Host['modelUses'] {
    return this.#mcpl.modelUses;
  }

  get approvals(): Host['approvals'] {
    return this.#mcpl.approvals;
  }

  servers(): readonly ServerSnapshot[] {
    return [...this.#units.values()].map((unit) => unit.snapshot);
  }

  server(id: string): ServerSnapshot | undefined {
    return this.#units.get(id)?.snapshot;
  }

  problems(): readonly SettingsProblem[] {
    return [...this.#problems, ...[...this.#units.values()].flatMap((unit) => unit.entry.problems)];
  }

  configure(settings: HostSettings): void {
    if (this.#closing !== undefined) return;
    const decoded = this.#own.decode(settings, (id) => this.#units.get(id)?.definition?.enabled === true);
    const hadProblems = this.#problems.length > 0;
    this.#problems = decoded.problems;
    const wasTrusted = this.#trusted;
    this.#trusted = settings.trusted;

    const entries = new Map(decoded.entries.map((entry) => [entry.id, entry]));
    const before = new Map(this.#units);
    const removed = [...before.values()].filter(({ id, entry }) => isRemoved(entry, entries.get(id)));
    // Rebuilt so that servers follow the settings order.
    this.#units = new Map();
    // Before the others: a new server of the same name waits for the end of the old one.
    for (const unit of removed) this.#remove(unit, before);
    const added: string[] = [];
    const steps: (() => void)[] = [];
    for (const entry of decoded.entries) {
      const known = before.get(entry.id);
      if (known === undefined) added.push(entry.id);
      const unit = known ?? this.#create(entry);
      this.#units.set(entry.id, unit);
      steps.push(applyEntry(unit, known !== undefined, entry, this.#trusted, wasTrusted));
    }
    for (const { id } of removed) this.#changed.fire({ server: id, what: 'removed' });
    for (const id of added) this.#changed.fire({ server: id, what: 'added' });
    if (hadProblems || decoded.problems.length > 0) this.#problemsChanged.fire();
    for (const step of steps) step();
  }

  start(id: string): Promise<void> {
    return this.#runnable(id, (unit) => unit.start());
  }

  async stop(id: string): Promise<void> {
    await this.#unit(id).stop('byUser');
  }

  cancelCalls(id: string): void {
    this.#unit(id).session?.activity.cancelCalls();
  }

  restart(id: string): Promise<void> {
    return this.#runnable(id, (unit) => unit.restart());
  }

  callTool(request: ToolCallRequest, options: CallOptions = {}): Promise<ResultView> {
    return this.#calls.call(request, options);
  }

  async readResource(id: string, uri: string, options: CallOptions = {}): Promise<ResourceReading> {
    return this.#offers.read(this.#unit(id), uri, options);
  }

  subscribeResource(id: string, uri: string, listener: (uri: string) => void): ResourceWatch {
    return this.#offers.subscribe(this.#unit(id), uri, listener);
  }

  async getPrompt(
    id: string,
    name: string,
    args: Readonly<Record<string, string>>,
    options: CallOptions = {},
  ): Promise<PromptResult> {
    return this.#offers.prompt(this.#unit(id), name, args, options);
  }

  async complete(id: string, request: CompletionRequest, options?: CompleteOptions): Promise<Completion> {
    return this.#offers.complete(this.#unit(id), request, options);
  }

  async setLogLevel(id: string, level: LogLevelName): Promise<void> {
    await this.#unit(id).logging.setLevel(level);
  }

  logLevel(id: string): LogLevelName | undefined {
    return this.#unit(id).logging.level;
  }

  wishLogLevel(id: string, level: LogLevelName): Disposable {
    return this.#unit(id).logging.wanted(level);
  }

  trace(id: string): ProtocolTrace {
    return this.#unit(id).trace;
  }

  async refresh(id: string, token?: CancellationToken): Promise<void> {
    await this.#unit(id).refresh(token);
  }

  readonly runTurn: Host['runTurn'] = (request) => this.#mcpl.run(request);
  readonly openInference: Host['openInference'] = (opening) => this.#mcpl.open(opening);
  readonly answerDefinitions: Host['answerDefinitions'] = async (id, seen, answer) =>
    this.#unit(id).trust.answer(seen, answer);

  async allowFeatureSets(id: string, names: readonly string[], enabled: boolean): Promise<void> {
    const unit = this.#unit(id);
    const { definition } = unit;
    if (definition === undefined) return;
    const consent = await this.#gate.amendFeatureSets(definition, names, enabled);
    if (consent !== undefined) unit.setConsent(consent);
    if (enabled) unit.mcpl.accept(names);
  }

  async allowPushPolicy(id: string, featureSet: string, policy: PushPolicy): Promise<void> {
    const unit = this.#unit(id);
    if (unit.definition === undefined) return;
    const consent = await this.#gate.amendPush(unit.definition, featureSet, policy);
    if (consent !== undefined) unit.setConsent(consent);
  }

  allowChange(id: string, keys: readonly EntryKey[]): void {
    this.#own.allowChange(id, keys);
  }

  get limits(): HostLimits {
    return this.#own.limits();
  }

  async allowStart(id: string): Promise<void> {
    const unit = this.#unit(id);
    if (unit.definition !== undefined) unit.setConsent(await this.#gate.allow(unit.definition));
  }

  chooseStart(id: string): void {
    this.#gate.choose(this.#unit(id).definition);
  }

  async setAutoApproved(id: string, tools: readonly string[], autoApproved: boolean, seen?: Tool): Promise<void> {
    const unit = this.#unit(id);
    if (unit.definition === undefined) return;
    if (autoApproved) await unit.trust.choose(tools, seen === undefined ? unit.offer.tools : [seen]);
    unit.setConsent(await this.#gate.amend(unit.definition, tools, autoApproved));
  }

  async forgetConsent(id: string): Promise<void> {
    await this.#gate.forget(id);
    this.#units.get(id)?.setConsent(undefined);
    this.#own.forget(id);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const units = [...this.#units.values()];
    await Promise.all([...units.map((unit) => unit.stop('byUser')), ...this.#leaving.values()]);
    for (const unit of units) unit.dispose();
    await this.#mcpl.close();
    this.#store.dispose();
    await this.#options.ports.storage.close();
  }

  #create(entry: SettingsEntry): ManagedServer {
    const { ports, client } = this.#options;
    const unit = new ManagedServer(entry, {
      ports,
      secrets: this.#secrets,
      gate: this.#gate,
      engine: () => this.#mcpl.engine(),
      inputs: this.#inputs,
      client,
      after: this.#leaving.get(entry.id),
      isTrusted: () => this.#trusted,
      checkAllowed: (definition, connection) => this.#own.checkAllowed(definition, connection),
      onAdmitted: (server, fingerprint) => this.#mcpl.approvals.admitted(server, fingerprint),
      logListeners: this.#logs.of(entry.id),
    });
    this.#store.add(unit);
    unit.onDidChange((what) => {
      // A removed server stops in the background. Its changes are no longer announced.
      if (this.#units.get(unit.id) === unit) this.#changed.fire({ server: unit.id, what });
      this.#mcpl.changed(unit, what);
    });
    return unit;
  }

  #remove(unit: ManagedServer, units: Map<string, ManagedServer>): void {
    units.delete(unit.id);
    const before = this.#leaving.get(unit.id);
    const left = Promise.allSettled([before, unit.stop('notStarted')]).then(() => {
      this.#store.release(unit);
      if (this.#leaving.get(unit.id) === left) this.#leaving.delete(unit.id);
    });
    this.#leaving.set(unit.id, left);
  }

  async #reread(server: string, token: CancellationToken | undefined): Promise<ServerSnapshot | undefined> {
    const unit = this.#units.get(server);
    await unit?.offer.toolCatalog.reread(token);
    return unit?.snapshot;
  }

  #unit(id: string): ManagedServer {
    const unit = this.#units.get(id);
    if (unit !== undefined) return unit;
    throw unknownServer(id);
  }

  async #runnable(id: string, action: (unit: ManagedServer) => Promise<void>): Promise<void> {
    if (this.#closing !== undefined) throw hostClosed(id);
    const unit = this.#unit(id);
    const refusal = startRefusal(unit.entry, this.#trusted);
    if (refusal !== undefined) throw refusal;
    try {
      await action(unit);
    } catch (error) {
      // A stop during a start does not fail the start.
      if (!isHostError(error, 'CANCELLED')) throw error;
    }
  }
}

/** Passes an entry to its unit. Returns the action to run once all entries are known. */
function applyEntry(
  unit: ManagedServer,
  isKnown: boolean,
  entry: SettingsEntry,
  isTrusted: boolean,
  wasTrusted: boolean,
): () => void {
  const before = isKnown ? unit.definition : undefined;
  const wasFree = wasTrusted && unit.entry.refusal === undefined;
  if (!sameEntry(unit.entry, entry)) unit.configure(entry);
  const bar = barOf(entry, isTrusted);
  return () => {
    const { state } = unit;
    const isFree = bar === undefined;
    const step = reconcile({ before, after: entry.definition, state, trusted: isFree, wasTrusted: wasFree });
    // A failure is part of the server's state, and is shown there.
    if (step === 'start') ignoreFailure(unit.start());
    else if (step === 'restart') ignoreFailure(unit.restart());
    else if (step === 'stop') ignoreFailure(unit.stop(bar ?? 'notStarted'));
    else updateBar(unit, bar);
  };
}

function barOf({ refusal }: SettingsEntry, isTrusted: boolean): Bar | undefined {
  if (!isTrusted) return 'restrictedMode';
  return refusal === undefined ? undefined : 'notAllowed';
}

/** Updates the reason why a stopped server may not start. */
function updateBar(unit: ManagedServer, bar: Bar | undefined): void {
  const { state } = unit;
  if (state.kind !== 'stopped') return;
  const isBarred = state.reason === 'restrictedMode' || state.reason === 'notAllowed';
  if (bar === undefined && isBarred) ignoreFailure(unit.stop('notStarted'));
  else if (bar !== undefined && state.reason !== bar) ignoreFailure(unit.stop(bar));
}
