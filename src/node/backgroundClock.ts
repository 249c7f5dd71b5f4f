import { type Clock, toDisposable } from '../core/index.ts';

/** Timers that do not keep the process alive. The watched resource does that while it matters. */
export const backgroundClock: Clock = {
  now: () => Date.now(),
  delay: (ms, callback) => {
    const timer = setTimeout(() => {
      pending.dispose();
      callback();
    }, ms);
    timer.unref();
    const pending = toDisposable(() => clearTimeout(timer));
    return pending;
  },
};
