import * as vscode from 'vscode';
import {
  canStart,
  canStop,
  type Disposable,
  DisposableStore,
  type Host,
  isRunning,
  type ModelBudget,
  type ServerSnapshot,
  Throttle,
} from '../../core/index.ts';
import { APPROVALS_VIEW, type CommandId, COMMANDS, EVENTS_VIEW } from '../shared/ids.ts';
import { budgetText, isOfUse } from '../models/modelBudgetText.ts';
import { themeIcon } from '../shared/themeIcon.ts';
import { stateIcon, stateWords } from '../shared/serverStateText.ts';
import type { EditorServices } from '../shared/services.ts';
import { approvalsText, blockedStatusText, statusText, unreadText } from './statusText.ts';

/** Merges repaints of servers that change together. */
const REPAINT_MS = 50;

type Needs = Pick<EditorServices, 'host' | 'clock' | 'asked'>;

export function registerStatusBar(services: Needs): Disposable {
  const store = new DisposableStore();
  const item = store.add(vscode.window.createStatusBarItem('mcpl.status', vscode.StatusBarAlignment.Right, 90));
  item.name = 'MCP Live';
  item.command = COMMANDS.statusShow;
  const repainting = store.add(new Throttle(services.clock, REPAINT_MS, () => paint(item, services)));
  const repaintSoon = (): void => repainting.request();
  store.add(services.host.onDidChangeServer(repaintSoon));
  store.add(services.host.onDidChangeProblems(repaintSoon));
  store.add(services.asked.onDidChange(repaintSoon));
  store.add(services.host.events.onDidChange(repaintSoon));
  store.add(services.host.approvals.onDidChange(repaintSoon));
  store.add(services.host.lineages.onDidChange(repaintSoon));
  store.add(services.host.modelUses.onDidChange(repaintSoon));
  store.add(vscode.commands.registerCommand(COMMANDS.statusShow, () => showServers(services)));
  paint(item, services);
  return store;
}

function paint(item: vscode.StatusBarItem, { host, asked }: Needs): void {
  // A server that waits for a sign-in is already counted.
  const others = asked.waiting.filter(({ server }) => host.server(server)?.state.kind !== 'asking');
  const status = statusText(host.servers(), host.problems(), {
    questions: others.length,
    unread: host.events.unread,
    approvals: host.approvals.pending().length,
    blocked: blockedLineages(host),
    budgets: budgetsOfUse(host),
  });
  item.text = status.text;
  item.tooltip = status.tooltip;
  item.accessibilityInformation = { label: status.spoken };
  item.backgroundColor = status.isUrgent ? new vscode.ThemeColor('statusBarItem.warningBackground') : undefined;
  if (status.visible) item.show();
  else item.hide();
}

function blockedLineages({ lineages }: Host): number {
  return lineages.list().filter(({ blocked }) => blocked !== undefined).length;
}

function budgetsOfUse(host: Host): readonly ModelBudget[] {
  return host
    .servers()
    .flatMap(({ id }) => host.modelUses.budget(id) ?? [])
    .filter(isOfUse);
}

interface Action extends vscode.QuickInputButton {
  readonly command: CommandId;
}

interface Row extends vscode.QuickPickItem {
  readonly command?: string;
  readonly server?: string;
  readonly buttons?: readonly Action[];
}

/** Lists all servers with their state. Selecting one shows its actions; the buttons run actions directly. */
function showServers({ host, asked }: Needs): void {
  const store = new DisposableStore();
  const pick = store.add(vscode.window.createQuickPick<Row>());
  pick.title = vscode.l10n.t('MCP Live: Servers');
  pick.placeholder = vscode.l10n.t('Select a server to start, stop or inspect it');
  pick.matchOnDescription = true;
  const fill = (): void => {
    const active = pick.activeItems[0]?.server;
    pick.keepScrollPosition = true;
    pick.items = rowsOf(host, new Set(asked.waiting.map(({ server }) => server)));
    const again = pick.items.find((row) => row.server !== undefined && row.server === active);
    if (again !== undefined) pick.activeItems = [again];
  };
  store.add(host.onDidChangeServer(fill));
  store.add(asked.onDidChange(fill));
  store.add(host.events.onDidChange(fill));
  store.add(host.approvals.onDidChange(fill));
  store.add(host.lineages.onDidChange(fill));
  store.add(
    pick.onDidTriggerItemButton(({ item, button }) => {
      const action = item.buttons?.find((candidate) => candidate === button);
      if (action !== undefined) run(action.command, item.server);
    }),
  );
  store.add(
    pick.onDidAccept(() => {
      const [row] = pick.selectedItems;
      pick.hide();
      if (row?.command !== undefined) run(row.command, undefined);
      else if (row?.server !== undefined) void showActions(row);
    }),
  );
  store.add(pick.onDidHide(() => store.dispose()));
  fill();
  pick.show();
}

