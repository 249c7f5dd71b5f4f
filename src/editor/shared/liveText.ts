import * as vscode from 'vscode';
import { type Disposable, DisposableStore, type Event } from '../../core/index.ts';

/** Minimum interval between updates. */
const REFRESH_MS = 1_000;

interface LiveTextOptions {
  readonly scheme: string;
  /** Fires when documents may have changed. */
  readonly onDidChange: Event<unknown>;
  /** The text for the query of a URI. Never rejects. */
  text(query: string): Promise<string>;
}

/** Read-only documents that follow changes. */
export class LiveText implements vscode.TextDocumentContentProvider, Disposable {
  readonly #options: LiveTextOptions;
  readonly #owned = new DisposableStore();
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  #timer: NodeJS.Timeout | undefined;

  readonly onDidChange = this.#changed.event;

  constructor(options: LiveTextOptions) {
    this.#options = options;
    this.#owned.add(this.#changed);
    this.#owned.add(vscode.workspace.registerTextDocumentContentProvider(options.scheme, this));
    this.#owned.add(options.onDidChange(() => this.#refreshSoon()));
  }

  provideTextDocumentContent({ query }: vscode.Uri): Promise<string> {
    return this.#options.text(query);
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#owned.dispose();
  }

  #refreshSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      const { scheme } = this.#options;
      for (const { uri } of vscode.workspace.textDocuments) if (uri.scheme === scheme) this.#changed.fire(uri);
    }, REFRESH_MS);
  }
}
