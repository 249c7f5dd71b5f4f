import { clip, type Json } from '../base/json.ts';
import { classify } from '../rpc/messages.ts';

/** Direction of a message, as seen from this host. */
export type TraceDirection = 'sent' | 'received';

type TraceKind = 'request' | 'notification' | 'result' | 'error' | 'dropped' | 'unknown';

/** One message of a connection. */
export interface TraceEntry {
  /** Counted from 1 in message order, without gaps. */
  readonly n: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly direction: TraceDirection;
  readonly kind: TraceKind;
  /** For an answer: the method of its request, if that was recorded too. */
  readonly method: string | undefined;
  readonly id: number | string | undefined;
  /** Characters of the whole message as JSON. */
  readonly size: number;
  /** The message as JSON without secrets, truncated if long. */
  readonly text: string;
  readonly isCut: boolean;
}

/** Selects messages of a trace. */
export interface TraceFilter {
  /** Part of the method name, case-insensitive. */
  readonly text: string;
  readonly direction: TraceDirection | 'both';
}

export const ALL_MESSAGES: TraceFilter = { text: '', direction: 'both' };

/** Maximum length of a stored text. */
export const MAX_ENTRY_TEXT = 65_536;
const MAX_METHOD = 200;

export function matcher({ text, direction }: TraceFilter): (entry: TraceEntry) => boolean {
  const wanted = text.trim().toLowerCase();
  return (entry) =>
    (direction === 'both' || entry.direction === direction) &&
    (wanted === '' || entry.method?.toLowerCase().includes(wanted) === true);
}

export type TraceRedaction = (text: string) => string;

export interface ShownText {
  readonly size: number;
  readonly text: string;
  readonly isCut: boolean;
}

/** The message as text. Never throws, because tracing must not affect the connection. */
export function shownText(message: Json, redact: TraceRedaction): ShownText {
  let whole: string;
  try {
    whole = JSON.stringify(message);
  } catch {
    return { size: 0, text: '‹a message that is no JSON›', isCut: true };
  }
  // Long messages are cut before secrets are removed. A secret that crosses the cut is not found, so the end is dropped
  // as well.
  const isLong = whole.length > 2 * MAX_ENTRY_TEXT;
  const clean = redact(isLong ? whole.slice(0, 2 * MAX_ENTRY_TEXT) : whole);
  const room = isLong ? Math.min(MAX_ENTRY_TEXT, Math.max(1, clean.length - MAX_ENTRY_TEXT)) : MAX_ENTRY_TEXT;
  const isCut = isLong || clean.length > room;
  return { size: whole.length, text: isCut ? detached(clip(clean, room)) : clean, isCut };
}

/** A substring keeps the whole text in memory, which would break the limits of the trace. */
function detached(part: string): string {
  return ` ${part}`.slice(1);
}

export interface MessageOutline {
  readonly kind: TraceKind;
  readonly id: number | string | undefined;
  /** Only if the message itself names it. */
  readonly method: string | undefined;
}

export function outline(message: Json): MessageOutline {
  const seen = classify(message);
  switch (seen.kind) {
    case 'request':
      return { kind: seen.kind, id: seen.id, method: clip(seen.method, MAX_METHOD) };
    case 'notification':
      return { kind: seen.kind, id: undefined, method: clip(seen.method, MAX_METHOD) };
    case 'result':
    case 'error':
      return { kind: seen.kind, id: seen.id, method: undefined };
    case 'ignored':
      return { kind: 'unknown', id: undefined, method: undefined };
  }
}
