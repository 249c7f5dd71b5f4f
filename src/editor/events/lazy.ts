import type * as vscode from 'vscode';
import { type Disposable, DisposableStore, type InboundEvent } from '../../core/index.ts';
import { eventActions } from './eventCommands.ts';
import { EventDocuments } from './eventDocuments.ts';
import { eventTree } from './eventNodes.ts';
import { pushNotifications } from './pushNotifications.ts';
import type { EditorServices } from '../shared/services.ts';

/** Everything that shows events and acts on them, loaded with the first event. */
export interface Inbox extends Disposable {
  readonly actions: ReturnType<typeof eventActions>;
  readonly documents: EventDocuments;
  readonly tree: typeof eventTree;
  arrived(events: readonly InboundEvent[]): void;
}

export type InboxServices = Pick<
  EditorServices,
  'host' | 'clock' | 'log' | 'failures' | 'settings' | 'openServerSettings'
>;

export function openInbox(services: InboxServices, changed: vscode.EventEmitter<vscode.FileChangeEvent[]>): Inbox {
  const store = new DisposableStore();
  const documents = store.add(new EventDocuments(services.host, changed));
  const toasts = store.add(pushNotifications(services));
  return {
    actions: eventActions(services, documents),
    documents,
    tree: eventTree,
    arrived: (events) => toasts.arrived(events),
    dispose: () => store.dispose(),
  };
}
