import type { Clock } from '../base/clock.ts';
import { type Disposable, DisposableStore } from '../base/disposable.ts';
import { Emitter, type Event } from '../base/event.ts';
import type { Json } from '../base/json.ts';
import { withoutUnread } from '../base/unreadJson.ts';
import { Throttle } from '../base/throttle.ts';
import type { RpcId } from '../rpc/messages.ts';
import {
  type MessageOutline,
  matcher,
  outline,
  type TraceRedaction,
  type ShownText,
  shownText,
  type TraceDirection,
  type TraceEntry,
  type TraceFilter,
} from './traceEntry.ts';
import { type RingLimits, TraceRing } from './traceRing.ts';

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
