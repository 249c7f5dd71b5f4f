import * as vscode from 'vscode';
import {
  type Disposable,
  DisposableStore,
  type Host,
  HostError,
  type InboundEvent,
  isJsonArray,
  parseJson,
} from '../../core/index.ts';
import { resourceName } from '../offers/resourceName.ts';
import { eventTitle } from '../shared/eventText.ts';
import { COMMANDS, EVENT_SCHEME } from '../shared/ids.ts';
import { attachmentsOf } from './eventAttachments.ts';
import { type EventPage, eventPage } from './eventPage.ts';

interface Address {
  readonly event: string;
  readonly block: number | undefined;
}

/** The file system of events: each one as text, with its images and files. */
export class EventDocuments implements vscode.DocumentLinkProvider, Disposable {
  readonly #host: Host;
  readonly #owned = new DisposableStore();
  /** The last read version of each document, by URI. */
  readonly #read = new Map<string, number>();
  readonly #changed: vscode.EventEmitter<vscode.FileChangeEvent[]>;

  constructor(host: Host, changed: vscode.EventEmitter<vscode.FileChangeEvent[]>) {
    this.#host = host;
    this.#changed = changed;
    this.#owned.add(vscode.languages.registerDocumentLinkProvider({ scheme: EVENT_SCHEME }, this));
    this.#owned.add(host.events.onDidChange(() => this.#compare()));
    this.#owned.add(
      vscode.workspace.onDidCloseTextDocument(({ uri }) => {
        this.#read.delete(uri.toString());
      }),
    );
  }

  /** Shows an event, or one of its blocks. */
  async open(event: InboundEvent, block?: number): Promise<void> {
    const part = attachmentsOf(event).find((each) => each.block === block)?.opens;
    if (part?.kind !== 'resource') {
      const uri = uriOf(event, part?.kind === 'file' ? block : undefined, part?.name);
      await vscode.commands.executeCommand('vscode.open', uri, { preview: true });
    } else if (this.#lists(event.server, part.uri)) {
      const target = { server: event.server, resource: part.uri };
      await vscode.commands.executeCommand(COMMANDS.resourceOpen, target);
    } else
      throw new HostError('UNKNOWN_RESOURCE', vscode.l10n.t('The server does not list {0} now.', part.uri), {
        layer: 'server',
        suggestion: vscode.l10n.t('Start the server to open its resources.'),
      });
  }

  provideDocumentLinks({ uri }: vscode.TextDocument): vscode.DocumentLink[] {
    const address = addressOf(uri);
    const event = address.block === undefined ? this.#host.events.find(address.event) : undefined;
    if (event === undefined) return [];
    return this.#page(event).links.map(({ line, from, to, block }) => {
      const query = encodeURIComponent(JSON.stringify([{ server: event.server, event: event.id, block }]));
      const target = vscode.Uri.parse(`command:${COMMANDS.eventOpen}?${query}`);
      return new vscode.DocumentLink(new vscode.Range(line, from, line, to), target);
    });
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const { bytes, version } = await this.#content(uri);
    const { File: type } = vscode.FileType;
    return { type, ctime: 0, mtime: version, size: bytes.byteLength, permissions: vscode.FilePermission.Readonly };
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    return (await this.#content(uri)).bytes;
  }

  dispose(): void {
    this.#owned.dispose();
  }

  async #content(uri: vscode.Uri): Promise<{ readonly bytes: Uint8Array; readonly version: number }> {
    const { event: id, block } = addressOf(uri);
    const { events } = this.#host;
    if (events.find(id) === undefined) await events.loaded();
    const event = events.find(id);
    const bytes = event && (block === undefined ? this.#text(event) : fileOf(event, block));
    if (event === undefined || bytes === undefined) throw vscode.FileSystemError.FileNotFound(uri);
    const version = versionOf(event);
    this.#read.set(uri.toString(), version);
    return { bytes, version };
  }

  #text(event: InboundEvent): Uint8Array {
    return new TextEncoder().encode(this.#page(event).text);
  }

  #page(event: InboundEvent): EventPage {
    return eventPage(event, (uri) => this.#lists(event.server, uri));
  }

  #lists(server: string, uri: string): boolean {
    return this.#host.server(server)?.resources.some((resource) => resource.uri === uri) === true;
  }

  /** Updates documents when an answer arrives. */
  #compare(): void {
    const changes = [...this.#read].flatMap(([key, version]): vscode.FileChangeEvent[] => {
      const uri = vscode.Uri.parse(key);
      const event = this.#host.events.find(addressOf(uri).event);
      if (event !== undefined && versionOf(event) === version) return [];
      if (event === undefined) this.#read.delete(key);
      return [{ uri, type: event === undefined ? vscode.FileChangeType.Deleted : vscode.FileChangeType.Changed }];
    });
    if (changes.length > 0) this.#changed.fire(changes);
  }
}

/** Only the model's outcome changes an event. */
function versionOf({ receivedAt, outcome }: InboundEvent): number {
  return outcome.kind === 'none' ? receivedAt : Math.max(receivedAt + 1, outcome.at);
}

function fileOf(event: InboundEvent, block: number): Uint8Array | undefined {
  const part = attachmentsOf(event).find((each) => each.block === block)?.opens;
  return part?.kind === 'file' ? part.bytes() : undefined;
}

/** Server and name are for display. The query identifies the event. */
function uriOf(event: InboundEvent, block: number | undefined, name: string | undefined): vscode.Uri {
  const title =
    name ??
    resourceName(
      eventTitle(event)
        .slice(0, 60)
        .replace(/[/:.?#]/g, ' '),
      undefined,
      true,
    );
  const path = `/${event.server.replace(/[^\w.-]+/g, '-')}/${title}`;
  const query = JSON.stringify(block === undefined ? [event.id] : [event.id, block]);
  return vscode.Uri.from({ scheme: EVENT_SCHEME, path, query });
}

function addressOf(uri: vscode.Uri): Address {
  try {
    const value = parseJson(uri.query);
    const [event, block] = isJsonArray(value) ? value : [];
    if (typeof event === 'string') return { event, block: typeof block === 'number' ? block : undefined };
  } catch {
    // Not a URI of this extension.
  }
  return { event: '', block: undefined };
}
