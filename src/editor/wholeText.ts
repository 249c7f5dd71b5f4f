import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../core/index.ts';

const SCHEME = 'mcpl-text';

/** Shows a text that no notification has room for, read-only, in an editor of its own. */
export class WholeText implements vscode.TextDocumentContentProvider, Disposable {
  readonly #texts = new Map<string, string>();
  readonly #owned = new DisposableStore();
  #shown = 0;

  async show(name: string, text: string): Promise<void> {
    if (this.#shown === 0) {
      this.#owned.add(vscode.workspace.registerTextDocumentContentProvider(SCHEME, this));
      const forget = (document: vscode.TextDocument): unknown => this.#texts.delete(document.uri.toString());
      this.#owned.add(vscode.workspace.onDidCloseTextDocument(forget));
    }
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${name}.txt`, query: String(++this.#shown) });
    this.#texts.set(uri.toString(), text);
    await vscode.window.showTextDocument(uri, { preview: true });
  }

  provideTextDocumentContent(uri: vscode.Uri): string | undefined {
    return this.#texts.get(uri.toString());
  }

  dispose(): void {
    this.#owned.dispose();
  }
}
