import {
  DEFAULT_LIMITS,
  type ApprovalChoice,
  type Approvals,
  type AuditEntry,
  type AuditLog,
  type AuditRecord,
  type CancellationToken,
  cancelled,
  decodeResult,
  type Disposable,
  Emitter,
  type EventInbox,
  type Host,
  HostError,
  type HostSettings,
  type InboundEvent,
  type KeptState,
  type LogLevelName,
  type McplSnapshot,
  type AlsoEvents,
  type EventsQuestion,
  type ModelRefusal,
  type ModelUses,
  type OpenInference,
  type Operation,
  type PendingApproval,
  type Prompt,
  ProtocolTrace,
  type Resource,
  type ResourceTemplate,
  type ResourceWatch,
  type ScopeGrant,
  type ServerChange,
  type ServerDefinition,
  type ServerLog,
  type ServerSnapshot,
  type SettledApproval,
  type Tool,
  type ToolChange,
  toDisposable,
  type TurnRequest,
  type TurnResult,
} from '../../../src/core/index.ts';
import { AnnotatedResult } from '../../../src/core/calls/annotatedResult.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { definition } from '../../support/serverSnapshots.ts';
import { FakeLineages } from './fakeLineages.ts';

export function tool(name: string): Tool {
  return {
    name,
    title: undefined,
    description: undefined,
    inputSchema: {},
    outputSchema: undefined,
    icons: [],
    taskSupport: 'forbidden',
    headerParams: [],
    hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    raw: { name, inputSchema: {} },
  };
}

export function runningServer(id: string, tools: readonly Tool[]): ServerSnapshot {
  return {
    id,
    definedBy: 'user',
    enabled: false,
    state: {
      kind: 'running',
      info: { name: `${id}-server`, title: undefined, version: '1.2.3', instructions: undefined },
      protocolVersion: '2025-11-25',
      connection: { era: 'legacy', isDialect: false, roundTripMs: 3, transport: 'stdio', session: undefined },
      pid: 42,
      since: 5,
    },
    tools: tools.map((each) => ({ tool: each, offered: true, autoApproved: false })),
    listing: { kind: 'read' },
    resources: [],
    templates: [],
    prompts: [],
    listings: { resources: { kind: 'read' }, prompts: { kind: 'read' } },
    problems: [],
    definition: undefined,
    capabilities: { tools: {} },
    mcpl: undefined,
    scopes: { lists: {}, adapters: {} },
  };
}

export function resource(uri: string): Resource {
  const annotations = { audience: [], priority: undefined, lastModified: undefined };
  return {
    uri,
    name: 'a',
    title: undefined,
    description: undefined,
    mimeType: 'text/plain',
    size: 5,
    annotations,
    icons: [],
    raw: { uri, name: 'a', server: 'another' },
  };
}

export function template(uriTemplate: string): ResourceTemplate {
  const { size: _unknown, uri: _none, ...common } = resource('');
  return { ...common, uriTemplate, raw: { uriTemplate, name: 'a' } };
}

export function prompt(name: string): Prompt {
  const args = [{ name: 'who', title: undefined, description: 'Whom to greet', required: true }];
  return { name, title: undefined, description: 'Greets.', arguments: args, icons: [], raw: { name } };
}

const TOO_SLOW = new HostError('TIMEOUT', 'Too slow.', { layer: 'transport', effect: 'none' });

function untilCancelled(token: CancellationToken | undefined, what: string): Promise<never> {
  return new Promise((_, reject) => token?.onCancellationRequested(() => reject(cancelled(what))));
}

