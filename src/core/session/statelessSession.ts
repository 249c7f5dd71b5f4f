import type { CancellationToken } from '../base/cancellation.ts';
import { cleanLine } from '../base/cleanText.ts';
import { DisposableStore } from '../base/disposable.ts';
import { HostError, isHostError, methodNotFound, RPC, WireError } from '../base/errors.ts';
import type { Event } from '../base/event.ts';
import { isJsonObject, type Json, type JsonObject, ownEntry } from '../base/json.ts';
import type { LogLevelName } from '../model/catalog.ts';
import type { InboundContext } from '../rpc/peer.ts';
import type { Transport, TransportClosed } from '../rpc/transport.ts';
import {
  decodeInputRequired,
  type Discovered,
  envelope,
  type InputRequired,
  requiredCapabilitiesOf,
} from '../wire/envelope.ts';
import { codecFor, type WireCodec } from '../wire/codec.ts';
import { type Handshake, offeredVersions, UNSUPPORTED_VERSION } from '../wire/handshake.ts';
import {
  activityOf,
  answerBy,
  Channel,
  type ChannelOptions,
  checkNotStopping,
  declaredBy,
  featuresOf,
  notInRevision,
} from './channel.ts';
import { InputRounds } from './inputRounds.ts';
import { ListenStream } from './listenStream.ts';
import type { Session, SessionActivity, SessionFeature, SessionRequest } from './session.ts';
import { StatelessTransport } from './statelessTransport.ts';

interface StatelessOptions extends ChannelOptions {
  readonly client: { readonly name: string; readonly title: string; readonly version: string };
  readonly protocolVersion: string;
  /** The server's answer to `server/discover`. */
  readonly discovered: Discovered;
  /** Duration of that request. */
  readonly roundTripMs: number;
}

const MAX_VERSIONS = 10;
const MAX_VERSION = 40;
const DATED = /^\d{4}-\d{2}-\d{2}$/;

/** A stateless connection: each request carries the version and the client's information. */
export class StatelessSession implements Session {
  readonly handshake: Handshake;
  readonly #options: StatelessOptions;
  readonly #channel: Channel;
  readonly #listen: ListenStream;
  readonly codec: WireCodec;
  #logLevel: LogLevelName | undefined;

  private constructor(options: StatelessOptions) {
    const { discovered, protocolVersion, roundTripMs } = options;
    this.#options = options;
    const codec = codecFor(protocolVersion);
    if (codec === undefined) throw new Error(`There is no codec for ${protocolVersion}.`);
    this.codec = codec;
    this.handshake = {
      era: 'modern',
      isDialect: false,
      protocolVersion,
      roundTripMs,
      info: discovered.info,
      capabilities: discovered.capabilities,
    };
    this.#channel = new Channel({ ...options, transport: new StatelessTransport(options.transport, options.log) });
    this.#channel.codec = codec;
    this.#listen = this.#channel.store.add(
      new ListenStream({
        peer: this.#channel.peer,
        clock: options.clock,
        log: options.log,
        kinds: kindsOf(discovered.capabilities),
        envelope: (params) => this.#enveloped(params),
        deliver: (method, params) => {
          for (const feature of options.features) ownEntry(feature.notifications, method)?.(params);
        },
      }),
    );
    this.#channel.intercept = (method, params) => this.#listen.take(method, params);
  }

  static open(given: StatelessOptions): StatelessSession {
    const options = { ...given, features: featuresOf(given.features, 'modern') };
    const session = new StatelessSession(options);
    options.onOpened?.(session);
    const started = session.#channel.store.add(new DisposableStore());
    for (const feature of options.features) {
      const running = feature.started?.(session);
      if (running !== undefined) started.add(running);
    }
    session.#listen.start();
    return session;
  }

  get transport(): Transport {
    return this.#options.transport;
  }

  get stopping(): CancellationToken {
    return this.#channel.stopping;
  }

  get onClose(): Event<TransportClosed> {
    return this.#channel.closed.event;
  }

  /** Never fires, because there is no session to forget. */
  get onRenewed(): Event<void> {
    return this.#channel.renewed.event;
  }

  request(method: string, params: JsonObject, options: SessionRequest): Promise<Json> {
    return this.decoded(method, params, options, (result) => result);
  }

  async decoded<T>(
    method: string,
    params: JsonObject,
    options: SessionRequest,
    decode: (result: Json) => T,
  ): Promise<T> {
    if (this.codec.lacks(method, 'toServer')) throw notInRevision(method, this.codec.version);
    let rounds: InputRounds | undefined;
    let sent = params;
    let sending = options;
    const { maxTimeoutMs = Infinity } = options;
    const end = this.#options.clock.now() + maxTimeoutMs;
    for (;;) {
      const answer = await this.#attempt(method, sent, sending, decode);
      if (answer.kind === 'complete') return answer.value;
      options.onRound?.();
      rounds ??= new InputRounds(method, options.token, {
        clock: this.#options.clock,
        stopping: this.stopping,
        answer: (asked, given, context) => this.#answer(asked, given, context),
      });
      sent = await rounds.next(sent, answer.required);
      // All rounds share the time of one request.
      sending = within(options, Math.max(0, end - this.#options.clock.now()));
    }
  }

  get activity(): SessionActivity {
    return activityOf(this.#channel.peer);
  }

  notify(method: string, params?: JsonObject): void {
    this.#channel.peer.notify(method, params);
  }

  /** Sent with each request from now on. */
  setLogLevel(level: LogLevelName): Promise<void> {
    this.#logLevel = level;
    return Promise.resolve();
  }

  async subscribe(uri: string, options: SessionRequest): Promise<void> {
    await this.#listen.add(uri, options.token);
  }

  unsubscribe(uri: string): Promise<void> {
    this.#listen.remove(uri);
    return Promise.resolve();
  }

  dispose(): void {
    this.#channel.dispose();
  }

  async #attempt<T>(
    method: string,
    params: JsonObject,
    options: SessionRequest,
    decode: (result: Json) => T,
  ): Promise<Answer<T>> {
    const enveloped = this.#enveloped(params);
    try {
      return await this.#channel.peer.decoded(method, enveloped, options, (result) => {
        const read = this.codec.decodeResult(method, enveloped, result);
        if (read.kind !== 'ok') throw new Error(read.kind === 'invalid' ? read.why : 'this revision does not have it');
        if (!isInputRequired(read.value)) return { kind: 'complete', value: decode(read.value) };
        const required = decodeInputRequired(read.value);
        if (required === undefined) throw new Error('it asks for input in a form that is not understood');
        return { kind: 'input', required };
      });
    } catch (error) {
      throw inWords(error, this.handshake.protocolVersion);
    }
  }

  #answer(method: string, params: JsonObject, context: InboundContext): Promise<Json> | Json {
    checkNotStopping(this.stopping, method);
    const decoded = this.codec.decodeInput(method, params);
    if (decoded.kind === 'ok') return answerBy(this.#options.features, method, decoded.value, context);
    throw decoded.kind === 'invalid' ? new WireError(RPC.invalidParams, decoded.why) : methodNotFound(method);
  }

  #enveloped(params: JsonObject): JsonObject {
    return envelope(params, {
      protocolVersion: this.handshake.protocolVersion,
      clientInfo: this.#options.client,
      clientCapabilities: modernCapabilities(this.#options.features),
      logLevel: this.#logLevel,
    });
  }
}

