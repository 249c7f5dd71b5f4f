import { drawing, icon } from '../shared/drawings.ts';
import { element } from '../shared/elements.ts';
import { GRAPH, graphPath, type LineLooks, type RowDrawing } from './lineageGraph.ts';
import { type PageRow, type RowContext, yearOf } from './lineageMessages.ts';

export interface RowLook {
  readonly position: number;
  readonly total: number;
  /** Number of lanes that fit. */
  readonly lanes: number;
  /** Styles of the lines from above. */
  readonly above: LineLooks;
  /** Whether there is little room for text. */
  readonly isNarrow: boolean;
}

/** A list element that is reused for different rows. */
export class RowElement {
  readonly root: HTMLElement;
  readonly #graph: LineageGraphView;
  readonly #label: Cell;
  readonly #id: Cell;
  readonly #checkpoint: HTMLElement;
  readonly #tool: Cell;
  readonly #args: Cell;
  readonly #size: Cell;
  readonly #time: Cell;
  #badges = '';
  #width = 0;
  #row: PageRow | undefined;
  #look: RowLook | undefined;
  #isSelected = false;
  #isMarked = false;

  constructor(id: string) {
    prepared ??= prepare();
    this.root = document.importNode(prepared, true);
    this.root.id = id;
    const cell = (name: string): Cell => new Cell(part(this.root, name));
    this.#graph = new LineageGraphView(part<SVGSVGElement>(this.root, 'graph'));
    this.#checkpoint = part(this.root, 'checkpoint');
    this.#label = cell('label');
    this.#id = cell('id');
    this.#tool = cell('tool-name');
    this.#args = cell('args');
    this.#size = cell('size');
    this.#time = cell('time');
  }

  /** Width of its graph. */
  get width(): number {
    return this.#width;
  }

  get row(): PageRow | undefined {
    return this.#row;
  }

  get position(): number | undefined {
    return this.#look?.position;
  }

  show(row: PageRow | undefined, look: RowLook): void {
    const before = this.#look;
    const isOther = before === undefined || row !== this.#row || !isSame(before, look);
    this.#row = row;
    this.#look = look;
    if (before?.position !== look.position || before.total !== look.total) this.#setPosition(look);
    if (!isOther) return;
    if (row === undefined) this.#clear();
    else this.#fill(row, look);
  }

