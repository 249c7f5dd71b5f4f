import * as vscode from 'vscode';
import { waitFor } from '../../core/index.ts';
import { editorClock } from './editorClock.ts';
import { notify } from './notify.ts';

/** Not part of the API. */
const OPEN_CHAT = 'workbench.action.chat.open';
/** Longer than the editor needs to list its models, but acceptable after a click. */
const PATIENCE_MS = 1_500;

interface ChatQuery {
  readonly query: string;
  /** Whether to send it at once. Otherwise the user can edit it. */
  readonly isSent: boolean;
}

/** Opens the chat with this text. Without a model the editor never calls `@mcpl`, so this reports it. */
export async function openInChat({ query, isSent }: ChatQuery): Promise<void> {
  if (await isWithoutModel()) {
    const open = { title: vscode.l10n.t('Open Chat') };
    const text = vscode.l10n.t(
      'This editor has no language model now, and no chat can answer without one. Install or sign in to one, then try again.',
    );
    if ((await notify({ severity: 'warning', text, buttons: [open] })) !== open) return;
  }
  try {
    await vscode.commands.executeCommand(OPEN_CHAT, { query, isPartialQuery: !isSent });
  } catch {
    await vscode.env.clipboard.writeText(query);
    const text = vscode.l10n.t(
      'This editor cannot open a chat for an extension. The text for the chat is on the clipboard.',
    );
    void notify({ severity: 'info', text });
  }
}

/** Whether the editor reports no models in time. Later ones may still appear. */
async function isWithoutModel(): Promise<boolean> {
  try {
    const asked = Promise.resolve(vscode.lm.selectChatModels());
    const models = await waitFor(asked, { clock: editorClock, ms: PATIENCE_MS });
    return models.kind === 'done' && models.value.length === 0;
  } catch {
    return true;
  }
}
