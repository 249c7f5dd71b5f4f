/**
 * Messages between the lineage page and the editor. The page only holds the rows that it shows: it knows their number
 * and requests the ones it needs. All texts are safe to display.
 */
import { isIndex, isRecord } from '../shared/messageChecks.ts';
import { pluralWord } from '../shared/plural.ts';

/** An entry of the lineage menu. */
export interface LineageChoice {
  /** Identifies the lineage in messages. */
  readonly key: string;
  readonly label: string;
}

export type LineageView =
  /** Not loaded yet. */
  | { readonly kind: 'loading' }
  /** No server has stored a state. A sentence with the next step. */
  | { readonly kind: 'empty'; readonly text: string }
  | { readonly kind: 'failed'; readonly text: string }
  | { readonly kind: 'shown'; readonly status: LineageStatus };

export interface LineageStatus {
  readonly key: string;
  readonly choices: readonly LineageChoice[];
  /** Changes with every change. Rows of different versions are not mixed. */
  readonly list: number;
  /** Number of rows with and without the filter. */
  readonly total: number;
  readonly all: number;
  /** Position of the head, unless the filter hides it. */
  readonly head: number | undefined;
  readonly lanes: number;
  /** Why the next call of the set is refused, with the next step. Absent if it is not. */
  readonly blocked: BlockedLineage | undefined;
}

export interface BlockedLineage {
  readonly text: string;
  /** The checkpoint that blocks. */
  readonly place: number;
}

/** Decides the symbol and the spoken description. */
export type NodeKind = 'good' | 'broken' | 'unknown' | 'pruned';

export interface PageRow {
  readonly position: number;
  readonly place: number;
  /** The server's name, with `#2` for a second one. */
  readonly id: string;
  /** The user's name for it, or empty. */
  readonly name: string;
  readonly kind: NodeKind;
  /** The tool that created it, or a description of its origin. */
  readonly tool: string;
  readonly args: string;
  readonly time: string;
  /** Size of the received content: `120 B`, `patch 1.2 KB`. */
  readonly size: string;
  readonly isHead: boolean;
  readonly isOnLine: boolean;
  readonly isPinned: boolean;
  readonly conversations: number;
  /** Number of rollbacks to it. */
  readonly rollbacks: number;
  /** Whether the server stated the parent or the host assumed it (dashed line). */
  readonly link: 'named' | 'assumed' | 'rollback';
  readonly graph: PageGraph | undefined;
  /** Description of the row for screen readers. */
  readonly spoken: string;
}

export interface PageGraph {
  readonly lane: number;
  readonly through: readonly number[];
  readonly children: readonly number[];
  readonly hasParent: boolean;
  readonly folded: number;
}

/** Details of one checkpoint. */
export interface PageDetail {
  readonly place: number;
  readonly title: string;
  readonly facts: readonly { readonly label: string; readonly value: string }[];
  /** The problem of the checkpoint. Empty if there is none. */
  readonly problem: string;
  /** `Patch` or `State`. */
  readonly bodyLabel: string;
  readonly body: string;
  readonly actions: readonly CheckpointAction[];
}

export const CHECKPOINT_ACTIONS = [
  'rollBack',
  'continue',
  'openState',
  'compareWithParent',
  'compareWithHead',
  'pin',
  'unpin',
  'name',
  'copyId',
] as const;
export type CheckpointAction = (typeof CHECKPOINT_ACTIONS)[number];

export const LINEAGE_CHOICES = ['all', 'line', 'marked', 'problems'] as const;

export interface PageFilter {
  readonly text: string;
  readonly only: (typeof LINEAGE_CHOICES)[number];
}

/** Number of newest rows that are sent with every list. */
export const FIRST_ROWS = 60;

export type ToLineagePage =
  | { readonly type: 'view'; readonly view: LineageView }
  | { readonly type: 'rows'; readonly list: number; readonly rows: readonly PageRow[] }
  | { readonly type: 'detail'; readonly detail: PageDetail | undefined }
  /** Selects a row and scrolls to it: for a command, a notification, or `locate`. */
  | { readonly type: 'reveal'; readonly position: number; readonly place: number };

export type FromLineagePage =
  /** `key` is empty if the page knows no lineage. */
  | { readonly type: 'ready'; readonly key: string; readonly filter: PageFilter }
  | { readonly type: 'filter'; readonly filter: PageFilter }
  | { readonly type: 'choose'; readonly key: string }
  | { readonly type: 'rows'; readonly list: number; readonly from: number; readonly count: number }
  /** Requests the detail. */
  | { readonly type: 'select'; readonly place: number }
  | { readonly type: 'act'; readonly action: CheckpointAction; readonly place: number }
  /** Requests the position under the current filter. Answered by `reveal`, or not at all if the filter hides it. */
  | { readonly type: 'locate'; readonly place: number }
  /** Continues from the head, past the checkpoint that blocks the next call. */
  | { readonly type: 'unblock'; readonly place: number }
  /** Compares two checkpoints, older first. */
  | { readonly type: 'compare'; readonly places: readonly [number, number] }
  | { readonly type: 'export' | 'import' | 'open' | 'retry' };

