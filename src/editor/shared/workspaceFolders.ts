import * as vscode from 'vscode';

/** A workspace folder. Its path is absolute and uses `/`. */
export interface OpenFolder {
  readonly name: string;
  readonly path: string;
}

/** The workspace folders in the format of scopes: absolute, with `/`. */
export function openFolders(): readonly OpenFolder[] {
  return (vscode.workspace.workspaceFolders ?? []).map(({ name, uri }) => ({
    name,
    path: uri.fsPath.replaceAll('\\', '/').replace(/(.)\/$/, '$1'),
  }));
}
