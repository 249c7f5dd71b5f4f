import * as vscode from 'vscode';
import { type Host, isRunning, toDisposable } from '../../core/index.ts';
import { plainText } from '../shared/plainText.ts';
import { withoutIcons } from '../shared/quickPicker.ts';
import { type ResourceItem, resourceGroups } from './resourceItems.ts';
import { showStep } from '../shared/wizard.ts';

export type ResourcePurpose = 'open' | 'attach';

export interface BrowsedResource {
  readonly kind: 'resource' | 'template';
  readonly server: string;
  readonly target: string;
  readonly purpose: ResourcePurpose;
}

interface Browsing {
  /** One server. Absent for all running ones. */
  readonly server?: string | undefined;
  /** The action of Enter. The other action is a button in each row. */
  readonly purpose: ResourcePurpose;
}

interface Row extends vscode.QuickPickItem {
  readonly item: ResourceItem | undefined;
}

/** *Browse Resources*: shows the resources of all servers and follows changes. `undefined` if the user cancelled. */
export async function browseResources(host: Host, browsing: Browsing): Promise<BrowsedResource | undefined> {
  const pick = vscode.window.createQuickPick<Row>();
  const { purpose, server } = browsing;
  const other: ResourcePurpose = purpose === 'open' ? 'attach' : 'open';
  pick.placeholder =
    purpose === 'open'
      ? vscode.l10n.t('Which resource do you want to open?')
      : vscode.l10n.t('Which resource do you want to attach to the chat?');
  pick.matchOnDescription = true;
  pick.matchOnDetail = true;
  pick.keepScrollPosition = true;
  const draw = (): void => {
    const active = pick.activeItems[0]?.item;
    const rows = rowsOf(host, server, other);
    pick.items = rows.length === 0 ? [emptyRow(pick.busy)] : rows;
    const same = rows.find(
      ({ item }) => item !== undefined && item.target === active?.target && item.server === active.server,
    );
    if (same !== undefined) pick.activeItems = [same];
  };
  const position = { title: vscode.l10n.t('Resources of Servers'), step: 1, steps: 1, buttons: [REFRESH] };
  const answer = await showStep<{ readonly kind: 'chosen'; readonly value: BrowsedResource }>(
    pick,
    position,
    (settle, store) => {
      let isOver = false;
      const choose = (row: Row | undefined, how: ResourcePurpose): void => {
        const item = row?.item;
        if (item === undefined || item.kind === 'problem') return;
        settle({ kind: 'chosen', value: { kind: item.kind, server: item.server, target: item.target, purpose: how } });
      };
      const refresh = async (): Promise<void> => {
        pick.busy = true;
        draw();
        await readLists(host, server);
        if (isOver) return;
        pick.busy = false;
        draw();
      };
      store.add(toDisposable(() => (isOver = true)));
      store.add(host.onDidChangeServer(() => draw()));
      store.add(pick.onDidAccept(() => choose(pick.selectedItems[0], purpose)));
      store.add(pick.onDidTriggerItemButton(({ item }) => choose(item, other)));
      store.add(
        pick.onDidTriggerButton((button) => {
          if (button === REFRESH) void refresh();
        }),
      );
      void refresh();
    },
  );
  return answer.kind === 'chosen' ? answer.value : undefined;
}

const REFRESH: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon('refresh'),
  tooltip: vscode.l10n.t('Refresh the Lists'),
};

/** A list that fails shows the error in its place. */
async function readLists(host: Host, only: string | undefined): Promise<void> {
  const servers = host.servers().filter(({ id, state }) => isRunning(state) && (only === undefined || id === only));
  await Promise.allSettled(servers.map(({ id }) => host.refresh(id)));
}

function rowsOf(host: Host, server: string | undefined, other: ResourcePurpose): readonly Row[] {
  return resourceGroups(host.servers(), server).flatMap((group) => [
    { label: shown(group.server), kind: vscode.QuickPickItemKind.Separator, item: undefined },
    ...group.items.map((item) => rowOf(item, other)),
  ]);
}

const ICONS = { resource: 'file', template: 'symbol-parameter', problem: 'warning' } as const;

function rowOf(item: ResourceItem, other: ResourcePurpose): Row {
  return {
    label: shown(item.label),
    description: shown(item.description),
    ...(item.detail === '' ? {} : { detail: shown(item.detail) }),
    iconPath: new vscode.ThemeIcon(ICONS[item.kind]),
    ...(item.kind === 'problem' ? { alwaysShow: true } : { buttons: [other === 'attach' ? ATTACH : OPEN] }),
    item,
  };
}

const ATTACH: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon('attach'),
  tooltip: vscode.l10n.t('Attach to Chat'),
};
const OPEN: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon('go-to-file'),
  tooltip: vscode.l10n.t('Open Resource'),
};

function emptyRow(isBusy: boolean): Row {
  const label = isBusy ? vscode.l10n.t('Reading…') : vscode.l10n.t('No running server offers resources.');
  return { label, alwaysShow: true, item: undefined };
}

function shown(text: string): string {
  return withoutIcons(plainText(text, 300));
}
