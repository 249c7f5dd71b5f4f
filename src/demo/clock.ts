/** Time as this server uses it, so that tests need not wait. */
export interface Clock {
  now(): number;
  /** Returns what takes it back. */
  delay(milliseconds: number, run: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  delay: (milliseconds, run) => {
    const timer = setTimeout(run, milliseconds);
    return () => clearTimeout(timer);
  },
};
