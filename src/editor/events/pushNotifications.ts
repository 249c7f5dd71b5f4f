import * as vscode from 'vscode';
import { type Disposable, messageOf, toDisposable } from '../../core/index.ts';
import { COMMANDS, EVENTS_VIEW } from '../shared/ids.ts';
import { type PushToast, PushToasts } from './pushToasts.ts';
import type { EditorServices } from '../shared/services.ts';

type Needs = Pick<EditorServices, 'host' | 'log'>;

const clock = {
  now: () => Date.now(),
  delay: (ms: number, callback: () => void): Disposable => {
    const timer = setTimeout(callback, ms);
    return toDisposable(() => clearTimeout(timer));
  },
};

/** Tells of what servers push, as notifications. */
export function pushNotifications({ host, log }: Needs): PushToasts {
  const find = (id: string): ReturnType<typeof host.events.find> => host.events.find(id);
  const show = async (toast: PushToast): Promise<void> => {
    try {
      await showToast(toast);
    } catch (error) {
      log.log('error', `An event of "${toast.server}" could not be shown: ${messageOf(error)}`);
    }
  };
  return new PushToasts({ clock, find, show });
}

async function showToast({ text, server, events }: PushToast): Promise<void> {
  const [first] = events;
  const event = events.length === 1 ? first?.id : undefined;
  const ask = vscode.l10n.t('Ask Model');
  const chat = vscode.l10n.t('Open in Chat');
  const show = vscode.l10n.t('Show');
  const mute = vscode.l10n.t('Mute');
  const chosen = await vscode.window.showInformationMessage(
    text,
    ...(event === undefined ? [] : [ask]),
    chat,
    show,
    mute,
  );
  if (chosen === undefined) return;
  const sets = new Set(events.map(({ source }) => source.featureSet));
  const run = (command: string, argument?: object): void => void vscode.commands.executeCommand(command, argument);
  if (chosen === ask) run(COMMANDS.eventAsk, { server, event });
  else if (chosen === chat) run(COMMANDS.eventOpenInChat, { server, ...(event === undefined ? {} : { event }) });
  // Of several sets the person says which.
  else if (chosen === mute)
    run(COMMANDS.featureSetMute, { server, ...(sets.size === 1 ? { featureSet: [...sets][0] } : {}) });
  else if (event === undefined) run(`${EVENTS_VIEW}.focus`);
  else run(COMMANDS.eventOpen, { server, event });
}
