import * as vscode from 'vscode';
import { type AsyncLazy, asyncLazy, type Disposable, DisposableStore } from '../../core/index.ts';
import { registerActions, whenLoaded } from '../shared/lazyPart.ts';
import { EventsView } from './eventsView.ts';
import { COMMANDS, EVENT_SCHEME } from '../shared/ids.ts';
import type { Inbox, InboxServices } from './lazy.ts';
import { ReadOnlyFiles } from '../shared/readOnlyFiles.ts';

/** The Events view, its commands, and notifications about events. */
export function registerEvents(services: InboxServices): Disposable {
  const store = new DisposableStore();
  const inbox: AsyncLazy<Inbox> = asyncLazy(
    () => import('./lazy.ts'),
    ({ openInbox }) => store.add(openInbox(services, files.changed)),
  );
  const files = store.add(new ReadOnlyFiles(EVENT_SCHEME, async () => (await inbox.get()).documents));
  store.add(
    registerActions(services, inbox, [
      [COMMANDS.eventOpen, 'open', vscode.l10n.t('The event cannot be opened')],
      [COMMANDS.eventAsk, 'ask', vscode.l10n.t('No model answered'), { retry: true }],
      [COMMANDS.eventOpenInChat, 'openInChat', vscode.l10n.t('The chat was not opened')],
      [COMMANDS.featureSetMute, 'mute', vscode.l10n.t('The feature set was not muted')],
      [COMMANDS.eventsMarkRead, 'markRead', vscode.l10n.t('The events were not marked as read')],
      [COMMANDS.eventsClear, 'clear', vscode.l10n.t('The events were not cleared')],
    ]),
  );
  store.add(
    services.host.events.onDidArrive((events) =>
      whenLoaded(inbox, services.log, 'Events could not be shown', (loaded) => loaded.arrived(events)),
    ),
  );
  store.add(new EventsView(services, inbox));
  return store;
}