async function showActions(row: Row): Promise<void> {
  const items = (row.buttons ?? []).map((action) => ({
    label: `${action.tooltip ?? ''}`,
    iconPath: action.iconPath,
    action,
  }));
  const taken = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('MCP Live: {0}', row.label),
    placeHolder: row.description ?? '',
  });
  if (taken !== undefined) run(taken.action.command, row.server);
}

function run(command: string, server: string | undefined): void {
  void vscode.commands.executeCommand(command, ...(server === undefined ? [] : [{ server }]));
}

function rowsOf(host: Host, asking: ReadonlySet<string>): readonly Row[] {
  const ends: readonly Row[] = [
    { label: '', kind: vscode.QuickPickItemKind.Separator },
    ...unreadRows(host.events.unread),
    ...modelRows(budgetsOfUse(host)),
    { label: vscode.l10n.t('Add Server…'), iconPath: new vscode.ThemeIcon('add'), command: COMMANDS.serverAdd },
    {
      label: vscode.l10n.t('Show Log of MCP Live'),
      iconPath: new vscode.ThemeIcon('output'),
      command: COMMANDS.hostShowLog,
    },
  ];
  const servers = host.servers().map((server) => rowOf(server, asking.has(server.id)));
  // First, because these requests time out.
  return [...approvalRows(host.approvals.pending().length), ...blockedRows(blockedLineages(host)), ...servers, ...ends];
}

function approvalRows(waiting: number): readonly Row[] {
  if (waiting === 0) return [];
  const iconPath = new vscode.ThemeIcon('shield');
  const label = vscode.l10n.t('Show Approvals');
  return [{ label, description: approvalsText(waiting), iconPath, command: `${APPROVALS_VIEW}.focus` }];
}

function blockedRows(blocked: number): readonly Row[] {
  if (blocked === 0) return [];
  const iconPath = new vscode.ThemeIcon('git-commit');
  const label = vscode.l10n.t('Show Lineage');
  return [{ label, description: blockedStatusText(blocked), iconPath, command: COMMANDS.lineageShow }];
}

function modelRows(budgets: readonly ModelBudget[]): readonly Row[] {
  const [first, ...more] = budgets;
  if (first === undefined) return [];
  const iconPath = new vscode.ThemeIcon('sparkle');
  const label = vscode.l10n.t('Show Language Model Use');
  const description = more.length === 0 ? budgetText(first) : vscode.l10n.t('{0} servers', budgets.length);
  return [{ label, description, iconPath, command: COMMANDS.modelUseShow }];
}

function unreadRows(unread: number): readonly Row[] {
  if (unread === 0) return [];
  const iconPath = new vscode.ThemeIcon('bell-dot');
  const label = vscode.l10n.t('Show Events');
  return [{ label, description: unreadText(unread), iconPath, command: `${EVENTS_VIEW}.focus` }];
}

function rowOf(server: ServerSnapshot, isAsking: boolean): Row {
  const iconPath = themeIcon(stateIcon(server));
  return {
    // Ids come from settings, and `$(…)` would render as an icon.
    label: server.id.replaceAll('$(', '$ ('),
    description: stateWords(server),
    server: server.id,
    buttons: actionsOf(server, isAsking),
    iconPath,
  };
}

function actionsOf(server: ServerSnapshot, isAsking: boolean): readonly Action[] {
  const action = (command: CommandId, icon: string, tooltip: string): Action => ({
    command,
    iconPath: new vscode.ThemeIcon(icon),
    tooltip,
  });
  const { state, definition } = server;
  return [
    ...(isAsking ? [action(COMMANDS.questionShow, 'question', vscode.l10n.t('Show Question'))] : []),
    ...(definition !== undefined && canStart(state)
      ? [action(COMMANDS.serverStart, 'play', vscode.l10n.t('Start'))]
      : []),
    // The command shows an open question again.
    ...(state.kind === 'asking' ? [action(COMMANDS.serverStart, 'question', vscode.l10n.t('Show Question'))] : []),
    ...(canStop(state) ? [action(COMMANDS.serverStop, 'debug-stop', vscode.l10n.t('Stop'))] : []),
    ...(isRunning(state) ? [action(COMMANDS.serverRestart, 'debug-restart', vscode.l10n.t('Restart'))] : []),
    action(COMMANDS.serverShowLog, 'output', vscode.l10n.t('Show Log')),
    action(COMMANDS.serverOpenSettings, 'go-to-file', vscode.l10n.t('Open Settings')),
  ];
}
