import type { Clock } from '../base/clock.ts';
import type { AuditRecord } from '../model/audit.ts';
import { KeyedRateLimit } from '../base/rateLimit.ts';
import type { Recorder } from './recorder.ts';

/** Per server and operation, in a minute. */
const MAX_REFUSED = 60;

/**
 * Prevents a server with thousands of refused requests from filling the audit. The next record contains the number of
 * omitted ones.
 */
export class BoundedRecorder implements Recorder {
  readonly #clock: Clock;
  readonly #inner: Recorder;
  readonly #rate = new KeyedRateLimit(60_000);
  readonly #leftOut = new Map<string, number>();

  constructor(clock: Clock, inner: Recorder) {
    this.#clock = clock;
    this.#inner = inner;
  }

  record(record: AuditRecord): void {
    if (hasOwnBounds(record)) this.#inner.record(record);
    else this.recordBounded(record);
  }

  /** For records with any outcome. */
  recordBounded(record: AuditRecord): void {
    const key = `${record.server} ${record.operation}`;
    const leftOut = this.#leftOut.get(key) ?? 0;
    if (this.#rate.take(key, MAX_REFUSED, this.#clock.now()) > 0) {
      this.#leftOut.set(key, leftOut + 1);
      return;
    }
    this.#leftOut.delete(key);
    const remark = leftOut > 0 ? ` (${leftOut} more before it were left out)` : '';
    this.#inner.record(leftOut > 0 ? { ...record, detail: `${record.detail ?? ''}${remark}`.trim() } : record);
  }
}

/**
 * Model use counts against a budget, and other completed operations take a turn. Only changes of sets are unlimited.
 */
function hasOwnBounds({ outcome, operation, tokens }: AuditRecord): boolean {
  if (tokens !== undefined) return true;
  return (outcome === 'success' || outcome === 'timeout') && !operation.startsWith('featureSets/');
}