/** An inbox with the test's events. */
export class FakeInbox implements EventInbox {
  readonly changed = new Emitter<void>();
  readonly arrived = new Emitter<readonly InboundEvent[]>();
  readonly onDidChange = this.changed.event;
  readonly onDidArrive = this.arrived.event;
  kept: readonly InboundEvent[] = [];
  get unread(): number {
    return this.kept.filter(({ isRead }) => !isRead).length;
  }
  list(): readonly InboundEvent[] {
    return this.kept;
  }
  find(id: string): InboundEvent | undefined {
    return this.kept.find((event) => event.id === id);
  }
  loaded(): Promise<void> {
    return Promise.resolve();
  }
  markRead(ids: readonly string[]): Promise<void> {
    this.kept = this.kept.map((event) => (ids.includes(event.id) ? { ...event, isRead: true } : event));
    return Promise.resolve();
  }
  clear(server?: string): Promise<void> {
    this.kept = server === undefined ? [] : this.kept.filter((event) => event.server !== server);
    return Promise.resolve();
  }
  ask(id: string, token: CancellationToken): Promise<InboundEvent> {
    const event = this.find(id);
    if (event === undefined) return Promise.reject(TOO_SLOW);
    return event.eventId === 'wait' ? untilCancelled(token, 'The question') : Promise.resolve(event);
  }
}

/** Sends the test's requests to listeners, and records the answers. */
export class FakeApprovals implements Approvals {
  readonly changed = new Emitter<void>();
  readonly asked = new Emitter<PendingApproval>();
  readonly settled = new Emitter<SettledApproval>();
  readonly onDidChange = this.changed.event;
  readonly onDidAsk = this.asked.event;
  readonly onDidSettle = this.settled.event;
  readonly answers: string[] = [];
  waiting: readonly PendingApproval[] = [];
  granted: readonly ScopeGrant[] = [];
  decided: readonly AuditEntry[] = [];
  /** The error for storing an answer. */
  failure: Error | undefined;

  asksInChat(): boolean {
    return false;
  }
  pending(): readonly PendingApproval[] {
    return this.waiting;
  }
  remembered(): readonly ScopeGrant[] {
    return this.granted;
  }
  loaded(): Promise<void> {
    return Promise.resolve();
  }
  ask(approval: PendingApproval): void {
    this.waiting = [...this.waiting, approval];
    this.changed.fire();
    this.asked.fire(approval);
  }
  answer(id: string, choice: ApprovalChoice | 'dismiss'): Promise<boolean> {
    const approval = this.waiting.find((each) => each.id === id);
    if (approval === undefined) return Promise.resolve(false);
    this.answers.push(`${id} ${choice}`);
    if (choice === 'deny') this.settle(id, { kind: 'denied', why: 'byPerson' });
    else if (choice === 'dismiss') this.settle(id, { kind: 'denied', why: 'dismissed' });
    else this.settle(id, { kind: 'approved', choice });
    return this.failure === undefined ? Promise.resolve(true) : Promise.reject(this.failure);
  }
  settle(id: string, outcome: SettledApproval['outcome']): void {
    const approval = this.waiting.find((each) => each.id === id);
    if (approval === undefined) return;
    this.waiting = this.waiting.filter((each) => each !== approval);
    this.changed.fire();
    this.settled.fire({ approval, outcome });
  }
  revoke(ids: readonly string[]): Promise<void> {
    this.granted = this.granted.filter(({ id }) => !ids.includes(id));
    return Promise.resolve();
  }
  setExpiry(ids: readonly string[], until: number | undefined): Promise<void> {
    this.granted = this.granted.map((grant) => (ids.includes(grant.id) ? { ...grant, until } : grant));
    return Promise.resolve();
  }
  history(limit: number): Promise<readonly AuditEntry[]> {
    return Promise.resolve(this.decided.slice(0, limit));
  }
}

function unknownServer(id: string): HostError {
  const details = { layer: 'host', effect: 'none', suggestion: 'Look again.' } as const;
  return new HostError('UNKNOWN_SERVER', `There is no server "${id}".`, details);
}

