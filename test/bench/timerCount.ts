import { type AsyncHook, createHook, executionAsyncResource } from 'node:async_hooks';

/** A place in the code whose timers fired. */
export interface FiredTimer {
  /** The line that set it, or what its callback begins with where it was set before anybody looked. */
  readonly where: string;
  readonly fired: number;
  /** The shortest that any of them had waited. */
  readonly shortestMs: number;
  readonly isOurs: boolean;
}

/** What Node keeps of a timer, as far as it is read here. */
interface TimerLike {
  readonly _idleTimeout?: number;
  readonly _onTimeout?: unknown;
  readonly _onImmediate?: unknown;
}

/** Enough to see who asked Node for a timer that it sets on its own behalf. */
const FRAMES = 40;

const isTimer = (type: string): boolean => type === 'Timeout' || type === 'Immediate';

const isNode = (frame: string): boolean => /node:|<anonymous>\)?$/.test(frame);

/**
 * Counts the timers of this thread that fire, Node's own included: those of its HTTP connections are set by whoever
 * opened them. Immediates count as timers of no time at all.
 */
export class TimerCount {
  readonly #isOurs: (text: string) => boolean;
  /** By the timer, since one that is set again is the same. */
  readonly #stacks = new WeakMap<object, readonly string[]>();
  readonly #fired = new Map<string, FiredTimer>();
  readonly #hook: AsyncHook;
  #isCounting = false;

  /** `isOurs` is asked about a line of a stack, or about the source of a callback. */
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

  /** From now on timers are known by who sets them. */
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

  /** The busiest first. */
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
  // The first line is no frame, and the next two are this file's.
  return stack
    .split('\n')
    .slice(3)
    .map((line) => line.trim())
    .filter((line) => !isNode(line));
};

export const totalFired = (timers: readonly FiredTimer[]): number => timers.reduce((sum, { fired }) => sum + fired, 0);
