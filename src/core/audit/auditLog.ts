import type { Clock } from '../base/clock.ts';
import { type Disposable, toDisposable } from '../base/disposable.ts';
import { messageOf } from '../base/errors.ts';
import { Emitter, type Event } from '../base/event.ts';
import { clip } from '../base/json.ts';
import type { Logger } from '../base/log.ts';
import { KeyedRateLimit } from '../base/rateLimit.ts';
import type { Redact } from '../base/secrets.ts';
import { Throttle } from '../base/throttle.ts';
import type { AuditLog } from '../hostTypes.ts';
import type { AuditEntry, AuditQuery, AuditRecord } from '../model/audit.ts';
import type { HostLimits } from '../model/server.ts';
import type { AuditStore } from '../ports.ts';

/** Receives audit records. Never throws, and is not awaited. */
export interface Recorder {
  record(record: AuditRecord): void;
}

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

const MAX_DETAIL = 2_000;
const BATCH = 256;
const WAIT_MS = 200;
/** Bounds the records that wait for an unresponsive store. */
const MAX_WAITING = 20_000;
const DAY_MS = 86_400_000;

interface StoredAuditOptions {
  readonly clock: Clock;
  readonly audit: AuditStore;
  readonly limits: () => HostLimits;
  readonly log: Logger;
  /** Removes secrets from details. */
  readonly redact?: Redact | undefined;
}

/** Truncates a record to the store's limits. */
export function boundedRecord(record: AuditRecord): AuditRecord {
  const { detail } = record;
  return detail === undefined || detail.length <= MAX_DETAIL ? record : { ...record, detail: clip(detail, MAX_DETAIL) };
}

/** Writes the audit in batches. Records are not awaited, so a flood costs few writes. */
export class StoredAudit implements AuditLog, Recorder, Disposable {
  readonly #options: StoredAuditOptions;
  readonly #appended = new Emitter<readonly AuditRecord[]>();
  readonly onDidAppend: Event<readonly AuditRecord[]> = this.#appended.event;
  #queue: (AuditRecord | (() => AuditRecord))[] = [];
  /** Stored by another write and not announced yet. */
  #news: AuditRecord[] = [];
  readonly #soon: Throttle;
  readonly #writing = new Set<Promise<void>>();
  #waiting = 0;
  #lost = 0;
  #trimmedAt = -Infinity;
  #isDisposed = false;
  readonly #end = toDisposable(() => {
    this.#isDisposed = true;
    this.#tell();
    this.#write();
    this.#appended.dispose();
  });

  constructor(options: StoredAuditOptions) {
    this.#options = options;
    this.#soon = new Throttle(options.clock, WAIT_MS, () => {
      this.#tell();
      this.#write();
    });
  }

  record(record: AuditRecord): void {
    this.#take(record);
  }

  /** For records that are slow to build, so that calls do not wait for them. */
  recordLater(make: () => AuditRecord): void {
    this.#take(make);
  }

  /** Announces a record that was stored with its subject. */
  kept(record: AuditRecord): void {
    if (this.#isDisposed) return;
    this.#trim();
    if (!this.#appended.hasListeners) return;
    this.#news.push(record);
    if (this.#news.length >= BATCH) this.#tell();
    else this.#soon.request();
  }

  /** Resolves when all records so far are on disk, or failed. */
  async flush(): Promise<void> {
    this.#tell();
    this.#write();
    await Promise.all(this.#writing);
  }

  async list(query: AuditQuery): Promise<readonly AuditEntry[]> {
    await this.flush();
    return this.#options.audit.list(query);
  }

  /** Passes the remaining records to the store synchronously, so that closing the store afterwards loses nothing. */
  dispose(): void {
    this.#end.dispose();
  }

  #take(record: AuditRecord | (() => AuditRecord)): void {
    if (this.#isDisposed || this.#waiting >= MAX_WAITING) {
      this.#lost++;
      return;
    }
    this.#waiting++;
    this.#queue.push(record);
    if (this.#queue.length >= BATCH) this.#write();
    else this.#soon.request();
  }

  #tell(): void {
    const news = this.#news;
    this.#news = [];
    if (news.length > 0) this.#appended.fire(news);
  }

  #write(): void {
    this.#soon.cancel();
    this.#trim();
    const queue = this.#queue;
    this.#queue = [];
    const records = queue.flatMap((record) => this.#made(record));
    if (records.length > 0) this.#track(this.#append(records));
  }

  /** A record that cannot be built must not affect the others. */
  #made(record: AuditRecord | (() => AuditRecord)): readonly AuditRecord[] {
    try {
      return [this.#shown(typeof record === 'function' ? record() : record)];
    } catch (error) {
      this.#options.log.log('error', `A record of the audit could not be made: ${messageOf(error)}`);
      this.#waiting--;
      return [];
    }
  }

  #shown(record: AuditRecord): AuditRecord {
    const { detail } = record;
    const { redact } = this.#options;
    return boundedRecord(detail === undefined || redact === undefined ? record : { ...record, detail: redact(detail) });
  }

  async #append(records: readonly AuditRecord[]): Promise<void> {
    try {
      await this.#options.audit.append(records);
      this.#appended.fire(records);
      this.#report();
    } catch (error) {
      // Not retried: an append may have reached the disk without an answer, and uses must not count twice.
      if (this.#lost === 0) this.#options.log.log('error', `The audit cannot be written: ${messageOf(error)}`);
      this.#lost += records.length;
    } finally {
      this.#waiting -= records.length;
    }
  }

  /** Logs the first of consecutive failures at once, and the number of lost records at the end. */
  #report(): void {
    if (this.#lost === 0) return;
    this.#options.log.log('warn', `The audit is written again; records that are missing in it: ${this.#lost}.`);
    this.#lost = 0;
  }

  #trim(): void {
    const { clock, audit, limits, log } = this.#options;
    const now = clock.now();
    if (now - this.#trimmedAt < DAY_MS) return;
    this.#trimmedAt = now;
    const failed = (error: unknown): void => log.log('warn', `Old audit records were not removed: ${messageOf(error)}`);
    this.#track(audit.trim(Math.floor(now - limits().auditDays * DAY_MS)).catch(failed));
  }

  #track(work: Promise<void>): void {
    const tracked = work.finally(() => this.#writing.delete(tracked));
    this.#writing.add(tracked);
  }
}
