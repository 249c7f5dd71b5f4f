import * as vscode from 'vscode';
import { messageOf } from '../../core/index.ts';
import { COMMANDS, EVENTS_VIEW } from '../shared/ids.ts';
import { notify, type NotificationButton } from '../shared/notify.ts';
import { type PushToast, PushToasts } from './pushToasts.ts';
import type { EditorServices } from '../shared/services.ts';

type Needs = Pick<EditorServices, 'host' | 'clock' | 'log'>;

/** Shows pushed events as notifications. */
export function pushNotifications({ host, clock, log }: Needs): PushToasts {
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
  const target = { server, ...(event === undefined ? {} : { event }) };
  const sets = new Set(events.map(({ source }) => source.featureSet));
  // With several sets the command asks which one.
  const muted = { server, ...(sets.size === 1 ? { featureSet: [...sets][0] } : {}) };
  // The queue does not wait for the commands.
  const button = (title: string, command: string, argument?: object): NotificationButton => ({
    title,
    run: () => void vscode.commands.executeCommand(command, argument),
  });
  const buttons = [
    ...(event === undefined ? [] : [button(vscode.l10n.t('Ask Model'), COMMANDS.eventAsk, target)]),
    button(vscode.l10n.t('Open in Chat'), COMMANDS.eventOpenInChat, target),
    event === undefined
      ? button(vscode.l10n.t('Show'), `${EVENTS_VIEW}.focus`)
      : button(vscode.l10n.t('Show'), COMMANDS.eventOpen, target),
    button(vscode.l10n.t('Mute'), COMMANDS.featureSetMute, muted),
  ];
  await notify({ severity: 'info', text, buttons });
}
