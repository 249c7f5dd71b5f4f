import * as vscode from 'vscode';
import {
  type CancellationToken,
  type Disposable,
  DisposableStore,
  type Host,
  isRunning,
  type Logger,
  messageOf,
  type ResourceContents,
  type ResourceWatch,
  toDisposable,
} from '../../core/index.ts';
import type { FileContents } from '../shared/readOnlyFiles.ts';
import { type ResourceAddress, resourceFile, resourceOfFile } from './resourceAddress.ts';

interface ResourceFile {
  readonly address: ResourceAddress;
  bytes: Uint8Array;
  changedAt: number;
  watch: ResourceWatch | undefined;
  /** Whether it was ever shown or watched. Before that it must be kept. */
  wasUsed: boolean;
}

/** How long to keep files that were read but never shown, such as other parts of a resource. */
const UNSEEN_MS = 60_000;

/** The file system of server resources: the editor shows them, follows changes and can save copies. */
export class ResourceFiles implements FileContents, Disposable {
  readonly #host: Host;
  readonly #log: Logger;
  readonly #changed: Pick<vscode.EventEmitter<vscode.FileChangeEvent[]>, 'fire'>;
  readonly #owned = new DisposableStore();
  readonly #files = new Map<string, ResourceFile>();
  /** Files that were requested while their server was stopped. */
  readonly #waiting = new Map<string, ResourceAddress>();
  /** Watch counts by file. */
  readonly #watched = new Map<string, number>();
  /** Start time of each server with open resources. */
  readonly #runs = new Map<string, number>();

  constructor(host: Host, log: Logger, changed: Pick<vscode.EventEmitter<vscode.FileChangeEvent[]>, 'fire'>) {
    this.#host = host;
    this.#log = log;
    this.#changed = changed;
    this.#owned.add(vscode.window.tabGroups.onDidChangeTabs(() => this.#letGo()));
    this.#owned.add(vscode.workspace.onDidCloseTextDocument(() => this.#letGo()));
    // The event fires before the server's resources can be read.
    this.#owned.add(host.onDidChangeServer(({ server, what }) => setImmediate(() => this.#heard(server, what))));
  }

  /** Reads a resource, so that a failure is reported before a tab opens. Returns one file per part. */
  async load(server: string, uri: string, token: CancellationToken): Promise<readonly vscode.Uri[]> {
    const { contents } = await this.#host.readResource(server, uri, { token });
    return contents.map((content, part) => {
      const address = { server, uri, part };
      const file = vscode.Uri.from(resourceFile(address, content));
      this.#keep(file, address, content);
      return file;
    });
  }

