import * as vscode from 'vscode';
import { Deferred, isJsonObject, type Json, jsonEquals, type JsonObject } from '../../core/index.ts';
import { SETTINGS } from '../shared/ids.ts';
import { foldersWithSettings } from './settings.ts';
import { toJson } from '../shared/settingsJson.ts';
import type { SettingPath } from './settingLocator.ts';

/** How long the editor may take to notice a changed settings file. */
const NOTICE_MS = 5_000;

/** A place where `mcpl.servers` can be written, with its current value. */
export interface SettingsLocation {
  readonly target: vscode.ConfigurationTarget;
  readonly folder: vscode.Uri | undefined;
  readonly servers: JsonObject;
}

/** One edit: the resulting value, and the member that changes or, for `undefined`, is removed. */
interface ServersEdit {
  readonly servers: JsonObject | undefined;
  readonly path: readonly string[];
  readonly value: Json | undefined;
}

const { Global, Workspace, WorkspaceFolder } = vscode.ConfigurationTarget;

/** Weakest first, as in the host's settings. */
export function settingsLocations(): readonly SettingsLocation[] {
  const targets: readonly (readonly [vscode.ConfigurationTarget, vscode.Uri | undefined])[] = [
    [Global, undefined],
    [Workspace, undefined],
    ...foldersWithSettings().map(({ uri }) => [WorkspaceFolder, uri] as const),
  ];
  return targets.map(([target, folder]) => locationOf(target, folder));
}

/** Workspace settings, or user settings in an empty window. */
export function defaultLocation(): SettingsLocation {
  const { workspaceFile, workspaceFolders } = vscode.workspace;
  const isEmpty = workspaceFile === undefined && (workspaceFolders ?? []).length === 0;
  return isEmpty ? userLocation() : locationOf(Workspace, undefined);
}

export function userLocation(): SettingsLocation {
  return locationOf(Global, undefined);
}

export function isUserLocation(location: SettingsLocation): boolean {
  return location.target === Global;
}

export function isSameLocation(a: SettingsLocation, b: SettingsLocation): boolean {
  return a.target === b.target && a.folder?.toString() === b.folder?.toString();
}

/** Writes the value. Resolves when the editor's configuration has it. */
export async function writeLocation(location: SettingsLocation, edit: ServersEdit): Promise<void> {
  if (await writeText(location, edit)) return;
  const configuration = vscode.workspace.getConfiguration(undefined, location.folder);
  await configuration.update(SETTINGS.servers, edit.servers, location.target);
}

/** Edits the file, because the editor's API writes the whole setting again, without its comments and layout. */
async function writeText(location: SettingsLocation, edit: ServersEdit): Promise<boolean> {
  const file = fileOf(location);
  if (file === undefined || isDirty(file.uri)) return false;
  const before = await exactTextOf(file.uri);
  const { settingIn, withSetting } = await import('./settingsText.ts');
  const after =
    before === undefined ? undefined : withSetting(before, file.root, SETTINGS.servers, edit.path, edit.value);
  if (after === undefined) return false;
  if (after === before) return true;
  const noticed = whenValue(location, objectOf(settingIn(after, file.root, SETTINGS.servers)));
  try {
    await vscode.workspace.fs.writeFile(file.uri, new TextEncoder().encode(after));
  } catch {
    noticed.dispose();
    return false;
  }
  // If someone else changed the file meanwhile, do not overwrite it.
  return (await noticed.promise) || (await exactTextOf(file.uri)) !== after;
}

/** The text with its byte order mark. `undefined` for a file in another encoding, which only the editor can write. */
async function exactTextOf(uri: vscode.Uri): Promise<string | undefined> {
  try {
    const bytes = await vscode.workspace.fs.readFile(uri);
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

interface Notice extends vscode.Disposable {
  /** Resolves with false after a timeout. */
  readonly promise: Promise<boolean>;
}

function whenValue({ target, folder }: SettingsLocation, wanted: JsonObject): Notice {
  const noticed = new Deferred<boolean>();
  const check = (): void => {
    if (jsonEquals(objectOf(valueIn(target, folder)), wanted)) noticed.resolve(true);
  };
  const listener = vscode.workspace.onDidChangeConfiguration(check);
  const patience = setTimeout(() => noticed.resolve(false), NOTICE_MS);
  check();
  const dispose = (): void => {
    clearTimeout(patience);
    listener.dispose();
  };
  return { promise: noticed.promise.finally(dispose), dispose };
}

function locationOf(target: vscode.ConfigurationTarget, folder: vscode.Uri | undefined): SettingsLocation {
  return { target, folder, servers: objectOf(valueIn(target, folder)) };
}

function fileOf(location: SettingsLocation): { readonly uri: vscode.Uri; readonly root: SettingPath } | undefined {
  const { workspaceFile, workspaceFolders } = vscode.workspace;
  if (location.target === Global) return undefined;
  if (location.target === Workspace && workspaceFile !== undefined)
    return workspaceFile.scheme === 'untitled' ? undefined : { uri: workspaceFile, root: ['settings'] };
  const folder = location.folder ?? workspaceFolders?.[0]?.uri;
  return folder && { uri: vscode.Uri.joinPath(folder, '.vscode', 'settings.json'), root: [] };
}

function isDirty(uri: vscode.Uri): boolean {
  const wanted = uri.toString();
  return vscode.workspace.textDocuments.some((document) => document.isDirty && document.uri.toString() === wanted);
}

function valueIn(target: vscode.ConfigurationTarget, folder: vscode.Uri | undefined): unknown {
  const inspected = vscode.workspace.getConfiguration(undefined, folder).inspect(SETTINGS.servers);
  if (target === Global) return inspected?.globalValue;
  return target === Workspace ? inspected?.workspaceValue : inspected?.workspaceFolderValue;
}

function objectOf(value: unknown): JsonObject {
  const json = toJson(value);
  return isJsonObject(json) ? json : {};
}
