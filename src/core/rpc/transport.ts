import type { HostError } from '../base/errors.ts';
import type { Event } from '../base/event.ts';
import type { Json } from '../base/json.ts';
import type { MemberPath } from '../base/unreadJson.ts';
import type { ReadyParts } from './messageText.ts';

/** How a connection ended: `error` is absent where it was closed on purpose. */
export interface TransportClosed {
  readonly error?: HostError | undefined;
}

/** A message that arrived but is not delivered. What can be told of it lets its sender or its waiter be answered. */
export interface DroppedMessage {
  readonly id: number | string | undefined;
  /** Whether it asked for something; otherwise it is taken for an answer. */
  readonly isRequest: boolean;
  readonly error: HostError;
}

/** What goes with a message. */
export interface SendHints {
  /** Headers of the HTTP request that carries the message (MCP 2026-07-28, `Mcp-Param-*`). */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** What goes into the params as it is; every transport has a place for it. */
  readonly parts?: ReadyParts | undefined;
}

/** How a connection is made, in words for a person. */
export interface TransportDetails {
  readonly kind: 'stdio' | 'http' | 'sse' | 'websocket';
  /** The session that the server named, where the transport has one. */
  readonly session?: string | undefined;
}

/**
 * A connection to one peer that carries whole JSON-RPC messages, already parsed and split (no batch arrays).
 * Messages are held back until `start` is called, so that no early one is lost.
 */
export interface Transport {
  /**
   * Begins delivery, never within this call. The receiver is called one message at a time, in order. Called again, what
   * arrives from then on goes to the new receiver: the first words of a connection decide who reads the rest.
   */
  start(receiver: (message: Json) => void): void;
  /** Queues one message. A message to a closed connection is dropped: `onClose` has said so. Throws only for what is no JSON. */
  send(message: Json, hints?: SendHints): void;
  /**
   * Has what long messages hold at these places left unread from now on (`base/unreadJson.ts`): whoever only hands a
   * state on does not make everybody wait until it is parsed. A transport without it reads all.
   */
  leaveUnread?(paths: readonly MemberPath[]): void;
  /** Fires once, never within `send`. Every message that arrived before the end has been delivered by then. */
  readonly onClose: Event<TransportClosed>;
  /** Fires for a message that is over a limit (size, nesting). The connection lives on. */
  readonly onDropped?: Event<DroppedMessage>;
  /**
   * Fires when the server forgot the session and the transport opened it anew by itself, with the new answer to
   * `initialize`: whatever the server was told since the first one must be told again.
   */
  readonly onRenewed?: Event<Json>;
  /** How the connection is made now. */
  readonly details?: TransportDetails | undefined;
  /** Ends the connection in order; resolves when nothing of it is left. Calling twice is harmless. */
  close(): Promise<void>;
}
