import type { Clock } from '../../core/index.ts';

/** The default double-click time of Windows and of GTK. macOS is a little shorter. */
export const DOUBLE_CLICK_MS = 500;

/**
 * Recognizes the second half of a double-click on the button of a row. After the first half, the row has another button
 * at the same place, for example *Stop* instead of *Start*.
 */
export class DoubleClicks {
  readonly #clock: Pick<Clock, 'now'>;
  /** The last click, by server. */
  readonly #clicked = new Map<string, number>();

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /** Notes a click on the button of a row. Returns whether it belongs to the click before. */
  isSecond(server: string): boolean {
    const now = this.#clock.now();
    const since = now - (this.#clicked.get(server) ?? -Infinity);
    this.#clicked.set(server, now);
    return since >= 0 && since < DOUBLE_CLICK_MS;
  }
}
