import type { PageGraph, PageRow } from './lineageMessages.ts';

/** In pixels. Row height as in the style sheet. */
export const GRAPH = { rowHeight: 22, laneWidth: 11, edge: 9, bend: 5, colours: 5 } as const;
const MIDDLE = GRAPH.rowHeight / 2;

/** How certain the parent is: stated by the server, assumed, or from a rollback. */
type LineLook = PageRow['link'];

/** Styles of lines that leave a row downwards, by lane. Plain lines are absent. */
export type LineLooks = ReadonlyMap<number, LineLook>;

export const PLAIN_LINES: LineLooks = new Map();

type NodeShape = 'dot' | 'head' | 'hollowHead' | 'broken' | 'unknown' | 'pruned';

/** One path for all lines of equal color and style. */
interface GraphLine {
  readonly colour: number;
  readonly look: LineLook;
  readonly d: string;
}

export interface RowDrawing {
  readonly width: number;
  readonly lines: readonly GraphLine[];
  readonly node: { readonly colour: number; readonly shape: NodeShape; readonly d: string };
  /** Number of lines without a lane: `+3`, or empty. */
  readonly folded: string;
  /** Horizontal position of that text. */
  readonly foldedAt: number;
}

type Drawn = Pick<PageRow, 'graph' | 'link' | 'kind' | 'isHead'>;

/** With a filter, lines would lead to hidden rows. */
const ALONE: PageGraph = { lane: 0, through: [], children: [], hasParent: false, folded: 0 };

/** Draws the graph of a row in at most `lanes` lanes. The last lane stands for all further ones. */
export function graphPath(row: Drawn, lanes: number, above: LineLooks = PLAIN_LINES): RowDrawing {
  const { lane, through, children, hasParent, folded } = row.graph ?? ALONE;
  const last = Math.max(0, lanes - 1);
  const at = (each: number): number => Math.min(each, last);
  const shape = nodeShape(row);
  const gap = nodeGap(shape);
  const x = laneX(at(lane));
  const lines = new Lines();
  let widest = at(lane);
  let hidden = folded;
  for (const each of through) {
    widest = Math.max(widest, at(each));
    if (each > last) hidden++;
    lines.add(at(each), above.get(each), `M${laneX(at(each))} 0V${GRAPH.rowHeight}`);
  }
  for (const each of children) {
    widest = Math.max(widest, at(each));
    lines.add(at(each), above.get(each), childPath(laneX(at(each)), x, gap));
  }
  if (hasParent) lines.add(at(lane), row.link, `M${x} ${MIDDLE + gap}V${GRAPH.rowHeight}`);
  const node = { colour: laneColour(at(lane)), shape, d: nodePath(shape, x) };
  const text = foldedText(hidden);
  const width = laneX(widest) + GRAPH.edge;
  const drawn = { lines: lines.all(), node, folded: text, foldedAt: width + 2 };
  return { ...drawn, width: text === '' ? width : width + 2 + FOLDED_CHARACTER * text.length };
}

/** Character width at the size in the style sheet, in the widest common font. */
const FOLDED_CHARACTER = 7;

/** At most five characters. */
function foldedText(count: number): string {
  if (count === 0) return '';
  return count < 1_000 ? `+${count}` : `+${Math.floor(count / 1_000)}k`;
}

/** The lanes that leave room for text, but enough to distinguish branches. */
export function lanesWithin(width: number): number {
  const room = Math.floor((width * 0.36 - 2 * GRAPH.edge - 3 * FOLDED_CHARACTER) / GRAPH.laneWidth) + 1;
  return Math.max(4, room);
}

/** Columns grow in steps, starting at two lanes, so that text does not move with each new row. */
const COLUMN_STEP = 2 * GRAPH.laneWidth;
const MIN_COLUMN = 2 * GRAPH.edge + GRAPH.laneWidth;

/**
 * Width of the graph column for its widest row. A column that is too wide shrinks only after scrolling stops, and by
 * more than one step.
 */
export function columnWidth(widest: number, before: number, isMoving: boolean): number {
  const steps = Math.max(0, Math.ceil((widest - MIN_COLUMN) / COLUMN_STEP));
  const wanted = MIN_COLUMN + steps * COLUMN_STEP;
  if (wanted > before) return wanted;
  return isMoving || wanted + COLUMN_STEP >= before ? before : wanted;
}

