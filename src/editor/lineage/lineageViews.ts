import * as vscode from 'vscode';
import { type Disposable, DisposableStore, isObject, type LineageKey, messageOf } from '../../core/index.ts';
import {
  type CheckpointAction,
  decodeFromLineagePage,
  decodeLineagePageState,
  type ToLineagePage,
} from '../../webview/lineage/lineageMessages.ts';
import { LINEAGE_PANEL, LINEAGE_VIEW } from '../shared/ids.ts';
import { isSame, keyOf, LineageController } from './lineageController.ts';
import type { LineageContext } from './lineageContext.ts';
import { emptyText, lineageText } from './lineageText.ts';
import { plainText } from '../shared/plainText.ts';
import { pageHtml, pageIcon, pageOptions } from '../shared/webviewPage.ts';

/** The page's actions. */
interface LineageViewActions {
  act(action: CheckpointAction, rowId: number): Promise<void>;
  compare(rowIds: readonly [number, number]): Promise<void>;
  unblock(key: LineageKey): Promise<void>;
  export(key: LineageKey | undefined): Promise<void>;
  import(key: LineageKey | undefined): Promise<void>;
}

/** A page in the side bar or a tab. */
interface Page {
  readonly webview: vscode.Webview;
  readonly visible: boolean;
}

/** All open lineage pages: one in the side bar, and tabs. */
export class LineageViews implements Disposable {
  readonly #context: LineageContext;
  readonly #actions: LineageViewActions;
  readonly #panels = new Map<vscode.WebviewPanel, LineageController>();
  #view: LineageController | undefined;
  /** What to show once the view exists. */
  #wanted: { readonly key: LineageKey; readonly rowId: number | undefined } | undefined;

  constructor(context: LineageContext, actions: LineageViewActions) {
    this.#context = context;
    this.#actions = actions;
  }

  /** The side bar first, then tabs. */
  get controllers(): readonly LineageController[] {
    return [...(this.#view === undefined ? [] : [this.#view]), ...this.#panels.values()];
  }

  async show(key: LineageKey | undefined, rowId?: number): Promise<void> {
    this.#wanted = key === undefined ? undefined : { key, rowId };
    await vscode.commands.executeCommand(`${LINEAGE_VIEW}.focus`);
    if (this.#view !== undefined) await this.#showWanted(this.#view);
  }

  open(key: LineageKey | undefined): void {
    const wanted = key ?? this.#view?.key;
    for (const [panel, controller] of this.#panels)
      if (wanted === undefined || isSame(wanted, controller.key)) return panel.reveal();
    const options = pageOptions(this.#context.extensionUri);
    const title = vscode.l10n.t('Lineage');
    const panel = vscode.window.createWebviewPanel(LINEAGE_PANEL, title, vscode.ViewColumn.Active, options);
    this.adopt(panel, wanted);
  }

  /** Restores a tab after a window reload. */
  restore(panel: vscode.WebviewPanel, state: unknown): void {
    const kept = decodeLineagePageState(state);
    this.adopt(panel, kept === undefined ? undefined : keyOf(kept.key));
  }

  resolve(view: vscode.WebviewView): void {
    const store = new DisposableStore();
    const controller = store.add(this.#connect(view, store));
    this.#view = controller;
    store.add(view.onDidChangeVisibility(() => controller.setVisible(view.visible)));
    view.onDidDispose(() => {
      if (this.#view === controller) this.#view = undefined;
      store.dispose();
    });
    controller.setVisible(view.visible);
    void this.#showWanted(controller);
  }

  adopt(panel: vscode.WebviewPanel, key: LineageKey | undefined): void {
    panel.iconPath = pageIcon(this.#context.extensionUri, 'lineage');
    const store = new DisposableStore();
    const controller = store.add(
      this.#connect(panel, store, (shown) => {
        panel.title = shown === undefined ? vscode.l10n.t('Lineage') : vscode.l10n.t('Lineage of {0}', shown);
      }),
    );
    this.#panels.set(panel, controller);
    store.add(panel.onDidChangeViewState(() => controller.setVisible(panel.visible)));
    panel.onDidDispose(() => {
      this.#panels.delete(panel);
      store.dispose();
    });
    controller.setVisible(panel.visible);
    if (key !== undefined) void controller.show(key);
  }

  /** The editor owns the view in the side bar. Tabs are closed. */
  dispose(): void {
    this.#view?.dispose();
    for (const panel of [...this.#panels.keys()]) panel.dispose();
  }

  async #showWanted(controller: LineageController): Promise<void> {
    const wanted = this.#wanted;
    if (wanted === undefined) return;
    this.#wanted = undefined;
    await controller.show(wanted.key, wanted.rowId);
  }

  #connect(page: Page, store: DisposableStore, onTitle?: (shown: string | undefined) => void): LineageController {
    const { host, extensionUri, log } = this.#context;
    const actions = this.#actions;
    const send = (message: ToLineagePage): void => {
      if (message.type === 'view')
        onTitle?.(controller.key === undefined ? undefined : plainText(lineageText(controller.key), 80));
      // A hidden page requests everything when it is shown again.
      if (!store.isDisposed && page.visible) void page.webview.postMessage(message);
    };
    const run = (work: Promise<void>, server?: string): void => {
      const failed = vscode.l10n.t('The lineage action failed');
      work.catch((error: unknown) => this.#context.failures.show(failed, error, { server }));
    };
    const controller = new LineageController(host.lineages, {
      send,
      now: () => Date.now(),
      emptyText: () => emptyText(host.servers()),
      failureText: (error) => {
        log.log('error', `A lineage cannot be read: ${messageOf(error)}`);
        return failureText(error);
      },
      act: (action, rowId) => run(actions.act(action, rowId), controller.key?.server),
      compare: (rowIds) => run(actions.compare(rowIds), controller.key?.server),
      unblock: (key) => run(actions.unblock(key), key.server),
      run: (what, key) => {
        if (what === 'open') this.open(key);
        else run(actions[what](key), key?.server);
      },
    });
    store.add(host.onDidChangeServer(() => controller.serverChanged()));
    page.webview.options = pageOptions(extensionUri);
    store.add(
      page.webview.onDidReceiveMessage((message: unknown) => controller.receive(decodeFromLineagePage(message))),
    );
    page.webview.html = pageHtml(page.webview, extensionUri, { name: 'lineage', title: 'Lineage' });
    return controller;
  }
}

function failureText(error: unknown): string {
  const suggestion = isObject(error) && typeof error['suggestion'] === 'string' ? ` ${error['suggestion']}` : '';
  return plainText(`The lineage cannot be read: ${messageOf(error)}${suggestion}`, 600);
}
