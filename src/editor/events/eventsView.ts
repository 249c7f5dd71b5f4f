import * as vscode from 'vscode';
import { type AsyncLazy, type Disposable, DisposableStore, isObject, messageOf, plural } from '../../core/index.ts';
import { EVENTS_VIEW, SHOW_MORE_EVENTS } from '../shared/ids.ts';
import type { Inbox, InboxServices } from './lazy.ts';
import { AgeingTree } from '../shared/ageingTree.ts';
import type { EventNode } from './eventNodes.ts';

/** The rows of the Events view. */
export class EventsView implements Disposable {
  readonly #services: InboxServices;
  readonly #inbox: AsyncLazy<Inbox>;
  readonly #owned = new DisposableStore();
  readonly #tree: AgeingTree<EventNode>;
  /** Number of pages by server. */
  readonly #pages = new Map<string, number>();

  constructor(services: InboxServices, inbox: AsyncLazy<Inbox>) {
    this.#services = services;
    this.#inbox = inbox;
    const { host } = services;
    this.#tree = this.#owned.add(
      new AgeingTree<EventNode>({
        view: EVENTS_VIEW,
        showCollapseAll: true,
        read: () => this.#read(),
        onShown: () => this.#load(),
        onAged: () => this.#age(),
      }),
    );
    this.#owned.add(this.#tree.onDidChangeSelection(({ selection }) => this.#markRead(selection)));
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
  }

  dispose(): void {
    this.#owned.dispose();
  }

  async #read(): Promise<readonly EventNode[]> {
    const { events } = this.#services.host;
    if (events.list().length === 0) return [];
    const inbox = await this.#inbox.get();
    return inbox.tree(events.list(), Date.now(), this.#pages);
  }

  /** An empty view has no ages to update. */
  #age(): void {
    if (this.#services.host.events.list().length > 0) void this.#tree.repaint();
  }

  /** Loads earlier events. Repeated calls read the store only once. */
  #load(): void {
    void this.#services.host.events.loaded().then(() => this.#refresh());
  }

  #refresh(): void {
    const { unread } = this.#services.host.events;
    this.#tree.setBadge(unread, plural(unread, 'unread event'));
    void this.#tree.repaint();
  }

  #showMore(server: string): void {
    this.#pages.set(server, (this.#pages.get(server) ?? 1) + 1);
    void this.#tree.repaint();
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
