import * as vscode from 'vscode';
import type { NodeIcon } from './serverStateText.ts';

/** One row of a view, as data. */
export interface ViewRow {
  readonly id: string;
  readonly label: string;
  readonly description: string;
  readonly tooltip: string;
  /** What a screen reader says. */
  readonly spoken: string;
  readonly icon: NodeIcon;
  /** What menus are decided by. */
  readonly context: string;
  readonly command?: { readonly id: string; readonly title: string };
  readonly expansion: 'none' | 'collapsed' | 'expanded';
}

/** Commands get the row itself as their target. */
export function itemOf(row: ViewRow): vscode.TreeItem {
  const item = new vscode.TreeItem(row.label, EXPANSION[row.expansion]);
  item.id = row.id;
  item.description = row.description;
  // Plain text: a markdown tooltip could carry links made of what a server says.
  item.tooltip = row.tooltip;
  item.contextValue = row.context;
  item.accessibilityInformation = { label: row.spoken };
  const { name, color } = row.icon;
  item.iconPath = new vscode.ThemeIcon(name, color === undefined ? undefined : new vscode.ThemeColor(color));
  if (row.command !== undefined) item.command = { command: row.command.id, title: row.command.title, arguments: [row] };
  return item;
}

const EXPANSION = {
  none: vscode.TreeItemCollapsibleState.None,
  collapsed: vscode.TreeItemCollapsibleState.Collapsed,
  expanded: vscode.TreeItemCollapsibleState.Expanded,
} as const;
