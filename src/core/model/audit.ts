export type AuditOutcome =
  | 'success'
  | 'failure'
  | 'timeout'
  | 'cancelled'
  /** The host refused: a set that is off, a limit, a budget. */
  | 'refused'
  /** The message was not used: a late answer, an injection of a set that is off. */
  | 'dropped';

/** One MCPL operation (MCPL §13.2). Records are redacted before they are written, and never change afterwards. */
export interface AuditRecord {
  readonly at: number;
  /** Empty for model use by the user. */
  readonly server: string;
  /** A method of the protocol, or an action of the host: `push/event`, `tools/call`, `scope/decision`, … */
  readonly operation: string;
  readonly featureSet: string | undefined;
  readonly inferenceId: string | undefined;
  readonly outcome: AuditOutcome;
  readonly durationMs: number;
  /** The reason, for display; bounded. */
  readonly detail: string | undefined;
  /** Model tokens spent for the server. */
  readonly tokens: number | undefined;
  /** The model that was used, as `vendor/id`. */
  readonly model?: string | undefined;
}

/** The members that every record needs; the others are optional. */
export type AuditFacts = Pick<AuditRecord, 'at' | 'server' | 'operation' | 'outcome'> &
  Partial<Omit<AuditRecord, 'at' | 'server' | 'operation' | 'outcome'>>;

/**
 * The only place that makes audit records, so that a new member gets its default here. Written member by member:
 * spreading the facts costs a fifth of a push event.
 */
export function auditRecord(facts: AuditFacts): AuditRecord {
  const { at, server, operation, featureSet, inferenceId, outcome, durationMs = 0, detail, tokens, model } = facts;
  const record = { at, server, operation, featureSet, inferenceId, outcome, durationMs, detail, tokens };
  return model === undefined ? record : { ...record, model };
}

/** Total use of one model on one route within a period. */
export interface AuditTotal {
  readonly server: string;
  readonly operation: string;
  /** Empty if it was not recorded. */
  readonly model: string;
  readonly requests: number;
  readonly tokens: number;
  readonly at: number;
}

/** A query for records, newest first. */
export interface AuditQuery {
  readonly limit: number;
  readonly server?: string | undefined;
  /** Only records of this operation. */
  readonly operation?: string | undefined;
  /** Only records older than this `place`, which an earlier answer returned. */
  readonly before?: number | undefined;
}

/** A record with its row id. */
export interface AuditEntry extends AuditRecord {
  readonly place: number;
}
