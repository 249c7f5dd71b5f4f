import { type Clock, toDisposable } from '../core/index.ts';

/** For timers that must keep no process alive: whatever they watch over does that itself while it matters. */
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
