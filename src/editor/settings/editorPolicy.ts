import * as vscode from 'vscode';
import { type EditorPolicy, editorPolicy } from '../../core/index.ts';

const ACCESS = 'chat.mcp.access';
/** Of older editors, instead of `chat.mcp.access`. */
const ENABLED = 'chat.mcp.enabled';
const ALLOWED = 'chat.mcp.allowedServers';
const DENIED = 'chat.mcp.deniedServers';
const MANAGED_ONLY = 'chat.mcp.allowManagedServersOnly';

/** The editor's own settings that say which MCP servers may run. */
export const POLICY_SETTINGS: readonly string[] = [ACCESS, ENABLED, ALLOWED, DENIED, MANAGED_ONLY];

/** What the editor's settings and the policies behind them allow now. */
export function readEditorPolicy(): EditorPolicy {
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
