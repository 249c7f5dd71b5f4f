import type { Disposable } from './disposable.ts';

/** Time as a port. The core has no other clock or timer. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls back once after `ms`, unless disposed before. */
  delay(ms: number, callback: () => void): Disposable;
}

/** Yields to the event loop. */
export function nextTurn(clock: Clock): Promise<void> {
  return new Promise((resume) => void clock.delay(0, resume));
}

/** A duration for sentences: `0.5 s`, `60 s`. */
export function secondsText(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`;
}
