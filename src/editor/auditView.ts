import * as vscode from 'vscode';
import { type Disposable, DisposableStore, messageOf } from '../core/index.ts';
import { writeAudit } from './auditExport.ts';
import { auditText } from './auditText.ts';
import { registerCommand } from './commandRegistry.ts';
import { AUDIT_SCHEME } from './eventIds.ts';
import { COMMANDS } from './ids.ts';
import { plainText } from './plainText.ts';
import { targetOf } from './quickPicker.ts';
import type { EditorServices } from './services.ts';

/** The newest records that are shown; all of them are in an export. */
const SHOWN = 1_000;
/** A busy log is read again so often, and no oftener. */
const REFRESH_MS = 1_000;

type Needs = Pick<EditorServices, 'host' | 'failures' | 'log'>;

/** `mcpl.showAuditLog` and `mcpl.exportAuditLog`. */
export function registerAuditLog(services: Needs): Disposable {
  const store = new DisposableStore();
  store.add(new AuditDocuments(services));
  const showing = { failed: vscode.l10n.t('The audit log cannot be shown') };
  store.add(
    registerCommand(services, COMMANDS.auditShow, showing, async (argument) => {
      await vscode.window.showTextDocument(uriOf(targetOf(argument)?.server), { preview: true });
    }),
  );
  const exporting = { failed: vscode.l10n.t('The audit log was not exported') };
  store.add(
    registerCommand(services, COMMANDS.auditExport, exporting, (argument) =>
      exportAudit(services, targetOf(argument)?.server),
    ),
  );
  return store;
}

class AuditDocuments implements vscode.TextDocumentContentProvider, Disposable {
  readonly #services: Needs;
  readonly #owned = new DisposableStore();
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  #timer: NodeJS.Timeout | undefined;

  readonly onDidChange = this.#changed.event;

  constructor(services: Needs) {
    this.#services = services;
    this.#owned.add(this.#changed);
    this.#owned.add(vscode.workspace.registerTextDocumentContentProvider(AUDIT_SCHEME, this));
    this.#owned.add(services.host.audit.onDidAppend(() => this.#refreshSoon()));
  }

  async provideTextDocumentContent({ query }: vscode.Uri): Promise<string> {
    const { host, log } = this.#services;
    try {
      const entries = await host.audit.list({ limit: SHOWN + 1, server: query === '' ? undefined : query });
      return auditText(entries.slice(0, SHOWN), entries.length <= SHOWN);
    } catch (error) {
      log.log('error', `The audit log cannot be read: ${messageOf(error)}`);
      return `${vscode.l10n.t('The audit log cannot be read: {0}', messageOf(error))}\n`;
    }
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#owned.dispose();
  }

  #refreshSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      for (const { uri } of vscode.workspace.textDocuments) if (uri.scheme === AUDIT_SCHEME) this.#changed.fire(uri);
    }, REFRESH_MS);
  }
}

function uriOf(server: string | undefined): vscode.Uri {
  const name = server === undefined ? 'MCP Live Audit' : `MCP Live Audit of ${server.replace(/[^\w.-]+/g, '-')}`;
  return vscode.Uri.from({ scheme: AUDIT_SCHEME, path: `/${name}.log`, query: server ?? '' });
}

async function exportAudit({ host }: Needs, server: string | undefined): Promise<void> {
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
