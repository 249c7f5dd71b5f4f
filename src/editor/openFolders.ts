import * as vscode from 'vscode';
import type { OpenFolder } from './approvalText.ts';

/** The folders of the workspace as scopes name them: absolute, with `/`. */
export function openFolders(): readonly OpenFolder[] {
  return (vscode.workspace.workspaceFolders ?? []).map(({ name, uri }) => ({
    name,
    path: uri.fsPath.replaceAll('\\', '/').replace(/(.)\/$/, '$1'),
  }));
}
