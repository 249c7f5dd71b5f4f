import * as vscode from 'vscode';

/** A folder of the workspace; its path is absolute and with `/`. */
export interface OpenFolder {
  readonly name: string;
  readonly path: string;
}

/** The folders of the workspace as scopes name them: absolute, with `/`. */
export function openFolders(): readonly OpenFolder[] {
  return (vscode.workspace.workspaceFolders ?? []).map(({ name, uri }) => ({
    name,
    path: uri.fsPath.replaceAll('\\', '/').replace(/(.)\/$/, '$1'),
  }));
}
