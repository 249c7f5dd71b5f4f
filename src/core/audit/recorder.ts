import type { AuditRecord } from '../model/audit.ts';

/** Receives audit records. Never throws, and is not awaited. */
export interface Recorder {
  record(record: AuditRecord): void;
}
