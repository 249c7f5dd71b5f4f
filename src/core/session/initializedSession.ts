import type { CancellationToken } from '../base/cancellation.ts';
import { cleanLine, cleanText } from '../base/cleanText.ts';
import type { DisposableStore } from '../base/disposable.ts';
import { HostError, isHostError } from '../base/errors.ts';
import type { Emitter, Event } from '../base/event.ts';
import type { Json, JsonObject } from '../base/json.ts';
import type { LogLevelName } from '../model/catalog.ts';
import type { ProtocolSettings } from '../model/server.ts';
import type { Peer } from '../rpc/peer.ts';
import type { Transport, TransportClosed } from '../rpc/transport.ts';
import {
  bestOf,
  decodeInitialize,
  encodeInitialize,
  type Handshake,
  LATEST_REVISION,
  offeredVersions,
} from '../wire/handshake.ts';
import { codecFor, dialectCodec, type WireCodec } from '../wire/codec.ts';
import { activityOf, Channel, type ChannelOptions, declaredBy, featuresOf, notInRevision } from './channel.ts';
import { type InitializeAnswer, judgeInitialize } from './dialectDetection.ts';
import { InvokeFallback } from './dialectFallback.ts';
import { DialectTransport } from './dialectTransport.ts';
import type { Session, SessionActivity, SessionRequest } from './session.ts';

export interface SessionOptions extends ChannelOptions {
  readonly client: { readonly name: string; readonly title: string; readonly version: string };
  readonly startTimeoutMs: number;
  readonly token: CancellationToken;
  readonly dialect?: ProtocolSettings['dialect'] | undefined;
  /** Called with the agreed revision before anything else is sent. */
  readonly onNegotiated: (protocolVersion: string) => void;
}

/** A session that started with `initialize`, from its finished handshake to its end. */
export class InitializedSession implements Session {
  readonly handshake: Handshake;
  readonly codec: WireCodec;
  readonly transport: Transport;
  readonly stopping: CancellationToken;
  readonly #peer: Peer;
  readonly #store: DisposableStore;
  readonly #closed: Emitter<TransportClosed>;
  readonly #renewed: Emitter<void>;
  #fallback: InvokeFallback | undefined;

  private constructor({ handshake, channel, transport }: OpenedChannel, dialect: SessionOptions['dialect']) {
    this.handshake = handshake;
    if (dialect !== 'off' && !handshake.isDialect) this.#fallback = new InvokeFallback();
    this.transport = transport;
    this.stopping = channel.stopping;
    this.codec = codecOf(handshake);
    channel.codec = this.codec;
    this.#peer = channel.peer;
    this.#store = channel.store;
    this.#closed = channel.closed;
    this.#renewed = channel.renewed;
  }

  /**
   * Opens a session in the protocol's strict order: `initialize`, its result, `notifications/initialized`, then
   * anything else. Some servers lose earlier messages, or exit.
   */
  static async open(given: SessionOptions): Promise<InitializedSession> {
    const options = { ...given, stopping: given.token, features: featuresOf(given.features, 'legacy') };
    const opened = await openChannel(options);
    const { channel } = opened;
    try {
      options.onNegotiated(opened.handshake.protocolVersion);
      channel.peer.notify('notifications/initialized');
      const session = new InitializedSession(opened, options.dialect);
      options.onOpened?.(session);
      for (const feature of options.features) {
        const started = feature.started?.(session);
        if (started !== undefined) channel.store.add(started);
      }
      return session;
    } catch (error) {
      channel.dispose();
      throw error;
    }
  }

  get onRenewed(): Event<void> {
    return this.#renewed.event;
  }

  get onClose(): Event<TransportClosed> {
    return this.#closed.event;
  }

  /** Rejects with a `HostError`. */
  request(method: string, params: JsonObject, options: SessionRequest): Promise<Json> {
    return this.decoded(method, params, options, (result) => result);
  }

  /** Decodes the result on arrival. */
  decoded<T>(method: string, params: JsonObject, options: SessionRequest, decode: (result: Json) => T): Promise<T> {
    // The fast path: every revision has this method and its results are accepted in all shapes.
    if (method === 'tools/call') {
      if (this.#fallback === undefined) return this.#peer.decoded(method, params, options, decode);
      return this.#callTool(this.#fallback, params, options, decode);
    }
    const { codec } = this;
    if (codec.lacks(method, 'toServer')) return Promise.reject(notInRevision(method, codec.version));
    return this.#peer.decoded(method, params, options, (result) => {
      const read = codec.decodeResult(method, params, result);
      if (read.kind === 'ok') return decode(read.value);
      throw new Error(read.kind === 'invalid' ? read.why : `MCP ${codec.version} does not have it`);
    });
  }

  /** The first call shows which method the server has. After a standard success there is no overhead. */
  async #callTool<T>(
    fallback: InvokeFallback,
    params: JsonObject,
    options: SessionRequest,
    decode: (result: Json) => T,
  ): Promise<T> {
    const value = await fallback.call(params, decode, (method, sent, read) =>
      this.#peer.decoded(method, sent, options, read),
    );
    if (!fallback.isNeeded) this.#fallback = undefined;
    return value;
  }

  get activity(): SessionActivity {
    return activityOf(this.#peer);
  }

  notify(method: string, params?: JsonObject): void {
    this.#peer.notify(method, params);
  }

  async setLogLevel(level: LogLevelName, options: SessionRequest): Promise<void> {
    await this.request('logging/setLevel', { level }, options);
  }

  async subscribe(uri: string, options: SessionRequest): Promise<void> {
    await this.request('resources/subscribe', { uri }, options);
  }

  async unsubscribe(uri: string, options: SessionRequest): Promise<void> {
    await this.request('resources/unsubscribe', { uri }, options);
  }

  /** Ends everything attached to the session. The creator of the transport closes it. */
  dispose(): void {
    this.#store.dispose();
  }
}

