import * as vscode from 'vscode';
import { isObject, type SettingsScope } from '../../core/index.ts';
import { SETTINGS } from '../shared/ids.ts';
import type { SettingPath } from './settingLocator.ts';
import type { SettingTarget } from '../shared/treeNode.ts';
import type { FoundSetting, SettingsFiles } from './settingsFiles.ts';

/** The editor's commands that open settings files. */
const FILE_COMMANDS = {
  user: 'workbench.action.openSettingsJson',
  workspace: 'workbench.action.openWorkspaceSettingsFile',
  folder: 'workbench.action.openFolderSettingsFile',
} as const satisfies Readonly<Record<Exclude<SettingsScope, 'extension'>, string>>;

/** Opens the settings at a server's entry, in the strongest place that has one. */
export async function openServerSettings(files: SettingsFiles, server: string): Promise<void> {
  const found = await strongest(files, [server]);
  if (found === undefined || found.depth < 1) {
    await vscode.commands.executeCommand('workbench.action.openSettings', SETTINGS.servers);
    return;
  }
  await show(found);
}

export async function openWorkspaceSettings(): Promise<void> {
  await vscode.commands.executeCommand(FILE_COMMANDS.workspace);
}

/** Opens the settings at a member of `mcpl.servers`, or at its parent. */
export async function openSetting(files: SettingsFiles, { scope, path }: SettingTarget): Promise<void> {
  // Contributed values are in no file, but settings may override them.
  if (scope === undefined || scope === 'extension') {
    const strong = await strongest(files, path);
    if (strong === undefined) await vscode.commands.executeCommand('workbench.action.openSettings', SETTINGS.servers);
    else await show(strong);
    return;
  }
  const found = await files.find(scope, path);
  if (found === undefined) await vscode.commands.executeCommand(FILE_COMMANDS[scope]);
  else await show(found);
}

/** The setting in a command's argument, which rows with a problem have. */
export function settingOf(argument: unknown): SettingTarget | undefined {
  if (!isObject(argument) || !isObject(argument['setting'])) return undefined;
  const { scope, path } = argument['setting'];
  if (scope !== undefined && scope !== 'user' && scope !== 'workspace' && scope !== 'folder' && scope !== 'extension')
    return undefined;
  return Array.isArray(path) && path.every(isStep) ? { scope, path } : undefined;
}

function isStep(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}

async function show({ uri, range }: FoundSetting): Promise<void> {
  const document = await vscode.workspace.openTextDocument(uri);
  await vscode.window.showTextDocument(document, { selection: new vscode.Range(range.start, range.start) });
}

/** The deepest match, and of equal ones the strongest place. */
async function strongest(files: SettingsFiles, path: SettingPath): Promise<FoundSetting | undefined> {
  let best: FoundSetting | undefined;
  for (const scope of ['folder', 'workspace', 'user'] as const) {
    const found = await files.find(scope, path);
    if (found !== undefined && (best === undefined || found.depth > best.depth)) best = found;
  }
  return best;
}
