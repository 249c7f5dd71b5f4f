import { type Disposable, DisposableStore, toDisposable, disposeAll } from '../base/disposable.ts';
import { HostError, messageOf, methodNotFound, RPC, toHostError, WireError } from '../base/errors.ts';
import { showHidden, withoutHidden } from '../base/hiddenText.ts';
import { isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import { mapTexts } from '../base/jsonTexts.ts';
import type { CallOptions, Host, ResourceWatch, ServerLog } from '../hostTypes.ts';
import { isRunning, type ServerSnapshot } from '../model/server.ts';
import type { Clock, Ids } from '../ports.ts';
import {
  ApprovalQuestions,
  type BackChannel,
  BackChannels,
  CallLocation,
  type ClientLocation,
  ClientRequests,
  type GatewayApprovals,
  type ListKind,
  showsForms,
} from './clientRequests.ts';
import {
  CallProgress,
  decodeCall,
  decodeInbound,
  errorMessage,
  failedCall,
  type Inbound,
  type IncomingCall,
  isRequestId,
  notificationMessage,
  progressTokenOf,
  protocolError,
  type RequestId,
  resultMessage,
} from './gatewayMessages.ts';
import {
  approvedNames,
  declaredCapabilities,
  isStillApproved,
  listedPrompts,
  listedResources,
  listedTemplates,
  listedTools,
  noLongerApproved,
  OFFER_REQUESTS,
  type OfferHost,
  OfferRequests,
  uriOf,
} from './offer.ts';
import type { GatewayClient, GatewayClients } from './gatewayClients.ts';
import { ShownNames, wellFormedResult } from './wellFormed.ts';
import { LOG_LEVELS, type LogLevelName } from '../model/catalog.ts';
import { Deferred } from '../base/async.ts';
import { CancellationSource, type CancellationToken } from '../base/cancellation.ts';

export type { BackChannel } from './clientRequests.ts';

export interface GatewayHost
  extends
    OfferHost,
    Pick<
      Host,
      'server' | 'callTool' | 'subscribeResource' | 'wishLogLevel' | 'onDidLog' | 'onDidChangeServer' | 'redact'
    > {
  readonly approvals: GatewayApprovals;
}

export interface GatewaySessionOptions {
  readonly host: GatewayHost;
  readonly server: string;
  readonly ids: Pick<Ids, 'uuid'>;
  readonly clock: Clock;
  /** The registry in which prompts find the connected clients. */
  readonly clients?: GatewayClients | undefined;
}

/**
 * What a client accepts before an answer: a `stream` carries any message, including questions; `single` allows only the
 * answer.
 */
export type AnswerMode = 'stream' | 'single';

type Send = (message: JsonObject) => void;
type Request = Extract<Inbound, { kind: 'request' }>;

const VERSIONS: readonly string[] = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];
const LATEST = '2025-11-25';

/** One client's session with one server's endpoint. */
export class GatewaySession implements GatewayClient, Disposable {
  readonly id: string;
  readonly server: string;
  readonly #host: GatewayHost;
  readonly #clock: Clock;
  readonly #questions: ApprovalQuestions;
  readonly #owned = new DisposableStore();
  readonly #requests: ClientRequests;
  readonly #open = this.#owned.add(new OpenRequests());
  readonly #channels = this.#owned.add(new BackChannels());
  readonly #offer: OfferRequests;
  readonly #subscriptions: SessionSubscriptions;
  readonly #log: SessionLog;
  readonly #callLocations = new Set<CallLocation>();
  readonly #names = new ShownNames();
  #capabilities: JsonObject = {};
  #clientCapabilities: Json | undefined;
  #initialized = false;
  /** Tools announced as runnable without a prompt. */
  #listedApproved: ReadonlySet<string> = new Set();

  constructor({ host, server, ids, clock, clients }: GatewaySessionOptions) {
    this.id = ids.uuid();
    this.server = server;
    this.#host = host;
    this.#clock = clock;
    this.#questions = new ApprovalQuestions(host.approvals, ids);
    this.#requests = this.#owned.add(new ClientRequests(ids));
    this.#offer = new OfferRequests(host, server, { asker: this.id, names: this.#names });
    this.#subscriptions = this.#owned.add(
      new SessionSubscriptions(host, server, (uri) => this.#channels.notifyUpdated(withoutHidden(uri))),
    );
    this.#log = this.#owned.add(new SessionLog(host, server, (message) => this.#channels.newest?.send(message)));
    if (clients !== undefined) this.#owned.add(clients.add(this));
  }