/** Styles of the lines below a row, given those above. */
export function carryLooks(above: LineLooks, { graph, link }: Pick<PageRow, 'graph' | 'link'>): LineLooks {
  if (graph === undefined) return PLAIN_LINES;
  const isPlain = link === 'named' || !graph.hasParent;
  if (isPlain && above.size === 0) return PLAIN_LINES;
  const below = new Map<number, LineLook>();
  for (const lane of graph.through) {
    const look = above.get(lane);
    if (look !== undefined) below.set(lane, look);
  }
  if (!isPlain) below.set(graph.lane, link);
  return below.size === 0 ? PLAIN_LINES : below;
}

/** Maximum number of rows to search upwards for the start of a line. */
const MAX_ABOVE = 200;

/** Styles of the lines above a row, from the known rows above it. A line starts at the top of its lane. */
export function looksAbove(
  position: number,
  at: (position: number) => Pick<PageRow, 'graph' | 'link'> | undefined,
): LineLooks {
  const graph = at(position)?.graph;
  if (graph === undefined) return PLAIN_LINES;
  const open = new Set([...graph.through, ...graph.children]);
  const looks = new Map<number, LineLook>();
  for (let above = position - 1; open.size > 0 && above >= position - MAX_ABOVE; above--) {
    const row = at(above);
    if (row?.graph === undefined) break;
    if (open.delete(row.graph.lane) && row.link !== 'named') looks.set(row.graph.lane, row.link);
  }
  return looks.size === 0 ? PLAIN_LINES : looks;
}

function laneX(lane: number): number {
  return GRAPH.edge + lane * GRAPH.laneWidth;
}

function laneColour(lane: number): number {
  return lane % GRAPH.colours;
}

function nodeShape({ kind, isHead }: Drawn): NodeShape {
  if (kind === 'good') return isHead ? 'head' : 'dot';
  // A server may prune its current checkpoint.
  return isHead && kind !== 'broken' ? 'hollowHead' : kind;
}

/** Lines end at the node's edge, because hollow nodes are transparent. */
function nodeGap(shape: NodeShape): number {
  if (shape === 'head' || shape === 'hollowHead') return 6;
  return shape === 'broken' ? 5 : 4.5;
}

/** From a child's lane into the node: straight, or around a corner. */
function childPath(from: number, to: number, gap: number): string {
  if (from === to) return `M${from} 0V${MIDDLE - gap}`;
  const side = from > to ? -1 : 1;
  const { bend } = GRAPH;
  const turn = `A${bend} ${bend} 0 0 ${side < 0 ? 1 : 0} ${from + side * bend} ${MIDDLE}`;
  return `M${from} 0V${MIDDLE - bend}${turn}H${to - side * gap}`;
}

function nodePath(shape: NodeShape, x: number): string {
  switch (shape) {
    case 'dot':
      return circle(x, 4);
    case 'head':
      // Ring: outer circle, hole, and filled center (even-odd).
      return circle(x, 6) + circle(x, 4.4) + circle(x, 2.4);
    case 'hollowHead':
      return circle(x, 6) + circle(x, 4.4) + circle(x, 2.8) + circle(x, 1.6);
    case 'broken':
      return `M${x - 3.5} ${MIDDLE - 3.5}l7 7m0-7l-7 7`;
    case 'unknown':
    case 'pruned':
      return circle(x, 3.6);
  }
}

function circle(x: number, radius: number): string {
  const half = `a${radius} ${radius} 0 1 1 `;
  return `M${x - radius} ${MIDDLE}${half}${2 * radius} 0${half}${-2 * radius} 0Z`;
}

class Lines {
  readonly #paths = new Map<string, { readonly colour: number; readonly look: LineLook; d: string }>();

  add(lane: number, look: LineLook = 'named', d: string): void {
    const colour = laneColour(lane);
    const known = this.#paths.get(`${colour} ${look}`);
    if (known === undefined) this.#paths.set(`${colour} ${look}`, { colour, look, d });
    else known.d += d;
  }

  all(): readonly GraphLine[] {
    return [...this.#paths.values()];
  }
}
