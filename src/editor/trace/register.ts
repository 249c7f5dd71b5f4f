import * as vscode from 'vscode';
import { asyncLazy, type Disposable, DisposableStore } from '../../core/index.ts';
import { registerCommand } from '../shared/commandRegistry.ts';
import { COMMANDS, SETTINGS, TRACE_VIEW } from '../shared/ids.ts';
import type { EditorServices } from '../shared/services.ts';

type Needs = Pick<EditorServices, 'host' | 'failures' | 'log' | 'pick' | 'extensionUri' | 'traces'>;

/** Registers `mcpl.server.showTrace`, its tabs, and the setting that records from the start. */
export function registerShowTrace(services: Needs): Disposable {
  const store = new DisposableStore();
  const panels = asyncLazy(
    () => import('./tracePanel.ts'),
    ({ TracePanels }) => store.add(new TracePanels(services)),
  );
  store.add(
    vscode.window.registerWebviewPanelSerializer(TRACE_VIEW, {
      deserializeWebviewPanel: async (panel, state: unknown) => (await panels.get()).restore(panel, state),
    }),
  );
  store.add(followTraceSetting(services, (server) => panels.value?.wasShown(server) === true));
  const text = { failed: vscode.l10n.t('The trace cannot be shown') };
  store.add(
    registerCommand(services, COMMANDS.serverShowTrace, text, async (argument) => {
      const placeHolder = vscode.l10n.t("Which server's messages do you want to see?");
      const server = await services.pick.server(argument, placeHolder);
      if (server !== undefined) (await panels.get()).show(server);
    }),
  );
  return store;
}

/**
 * Records all servers while the setting says so, from a server's first message. Turning the setting off keeps recording
 * the servers whose trace was opened in this window.
 */
function followTraceSetting(
  { host, traces }: Pick<Needs, 'host' | 'traces'>,
  wasShown: (server: string) => boolean,
): Disposable {
  const store = new DisposableStore();
  const isOn = (): boolean => {
    const configuration = vscode.workspace.getConfiguration();
    // A workspace can record more than the user, never less.
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