type Answer<T> =
  { readonly kind: 'complete'; readonly value: T } | { readonly kind: 'input'; readonly required: InputRequired };

/**
 * The current capabilities of the features: a newly opened folder counts from the next request on. This era has no
 * notification for changed roots.
 */
export function modernCapabilities(features: readonly SessionFeature[]): JsonObject {
  const { roots, ...rest } = declaredBy(featuresOf(features, 'modern'));
  return roots === undefined ? rest : { ...rest, roots: {} };
}

/** The same request with less time. */
function within(options: SessionRequest, maxTimeoutMs: number): SessionRequest {
  const { timeoutMs, token, headers } = options;
  return {
    timeoutMs,
    maxTimeoutMs,
    token,
    headers,
    ...(options.onProgress && { onProgress: (progress) => options.onProgress?.(progress) }),
    ...(options.timeoutError && { timeoutError: options.timeoutError.bind(options) }),
  };
}

function isInputRequired(result: Json): boolean {
  return isJsonObject(result) && result['resultType'] === 'input_required';
}

/** Names what the server requires: a capability or a version. */
function inWords(error: unknown, version: string): unknown {
  if (!isHostError(error, 'REMOTE_ERROR')) return error;
  const offered = offeredVersions(error.data);
  // The code changed between drafts, and tools may use "supported" for other data.
  const isVersion = error.rpcCode === UNSUPPORTED_VERSION || offered.some((each) => DATED.test(each));
  if (isVersion) return unsupported(error, version, offered);
  const missing = requiredCapabilitiesOf(error.data);
  if (missing === undefined) return error;
  return new HostError('CAPABILITY_MISSING', `The server needs what this host does not offer: ${missing.join(', ')}.`, {
    layer: 'server',
    rpcCode: error.rpcCode,
    data: error.data,
    effect: 'none',
    suggestion: 'Use another tool, or another version of the server.',
    cause: error,
  });
}

function unsupported(error: HostError, version: string, offered: readonly string[]): HostError {
  const named = offered.slice(0, MAX_VERSIONS).map((each) => cleanLine(each, MAX_VERSION));
  const supported = named.length === 0 ? '' : ` It supports ${named.join(', ')}.`;
  return new HostError('UNSUPPORTED_VERSION', `The server no longer accepts MCP ${version}.${supported}`, {
    layer: 'protocol',
    rpcCode: error.rpcCode,
    data: error.data,
    effect: 'none',
    suggestion: 'Restart the server, so that a version is agreed again.',
    cause: error,
  });
}

/** The lists for which the server announces change notifications. */
function kindsOf(capabilities: JsonObject): ListenStreamKinds {
  const tells = (kind: string): boolean => {
    const declared = capabilities[kind];
    return isJsonObject(declared) && declared['listChanged'] === true;
  };
  return {
    toolsListChanged: tells('tools'),
    promptsListChanged: tells('prompts'),
    resourcesListChanged: tells('resources'),
  };
}

type ListenStreamKinds = ConstructorParameters<typeof ListenStream>[0]['kinds'];
