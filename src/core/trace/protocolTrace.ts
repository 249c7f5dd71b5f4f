import type { Clock } from '../base/clock.ts';
import { type Disposable, DisposableStore, toDisposable } from '../base/disposable.ts';
import { Emitter, type Event } from '../base/event.ts';
import type { Json } from '../base/json.ts';
import { Throttle } from '../base/throttle.ts';
import { type MemberPath, withoutUnread } from '../base/unreadJson.ts';
import { type RpcId, withoutParts } from '../rpc/messages.ts';
import type { DroppedMessage, SendHints, Transport, TransportClosed, TransportDetails } from '../rpc/transport.ts';
import {
  matcher,
  type MessageOutline,
  outline,
  type ShownText,
  shownText,
  type TraceDirection,
  type TraceEntry,
  type TraceFilter,
  type TraceRedaction,
} from './traceEntry.ts';

interface RingLimits {
  readonly count: number;
  /** Characters of all texts together. */
  readonly characters: number;
}

/** The newest entries within the limits. Their numbers have no gaps. */
export class TraceRing {
  readonly #limits: RingLimits;
  #entries: (TraceEntry | undefined)[] = [];
  /** Index of the oldest entry. Shifting the array for each removed entry would take linear time. */
  #start = 0;
  #characters = 0;

  constructor(limits: RingLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#entries.length - this.#start;
  }

  get characters(): number {
    return this.#characters;
  }

  /** Number of the oldest entry, or `undefined` if the ring is empty. */
  get first(): number | undefined {
    return this.#entries[this.#start]?.n;
  }

  push(entry: TraceEntry): void {
    this.#entries.push(entry);
    this.#characters += entry.text.length;
    // Keeps the newest entry, whatever its size.
    while (this.size > 1 && (this.size > this.#limits.count || this.#characters > this.#limits.characters))
      this.#leave();
    if (this.#start > 1_000 && this.#start > this.#entries.length / 2) {
      this.#entries = this.#entries.slice(this.#start);
      this.#start = 0;
    }
  }

  get(n: number): TraceEntry | undefined {
    const { first } = this;
    return first === undefined || n < first ? undefined : this.#entries[this.#start + n - first];
  }

  clear(): void {
    this.#entries = [];
    this.#start = 0;
    this.#characters = 0;
  }

  #leave(): void {
    this.#characters -= this.#entries[this.#start]?.text.length ?? 0;
    this.#entries[this.#start++] = undefined;
  }
}

interface TraceOptions {
  readonly clock: Clock;
  readonly limits?: RingLimits | undefined;
}

const LIMITS: RingLimits = { count: 100_000, characters: 64 * 1024 * 1024 };
/** Minimum interval between change events. */
const TELL_MS = 100;

/**
 * The newest messages of one server, in both directions. The trace outlives connections, so that a failed start can be
 * inspected. It is off by default; recording then costs one check.
 */
export class ProtocolTrace implements Disposable {
  readonly #clock: Clock;
  readonly #ring: TraceRing;
  readonly #open = new OpenRequests();
  readonly #store = new DisposableStore();
  readonly #appended = this.#store.add(new Emitter<void>());
  #isOn = false;
  #next = 1;
  readonly #telling: Throttle;

  /** Fires at most once per interval after messages were recorded or cleared, or after a switch. */
  readonly onDidAppend: Event<void> = this.#appended.event;

  constructor({ clock, limits = LIMITS }: TraceOptions) {
    this.#clock = clock;
    this.#ring = new TraceRing(limits);
    this.#telling = this.#store.add(new Throttle(clock, TELL_MS, () => this.#appended.fire()));
  }

  get isOn(): boolean {
    return this.#isOn;
  }

  /** Number of stored messages. */
  get size(): number {
    return this.#ring.size;
  }

  /** Number of the oldest stored message, or of the next one if none is stored. */
  get first(): number {
    return this.#ring.first ?? this.#next;
  }

