import type { RowGraph } from '../core/index.ts';

/** How a checkpoint stands among the others, as `git log --graph` draws it: lines that come together above it, then it. */
export function graphLines(graph: RowGraph): { readonly above: string | undefined; readonly row: string } {
  const { lane, through, children, folded } = graph;
  const last = Math.max(lane, ...through, ...children);
  const row = Array.from({ length: last + 1 }, (_, at) => (at === lane ? '*' : through.includes(at) ? '|' : ' '));
  const more = folded === 0 ? '' : ` (+${folded})`;
  const joining = children.filter((child) => child !== lane);
  return {
    above: joining.length === 0 ? undefined : joinsOf(graph, joining, last),
    row: `${row.join(' ').trimEnd()}${more}`,
  };
}

/** One line for however many lanes a line has to cross: `|_|/`. */
function joinsOf({ lane, through, children }: RowGraph, joining: readonly number[], last: number): string {
  const cells = Array.from({ length: 2 * last + 1 }, () => ' ');
  for (const at of through) cells[2 * at] = '|';
  if (children.includes(lane)) cells[2 * lane] = '|';
  for (const child of joining) {
    const [from, to] = child > lane ? [2 * lane + 1, 2 * child - 1] : [2 * child + 1, 2 * lane - 1];
    for (let at = from; at <= to; at++) if (cells[at] === ' ') cells[at] = '_';
  }
  for (const child of joining) {
    if (child > lane) cells[2 * child - 1] = '/';
    else cells[2 * child + 1] = '\\';
  }
  return cells.join('').trimEnd();
}
