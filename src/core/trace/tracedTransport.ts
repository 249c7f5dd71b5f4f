import { toDisposable } from '../base/disposable.ts';
import type { Event } from '../base/event.ts';
import type { Json } from '../base/json.ts';
import type { MemberPath } from '../base/unreadJson.ts';
import { withoutParts } from '../rpc/messageText.ts';
import type { DroppedMessage, SendHints, Transport, TransportClosed, TransportDetails } from '../rpc/transport.ts';
import type { ProtocolTrace } from './protocolTrace.ts';
import type { Redact } from './traceEntry.ts';

/** The same connection, with all that goes over it recorded while the trace is on. */
export function tap(transport: Transport, trace: ProtocolTrace, redact: Redact): Transport {
  return new TracedTransport(transport, trace, redact);
}

const NEVER: Event<never> = () => toDisposable(() => undefined);

class TracedTransport implements Transport {
  readonly #inner: Transport;
  readonly #trace: ProtocolTrace;
  readonly #redact: Redact;
  readonly onDropped: Event<DroppedMessage>;
  readonly onRenewed: Event<Json>;

  constructor(inner: Transport, trace: ProtocolTrace, redact: Redact) {
    this.#inner = inner;
    this.#trace = trace;
    this.#redact = redact;
    this.onDropped = this.#droppedOf(inner.onDropped ?? NEVER);
    this.onRenewed = inner.onRenewed ?? NEVER;
  }

  get onClose(): Event<TransportClosed> {
    return this.#inner.onClose;
  }

  /** Changes with what the server assigns; a transport without it is one of a test. */
  get details(): TransportDetails {
    return this.#inner.details ?? { kind: 'stdio' };
  }

  start(receiver: (message: Json) => void): void {
    this.#inner.start((message) => {
      this.#trace.record('received', message, this.#redact);
      receiver(message);
    });
  }

  send(message: Json, hints?: SendHints): void {
    const shown = hints?.parts === undefined ? message : withoutParts(message, hints.parts);
    this.#trace.record('sent', shown, this.#redact);
    this.#inner.send(message, hints);
  }

  leaveUnread(paths: readonly MemberPath[]): void {
    this.#inner.leaveUnread?.(paths);
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  #droppedOf(dropped: Event<DroppedMessage>): Event<DroppedMessage> {
    return (listener) =>
      dropped((message) => {
        this.#trace.recordDropped(message.id, message.error.message, this.#redact);
        listener(message);
      });
  }
}
