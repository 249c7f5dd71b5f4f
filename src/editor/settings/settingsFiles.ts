import * as vscode from 'vscode';
import type { SettingsScope } from '../../core/index.ts';
import { SETTINGS } from '../shared/ids.ts';
import { foldersWithSettings } from './settings.ts';
import type { SettingPath } from './settingLocator.ts';

export interface FoundSetting {
  readonly uri: vscode.Uri;
  readonly range: vscode.Range;
  readonly depth: number;
}

interface SettingsFile {
  readonly uri: vscode.Uri;
  readonly root: SettingPath;
}

const SETTINGS_NAME = /(^|\/)settings\.json$|\.code-workspace$/;

export function isSettingsFile(uri: vscode.Uri): boolean {
  return SETTINGS_NAME.test(uri.path);
}

/** Finds settings files, and members of `mcpl.servers` in them. */
export class SettingsFiles {
  readonly #globalStorage: vscode.Uri;

  constructor(globalStorage: vscode.Uri) {
    this.#globalStorage = globalStorage;
  }

  /** The location of `path` in the files of a scope. The deepest match wins. */
  async find(scope: SettingsScope, path: SettingPath, at?: 'key'): Promise<FoundSetting | undefined> {
    let best: FoundSetting | undefined;
    for (const file of this.#filesOf(scope)) {
      const found = await locateIn(file, path, at);
      if (found !== undefined && (best === undefined || found.depth > best.depth)) best = found;
    }
    return best;
  }

  /** Whether a file on disk, from which the editor reads its configuration, is invalid JSON. */
  async isBroken(): Promise<boolean> {
    const files = (['user', 'workspace', 'folder'] as const).flatMap((scope) => this.#filesOf(scope));
    const texts = await Promise.all(files.map(({ uri }) => storedTextOf(uri)));
    const { isSettingsText } = await import('./settingsText.ts');
    return texts.some((text) => text !== undefined && !isSettingsText(text));
  }

  #filesOf(scope: SettingsScope): readonly SettingsFile[] {
    if (scope === 'extension') return [];
    if (scope === 'folder') return foldersWithSettings().map((folder) => inFolder(folder.uri));
    if (scope === 'user') return this.#userFiles();
    const { workspaceFile, workspaceFolders } = vscode.workspace;
    if (workspaceFile !== undefined) return [{ uri: workspaceFile, root: ['settings'] }];
    return (workspaceFolders ?? []).slice(0, 1).map((folder) => inFolder(folder.uri));
  }

  /**
   * No API returns the user's settings file. It is the open one, the one next to extension storage
   * (`User/globalStorage/<id>`, also within a profile), or the machine's in a remote window.
   */
  #userFiles(): readonly SettingsFile[] {
    const open = vscode.workspace.textDocuments
      .filter((document) => document.uri.scheme === 'vscode-userdata' && isSettingsFile(document.uri))
      .map((document) => document.uri);
    const user = vscode.Uri.joinPath(this.#globalStorage, '..', '..');
    const known = [
      vscode.Uri.joinPath(user, 'settings.json').with({ scheme: 'vscode-userdata', authority: '' }),
      vscode.Uri.joinPath(user, '..', 'Machine', 'settings.json'),
      vscode.Uri.from({ scheme: 'vscode-userdata', path: '/User/settings.json' }),
    ];
    return [...open, ...known].map((uri) => ({ uri, root: [] }));
  }
}

function inFolder(folder: vscode.Uri): SettingsFile {
  return { uri: vscode.Uri.joinPath(folder, '.vscode', 'settings.json'), root: [] };
}

async function locateIn(file: SettingsFile, path: SettingPath, at?: 'key'): Promise<FoundSetting | undefined> {
  const text = await textOf(file.uri);
  const { locateSetting, positionAt } = await import('./settingLocator.ts');
  const found = text === undefined ? undefined : locateSetting(text, SETTINGS.servers, path, file.root, at);
  if (text === undefined || found === undefined) return undefined;
  const start = positionAt(text, found.offset);
  const end = positionAt(text, found.offset + found.length);
  const range = new vscode.Range(start.line, start.character, end.line, end.character);
  return { uri: file.uri, range, depth: found.depth };
}

/** The text of an open document, else of the file. */
async function textOf(uri: vscode.Uri): Promise<string | undefined> {
  const open = vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri.toString());
  return open === undefined ? storedTextOf(uri) : open.getText();
}

/** The text of a file on disk. */
async function storedTextOf(uri: vscode.Uri): Promise<string | undefined> {
  try {
    return new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
  } catch {
    return undefined;
  }
}
