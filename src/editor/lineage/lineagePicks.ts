import * as vscode from 'vscode';
import {
  type Checkpoint,
  type Host,
  HostError,
  isObject,
  type LineageKey,
  type LineageSummary,
} from '../../core/index.ts';
import { isSame, keyIn } from './lineageController.ts';
import {
  argsText,
  countText,
  emptyText,
  idText,
  lineageText,
  makerText,
  checkpointNameText,
  statefulSets,
  wholeTimeText,
} from './lineageText.ts';
import { COMMANDS } from '../shared/ids.ts';
import { commandButton, pick, withoutIcons } from '../shared/quickPicker.ts';
import type { EmptyList } from '../shared/services.ts';
import { plainLine } from '../shared/plainText.ts';

/** Maximum checkpoints in a pick list. The view has all, and a search. */
const MAX_PICKED = 200;

type Hosted = Pick<Host, 'lineages' | 'servers'>;

/** The checkpoint in a command's argument, from a row or another part of the extension. */
export function rowIdOf(argument: unknown): number | undefined {
  const rowId = isObject(argument) ? argument['place'] : undefined;
  return typeof rowId === 'number' ? rowId : undefined;
}

function textIn(argument: unknown, member: 'server' | 'featureSet'): string | undefined {
  const value = isObject(argument) ? argument[member] : undefined;
  return typeof value === 'string' ? value : undefined;
}

/** The lineage in a command's argument, or one that the user picks. A single one is used without asking. */
export async function pickLineage(
  host: Hosted,
  argument: unknown,
  placeHolder: string,
  accepts: (summary: LineageSummary) => boolean = () => true,
  nothing: string = vscode.l10n.t('This feature set has no checkpoints yet.'),
): Promise<LineageSummary | undefined> {
  await host.lineages.loaded();
  const rowId = rowIdOf(argument);
  const of = rowId === undefined ? undefined : await host.lineages.checkpoint(rowId);
  const server = of?.server ?? textIn(argument, 'server');
  const featureSet = of?.featureSet ?? textIn(argument, 'featureSet');
  const fits = host.lineages
    .list()
    .filter((each) => server === undefined || each.server === server)
    .filter((each) => featureSet === undefined || each.featureSet === featureSet)
    .filter(accepts);
  if (fits.length === 1 && (server !== undefined || host.lineages.list().length === 1)) return fits[0];
  const items = fits.map((summary) => ({
    label: withoutIcons(lineageText(summary)),
    description: withoutIcons(summaryText(summary)),
    summary,
  }));
  const isEmpty = host.lineages.list().length === 0;
  return (await pick(items, placeHolder, isEmpty ? noLineage(host) : nothing))?.summary;
}

/** Why there is no lineage, with a button for the next step. */
function noLineage(host: Hosted): EmptyList {
  const servers = host.servers();
  const sets = servers.flatMap(statefulSets);
  const action =
    sets.length === 0
      ? commandButton(vscode.l10n.t('Try the Demo Server'), COMMANDS.demoTry)
      : sets.some(({ state }) => state === 'enabled')
        ? commandButton(vscode.l10n.t('Call Tool…'), COMMANDS.toolCall)
        : commandButton(vscode.l10n.t('Choose Feature Sets…'), COMMANDS.featureSetsChoose);
  return { text: emptyText(servers), action };
}

function summaryText({ head, count, blocked }: LineageSummary): string {
  return [
    ...(head === undefined ? [] : [idText(head)]),
    countText(count, 'checkpoint'),
    ...(blocked === undefined ? [] : ['needs you']),
  ].join(' · ');
}

/** The checkpoint in a command's argument, or one that the user picks. */
export async function pickCheckpoint(
  host: Hosted,
  argument: unknown,
  placeHolder: string,
  only: (node: Checkpoint) => boolean = () => true,
  nothing: string = vscode.l10n.t('This feature set has no checkpoints yet.'),
): Promise<(Checkpoint & LineageKey) | undefined> {
  const rowId = rowIdOf(argument);
  if (rowId !== undefined) {
    const found = await host.lineages.checkpoint(rowId);
    if (found !== undefined) return { ...found.node, ...keyIn(found) };
    throw new HostError('INVALID_ARGUMENTS', vscode.l10n.t('The checkpoint is no longer there.'), {
      layer: 'host',
      suggestion: vscode.l10n.t('Choose another one in the Lineage view.'),
    });
  }
  const summary = await pickLineage(host, argument, vscode.l10n.t('Which feature set does the checkpoint belong to?'));
  if (summary === undefined) return undefined;
  const key = keyIn(summary);
  const filter = { text: '', only: 'all' } as const;
  const { rows } = await host.lineages.window({ ...key, filter, from: 0, count: MAX_PICKED });
  const now = Date.now();
  const items = rows
    .filter(({ node }) => only(node))
    .map((row) => ({ ...checkpointItem(row.node, row.isHead, now), node: row.node }));
  const chosen = await pick(items, placeHolder, nothing);
  return chosen === undefined ? undefined : { ...chosen.node, ...key };
}

function checkpointItem(node: Checkpoint, isHead: boolean, now: number): vscode.QuickPickItem {
  const name = checkpointNameText(node);
  const icon = node.isPinned ? '$(pin) ' : '';
  const facts = [name === '' ? '' : idText(node), isHead ? 'head' : '', makerText(node), wholeTimeText(node.at, now)];
  return {
    label: `${icon}${withoutIcons(name === '' ? idText(node) : name)}`,
    description: withoutIcons(facts.filter((fact) => fact !== '').join(' · ')),
    detail: withoutIcons(plainLine(node.problem ?? argsText(node), 200)),
  };
}

/** A set for an import, which may have no checkpoint yet. */
export async function pickSet(host: Hosted, argument: unknown, placeHolder: string): Promise<LineageKey | undefined> {
  await host.lineages.loaded();
  const server = textIn(argument, 'server');
  const featureSet = textIn(argument, 'featureSet');
  if (server !== undefined && featureSet !== undefined) return { server, featureSet };
  const known = host.lineages.list().map(keyIn);
  const others = host
    .servers()
    .flatMap((each) => statefulSets(each).map(({ set }) => ({ server: each.id, featureSet: set.name })))
    .filter((key) => !known.some((each) => isSame(each, key)));
  const items = [...known, ...others]
    .filter((key) => server === undefined || key.server === server)
    .map((key) => ({ label: withoutIcons(lineageText(key)), key }));
  return (await pick(items, placeHolder, noLineage(host)))?.key;
}