/** State that the page keeps while hidden and across a window reload. */
export interface LineagePageState {
  readonly key: string;
  readonly filter: PageFilter;
  /** The selected checkpoint. */
  readonly place?: number;
}

/** The content of a row's `data-vscode-context`, for the editor's context menu. */
export interface RowContext {
  readonly webviewSection: 'checkpoint';
  readonly place: number;
  readonly kind: NodeKind;
  readonly isHead: boolean;
  readonly isPinned: boolean;
  readonly preventDefaultContextMenuItems: true;
}

const SIGNALS = ['export', 'import', 'open', 'retry'] as const;
const PLACED = ['select', 'locate', 'unblock'] as const;
const MAX_FILTER = 1_000;
const MAX_KEY = 2_000;
/** More rows than any screen shows. */
const MAX_ROWS = 1_000;

/** Decodes a message from the page. Unknown messages are ignored. */
export function decodeFromLineagePage(value: unknown): FromLineagePage | undefined {
  if (!isRecord(value)) return undefined;
  const { type, place } = value;
  const signal = SIGNALS.find((known) => known === type);
  if (signal !== undefined) return { type: signal };
  const placed = PLACED.find((known) => known === type);
  if (placed !== undefined) return isIndex(place) ? { type: placed, place } : undefined;
  return decodePageRequest(value);
}

function decodePageRequest(value: Readonly<Record<string, unknown>>): FromLineagePage | undefined {
  const filter = decodeFilter(value['filter']);
  const key = decodeKey(value['key']);
  switch (value['type']) {
    case 'ready':
      return filter === undefined || key === undefined ? undefined : { type: 'ready', key, filter };
    case 'filter':
      return filter === undefined ? undefined : { type: 'filter', filter };
    case 'choose':
      return key === undefined ? undefined : { type: 'choose', key };
    default:
      return decodeRequest(value);
  }
}

function decodeRequest(value: Readonly<Record<string, unknown>>): FromLineagePage | undefined {
  const { type, list, from, count, place, places } = value;
  if (type === 'act') {
    const action = CHECKPOINT_ACTIONS.find((known) => known === value['action']);
    return action === undefined || !isIndex(place) ? undefined : { type, action, place };
  }
  if (type === 'compare') {
    const pair: readonly unknown[] = Array.isArray(places) && places.length === 2 ? places : [];
    const [first, second] = pair;
    return isIndex(first) && isIndex(second) ? { type, places: [first, second] } : undefined;
  }
  if (type !== 'rows' || !isIndex(list) || !isIndex(from) || !isIndex(count)) return undefined;
  return { type, list, from, count: Math.min(count, MAX_ROWS) };
}

export function decodeLineagePageState(value: unknown): LineagePageState | undefined {
  if (!isRecord(value)) return undefined;
  const key = decodeKey(value['key']);
  const filter = decodeFilter(value['filter']);
  if (key === undefined || filter === undefined) return undefined;
  const { place } = value;
  return { key, filter, ...(isIndex(place) ? { place } : {}) };
}

function decodeKey(value: unknown): string | undefined {
  return typeof value === 'string' && value.length <= MAX_KEY ? value : undefined;
}

function decodeFilter(value: unknown): PageFilter | undefined {
  if (!isRecord(value)) return undefined;
  const { text } = value;
  const only = LINEAGE_CHOICES.find((known) => known === value['only']);
  if (typeof text !== 'string' || text.length > MAX_FILTER || only === undefined) return undefined;
  return { text, only };
}

type Counts = Pick<LineageStatus, 'total' | 'all'>;

/** The number of checkpoints as text. */
export function countText({ total, all }: Counts, { text, only }: PageFilter): string {
  if (text === '' && only === 'all') return `${number(all)} ${pluralWord(all, 'checkpoint')}`;
  return `${number(total)} of ${number(all)} checkpoints`;
}

/** A shorter version for narrow views. */
export function shortCountText({ total, all }: Counts, { text, only }: PageFilter): string {
  return text === '' && only === 'all' ? number(all) : `${number(total)} of ${number(all)}`;
}

/** Why there are no rows. Empty if there are some. */
export function noRowsText({ total, all }: Counts, { text, only }: PageFilter): string {
  if (total > 0) return '';
  if (all === 0) return 'This lineage has no checkpoint yet. Call a tool of its server to make one.';
  if (text !== '') return 'No checkpoint matches the search. Press Escape to clear it.';
  const reasons: Readonly<Record<PageFilter['only'], string>> = {
    all: 'No checkpoint can be shown. Choose the lineage again.',
    line: 'The current branch has no checkpoint. Choose All to see the others.',
    marked: 'No checkpoint is pinned or has a name. Choose All, select one, then Pin it.',
    problems: 'No checkpoint is broken, unknown or pruned. Choose All to see them.',
  };
  return reasons[only];
}

/** The year, which narrow views omit. */
export function yearOf(time: string): string {
  return /^\d{4}-(?=\d\d-\d\d )/.exec(time)?.[0] ?? '';
}

/** Formatted by hand: loading `Intl` takes longer than drawing all rows. */
function number(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',');
}
