import * as vscode from 'vscode';
import { messageOf } from '../../core/index.ts';
import type { ApprovalServices } from './approvalContext.ts';
import { approvalsJson } from './approvalRecords.ts';
import { plainText } from '../shared/plainText.ts';

/** Decisions that go into an export: the newest; the audit log has all. */
const MOST_DECISIONS = 10_000;

/** Asks for a file and writes into it what is remembered and how requests were decided. */
export async function exportApprovals({ host, log }: Pick<ApprovalServices, 'host' | 'log'>): Promise<void> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const target = await vscode.window.showSaveDialog({
    title: vscode.l10n.t('Export Approvals'),
    saveLabel: vscode.l10n.t('Export'),
    filters: { JSON: ['json'] },
    ...(folder === undefined ? {} : { defaultUri: vscode.Uri.joinPath(folder, 'mcpl-approvals.json') }),
  });
  if (target === undefined) return;
  const { approvals } = host;
  await approvals.loaded();
  const remembered = approvals.remembered();
  const history = await approvals.history(MOST_DECISIONS);
  // Half an export must not take the place of a whole one.
  const part = target.with({ path: `${target.path}.part` });
  try {
    await vscode.workspace.fs.writeFile(part, Buffer.from(approvalsJson(remembered, history, Date.now())));
    await vscode.workspace.fs.rename(part, target, { overwrite: true });
  } catch (error) {
    await vscode.workspace.fs.delete(part).then(undefined, (left: unknown) => {
      log.log('debug', `Nothing of an export was left: ${messageOf(left)}`);
    });
    throw error;
  }
  const open = vscode.l10n.t('Open');
  const counts = [
    remembered.length === 1 ? vscode.l10n.t('1 approval') : vscode.l10n.t('{0} approvals', remembered.length),
    history.length === 1 ? vscode.l10n.t('1 decision') : vscode.l10n.t('{0} decisions', history.length),
  ] as const;
  const text = vscode.l10n.t('Exported {0} and {1} to {2}.', ...counts, plainText(target.path));
  void vscode.window.showInformationMessage(text, open).then((taken) => {
    if (taken === open) void vscode.window.showTextDocument(target);
  });
}
