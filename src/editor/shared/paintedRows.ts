import type { ViewRow } from './viewRow.ts';

export interface PaintedRow<R> extends ViewRow {
  readonly children: readonly R[];
}

/** Tracks painted rows, so that only changed ones are repainted: a repaint swallows a simultaneous click. */
export class PaintedRows<R extends PaintedRow<R>> {
  /** The root objects known to the editor. */
  #handed: readonly R[] = [];
  /** The current row of each root. */
  #current = new Map<string, R>();
  /** Whether the editor was asked to read all rows of the visible view, and did not begin yet. */
  #isAwaited = false;
  /** Settles when the editor has the rows that it read last. */
  #handing: Promise<unknown> = Promise.resolve();

  /** Reads the roots for the editor, and remembers them. */
  async hand(read: () => Promise<readonly R[]>): Promise<R[]> {
    this.#isAwaited = false;
    const reading = read();
    this.#handing = reading.catch(() => undefined);
    const roots = await reading;
    this.#handed = roots;
    this.#current = new Map(roots.map((row) => [row.id, row]));
    return [...roots];
  }

  /** Stops waiting for the editor, which may have dropped a request while the view was hidden. */
  forgetRequest(): void {
    this.#isAwaited = false;
  }

  /** Repaints changed roots with their children, or everything. */
  async repaint(
    isVisible: boolean,
    read: () => Promise<readonly R[]>,
    ask: (row: R | undefined) => void,
  ): Promise<void> {
    // The editor is about to read all rows anyway.
    if (isVisible && this.#isAwaited) return;
    await this.#handing;
    const changed = await this.#changes(isVisible, read);
    if (changed !== 'all') {
      for (const row of changed) ask(row);
      return;
    }
    if (isVisible && this.#isAwaited) return;
    this.#isAwaited = isVisible;
    ask(undefined);
  }

  /** Rows below the roots are recreated with their parent. */
  current(row: R): R {
    return this.#current.get(row.id) ?? row;
  }

  async #changes(isVisible: boolean, read: () => Promise<readonly R[]>): Promise<readonly R[] | 'all'> {
    // A hidden view reads its rows when shown.
    if (!isVisible) return 'all';
    let roots: readonly R[];
    try {
      roots = await read();
    } catch {
      // The editor's own read reports the error.
      return 'all';
    }
    const handed = this.#handed;
    if (roots.length !== handed.length || roots.some(({ id }, i) => id !== handed[i]?.id)) return 'all';
    const changed = handed.filter((known, i) => {
      const now = roots[i];
      return now !== undefined && !isSame(this.current(known), now);
    });
    for (const row of roots) this.#current.set(row.id, row);
    return changed;
  }
}

function isSame<R extends PaintedRow<R>>(a: R, b: R): boolean {
  return !b.children.some(hasLazyChildren) && JSON.stringify(a) === JSON.stringify(b);
}

/** A part of a long list, whose rows are created on demand. */
function hasLazyChildren(row: object): boolean {
  return Object.getOwnPropertyDescriptor(row, 'children')?.get !== undefined;
}
