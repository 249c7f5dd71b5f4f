import {
  type AuditEntry,
  blockText,
  type InboundEvent,
  type JsonObject,
  type McplSnapshot,
  type TurnResult,
} from '../../core/index.ts';

export function mcplView({ dialect, sets, isUndecided }: McplSnapshot): JsonObject {
  return {
    dialect: { ...dialect },
    isUndecided,
    sets: sets.map(({ set, state, push, undeclared, alsoEvents, tools }) => {
      return { ...set, state, push, undeclared, ...(alsoEvents !== undefined && { alsoEvents }), tools };
    }),
  };
}

export function eventView(event: InboundEvent): JsonObject {
  const { id, server, source, eventId, occurredAt, receivedAt, origin, content, inferenceId, isRead, outcome } = event;
  const asked = outcome.kind === 'answered' ? { ...outcome, usage: { ...outcome.usage } } : { ...outcome };
  return {
    id,
    server,
    featureSet: source.featureSet,
    eventId,
    occurredAt,
    receivedAt,
    origin,
    text: content.map(blockText).join('\n'),
    inferenceId,
    isRead,
    outcome: asked,
  };
}

export function turnView(result: TurnResult): JsonObject {
  const { inferenceId, text, model, usage, finishReason, injectedBy, modifiedBy, remarks } = result;
  return {
    inferenceId,
    text,
    model: { ...model },
    usage: { ...usage },
    finishReason,
    injectedBy: injectedBy.map((injection) => ({ ...injection })),
    modifiedBy,
    remarks,
  };
}

export function auditView(entry: AuditEntry): JsonObject {
  return { ...entry };
}
