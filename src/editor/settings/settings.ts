import * as vscode from 'vscode';
import {
  answerOf,
  type Disposable,
  DisposableStore,
  type EditorPolicy,
  editorPolicy,
  Emitter,
  type Event,
  type Host,
  type HostSettings,
  type Json,
  LIMIT_KEYS,
  type SettingsLayer,
} from '../../core/index.ts';
import { SETTINGS } from '../shared/ids.ts';
import { toJson } from '../shared/settingsJson.ts';
import type { ContributedLayers } from './contributedLayers.ts';
import { hostLimits } from './hostLimits.ts';

const ACCESS = 'chat.mcp.access';
/** In older editors, instead of `chat.mcp.access`. */
const ENABLED = 'chat.mcp.enabled';
const ALLOWED = 'chat.mcp.allowedServers';
const DENIED = 'chat.mcp.deniedServers';
const MANAGED_ONLY = 'chat.mcp.allowManagedServersOnly';
/** The editor's own settings that say which MCP servers may run. */
const POLICY_SETTINGS: readonly string[] = [ACCESS, ENABLED, ALLOWED, DENIED, MANAGED_ONLY];

/** `mcpl.servers` as it stands in each place now, what extensions contribute, and what holds for all servers. */
export function readSettings(contributed: readonly SettingsLayer[]): HostSettings {
  const configuration = vscode.workspace.getConfiguration();
  return {
    layers: [...contributed, ...layersOf(SETTINGS.servers)],
    trusted: vscode.workspace.isTrusted,
    editorPolicy: readEditorPolicy(),
    limits: hostLimits((setting) =>
      answerOf(setting, 'widening') === 'never'
        ? configuration.inspect(setting)?.globalValue
        : configuration.get(setting),
    ),
    ownLimits: hostLimits((setting) => {
      const here = configuration.inspect(setting);
      return here?.globalValue ?? here?.defaultValue;
    }),
  };
}

/** Everything that the host is configured with. */
const OWN: readonly string[] = [SETTINGS.servers, SETTINGS.inputs, ...Object.values(LIMIT_KEYS), ...POLICY_SETTINGS];

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

/** How soon a settings file that cannot be read is looked at again. */
const AGAIN_MS = 1_000;

/** Says whether a settings file is not JSON now. */
export interface SettingsSyntax {
  isBroken(): Promise<boolean>;
}

/**
 * Keeps the host's settings those of the editor. Of a file that is not JSON the editor takes what it can make of it,
 * which may be anything: while somebody is in the middle of a line, the host keeps what it has.
 */
export class SettingsWatch implements Disposable {
  readonly #host: Host;
  readonly #syntax: SettingsSyntax;
  readonly #contributed: ContributedLayers;
  readonly #owned = new DisposableStore();
  readonly #applied = this.#owned.add(new Emitter<HostSettings>());
  readonly #held = this.#owned.add(new Emitter<void>());
  #scheduled: NodeJS.Immediate | undefined;
  #again: NodeJS.Timeout | undefined;
  #isLooking = false;
  #isOutdated = false;
  #isHolding = false;

  /** After the host has taken new settings. */
  readonly onDidApply: Event<HostSettings> = this.#applied.event;
  readonly onDidChangeHolding: Event<void> = this.#held.event;

  constructor(host: Host, syntax: SettingsSyntax, contributed: ContributedLayers) {
    this.#host = host;
    this.#syntax = syntax;
    this.#contributed = contributed;
    this.#owned.add(contributed.onDidChange(() => this.#schedule()));
    this.#owned.add(
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (OWN.some((setting) => change.affectsConfiguration(setting))) this.#schedule();
      }),
    );
    this.#owned.add(vscode.workspace.onDidGrantWorkspaceTrust(() => this.#schedule()));
    this.#owned.add(vscode.workspace.onDidChangeWorkspaceFolders(() => this.#schedule()));
  }

  /** Whether changes wait until a settings file can be read again. */
  get isHolding(): boolean {
    return this.#isHolding;
  }

  apply(): void {
    const settings = readSettings(this.#contributed.all);
    this.#host.configure(settings);
    this.#applied.fire(settings);
  }

  dispose(): void {
    if (this.#scheduled !== undefined) clearImmediate(this.#scheduled);
    clearTimeout(this.#again);
    this.#owned.dispose();
  }

  /** One write of a file comes as several events: the host hears of the outcome once. */
  #schedule(): void {
    this.#scheduled ??= setImmediate(() => {
      this.#scheduled = undefined;
      void this.#applyWhenSound();
    });
  }

  async #applyWhenSound(): Promise<void> {
    clearTimeout(this.#again);
    this.#isOutdated = true;
    if (this.#isLooking) return;
    this.#isLooking = true;
    let isBroken = false;
    while (this.#isOutdated) {
      this.#isOutdated = false;
      isBroken = await this.#syntax.isBroken().catch(() => false);
    }
    this.#isLooking = false;
    if (this.#owned.isDisposed) return;
    if (isBroken) this.#again = setTimeout(() => void this.#applyWhenSound(), AGAIN_MS);
    else this.apply();
    if (isBroken === this.#isHolding) return;
    this.#isHolding = isBroken;
    this.#held.fire();
  }
}

/** What the editor's settings and the policies behind them allow now. */
function readEditorPolicy(): EditorPolicy {
  const configuration = vscode.workspace.getConfiguration();
  // A policy shows in the value that holds. A workspace cannot allow more than the user does.
  const both = (setting: string): readonly unknown[] => [
    configuration.get(setting),
    configuration.inspect(setting)?.globalValue,
  ];
  const managedOnly = both(MANAGED_ONLY).includes(true);
  return editorPolicy({
    access: both(ACCESS),
    enabled: both(ENABLED),
    allowed: managedOnly ? (managedValue(ALLOWED) ?? []) : configuration.get(ALLOWED),
    denied: managedOnly ? allValues(DENIED) : [configuration.get(DENIED)],
  });
}

/** Extensions are not told where a value comes from: one that is not the user's own is the organisation's. */
function managedValue(setting: string): unknown {
  const configuration = vscode.workspace.getConfiguration();
  const value: unknown = configuration.get(setting);
  const own: unknown = configuration.inspect(setting)?.globalValue;
  return JSON.stringify(value) === JSON.stringify(own) ? undefined : value;
}

function allValues(setting: string): readonly unknown[] {
  const configuration = vscode.workspace.getConfiguration();
  const here = configuration.inspect(setting);
  return [configuration.get(setting), here?.globalValue, here?.workspaceValue, here?.workspaceFolderValue];
}
