import type { CancellationToken } from '../base/cancellation.ts';
import type { Clock } from '../base/clock.ts';
import { type Disposable, DisposableStore } from '../base/disposable.ts';
import { HostError, isHostError, methodNotFound } from '../base/errors.ts';
import { Emitter, type Event } from '../base/event.ts';
import { isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import type { Logger } from '../base/log.ts';
import type { Progress } from '../model/operation.ts';
import { type InboundContext, Peer } from '../rpc/peer.ts';
import type { Transport, TransportClosed } from '../rpc/transport.ts';
import {
  bestOf,
  decodeInitialize,
  encodeInitialize,
  type Handshake,
  LATEST_REVISION,
  offeredVersions,
} from '../wire/handshake.ts';
import { decodeProgress } from '../wire/tools.ts';

/** One concern of the protocol on one connection: what it answers, hears and does once the handshake is over. */
export interface SessionFeature {
  /** What the host declares for it in `initialize`; the declarations of all features are merged. */
  readonly capabilities?: JsonObject;
  readonly requests?: Readonly<Record<string, (params: JsonObject, context: InboundContext) => Promise<Json> | Json>>;
  readonly notifications?: Readonly<Record<string, (params: JsonObject) => void>>;
  /** The handshake is over; whatever this registers ends with the connection. */
  started?(session: Session): Disposable;
}

export interface SessionOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly log: Logger;
  readonly client: { readonly name: string; readonly title: string; readonly version: string };
  readonly startTimeoutMs: number;
  readonly features: readonly SessionFeature[];
  readonly token: CancellationToken;
  /** Told of the revision as soon as it is agreed, before anything else is sent. */
  readonly onNegotiated: (protocolVersion: string) => void;
}

export interface SessionRequest {
  readonly timeoutMs: number;
  /** The end however much progress is reported. */
  readonly maxTimeoutMs?: number | undefined;
  readonly token?: CancellationToken | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** One connection to one server, from a finished handshake to its end. */
export class Session implements Disposable {
  readonly handshake: Handshake;
  readonly #peer: Peer;
  readonly #progress: ProgressTable;
  readonly #store: DisposableStore;
  readonly #closed: Emitter<TransportClosed>;

  private constructor(handshake: Handshake, channel: Channel) {
    this.handshake = handshake;
    this.#peer = channel.peer;
    this.#progress = channel.progress;
    this.#store = channel.store;
    this.#closed = channel.closed;
  }

  /**
   * Opens a session in the protocol's strict order: `initialize`, its result, `notifications/initialized`, and only
   * then anything else. Servers exist that lose whatever comes earlier, or exit.
   */
  static async open(options: SessionOptions): Promise<Session> {
    const channel = new Channel(options);
    try {
      const handshake = await shakeHands(channel.peer, options);
      options.onNegotiated(handshake.protocolVersion);
      channel.peer.notify('notifications/initialized');
      const session = new Session(handshake, channel);
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

  /** The connection ended, on purpose or not. */
  get onClose(): Event<TransportClosed> {
    return this.#closed.event;
  }

  async request(method: string, params: JsonObject, options: SessionRequest): Promise<Json> {
    const { onProgress, ...rest } = options;
    if (onProgress === undefined) return this.#peer.request(method, params, rest);
    const entry = this.#progress.open(onProgress);
    try {
      const meta = isJsonObject(params['_meta']) ? params['_meta'] : {};
      const withToken = { ...params, _meta: { ...meta, progressToken: entry.token } };
      return await this.#peer.request(method, withToken, { ...rest, progressToken: entry.token });
    } finally {
      entry.dispose();
    }
  }

  notify(method: string, params?: JsonObject): void {
    this.#peer.notify(method, params);
  }

  /** Ends what hangs on the session; the transport is closed by whoever opened it. */
  dispose(): void {
    this.#store.dispose();
  }
}

/** The peer with its dispatch, as it exists before the handshake is done. */
class Channel {
  readonly peer: Peer;
  readonly progress = new ProgressTable();
  readonly store = new DisposableStore();
  readonly closed = new Emitter<TransportClosed>();

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
            if (method === 'notifications/progress') {
              this.#onProgress(params);
              return;
            }
            for (const feature of features) feature.notifications?.[method]?.(params);
          },
        },
        { clock: options.clock, log: (level, message) => log.log(level, message) },
      ),
    );
    this.store.add(this.peer.onClose((closed) => this.closed.fire(closed)));
    this.store.add(this.closed);
  }

  #onProgress(params: JsonObject): void {
    const decoded = decodeProgress(params);
    if (decoded === undefined || !this.progress.report(decoded.token, decoded.progress)) return;
    this.peer.progressed(decoded.token);
  }
}

/** Who waits for progress under which token. An unknown token, or one whose request is over, is ignored. */
class ProgressTable {
  readonly #listeners = new Map<string, (progress: Progress) => void>();
  #next = 1;

  open(listener: (progress: Progress) => void): { readonly token: string; dispose(): void } {
    const token = `p${this.#next++}`;
    this.#listeners.set(token, listener);
    return { token, dispose: () => this.#listeners.delete(token) };
  }

  report(token: string | number, progress: Progress): boolean {
    const listener = this.#listeners.get(String(token));
    listener?.(progress);
    return listener !== undefined;
  }
}

async function shakeHands(peer: Peer, options: SessionOptions): Promise<Handshake> {
  try {
    return await initialize(peer, LATEST_REVISION, options);
  } catch (error) {
    // A server that knows no version but its own may say which: asked once more, never in a loop.
    const version = isHostError(error, 'REMOTE_ERROR') ? bestOf(offeredVersions(error.data)) : undefined;
    if (version === undefined || version === LATEST_REVISION) throw explained(error, options);
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