  /** No request is open and no stream is connected. */
  get isIdle(): boolean {
    return this.#open.size === 0 && this.#channels.size === 0;
  }

  get showsForms(): boolean {
    return showsForms(this.#clientCapabilities);
  }

  get calls(): Iterable<CallLocation> {
    return this.#callLocations;
  }

  get models(): ClientLocation | undefined {
    const capabilities = this.#clientCapabilities;
    const samples = isJsonObject(capabilities) && isJsonObject(capabilities['sampling']);
    if (!samples) return undefined;
    const [call] = this.#callLocations;
    const channel = this.#channels.newest;
    if (call !== undefined || channel === undefined) return call;
    const send: Send = (message) => channel.send(message);
    return { ask: (method, params, token) => this.#requests.ask(send, method, params, token) };
  }

  /**
   * Handles one message from the client. `send` receives progress and questions first, then the answer. Resolves after
   * the last message; a cancelled call gets no answer. Never rejects.
   */
  async receive(message: Json, send: Send, mode: AnswerMode = 'stream'): Promise<void> {
    const inbound = decodeInbound(message);
    switch (inbound.kind) {
      case 'request':
        return this.#answer(inbound, send, mode);
      case 'notification':
        return this.#hear(inbound.method, inbound.params);
      case 'invalid':
        return send(inbound.answer);
      case 'response':
        this.#questions.answer(inbound.id, inbound.result);
        return this.#requests.answer(inbound.id, inbound.result, inbound.error);
    }
  }

  /** Adds a stream for unrequested messages. */
  attach(channel: BackChannel): void {
    this.#channels.attach(channel);
  }

  /** Removes a closed stream. */
  detach(channel: BackChannel): void {
    this.#channels.detach(channel);
  }

  /** Notifies a client to which this list was announced. */
  tellListChanged(list: ListKind): void {
    if (this.#initialized && this.#capabilities[list] !== undefined) this.#channels.notifyListChanged(list);
  }

  /** Ends the session, its running requests and its streams. */
  dispose(): void {
    this.#owned.dispose();
  }

  async #answer(request: Request, send: Send, mode: AnswerMode): Promise<void> {
    try {
      const result = await this.#perform(request, send, mode);
      if (result !== undefined) send(resultMessage(request.id, result));
    } catch (thrown) {
      const error = thrown instanceof HostError ? protocolError(thrown) : thrown;
      const { code, data } = error instanceof WireError ? error : { code: RPC.internalError, data: undefined };
      const shownData = data === undefined ? undefined : mapTexts(data, showHidden);
      send(errorMessage(request.id, code, showHidden(messageOf(error)), shownData));
    }
  }

  async #perform(request: Request, send: Send, mode: AnswerMode): Promise<JsonObject | undefined> {
    const { id, method, params } = request;
    switch (method) {
      case 'initialize':
        return this.#initialize(params);
      case 'ping':
        return {};
      case 'logging/setLevel':
        this.#log.setLevel(params['level']);
        return {};
      case 'tools/call':
        return this.#call(id, decodeCall(this.server, params, this.#names), send, mode);
      case 'resources/subscribe':
        await this.#subscriptions.subscribe(this.#names.real(uriOf(params)));
        return {};
      case 'resources/unsubscribe':
        this.#subscriptions.unsubscribe(this.#names.real(uriOf(params)));
        return {};
      default: {
        const known = OFFER_REQUESTS.get(method);
        if (known === undefined) return this.#list(method, params);
        const answer = (options: CallOptions): Promise<JsonObject> => known.answer(this.#offer, params, options);
        return this.#long(request, send, known.mayStream ? mode : 'single', answer);
      }
    }
  }

  #initialize(params: JsonObject): JsonObject {
    const snapshot = this.#host.server(this.server);
    this.#clientCapabilities = params['capabilities'];
    this.#capabilities = declaredCapabilities(snapshot);
    this.#questions.declare(this.showsForms);
    return initializeResult(this.server, this.#capabilities, snapshot, params['protocolVersion']);
  }

  /** Answered even without the capability, because the server may have gained the list since. */
  async #list(method: string, { cursor }: JsonObject): Promise<JsonObject> {
    const list = LISTS.get(method);
    if (list === undefined) throw methodNotFound(method);
    if (cursor !== undefined && cursor !== null)
      throw new WireError(RPC.invalidParams, 'This list has one page: call without a `cursor`.');
    const snapshot = this.#host.server(this.server);
    if (method === 'tools/list') this.#listedApproved = approvedNames(snapshot);
    return list(snapshot, this.#names, this.#clock);
  }

  #call(id: RequestId, call: IncomingCall, send: Send, mode: AnswerMode): Promise<JsonObject | undefined> {
    return this.#open.run(id, (token, owned) => {
      const { request } = call;
      const isStream = mode === 'stream';
      const progress = owned.add(new CallProgress(isStream ? call.progressToken : undefined, send, this.#clock));
      owned.add(this.#questions.begin({ request, progress, send: isStream ? send : undefined }));
      if (isStream) owned.add(this.#begin(new CallLocation(request.conversationId, this.#requests, send)));
      return this.#run(call, { token, onProgress: (step) => progress.report(step) });
    });
  }

  #begin(location: CallLocation): Disposable {
    this.#callLocations.add(location);
    return toDisposable(() => {
      this.#callLocations.delete(location);
      location.dispose();
    });
  }

  async #run({ request }: IncomingCall, options: CallOptions): Promise<JsonObject> {
    try {
      // The client showed no prompt, but one is needed by now: the definition changed, or the approval ended.
      if (this.#listedApproved.has(request.tool) && !isStillApproved(this.#host.server(this.server), request.tool))
        throw noLongerApproved(request.tool);
      return wellFormedResult(await this.#host.callTool(request, options));
    } catch (error) {
      return failedCall(toHostError(error));
    }
  }

  #long(
    { id, params }: Request,
    send: Send,
    mode: AnswerMode,
    work: (options: CallOptions) => Promise<JsonObject>,
  ): Promise<JsonObject | undefined> {
    return this.#open.run(id, (token, owned) => {
      const progress = new CallProgress(mode === 'stream' ? progressTokenOf(params) : undefined, send, this.#clock);
      owned.add(progress);
      return work({ token, onProgress: (step) => progress.report(step) });
    });
  }

  #hear(method: string, params: JsonObject): void {
    if (method === 'notifications/initialized') this.#initialized = true;
    if (method !== 'notifications/cancelled') return;
    const { requestId, reason } = params;
    if (isRequestId(requestId)) this.#open.cancel(requestId, typeof reason === 'string' ? reason : undefined);
  }
}

