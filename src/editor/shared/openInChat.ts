import * as vscode from 'vscode';
import { notify } from './notify.ts';

/** No part of the API. */
const OPEN_CHAT = 'workbench.action.chat.open';
/** Longer than the editor takes to know its models; the person has clicked and waits. */
const PATIENCE_MS = 1_500;

export interface ChatQuery {
  readonly query: string;
  /** Whether it is sent at once; else the person goes on writing. */
  readonly isSent: boolean;
}

/**
 * Opens the chat with what is written there. Without a model the editor would never ask `@mcpl`: the person hears of it
 * here.
 */
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

/** Whether the editor says so in time: one that is still looking may find some. */
async function isWithoutModel(): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), PATIENCE_MS);
  });
  try {
    const models = await Promise.race([vscode.lm.selectChatModels(), late]);
    return models !== undefined && models.length === 0;
  } catch {
    return true;
  } finally {
    clearTimeout(timer);
  }
}
