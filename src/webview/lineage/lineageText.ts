import type { LineageStatus, PageFilter } from './lineageMessages.ts';

type Counts = Pick<LineageStatus, 'total' | 'all'>;

/** How many there are, in words. */
export function countText({ total, all }: Counts, { text, only }: PageFilter): string {
  if (text === '' && only === 'all') return `${number(all)} ${all === 1 ? 'checkpoint' : 'checkpoints'}`;
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
