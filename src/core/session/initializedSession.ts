import type { CancellationToken } from '../base/cancellation.ts';
import type { Clock } from '../base/clock.ts';
import { DisposableStore } from '../base/disposable.ts';
import { HostError, isHostError, methodNotFound } from '../base/errors.ts';
import { Emitter, type Event } from '../base/event.ts';
import { isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import type { Logger } from '../base/log.ts';
import { Peer } from '../rpc/peer.ts';
import type { LogLevelName } from '../model/catalog.ts';
import type { Session, SessionFeature, SessionRequest } from './session.ts';
import type { Transport, TransportClosed } from '../rpc/transport.ts';
import {
  bestOf,
  decodeInitialize,
  encodeInitialize,
  type Handshake,
  LATEST_REVISION,
  offeredVersions,
} from '../wire/handshake.ts';

export interface SessionOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly log: Logger;
  readonly client: { readonly name: string; readonly title: string; readonly version: string };
  readonly startTimeoutMs: number;
  readonly features: readonly SessionFeature[];
  readonly token: CancellationToken;
  /** Takes out of an error what nobody may see: a server writes its secrets where it fails. */
  readonly redact?: ((error: HostError) => HostError) | undefined;
  /** Told of the revision as soon as it is agreed, before anything else is sent. */
  readonly onNegotiated: (protocolVersion: string) => void;
}

/** A session that began with `initialize`, from its finished handshake to its end. */
export class InitializedSession implements Session {
  readonly handshake: Handshake;
  readonly #peer: Peer;
  readonly #store: DisposableStore;
  readonly #closed: Emitter<TransportClosed>;
  readonly #renewed: Emitter<void>;

  private constructor(handshake: Handshake, channel: Channel) {
    this.handshake = handshake;
    this.#peer = channel.peer;
    this.#store = channel.store;
    this.#closed = channel.closed;
    this.#renewed = channel.renewed;
  }

  /**
   * Opens a session in the protocol's strict order: `initialize`, its result, `notifications/initialized`, and only
   * then anything else. Servers exist that lose whatever comes earlier, or exit.
   */
  static async open(options: SessionOptions): Promise<InitializedSession> {
    const channel = new Channel(options);
    try {
      const handshake = await shakeHands(channel.peer, options);
      options.onNegotiated(handshake.protocolVersion);
      channel.peer.notify('notifications/initialized');
      const session = new InitializedSession(handshake, channel);
      for (const feature of options.features) {
        const started = feature.started?.(session);
        if (started !== undefined) channel.store.add(started);
      }
      return session;
    } catch (error) {
      channel.store.dispose();
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
    return this.#peer.request(method, params, options);
  }

  /** The same with a result that is decoded as it arrives. */
  decoded<T>(method: string, params: JsonObject, options: SessionRequest, decode: (result: Json) => T): Promise<T> {
    return this.#peer.decoded(method, params, options, decode);
  }

  notify(method: string, params?: JsonObject): void {
    this.#peer.notify(method, params);
  }

  async setLogLevel(level: LogLevelName, options: SessionRequest): Promise<void> {
    await this.#peer.request('logging/setLevel', { level }, options);
  }

  async subscribe(uri: string, options: SessionRequest): Promise<void> {
    await this.#peer.request('resources/subscribe', { uri }, options);
  }

  async unsubscribe(uri: string, options: SessionRequest): Promise<void> {
    await this.#peer.request('resources/unsubscribe', { uri }, options);
  }

  /** Ends what hangs on the session; the transport is closed by whoever opened it. */
  dispose(): void {
    this.#store.dispose();
  }
}

/** The peer with its dispatch, as it exists before the handshake is done. */
class Channel {
  readonly peer: Peer;
  readonly store = new DisposableStore();
  readonly closed = new Emitter<TransportClosed>();
  readonly renewed = this.store.add(new Emitter<void>());

  constructor(options: SessionOptions) {
    const { features, log } = options;
    this.peer = this.store.add(
      new Peer(
        options.transport,
        {
          request: (method, params, context) => {
            // MCP "Ping": answered promptly, in every state.
            if (method === 'ping') return {};
            for (const feature of features) {
              const handler = feature.requests?.[method];
              if (handler !== undefined) return handler(params, context);
            }
            throw methodNotFound(method);
          },
          notification: (method, params) => {
            for (const feature of features) feature.notifications?.[method]?.(params);
          },
        },
        { clock: options.clock, log: (level, message) => log.log(level, message), onFailure: options.redact },
      ),
    );
    this.store.add(
      this.peer.onClose(({ error }) => this.closed.fire({ error: error && (options.redact?.(error) ?? error) })),
    );
    this.store.add(this.closed);
    const renewals = options.transport.onRenewed?.(() => this.renewed.fire());
    if (renewals !== undefined) this.store.add(renewals);
  }
}

async function shakeHands(peer: Peer, options: SessionOptions): Promise<Handshake> {
  try {
    return await initializeAsOffered(peer, options);
  } catch (error) {
    throw explained(error, options);
  }
}

async function initializeAsOffered(peer: Peer, options: SessionOptions): Promise<Handshake> {
  try {
    return await initialize(peer, LATEST_REVISION, options);
  } catch (error) {
    // A server that knows no version but its own may say which: asked once more, never in a loop.
    const version = isHostError(error, 'REMOTE_ERROR') ? bestOf(offeredVersions(error.data)) : undefined;
    if (version === undefined || version === LATEST_REVISION) throw error;
    return initialize(peer, version, options);
  }
}

async function initialize(peer: Peer, version: string, options: SessionOptions): Promise<Handshake> {
  const params = encodeInitialize(version, options.client, declare(options.features));
  const result = await peer.request('initialize', params, { timeoutMs: options.startTimeoutMs, token: options.token });
  const outcome = decodeInitialize(result);
  switch (outcome.kind) {
    case 'ok':
      return outcome.handshake;
    case 'unsupported':
      throw new HostError(
        'UNSUPPORTED_VERSION',
        `The server speaks MCP ${outcome.protocolVersion}; this host offered ${version}.`,
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

function declare(features: readonly SessionFeature[]): JsonObject {
  return features.reduce<JsonObject>((all, { capabilities }) => merge(all, capabilities ?? {}), {});
}

function merge(one: JsonObject, other: JsonObject): JsonObject {
  const members = Object.entries(other).map(([key, value]) => {
    const before = one[key];
    return [key, isJsonObject(before) && isJsonObject(value) ? merge(before, value) : value] as const;
  });
  return { ...one, ...Object.fromEntries(members) };
}

/** The same failure in words about the start. */
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
    return new HostError('HANDSHAKE_FAILED', `The server refused the handshake: ${error.message}`, {
      layer: 'protocol',
      rpcCode: error.rpcCode,
      data: error.data,
      effect: 'none',
      suggestion: 'See its log.',
      cause: error,
    });
  return error;
}
