import { cleanLine } from '../base/cleanText.ts';
import { isJsonObject, type Json } from '../base/json.ts';
import type { Event } from '../base/event.ts';
import type { Logger } from '../base/log.ts';
import type { DroppedMessage, SendHints, Transport, TransportDetails } from '../rpc/transport.ts';

/** The code with which a peer settles cancelled requests. Never sent. */
const CANCELLED = -32800;
/** Maximum log messages, because further ones say nothing new. */
const MAX_REMARKS = 20;

/**
 * MCP 2026-07-28: servers send no requests, and cancel by ending a stream. Requests are logged and never answered, as
 * the revision requires. A cancelled id is settled as if the server had answered with an error.
 */
export class StatelessTransport implements Transport {
  readonly #inner: Transport;
  readonly #log: Logger;
  #asked = 0;
  readonly onDropped?: Event<DroppedMessage>;

  constructor(inner: Transport, log: Logger) {
    this.#inner = inner;
    this.#log = log;
    if (inner.onDropped !== undefined) this.onDropped = inner.onDropped;
  }

  get onClose(): Transport['onClose'] {
    return this.#inner.onClose;
  }

  get details(): TransportDetails | undefined {
    return this.#inner.details;
  }

  start(receiver: (message: Json) => void): void {
    this.#inner.start((message) => {
      const passed = this.#pass(message);
      if (passed !== undefined) receiver(passed);
    });
  }

  send(message: Json, hints?: SendHints): void {
    this.#inner.send(message, hints);
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  #remark(method: string): void {
    const named = cleanLine(method, 100);
    this.#log.log('warn', `The server sent the request ${named}, which a stateless server may not: not answered.`);
  }

  #pass(message: Json): Json | undefined {
    if (!isJsonObject(message) || typeof message['method'] !== 'string') return message;
    const { id, method, params } = message;
    if (id !== undefined && id !== null) {
      if (++this.#asked <= MAX_REMARKS) this.#remark(method);
      return undefined;
    }
    if (method !== 'notifications/cancelled' || !isJsonObject(params)) return message;
    const { requestId = null, reason } = params;
    const text =
      typeof reason === 'string' ? `The server ended the request: ${reason}` : 'The server ended the request.';
    return { jsonrpc: '2.0', id: requestId, error: { code: CANCELLED, message: text } };
  }
}
