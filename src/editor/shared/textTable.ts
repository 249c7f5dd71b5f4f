import { cleanLine } from '../../core/index.ts';

/** A column: title, maximum text length, and cell text. */
export type Column<Row> = readonly [title: string, max: number, cell: (row: Row) => string];

/** Rows as a text table with column titles. */
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