  /** Number of the next message. */
  get next(): number {
    return this.#next;
  }

  /** Switching off keeps the recorded messages. */
  set(isOn: boolean): void {
    if (this.#isOn === isOn) return;
    this.#isOn = isOn;
    this.#open.clear();
    this.#tell();
  }

  record(direction: TraceDirection, message: Json, redact: TraceRedaction): void {
    if (!this.#isOn) return;
    this.#add(direction, outline(message), shownText(withoutUnread(message), redact));
  }

  /** Records a message that arrived but was not read. The reason replaces its text. */
  recordDropped(id: RpcId | undefined, reason: string, redact: TraceRedaction): void {
    if (!this.#isOn) return;
    const text = redact(reason);
    this.#add('received', { kind: 'dropped', id, method: undefined }, { size: text.length, text, isCut: false });
  }

  get(n: number): TraceEntry | undefined {
    return this.#ring.get(n);
  }

  /** Up to `count` matching entries, starting at number `from`. */
  entries(from: number, count: number, filter: TraceFilter): readonly TraceEntry[] {
    const matches = matcher(filter);
    const found: TraceEntry[] = [];
    for (let n = Math.max(from, this.first); n < this.#next && found.length < count; n++) {
      const entry = this.#ring.get(n);
      if (entry !== undefined && matches(entry)) found.push(entry);
    }
    return found;
  }

  clear(): void {
    this.#ring.clear();
    this.#tell();
  }

  /** All entries as JSON lines, generated one by one to save memory. */
  *exportLines(filter?: TraceFilter): Iterable<string> {
    const matches = filter === undefined ? () => true : matcher(filter);
    for (let n = this.first; n < this.#next; n++) {
      const entry = this.#ring.get(n);
      if (entry !== undefined && matches(entry)) yield exportLine(entry);
    }
  }

  dispose(): void {
    this.#isOn = false;
    this.#store.dispose();
  }

  #add(direction: TraceDirection, { kind, id, method: named }: MessageOutline, shown: ShownText): void {
    const method = named ?? (id === undefined ? undefined : this.#open.answered(direction, id));
    if (kind === 'request' && id !== undefined && named !== undefined) this.#open.asked(direction, id, named);
    this.#ring.push({ n: this.#next++, at: this.#clock.now(), direction, kind, method, id, ...shown });
    this.#tell();
  }

  #tell(): void {
    if (this.#appended.hasListeners) this.#telling.request();
  }
}

/** Embeds a complete message as JSON, so that programs can read the file. */
function exportLine({ text, isCut, kind, ...rest }: TraceEntry): string {
  const facts = JSON.stringify({ ...rest, at: new Date(rest.at).toISOString(), kind });
  const message = isCut || kind === 'dropped' || !isJson(text) ? JSON.stringify(text) : text;
  return `${facts.slice(0, -1)},"message":${message}}`;
}

/** Removing a secret may have removed a quotation mark. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Bounds the memory that unanswered requests take. */
const MAX_OPEN = 2_000;

/** Maps request ids to methods, so that the trace can show the method of an answer. */
class OpenRequests {
  readonly #methods = { sent: new Map<string, string>(), received: new Map<string, string>() };

  asked(direction: TraceDirection, id: number | string, method: string): void {
    const open = this.#methods[direction];
    open.set(String(id), method);
    if (open.size <= MAX_OPEN) return;
    const [oldest] = open.keys();
    if (oldest !== undefined) open.delete(oldest);
  }

  /** An answer travels in the opposite direction. Some servers echo a numeric id as text. */
  answered(direction: TraceDirection, id: number | string): string | undefined {
    const open = this.#methods[direction === 'sent' ? 'received' : 'sent'];
    const method = open.get(String(id));
    open.delete(String(id));
    return method;
  }

  clear(): void {
    this.#methods.sent.clear();
    this.#methods.received.clear();
  }
}

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
