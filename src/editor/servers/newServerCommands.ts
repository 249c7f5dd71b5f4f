import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../../core/index.ts';
import { registerCommand } from '../shared/commandRegistry.ts';
import { COMMANDS } from '../shared/ids.ts';
import type { Reveals } from './newServer.ts';
import type { EditorServices } from '../shared/services.ts';

type Needs = Pick<EditorServices, 'host' | 'settings' | 'failures'>;

/** The ways to a new server: the wizard, and the demo server in one click. */
export function registerNewServerCommands(services: Needs, tree: Reveals): Disposable {
  const store = new DisposableStore();
  const adding = { failed: vscode.l10n.t('The server was not added, or did not start') };
  store.add(
    registerCommand(services, COMMANDS.serverAdd, adding, async () => {
      const { addServer } = await import('../pages.ts');
      await addServer(services, tree);
    }),
  );
  const trying = { failed: vscode.l10n.t('The demo server did not start'), retry: true };
  store.add(
    registerCommand(services, COMMANDS.demoTry, trying, async () => {
      const { tryDemo } = await import('../pages.ts');
      await tryDemo(services, tree);
    }),
  );
  return store;
}
