import * as vscode from 'vscode';
import { type Disposable, DisposableStore, isJsonArray, parseJson, type PendingApproval } from '../../core/index.ts';
import type { ApprovalContext } from './approvalContext.ts';
import { APPROVAL_SCHEME } from '../shared/ids.ts';
import { endText } from './approvalNodes.ts';
import { approvalPage, GONE, grantPage } from './approvalPage.ts';
import { openFolders } from '../shared/workspaceFolders.ts';

/** Maximum ended requests whose text stays available. */
const MAX_SHOWN = 50;

type DocumentAddress =
  | { readonly kind: 'approval'; readonly id: string; readonly server: string }
  | { readonly kind: 'grant'; readonly id: string; readonly server: string };

/** Approval requests and grants as text documents. */
export class ApprovalDocuments implements vscode.TextDocumentContentProvider, Disposable {
  readonly #context: Pick<ApprovalContext, 'host' | 'outcomeOf'>;
  readonly #owned = new DisposableStore();
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly #shown = new Map<string, PendingApproval>();

  readonly onDidChange = this.#changed.event;

  constructor(context: Pick<ApprovalContext, 'host' | 'outcomeOf'>) {
    this.#context = context;
    const { approvals } = context.host;
    this.#owned.add(this.#changed);
    this.#owned.add(vscode.workspace.registerTextDocumentContentProvider(APPROVAL_SCHEME, this));
    this.#owned.add(approvals.onDidChange(() => this.refresh()));
  }

  async open(address: DocumentAddress): Promise<void> {
    await vscode.window.showTextDocument(uriOf(address), { preview: true });
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    const [kind, id] = partsOf(uri);
    return (kind === 'grant' ? this.#grant(id) : this.#approval(id)) ?? GONE;
  }

  /** Updates open documents. */
  refresh(): void {
    for (const { uri } of vscode.workspace.textDocuments) if (uri.scheme === APPROVAL_SCHEME) this.#changed.fire(uri);
  }

  dispose(): void {
    this.#owned.dispose();
  }

  #approval(id: string): string | undefined {
    const approval = this.#context.host.approvals.pending().find((each) => each.id === id) ?? this.#shown.get(id);
    if (approval === undefined) return undefined;
    this.#shown.delete(id);
    this.#shown.set(id, approval);
    for (const old of [...this.#shown.keys()].slice(0, -MAX_SHOWN)) this.#shown.delete(old);
    return approvalPage(approval, openFolders(), this.#context.outcomeOf(id));
  }

  #grant(id: string): string | undefined {
    const grant = this.#context.host.approvals.remembered().find((each) => each.id === id);
    return grant === undefined ? undefined : grantPage(grant, openFolders(), endText(grant, Date.now()));
  }
}

/** The path is for display. The query identifies the document. */
function uriOf({ kind, id, server }: DocumentAddress): vscode.Uri {
  const name = server.replace(/[^\w.-]+/g, '-');
  const path = kind === 'approval' ? `/Request of ${name}.txt` : `/Allowed to ${name}.txt`;
  return vscode.Uri.from({ scheme: APPROVAL_SCHEME, path, query: JSON.stringify([kind, id]) });
}

function partsOf(uri: vscode.Uri): readonly [kind: string, id: string] {
  try {
    const value = parseJson(uri.query);
    const [kind, id] = isJsonArray(value) ? value : [];
    if (typeof kind === 'string' && typeof id === 'string') return [kind, id];
  } catch {
    // Not a URI of this extension.
  }
  return ['', ''];
}
