import * as vscode from 'vscode';
import type { Disposable } from '../core/index.ts';
import { askForServer } from './addServerSteps.ts';
import { registerCommand } from './commandRegistry.ts';
import { COMMANDS } from './ids.ts';
import { addNewServer, type Reveals } from './newServer.ts';
import type { EditorServices } from './services.ts';
import { QuickInputWizard } from './wizard.ts';

type Needs = Pick<EditorServices, 'host' | 'settings' | 'failures'>;

export function registerAddServer(services: Needs, tree: Reveals): Disposable {
  const text = { failed: vscode.l10n.t('The server was not added, or did not start') };
  return registerCommand(services, COMMANDS.serverAdd, text, () => addServer(services, tree));
}

async function addServer(services: Needs, tree: Reveals): Promise<void> {
  const server = await askForServer(new QuickInputWizard(vscode.l10n.t('Add Server')), {
    taken: new Set(services.host.servers().map(({ id }) => id)),
    hasWorkspace: hasWorkspace(),
    style: process.platform === 'win32' ? 'windows' : 'posix',
  });
  if (server !== undefined) await addNewServer(services, tree, server);
}

/** Whether there are workspace settings to write to. */
export function hasWorkspace(): boolean {
  return vscode.workspace.workspaceFile !== undefined || (vscode.workspace.workspaceFolders ?? []).length > 0;
}
