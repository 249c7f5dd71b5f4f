import { Deferred } from '../base/async.ts';
import { CancellationSource } from '../base/cancellation.ts';
import { type Disposable, DisposableStore } from '../base/disposable.ts';
import { messageOf, methodNotFound, RPC, toHostError, WireError } from '../base/errors.ts';
import type { Json, JsonObject } from '../base/json.ts';
import type { CallOptions, Host } from '../hostTypes.ts';
import { isRunning, type ServerSnapshot } from '../model/server.ts';
import type { Clock, Ids } from '../ports.ts';
import { showsForms } from './approvalQuestion.ts';
import { ApprovalQuestions, type GatewayApprovals } from './approvalQuestions.ts';
import { CallProgress } from './callProgress.ts';
import {
  decodeInbound,
  errorMessage,
  type Inbound,
  isRequestId,
  notificationMessage,
  type RequestId,
  resultMessage,
} from './messages.ts';
import { decodeCall, failedCall, type IncomingCall } from './toolCall.ts';
import { listedTools } from './toolList.ts';
import { wellFormedResult } from './wellFormed.ts';

export interface GatewayHost extends Pick<Host, 'server' | 'callTool' | 'onDidChangeServer'> {
  readonly approvals: GatewayApprovals;
}

export interface GatewaySessionOptions {
  readonly host: GatewayHost;
  readonly server: string;
  readonly ids: Pick<Ids, 'uuid'>;
  readonly clock: Clock;
}

/**
 * What a client can take before an answer: on a `stream` anything, a question as well, of which it can make nothing
 * where it gets the answer as a `single` message.
 */
export type AnswerMode = 'stream' | 'single';

/** A stream on which the endpoint speaks unasked. */
export interface BackChannel {
  send(message: JsonObject): void;
  /** The session is over. */
  end(): void;
}

export type Send = (message: JsonObject) => void;
type Request = Extract<Inbound, { kind: 'request' }>;

const VERSIONS: readonly string[] = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];
const LATEST = '2025-11-25';
/** More than one is allowed by the transport, more than a few is a client that forgets its streams. */
const MAX_CHANNELS = 4;
/** Each is a request to the server, and memory on both sides. */
const MAX_CALLS = 1_000;

/** One client's conversation with one server's endpoint. */
export class GatewaySession implements Disposable {
  readonly id: string;
  readonly #host: GatewayHost;
  readonly #server: string;
  readonly #clock: Clock;
  readonly #questions: ApprovalQuestions;
  readonly #calls = new Map<string, CancellationSource>();
  #channels: readonly BackChannel[] = [];
  #initialized = false;
  #disposed = false;
  #listChangeUntold = false;

  constructor({ host, server, ids, clock }: GatewaySessionOptions) {
    this.id = ids.uuid();
    this.#host = host;
    this.#server = server;
    this.#clock = clock;
    this.#questions = new ApprovalQuestions(host.approvals, ids);
  }

  /** Nobody waits for anything here. */
  get isIdle(): boolean {
    return this.#calls.size === 0 && this.#channels.length === 0;
  }

