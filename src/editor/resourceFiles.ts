import * as vscode from 'vscode';
import {
  type CancellationToken,
  type Disposable,
  DisposableStore,
  type Host,
  isJsonArray,
  isRunning,
  type Json,
  type Logger,
  messageOf,
  parseJson,
  type ResourceContents,
  type ResourceWatch,
} from '../core/index.ts';
import { SCHEMES } from './ids.ts';
import { resourceName } from './resourceName.ts';

/** One part of a resource of a server. */
export interface ResourceAddress {
  readonly server: string;
  readonly uri: string;
  readonly part: number;
}

interface ResourceFile {
  readonly address: ResourceAddress;
  bytes: Uint8Array;
  changedAt: number;
  watch: ResourceWatch | undefined;
  /** Whether a tab has shown it: until then it must not be let go. */
  wasOpen: boolean;
}

/** Of what was read and never shown, such as the other parts of a resource. */
const UNSEEN_MS = 60_000;

/** Servers' resources as files that can be read: the editor shows each as what it is, and can save a copy. */
export class ResourceFiles implements vscode.FileSystemProvider, Disposable {
  readonly #host: Host;
  readonly #log: Logger;
  readonly #owned = new DisposableStore();
  readonly #files = new Map<string, ResourceFile>();
  /** Files that could not be read because their server did not run. */
  readonly #waiting = new Map<string, ResourceAddress>();
  readonly #changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.#changed.event;

  constructor(host: Host, log: Logger) {
    this.#host = host;
    this.#log = log;
    this.#owned.add(this.#changed);
    this.#owned.add(vscode.window.tabGroups.onDidChangeTabs(() => this.#letGo()));
    this.#owned.add(host.onDidChangeServer(({ server }) => this.#wake(server)));
  }

  /** Reads a resource now, so that a failure is told before a tab opens; one file for each of its parts. */
  async load(server: string, uri: string, token: CancellationToken): Promise<readonly vscode.Uri[]> {
    const { contents } = await this.#host.readResource(server, uri, { token });
    return contents.map((content, part) => {
      const address = { server, uri, part };
      const file = fileUri(address, content);
      this.#keep(file, address, content);
      return file;
    });
  }

  watch(): vscode.Disposable {
    // What is open is watched as long as its tab is there.
    return new vscode.Disposable(() => undefined);
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const { bytes, changedAt } = await this.#file(uri);
    const { File: type } = vscode.FileType;
    return { type, ctime: 0, mtime: changedAt, size: bytes.byteLength, permissions: vscode.FilePermission.Readonly };
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    return (await this.#file(uri)).bytes;
  }

  readDirectory(uri: vscode.Uri): never {
    throw vscode.FileSystemError.FileNotADirectory(uri);
  }

  createDirectory(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  writeFile(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  delete(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  rename(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  dispose(): void {
    for (const { watch } of this.#files.values()) watch?.dispose();
    this.#files.clear();
    this.#owned.dispose();
  }

  async #file(uri: vscode.Uri): Promise<ResourceFile> {
    const known = this.#files.get(uri.toString());
    if (known !== undefined) return known;
    const address = addressOf(uri);
    if (address === undefined) throw vscode.FileSystemError.FileNotFound(uri);
    try {
      const { contents } = await this.#host.readResource(address.server, address.uri);
      const content = contents[address.part];
      if (content === undefined) throw vscode.FileSystemError.FileNotFound(uri);
      return this.#keep(uri, address, content);
    } catch (error) {
      // After a reload of the window a tab is back before its server is.
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
    const file: ResourceFile = {
      address,
      bytes: bytesOf(content),
      changedAt: Date.now(),
      watch: undefined,
      wasOpen: false,
    };
    file.watch = this.#host.subscribeResource(address.server, address.uri, () => void this.#reread(uri, file));
    file.watch.agreed.catch((error: unknown) => {
      this.#log.log('debug', `Changes of ${address.uri} are not told: ${messageOf(error)}`);
    });
    this.#files.set(key, file);
    return file;
  }

  async #reread(uri: vscode.Uri, file: ResourceFile): Promise<void> {
    try {
      const { contents } = await this.#host.readResource(file.address.server, file.address.uri);
      const content = contents[file.address.part];
      if (content !== undefined && this.#files.get(uri.toString()) === file) this.#update(uri, file, content);
    } catch (error) {
      this.#log.log('warn', `${file.address.uri} changed and cannot be read: ${messageOf(error)}`);
    }
  }

  #update(uri: vscode.Uri, file: ResourceFile, content: ResourceContents): void {
    const bytes = bytesOf(content);
    if (Buffer.compare(bytes, file.bytes) === 0) return;
    file.bytes = bytes;
    // Later than before in any case: the editor takes the time for the version.
    file.changedAt = Math.max(Date.now(), file.changedAt + 1);
    this.#changed.fire([{ type: vscode.FileChangeType.Changed, uri }]);
  }

  #wake(server: string): void {
    const state = this.#host.server(server)?.state;
    if (state === undefined || !isRunning(state)) return;
    for (const [key, address] of [...this.#waiting]) {
      if (address.server !== server) continue;
      this.#waiting.delete(key);
      this.#changed.fire([{ type: vscode.FileChangeType.Created, uri: vscode.Uri.parse(key) }]);
    }
  }

  #letGo(): void {
    const open = openFiles();
    for (const [key, file] of [...this.#files]) {
      if (open.has(key)) file.wasOpen = true;
      else if (file.wasOpen || Date.now() - file.changedAt > UNSEEN_MS) {
        file.watch?.dispose();
        this.#files.delete(key);
      }
    }
    for (const key of [...this.#waiting.keys()]) if (!open.has(key)) this.#waiting.delete(key);
  }
}

function openFiles(): ReadonlySet<string> {
  const inputs = vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs.map(({ input }) => input));
  return new Set(
    inputs.flatMap((input) =>
      input instanceof vscode.TabInputText || input instanceof vscode.TabInputCustom ? [input.uri.toString()] : [],
    ),
  );
}

function bytesOf(content: ResourceContents): Uint8Array {
  return content.kind === 'text' ? new TextEncoder().encode(content.text) : Buffer.from(content.blob, 'base64');
}

/** The server and the name are for people; what counts is in the query. */
function fileUri({ server, uri, part }: ResourceAddress, content: ResourceContents): vscode.Uri {
  const name = resourceName(content.uri === '' ? uri : content.uri, content.mimeType, content.kind === 'text');
  const path = `/${server.replace(/[^\w.-]+/g, '-')}/${name}`;
  return vscode.Uri.from({ scheme: SCHEMES.resource, path, query: JSON.stringify([server, uri, part]) });
}

function addressOf(uri: vscode.Uri): ResourceAddress | undefined {
  let value: Json;
  try {
    value = parseJson(uri.query);
  } catch {
    return undefined;
  }
  if (!isJsonArray(value)) return undefined;
  const [server, resource, part] = value;
  if (typeof server !== 'string' || typeof resource !== 'string' || typeof part !== 'number') return undefined;
  return { server, uri: resource, part };
}
