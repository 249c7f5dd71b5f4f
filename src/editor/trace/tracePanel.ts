import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import * as vscode from 'vscode';
import {
  ALL_MESSAGES,
  type Disposable,
  DisposableStore,
  type Host,
  messageOf,
  type ProtocolTrace,
  type TraceEntry,
  type TraceFilter,
  TraceSelection,
} from '../../core/index.ts';
import {
  decodeFromTracePage,
  decodeTracePageState,
  type FromTracePage,
  type ToTracePage,
} from '../../webview/trace/traceMessages.ts';
import { plainText } from '../shared/plainText.ts';
import type { EditorServices } from '../shared/services.ts';
import { pageHtml, pageIcon, pageOptions } from '../shared/webviewPage.ts';
import { checkpointFate, checkpointIn } from './traceCheckpoint.ts';
import { TRACE_VIEW } from '../shared/ids.ts';
import { formatted, traceMessage, traceRow } from './traceText.ts';

type Needs = Pick<EditorServices, 'failures' | 'extensionUri' | 'log'> & { readonly host: Pick<Host, 'lineages'> };

/** A server's trace in an editor tab. The page knows the number of rows and requests the ones it needs. */
class TracePanel implements Disposable {
  readonly #services: Needs;
  readonly #panel: vscode.WebviewPanel;
  readonly #server: string;
  readonly #store = new DisposableStore();
  #trace: ProtocolTrace;
  #watching: Disposable;
  #selection: TraceSelection;
  #list = 0;
  /** The message whose text was requested last. */
  #wanted = 0;

  constructor(services: Needs, panel: vscode.WebviewPanel, server: string, trace: ProtocolTrace) {
    this.#services = services;
    this.#panel = panel;
    this.#server = server;
    this.#trace = trace;
    this.#selection = new TraceSelection(trace, ALL_MESSAGES);
    panel.title = vscode.l10n.t('Trace of {0}', plainText(server, 60));
    panel.iconPath = pageIcon(services.extensionUri, 'trace');
    panel.webview.options = pageOptions(services.extensionUri);
    this.#store.add(
      panel.webview.onDidReceiveMessage((message: unknown) => this.#receive(decodeFromTracePage(message))),
    );
    this.#watching = trace.onDidAppend(() => this.#sendStatus());
    panel.webview.html = pageHtml(panel.webview, services.extensionUri, { name: 'trace', title: 'Protocol Trace' });
  }

  reveal(): void {
    this.#panel.reveal();
  }

  /** Switches to another trace of the same server. */
  attach(trace: ProtocolTrace): void {
    this.#watching.dispose();
    this.#trace = trace;
    this.#watching = trace.onDidAppend(() => this.#sendStatus());
    this.#select(this.#selection.filter);
  }

  /** Removes the panel's listeners. The editor owns the tab. */
  dispose(): void {
    this.#watching.dispose();
    this.#store.dispose();
  }

  #receive(message: FromTracePage | undefined): void {
    if (message === undefined) return;
    switch (message.type) {
      case 'ready':
      case 'filter':
        return this.#select(message.filter);
      case 'rows':
        return this.#sendRows(message.list, message.from, message.count);
      case 'message': {
        const entry = this.#trace.get(message.n);
        if (entry !== undefined) this.#sendMessage(entry);
        return;
      }
      case 'copy':
        return this.#run(vscode.l10n.t('The message was not copied'), this.#copy(message.n));
      case 'record':
        this.#trace.set(!this.#trace.isOn);
        return this.#sendStatus();
      case 'clear':
        this.#trace.clear();
        return this.#select(this.#selection.filter);
      case 'export':
        return this.#run(vscode.l10n.t('The trace was not exported'), this.#export());
    }
  }

  #select(filter: TraceFilter): void {
    this.#list++;
    this.#selection = new TraceSelection(this.#trace, filter);
    this.#sendStatus();
  }

  #sendStatus(): void {
    // A hidden page requests everything when shown.
    if (!this.#panel.visible) return;
    this.#selection.update();
    const { start, end } = this.#selection;
    const { isOn, size: kept } = this.#trace;
    this.#send({ type: 'status', status: { server: this.#server, isOn, list: this.#list, start, end, kept } });
  }

  #sendRows(list: number, from: number, count: number): void {
    if (list !== this.#list) return;
    const { start } = this.#selection;
    this.#selection.update();
    // The page requested removed rows and would request them again.
    if (this.#selection.start !== start) this.#sendStatus();
    const first = Math.max(from, this.#selection.start);
    const rows = this.#selection.page(first, from + count - first).map((entry, at) => traceRow(entry, first + at));
    this.#send({ type: 'rows', list, rows });
  }

  #sendMessage(entry: TraceEntry): void {
    const { n, at } = entry;
    this.#wanted = n;
    const checkpoint = checkpointIn(entry);
    if (checkpoint === undefined) return this.#send({ type: 'message', message: traceMessage(entry) });
    const show = (fate?: string): void => {
      // Another message may have been selected.
      if (this.#wanted === n) this.#send({ type: 'message', message: traceMessage(entry, fate) });
    };
    this.#fateOf(checkpoint, at).then(show, (error: unknown) => {
      this.#services.log.log('warn', `A checkpoint cannot be looked up: ${messageOf(error)}`);
      show();
    });
  }

  async #fateOf(checkpoint: string, at: number): Promise<string> {
    return checkpointFate(checkpoint, at, await this.#services.host.lineages.find(this.#server, checkpoint));
  }

  async #copy(n: number): Promise<void> {
    const entry = this.#trace.get(n);
    if (entry === undefined) return;
    await vscode.env.clipboard.writeText(formatted(entry));
    vscode.window.setStatusBarMessage(vscode.l10n.t('Copied the message.'), 2_000);
  }

  async #export(): Promise<void> {
    const done = await exportTrace(this.#trace, this.#selection.filter, this.#server);
    if (done) vscode.window.setStatusBarMessage(vscode.l10n.t('Exported the trace.'), 4_000);
  }

  #run(failed: string, work: Promise<void>): void {
    work.catch((error: unknown) => this.#services.failures.show(failed, error, { server: this.#server }));
  }

  #send(message: ToTracePage): void {
    if (!this.#store.isDisposed && this.#panel.visible) void this.#panel.webview.postMessage(message);
  }
}

