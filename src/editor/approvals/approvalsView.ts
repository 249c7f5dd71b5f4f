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
import { AgeingTree } from '../shared/ageingTree.ts';

/** Merges repaints, because decisions are recorded in batches. */
const REPAINT_MS = 50;
/** Decisions per page. */
const PAGE = 50;

/** The rows of the Approvals view. */
export class ApprovalsView implements Disposable {
  readonly #services: ApprovalServices;
  readonly #ui: AsyncLazy<ApprovalUi>;
  readonly #owned = new DisposableStore();
  readonly #tree: AgeingTree<ApprovalNode>;
  readonly #repainting: Throttle;
  #shown = PAGE;
  #isEmpty = true;

  constructor(services: ApprovalServices, ui: AsyncLazy<ApprovalUi>) {
    this.#services = services;
    this.#ui = ui;
    const { approvals, audit } = services.host;
    this.#tree = this.#owned.add(
      new AgeingTree<ApprovalNode>({
        view: APPROVALS_VIEW,
        canSelectMany: true,
        read: () => this.#read(),
        onShown: () => this.#load(),
        onAged: () => this.#age(),
      }),
    );
    this.#repainting = this.#owned.add(new Throttle(services.clock, REPAINT_MS, () => void this.#tree.repaint()));
    this.#owned.add(approvals.onDidChange(() => this.#refresh()));
    // Decisions by lists only affect the history.
    this.#owned.add(
      audit.onDidAppend((records) => {
        if (this.#tree.isVisible && records.some(({ operation }) => isDecision(operation))) this.#repainting.request();
      }),
    );
    this.#owned.add(
      vscode.commands.registerCommand(SHOW_MORE_DECISIONS, () => {
        this.#shown += PAGE;
        this.#repainting.request();
      }),
    );
  }

  dispose(): void {
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

  /** Loads earlier grants. Repeated calls read the store only once. */
  #load(): void {
    void this.#services.host.approvals.loaded().then(() => this.#refresh());
  }

  /** An empty view has no ages to update. */
  #age(): void {
    if (!this.#isEmpty) this.#repainting.request();
  }

  #refresh(): void {
    const waiting = this.#services.host.approvals.pending().length;
    const tooltip = plural(waiting, 'request waits for your approval', 'requests wait for your approval');
    this.#tree.setBadge(waiting, tooltip);
    this.#repainting.request();
  }
}
