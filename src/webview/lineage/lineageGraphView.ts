import { drawing } from '../shared/drawings.ts';
import type { RowDrawing } from './lineageGraph.ts';

/** The lines and the node beside one row: elements are kept, and drawn anew for the row that comes next. */
export class LineageGraphView {
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

  /** What is cloned for every row: most have one line and their node. */
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

  /** Few rows have so many lanes, and text in a drawing is dear. */
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

  /** A row that had many lanes must not keep them for ever. */
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
