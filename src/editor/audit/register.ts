import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../../core/index.ts';
import { registerCommand } from '../shared/commandRegistry.ts';
import { AUDIT_SCHEME, COMMANDS } from '../shared/ids.ts';
import { LiveText } from '../shared/liveText.ts';
import { targetOf } from '../shared/quickPicker.ts';
import type { EditorServices } from '../shared/services.ts';

/** `mcpl.showAuditLog` and `mcpl.exportAuditLog`. */
export function registerAuditLog(services: Pick<EditorServices, 'host' | 'clock' | 'failures' | 'log'>): Disposable {
  const store = new DisposableStore();
  const text = async (query: string): Promise<string> => {
    const { auditPage } = await import('./auditDocument.ts');
    return auditPage(services, query === '' ? undefined : query);
  };
  const { host, clock } = services;
  store.add(new LiveText({ clock, scheme: AUDIT_SCHEME, onDidChange: host.audit.onDidAppend, text }));
  const showing = { failed: vscode.l10n.t('The audit log cannot be shown') };
  store.add(
    registerCommand(services, COMMANDS.auditShow, showing, async (argument) => {
      await vscode.window.showTextDocument(uriOf(targetOf(argument)?.server), { preview: true });
    }),
  );
  const exporting = { failed: vscode.l10n.t('The audit log was not exported') };
  store.add(
    registerCommand(services, COMMANDS.auditExport, exporting, async (argument) => {
      const { exportAudit } = await import('./auditDocument.ts');
      await exportAudit(services, targetOf(argument)?.server);
    }),
  );
  return store;
}

function uriOf(server: string | undefined): vscode.Uri {
  const name = server === undefined ? 'MCP Live Audit' : `MCP Live Audit of ${server.replace(/[^\w.-]+/g, '-')}`;
  return vscode.Uri.from({ scheme: AUDIT_SCHEME, path: `/${name}.log`, query: server ?? '' });
}