  /** Hides it until it is needed for another row. */
  hide(): void {
    if (this.#look === undefined) return;
    this.#look = undefined;
    this.#row = undefined;
    this.root.hidden = true;
  }

  mark(isSelected: boolean, isMarked: boolean): void {
    if (isSelected !== this.#isSelected) {
      this.#isSelected = isSelected;
      this.root.setAttribute('aria-selected', String(isSelected));
      this.root.classList.toggle('selected', isSelected);
    }
    if (isMarked === this.#isMarked) return;
    this.#isMarked = isMarked;
    this.root.classList.toggle('marked', isMarked);
    this.#say();
  }

  #setPosition({ position, total }: RowLook): void {
    this.root.hidden = false;
    this.root.style.setProperty('transform', `translateY(${position * GRAPH.rowHeight}px)`);
    this.root.setAttribute('aria-posinset', String(position + 1));
    this.root.setAttribute('aria-setsize', String(total));
  }

  #fill(row: PageRow, { lanes, above, isNarrow }: RowLook): void {
    const drawn = graphPath(row, lanes, above);
    this.#width = drawn.width;
    this.#graph.draw(drawn);
    this.root.className = classOf(row, this.#isSelected, this.#isMarked);
    const isNamed = row.name !== '';
    this.#label.set(isNamed ? row.name : row.id, isNamed ? `${row.name} (${row.id})` : row.id);
    this.#id.set(isNamed ? row.id : '');
    this.#id.root.hidden = !isNamed;
    this.#show(row);
    this.#tool.set(row.tool);
    this.#args.set(row.args, row.args);
    this.#size.set(row.size);
    this.#time.set(isNarrow ? row.time.slice(yearOf(row.time).length) : row.time);
    this.root.dataset['vscodeContext'] = JSON.stringify(rowContext(row));
    this.#say();
  }

  #clear(): void {
    this.#width = 0;
    this.#graph.clear();
    this.root.className = classOf(undefined, this.#isSelected, this.#isMarked);
    for (const cell of [this.#label, this.#id, this.#tool, this.#args, this.#size, this.#time]) cell.set('');
    this.#show(undefined);
    delete this.root.dataset['vscodeContext'];
    this.#say();
  }

  /** Badges are created on demand, because most rows have none. */
  #show(row: PageRow | undefined): void {
    const wanted = badgesOf(row);
    if (wanted === this.#badges) return;
    this.#badges = wanted;
    this.#checkpoint.children[1]?.remove();
    if (row !== undefined && wanted !== '') this.#checkpoint.append(badges(row));
  }

  #say(): void {
    const spoken = this.#row?.spoken ?? 'Loading';
    this.root.setAttribute('aria-label', this.#isMarked ? `${spoken} Marked for comparison.` : spoken);
    if (this.#isMarked) this.root.setAttribute('aria-checked', 'true');
    else this.root.removeAttribute('aria-checked');
  }
}

function badgesOf(row: PageRow | undefined): string {
  if (row === undefined || !(row.isHead || row.isPinned || row.rollbacks + row.conversations > 0)) return '';
  return `${row.isHead} ${row.isPinned} ${row.rollbacks} ${row.conversations}`;
}

function badges({ isHead, isPinned, rollbacks, conversations }: PageRow): HTMLElement {
  const all = element('span', { class: 'badges' });
  if (isHead) all.append(element('span', { class: 'badge', text: 'Head' }));
  if (isPinned) all.append(icon('pin'));
  if (rollbacks > 0) all.append(counted('back', rollbacks, 'Rolled back to'));
  if (conversations > 0) all.append(counted('chat', conversations, 'Chats here'));
  return all;
}

function counted(name: 'back' | 'chat', count: number, title: string): HTMLElement {
  const text = document.createTextNode(count > 1 ? String(count) : '');
  return element('span', { class: 'counted', attributes: { title }, children: [icon(name), text] });
}

/** An empty row as a template. Creating each element anew takes several times as long. */
let prepared: HTMLElement | undefined;

function prepare(): HTMLElement {
  const cell = (name: string, children: readonly Node[] = []): HTMLElement =>
    element('span', { class: name, children });
  const children = [
    LineageGraphView.prepare(),
    cell('checkpoint', [cell('name', [cell('label'), cell('id')])]),
    cell('call', [cell('tool-name'), cell('args')]),
    cell('size'),
    cell('time'),
  ];
  return element('div', { class: 'row', attributes: { role: 'treeitem', 'aria-level': '1' }, children });
}

function part<E extends Element = HTMLElement>(root: Element, name: string): E {
  const found = root.querySelector<E>(`.${name}`);
  if (found === null) throw new Error(`A row has no part "${name}".`);
  return found;
}

/** A reused text node, so that scrolling creates no nodes. */
class Cell {
  readonly root: HTMLElement;
  readonly #text = document.createTextNode('');
  #title = '';

  constructor(root: HTMLElement) {
    this.root = root;
    root.append(this.#text);
  }

  set(text: string, title = ''): void {
    if (this.#text.data !== text) this.#text.data = text;
    if (this.#title === title) return;
    this.#title = title;
    this.root.title = title;
  }
}

function isSame(one: RowLook, other: RowLook): boolean {
  if (one.lanes !== other.lanes || one.isNarrow !== other.isNarrow || one.above.size !== other.above.size) return false;
  for (const [lane, look] of one.above) if (other.above.get(lane) !== look) return false;
  return true;
}

function classOf(row: PageRow | undefined, isSelected: boolean, isMarked: boolean): string {
  const classes = [
    'row',
    ...(row === undefined ? [] : [row.kind]),
    ...(row?.isHead === true ? ['head'] : []),
    ...(row?.isOnLine === false ? ['aside'] : []),
    ...(isSelected ? ['selected'] : []),
    ...(isMarked ? ['marked'] : []),
  ];
  return classes.join(' ');
}

function rowContext({ place, kind, isHead, isPinned }: PageRow): RowContext {
  return { webviewSection: 'checkpoint', place, kind, isHead, isPinned, preventDefaultContextMenuItems: true };
}

/** The SVG graph of one row. Elements are reused for other rows. */
class LineageGraphView {
  readonly #root: SVGSVGElement;
  readonly #lines: Path[] = [];
  readonly #node: Path;
  #folded: SVGTextElement | undefined;

  constructor(root: SVGSVGElement) {
    this.#root = root;
    const paths = [...root.querySelectorAll('path')].map((path) => new Path(path));
    this.#node = paths.pop() ?? new Path(root.appendChild(drawing('path')));
    this.#lines.push(...paths);
  }

  /** The template for each row. Most rows have one line and a node. */
  static prepare(): SVGSVGElement {
    return drawing('svg', { class: 'graph', height: '22', 'aria-hidden': 'true' }, [drawing('path'), drawing('path')]);
  }

  draw({ width, lines, node, folded, foldedAt }: RowDrawing): void {
    this.#root.setAttribute('width', String(width));
    for (const [index, { colour, look, d }] of lines.entries()) this.#line(index).set(`line lane-${colour} ${look}`, d);
    this.#trim(lines.length);
    this.#node.set(`node lane-${node.colour} ${node.shape}`, node.d);
    this.#fold(folded, foldedAt);
  }

  clear(): void {
    this.#trim(0);
    this.#node.set('', '');
    this.#fold('', 0);
  }

  /** Created on demand, because few rows need it and SVG text is slow. */
  #fold(folded: string, x: number): void {
    if (folded === '') {
      this.#folded?.remove();
      this.#folded = undefined;
      return;
    }
    this.#folded ??= this.#root.appendChild(drawing('text', { class: 'folded', y: '15' }));
    this.#folded.setAttribute('x', String(x));
    this.#folded.textContent = folded;
  }

  #line(index: number): Path {
    const known = this.#lines[index];
    if (known !== undefined) return known;
    const made = new Path(drawing('path'));
    this.#lines.push(made);
    this.#root.insertBefore(made.root, this.#node.root);
    return made;
  }

  /** Removes the paths of a row with many lanes. */
  #trim(count: number): void {
    for (const { root } of this.#lines.splice(count)) root.remove();
  }
}

class Path {
  readonly root: SVGPathElement;
  #look = '';
  #d = '';

  constructor(root: SVGPathElement) {
    this.root = root;
  }

  set(look: string, d: string): void {
    if (look !== this.#look) this.root.setAttribute('class', look);
    if (d !== this.#d) this.root.setAttribute('d', d);
    this.#look = look;
    this.#d = d;
  }
}
