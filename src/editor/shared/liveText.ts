import * as vscode from 'vscode';
import { type Disposable, DisposableStore, type Event } from '../../core/index.ts';

/** What changes all the time is read again so often, and no oftener. */
const REFRESH_MS = 1_000;

export interface LiveTextOptions {
  readonly scheme: string;
  /** What a document shows may be another now. */
  readonly onDidChange: Event<unknown>;
  /** By the query of its address. Never rejects. */
  text(query: string): Promise<string>;
}

/** Texts that follow what they tell of, in read-only documents. */
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
