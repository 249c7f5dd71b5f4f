import { cleanLine } from '../../core/index.ts';

/** A column: its title, how long its texts may be, and what stands in it. */
export type Column<Row> = readonly [title: string, max: number, cell: (row: Row) => string];

/** Rows as a table of text, a line each, under the titles of its columns. */
export function textTable<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): readonly string[] {
  const cells = [
    columns.map(([title]) => title),
    ...rows.map((row) => columns.map(([, max, cell]) => cleanLine(cell(row), max))),
  ];
  const widths = columns.map((_, column) => Math.max(...cells.map((line) => line[column]?.length ?? 0)));
  return cells.map((line) =>
    line
      .map((text, column) => text.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
