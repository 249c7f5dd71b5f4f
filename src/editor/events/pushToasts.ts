import { cleanLine, type Clock, type Disposable, type InboundEvent } from '../../core/index.ts';
import { eventTitle } from '../shared/eventText.ts';
import { plainText } from '../shared/plainText.ts';

/** What comes within this time is told of at once. */
const BURST_MS = 300;
/** A toast that nobody touched has hidden itself by then, of which the editor does not tell. */
const TOAST_MS = 15_000;

/** One notification: of one event, or of several of one server. */
export interface PushToast {
  readonly text: string;
  readonly server: string;
  readonly events: readonly InboundEvent[];
}

export interface PushToastsOptions {
  readonly clock: Clock;
  /** The event as it is now. */
  readonly find: (id: string) => InboundEvent | undefined;
  /** Resolves when the person took or closed it. */
  readonly show: (toast: PushToast) => Promise<void>;
}

interface Lane {
  waiting: string[];
  /** Until then nothing more of this server is shown. */
  hold: Disposable | undefined;
}

/** Tells of events: never more than one toast of a server at a time, and what comes meanwhile is the next one. */
export class PushToasts implements Disposable {
  readonly #options: PushToastsOptions;
  readonly #lanes = new Map<string, Lane>();

  constructor(options: PushToastsOptions) {
    this.#options = options;
  }

  arrived(events: readonly InboundEvent[]): void {
    for (const { server, id } of events) {
      const lane = this.#lanes.get(server) ?? { waiting: [], hold: undefined };
      this.#lanes.set(server, lane);
      lane.waiting.push(id);
      lane.hold ??= this.#options.clock.delay(BURST_MS, () => this.#next(server, lane));
    }
  }

  dispose(): void {
    for (const { hold } of this.#lanes.values()) hold?.dispose();
    this.#lanes.clear();
  }

  #next(server: string, lane: Lane): void {
    lane.hold?.dispose();
    lane.hold = undefined;
    // What was read in the view or removed meanwhile needs no telling.
    const events = lane.waiting.flatMap((id) => this.#options.find(id) ?? []).filter(({ isRead }) => !isRead);
    lane.waiting = [];
    if (events.length === 0 || this.#lanes.get(server) !== lane) {
      this.#lanes.delete(server);
      return;
    }
    const hold = this.#options.clock.delay(TOAST_MS, () => this.#next(server, lane));
    lane.hold = hold;
    const closed = (): void => {
      if (lane.hold === hold) this.#next(server, lane);
    };
    this.#options.show({ text: toastText(server, events), server, events }).then(closed, closed);
  }
}

/** A notification makes links of markdown, and shows what deceives: neither is a server's to use. */
function toastText(server: string, events: readonly InboundEvent[]): string {
  const [only] = events;
  const what = only !== undefined && events.length === 1 ? eventTitle(only) : `${events.length} events`;
  return `${plainText(cleanLine(server, 64))}: ${plainText(what)}`;
}
