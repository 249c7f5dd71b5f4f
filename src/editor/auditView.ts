import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../core/index.ts';
import { registerCommand } from './commandRegistry.ts';
import { AUDIT_SCHEME } from './eventIds.ts';
import { COMMANDS } from './ids.ts';
import { targetOf } from './quickPicker.ts';
import type { EditorServices } from './services.ts';

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
    registerCommand(services, COMMANDS.auditExport, exporting, async (argument) => {
      const { exportAudit } = await import('./inbox.ts');
      await exportAudit(services, targetOf(argument)?.server);
    }),
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
    const { auditPage } = await import('./inbox.ts');
    return auditPage(this.#services, query === '' ? undefined : query);
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
