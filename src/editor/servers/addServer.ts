import * as vscode from 'vscode';
import { askForServer } from './addServerSteps.ts';
import { addNewServer, type Reveals } from './newServer.ts';
import type { EditorServices } from '../shared/services.ts';
import { QuickInputWizard } from '../shared/wizard.ts';

export async function addServer(services: Pick<EditorServices, 'host' | 'settings'>, tree: Reveals): Promise<void> {
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
