import * as vscode from 'vscode';
import type { NodeIcon } from './serverStateText.ts';

export function themeIcon({ name, color }: NodeIcon): vscode.ThemeIcon {
  return color === undefined ? new vscode.ThemeIcon(name) : new vscode.ThemeIcon(name, new vscode.ThemeColor(color));
}