  watch(uri: vscode.Uri): Disposable {
    const key = uri.toString();
    this.#watched.set(key, (this.#watched.get(key) ?? 0) + 1);
    // A watched file may not have been read yet. If that fails, it is read when its server runs.
    if (resourceOfFile(uri) !== undefined) this.#file(uri).catch(() => undefined);
    return toDisposable(() => {
      const left = (this.#watched.get(key) ?? 1) - 1;
      if (left > 0) this.#watched.set(key, left);
      else this.#watched.delete(key);
      this.#letGo();
    });
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const { bytes, changedAt } = await this.#file(uri);
    const { File: type } = vscode.FileType;
    return { type, ctime: 0, mtime: changedAt, size: bytes.byteLength, permissions: vscode.FilePermission.Readonly };
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    return (await this.#file(uri)).bytes;
  }

  dispose(): void {
    for (const { watch } of this.#files.values()) watch?.dispose();
    this.#files.clear();
    this.#owned.dispose();
  }

  async #file(uri: vscode.Uri): Promise<ResourceFile> {
    const known = this.#files.get(uri.toString());
    if (known !== undefined) return known;
    const address = resourceOfFile(uri);
    if (address === undefined) throw vscode.FileSystemError.FileNotFound(uri);
    try {
      const { contents } = await this.#host.readResource(address.server, address.uri);
      const content = contents[address.part];
      if (content === undefined) throw vscode.FileSystemError.FileNotFound(uri);
      return this.#keep(uri, address, content);
    } catch (error) {
      // After a window reload, tabs are restored before their server runs.
      this.#waiting.set(uri.toString(), address);
      throw error instanceof vscode.FileSystemError ? error : vscode.FileSystemError.Unavailable(messageOf(error));
    }
  }

  #keep(uri: vscode.Uri, address: ResourceAddress, content: ResourceContents): ResourceFile {
    const key = uri.toString();
    this.#waiting.delete(key);
    const known = this.#files.get(key);
    if (known !== undefined) {
      this.#update(uri, known, content);
      return known;
    }
    const bytes = bytesOf(content);
    const file: ResourceFile = { address, bytes, changedAt: Date.now(), watch: undefined, wasUsed: false };
    file.watch = this.#host.subscribeResource(address.server, address.uri, () => void this.#reread(uri, file));
    file.watch.agreed.catch((error: unknown) => {
      this.#log.log('debug', `Changes of ${address.uri} are not told: ${messageOf(error)}`);
    });
    this.#files.set(key, file);
    const since = this.#runsSince(address.server);
    if (since !== undefined && !this.#runs.has(address.server)) this.#runs.set(address.server, since);
    return file;
  }

  async #reread(uri: vscode.Uri, file: ResourceFile): Promise<void> {
    const { server, uri: resource, part } = file.address;
    try {
      const { contents } = await this.#host.readResource(server, resource);
      const content = contents[part];
      if (content !== undefined && this.#files.get(uri.toString()) === file) this.#update(uri, file, content);
    } catch (error) {
      this.#log.log('warn', `${resource} changed and cannot be read: ${messageOf(error)}`);
    }
  }

  #update(uri: vscode.Uri, file: ResourceFile, content: ResourceContents): void {
    const bytes = bytesOf(content);
    if (Buffer.compare(bytes, file.bytes) === 0) return;
    file.bytes = bytes;
    // Always increases, because the editor uses the time as a version.
    file.changedAt = Math.max(Date.now(), file.changedAt + 1);
    this.#changed.fire([{ type: vscode.FileChangeType.Changed, uri }]);
  }

  #heard(server: string, what: string): void {
    const since = this.#runsSince(server);
    if (what === 'removed') this.#runs.delete(server);
    if (since === undefined) return;
    this.#wake(server);
    const before = this.#runs.get(server);
    if (before === undefined || before === since) return;
    // Changes were missed while the server was stopped, so read again.
    this.#runs.set(server, since);
    for (const [key, file] of this.#files)
      if (file.address.server === server) void this.#reread(vscode.Uri.parse(key), file);
  }

  #wake(server: string): void {
    for (const [key, address] of [...this.#waiting]) {
      if (address.server !== server) continue;
      this.#waiting.delete(key);
      this.#changed.fire([{ type: vscode.FileChangeType.Created, uri: vscode.Uri.parse(key) }]);
    }
  }

  #runsSince(server: string): number | undefined {
    const state = this.#host.server(server)?.state;
    return state !== undefined && isRunning(state) ? state.since : undefined;
  }

  /** Drops files that are neither shown nor watched. */
  #letGo(): void {
    const open = openFiles();
    const isUsed = (key: string): boolean => open.has(key) || this.#watched.has(key);
    for (const [key, file] of [...this.#files]) {
      if (isUsed(key)) file.wasUsed = true;
      else if (file.wasUsed || Date.now() - file.changedAt > UNSEEN_MS) {
        file.watch?.dispose();
        this.#files.delete(key);
      }
    }
    for (const key of [...this.#waiting.keys()]) if (!isUsed(key)) this.#waiting.delete(key);
  }
}

function bytesOf(content: ResourceContents): Uint8Array {
  return content.kind === 'text' ? new TextEncoder().encode(content.text) : Buffer.from(content.blob, 'base64');
}

/** URIs shown in tabs, diff editors and peek views. */
function openFiles(): ReadonlySet<string> {
  const tabs = vscode.window.tabGroups.all.flatMap(({ tabs: all }) => all.flatMap(({ input }) => filesOf(input)));
  return new Set([...tabs, ...vscode.workspace.textDocuments.map(({ uri }) => uri)].map((uri) => uri.toString()));
}

function filesOf(input: unknown): readonly vscode.Uri[] {
  if (input instanceof vscode.TabInputTextDiff || input instanceof vscode.TabInputNotebookDiff)
    return [input.original, input.modified];
  return input instanceof vscode.TabInputText ||
    input instanceof vscode.TabInputCustom ||
    input instanceof vscode.TabInputNotebook
    ? [input.uri]
    : [];
}
