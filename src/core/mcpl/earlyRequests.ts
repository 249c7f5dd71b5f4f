import type { CancellationToken } from '../base/cancellation.ts';
import type { Clock } from '../base/clock.ts';

/** More than any server has to say before it was told what it may do. */
const MOST = 100;
const LONGEST_MS = 5_000;

/**
 * Requests that arrive before the end of the handshake was worked up, as they do when a server writes them right behind
 * its result: whether they may pass is only known then (docs/decisions/early-requests.md).
 */
export class EarlyRequests {
  readonly #clock: Clock;
  readonly #waiting = new Set<(isOver: boolean) => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether the handshake came to its end in time. */
  async wait(token: CancellationToken): Promise<boolean> {
    if (this.#waiting.size >= MOST || token.isCancellationRequested) return false;
    return new Promise((resolve) => {
      const settle = (isOver: boolean): void => {
        if (!this.#waiting.delete(settle)) return;
        timer.dispose();
        subscription.dispose();
        resolve(isOver);
      };
      this.#waiting.add(settle);
      const timer = this.#clock.delay(LONGEST_MS, () => settle(false));
      const subscription = token.onCancellationRequested(() => settle(false));
    });
  }

  /** All that waits goes on, in the order in which it came. */
  release(): void {
    for (const settle of [...this.#waiting]) settle(true);
  }
}
