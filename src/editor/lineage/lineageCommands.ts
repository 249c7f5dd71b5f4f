import * as vscode from 'vscode';
import {
  type CancellationToken,
  type Checkpoint,
  HostError,
  isObject,
  type LineageKey,
  type LineageSummary,
} from '../../core/index.ts';
import type { CheckpointAction } from '../../webview/lineage/lineageMessages.ts';
import { COMMANDS } from '../shared/ids.ts';
import { notify } from '../shared/notify.ts';
import { plainText } from '../shared/plainText.ts';
import type { LineageContext } from './lineageContext.ts';
import { isSame, keyIn } from './lineageController.ts';
import { pickCheckpoint, pickLineage, pickSet, rowIdOf } from './lineagePicks.ts';
import { countText, lineageText, titleText } from './lineageText.ts';
import { hasState } from './pageRows.ts';
import { continueFrom, continueFromLastGood, rollBack, type RollbackMessage } from './rollbackDialog.ts';
import type { StateDocuments } from './stateDocuments.ts';

type LineageAction =
  | 'show'
  | 'open'
  | 'rollBack'
  | 'continue'
  | 'continueFromLastGood'
  | 'openState'
  | 'compare'
  | 'name'
  | 'pin'
  | 'unpin'
  | 'copyId'
  | 'export'
  | 'import'
  | 'forget';

export type LineageActions = Readonly<Record<LineageAction, (argument: unknown) => Promise<RollbackMessage | void>>>;

/** Where lineages are shown. */
interface LineageTabs {
  show(key: LineageKey | undefined, rowId?: number): Promise<void>;
  open(key: LineageKey | undefined): void;
}

/** Maximum length of a name, which is shown in a row. */
const MAX_NAME = 80;

export function lineageActions(context: LineageContext, documents: StateDocuments, tabs: LineageTabs): LineageActions {
  const { lineages } = context.host;
  const annotated = async (argument: unknown, isPinned: boolean): Promise<void> => {
    const placeHolder = isPinned
      ? vscode.l10n.t('Which checkpoint do you want to pin?')
      : vscode.l10n.t('Which checkpoint do you want to unpin?');
    const nothing = isPinned
      ? vscode.l10n.t('All checkpoints of this feature set are pinned already.')
      : vscode.l10n.t('No checkpoint of this feature set is pinned.');
    const isOther = (each: Checkpoint): boolean => each.isPinned !== isPinned;
    const node = await pickCheckpoint(context.host, argument, placeHolder, isOther, nothing);
    if (node !== undefined) await lineages.annotate(node.place, { isPinned });
  };
  return {
    show: async (argument) => {
      await lineages.loaded();
      // Without lineages, the view explains what to do.
      if (lineages.list().length === 0) return tabs.show(undefined);
      const key = await pickLineage(context.host, argument, vscode.l10n.t('Which lineage do you want to see?'));
      if (key !== undefined) await tabs.show(key, rowIdOf(argument));
    },
    open: async (argument) => {
      const isGiven = isObject(argument) && typeof argument['server'] === 'string';
      const placeHolder = vscode.l10n.t('Which lineage do you want to see?');
      tabs.open(isGiven ? await pickLineage(context.host, argument, placeHolder) : undefined);
    },
    rollBack: async (argument) => {
      const node = await pickCheckpoint(
        context.host,
        argument,
        vscode.l10n.t('Which checkpoint do you want to roll back to?'),
      );
      return node === undefined ? undefined : rollBack(context, node.place, modelToken(argument));
    },
    continue: async (argument) => {
      const node = await pickCheckpoint(
        context.host,
        argument,
        vscode.l10n.t('Which checkpoint do you want to continue from?'),
      );
      return node === undefined ? undefined : continueFrom(context, node.place);
    },
    continueFromLastGood: async (argument) => {
      const placeHolder = vscode.l10n.t('Which feature set do you want to continue?');
      const isBlocked = ({ blocked }: LineageSummary): boolean => blocked !== undefined;
      const nothing = vscode.l10n.t('No feature set is blocked, so there is nothing to continue.');
      const summary = await pickLineage(context.host, argument, placeHolder, isBlocked, nothing);
      return summary === undefined ? undefined : continueFromLastGood(context, summary);
    },
    openState: async (argument) => {
      const placeHolder = vscode.l10n.t("Which checkpoint's state do you want to open?");
      const node = await pickCheckpoint(context.host, argument, placeHolder, canBeRead, noState());
      if (node !== undefined) await documents.open(node.place);
    },
    compare: (argument) => compare(context, documents, argument),
    name: async (argument) => {
      const node = await pickCheckpoint(context.host, argument, vscode.l10n.t('Which checkpoint do you want to name?'));
      const name = node === undefined ? undefined : await askName(node);
      if (node !== undefined && name !== undefined) await lineages.annotate(node.place, { name });
    },
    pin: (argument) => annotated(argument, true),
    unpin: (argument) => annotated(argument, false),
    copyId: async (argument) => {
      const node = await pickCheckpoint(
        context.host,
        argument,
        vscode.l10n.t('Which checkpoint ID do you want to copy?'),
      );
      if (node === undefined) return;
      await vscode.env.clipboard.writeText(node.checkpoint);
      vscode.window.setStatusBarMessage(vscode.l10n.t('Copied the ID of the checkpoint.'), 2_000);
    },
    export: (argument) => exportLineage(context, argument),
    import: (argument) => importLineage(context, argument),
    forget: (argument) => forget(context, argument),
  };
}