type List = (snapshot: ServerSnapshot | undefined, names: ShownNames, clock: Clock) => JsonObject | Promise<JsonObject>;

const LISTS: ReadonlyMap<string, List> = new Map<string, List>([
  ['tools/list', async (snapshot, names, clock) => ({ tools: await listedTools(snapshot, clock, names) })],
  ['prompts/list', (snapshot, names) => ({ prompts: listedPrompts(snapshot, names) })],
  ['resources/list', (snapshot, names) => ({ resources: listedResources(snapshot, names) })],
  ['resources/templates/list', (snapshot, names) => ({ resourceTemplates: listedTemplates(snapshot, names) })],
]);

/**
 * The name is the id in settings, not the server's own name: editors build tool name prefixes from it, and a server
 * must not be able to take another's.
 */
function initializeResult(
  id: string,
  capabilities: JsonObject,
  snapshot: ServerSnapshot | undefined,
  asked: Json | undefined,
): JsonObject {
  const info = snapshot !== undefined && isRunning(snapshot.state) ? snapshot.state.info : undefined;
  return {
    protocolVersion: typeof asked === 'string' && VERSIONS.includes(asked) ? asked : LATEST,
    capabilities,
    serverInfo: { name: id, title: id, version: withoutHidden(info?.version ?? '0') },
    ...(info?.instructions === undefined ? {} : { instructions: withoutHidden(info.instructions) }),
  };
}

/** More than any client needs. */
const MAX_WATCHED = 256;

/** One client's resource subscriptions. They end with its session. */
class SessionSubscriptions implements Disposable {
  readonly #host: Pick<Host, 'server' | 'subscribeResource'>;
  readonly #server: string;
  readonly #tell: (uri: string) => void;
  readonly #watches = new Map<string, ResourceWatch>();
  #isDisposed = false;

  constructor(host: Pick<Host, 'server' | 'subscribeResource'>, server: string, tell: (uri: string) => void) {
    this.#host = host;
    this.#server = server;
    this.#tell = tell;
  }

  get size(): number {
    return this.#watches.size;
  }

