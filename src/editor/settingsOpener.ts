import * as vscode from 'vscode';
import { SETTINGS } from './ids.ts';
import type { FoundSetting, SettingsFiles } from './settingsFiles.ts';

/** Opens the settings at the entry of a server, in the strongest place that has one. */
export async function openServerSettings(files: SettingsFiles, server: string): Promise<void> {
  const found = await strongest(files, server);
  if (found === undefined) {
    await vscode.commands.executeCommand('workbench.action.openSettings', SETTINGS.servers);
    return;
  }
  const document = await vscode.workspace.openTextDocument(found.uri);
  const start = new vscode.Range(found.range.start, found.range.start);
  await vscode.window.showTextDocument(document, { selection: start });
}

async function strongest(files: SettingsFiles, server: string): Promise<FoundSetting | undefined> {
  for (const scope of ['folder', 'workspace', 'user'] as const) {
    const found = await files.find(scope, [server]);
    if (found?.depth === 1) return found;
  }
  return undefined;
}
