import type { CancellationToken } from '../base/cancellation.ts';
import type { Clock } from '../base/clock.ts';

/** More than any real server sends before the end of the handshake. */
const MOST = 100;
const MAX_MS = 5_000;

/**
 * Holds requests that arrive before the handshake is processed, because a server wrote them right after its result.
 * Their permission is only known afterwards (docs/decisions/early-requests.md).
 */
export class EarlyRequests {
  readonly #clock: Clock;
  readonly #waiting = new Set<(isOver: boolean) => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether the handshake ended in time. */
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
      const timer = this.#clock.delay(MAX_MS, () => settle(false));
      const subscription = token.onCancellationRequested(() => settle(false));
    });
  }

  /** Releases all waiting requests in order of arrival. */
  release(): void {
    for (const settle of [...this.#waiting]) settle(true);
  }
}