/** Every revision that an answer to `initialize` may name has a codec. */
function codecOf({ protocolVersion, isDialect }: Handshake): WireCodec {
  const codec = isDialect ? dialectCodec : codecFor(protocolVersion);
  if (codec === undefined) throw new Error(`There is no codec for ${protocolVersion}.`);
  return codec;
}

interface OpenedChannel {
  readonly handshake: Handshake;
  readonly channel: Channel;
  /** The outermost transport, which ends the connection in the server's dialect. */
  readonly transport: Transport;
}

async function openChannel(options: SessionOptions): Promise<OpenedChannel> {
  const began = options.clock.now();
  try {
    const opened = await (options.dialect === 'force' ? openDialect(options) : openStandard(options));
    return { ...opened, handshake: { ...opened.handshake, roundTripMs: options.clock.now() - began } };
  } catch (error) {
    throw explained(error, options);
  }
}

/** Starts with the standard, and switches to the dialect if the server answers in it. */
async function openStandard(options: SessionOptions): Promise<OpenedChannel> {
  const channel = new Channel(options);
  const question = { setting: options.dialect ?? 'auto', asked: 'standard' } as const;
  try {
    const answer = await initializeAsOffered(channel.peer, options);
    if (judgeInitialize(answer, question) !== 'dialect')
      return { handshake: handshakeIn(answer.result, answer.offered), channel, transport: options.transport };
    channel.dispose();
    return await openDialect({ ...options, lastId: channel.peer.lastId }, answer.result);
  } catch (error) {
    channel.dispose();
    const failure = isHostError(error, 'REMOTE_ERROR') ? failureIn(error) : undefined;
    if (failure === undefined || judgeInitialize(failure, question) !== 'askAgain') throw error;
    // Retries once in the dialect. The second failure is final.
    return openDialect({ ...options, lastId: channel.peer.lastId }).catch(() => {
      throw error;
    });
  }
}

async function openDialect(options: SessionOptions, initialized?: Json): Promise<OpenedChannel> {
  const { clock, log } = options;
  const transport = new DialectTransport(options.transport, { clock, log, initialized });
  const channel = new Channel({ ...options, transport });
  try {
    const { result, offered } = await initialize(channel.peer, LATEST_REVISION, options);
    return { handshake: { ...handshakeIn(result, offered), isDialect: true }, channel, transport };
  } catch (error) {
    channel.dispose();
    throw error;
  }
}

interface Initialized {
  readonly kind: 'result';
  readonly result: Json;
  readonly offered: string;
}

async function initializeAsOffered(peer: Peer, options: SessionOptions): Promise<Initialized> {
  try {
    return await initialize(peer, LATEST_REVISION, options);
  } catch (error) {
    // A server may reject the version and list its own. Retries once.
    const version = isHostError(error, 'REMOTE_ERROR') ? bestOf(offeredVersions(error.data)) : undefined;
    if (version === undefined || version === LATEST_REVISION) throw error;
    return initialize(peer, version, options);
  }
}

async function initialize(peer: Peer, offered: string, options: SessionOptions): Promise<Initialized> {
  const params = encodeInitialize(offered, options.client, declaredBy(options.features));
  const result = await peer.request('initialize', params, { timeoutMs: options.startTimeoutMs, token: options.token });
  return { kind: 'result', result, offered };
}

function failureIn({ rpcCode, message, data }: HostError): InitializeAnswer | undefined {
  return rpcCode === undefined ? undefined : { kind: 'error', error: { code: rpcCode, message, data } };
}

function handshakeIn(result: Json, offered: string): Handshake {
  const outcome = decodeInitialize(result);
  switch (outcome.kind) {
    case 'ok':
      return outcome.handshake;
    case 'unsupported':
      throw new HostError(
        'UNSUPPORTED_VERSION',
        `The server speaks MCP ${cleanLine(outcome.protocolVersion, 100)}; this host offered ${offered}.`,
        { layer: 'protocol', effect: 'none', suggestion: 'Update the server, or this extension.' },
      );
    case 'invalid':
      throw new HostError('HANDSHAKE_FAILED', `The server is not an MCP server: ${outcome.message}.`, {
        layer: 'protocol',
        effect: 'none',
        suggestion: 'Check the command in the settings.',
      });
  }
}

/** The same failure, worded for the start. */
function explained(error: unknown, options: SessionOptions): unknown {
  if (isHostError(error, 'TIMEOUT'))
    return new HostError(
      'HANDSHAKE_FAILED',
      `The server did not answer "initialize" within ${options.startTimeoutMs / 1000} seconds.`,
      {
        layer: 'protocol',
        effect: 'none',
        suggestion: 'See its log; raise "timeouts.start" if it is slow to start.',
        cause: error,
      },
    );
  if (isHostError(error, 'REMOTE_ERROR'))
    return new HostError('HANDSHAKE_FAILED', `The server refused the handshake: ${cleanText(error.message)}`, {
      layer: 'protocol',
      rpcCode: error.rpcCode,
      category: error.category,
      retryAt: error.retryAt,
      data: error.data,
      effect: 'none',
      suggestion: error.suggestion ?? 'See its log.',
      cause: error,
    });
  return error;
}