/** A host with one running server. The test completes its calls. */
export class FakeHost implements Host {
  readonly changed = new Emitter<ServerChange>();
  readonly onDidChangeServer = this.changed.event;
  readonly onDidChangeProblems = new Emitter<void>().event;
  readonly operations = new Emitter<Operation>();
  readonly onDidChangeOperation = this.operations.event;
  readonly modelRefused = new Emitter<ModelRefusal>();
  readonly onDidRefuseModel = this.modelRefused.event;
  readonly eventsAsked = new Emitter<EventsQuestion>();
  readonly alsoEvents: AlsoEvents = {
    onDidAsk: this.eventsAsked.event,
    choose: (server, featureSet, allowed) => this.did.push(`alsoEvents ${server} ${featureSet} ${allowed}`) > 0,
  };
  readonly onDidLog = new Emitter<ServerLog>().event;
  readonly events = new FakeInbox();
  readonly redact = (text: string): string => text;
  readonly modelUses: ModelUses = {
    onDidChange: new Emitter<void>().event,
    record: ({ model }) => this.did.push(`record ${model}`),
    reserve: () => Promise.resolve({ kind: 'reserved', release: () => undefined }),
    budget: () => undefined,
    totals: () => Promise.resolve([]),
  };
  readonly approvals = new FakeApprovals();
  readonly lineages = new FakeLineages();
  /** The outcome of the state in a result. */
  kept: KeptState | undefined;
  readonly audit: AuditLog = {
    onDidAppend: new Emitter<readonly AuditRecord[]>().event,
    list: (query) => this.#note(`audit ${JSON.stringify(query)}`).then(() => this.audited),
  };
  audited: readonly AuditEntry[] = [];
  readonly traced = new ProtocolTrace({ clock: new FakeClock() });
  /** The MCPL snapshot of its server. */
  mcpl: McplSnapshot | undefined;
  definition: ServerDefinition | undefined = definition('files');
  readonly turns: TurnRequest[] = [];
  readonly did: string[] = [];
  settings: HostSettings | undefined;
  readonly limits = DEFAULT_LIMITS;
  level: LogLevelName | undefined;
  /** The change of the tool `read`. */
  change: ToolChange | undefined;
  /** False for a server that stops or changes again meanwhile. */
  takesAnswers = true;
  /** Subscriptions by "server uri". */
  readonly watches = new Map<string, (uri: string) => void>();

  allowChange(id: string, keys: readonly string[]): void {
    this.did.push(`allow change ${id} ${keys.join(' ')}`);
  }

  servers(): readonly ServerSnapshot[] {
    return [
      {
        ...runningServer('files', []),
        tools: [{ tool: tool('read'), offered: true, autoApproved: false, change: this.change }],
        resources: [resource('mem://a')],
        templates: [template('mem://note/{id}')],
        prompts: [prompt('greet')],
        listings: { resources: { kind: 'read' }, prompts: { kind: 'failed', error: TOO_SLOW } },
        definition: this.definition,
        mcpl: this.mcpl,
        scopes: {
          lists: { 'files.edit': { whitelist: ['src/**'], blacklist: ['**/.env'], isBroken: false } },
          adapters: { write: ['$.path'] },
        },
      },
    ];
  }
  server(id: string): ServerSnapshot | undefined {
    return this.servers().find((server) => server.id === id);
  }
  problems(): ReturnType<Host['problems']> {
    return [{ path: ['x', 'args', 0], scope: 'user', severity: 'error', message: 'Must be a text.' }];
  }
  configure(settings: HostSettings): void {
    this.settings = settings;
  }
  start(id: string): Promise<void> {
    if (this.server(id) !== undefined) return this.#note(`start ${id}`);
    return Promise.reject(unknownServer(id));
  }
  stop(id: string): Promise<void> {
    return this.#note(`stop ${id}`);
  }
  cancelCalls(id: string): void {
    void this.#note(`cancelCalls ${id}`);
  }

