import type { AuditEntry, AuditRecord } from '../../core/index.ts';
import { integer, oneOf, optionalInteger, optionalText, type Row, text, type Value } from './contract.ts';

const OUTCOMES = ['success', 'failure', 'timeout', 'cancelled', 'refused', 'dropped'] as const;

export const AUDIT_COLUMNS =
  'at, server, operation, feature_set, inference_id, outcome, duration_ms, detail, tokens, model';
export const AUDIT_VALUES = AUDIT_COLUMNS.split(', ').length;
export const AUDIT_INSERT = `INTO audit (${AUDIT_COLUMNS}) VALUES (${'?, '.repeat(AUDIT_VALUES - 1)}?)`;

/** In the order of `AUDIT_COLUMNS`. */
export function auditValues(record: AuditRecord): Value[] {
  return [
    record.at,
    record.server,
    record.operation,
    record.featureSet ?? null,
    record.inferenceId ?? null,
    record.outcome,
    Math.round(record.durationMs),
    record.detail ?? null,
    record.tokens === undefined ? null : Math.round(record.tokens),
    record.model ?? null,
  ];
}

/** Throws for an invalid row. */
export function entryOf(row: Row): AuditEntry {
  return {
    place: integer(row['place'], 'place'),
    at: integer(row['at'], 'at'),
    server: text(row['server'], 'server'),
    operation: text(row['operation'], 'operation'),
    featureSet: optionalText(row['feature_set'], 'feature_set'),
    inferenceId: optionalText(row['inference_id'], 'inference_id'),
    outcome: oneOf(row['outcome'], OUTCOMES, 'outcome'),
    durationMs: integer(row['duration_ms'], 'duration_ms'),
    detail: optionalText(row['detail'], 'detail'),
    tokens: optionalInteger(row['tokens'], 'tokens'),
    model: optionalText(row['model'], 'model'),
  };
}
