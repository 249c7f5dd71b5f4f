export type AuditOutcome =
  | 'success'
  | 'failure'
  | 'timeout'
  | 'cancelled'
  /** The host said no: a set that is off, a limit, a budget. */
  | 'refused'
  /** The message was not used: a late answer, an injection of a set that is off. */
  | 'dropped';

/** One MCPL operation (MCPL §13.2). Records are redacted before they are written, and never change afterwards. */
export interface AuditRecord {
  readonly at: number;
  /** Empty for the person's own use of a model. */
  readonly server: string;
  /** A method of the protocol, or an action of the host: `push/event`, `tools/call`, `scope/decision`, … */
  readonly operation: string;
  readonly featureSet: string | undefined;
  readonly inferenceId: string | undefined;
  readonly outcome: AuditOutcome;
  readonly durationMs: number;
  /** The reason, for people; bounded. */
  readonly detail: string | undefined;
  /** Tokens of a model that were used up for the server. */
  readonly tokens: number | undefined;
  /** The model that was used, as `vendor/id`. */
  readonly model?: string | undefined;
}

/** The members that every record needs; the others are optional. */
export type AuditFacts = Pick<AuditRecord, 'at' | 'server' | 'operation' | 'outcome'> &
  Partial<Omit<AuditRecord, 'at' | 'server' | 'operation' | 'outcome'>>;

/** The only place that makes audit records, so that a new member gets its default here. */
export function auditRecord(facts: AuditFacts): AuditRecord {
  return {
    featureSet: undefined,
    inferenceId: undefined,
    durationMs: 0,
    detail: undefined,
    tokens: undefined,
    ...facts,
  };
}

/** The use of one model on one route since some time. */
export interface AuditTotal {
  readonly server: string;
  readonly operation: string;
  /** Empty if it was not recorded. */
  readonly model: string;
  readonly requests: number;
  readonly tokens: number;
  readonly at: number;
}

/** Which records to show: the newest first. */
export interface AuditQuery {
  readonly limit: number;
  readonly server?: string | undefined;
  /** Only records of this operation. */
  readonly operation?: string | undefined;
  /** Only what is older than this record's place, as an earlier answer gave it. */
  readonly before?: number | undefined;
}

/** A record with its place in the log. */
export interface AuditEntry extends AuditRecord {
  readonly place: number;
}