  /** Resolves once the server has accepted. A stopped server never would. */
  async subscribe(uri: string): Promise<void> {
    const snapshot = this.#host.server(this.#server);
    if (snapshot === undefined || !isRunning(snapshot.state))
      throw new HostError('SERVER_NOT_RUNNING', `The server "${this.#server}" is not running.`, { layer: 'host' });
    if (this.#isDisposed) throw new WireError(RPC.invalidRequest, 'This session has ended.');
    const known = this.#watches.get(uri);
    if (known === undefined && this.#watches.size >= MAX_WATCHED)
      throw new WireError(RPC.invalidRequest, `More than ${MAX_WATCHED} resources are subscribed to.`);
    const watch = known ?? this.#host.subscribeResource(this.#server, uri, this.#tell);
    this.#watches.set(uri, watch);
    try {
      await watch.agreed;
    } catch (error) {
      // A newer subscription of the same client may have replaced it.
      if (this.#watches.get(uri) === watch) this.unsubscribe(uri);
      throw error;
    }
  }

  unsubscribe(uri: string): void {
    const watch = this.#watches.get(uri);
    this.#watches.delete(uri);
    watch?.dispose();
  }

  dispose(): void {
    this.#isDisposed = true;
    const watches = [...this.#watches.values()];
    this.#watches.clear();
    disposeAll(watches);
  }
}

/**
 * A server's log for one client (MCP "Logging"): from the requested level on, and nothing before a request. The host
 * sets the server's level, so that no client loses messages because of another.
 */
class SessionLog implements Disposable {
  readonly #host: Pick<Host, 'onDidLog' | 'wishLogLevel'>;
  readonly #server: string;
  readonly #send: (message: JsonObject) => void;
  #wanted: Disposable | undefined;
  #listening: Disposable | undefined;
  #least: number = LOG_LEVELS.length;
  #isDisposed = false;

  constructor(host: Pick<Host, 'onDidLog' | 'wishLogLevel'>, server: string, send: (message: JsonObject) => void) {
    this.#host = host;
    this.#server = server;
    this.#send = send;
  }

  setLevel(level: Json | undefined): void {
    const known = levelOf(level);
    if (this.#isDisposed) return;
    this.#least = LOG_LEVELS.indexOf(known);
    this.#listening ??= this.#host.onDidLog((log) => this.#hear(log));
    const before = this.#wanted;
    this.#wanted = this.#host.wishLogLevel(this.#server, known);
    before?.dispose();
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#listening?.dispose();
    this.#wanted?.dispose();
  }

  #hear({ server, level, logger, data }: ServerLog): void {
    if (server !== this.#server || LOG_LEVELS.indexOf(level) < this.#least) return;
    const named = logger === undefined ? {} : { logger: withoutHidden(logger) };
    this.#send(notificationMessage('notifications/message', { level, ...named, data: mapTexts(data, showHidden) }));
  }
}

function levelOf(level: Json | undefined): LogLevelName {
  const known = LOG_LEVELS.find((name) => name === level);
  if (known === undefined) throw new WireError(RPC.invalidParams, `\`level\` is one of ${LOG_LEVELS.join(', ')}.`);
  return known;
}

/** Each request costs memory on both sides. */
const MAX_OPEN = 1_000;

/** The work of a request. `owned` is disposed when it is answered or cancelled. */
type Work<T> = (token: CancellationToken, owned: DisposableStore) => Promise<T>;

/** A client's slow requests. Cancelling one ends it at once. */
class OpenRequests implements Disposable {
  readonly #sources = new Map<string, CancellationSource>();
  #isDisposed = false;

  get size(): number {
    return this.#sources.size;
  }

  /** Resolves with `undefined` if the client cancelled, which needs no answer. */
  async run<T>(id: RequestId, work: Work<T>): Promise<T | undefined> {
    const key = keyOf(id);
    if (this.#sources.has(key)) throw refused(`A call with the id ${key} is still running.`);
    if (this.#sources.size >= MAX_OPEN) throw refused(`More than ${MAX_OPEN} calls are still running.`);
    if (this.#isDisposed) throw refused('This session has ended.');
    const source = new CancellationSource();
    const cancelled = new Deferred<undefined>();
    const owned = new DisposableStore();
    owned.add(source.token.onCancellationRequested(() => cancelled.resolve(undefined)));
    owned.add(source);
    this.#sources.set(key, source);
    try {
      return await Promise.race([work(source.token, owned), cancelled.promise]);
    } finally {
      this.#sources.delete(key);
      // Cancels open questions before the answer, which ends the stream.
      owned.dispose();
    }
  }

  cancel(id: RequestId, reason: string | undefined): void {
    this.#sources.get(keyOf(id))?.cancel(reason);
  }

  dispose(): void {
    this.#isDisposed = true;
    for (const source of [...this.#sources.values()]) source.cancel('The client ended its session.');
  }
}

function refused(why: string): WireError {
  return new WireError(RPC.invalidRequest, why);
}

/** `1` and `"1"` are different ids. */
function keyOf(id: RequestId): string {
  return JSON.stringify(id);
}
