import * as vscode from 'vscode';
import { HostError } from '../../core/index.ts';
import { COMMANDS } from '../shared/ids.ts';
import type { LineageContext } from './lineageContext.ts';
import { keyIn } from './lineageController.ts';
import { pickLineage, pickSet } from './lineagePicks.ts';
import { countText, lineageText } from './lineageText.ts';
import { plainText } from '../shared/plainText.ts';

const ENDING = 'jsonl';

export async function exportLineage({ host }: Pick<LineageContext, 'host'>, argument: unknown): Promise<void> {
  const summary = await pickLineage(host, argument, vscode.l10n.t('Export which lineage?'));
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
  const count = await during(title, () => host.lineages.exportTo(keyIn(summary), pathOf(target)));
  const text = vscode.l10n.t('Exported {0} to {1}.', countText(count, 'checkpoint'), plainText(target.path));
  void vscode.window.showInformationMessage(text);
}

export async function importLineage({ host }: Pick<LineageContext, 'host'>, argument: unknown): Promise<void> {
  const key = await pickSet(host, argument, vscode.l10n.t('Import into which feature set?'));
  if (key === undefined) return;
  const chosen = await vscode.window.showOpenDialog({
    title: vscode.l10n.t('Import into {0}', lineageText(key)),
    openLabel: vscode.l10n.t('Import'),
    filters: { [vscode.l10n.t('Lineage')]: [ENDING], [vscode.l10n.t('All files')]: ['*'] },
  });
  const [source] = chosen ?? [];
  if (source === undefined) return;
  const title = vscode.l10n.t('Importing into {0}…', lineageText(key));
  const { added, known } = await during(title, () => host.lineages.importFrom(key, pathOf(source)));
  const there = known === 0 ? '' : ` ${countText(known, 'was', 'were')} there already.`;
  const text = `Added ${countText(added, 'checkpoint')} to ${lineageText(key)}.${there}`;
  const show = { title: vscode.l10n.t('Show Lineage') };
  void vscode.window.showInformationMessage(text, show).then((chosen) => {
    if (chosen === show) void vscode.commands.executeCommand(COMMANDS.lineageShow, { ...key });
  });
}

/** A long one takes seconds, of which nothing else would be seen. */
async function during<T>(title: string, work: () => Promise<T>): Promise<T> {
  return vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title }, work);
}

/** The store reads and writes the file itself, so it must be one of this machine. */
function pathOf(uri: vscode.Uri): string {
  if (uri.scheme === 'file') return uri.fsPath;
  throw new HostError('INVALID_ARGUMENTS', vscode.l10n.t('{0} is not a file of this machine.', plainText(uri.path)), {
    layer: 'host',
    suggestion: vscode.l10n.t('Choose a file on a disk.'),
  });
}
