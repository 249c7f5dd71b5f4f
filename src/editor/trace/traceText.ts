import { cleanLine, cleanText, parseJson, type TraceEntry } from '../../core/index.ts';
import type { TraceMessage, TraceRow } from '../../webview/trace/traceMessages.ts';
import { checkpointIn } from './traceCheckpoint.ts';

const MAX_LABEL = 200;
const MAX_FACTS = 500;
/** Indentation makes deeply nested messages many times longer. */
const MAX_SHOWN = 400_000;

export function traceRow(entry: TraceEntry, position: number): TraceRow {
  return {
    position,
    n: entry.n,
    time: clockTime(entry.at),
    direction: entry.direction,
    kind: entry.kind,
    method: cleanLine([entry.method ?? '', ...checkpointOf(entry)].join(' · '), MAX_LABEL),
    id: cleanLine(String(entry.id ?? ''), MAX_LABEL),
    size: sizeText(entry.size),
  };
}

function checkpointOf(entry: TraceEntry): readonly string[] {
  const checkpoint = checkpointIn(entry);
  return checkpoint === undefined ? [] : [checkpoint];
}

/** `fate`: the outcome of the checkpoint in the message. */
export function traceMessage(entry: TraceEntry, fate?: string): TraceMessage {
  const { n, at, direction, kind, method, id, size, isCut } = entry;
  const way = direction === 'sent' ? 'sent to the server' : 'received from the server';
  const facts = [
    `${way} at ${clockTime(at)}`,
    ...(id === undefined ? [] : [`id ${String(id)}`]),
    sizeText(size),
    ...(isCut ? ['only its beginning is kept'] : []),
    ...(fate === undefined ? [] : [fate]),
  ];
  return {
    n,
    title: cleanLine(method === undefined ? kind : `${method} (${kind})`, MAX_LABEL),
    facts: cleanLine(facts.join(' · '), MAX_FACTS),
    text: cleanText(formatted(entry), MAX_SHOWN),
  };
}

/** Indents complete messages. Truncated ones are shown as they are. */
export function formatted({ text, isCut, kind }: TraceEntry): string {
  if (isCut || kind === 'dropped') return text;
  try {
    return JSON.stringify(parseJson(text), undefined, 2);
  } catch {
    // Removing a secret may have removed a quotation mark.
    return text;
  }
}

function clockTime(at: number): string {
  const date = new Date(at);
  const two = (number: number): string => String(number).padStart(2, '0');
  const ms = String(date.getMilliseconds()).padStart(3, '0');
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${ms}`;
}

function sizeText(characters: number): string {
  if (characters < 1_000) return `${characters} B`;
  if (characters < 1_000_000) return `${(characters / 1_000).toFixed(1)} kB`;
  return `${(characters / 1_000_000).toFixed(1)} MB`;
}
