import { Deferred, ignoreFailure } from './async.ts';
import type { CancellationToken } from './cancellation.ts';
import type { Clock } from './clock.ts';

interface Patience {
  readonly clock: Clock;
  readonly ms: number;
  readonly token: CancellationToken;
}

type Waited<T> =
  { readonly kind: 'done'; readonly value: T } | { readonly kind: 'late' } | { readonly kind: 'cancelled' };

/** Waits for work that may never end, or may ignore cancellation. A later result is ignored. */
export async function waitFor<T>(work: Promise<T>, { clock, ms, token }: Patience): Promise<Waited<T>> {
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
