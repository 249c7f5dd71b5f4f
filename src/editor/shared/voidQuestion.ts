import * as vscode from 'vscode';
import type { CancellationToken } from '../../core/index.ts';

/** Whether a question ended while its notification still stood there, which nothing can take away; who presses it is told. */
export function isVoid(token: CancellationToken, chosen: string | undefined): boolean {
  if (!token.isCancellationRequested) return false;
  if (chosen !== undefined)
    void vscode.window.showInformationMessage(vscode.l10n.t('The server no longer waits for an answer.'));
  return true;
}
