import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../core/index.ts';
import { EVENT_SCHEME } from './eventIds.ts';

type Contents = Pick<vscode.FileSystemProvider, 'stat' | 'readFile'>;

/** Events as files that can be read, also right after a reload of the window: what is in them is loaded then. */
export class EventFiles implements vscode.FileSystemProvider, Disposable {
  readonly changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.changed.event;
  readonly readDirectory = refuse;
  readonly createDirectory = refuse;
  readonly writeFile = refuse;
  readonly delete = refuse;
  readonly rename = refuse;
  readonly #load: () => Promise<Contents>;
  readonly #owned = new DisposableStore();

  constructor(load: () => Promise<Contents>) {
    this.#load = load;
    this.#owned.add(this.changed);
    const options = { isCaseSensitive: true, isReadonly: true };
    this.#owned.add(vscode.workspace.registerFileSystemProvider(EVENT_SCHEME, this, options));
  }

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined);
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
