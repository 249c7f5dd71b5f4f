import * as vscode from 'vscode';
import { type Disposable, DisposableStore, type OfferedTool, Throttle } from '../../core/index.ts';
import { joinedChanges } from '../featureSets/featureSetChanges.ts';
import { isOn } from '../featureSets/featureSetText.ts';
import { modelUseNodes } from '../models/modelUseNodes.ts';
import { serverTree } from './serverTreeNodes.ts';
import type { EditorServices } from '../shared/services.ts';
import { themeIcon } from '../shared/themeIcon.ts';
import type { SettingTarget, TreeNode } from '../shared/treeNode.ts';

/** Merges changes within this time, because tools are listed in pages. */
const REFRESH_MS = 50;

/** A stable row object whose content changes. Commands take it as their target. */
export interface TreeElement {
  readonly server: string;
  readonly tool: string | undefined;
  readonly resource: string | undefined;
  readonly template: string | undefined;
  readonly prompt: string | undefined;
  readonly featureSet: string | undefined;
  /** The setting that a problem is about. */
  readonly setting: SettingTarget | undefined;
  readonly parent: TreeElement | undefined;
  node: TreeNode;
}

export type RowServices = Pick<EditorServices, 'host' | 'clock' | 'log' | 'settings' | 'failures' | 'asked'>;

/** Expands the row of a failed server once, so that the reason is visible. */
export class FailureOpener {
  readonly #view: vscode.TreeView<TreeElement>;
  readonly #rows: ServerTreeProvider;
  readonly #services: RowServices;
  /** Failures that were expanded already, so that the user can collapse the row. */
  readonly #seen = new WeakSet<object>();

  constructor(view: vscode.TreeView<TreeElement>, rows: ServerTreeProvider, services: RowServices) {
    this.#view = view;
    this.#rows = rows;
    this.#services = services;
  }

