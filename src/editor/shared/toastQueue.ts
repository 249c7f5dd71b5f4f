import { type Clock, type Disposable, ignoreFailure } from '../../core/index.ts';

/** Items that arrive within this time share the first notification. */
const BURST_MS = 300;
/** VS Code has hidden an untouched notification by then, but does not report it. */
const TOAST_MS = 15_000;

interface ToastQueueOptions<T, Shown> {
  /** The item as it is now; `undefined` if it needs no notification any more. */
  readonly current: (item: T) => Shown | undefined;
  /** Shows one notification about all these items. Resolves when the user answered or closed it. */
  readonly show: (items: readonly [Shown, ...Shown[]], source: string) => Promise<void>;
  /**
   * With a clock, waiting items share a notification. The next one follows when this one is closed or hides itself.
   * Without a clock, each item has its own. The next one follows when `end` is called for this one.
   */
  readonly clock?: Clock;
}

interface Lane<T, Shown> {
  shown: readonly Shown[];
  waiting: T[];
  timer: Disposable | undefined;
}

/** Shows one notification at a time for each source. Items that arrive meanwhile wait for the next one. */
export class ToastQueue<T, Shown = T> implements Disposable {
  readonly #options: ToastQueueOptions<T, Shown>;
  readonly #lanes = new Map<string, Lane<T, Shown>>();

  constructor(options: ToastQueueOptions<T, Shown>) {
    this.#options = options;
  }

  /** The sources with a notification, or with items that wait for one. */
  get sources(): readonly string[] {
    return [...this.#lanes.keys()];
  }

  add(source: string, item: T): void {
    const busy = this.#lanes.get(source);
    if (busy !== undefined) {
      busy.waiting.push(item);
      return;
    }
    const lane: Lane<T, Shown> = { shown: [], waiting: [item], timer: undefined };
    this.#lanes.set(source, lane);
    const { clock } = this.#options;
    if (clock === undefined) this.#next(source, lane);
    else lane.timer = clock.delay(BURST_MS, () => this.#next(source, lane));
  }

  /** Ends the notification of an item. */
  end(isItem: (item: Shown) => boolean): void {
    for (const [source, lane] of this.#lanes) if (lane.shown.some(isItem)) this.#next(source, lane);
  }

  dispose(): void {
    for (const { timer } of this.#lanes.values()) timer?.dispose();
    this.#lanes.clear();
  }

  #next(source: string, lane: Lane<T, Shown>): void {
    const { clock, show } = this.#options;
    lane.timer?.dispose();
    lane.timer = undefined;
    if (this.#lanes.get(source) !== lane) return;
    const [first, ...others] = this.#take(lane.waiting, clock === undefined ? 1 : Infinity);
    if (first === undefined) {
      this.#lanes.delete(source);
      return;
    }
    lane.shown = [first, ...others];
    const shown = show([first, ...others], source);
    if (clock === undefined) return ignoreFailure(shown);
    const timer = clock.delay(TOAST_MS, () => this.#next(source, lane));
    lane.timer = timer;
    const closed = (): void => {
      if (lane.timer === timer) this.#next(source, lane);
    };
    shown.then(closed, closed);
  }

  /** Removes items from the queue, until this many of them still need a notification. */
  #take(waiting: T[], max: number): readonly Shown[] {
    const taken: Shown[] = [];
    while (taken.length < max) {
      const item = waiting.shift();
      if (item === undefined) break;
      const current = this.#options.current(item);
      if (current !== undefined) taken.push(current);
    }
    return taken;
  }
}