type PanelNeeds = Pick<EditorServices, 'host' | 'failures' | 'log' | 'extensionUri' | 'traces'>;

/** The open tabs: one for each server. */
export class TracePanels implements Disposable {
  readonly #services: PanelNeeds;
  readonly #open = new Map<string, TracePanel>();
  readonly #shown = new Set<string>();
  readonly #listener: Disposable;

  constructor(services: PanelNeeds) {
    this.#services = services;
    this.#listener = services.host.onDidChangeServer(({ server, what }) => {
      if (what === 'added') this.#attach(server);
    });
  }

  wasShown(server: string): boolean {
    return this.#shown.has(server);
  }

  show(server: string): void {
    const trace = this.#on(server);
    const there = this.#open.get(server);
    if (there !== undefined) return there.reveal();
    if (trace === undefined) return;
    const options = pageOptions(this.#services.extensionUri);
    const panel = vscode.window.createWebviewPanel(TRACE_VIEW, server, vscode.ViewColumn.Active, options);
    this.#adopt(server, panel, new TracePanel(this.#services, panel, server, trace));
  }

  /** Restores a tab after a window reload and continues recording. */
  restore(panel: vscode.WebviewPanel, state: unknown): void {
    const server = decodeTracePageState(state)?.server;
    const trace = server === undefined ? undefined : this.#on(server);
    if (server === undefined || trace === undefined || this.#open.has(server)) panel.dispose();
    else this.#adopt(server, panel, new TracePanel(this.#services, panel, server, trace));
  }

  dispose(): void {
    this.#listener.dispose();
    for (const panel of this.#open.values()) panel.dispose();
    this.#open.clear();
  }

  /** A server that was removed and added again has a new trace. */
  #attach(server: string): void {
    const panel = this.#open.get(server);
    const trace = panel === undefined ? undefined : this.#on(server);
    if (trace !== undefined) panel?.attach(trace);
  }

  #on(server: string): ProtocolTrace | undefined {
    const { host, traces } = this.#services;
    const trace = host.server(server) === undefined ? undefined : traces.trace(server);
    this.#shown.add(server);
    trace?.set(true);
    return trace;
  }

  #adopt(server: string, panel: vscode.WebviewPanel, view: TracePanel): void {
    this.#open.set(server, view);
    panel.onDidDispose(() => {
      this.#open.delete(server);
      view.dispose();
    });
  }
}

/** Asks for a file and exports the messages as JSON lines. Returns false if the user cancelled. */
async function exportTrace(trace: ProtocolTrace, filter: TraceFilter, server: string): Promise<boolean> {
  const name = `${server.replace(/[^\w.-]+/g, '-')}-trace.jsonl`;
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const target = await vscode.window.showSaveDialog({
    title: vscode.l10n.t('Export Protocol Trace'),
    saveLabel: vscode.l10n.t('Export'),
    filters: { [vscode.l10n.t('JSON lines')]: ['jsonl'] },
    ...(folder === undefined ? {} : { defaultUri: vscode.Uri.joinPath(folder, name) }),
  });
  if (target === undefined) return false;
  await writeTrace(trace, filter, target);
  return true;
}

export async function writeTrace(trace: ProtocolTrace, filter: TraceFilter, target: vscode.Uri): Promise<void> {
  const lines = withEnds(trace.exportLines(filter));
  // Streams local files, so that a long trace is not in memory twice.
  if (target.scheme === 'file') return pipeline(Readable.from(lines), createWriteStream(target.fsPath));
  await vscode.workspace.fs.writeFile(target, Buffer.from([...lines].join('')));
}

function* withEnds(lines: Iterable<string>): Iterable<string> {
  for (const line of lines) yield `${line}\n`;
}
