import * as vscode from 'vscode';
import { type AsyncLazy, type Disposable, DisposableStore, isObject, messageOf, plural } from '../../core/index.ts';
import { EVENTS_VIEW, SHOW_MORE_EVENTS } from '../shared/ids.ts';
import type { Inbox, InboxServices } from './lazy.ts';
import { PaintedRows } from '../shared/paintedRows.ts';
import { itemOf } from '../shared/viewRow.ts';
import type { EventNode } from './eventNodes.ts';

/** How often the ages in rows are updated. */
const AGEING_MS = 60_000;

/** The rows of the Events view. */
export class EventsView implements vscode.TreeDataProvider<EventNode>, Disposable {
  readonly #services: InboxServices;
  readonly #inbox: AsyncLazy<Inbox>;
  readonly #owned = new DisposableStore();
  readonly #changed = new vscode.EventEmitter<EventNode | undefined>();
  readonly #view: vscode.TreeView<EventNode>;
  readonly #painted = new PaintedRows<EventNode>();
  /** Number of pages by server. */
  readonly #pages = new Map<string, number>();
  #ageing: NodeJS.Timeout | undefined;

  readonly onDidChangeTreeData = this.#changed.event;

  constructor(services: InboxServices, inbox: AsyncLazy<Inbox>) {
    this.#services = services;
    this.#inbox = inbox;
    const { host } = services;
    this.#owned.add(this.#changed);
    this.#view = vscode.window.createTreeView(EVENTS_VIEW, { treeDataProvider: this, showCollapseAll: true });
    this.#owned.add(this.#view);
    this.#owned.add(this.#view.onDidChangeVisibility(() => this.#watch()));
    this.#owned.add(this.#view.onDidChangeSelection(({ selection }) => this.#markRead(selection)));
    this.#owned.add(host.events.onDidChange(() => this.#refresh()));
    // Only servers with MCPL have events. Before there is one, nothing is read for the badge.
    this.#owned.add(
      host.onDidChangeServer(({ what }) => {
        if (what === 'mcpl') this.#load();
      }),
    );
    this.#owned.add(
      vscode.commands.registerCommand(SHOW_MORE_EVENTS, (node: unknown) => {
        if (isObject(node) && typeof node['server'] === 'string') this.#showMore(node['server']);
      }),
    );
    this.#watch();
  }

  async getChildren(node?: EventNode): Promise<EventNode[]> {
    if (node !== undefined) return [...this.#painted.current(node).children];
    return this.#painted.hand(await this.#read());
  }

  getTreeItem(node: EventNode): vscode.TreeItem {
    return itemOf(this.#painted.current(node));
  }

  dispose(): void {
    clearInterval(this.#ageing);
    this.#owned.dispose();
  }

  async #read(): Promise<readonly EventNode[]> {
    const { events } = this.#services.host;
    if (events.list().length === 0) return [];
    const inbox = await this.#inbox.get();
    return inbox.tree(events.list(), Date.now(), this.#pages);
  }

  #watch(): void {
    clearInterval(this.#ageing);
    if (!this.#view.visible) return;
    this.#ageing = setInterval(() => this.#age(), AGEING_MS);
    this.#load();
  }

  /** An empty view has no ages to update. */
  #age(): void {
    if (this.#services.host.events.list().length > 0) void this.#repaint();
  }

  /** Loads earlier events. Repeated calls read the store only once. */
  #load(): void {
    void this.#services.host.events.loaded().then(() => this.#refresh());
  }

  #refresh(): void {
    const { unread } = this.#services.host.events;
    if ((this.#view.badge?.value ?? 0) !== unread) {
      const tooltip = plural(unread, 'unread event');
      this.#view.badge = unread === 0 ? undefined : { value: unread, tooltip };
    }
    void this.#repaint();
  }

  async #repaint(): Promise<void> {
    await this.#painted.repaint(
      this.#view.visible,
      () => this.#read(),
      (row) => this.#changed.fire(row),
    );
  }

  #showMore(server: string): void {
    this.#pages.set(server, (this.#pages.get(server) ?? 1) + 1);
    void this.#repaint();
  }

  #markRead(selection: readonly EventNode[]): void {
    const { host, log } = this.#services;
    const unread = selection.flatMap(({ event }) => event ?? []).filter((id) => host.events.find(id)?.isRead === false);
    if (unread.length === 0) return;
    host.events.markRead(unread).catch((error: unknown) => {
      log.log('error', `An event could not be marked as read: ${messageOf(error)}`);
    });
  }
}
