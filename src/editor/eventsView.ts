import * as vscode from 'vscode';
import { type Disposable, DisposableStore, isObject, messageOf } from '../core/index.ts';
import { registerEventCommands } from './eventCommands.ts';
import { EventDocuments } from './eventDocuments.ts';
import { SHOW_MORE_EVENTS } from './eventIds.ts';
import { type EventNode, eventTree } from './eventNodes.ts';
import { EVENTS_VIEW } from './ids.ts';
import { registerPushNotifications } from './pushNotifications.ts';
import type { EditorServices } from './services.ts';

type Needs = Pick<EditorServices, 'host' | 'log' | 'failures' | 'settings' | 'openServerSettings'>;

/** How often the rows say anew how old they are. */
const AGEING_MS = 60_000;

/** The Events view, what can be done in it, and what is told of events elsewhere. */
export function registerEvents(services: Needs): Disposable {
  const store = new DisposableStore();
  const documents = store.add(new EventDocuments(services.host));
  store.add(registerEventCommands(services, documents));
  store.add(registerPushNotifications(services));
  store.add(new EventsView(services));
  return store;
}

class EventsView implements vscode.TreeDataProvider<EventNode>, Disposable {
  readonly #services: Needs;
  readonly #owned = new DisposableStore();
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #view: vscode.TreeView<EventNode>;
  /** Of servers of which more was asked for. */
  readonly #pages = new Map<string, number>();
  #ageing: NodeJS.Timeout | undefined;

  readonly onDidChangeTreeData = this.#changed.event;

  constructor(services: Needs) {
    this.#services = services;
    const { host } = services;
    this.#owned.add(this.#changed);
    this.#view = vscode.window.createTreeView(EVENTS_VIEW, { treeDataProvider: this, showCollapseAll: true });
    this.#owned.add(this.#view);
    this.#owned.add(this.#view.onDidChangeVisibility(() => this.#watch()));
    this.#owned.add(this.#view.onDidChangeSelection(({ selection }) => this.#markRead(selection)));
    this.#owned.add(host.events.onDidChange(() => this.#refresh()));
    // Only servers that speak MCPL have events: before there is one, nothing is read for the badge either.
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

  getChildren(node?: EventNode): EventNode[] {
    return [...(node?.children ?? eventTree(this.#services.host.events.list(), Date.now(), this.#pages))];
  }

  getTreeItem(node: EventNode): vscode.TreeItem {
    const item = new vscode.TreeItem(node.label, EXPANSION[node.expansion]);
    item.id = node.id;
    item.description = node.description;
    // Plain text: a markdown tooltip could carry links made of what a server says.
    item.tooltip = node.tooltip;
    item.contextValue = node.context;
    item.accessibilityInformation = { label: node.spoken };
    const { name, color } = node.icon;
    item.iconPath = new vscode.ThemeIcon(name, color === undefined ? undefined : new vscode.ThemeColor(color));
    if (node.command !== undefined)
      item.command = { command: node.command.id, title: node.command.title, arguments: [node] };
    return item;
  }

  dispose(): void {
    clearInterval(this.#ageing);
    this.#owned.dispose();
  }

  #watch(): void {
    clearInterval(this.#ageing);
    if (!this.#view.visible) return;
    this.#ageing = setInterval(() => this.#changed.fire(), AGEING_MS);
    this.#load();
  }

  /** What earlier sessions left; asked for again, it is read only once. */
  #load(): void {
    void this.#services.host.events.loaded().then(() => this.#refresh());
  }

  #refresh(): void {
    const { unread } = this.#services.host.events;
    if ((this.#view.badge?.value ?? 0) !== unread) {
      const tooltip = unread === 1 ? vscode.l10n.t('1 unread event') : vscode.l10n.t('{0} unread events', unread);
      this.#view.badge = unread === 0 ? undefined : { value: unread, tooltip };
    }
    this.#changed.fire();
  }

  #showMore(server: string): void {
    this.#pages.set(server, (this.#pages.get(server) ?? 1) + 1);
    this.#changed.fire();
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

const EXPANSION = {
  none: vscode.TreeItemCollapsibleState.None,
  collapsed: vscode.TreeItemCollapsibleState.Collapsed,
  expanded: vscode.TreeItemCollapsibleState.Expanded,
} as const;
