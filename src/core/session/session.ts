import type { Disposable } from '../base/disposable.ts';
import type { HostError } from '../base/errors.ts';
import type { Event } from '../base/event.ts';
import type { Json, JsonObject } from '../base/json.ts';
import type { CancellationToken } from '../base/cancellation.ts';
import type { InboundContext } from '../rpc/peer.ts';
import type { Transport, TransportClosed } from '../rpc/transport.ts';
import type { LogLevelName } from '../model/catalog.ts';
import type { Era } from '../model/server.ts';
import type { WireCodec } from '../wire/codec.ts';
import type { Handshake } from '../wire/handshake.ts';

/** One protocol feature on one connection: its requests, notifications and work after the start. */
export interface SessionFeature {
  /** The only era in which it exists. Absent for both. */
  readonly era?: Era;
  /** The host's capabilities for it. Those of all features are merged. */
  readonly capabilities?: JsonObject;
  /**
   * Handlers for requests of the server, or for entries of `inputRequests` on a stateless connection. The same handler
   * serves both.
   */
  readonly requests?: Readonly<Record<string, (params: JsonObject, context: InboundContext) => Promise<Json> | Json>>;
  readonly notifications?: Readonly<Record<string, (params: JsonObject) => void>>;
  /** Called when the connection is open. The result is disposed at its end. */
  started?(session: Session): Disposable;
}

export interface SessionRequest {
  readonly timeoutMs: number;
  /** Maximum duration, whatever progress is reported. */
  readonly maxTimeoutMs?: number | undefined;
  readonly token?: CancellationToken | undefined;
  /** Headers of the HTTP request. Ignored by other transports. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Members of the params that are already JSON text. */
  readonly parts?: Readonly<Record<string, string>> | undefined;
  /** Called with the params of each `notifications/progress`. */
  onProgress?(params: JsonObject): void;
  /** Called each time the server asks for input before it answers. */
  onRound?(): void;
  /** The error if there is no answer within `ms`, or, with `isWhole`, no end within `maxTimeoutMs`. */
  timeoutError?(ms: number, isWhole: boolean): HostError;
}

/** Activity of a connection. */
export interface SessionActivity {
  /** Number of received messages. */
  readonly received: number;
  /** Whether a request of the server waits for an answer. */
  readonly isAsked: boolean;
  /** Start time of the oldest unanswered tool call. */
  readonly callingSince: number | undefined;
  /** Cancels all unanswered tool calls. */
  cancelCalls(): void;
}

/**
 * One open connection to one server, in any revision. Features use the same interface for all revisions; the session
 * encodes messages.
 */
export interface Session extends Disposable {
  readonly handshake: Handshake;
  /** The codec of the agreed revision. */
  readonly codec: WireCodec;
  /** The transport to close at the end, which ends the connection in the server's dialect. */
  readonly transport: Transport;
  /** Cancelled when the server is stopped: its requests are withdrawn, and it gets no new ones. */
  readonly stopping: CancellationToken;
  /** The connection ended, on purpose or not. */
  readonly onClose: Event<TransportClosed>;
  /**
   * The server's session was reopened, so it forgot earlier requests: log level, subscriptions and lists must be set up
   * again.
   */
  readonly onRenewed: Event<void>;
  /** Rejects with a `HostError`. */
  request(method: string, params: JsonObject, options: SessionRequest): Promise<Json>;
  /** Decodes the result on arrival. */
  decoded<T>(method: string, params: JsonObject, options: SessionRequest, decode: (result: Json) => T): Promise<T>;
  notify(method: string, params?: JsonObject): void;
  readonly activity: SessionActivity;
  /** Sets the log level: with `logging/setLevel`, or in each request if there is no such method. */
  setLogLevel(level: LogLevelName, options: SessionRequest): Promise<void>;
  /** Subscribes to a resource: with `resources/subscribe`, or a new `subscriptions/listen`. */
  subscribe(uri: string, options: SessionRequest): Promise<void>;
  unsubscribe(uri: string, options: SessionRequest): Promise<void>;
  /** Ends everything attached to the session. The creator of the transport closes it. */
  dispose(): void;
}
