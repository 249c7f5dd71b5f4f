import type { AuditRecord } from '../model/audit.ts';

/** Takes records for the audit. Never throws, and is not awaited. */
export interface Recorder {
  record(record: AuditRecord): void;
}
