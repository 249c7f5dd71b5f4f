import { toDisposable } from '../base/disposable.ts';
import type { Event } from '../base/event.ts';
import type { Json } from '../base/json.ts';
import type { MemberPath } from '../base/unreadJson.ts';
import { withoutParts } from '../rpc/messageText.ts';
import type { DroppedMessage, SendHints, Transport, TransportClosed, TransportDetails } from '../rpc/transport.ts';
import type { ProtocolTrace } from './protocolTrace.ts';
import type { TraceRedaction } from './traceEntry.ts';

interface TapOptions {
  readonly trace: ProtocolTrace;
  readonly redact: TraceRedaction;
  /** Filter for secrets that the receiver must not learn, or `undefined` without any. */
  readonly foreign: () => ForeignSecrets | undefined;
}

/** Removes secrets of other servers from outgoing messages. */
export interface ForeignSecrets {
  message(message: Json): Json;
  hints(hints: SendHints): SendHints;
}

/** Wraps a transport: removes secrets of other servers and records messages while the trace is on. */
export function tap(transport: Transport, options: TapOptions): Transport {
  return new TracedTransport(transport, options);
}

const NEVER: Event<never> = () => toDisposable(() => undefined);

class TracedTransport implements Transport {
  readonly #inner: Transport;
  readonly #trace: ProtocolTrace;
  readonly #redact: TraceRedaction;
  readonly #foreign: TapOptions['foreign'];
  readonly onDropped: Event<DroppedMessage>;
  readonly onRenewed: Event<Json>;

  constructor(inner: Transport, { trace, redact, foreign }: TapOptions) {
    this.#inner = inner;
    this.#trace = trace;
    this.#redact = redact;
    this.#foreign = foreign;
    this.onDropped = this.#droppedOf(inner.onDropped ?? NEVER);
    this.onRenewed = inner.onRenewed ?? NEVER;
  }

  get onClose(): Event<TransportClosed> {
    return this.#inner.onClose;
  }

  /** Changes with values that the server assigns. Transports without details are test doubles. */
  get details(): TransportDetails {
    return this.#inner.details ?? { kind: 'stdio' };
  }

  start(receiver: (message: Json) => void): void {
    this.#inner.start((message) => {
      this.#trace.record('received', message, this.#redact);
      receiver(message);
    });
  }

  send(given: Json, givenHints?: SendHints): void {
    const foreign = this.#foreign();
    const message = foreign === undefined ? given : foreign.message(given);
    const hints = foreign === undefined || givenHints === undefined ? givenHints : foreign.hints(givenHints);
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
