import * as vscode from 'vscode';
import { type Disposable, DisposableStore, type Host } from '../../core/index.ts';
import { CONTEXT_KEYS } from '../shared/ids.ts';
import type { SettingsWatch } from '../settings/settings.ts';

/** Keeps the keys that `when` clauses of package.json read. */
export function registerContextKeys(host: Host, watch: SettingsWatch): Disposable {
  const owned = new DisposableStore();
  const known = new Map<string, boolean>();
  const set = (key: string, value: boolean): void => {
    if (known.get(key) === value) return;
    known.set(key, value);
    void vscode.commands.executeCommand('setContext', key, value);
  };
  const refresh = (): void => {
    set(CONTEXT_KEYS.hasServers, host.servers().length > 0);
    set(CONTEXT_KEYS.restricted, !vscode.workspace.isTrusted);
  };
  owned.add(watch.onDidApply(refresh));
  refresh();
  return owned;
}
