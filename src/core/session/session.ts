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

/** One concern of the protocol on one connection: what it answers, hears and does once the connection is open. */
export interface SessionFeature {
  /** The only kind of connection on which it exists; absent for both. */
  readonly era?: Era;
  /** What the host declares for it; the declarations of all features are merged. */
  readonly capabilities?: JsonObject;
  /**
   * What it answers: on a connection that began with `initialize` a request of the server, on a stateless one an entry
   * of `inputRequests`. The same handler serves both.
   */
  readonly requests?: Readonly<Record<string, (params: JsonObject, context: InboundContext) => Promise<Json> | Json>>;
  readonly notifications?: Readonly<Record<string, (params: JsonObject) => void>>;
  /** The connection is open; whatever this registers ends with it. */
  started?(session: Session): Disposable;
}

export interface SessionRequest {
  readonly timeoutMs: number;
  /** The end however much progress is reported. */
  readonly maxTimeoutMs?: number | undefined;
  readonly token?: CancellationToken | undefined;
  /** Headers of the HTTP request that carries this one; other transports have no place for them. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Members of the params that are JSON text already. */
  readonly parts?: Readonly<Record<string, string>> | undefined;
  /** Called with the params of each `notifications/progress`. */
  onProgress?(params: JsonObject): void;
  /** Told each time that the server asks for something before it answers. */
  onRound?(): void;
  /** The error if there is no answer within `ms`, or, with `isWhole`, no end within `maxTimeoutMs`. */
  timeoutError?(ms: number, isWhole: boolean): HostError;
}

/** Activity of a connection. */
export interface SessionActivity {
  /** How many messages came. */
  readonly received: number;
  /** A request of the server waits for our answer. */
  readonly isAsked: boolean;
  /** When the oldest tool call began that has no answer. */
  readonly callingSince: number | undefined;
  /** Cancels all tool calls that have no answer. */
  cancelCalls(): void;
}

/**
 * One open connection to one server, whichever way it speaks. What features do with it is the same in every revision;
 * how it is said on the wire is the session's own.
 */
export interface Session extends Disposable {
  readonly handshake: Handshake;
  /** What the agreed revision has, and how it differs. */
  readonly codec: WireCodec;
  /** What is to be closed when the session is over: it says farewell in the words of the server. */
  readonly transport: Transport;
  /** Cancelled when the server is stopped: what it asked for is withdrawn, and it gets nothing new. */
  readonly stopping: CancellationToken;
  /** The connection ended, on purpose or not. */
  readonly onClose: Event<TransportClosed>;
  /**
   * The server forgot what it had been told (its session was opened anew): levels, subscriptions and lists are to be
   * settled again.
   */
  readonly onRenewed: Event<void>;
  /** Rejects with a `HostError`. */
  request(method: string, params: JsonObject, options: SessionRequest): Promise<Json>;
  /** The same with a result that is decoded as it arrives. */
  decoded<T>(method: string, params: JsonObject, options: SessionRequest, decode: (result: Json) => T): Promise<T>;
  notify(method: string, params?: JsonObject): void;
  readonly activity: SessionActivity;
  /** How much the server should log from now on: `logging/setLevel`, or a word in each request where there is none. */
  setLogLevel(level: LogLevelName, options: SessionRequest): Promise<void>;
  /** Has the server tell of changes of a resource: `resources/subscribe`, or another `subscriptions/listen`. */
  subscribe(uri: string, options: SessionRequest): Promise<void>;
  unsubscribe(uri: string, options: SessionRequest): Promise<void>;
  /** Ends what hangs on the session; the transport is closed by whoever opened it. */
  dispose(): void;
}
