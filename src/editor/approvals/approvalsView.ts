import * as vscode from 'vscode';
import {
  type AsyncLazy,
  type AuditEntry,
  type Disposable,
  DisposableStore,
  isDecision,
  messageOf,
  plural,
  Throttle,
} from '../../core/index.ts';
import type { ApprovalServices } from './approvalContext.ts';
import type { ApprovalNode } from './approvalNodes.ts';
import type { ApprovalUi } from './lazy.ts';
import { APPROVALS_VIEW, SHOW_MORE_DECISIONS } from '../shared/ids.ts';
import { PaintedRows } from '../shared/paintedRows.ts';
import { itemOf } from '../shared/viewRow.ts';

/** How often the ages in rows are updated. */
const AGEING_MS = 60_000;
/** Merges repaints, because decisions are recorded in batches. */
const REPAINT_MS = 50;
/** Decisions per page. */
const PAGE = 50;

/** The rows of the Approvals view. */
export class ApprovalsView implements vscode.TreeDataProvider<ApprovalNode>, Disposable {
  readonly #services: ApprovalServices;
  readonly #ui: AsyncLazy<ApprovalUi>;
  readonly #owned = new DisposableStore();
  readonly #changed = new vscode.EventEmitter<ApprovalNode | undefined>();
  readonly #view: vscode.TreeView<ApprovalNode>;
  readonly #painted = new PaintedRows<ApprovalNode>();
  readonly #repainting: Throttle;
  #shown = PAGE;
  #isEmpty = true;
  #ageing: NodeJS.Timeout | undefined;

  readonly onDidChangeTreeData = this.#changed.event;

  constructor(services: ApprovalServices, ui: AsyncLazy<ApprovalUi>) {
    this.#services = services;
    this.#ui = ui;
    const { approvals, audit } = services.host;
    this.#owned.add(this.#changed);
    this.#repainting = this.#owned.add(new Throttle(services.clock, REPAINT_MS, () => void this.#repaint()));
    this.#view = vscode.window.createTreeView(APPROVALS_VIEW, { treeDataProvider: this, canSelectMany: true });
    this.#owned.add(this.#view);
    this.#owned.add(this.#view.onDidChangeVisibility(() => this.#watch()));
    this.#owned.add(approvals.onDidChange(() => this.#refresh()));
    // Decisions by lists only affect the history.
    this.#owned.add(
      audit.onDidAppend((records) => {
        if (this.#view.visible && records.some(({ operation }) => isDecision(operation))) this.#repainting.request();
      }),
    );
    this.#owned.add(
      vscode.commands.registerCommand(SHOW_MORE_DECISIONS, () => {
        this.#shown += PAGE;
        this.#repainting.request();
      }),
    );
    this.#watch();
  }

  async getChildren(node?: ApprovalNode): Promise<ApprovalNode[]> {
    if (node !== undefined) return [...this.#painted.current(node).children];
    return this.#painted.hand(await this.#read());
  }

  getTreeItem(node: ApprovalNode): vscode.TreeItem {
    return itemOf(this.#painted.current(node));
  }

  dispose(): void {
    clearInterval(this.#ageing);
    this.#owned.dispose();
  }

  async #read(): Promise<readonly ApprovalNode[]> {
    const { approvals } = this.#services.host;
    const shown = this.#shown;
    const history = await this.#history(shown + 1);
    const state = { pending: approvals.pending(), remembered: approvals.remembered(), history, shown };
    this.#isEmpty = state.pending.length + state.remembered.length + history.length === 0;
    return this.#isEmpty ? [] : (await this.#ui.get()).tree(state);
  }

  async #history(limit: number): Promise<readonly AuditEntry[]> {
    const { host, log } = this.#services;
    try {
      return await host.approvals.history(limit);
    } catch (error) {
      log.log('error', `The history of approvals cannot be read: ${messageOf(error)}`);
      return [];
    }
  }

  #watch(): void {
    clearInterval(this.#ageing);
    if (!this.#view.visible) return;
    this.#ageing = setInterval(() => this.#age(), AGEING_MS);
    // Loads earlier grants. Repeated calls read the store only once.
    void this.#services.host.approvals.loaded().then(() => this.#refresh());
  }

  /** An empty view has no ages to update. */
  #age(): void {
    if (!this.#isEmpty) this.#repainting.request();
  }

  #refresh(): void {
    const waiting = this.#services.host.approvals.pending().length;
    if ((this.#view.badge?.value ?? 0) !== waiting) {
      const tooltip = plural(waiting, 'request waits for your approval', 'requests wait for your approval');
      this.#view.badge = waiting === 0 ? undefined : { value: waiting, tooltip };
    }
    this.#repainting.request();
  }

  async #repaint(): Promise<void> {
    await this.#painted.repaint(
      this.#view.visible,
      () => this.#read(),
      (row) => this.#changed.fire(row),
    );
  }
}
