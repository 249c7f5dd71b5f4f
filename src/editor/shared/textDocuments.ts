import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../../core/index.ts';

/** Shows a text that is too long for a notification in a read-only editor. */
export class TextDocuments implements vscode.TextDocumentContentProvider, Disposable {
  readonly #texts = new Map<string, string>();
  readonly #owned = new DisposableStore();
  readonly #scheme: string;
  #shown = 0;

  constructor(scheme = 'mcpl-text') {
    this.#scheme = scheme;
  }

  async show(name: string, text: string, ending = 'txt'): Promise<void> {
    if (this.#shown === 0) {
      this.#owned.add(vscode.workspace.registerTextDocumentContentProvider(this.#scheme, this));
      const forget = (document: vscode.TextDocument): unknown => this.#texts.delete(document.uri.toString());
      this.#owned.add(vscode.workspace.onDidCloseTextDocument(forget));
    }
    const uri = vscode.Uri.from({ scheme: this.#scheme, path: `/${name}.${ending}`, query: String(++this.#shown) });
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
