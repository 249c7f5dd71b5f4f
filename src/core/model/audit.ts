/** The operation: a method of the protocol, or an action of the host. */
export type AuditOutcome =
  | 'success'
  | 'failure'
  | 'timeout'
  | 'cancelled'
  /** The host said no: a set that is off, a limit, a budget. */
  | 'refused'
  /** The message was not used: a late answer, an injection of a set that is off. */
  | 'dropped';

/** One MCPL operation (MCPL §13.2). Never changed once written; secrets were taken out before. */
export interface AuditRecord {
  readonly at: number;
  /** Empty where no server had part in it: the person's own use of a model. */
  readonly server: string;
  /** `push/event`, `context/beforeInference`, `tools/call`, … */
  readonly operation: string;
  readonly featureSet: string | undefined;
  readonly inferenceId: string | undefined;
  readonly outcome: AuditOutcome;
  readonly durationMs: number;
  /** What a person who looks for the reason wants to read; bounded. */
  readonly detail: string | undefined;
  /** Tokens of a model that were used up for the server. */
  readonly tokens: number | undefined;
  /** The model that was used, as `vendor/id`. */
  readonly model?: string | undefined;
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
