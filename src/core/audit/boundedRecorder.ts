import type { Clock } from '../base/clock.ts';
import type { AuditRecord } from '../model/audit.ts';
import { KeyedRateLimit } from '../base/rateLimit.ts';
import type { Recorder } from './recorder.ts';

/** Per server and operation, in a minute. */
const MOST_REFUSED = 60;

/**
 * Keeps a server with a thousand refused requests a second from filling the audit: the next kept record counts the
 * omitted ones.
 */
export class BoundedRecorder implements Recorder {
  readonly #clock: Clock;
  readonly #inner: Recorder;
  readonly #rate = new KeyedRateLimit(60_000);
  readonly #untold = new Map<string, number>();

  constructor(clock: Clock, inner: Recorder) {
    this.#clock = clock;
    this.#inner = inner;
  }

  record(record: AuditRecord): void {
    if (hasOwnBounds(record)) this.#inner.record(record);
    else this.recordBounded(record);
  }

  /** The same, whatever came of it. */
  recordBounded(record: AuditRecord): void {
    const key = `${record.server} ${record.operation}`;
    const untold = this.#untold.get(key) ?? 0;
    if (this.#rate.take(key, MOST_REFUSED, this.#clock.now()) > 0) {
      this.#untold.set(key, untold + 1);
      return;
    }
    this.#untold.delete(key);
    const remark = untold > 0 ? ` (${untold} more before it were left out)` : '';
    this.#inner.record(untold > 0 ? { ...record, detail: `${record.detail ?? ''}${remark}`.trim() } : record);
  }
}

/** What used a model counts towards a budget; what else comes to its end took a turn. Sets change as often as a server likes. */
function hasOwnBounds({ outcome, operation, tokens }: AuditRecord): boolean {
  if (tokens !== undefined) return true;
  return (outcome === 'success' || outcome === 'timeout') && !operation.startsWith('featureSets/');
}
