import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import * as vscode from 'vscode';
import { type AuditLog, type CancellationToken, messageOf } from '../../core/index.ts';
import { notify } from '../shared/notify.ts';
import { plainText } from '../shared/plainText.ts';
import type { EditorServices } from '../shared/services.ts';
import { auditPages, auditText } from './auditText.ts';

/** Maximum records shown. An export has all. */
const SHOWN = 1_000;

type Needs = Pick<EditorServices, 'host' | 'log'>;

/** The newest records of one server or all, as text. */
export async function auditPage({ host, log }: Needs, server: string | undefined): Promise<string> {
  try {
    const entries = await host.audit.list({ limit: SHOWN + 1, server });
    return auditText(entries.slice(0, SHOWN), entries.length <= SHOWN);
  } catch (error) {
    log.log('error', `The audit log cannot be read: ${messageOf(error)}`);
    return `${vscode.l10n.t('The audit log cannot be read: {0}', messageOf(error))}\n`;
  }
}

/** Asks for a file and exports all records to it. */
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
  const text = vscode.l10n.t('Exported {0} records to {1}.', count.toLocaleString('en'), plainText(target.path));
  const buttons = [{ title: vscode.l10n.t('Open'), run: () => vscode.window.showTextDocument(target) }];
  void notify({ severity: 'info', text, buttons });
}

/** Exports all records to a file page by page, newest first. Reports the count so far. */
export async function writeAudit(
  audit: Pick<AuditLog, 'list'>,
  server: string | undefined,
  target: vscode.Uri,
  token: CancellationToken,
  onProgress: (count: number) => void = () => undefined,
): Promise<number> {
  let count = 0;
  const pages = auditPages(audit, server, token, (more) => onProgress((count += more)));
  if (target.scheme !== 'file') {
    const chunks: string[] = [];
    for await (const page of pages) chunks.push(page);
    await vscode.workspace.fs.writeFile(target, Buffer.from(chunks.join('')));
    return count;
  }
  // Half an export must not take the place of a whole one.
  const part = `${target.fsPath}.part`;
  try {
    await pipeline(Readable.from(pages), createWriteStream(part));
    await rename(part, target.fsPath);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
  return count;
}
