import * as vscode from 'vscode';
import { SETTINGS } from '../shared/ids.ts';
import { narrowestTransport, type TransportSetting } from './transportSetting.ts';

/** How chats reach servers now. */
export function gatewayTransport(): TransportSetting {
  const here = vscode.workspace.getConfiguration().inspect(SETTINGS.gatewayTransport);
  return narrowestTransport(here?.globalValue, here?.workspaceValue, here?.workspaceFolderValue);
}
