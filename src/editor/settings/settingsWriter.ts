import * as vscode from 'vscode';
import {
  HostError,
  type Host,
  isJsonObject,
  type Json,
  jsonEquals,
  KeyedQueue,
  type PushPolicy,
  type Tool,
  withChoice,
} from '../../core/index.ts';
import { listToWrite, textsInForce, withItem, withMember, withMembers, withoutMember } from './entryEdits.ts';
import { SETTINGS } from '../shared/ids.ts';
import { plainText } from '../shared/plainText.ts';
import type { SettingsWriter } from '../shared/services.ts';
import { toJson } from '../shared/settingsJson.ts';
import {
  defaultLocation,
  isSameLocation,
  isUserLocation,
  type SettingsLocation,
  settingsLocations,
  userLocation,
  writeLocation,
} from './settingsLocation.ts';
import { notify } from '../shared/notify.ts';

/** The lists of `featureSets`. */
const LISTS = ['enabled', 'disabled'] as const;

export class WorkspaceSettingsWriter implements SettingsWriter {
  readonly #host: Host;
  /** Serializes writes, so that each starts from the last result. */
  readonly #queue = new KeyedQueue();

  constructor(host: Host) {
    this.#host = host;
  }

  setEnabled(server: string, enabled: boolean): Promise<void> {
    return this.#change(() => {
      if (!enabled) this.#host.allowChange(server, ['enabled']);
      return writeMember(server, ['enabled'], enabled);
    });
  }

  setToolOffered(server: string, tool: string, offered: boolean): Promise<void> {
    const path = ['tools', 'hidden'];
    return this.#change(async () => {
      const before = inForce(server, path);
      const after = withItem(before, tool, !offered);
      // A tool may be off for another reason than this list.
      if (jsonEquals(after, before)) return;
      if (offered) this.#host.allowChange(server, ['tools.hidden']);
      await writeMember(server, path, toWrite(server, path, after));
    });
  }

  setToolAutoApproved(server: string, tool: string, autoApproved: boolean, seen?: Tool): Promise<void> {
    const path = ['tools', 'autoApprove'];
    return this.#change(async () => {
      const before = inForce(server, path);
      const after = withItem(before, tool, autoApproved);
      // Before settings change, so that the user's choice causes no prompt.
      await this.#host.setAutoApproved(server, [tool], autoApproved, seen);
      if (!jsonEquals(after, before)) await writeMember(server, path, toWrite(server, path, after));
    });
  }

  setFeatureSets(server: string, names: readonly string[], on: boolean): Promise<void> {
    return this.#change(async () => {
      const declared = this.#host.server(server)?.mcpl?.sets.map(({ set }) => set.name) ?? [];
      const before = {
        enabled: inForce(server, ['featureSets', 'enabled']),
        disabled: inForce(server, ['featureSets', 'disabled']),
      };
      const after = withChoice(before, declared, names, on);
      await this.#host.allowFeatureSets(server, names, on);
      const changed = LISTS.filter((list) => !jsonEquals(after[list], before[list]));
      if (changed.length === 0) return;
      if (!on) this.#host.allowChange(server, ['featureSets.disabled', 'featureSets.enabled']);
      const entry = locationOf(server).servers[server];
      const there = isJsonObject(entry) ? entry['featureSets'] : undefined;
      const lists = changed.map((list) => [list, toWrite(server, ['featureSets', list], after[list])] as const);
      await writeMember(server, ['featureSets'], withMembers(there, Object.fromEntries(lists)));
    });
  }

  setPushPolicy(server: string, featureSet: string, policy: PushPolicy): Promise<void> {
    return this.#change(() => {
      this.#host.allowChange(server, ['push']);
      return writeMember(server, ['push', featureSet], policy);
    });
  }

  setModel(server: string, model: string | undefined): Promise<void> {
    return this.#change(() => writeMember(server, ['inference', 'model'], model));
  }

  add(server: string, entry: Readonly<Record<string, unknown>>, location?: 'workspace' | 'user'): Promise<void> {
    return this.#change(async () => {
      if (settingsLocations().some((location) => location.servers[server] !== undefined))
        throw new HostError('INVALID_SETTINGS', vscode.l10n.t('The settings already have a server "{0}".', server), {
          layer: 'settings',
          suggestion: vscode.l10n.t('Choose another name.'),
        });
      await writeEntry(location === 'user' ? userLocation() : defaultLocation(), server, toJson(entry));
    });
  }

  remove(server: string): Promise<void> {
    return this.#change(async () => {
      const all = settingsLocations().filter((location) => location.servers[server] !== undefined);
      const ours = all.filter((location) => !isUserLocation(location));
      const from = ours.length > 0 ? ours : all;
      if (from.length === 0)
        throw new HostError('UNKNOWN_SERVER', vscode.l10n.t('The settings have no server "{0}".', server), {
          layer: 'settings',
          ...(this.#host.server(server)?.contributor === undefined
            ? {}
            : { suggestion: vscode.l10n.t('An extension contributes it. Disable or remove that extension instead.') }),
        });
      for (const location of from) await writeEntry(location, server, undefined);
      const text = removedText(server, from, all.length > from.length);
      const buttons = [{ title: vscode.l10n.t('Undo'), run: () => this.#restore(server, from) }];
      void notify({ severity: 'info', text, buttons });
    });
  }

  async #restore(server: string, from: readonly SettingsLocation[]): Promise<void> {
    await this.#change(async () => {
      for (const before of from) {
        const now = settingsLocations().find((location) => isSameLocation(location, before));
        if (now === undefined || now.servers[server] !== undefined) continue;
        await writeEntry(now, server, before.servers[server]);
      }
    });
  }

  #change(edit: () => Promise<void>): Promise<void> {
    return this.#queue.run(SETTINGS.servers, async () => {
      // In Restricted Mode workspace entries are hidden, and a write would replace them.
      if (!vscode.workspace.isTrusted)
        throw new HostError('NOT_TRUSTED', vscode.l10n.t('This workspace is in Restricted Mode.'), {
          layer: 'settings',
          suggestion: vscode.l10n.t('Trust the workspace to change its servers.'),
        });
      await edit();
    });
  }
}

