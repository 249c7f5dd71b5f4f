import * as vscode from 'vscode';
import { type Disposable, DisposableStore, type Host } from '../../core/index.ts';
import type { SettingsWatch } from '../settings/settings.ts';
import { registerCommand } from '../shared/commandRegistry.ts';
import { COMMANDS, CONTEXT_KEYS } from '../shared/ids.ts';
import type { EditorServices } from '../shared/services.ts';
import { registerConnectionCommands } from './connectionCommands.ts';
import { registerHostCommands } from './hostCommands.ts';
import type { Reveals } from './newServer.ts';
import { registerServerCommands, registerToolCommands } from './serverCommands.ts';
import { registerServerTree } from './serverTree.ts';
import { registerStatusBar } from './statusBar.ts';
import { hintAtWorkingFolder } from './workingFolderHint.ts';

/** The Servers view, the status bar item, and the commands about servers and their tools. */
export function registerServers(
  services: EditorServices,
  watch: SettingsWatch,
  globalState: vscode.Memento,
): Disposable {
  const store = new DisposableStore();
  store.add(registerContextKeys(services.host, watch));
  const tree = store.add(registerServerTree(services, watch));
  store.add(registerStatusBar(services));
  store.add(registerNewServerCommands(services, tree));
  store.add(registerServerCommands(services));
  store.add(registerToolCommands(services));
  store.add(registerHostCommands(services));
  store.add(registerConnectionCommands(services));
  store.add(hintAtWorkingFolder(services, globalState));
  return store;
}

/** Registers the commands that add servers: the wizard and the demo server. */
function registerNewServerCommands(
  services: Pick<EditorServices, 'host' | 'settings' | 'failures'>,
  tree: Reveals,
): Disposable {
  const store = new DisposableStore();
  const adding = { failed: vscode.l10n.t('The server was not added, or did not start') };
  store.add(
    registerCommand(services, COMMANDS.serverAdd, adding, async () => {
      const { addServer } = await import('./lazy.ts');
      await addServer(services, tree);
    }),
  );
  const trying = { failed: vscode.l10n.t('The demo server did not start'), retry: true };
  store.add(
    registerCommand(services, COMMANDS.demoTry, trying, async () => {
      const { tryDemo } = await import('./lazy.ts');
      await tryDemo(services, tree);
    }),
  );
  return store;
}

/** Sets the context keys for `when` clauses in package.json. */
function registerContextKeys(host: Host, watch: SettingsWatch): Disposable {
  const owned = new DisposableStore();
  const known = new Map<string, boolean>();
  const set = (key: string, value: boolean): void => {
    if (known.get(key) === value) return;
    known.set(key, value);
    void vscode.commands.executeCommand('setContext', key, value);
  };
  const refresh = (): void => {
    set(CONTEXT_KEYS.hasServers, host.servers().length > 0);
    set(CONTEXT_KEYS.restricted, !vscode.workspace.isTrusted);
  };
  owned.add(watch.onDidApply(refresh));
  refresh();
  return owned;
}
