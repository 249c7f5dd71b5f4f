import type { ViewRow } from './viewRow.ts';

interface Row<R> extends ViewRow {
  readonly children: readonly R[];
}

/** What a view shows, so that only what shows something else is painted again: a repaint swallows a click that comes with it. */
export class PaintedRows<R extends Row<R>> {
  /** By these objects the editor knows the rows at the top. */
  #handed: readonly R[] = [];
  /** What each of them stands for by now. */
  #current = new Map<string, R>();

  /** What the editor is given when it asks for the whole view. */
  hand(roots: readonly R[]): R[] {
    this.#handed = roots;
    this.#current = new Map(roots.map((row) => [row.id, row]));
    return [...roots];
  }

  /** Has the editor ask again for rows at the top, with all below them, or for everything. */
  async repaint(
    isVisible: boolean,
    read: () => Promise<readonly R[]>,
    ask: (row: R | undefined) => void,
  ): Promise<void> {
    const changed = await this.#changes(isVisible, read);
    if (changed === 'all') ask(undefined);
    else for (const row of changed) ask(row);
  }

  /** A row below the top is made anew with what it stands under. */
  current(row: R): R {
    return this.#current.get(row.id) ?? row;
  }

  async #changes(isVisible: boolean, read: () => Promise<readonly R[]>): Promise<readonly R[] | 'all'> {
    // The rows of a hidden view are read when it is shown.
    if (!isVisible) return 'all';
    let roots: readonly R[];
    try {
      roots = await read();
    } catch {
      // The editor tells why, once it asks itself.
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

function isSame<R extends Row<R>>(a: R, b: R): boolean {
  return !b.children.some(isMadeWhenOpened) && JSON.stringify(a) === JSON.stringify(b);
}

/** One of the parts of a long list: to look into it would make all of its rows. */
function isMadeWhenOpened(row: object): boolean {
  return Object.getOwnPropertyDescriptor(row, 'children')?.get !== undefined;
}
