import * as vscode from 'vscode';
import { type Disposable, DisposableStore, type ProtocolTrace } from '../../core/index.ts';
import { registerCommand } from '../shared/commandRegistry.ts';
import { COMMANDS, SETTINGS, TRACE_VIEW } from '../shared/ids.ts';
import type { EditorServices } from '../shared/services.ts';
import type { TracePanel } from './tracePanel.ts';

type Needs = Pick<EditorServices, 'host' | 'failures' | 'log' | 'pick' | 'extensionUri' | 'traces'>;

/** `mcpl.server.showTrace`, the tabs that it opens, and the setting that records from the start. */
export function registerShowTrace(services: Needs): Disposable {
  const store = new DisposableStore();
  const panels = store.add(new TracePanels(services));
  store.add(vscode.window.registerWebviewPanelSerializer(TRACE_VIEW, panels));
  store.add(followTraceSetting(services, (server) => panels.wasShown(server)));
  const text = { failed: vscode.l10n.t('The trace cannot be shown') };
  store.add(
    registerCommand(services, COMMANDS.serverShowTrace, text, async (argument) => {
      const placeHolder = vscode.l10n.t("Which server's messages do you want to see?");
      const server = await services.pick.server(argument, placeHolder);
      if (server !== undefined) await panels.show(server);
    }),
  );
  return store;
}

/**
 * Switches recording on for all servers while the setting says so, before a server's first message. Taking that back
 * leaves alone what somebody looked at: that was switched on by looking, until the window closes.
 */
function followTraceSetting(
  { host, traces }: Pick<Needs, 'host' | 'traces'>,
  wasShown: (server: string) => boolean,
): Disposable {
  const store = new DisposableStore();
  const isOn = (): boolean => {
    const configuration = vscode.workspace.getConfiguration();
    // A workspace can record more, and never less than the user wants.
    return [configuration.get(SETTINGS.trace), configuration.inspect(SETTINGS.trace)?.globalValue].includes('messages');
  };
  const all = (): void => {
    for (const { id } of host.servers()) if (isOn() || !wasShown(id)) traces.trace(id)?.set(isOn());
  };
  store.add(
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration(SETTINGS.trace)) all();
    }),
  );
  store.add(
    host.onDidChangeServer(({ server, what }) => {
      if (what === 'added' && isOn()) traces.trace(server)?.set(true);
    }),
  );
  all();
  return store;
}

class TracePanels implements vscode.WebviewPanelSerializer, Disposable {
  readonly #services: Needs;
  readonly #open = new Map<string, TracePanel>();
  readonly #shown = new Set<string>();
  readonly #listener: Disposable;

  constructor(services: Needs) {
    this.#services = services;
    this.#listener = services.host.onDidChangeServer(({ server, what }) => {
      if (what === 'added') this.#attach(server);
    });
  }

  wasShown(server: string): boolean {
    return this.#shown.has(server);
  }

  async show(server: string): Promise<void> {
    const { pageOptions, TracePanel } = await import('../pages.ts');
    const trace = this.#on(server);
    const there = this.#open.get(server);
    if (there !== undefined) return there.reveal();
    if (trace === undefined) return;
    const options = pageOptions(this.#services.extensionUri);
    const panel = vscode.window.createWebviewPanel(TRACE_VIEW, server, vscode.ViewColumn.Active, options);
    this.#adopt(server, panel, new TracePanel(this.#services, panel, server, trace));
  }

  /** After a reload of the window the tab is back, and what it is there for goes on. */
  async deserializeWebviewPanel(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    const { decodeTracePageState, TracePanel } = await import('../pages.ts');
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

  /** A server that left the settings and came back has a trace of its own again. */
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
