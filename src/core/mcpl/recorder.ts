import type { AuditRecord } from '../model/audit.ts';

/** Takes what is to be audited. Never throws, and nobody waits for it. */
export interface Recorder {
  record(record: AuditRecord): void;
}