  restart(id: string): Promise<void> {
    return this.#note(`restart ${id}`);
  }
  callTool(...[request, options]: Parameters<Host['callTool']>): ReturnType<Host['callTool']> {
    options?.onProgress?.({ progress: 1, total: 2, message: 'half' });
    if (request.args['wait'] !== true) {
      const result = decodeResult({ content: [{ type: 'text', text: JSON.stringify(request) }] });
      if (this.kept === undefined) return Promise.resolve(result);
      const state = { source: 'host', kind: 'state', text: '', data: this.kept } as const;
      return Promise.resolve(new AnnotatedResult(result, [state]));
    }
    return untilCancelled(options?.token, 'The call');
  }
  readResource(...[id, uri, options]: Parameters<Host['readResource']>): ReturnType<Host['readResource']> {
    const text = `what is in ${uri}`;
    const contents = [{ kind: 'text', uri, mimeType: undefined, text }] as const;
    if (uri !== 'mem://wait') return Promise.resolve({ contents, raw: { id, uri } });
    return untilCancelled(options?.token, 'Reading');
  }
  subscribeResource(...[id, uri, listener]: Parameters<Host['subscribeResource']>): ResourceWatch {
    this.watches.set(`${id} ${uri}`, listener);
    const agreed = uri === 'mem://refused' ? Promise.reject(TOO_SLOW) : Promise.resolve();
    return { agreed, dispose: () => this.watches.delete(`${id} ${uri}`) };
  }
  getPrompt(...[id, name, args]: Parameters<Host['getPrompt']>): ReturnType<Host['getPrompt']> {
    if (name !== 'greet') return Promise.reject(TOO_SLOW);
    const content = { type: 'text', text: JSON.stringify(args) } as const;
    return Promise.resolve({ description: id, messages: [{ role: 'user', content }], raw: { name } });
  }
  complete(...[, request]: Parameters<Host['complete']>): ReturnType<Host['complete']> {
    return Promise.resolve({ values: [JSON.stringify(request)], total: 1, hasMore: false });
  }
  setLogLevel(id: string, level: LogLevelName): Promise<void> {
    this.level = level;
    return this.#note(`log ${id} ${level}`);
  }
  wishLogLevel(): Disposable {
    return toDisposable(() => undefined);
  }

  logLevel(): LogLevelName | undefined {
    return this.level;
  }
  trace(id: string): ProtocolTrace {
    if (this.server(id) === undefined) throw unknownServer(id);
    return this.traced;
  }
  refresh(id: string): Promise<void> {
    return this.#note(`refresh ${id}`);
  }
  allowFeatureSets(id: string, names: readonly string[], enabled: boolean): Promise<void> {
    return this.#note(`sets ${id} ${names.join(' ')} ${enabled ? 'on' : 'off'}`);
  }
  allowPushPolicy(id: string, featureSet: string, policy: string): Promise<void> {
    return this.#note(`push ${id} ${featureSet} ${policy}`);
  }
  openInference(): Promise<OpenInference> {
    return Promise.reject(unknownServer('any'));
  }
  runTurn(request: TurnRequest): Promise<TurnResult> {
    this.turns.push(request);
    if (request.userMessage === 'wait') return untilCancelled(request.token, 'The turn');
    request.onText?.('Good ');
    request.onText?.('day.');
    return Promise.resolve({
      inferenceId: 'inf_1',
      text: 'Good day.',
      model: { id: 'stub', vendor: 'driver', contextWindow: 1000, capabilities: [] },
      usage: { inputTokens: 3, outputTokens: 2 },
      finishReason: 'end_turn',
      injectedBy: [{ server: 'files', namespace: 'memory', position: 'beforeUser' }],
      modifiedBy: [],
      remarks: [],
    });
  }
  allowStart(id: string): Promise<void> {
    return this.#note(`allow ${id}`);
  }
  chooseStart(id: string): void {
    void this.#note(`choose ${id}`);
  }
  setAutoApproved(id: string): Promise<void> {
    return this.#note(`approve ${id}`);
  }
  answerDefinitions(...[id, seen, answer]: Parameters<Host['answerDefinitions']>): Promise<void> {
    if (this.change !== undefined && this.takesAnswers)
      this.change = answer === 'keepAsking' ? { ...this.change, isDeclined: true } : undefined;
    return this.#note(`${answer} ${id} ${seen.map(({ tool, form }) => `${tool} ${form}`).join()}`);
  }
  forgetConsent(id: string): Promise<void> {
    return this.#note(`forget ${id}`);
  }
  close(): Promise<void> {
    return this.#note('close');
  }

  #note(what: string): Promise<void> {
    this.did.push(what);
    return Promise.resolve();
  }
}
