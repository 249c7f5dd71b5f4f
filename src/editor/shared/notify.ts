import * as vscode from 'vscode';
import type { CancellationToken } from '../../core/index.ts';
import { notificationText } from './plainText.ts';

export interface NotificationButton extends vscode.MessageItem {
  /** Called when the user presses the button. The answer waits for it. */
  readonly run?: () => unknown;
}

/** The fact that a notification was shown, as it is stored. */
interface ShownFlag {
  readonly state: vscode.Memento;
  readonly key: string;
}

interface Notification<B extends NotificationButton> {
  readonly severity: 'info' | 'warning' | 'error';
  readonly text: string;
  readonly buttons?: readonly B[];
  /** Shows a dialog that blocks the window, with this text below the message. */
  readonly modalDetail?: string;
  /** Shows the notification only once, and stores that under this key. */
  readonly once?: ShownFlag;
  /** The end of a server's question. A button pressed after it is no answer, and the user is told so. */
  readonly token?: CancellationToken;
  /** What to tell the user then. Default: the server no longer waits for an answer. */
  readonly ended?: string;
}

/** Shows a notification. Returns the pressed button, or `undefined` if the user closed it. */
export async function notify<const B extends NotificationButton>(shown: Notification<B>): Promise<B | undefined> {
  const { severity, buttons = [], modalDetail, once, token, ended } = shown;
  if (once !== undefined) {
    if (wasShown(once)) return undefined;
    void once.state.update(once.key, true);
  }
  const modal = modalDetail !== undefined;
  const options = modal ? { modal, detail: notificationText(modalDetail, modal) } : {};
  const chosen = await show[severity](notificationText(shown.text, modal), options, ...buttons);
  // The editor cannot close a notification whose question has ended.
  if (token?.isCancellationRequested === true) {
    if (chosen !== undefined)
      void notify({ severity: 'info', text: ended ?? vscode.l10n.t('The server no longer waits for an answer.') });
    return undefined;
  }
  await chosen?.run?.();
  return chosen;
}

export function wasShown({ state, key }: ShownFlag): boolean {
  return state.get(key) === true;
}

const show = {
  info: vscode.window.showInformationMessage,
  warning: vscode.window.showWarningMessage,
  error: vscode.window.showErrorMessage,
};
