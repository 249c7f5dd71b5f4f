import type { CancellationToken } from '../base/cancellation.ts';
import type { Disposable } from '../base/disposable.ts';
import { cancelled } from '../base/errors.ts';

/** Whose turn it is. */
export interface StateTurn {
  /** Whether another call had to end first. */
  readonly hasWaited: boolean;
  /** Lets the next one begin. Doing so twice is harmless. */
  end(): void;
}

/** One after the other for each key, in the order in which they came. */
export class StateQueue {
  /** Waiting calls; a key exists while a call has its turn. */
  readonly #lines = new Map<string, Set<() => void>>();

  /** Rejects when it is cancelled before its turn comes. */
  async begin(key: string, token: CancellationToken, onWaiting: () => void): Promise<StateTurn> {
    if (token.isCancellationRequested) throw cancelled('The call');
    const line = this.#lines.get(key);
    if (line === undefined) {
      this.#lines.set(key, new Set());
      return this.#turn(key, false);
    }
    onWaiting();
    await untilCalled(line, token);
    return this.#turn(key, true);
  }

  #turn(key: string, hasWaited: boolean): StateTurn {
    let isOver = false;
    const end = (): void => {
      if (isOver) return;
      isOver = true;
      this.#next(key);
    };
    return { hasWaited, end };
  }

  #next(key: string): void {
    const line = this.#lines.get(key);
    const [first] = line ?? [];
    if (line === undefined || first === undefined) {
      this.#lines.delete(key);
      return;
    }
    line.delete(first);
    first();
  }
}

function untilCalled(line: Set<() => void>, token: CancellationToken): Promise<void> {
  let subscription: Disposable | undefined;
  return new Promise<void>((resolve, reject) => {
    const called = (): void => resolve();
    line.add(called);
    subscription = token.onCancellationRequested(() => {
      // One whose turn has come looks at the token itself.
      if (line.delete(called)) reject(cancelled('The call'));
    });
  }).finally(() => subscription?.dispose());
}