/** For a rollback requested by a model: cancelled when the request ends. */
function modelToken(argument: unknown): CancellationToken | undefined {
  const token = isObject(argument) ? argument['askedByModel'] : undefined;
  return isToken(token) ? token : undefined;
}

function isToken(value: unknown): value is CancellationToken {
  return isObject(value) && typeof value['onCancellationRequested'] === 'function';
}

/** Runs the command behind a button of the page. */
export async function act(
  actions: LineageActions,
  { host }: LineageContext,
  documents: StateDocuments,
  action: CheckpointAction,
  rowId: number,
): Promise<void> {
  if (action !== 'compareWithParent' && action !== 'compareWithHead') {
    await actions[action]({ place: rowId });
    return;
  }
  const detail = await host.lineages.checkpoint(rowId);
  if (detail === undefined) return;
  const head = host.lineages.list().find((each) => isSame(each, detail))?.head;
  const other = action === 'compareWithParent' ? detail.parent?.place : head?.place;
  if (other !== undefined) await documents.compare(...inOrder(rowId, other));
}

/** Older first: it has the smaller row id. */
function inOrder(one: number, other: number): readonly [number, number] {
  return one < other ? [one, other] : [other, one];
}

function canBeRead(node: Checkpoint): boolean {
  return hasState({ node, keeper: 'host' });
}

function noState(): string {
  return vscode.l10n.t('MCP Live stores no state for this feature set: its server keeps the state.');
}

async function compare(context: LineageContext, documents: StateDocuments, argument: unknown): Promise<void> {
  const { host } = context;
  const placeHolder = vscode.l10n.t('Which checkpoint do you want to compare?');
  const first = await pickCheckpoint(host, argument, placeHolder, canBeRead, noState());
  if (first === undefined) return;
  const parent = first.parent;
  const head = host.lineages.list().find((each) => isSame(each, first))?.head;
  const ways = [
    ...(parent === undefined ? [] : [{ label: vscode.l10n.t('With Its Parent'), place: parent }]),
    ...(head === undefined || head.place === first.place
      ? []
      : [{ label: vscode.l10n.t('With the Head'), description: titleText(head), place: head.place }]),
    { label: vscode.l10n.t('With Another Checkpoint…'), place: undefined },
  ];
  const way = await vscode.window.showQuickPick(ways, {
    placeHolder: vscode.l10n.t('What do you want to compare {0} with?', titleText(first)),
  });
  if (way === undefined) return;
  const isOther = (node: Checkpoint): boolean => canBeRead(node) && node.place !== first.place;
  const key = { server: first.server, featureSet: first.featureSet };
  const question = vscode.l10n.t('Which checkpoint do you want to compare it with?');
  const nothing = vscode.l10n.t('This feature set has no other checkpoint with a stored state.');
  const other = way.place ?? (await pickCheckpoint(host, key, question, isOther, nothing))?.place;
  if (other !== undefined) await documents.compare(...inOrder(first.place, other));
}

