/**
 * The contract between the lineage page and the editor. The page holds only the rows that it shows: it is told how many
 * there are and asks for those that it needs. Every text is fit to be shown as it is.
 */
import { pluralWord } from '../shared/plural.ts';

/** A lineage to choose from. */
export interface LineageChoice {
  /** What the page gives back to name it. */
  readonly key: string;
  readonly label: string;
}

export type LineageView =
  /** Nothing was read yet. */
  | { readonly kind: 'loading' }
  /** No server has kept a state: a sentence with the next step. */
  | { readonly kind: 'empty'; readonly text: string }
  | { readonly kind: 'failed'; readonly text: string }
  | { readonly kind: 'shown'; readonly status: LineageStatus };

export interface LineageStatus {
  readonly key: string;
  readonly choices: readonly LineageChoice[];
  /** Another number after any change: rows of an earlier one are not mixed with those of this one. */
  readonly list: number;
  /** Rows under the filter, and without it. */
  readonly total: number;
  readonly all: number;
  /** Where the head stands, where the filter leaves it in. */
  readonly head: number | undefined;
  readonly lanes: number;
  /** Why the next call of the set is refused, with the next step; absent where it is not. */
  readonly blocked: BlockedLineage | undefined;
}

export interface BlockedLineage {
  readonly text: string;
  /** The checkpoint that is to blame. */
  readonly place: number;
}

/** How a node is drawn and spoken of beside its name. */
export type NodeKind = 'good' | 'broken' | 'unknown' | 'pruned';

export interface PageRow {
  readonly position: number;
  readonly place: number;
  /** As its server calls it, `#2` included. */
  readonly id: string;
  /** As a person called it; else nothing. */
  readonly name: string;
  readonly kind: NodeKind;
  /** The tool that made it, or in words how it came to be. */
  readonly tool: string;
  readonly args: string;
  readonly time: string;
  /** Of what came with it: `120 B`, `patch 1.2 KB`. */
  readonly size: string;
  readonly isHead: boolean;
  readonly isOnLine: boolean;
  readonly isPinned: boolean;
  readonly conversations: number;
  /** How often somebody rolled back to it. */
  readonly rollbacks: number;
  /** Whether the line to its parent was told by the server, or only assumed (drawn dashed). */
  readonly link: 'named' | 'assumed' | 'rollback';
  readonly graph: PageGraph | undefined;
  /** The whole of it as a sentence, for a screen reader. */
  readonly spoken: string;
}

export interface PageGraph {
  readonly lane: number;
  readonly through: readonly number[];
  readonly children: readonly number[];
  readonly hasParent: boolean;
  readonly folded: number;
}

/** One checkpoint to be looked at. */
export interface PageDetail {
  readonly place: number;
  readonly title: string;
  readonly facts: readonly { readonly label: string; readonly value: string }[];
  /** What is wrong with it; nothing where all is well. */
  readonly problem: string;
  /** `Patch` or `State`, and its text. */
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

/** So many of the newest come with every list, without being asked for. */
export const FIRST_ROWS = 60;

export type ToLineagePage =
  | { readonly type: 'view'; readonly view: LineageView }
  | { readonly type: 'rows'; readonly list: number; readonly rows: readonly PageRow[] }
  | { readonly type: 'detail'; readonly detail: PageDetail | undefined }
  /** Has a row selected and seen: by a command, a notification, or as the answer to `locate`. */
  | { readonly type: 'reveal'; readonly position: number; readonly place: number };

export type FromLineagePage =
  /** `key` is nothing where the page does not know any. */
  | { readonly type: 'ready'; readonly key: string; readonly filter: PageFilter }
  | { readonly type: 'filter'; readonly filter: PageFilter }
  | { readonly type: 'choose'; readonly key: string }
  | { readonly type: 'rows'; readonly list: number; readonly from: number; readonly count: number }
  /** Its detail is wanted. */
  | { readonly type: 'select'; readonly place: number }
  | { readonly type: 'act'; readonly action: CheckpointAction; readonly place: number }
  /** Where it stands under the filter that was sent last: answered by `reveal`, or not at all where it is left out. */
  | { readonly type: 'locate'; readonly place: number }
  /** Work is to go on from the head, past the checkpoint that keeps the next call from being sent. */
  | { readonly type: 'unblock'; readonly place: number }
  /** Two checkpoints beside each other, the older one first. */
  | { readonly type: 'compare'; readonly places: readonly [number, number] }
  | { readonly type: 'export' | 'import' | 'open' | 'retry' };

/** What the page keeps while it is hidden, and over a reload of the window. */
export interface LineagePageState {
  readonly key: string;
  readonly filter: PageFilter;
  /** What was selected. */
  readonly place?: number;
}

/** What a row's element says of it in `data-vscode-context`, for the menu that the editor shows there. */
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
const LONGEST_FILTER = 1_000;
const LONGEST_KEY = 2_000;
/** More rows than any screen shows. */
const MOST_ROWS = 1_000;

/** Reads a message of the page: what is not understood is nothing. */
export function decodeFromLineagePage(value: unknown): FromLineagePage | undefined {
  if (!isRecord(value)) return undefined;
  const { type, place } = value;
  const signal = SIGNALS.find((known) => known === type);
  if (signal !== undefined) return { type: signal };
  const placed = PLACED.find((known) => known === type);
  if (placed !== undefined) return isIndex(place) ? { type: placed, place } : undefined;
  return decodeWish(value);
}

function decodeWish(value: Readonly<Record<string, unknown>>): FromLineagePage | undefined {
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
  return { type, list, from, count: Math.min(count, MOST_ROWS) };
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
  return typeof value === 'string' && value.length <= LONGEST_KEY ? value : undefined;
}

function decodeFilter(value: unknown): PageFilter | undefined {
  if (!isRecord(value)) return undefined;
  const { text } = value;
  const only = LINEAGE_CHOICES.find((known) => known === value['only']);
  if (typeof text !== 'string' || text.length > LONGEST_FILTER || only === undefined) return undefined;
  return { text, only };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isIndex(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

type Counts = Pick<LineageStatus, 'total' | 'all'>;

/** How many there are, in words. */
export function countText({ total, all }: Counts, { text, only }: PageFilter): string {
  if (text === '' && only === 'all') return `${number(all)} ${pluralWord(all, 'checkpoint')}`;
  return `${number(total)} of ${number(all)} checkpoints`;
}

/** The same where there is little room. */
export function shortCountText({ total, all }: Counts, { text, only }: PageFilter): string {
  return text === '' && only === 'all' ? number(all) : `${number(total)} of ${number(all)}`;
}

/** Why there are no rows; nothing where there are some. */
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

/** What a date begins with is left out where there is little room. */
export function yearOf(time: string): string {
  return /^\d{4}-(?=\d\d-\d\d )/.exec(time)?.[0] ?? '';
}

/** By hand: what a language knows of numbers takes the page longer to load than all of its rows. */
function number(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',');
}
