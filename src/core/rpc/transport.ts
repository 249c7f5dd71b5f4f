import type { HostError } from '../base/errors.ts';
import type { Event } from '../base/event.ts';
import type { Json } from '../base/json.ts';
import type { MemberPath } from '../base/unreadJson.ts';
import type { ReadyParts } from './messages.ts';

/** The end of a connection. `error` is absent if it was closed on purpose. */
export interface TransportClosed {
  readonly error?: HostError | undefined;
}

/** A message that arrived but was not delivered. Its id lets the sender or the waiting caller be answered. */
export interface DroppedMessage {
  readonly id: number | string | undefined;
  /** Whether it is a request. Otherwise it counts as an answer. */
  readonly isRequest: boolean;
  readonly error: HostError;
}

/** Additional data for a message. */
export interface SendHints {
  /** Headers of the message's HTTP request (MCP 2026-07-28, `Mcp-Param-*`). */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Params that are already JSON text. Every transport supports them. */
  readonly parts?: ReadyParts | undefined;
}

/** Facts about a transport, for display. */
export interface TransportDetails {
  readonly kind: 'stdio' | 'http' | 'sse' | 'websocket';
  /** The server's session id, if the transport has one. */
  readonly session?: string | undefined;
}

/**
 * A connection to one peer that carries complete, parsed JSON-RPC messages without batches. Holds messages until
 * `start` is called.
 */
export interface Transport {
  /**
   * Starts delivery, never within this call. The receiver gets one message at a time, in order. A second call replaces
   * the receiver: the first messages of a connection decide who reads the rest.
   */
  start(receiver: (message: Json) => void): void;
  /**
   * Queues one message. A message to a closed connection is dropped, because `onClose` has reported the end. Throws
   * only for values that are not JSON.
   */
  send(message: Json, hints?: SendHints): void;
  /**
   * Leaves values at these paths of long messages as text (`base/unreadJson.ts`), so that forwarding a state does not
   * block until it is parsed. Transports without this method parse everything.
   */
  leaveUnread?(paths: readonly MemberPath[]): void;
  /** Fires once, never within `send`, and after all earlier messages were delivered. */
  readonly onClose: Event<TransportClosed>;
  /** Fires for a message above a limit (size, nesting). The connection stays open. */
  readonly onDropped?: Event<DroppedMessage>;
  /**
   * Fires when the server forgot the session and the transport reopened it, with the new answer to `initialize`.
   * Everything sent since the first one must be repeated.
   */
  readonly onRenewed?: Event<Json>;
  /** The current facts about the transport. */
  readonly details?: TransportDetails | undefined;
  /** Closes the connection in order. Resolves when nothing of it is left. Can be called repeatedly. */
  close(): Promise<void>;
}