async function askName(node: Checkpoint): Promise<string | undefined> {
  return vscode.window
    .showInputBox({
      title: vscode.l10n.t('Name {0}', titleText(node)),
      prompt: vscode.l10n.t('A name to find it by. Leave it empty to remove the name.'),
      value: node.name ?? '',
      validateInput: (text) =>
        text.trim().length > MAX_NAME ? vscode.l10n.t('Use at most {0} characters.', MAX_NAME) : undefined,
    })
    .then((text) => text?.trim());
}

async function forget(context: LineageContext, argument: unknown): Promise<void> {
  const placeHolder = vscode.l10n.t('Which lineage do you want to forget?');
  const summary = await pickLineage(context.host, argument, placeHolder);
  if (summary === undefined) return;
  const { server, featureSet, keeper, count } = summary;
  const forgetIt = vscode.l10n.t('Forget');
  const chosen = await context.ask({
    message: vscode.l10n.t('Forget {0} of {1}?', countText(count, 'checkpoint'), lineageText(summary)),
    detail:
      keeper === 'host'
        ? vscode.l10n.t(
            'Their states are removed for good, and the next call begins without a state. Export the lineage first to keep a copy.',
          )
        : vscode.l10n.t(
            'Their names are removed for good, and the next call begins without a checkpoint. The server is not told.',
          ),
    titles: [forgetIt],
  });
  if (chosen === forgetIt) await context.host.lineages.forget({ server, featureSet });
}

const ENDING = 'jsonl';

async function exportLineage({ host }: Pick<LineageContext, 'host'>, argument: unknown): Promise<void> {
  const summary = await pickLineage(host, argument, vscode.l10n.t('Which lineage do you want to export?'));
  if (summary === undefined) return;
  const name = [summary.server, summary.featureSet].filter((part) => part !== '').join('-');
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const file = `${name.replace(/[^\w.-]+/g, '-')}-lineage.${ENDING}`;
  const target = await vscode.window.showSaveDialog({
    title: vscode.l10n.t('Export the Lineage of {0}', lineageText(summary)),
    saveLabel: vscode.l10n.t('Export'),
    filters: { [vscode.l10n.t('Lineage')]: [ENDING] },
    ...(folder === undefined ? {} : { defaultUri: vscode.Uri.joinPath(folder, file) }),
  });
  if (target === undefined) return;
  const title = vscode.l10n.t('Exporting the lineage of {0}…', lineageText(summary));
  const count = await withProgress(title, () => host.lineages.exportTo(keyIn(summary), pathOf(target)));
  const text = vscode.l10n.t('Exported {0} to {1}.', countText(count, 'checkpoint'), plainText(target.path));
  void notify({ severity: 'info', text });
}

async function importLineage({ host }: Pick<LineageContext, 'host'>, argument: unknown): Promise<void> {
  const key = await pickSet(host, argument, vscode.l10n.t('Which feature set do you want to import into?'));
  if (key === undefined) return;
  const chosen = await vscode.window.showOpenDialog({
    title: vscode.l10n.t('Import into {0}', lineageText(key)),
    openLabel: vscode.l10n.t('Import'),
    filters: { [vscode.l10n.t('Lineage')]: [ENDING], [vscode.l10n.t('All files')]: ['*'] },
  });
  const [source] = chosen ?? [];
  if (source === undefined) return;
  const title = vscode.l10n.t('Importing into {0}…', lineageText(key));
  const { added, known } = await withProgress(title, () => host.lineages.importFrom(key, pathOf(source)));
  const there = known === 0 ? '' : ` ${countText(known, 'was', 'were')} there already.`;
  const text = `Added ${countText(added, 'checkpoint')} to ${lineageText(key)}.${there}`;
  const show = (): unknown => vscode.commands.executeCommand(COMMANDS.lineageShow, { ...key });
  void notify({ severity: 'info', text, buttons: [{ title: vscode.l10n.t('Show Lineage'), run: show }] });
}

/** Shows progress, because large files take seconds. */
async function withProgress<T>(title: string, work: () => Promise<T>): Promise<T> {
  return vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title }, work);
}

/** The store accesses the file itself, so it must be local. */
function pathOf(uri: vscode.Uri): string {
  if (uri.scheme === 'file') return uri.fsPath;
  throw new HostError('INVALID_ARGUMENTS', vscode.l10n.t('{0} is not a file of this machine.', plainText(uri.path)), {
    layer: 'host',
    suggestion: vscode.l10n.t('Choose a file on a disk.'),
  });
}
