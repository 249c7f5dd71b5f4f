import type { CancellationToken } from '../base/cancellation.ts';
import type { Disposable } from '../base/disposable.ts';
import { cancelled } from '../base/errors.ts';

/** A position at the head of the queue. */
export interface StateTurn {
  /** Whether it had to wait for another call. */
  readonly hasWaited: boolean;
  /** Starts the next call. Can be called repeatedly. */
  end(): void;
}

/** Runs calls with the same key one by one, in order of arrival. */
export class StateQueue {
  /** Waiting calls. A key exists while one of its calls runs. */
  readonly #lines = new Map<string, Set<() => void>>();

  /** Rejects if cancelled while waiting. */
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
      // A call that has already started checks the token itself.
      if (line.delete(called)) reject(cancelled('The call'));
    });
  }).finally(() => subscription?.dispose());
}
