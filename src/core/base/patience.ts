import { Deferred, ignoreFailure } from './async.ts';
import { type CancellationToken, NO_CANCELLATION, unlessCancelled } from './cancellation.ts';
import type { Clock } from './clock.ts';

interface Patience {
  readonly clock: Clock;
  readonly ms: number;
  /** Ends the wait early. */
  readonly token?: CancellationToken | undefined;
}

type Waited<T> =
  { readonly kind: 'done'; readonly value: T } | { readonly kind: 'late' } | { readonly kind: 'cancelled' };

/** Waits for work that may never end, or may ignore cancellation. A later result is ignored. */
export async function waitFor<T>(
  work: Promise<T>,
  { clock, ms, token = NO_CANCELLATION }: Patience,
): Promise<Waited<T>> {
  const ended = new Deferred<Waited<T>>();
  const timer = clock.delay(ms, () => ended.resolve({ kind: 'late' }));
  const subscription = token.onCancellationRequested(() => ended.resolve({ kind: 'cancelled' }));
  ignoreFailure(work);
  try {
    return await Promise.race([ended.promise, work.then((value): Waited<T> => ({ kind: 'done', value }))]);
  } finally {
    timer.dispose();
    subscription.dispose();
  }
}

/** Waits for a time. Rejects when `what` is cancelled. */
export async function pause({ clock, ms, token = NO_CANCELLATION }: Patience, what: string): Promise<void> {
  const over = new Deferred<void>();
  const timer = clock.delay(ms, () => over.resolve());
  try {
    await unlessCancelled(over.promise, token, what);
  } finally {
    timer.dispose();
  }
}
