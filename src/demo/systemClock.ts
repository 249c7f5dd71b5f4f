/** Clock and timers as a port, so that tests need not wait. */
export interface Clock {
  now(): number;
  /** Returns a function that cancels the timer. */
  delay(milliseconds: number, run: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  delay: (milliseconds, run) => {
    const timer = setTimeout(run, milliseconds);
    return () => clearTimeout(timer);
  },
};
