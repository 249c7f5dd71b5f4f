import type { Spread } from './statistics.ts';

/** Three significant digits with separated thousands. Counts have no decimals. */
export const figure = (value: number): string => {
  if (!Number.isFinite(value)) return '-';
  const size = Math.abs(value);
  const decimals = size >= 100 || Number.isInteger(value) ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3;
  return value.toFixed(decimals).replace(/\B(?=(\d{3})+$)/g, ' ');
};

/** Without a spread for equal values, and without a unit for missing ones. */
export const range = ({ median, min, max }: Spread, unit = ''): string => {
  if (!Number.isFinite(median)) return figure(median);
  return min === max ? `${figure(median)}${unit}` : `${figure(median)}${unit} [${figure(min)}..${figure(max)}]`;
};

export interface Table {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Aligned columns: the first ones are text and left-aligned, the others are right-aligned values. */
export const table = (head: readonly string[], rows: readonly (readonly string[])[], words = 1): string => {
  const widths = head.map((_title, column) => Math.max(...[head, ...rows].map((row) => (row[column] ?? '').length)));
  const cell = (text: string, column: number): string =>
    column < words ? text.padEnd(widths[column] ?? 0) : text.padStart(widths[column] ?? 0);
  const line = (row: readonly string[]): string =>
    head
      .map((_title, column) => cell(row[column] ?? '', column))
      .join('  ')
      .trimEnd();
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
};
