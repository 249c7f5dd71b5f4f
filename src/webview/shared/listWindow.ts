/** Computes the visible rows of a virtual list with a fixed row height. */
export interface ListView {
  readonly scrollTop: number;
  readonly height: number;
  readonly rowHeight: number;
  /** Positions of existing rows. `end` is exclusive. */
  readonly start: number;
  readonly end: number;
}

export interface Range {
  readonly from: number;
  readonly to: number;
}

/** The rows that are at least partly visible, plus a margin on both sides. */
export function visibleRows({ scrollTop, height, rowHeight, start, end }: ListView, margin: number): Range {
  const first = start + Math.floor(scrollTop / rowHeight) - margin;
  const last = start + Math.ceil((scrollTop + height) / rowHeight) + margin;
  const from = Math.min(Math.max(first, start), end);
  return { from, to: Math.max(from, Math.min(last, end)) };
}

/** The shortest range that covers all missing rows of `range`. Undefined if none is missing. */
export function missingRows({ from, to }: Range, has: (position: number) => boolean): Range | undefined {
  let first = from;
  while (first < to && has(first)) first++;
  let last = to;
  while (last > first && has(last - 1)) last--;
  return first < last ? { from: first, to: last } : undefined;
}

/** The minimal scroll position at which a row is visible. */
export function scrollTo(position: number, { scrollTop, height, rowHeight, start }: ListView): number {
  const top = (position - start) * rowHeight;
  if (top < scrollTop) return top;
  return Math.max(scrollTop, top + rowHeight - height);
}

export function isAtEnd({ scrollTop, height, rowHeight, start, end }: ListView): boolean {
  return scrollTop + height >= (end - start) * rowHeight - rowHeight / 2;
}

/** The row that a key moves to. Undefined for other keys. */
export function rowAfterKey(key: string, current: number | undefined, view: ListView): number | undefined {
  const { start, end, height, rowHeight } = view;
  if (start === end) return undefined;
  const page = Math.max(1, Math.floor(height / rowHeight) - 1);
  const steps: Readonly<Record<string, number>> = { ArrowUp: -1, ArrowDown: 1, PageUp: -page, PageDown: page };
  if (key === 'Home') return start;
  if (key === 'End') return end - 1;
  const step = steps[key];
  if (step === undefined) return undefined;
  const from = current ?? (step > 0 ? start - 1 : end);
  return Math.min(Math.max(from + step, start), end - 1);
}
