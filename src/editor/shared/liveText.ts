import * as vscode from 'vscode';
import { type Clock, type Disposable, DisposableStore, type Event, Throttle } from '../../core/index.ts';

/** Minimum interval between updates. */
const REFRESH_MS = 1_000;

interface LiveTextOptions {
  readonly clock: Clock;
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

  readonly onDidChange = this.#changed.event;

  constructor(options: LiveTextOptions) {
    this.#options = options;
    this.#owned.add(this.#changed);
    this.#owned.add(vscode.workspace.registerTextDocumentContentProvider(options.scheme, this));
    const refreshing = this.#owned.add(new Throttle(options.clock, REFRESH_MS, () => this.#refresh()));
    this.#owned.add(options.onDidChange(() => refreshing.request()));
  }

  provideTextDocumentContent({ query }: vscode.Uri): Promise<string> {
    return this.#options.text(query);
  }

  dispose(): void {
    this.#owned.dispose();
  }

  #refresh(): void {
    const { scheme } = this.#options;
    for (const { uri } of vscode.workspace.textDocuments) if (uri.scheme === scheme) this.#changed.fire(uri);
  }
}
