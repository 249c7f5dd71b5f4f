import * as vscode from 'vscode';

/** Everything that is shown somewhere: in tabs, on either side of a comparison, and as a document that is only peeked at. */
export function openFiles(): ReadonlySet<string> {
  const tabs = vscode.window.tabGroups.all.flatMap(({ tabs: all }) => all.flatMap(({ input }) => filesOf(input)));
  return new Set([...tabs, ...vscode.workspace.textDocuments.map(({ uri }) => uri)].map((uri) => uri.toString()));
}

function filesOf(input: unknown): readonly vscode.Uri[] {
  if (input instanceof vscode.TabInputTextDiff || input instanceof vscode.TabInputNotebookDiff)
    return [input.original, input.modified];
  return input instanceof vscode.TabInputText ||
    input instanceof vscode.TabInputCustom ||
    input instanceof vscode.TabInputNotebook
    ? [input.uri]
    : [];
}
