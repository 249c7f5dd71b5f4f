import { cleanLine, type Clock, type Disposable, type InboundEvent } from '../../core/index.ts';
import { eventTitle } from '../shared/eventText.ts';
import { plainText } from '../shared/plainText.ts';
import { ToastQueue } from '../shared/toastQueue.ts';

/** One notification, for one or several events of a server. */
export interface PushToast {
  readonly text: string;
  readonly server: string;
  readonly events: readonly InboundEvent[];
}

interface PushToastsOptions {
  readonly clock: Clock;
  /** The current state of an event. */
  readonly find: (id: string) => InboundEvent | undefined;
  /** Resolves when the user clicked or closed it. */
  readonly show: (toast: PushToast) => Promise<void>;
}

/** Shows events as notifications, one at a time for each server. */
export class PushToasts implements Disposable {
  readonly #queue: ToastQueue<string, InboundEvent>;

  constructor({ clock, find, show }: PushToastsOptions) {
    this.#queue = new ToastQueue({
      clock,
      // Events that were read in the view or removed meanwhile need no notification.
      current: (id) => {
        const event = find(id);
        return event?.isRead === false ? event : undefined;
      },
      show: (events, server) => show({ text: toastText(server, events), server, events }),
    });
  }

  arrived(events: readonly InboundEvent[]): void {
    for (const { server, id } of events) this.#queue.add(server, id);
  }

  dispose(): void {
    this.#queue.dispose();
  }
}

/** Escapes Markdown links and misleading characters, which notifications render. */
function toastText(server: string, events: readonly InboundEvent[]): string {
  const [only] = events;
  const what = only !== undefined && events.length === 1 ? eventTitle(only) : `${events.length} events`;
  return `${plainText(cleanLine(server, 64))}: ${plainText(what)}`;
}
