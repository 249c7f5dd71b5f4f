import type {
  Admission,
  ContentBlock,
  EventChange,
  EventOutcome,
  EventSource,
  InboundEvent,
  JsonObject,
  Usage,
} from '../../core/index.ts';
import {
  integer,
  list,
  oneOf,
  optionalText,
  record,
  type Row,
  type StoredAdmission,
  text,
  type Value,
} from './contract.ts';

/** In column order. Runs in the extension host, so that objects cross to the thread as JSON text. */
export function eventValues(event: InboundEvent): Value[] {
  return [
    event.id,
    event.server,
    event.eventId,
    JSON.stringify(event.source),
    event.occurredAt,
    event.receivedAt,
    event.inferenceId ?? null,
    event.isRead ? 1 : 0,
    JSON.stringify(event.outcome),
    event.origin === undefined ? null : JSON.stringify(event.origin),
    JSON.stringify(event.content),
  ];
}

export function changeValues(id: string, change: EventChange): Value[] {
  return [JSON.stringify(change.outcome), change.inferenceId ?? null, id];
}

export function decodeAdmission(value: unknown): StoredAdmission {
  if (value === true) return true;
  return { inferenceId: optionalText(record(value)['inferenceId'], 'inferenceId') ?? null };
}

export function admissionOf(stored: StoredAdmission): Admission {
  return stored === true ? { kind: 'kept' } : { kind: 'known', inferenceId: stored.inferenceId ?? undefined };
}

/** Throws for an invalid row. */
export function eventOf(row: Row): InboundEvent {
  return {
    id: text(row['id'], 'id'),
    server: text(row['server'], 'server'),
    source: decodeSource(parsed(row['source'], 'source')),
    eventId: text(row['event_id'], 'event_id'),
    occurredAt: text(row['occurred_at'], 'occurred_at'),
    receivedAt: integer(row['received_at'], 'received_at'),
    origin: row['origin'] === null ? undefined : jsonObject(parsed(row['origin'], 'origin')),
    content: list(decodeBlock)(parsed(row['content'], 'content')),
    inferenceId: optionalText(row['inference_id'], 'inference_id'),
    isRead: row['is_read'] === 1,
    outcome: decodeOutcome(parsed(row['outcome'], 'outcome')),
  };
}

function parsed(value: unknown, name: string): unknown {
  return JSON.parse(text(value, name));
}

function decodeSource(value: unknown): EventSource {
  const { kind, featureSet } = record(value);
  return { kind: oneOf(kind, ['push'], 'kind'), featureSet: text(featureSet, 'featureSet') };
}

function decodeOutcome(value: unknown): EventOutcome {
  const outcome = record(value);
  const kind = oneOf(outcome['kind'], ['none', 'asking', 'answered', 'failed'], 'kind');
  if (kind === 'none') return { kind };
  const at = integer(outcome['at'], 'at');
  if (kind === 'asking') return { kind, at };
  if (kind === 'failed') return { kind, at, message: text(outcome['message'], 'message') };
  const usage = decodeUsage(outcome['usage']);
  return { kind, at, text: text(outcome['text'], 'text'), model: text(outcome['model'], 'model'), usage };
}

function decodeUsage(value: unknown): Usage {
  const { inputTokens, outputTokens } = record(value);
  if (typeof inputTokens !== 'number' || typeof outputTokens !== 'number') throw new TypeError('Counts were expected.');
  return { inputTokens, outputTokens };
}

function decodeBlock(value: unknown): ContentBlock {
  if (isBlock(value)) return value;
  throw new TypeError('A piece of content was expected.');
}

/** The text was parsed as JSON, so members that are not checked here are JSON too. */
function isBlock(value: unknown): value is ContentBlock {
  const { type, text: words, data, mimeType, resource, uri, name, ...rest } = record(value);
  switch (type) {
    case 'text':
      return typeof words === 'string';
    case 'image':
    case 'audio':
      return typeof data === 'string' && typeof mimeType === 'string';
    case 'resource':
      return isJsonObjectOfFile(resource);
    case 'resource_link':
      return typeof uri === 'string' && typeof name === 'string';
    case 'unknown':
      return 'value' in rest;
    default:
      return false;
  }
}

function jsonObject(value: unknown): JsonObject {
  if (isJsonObjectOfFile(value)) return value;
  throw new TypeError('An object was expected.');
}

function isJsonObjectOfFile(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
