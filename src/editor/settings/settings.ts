import * as vscode from 'vscode';
import {
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
import { SettingsHold } from './settingsHold.ts';

const ACCESS = 'chat.mcp.access';
/** In older editors, instead of `chat.mcp.access`. */
const ENABLED = 'chat.mcp.enabled';
const ALLOWED = 'chat.mcp.allowedServers';
const DENIED = 'chat.mcp.deniedServers';
const MANAGED_ONLY = 'chat.mcp.allowManagedServersOnly';
/** Editor settings that restrict MCP servers. */
const POLICY_SETTINGS: readonly string[] = [ACCESS, ENABLED, ALLOWED, DENIED, MANAGED_ONLY];

/** `mcpl.servers` in all places, contributed servers, and settings for all servers. */
function readSettings(contributed: readonly SettingsLayer[]): HostSettings {
  const configuration = vscode.workspace.getConfiguration();
  return {
    layers: [...contributed, ...layersOf(SETTINGS.servers)],
    trusted: vscode.workspace.isTrusted,
    editorPolicy: readEditorPolicy(),
    limits: hostLimits((setting) => configuration.get(setting)),
    ownLimits: hostLimits((setting) => {
      const here = configuration.inspect(setting);
      return here?.globalValue ?? here?.defaultValue;
    }),
  };
}

/** All settings of the host. */
const OWN: readonly string[] = [SETTINGS.servers, SETTINGS.inputs, ...Object.values(LIMIT_KEYS), ...POLICY_SETTINGS];

/** The raw values of a setting, strongest last. */
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

/** A single-folder window's settings are workspace settings. Only a workspace file has separate folder settings. */
export function foldersWithSettings(): readonly vscode.WorkspaceFolder[] {
  return vscode.workspace.workspaceFile === undefined ? [] : (vscode.workspace.workspaceFolders ?? []);
}

function folderValue(setting: string, folder: vscode.Uri): Json | undefined {
  return toJson(vscode.workspace.getConfiguration(undefined, folder).inspect(setting)?.workspaceFolderValue);
}

/** Delay before a settings file that was invalid is looked at again. */
const AGAIN_MS = 1_000;

/** Detects settings files that are not valid JSON. */
interface SettingsSyntax {
  isBroken(): Promise<boolean>;
}

/**
 * Applies settings changes to the host. From an invalid file the editor reads an arbitrary part, so the host keeps its
 * settings while the user is typing.
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
  readonly #hold = new SettingsHold();

  /** Fires after the host applied new settings. */
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

  /** Whether changes wait for a settings file to become valid. */
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

  /** One write causes several events, which are merged. */
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
    const isHolding = this.#hold.mustWait(isBroken, JSON.stringify(readSettings(this.#contributed.all)));
    if (isHolding) this.#again = setTimeout(() => void this.#applyWhenSound(), AGAIN_MS);
    else this.apply();
    if (isHolding === this.#isHolding) return;
    this.#isHolding = isHolding;
    this.#held.fire();
  }
}

/** The restrictions from the editor's settings and policies. */
function readEditorPolicy(): EditorPolicy {
  const configuration = vscode.workspace.getConfiguration();
  // Policies show in the effective value. A workspace cannot allow more than the user.
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

/** The API does not expose policies: an effective value other than the user's comes from the organization. */
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
