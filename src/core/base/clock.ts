import type { Disposable } from './disposable.ts';

/** Time as a port: the only source of "now" and of "later" in the core. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls back once after `ms`, unless disposed before. */
  delay(ms: number, callback: () => void): Disposable;
}

/** Others have their turn first. */
export function nextTurn(clock: Clock): Promise<void> {
  return new Promise((resume) => void clock.delay(0, resume));
}

/** A time in a sentence: `0.5 s`, `60 s`. */
export function secondsText(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`;
}
