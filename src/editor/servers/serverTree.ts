import * as vscode from 'vscode';
import { type AsyncLazy, asyncLazy, type Disposable, DisposableStore, messageOf } from '../../core/index.ts';
import { SERVERS_VIEW } from '../shared/ids.ts';
import type { RowServices, ServerTreeProvider, TreeElement } from './serverTreeProvider.ts';
import type { SettingsWatch } from '../settings/settings.ts';

interface ServerTree extends Disposable {
  /** Selects a server in the view. */
  reveal(server: string): Promise<void>;
}

/** The Servers view. Its rows are loaded when it is first shown. */
export function registerServerTree(services: RowServices, watch: SettingsWatch): ServerTree {
  const store = new DisposableStore();
  const rows = asyncLazy(
    () => import('./serverTreeProvider.ts'),
    ({ applyCheckboxes, FailureOpener, ServerTreeProvider }) => {
      const made = store.add(new ServerTreeProvider(services));
      const opener = new FailureOpener(view, made, services);
      const look = (): void => {
        opener.open();
        readLineages(view, services);
      };
      store.add(view.onDidChangeVisibility(look));
      store.add(view.onDidChangeCheckboxState(({ items }) => void applyCheckboxes(items, made, services)));
      store.add(
        made.onDidRefresh(() => {
          tell();
          look();
        }),
      );
      look();
      made.onDidChangeTreeData((element) => provider.changed(element));
      return made;
    },
  );
  const provider = store.add(new LazyTreeProvider(rows));
  const view = store.add(
    vscode.window.createTreeView<TreeElement>(SERVERS_VIEW, {
      treeDataProvider: provider,
      showCollapseAll: true,
      // Checkboxes follow settings, so the editor must not propagate them to other rows.
      manageCheckboxStateManually: true,
    }),
  );
  const tell = (): void => showMessageAbove(view, services, watch);

  store.add(watch.onDidChangeHolding(tell));
  store.add(services.host.onDidChangeServer(tell));
  tell();
  return {
    reveal: async (server) => {
      const element = (await rows.get()).find(server);
      if (element !== undefined) await view.reveal(element, { select: true, focus: false, expand: true });
    },
    dispose: () => store.dispose(),
  };
}

/** Loads the rows when the editor first asks for some. */
class LazyTreeProvider implements vscode.TreeDataProvider<TreeElement>, Disposable {
  readonly #rows: AsyncLazy<ServerTreeProvider>;
  readonly #changed = new vscode.EventEmitter<TreeElement | undefined>();

  readonly onDidChangeTreeData = this.#changed.event;

  constructor(rows: AsyncLazy<ServerTreeProvider>) {
    this.#rows = rows;
  }

  changed(element: TreeElement | undefined): void {
    this.#changed.fire(element);
  }

  async getChildren(element?: TreeElement): Promise<TreeElement[]> {
    return (await this.#rows.get()).getChildren(element);
  }

  getParent(element: TreeElement): TreeElement | undefined {
    return element.parent;
  }

  /** Elements only come from the rows, so these are loaded. */
  getTreeItem(element: TreeElement): vscode.TreeItem {
    return this.#rows.value?.getTreeItem(element) ?? new vscode.TreeItem(element.node.label);
  }

  dispose(): void {
    this.#changed.dispose();
  }
}

/** Loads lineages of earlier sessions if a server may have some. Repeated calls read the store only once. */
function readLineages(view: vscode.TreeView<TreeElement>, { host, log }: RowServices): void {
  if (!view.visible || !host.servers().some(({ mcpl }) => mcpl !== undefined)) return;
  host.lineages
    .loaded()
    .catch((error: unknown) => log.log('error', `The lineages cannot be read: ${messageOf(error)}`));
}

/** A message in an empty view would hide its welcome text, which says the same. */
function showMessageAbove(view: vscode.TreeView<TreeElement>, { host }: RowServices, watch: SettingsWatch): void {
  const message = host.servers().length === 0 ? '' : messageAbove(watch);
  if ((view.message ?? '') !== message) view.message = message;
}

function messageAbove(watch: SettingsWatch): string {
  if (!vscode.workspace.isTrusted)
    return vscode.l10n.t('This window is in Restricted Mode: no server starts until you trust the workspace.');
  if (watch.isHolding)
    return vscode.l10n.t(
      'A settings file has a mistake in its JSON: the servers stay as they are until you correct it.',
    );
  return '';
}