  /**
   * Takes one message of the client. `send` gets what belongs to it: progress and questions first, then the answer.
   * Resolves when nothing more will come; a cancelled call gets no answer. Never rejects.
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
        return this.#questions.answer(inbound.id, inbound.result);
    }
  }

  /** Adds a stream for what is said unasked. The newest one is used: a client reconnects before it gives up the old. */
  attach(channel: BackChannel): void {
    if (this.#disposed) return channel.end();
    for (const surplus of this.#channels.slice(0, Math.max(0, this.#channels.length + 1 - MAX_CHANNELS))) {
      this.detach(surplus);
      surplus.end();
    }
    this.#channels = [...this.#channels, channel];
    if (this.#listChangeUntold) this.tellListChanged();
  }

  /** The stream is gone. */
  detach(channel: BackChannel): void {
    this.#channels = this.#channels.filter((other) => other !== channel);
  }

  /** Said once when a stream is there, however often the list changed while there was none. */
  tellListChanged(): void {
    if (!this.#initialized) return;
    const channel = this.#channels.at(-1);
    this.#listChangeUntold = channel === undefined;
    channel?.send(notificationMessage('notifications/tools/list_changed'));
  }

  /** Ends the session: cancels what still runs and ends its streams. */
  dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    for (const call of [...this.#calls.values()]) call.cancel('The client ended its session.');
    const channels = this.#channels;
    this.#channels = [];
    for (const channel of channels) channel.end();
  }

  async #answer(request: Request, send: Send, mode: AnswerMode): Promise<void> {
    try {
      const result = await this.#perform(request, send, mode);
      if (result !== undefined) send(resultMessage(request.id, result));
    } catch (error) {
      const code = error instanceof WireError ? error.code : RPC.internalError;
      send(errorMessage(request.id, code, messageOf(error)));
    }
  }

  async #perform(request: Request, send: Send, mode: AnswerMode): Promise<JsonObject | undefined> {
    switch (request.method) {
      case 'initialize':
        this.#questions.declare(showsForms(request.params['capabilities']));
        return initializeResult(this.#server, this.#host.server(this.#server), request.params['protocolVersion']);
      case 'ping':
      case 'logging/setLevel':
        return {};
      case 'tools/list':
        if (request.params['cursor'] !== undefined && request.params['cursor'] !== null)
          throw new WireError(RPC.invalidParams, 'This list has one page: call without a `cursor`.');
        return { tools: listedTools(this.#host.server(this.#server)) };
      case 'tools/call':
        return this.#call(request.id, decodeCall(this.#server, request.params), send, mode);
      default:
        throw methodNotFound(request.method);
    }
  }

  async #call(id: RequestId, call: IncomingCall, send: Send, mode: AnswerMode): Promise<JsonObject | undefined> {
    const key = callKey(id);
    if (this.#calls.has(key)) throw new WireError(RPC.invalidRequest, `A call with the id ${key} is still running.`);
    if (this.#calls.size >= MAX_CALLS)
      throw new WireError(RPC.invalidRequest, `More than ${MAX_CALLS} calls are still running.`);
    if (this.#disposed) throw new WireError(RPC.invalidRequest, 'This session has ended.');
    const source = new CancellationSource();
    const cancelled = new Deferred<undefined>();
    const owned = new DisposableStore();
    owned.add(source.token.onCancellationRequested(() => cancelled.resolve(undefined)));
    owned.add(source);
    const isStream = mode === 'stream';
    const progress = owned.add(new CallProgress(isStream ? call.progressToken : undefined, send, this.#clock));
    owned.add(this.#questions.begin({ request: call.request, progress, send: isStream ? send : undefined }));
    this.#calls.set(key, source);
    const onProgress: CallOptions['onProgress'] = (step) => progress.report(step);
    try {
      return await Promise.race([this.#run(call, { token: source.token, onProgress }), cancelled.promise]);
    } finally {
      this.#calls.delete(key);
      // A question that is still open is taken back here, before the answer, which ends the stream.
      owned.dispose();
    }
  }

  async #run({ request }: IncomingCall, options: CallOptions): Promise<JsonObject> {
    try {
      return wellFormedResult(await this.#host.callTool(request, options));
    } catch (error) {
      return failedCall(toHostError(error));
    }
  }

  #hear(method: string, params: JsonObject): void {
    if (method === 'notifications/initialized') this.#initialized = true;
    if (method !== 'notifications/cancelled') return;
    const { requestId, reason } = params;
    if (isRequestId(requestId))
      this.#calls.get(callKey(requestId))?.cancel(typeof reason === 'string' ? reason : undefined);
  }
}

/** `1` and `"1"` are two ids. */
function callKey(id: RequestId): string {
  return JSON.stringify(id);
}

/**
 * The names are the settings' id, not what the server calls itself: an editor makes the prefix of tool names from
 * them, and a server must not be able to take another's.
 */
function initializeResult(id: string, snapshot: ServerSnapshot | undefined, asked: Json | undefined): JsonObject {
  const info = snapshot !== undefined && isRunning(snapshot.state) ? snapshot.state.info : undefined;
  return {
    protocolVersion: typeof asked === 'string' && VERSIONS.includes(asked) ? asked : LATEST,
    capabilities: { tools: { listChanged: true }, logging: {} },
    serverInfo: { name: id, title: id, version: info?.version ?? '0' },
    ...(info?.instructions === undefined ? {} : { instructions: info.instructions }),
  };
}
