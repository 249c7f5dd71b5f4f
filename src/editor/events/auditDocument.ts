import * as vscode from 'vscode';
import { messageOf } from '../../core/index.ts';
import { writeAudit } from './auditExport.ts';
import { auditText } from './auditText.ts';
import { plainText } from '../shared/plainText.ts';
import type { EditorServices } from '../shared/services.ts';

/** The newest records that are shown; all of them are in an export. */
const SHOWN = 1_000;

type Needs = Pick<EditorServices, 'host' | 'log'>;

/** The newest records, of one server or all, as a text. */
export async function auditPage({ host, log }: Needs, server: string | undefined): Promise<string> {
  try {
    const entries = await host.audit.list({ limit: SHOWN + 1, server });
    return auditText(entries.slice(0, SHOWN), entries.length <= SHOWN);
  } catch (error) {
    log.log('error', `The audit log cannot be read: ${messageOf(error)}`);
    return `${vscode.l10n.t('The audit log cannot be read: {0}', messageOf(error))}\n`;
  }
}

/** Asks for a file and writes all records into it. */
export async function exportAudit({ host }: Needs, server: string | undefined): Promise<void> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const target = await vscode.window.showSaveDialog({
    title: vscode.l10n.t('Export Audit Log'),
    saveLabel: vscode.l10n.t('Export'),
    filters: { [vscode.l10n.t('JSON lines')]: ['jsonl'] },
    ...(folder === undefined ? {} : { defaultUri: vscode.Uri.joinPath(folder, 'mcpl-audit.jsonl') }),
  });
  if (target === undefined) return;
  const location = vscode.ProgressLocation.Notification;
  const title = vscode.l10n.t('Exporting the audit log');
  const count = await vscode.window.withProgress({ location, title, cancellable: true }, (progress, token) =>
    writeAudit(host.audit, server, target, token, (so) =>
      progress.report({ message: vscode.l10n.t('{0} records', so.toLocaleString('en')) }),
    ),
  );
  const open = vscode.l10n.t('Open');
  const text = vscode.l10n.t('Exported {0} records to {1}.', count.toLocaleString('en'), plainText(target.path));
  void vscode.window.showInformationMessage(text, open).then((taken) => {
    if (taken === open) void vscode.window.showTextDocument(target);
  });
}
