import * as vscode from 'vscode';
import {
  type Disposable,
  DisposableStore,
  Emitter,
  type Event,
  type Host,
  type HostSettings,
  type Json,
  type SettingsLayer,
} from '../core/index.ts';
import { SETTINGS } from './ids.ts';
import { toJson } from './settingsJson.ts';

/** `mcpl.servers` as it stands in each place now. */
export function readSettings(): HostSettings {
  return { layers: layersOf(SETTINGS.servers), trusted: vscode.workspace.isTrusted };
}

/** The raw values of a setting, the strongest last. */
export function layersOf(setting: string): readonly SettingsLayer[] {
  const here = vscode.workspace.getConfiguration().inspect(setting);
  const layers: SettingsLayer[] = [
    { scope: 'user', servers: toJson(here?.globalValue) },
    { scope: 'workspace', servers: toJson(here?.workspaceValue) },
  ];
  for (const folder of foldersWithSettings())
    layers.push({ scope: 'folder', servers: folderValue(setting, folder.uri) });
  return layers;
}

/** In a window on one folder its settings are the workspace's; only a workspace file has settings beside the folders'. */
export function foldersWithSettings(): readonly vscode.WorkspaceFolder[] {
  return vscode.workspace.workspaceFile === undefined ? [] : (vscode.workspace.workspaceFolders ?? []);
}

function folderValue(setting: string, folder: vscode.Uri): Json | undefined {
  return toJson(vscode.workspace.getConfiguration(undefined, folder).inspect(setting)?.workspaceFolderValue);
}

/** Keeps the host's settings those of the editor. */
export class SettingsWatch implements Disposable {
  readonly #host: Host;
  readonly #owned = new DisposableStore();
  readonly #applied = this.#owned.add(new Emitter<HostSettings>());
  #scheduled: NodeJS.Immediate | undefined;

  /** After the host has taken new settings. */
  readonly onDidApply: Event<HostSettings> = this.#applied.event;

  constructor(host: Host) {
    this.#host = host;
    const own = [SETTINGS.servers, SETTINGS.inputs];
    this.#owned.add(
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (own.some((setting) => change.affectsConfiguration(setting))) this.#schedule();
      }),
    );
    this.#owned.add(vscode.workspace.onDidGrantWorkspaceTrust(() => this.#schedule()));
    this.#owned.add(vscode.workspace.onDidChangeWorkspaceFolders(() => this.#schedule()));
  }

  apply(): void {
    const settings = readSettings();
    this.#host.configure(settings);
    this.#applied.fire(settings);
  }

  dispose(): void {
    if (this.#scheduled !== undefined) clearImmediate(this.#scheduled);
    this.#owned.dispose();
  }

  /** One write of a file comes as several events: the host hears of the outcome once. */
  #schedule(): void {
    this.#scheduled ??= setImmediate(() => {
      this.#scheduled = undefined;
      this.apply();
    });
  }
}
