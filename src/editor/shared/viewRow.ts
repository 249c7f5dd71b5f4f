import * as vscode from 'vscode';
import type { NodeIcon } from './serverStateText.ts';

/** A row of a view, as data. */
export interface ViewRow {
  readonly id: string;
  readonly label: string;
  readonly description: string;
  readonly tooltip: string;
  /** The label for screen readers. */
  readonly spoken: string;
  readonly icon: NodeIcon;
  /** The context value for menus. */
  readonly context: string;
  readonly command?: { readonly id: string; readonly title: string };
  readonly expansion: 'none' | 'collapsed' | 'expanded';
}

/** Commands get the row as their target. */
export function itemOf(row: ViewRow): vscode.TreeItem {
  const item = new vscode.TreeItem(row.label, EXPANSION[row.expansion]);
  item.id = row.id;
  item.description = row.description;
  // Plain text, because a Markdown tooltip could contain links from a server.
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
