import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../../core/index.ts';
import { PaintedRows, type PaintedRow } from './paintedRows.ts';
import { itemOf } from './viewRow.ts';

/** How often the ages in rows are updated. */
const AGEING_MS = 60_000;

interface AgeingTreeOptions<R> {
  readonly view: string;
  readonly canSelectMany?: boolean;
  readonly showCollapseAll?: boolean;
  /** The rows at the top. */
  read(): Promise<readonly R[]>;
  /** Called when the view becomes visible, to load its data. */
  onShown(): void;
  /** Called each minute while the view is visible. */
  onAged(): void;
}

/** A tree view whose rows show ages. Only changed rows are repainted. */
export class AgeingTree<R extends PaintedRow<R>> implements vscode.TreeDataProvider<R>, Disposable {
  readonly #options: AgeingTreeOptions<R>;
  readonly #owned = new DisposableStore();
  readonly #changed = new vscode.EventEmitter<R | undefined>();
  readonly #view: vscode.TreeView<R>;
  readonly #painted = new PaintedRows<R>();
  #ageing: NodeJS.Timeout | undefined;

  readonly onDidChangeTreeData = this.#changed.event;
  readonly onDidChangeSelection: vscode.Event<vscode.TreeViewSelectionChangeEvent<R>>;

  constructor(options: AgeingTreeOptions<R>) {
    this.#options = options;
    const { view, canSelectMany = false, showCollapseAll = false } = options;
    this.#owned.add(this.#changed);
    this.#view = vscode.window.createTreeView(view, { treeDataProvider: this, canSelectMany, showCollapseAll });
    this.onDidChangeSelection = this.#view.onDidChangeSelection;
    this.#owned.add(this.#view);
    this.#owned.add(this.#view.onDidChangeVisibility(() => this.#watch()));
    this.#watch();
  }

  get isVisible(): boolean {
    return this.#view.visible;
  }

  /** Shows a number at the icon of the view, or none for zero. */
  setBadge(value: number, tooltip: string): void {
    if ((this.#view.badge?.value ?? 0) !== value) this.#view.badge = value === 0 ? undefined : { value, tooltip };
  }

  repaint(): Promise<void> {
    return this.#painted.repaint(
      this.#view.visible,
      () => this.#options.read(),
      (row) => this.#changed.fire(row),
    );
  }

  async getChildren(row?: R): Promise<R[]> {
    if (row !== undefined) return [...this.#painted.current(row).children];
    return this.#painted.hand(() => this.#options.read());
  }

  getTreeItem(row: R): vscode.TreeItem {
    return itemOf(this.#painted.current(row));
  }

  dispose(): void {
    clearInterval(this.#ageing);
    this.#owned.dispose();
  }

  #watch(): void {
    clearInterval(this.#ageing);
    this.#painted.forgetRequest();
    if (!this.#view.visible) return;
    this.#ageing = setInterval(() => this.#options.onAged(), AGEING_MS);
    this.#options.onShown();
  }
}
