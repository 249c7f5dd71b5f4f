import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../../core/index.ts';

/** The content of files with a scheme. */
export interface FileContents {
  stat(uri: vscode.Uri): Promise<vscode.FileStat> | vscode.FileStat;
  readFile(uri: vscode.Uri): Promise<Uint8Array> | Uint8Array;
  /** Reports changes until disposed. */
  watch?(uri: vscode.Uri): Disposable;
}

/** A read-only file system. Its content is loaded on demand, even right after a window reload. */
export class ReadOnlyFiles implements vscode.FileSystemProvider, Disposable {
  readonly changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.changed.event;
  readonly readDirectory = refuse;
  readonly createDirectory = refuse;
  readonly writeFile = refuse;
  readonly delete = refuse;
  readonly rename = refuse;
  readonly #load: () => Promise<FileContents>;
  readonly #owned = new DisposableStore();

  constructor(scheme: string, load: () => Promise<FileContents>) {
    this.#load = load;
    this.#owned.add(this.changed);
    const options = { isCaseSensitive: true, isReadonly: true };
    this.#owned.add(vscode.workspace.registerFileSystemProvider(scheme, this, options));
  }

  watch(uri: vscode.Uri): vscode.Disposable {
    const watching = new DisposableStore();
    this.#load().then(
      (contents) => {
        const watch = contents.watch?.(uri);
        // Disposed at once if the watch has already ended.
        if (watch !== undefined) watching.add(watch);
      },
      () => undefined,
    );
    return watching;
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    return (await this.#load()).stat(uri);
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    return (await this.#load()).readFile(uri);
  }

  dispose(): void {
    this.#owned.dispose();
  }
}

function refuse(uri: vscode.Uri): never {
  throw vscode.FileSystemError.NoPermissions(uri);
}
