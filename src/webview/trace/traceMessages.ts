/**
 * Messages between the trace page and the editor. The page only holds the rows that it shows: it knows their number and
 * requests the ones it needs.
 */
import { isIndex, isRecord } from '../shared/messageChecks.ts';

export interface TraceStatus {
  readonly server: string;
  readonly isOn: boolean;
  /** Changes with the filter. Rows of different filters are not mixed. */
  readonly list: number;
  /** Positions of existing rows. `end` is exclusive, and `start` grows when old messages are removed. */
  readonly start: number;
  readonly end: number;
  /** Number of stored messages, with or without a match. */
  readonly kept: number;
}

/** A message as a row. Its texts are safe to display. */
export interface TraceRow {
  readonly position: number;
  readonly n: number;
  readonly time: string;
  readonly direction: Direction;
  readonly kind: string;
  readonly method: string;
  readonly id: string;
  readonly size: string;
}

type Direction = 'sent' | 'received';
export type DirectionChoice = Direction | 'both';

export interface TraceMessage {
  readonly n: number;
  readonly title: string;
  readonly facts: string;
  readonly text: string;
}

export type ToTracePage =
  | { readonly type: 'status'; readonly status: TraceStatus }
  | { readonly type: 'rows'; readonly list: number; readonly rows: readonly TraceRow[] }
  | { readonly type: 'message'; readonly message: TraceMessage };

export interface TracePageFilter {
  readonly text: string;
  readonly direction: DirectionChoice;
}

export type FromTracePage =
  | { readonly type: 'ready' | 'filter'; readonly filter: TracePageFilter }
  | { readonly type: 'rows'; readonly list: number; readonly from: number; readonly count: number }
  | { readonly type: 'message' | 'copy'; readonly n: number }
  | { readonly type: 'record' | 'clear' | 'export' };

/** State that the page keeps while hidden and across a window reload. */
export interface TracePageState {
  readonly server: string;
  readonly filter: TracePageFilter;
}

const SIGNALS = ['record', 'clear', 'export'] as const;
const DIRECTIONS = ['both', 'sent', 'received'] as const;
const MAX_FILTER = 1_000;
/** More rows than any screen shows. */
const MAX_ROWS = 1_000;

/** Decodes a message from the page. Unknown messages are ignored. */
export function decodeFromTracePage(value: unknown): FromTracePage | undefined {
  if (!isRecord(value)) return undefined;
  const { type, list, from, count, n } = value;
  const signal = SIGNALS.find((known) => known === type);
  if (signal !== undefined) return { type: signal };
  if (type === 'ready' || type === 'filter') {
    const filter = decodeFilter(value['filter']);
    return filter === undefined ? undefined : { type, filter };
  }
  if (type === 'message' || type === 'copy') return isIndex(n) ? { type, n } : undefined;
  if (type !== 'rows' || !isIndex(list) || !isIndex(from) || !isIndex(count)) return undefined;
  return { type, list, from, count: Math.min(count, MAX_ROWS) };
}

export function decodeTracePageState(value: unknown): TracePageState | undefined {
  if (!isRecord(value) || typeof value['server'] !== 'string') return undefined;
  const filter = decodeFilter(value['filter']);
  return filter === undefined ? undefined : { server: value['server'], filter };
}

function decodeFilter(value: unknown): TracePageFilter | undefined {
  if (!isRecord(value)) return undefined;
  const { text } = value;
  const direction = DIRECTIONS.find((known) => known === value['direction']);
  if (typeof text !== 'string' || text.length > MAX_FILTER || direction === undefined) return undefined;
  return { text, direction };
}
