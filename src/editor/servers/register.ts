import * as vscode from 'vscode';
import { type Disposable, DisposableStore, type Host } from '../../core/index.ts';
import type { SettingsWatch } from '../settings/settings.ts';
import { registerCommand } from '../shared/commandRegistry.ts';
import { COMMANDS, CONTEXT_KEYS } from '../shared/ids.ts';
import { notify } from '../shared/notify.ts';
import { plainText } from '../shared/plainText.ts';
import type { EditorServices, InputMemory } from '../shared/services.ts';
import { registerConnectionCommands } from './connectionCommands.ts';
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

/** Registers commands that concern no single server. */
function registerHostCommands(services: EditorServices): Disposable {
  const owned = new DisposableStore();
  const showing = { failed: vscode.l10n.t('The log cannot be shown') };
  owned.add(
    registerCommand(services, COMMANDS.hostShowLog, showing, async () => {
      services.logs.showHost();
    }),
  );
  const clearing = { failed: vscode.l10n.t('The inputs were not forgotten') };
  owned.add(registerCommand(services, COMMANDS.inputClear, clearing, () => clearInputs(services.inputs)));
  return owned;
}

async function clearInputs(inputs: InputMemory): Promise<void> {
  const ids = await inputs.remembered();
  if (ids.length === 0) {
    void notify({ severity: 'info', text: vscode.l10n.t('No input is stored for this workspace.') });
    return;
  }
  const items = ids.map((id) => ({ label: plainText(id, 100), id, picked: true }));
  const placeHolder = vscode.l10n.t('Which inputs do you want to forget?');
  const chosen = await vscode.window.showQuickPick(items, { placeHolder, canPickMany: true });
  for (const { id } of chosen ?? []) await inputs.forget(id);
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