function inForce(server: string, path: readonly string[]): readonly string[] {
  const values = settingsLocations().map((location) => location.servers);
  return textsInForce(values, server, path);
}

/** What to write for a list, so that it applies. `undefined` removes the member. */
function toWrite(server: string, path: readonly string[], list: readonly string[]): readonly string[] | undefined {
  const ours = locationOf(server);
  const others = settingsLocations().filter((location) => !isSameLocation(location, ours));
  return listToWrite(
    others.map((location) => location.servers),
    server,
    path,
    list,
  );
}

/** Workspace settings, even if the user defined the server. */
function locationOf(server: string): SettingsLocation {
  const inFolder = settingsLocations().findLast(
    (location) => location.folder !== undefined && location.servers[server] !== undefined,
  );
  return inFolder ?? defaultLocation();
}

/** Writes this member only, or removes it for `undefined`. */
async function writeMember(server: string, path: readonly string[], value: Json | undefined): Promise<void> {
  const location = locationOf(server);
  const whole = [server, ...path];
  if (value === undefined) return removeMember(location, whole);
  await writeLocation(location, { servers: withMember(location.servers, server, path, value), path: whole, value });
}

async function writeEntry(location: SettingsLocation, server: string, entry: Json | undefined): Promise<void> {
  if (entry === undefined) return removeMember(location, [server]);
  await writeLocation(location, { servers: { ...location.servers, [server]: entry }, path: [server], value: entry });
}

async function removeMember(location: SettingsLocation, path: readonly string[]): Promise<void> {
  const servers = withoutMember(location.servers, path);
  if (servers !== location.servers) await writeLocation(location, { servers, path, value: undefined });
}

function removedText(server: string, from: readonly SettingsLocation[], inUser: boolean): string {
  const name = plainText(server, 64);
  if (from.some(isUserLocation)) return vscode.l10n.t('Removed the server "{0}" from your user settings.', name);
  const removed = vscode.l10n.t('Removed the server "{0}" from the workspace settings.', name);
  return inUser ? `${removed} ${vscode.l10n.t('Your user settings still define it.')}` : removed;
}