  open(): void {
    // Revealing a row would bring a hidden view to the front.
    if (!this.#view.visible) return;
    for (const { id, state } of this.#services.host.servers()) {
      if (state.kind !== 'failed' || this.#seen.has(state.error)) continue;
      this.#seen.add(state.error);
      const element = this.#rows.find(id);
      if (element === undefined) continue;
      // The row may have disappeared.
      this.#view.reveal(element, { select: false, focus: false, expand: true }).then(undefined, () => undefined);
    }
  }
}

type Checked = readonly (readonly [TreeElement, vscode.TreeItemCheckboxState])[];

export async function applyCheckboxes(items: Checked, rows: ServerTreeProvider, services: RowServices): Promise<void> {
  await applyFeatureSets(items, rows, services);
  await applyTools(items, rows, services);
}

async function applyFeatureSets(items: Checked, rows: ServerTreeProvider, services: RowServices): Promise<void> {
  const { host, settings, failures } = services;
  const changes = items.map(([{ server, node }, state]) => ({
    server,
    names: node.featureSets,
    on: state === vscode.TreeItemCheckboxState.Checked,
  }));
  for (const { server, names, on } of joinedChanges(changes)) {
    try {
      await settings.setFeatureSets(server, names, on);
    } catch (error) {
      failures.show(vscode.l10n.t('The feature sets of "{0}" were not changed', server), error, { server });
    }
    // The checkbox changed already, so reset it. Only if needed, because a repaint swallows the next click.
    const sets = host.server(server)?.mcpl?.sets ?? [];
    if (sets.some((view) => names.includes(view.set.name) && isOn(view) !== on)) rows.refresh(server);
  }
}

async function applyTools(
  items: Checked,
  rows: ServerTreeProvider,
  { host, settings, failures }: RowServices,
): Promise<void> {
  for (const [{ server, tool }, state] of items) {
    if (tool === undefined) continue;
    const isWanted = state === vscode.TreeItemCheckboxState.Checked;
    const known = host.server(server)?.tools.find((each) => each.tool.name === tool);
    // The row was outdated, so no change may follow that would reset the checkbox.
    if (known?.offered === isWanted || (isWanted && isWithheld(known))) rows.refresh(server);
    if (isWanted && isWithheld(known)) continue;
    try {
      await settings.setToolOffered(server, tool, isWanted);
    } catch (error) {
      failures.show(vscode.l10n.t('The tool list of "{0}" was not changed', server), error, { server });
      // The checkbox changed already, so reset it.
      rows.refresh(server);
    }
  }
}

/** Whether models cannot be offered the tool, whatever the settings say. */
function isWithheld(known: OfferedTool | undefined): boolean {
  return known?.setOff !== undefined || known?.forApps !== undefined;
}

export class ServerTreeProvider implements vscode.TreeDataProvider<TreeElement>, Disposable {
  readonly #host: RowServices['host'];
  readonly #asked: RowServices['asked'];
  readonly #changed = new vscode.EventEmitter<TreeElement | undefined>();
  readonly #refreshed = new vscode.EventEmitter<void>();
  readonly #store = new DisposableStore();
  readonly #dirty = new Set<string>();
  readonly #flushing: Throttle;
  /** Last texts of the model rows, by server. */
  readonly #budgets = new Map<string, string>();
  #roots: readonly TreeElement[] = [];

  readonly onDidChangeTreeData = this.#changed.event;
  readonly onDidRefresh = this.#refreshed.event;

  constructor({ host, clock, asked }: RowServices) {
    this.#host = host;
    this.#asked = asked;
    this.#roots = this.#readRoots();
    this.#store.add(this.#changed);
    this.#store.add(this.#refreshed);
    this.#flushing = this.#store.add(new Throttle(clock, REFRESH_MS, () => this.#flush()));
    this.#store.add(host.onDidChangeServer((change) => this.refresh(change.server)));
    // Rows without a server are part of the root list.
    this.#store.add(host.onDidChangeProblems(() => this.refresh('')));
    this.#store.add(host.lineages.onDidChange(() => host.servers().forEach(({ id }) => this.refresh(id))));
    this.#store.add(host.modelUses.onDidChange(() => this.#refreshBudgets()));
    this.#store.add(asked.onDidChange(() => host.servers().forEach(({ id }) => this.refresh(id))));
  }

  /** Schedules a merged refresh. */
  refresh(server: string): void {
    this.#dirty.add(server);
    this.#flushing.request();
  }

  find(server: string): TreeElement | undefined {
    this.#flushing.flush();
    return this.#roots.find((root) => root.server === server);
  }

  getChildren(element?: TreeElement): TreeElement[] {
    if (element === undefined) return [...this.#roots];
    return element.node.children.map((node) => elementOf(node, element));
  }

  getParent(element: TreeElement): TreeElement | undefined {
    return element.parent;
  }

  getTreeItem(element: TreeElement): vscode.TreeItem {
    return treeItem(element);
  }

  dispose(): void {
    this.#store.dispose();
  }

  /** Only changed rows, because a repaint swallows a simultaneous click. */
  #refreshBudgets(): void {
    for (const { id } of this.#host.servers()) {
      const shown = JSON.stringify(modelUseNodes(this.#host.modelUses.budget(id)));
      if (shown === (this.#budgets.get(id) ?? '[]')) continue;
      this.#budgets.set(id, shown);
      this.refresh(id);
    }
  }

  #flush(): void {
    const before = this.#roots;
    this.#roots = this.#readRoots();
    const same = before.length === this.#roots.length && before.every((root, i) => root === this.#roots[i]);
    if (!same) this.#changed.fire(undefined);
    else for (const root of this.#roots) if (this.#dirty.has(root.server)) this.#changed.fire(root);
    this.#dirty.clear();
    this.#refreshed.fire();
  }

  #readRoots(): readonly TreeElement[] {
    const known = new Map(this.#roots.map((root) => [root.node.id, root]));
    const { waiting } = this.#asked;
    const servers = this.#host.servers();
    const budgets = servers.flatMap(({ id }) => this.#host.modelUses.budget(id) ?? []);
    const nodes = serverTree(servers, this.#host.problems(), waiting, this.#host.lineages.list(), budgets);
    return nodes.map((node) => {
      const element = known.get(node.id) ?? elementOf(node, undefined);
      element.node = node;
      return element;
    });
  }
}

function elementOf(node: TreeNode, parent: TreeElement | undefined): TreeElement {
  const { server, tool, resource, template, prompt, featureSet, setting } = node;
  return { server, tool, resource, template, prompt, featureSet, setting, parent, node };
}

const EXPANSION = {
  none: vscode.TreeItemCollapsibleState.None,
  collapsed: vscode.TreeItemCollapsibleState.Collapsed,
  expanded: vscode.TreeItemCollapsibleState.Expanded,
} as const;

function treeItem(element: TreeElement): vscode.TreeItem {
  const { node } = element;
  const item = new vscode.TreeItem(node.label, EXPANSION[node.expansion]);
  item.id = node.id;
  item.description = node.description;
  // Plain text, because a Markdown tooltip could contain links from a server.
  item.tooltip = node.tooltip;
  item.contextValue = node.facets.join('+');
  item.accessibilityInformation = { label: node.spoken };
  if (node.icon !== undefined) item.iconPath = themeIcon(node.icon);
  if (node.checkbox !== undefined)
    item.checkboxState = {
      state: node.checkbox.checked ? vscode.TreeItemCheckboxState.Checked : vscode.TreeItemCheckboxState.Unchecked,
      tooltip: node.checkbox.tooltip,
      accessibilityInformation: { label: node.checkbox.spoken, role: 'checkbox' },
    };
  if (node.command !== undefined)
    item.command = { command: node.command.id, title: node.command.title, arguments: [element] };
  return item;
}
