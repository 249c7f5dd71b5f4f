import { type AsyncHook, createHook, executionAsyncResource } from 'node:async_hooks';

/** A location in the code whose timers fired. */
export interface FiredTimer {
  /** The line that set it, or the start of its callback if it was set before the watch. */
  readonly where: string;
  readonly fired: number;
  /** The shortest delay among them. */
  readonly shortestMs: number;
  readonly isOurs: boolean;
}

/** The members of Node's timers that are read here. */
interface TimerLike {
  readonly _idleTimeout?: number;
  readonly _onTimeout?: unknown;
  readonly _onImmediate?: unknown;
}

/** Enough frames to find the caller of a timer that Node sets itself. */
const FRAMES = 40;

const isTimer = (type: string): boolean => type === 'Timeout' || type === 'Immediate';

const isNode = (frame: string): boolean => /node:|<anonymous>\)?$/.test(frame);

/**
 * Counts fired timers of this thread, including Node's own, which belong to the caller that opened their connection.
 * Immediates count as timers without delay.
 */
export class TimerCount {
  readonly #isOurs: (text: string) => boolean;
  /** By timer, because a timer that is set again stays the same object. */
  readonly #stacks = new WeakMap<object, readonly string[]>();
  readonly #fired = new Map<string, FiredTimer>();
  readonly #hook: AsyncHook;
  #isCounting = false;

  /** `isOurs` gets a line of a stack, or the source of a callback. */
  constructor(isOurs: (text: string) => boolean) {
    this.#isOurs = isOurs;
    this.#hook = createHook({
      init: (_id, type, _trigger, timer) => {
        if (isTimer(type)) this.#stacks.set(timer, stackHere());
      },
      before: () => {
        const timer = executionAsyncResource();
        if (this.#isCounting && isTimer(timer.constructor.name)) this.#count(timer);
      },
    });
  }

  /** Records the stacks of timers from now on. */
  watch(): void {
    this.#hook.enable();
  }

  unwatch(): void {
    this.#hook.disable();
  }

  start(): void {
    this.#fired.clear();
    this.#isCounting = true;
  }

  /** Busiest first. */
  stop(): readonly FiredTimer[] {
    this.#isCounting = false;
    return [...this.#fired.values()].sort((a, b) => b.fired - a.fired);
  }

  #count(timer: TimerLike & object): void {
    const stack = this.#stacks.get(timer);
    const callback = timer._onTimeout ?? timer._onImmediate;
    const source = typeof callback === 'function' ? Function.prototype.toString.call(callback) : '';
    const place = stack?.find(this.#isOurs) ?? stack?.[0] ?? `calls ${source.slice(0, 100)}`;
    const known = this.#fired.get(place);
    const waited = timer._idleTimeout ?? 0;
    this.#fired.set(place, {
      where: place,
      fired: (known?.fired ?? 0) + 1,
      shortestMs: Math.min(known?.shortestMs ?? Infinity, waited),
      isOurs: this.#isOurs(place),
    });
  }
}

const stackHere = (): readonly string[] => {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = FRAMES;
  const { stack = '' } = new Error();
  Error.stackTraceLimit = limit;
  // Skips the first line, which is no frame, and two frames of this file.
  return stack
    .split('\n')
    .slice(3)
    .map((line) => line.trim())
    .filter((line) => !isNode(line));
};

export const totalFired = (timers: readonly FiredTimer[]): number => timers.reduce((sum, { fired }) => sum + fired, 0);
