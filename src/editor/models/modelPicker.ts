import * as vscode from 'vscode';
import { baseModels } from './baseModels.ts';
import { contributorText } from '../shared/contributorText.ts';
import { COMMANDS } from '../shared/ids.ts';
import type { AddedRunner } from './modelRunners.ts';
import { plainText } from '../shared/plainText.ts';
import { withoutIcons } from '../shared/quickPicker.ts';
import type { EditorServices } from '../shared/services.ts';
import { notify } from '../shared/notify.ts';

type Needs = Pick<EditorServices, 'host' | 'settings'>;

interface ModelItem extends vscode.QuickPickItem {
  /** The setting's value. Undefined if not set. */
  readonly model: string | undefined;
}

/** Lets the user choose a server's model. */
export async function chooseModelFor(
  { host, settings }: Needs,
  server: string,
  runners: readonly AddedRunner[],
): Promise<void> {
  const models = await baseModels();
  const name = plainText(server, 64);
  if (models.length === 0 && runners.length === 0) {
    const text = vscode.l10n.t('This editor has no language model now. Install or sign in to one, then try again.');
    void notify({ severity: 'warning', text });
    return;
  }
  const now = host.server(server)?.definition?.mcpl.inference.model;
  const items: readonly ModelItem[] = [
    {
      label: vscode.l10n.t('First Model of the Editor'),
      description: now === undefined ? vscode.l10n.t('current') : '',
      model: undefined,
    },
    ...models.map((model) => itemOf(model, `${model.vendor}/${model.id}`, now)),
    ...runners.map((added) => ({
      ...itemOf(added, `${added.by.id}/${added.id}`, now),
      detail: withoutIcons(vscode.l10n.t('Run by the extension {0}', contributorText(added.by))),
    })),
  ];
  const chosen = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Language Model of {0}', name),
    placeHolder: vscode.l10n.t('Which model should the server use?'),
    matchOnDescription: true,
  });
  if (chosen === undefined || chosen.model === now) return;
  await settings.setModel(server, chosen.model);
  const text =
    chosen.model === undefined
      ? vscode.l10n.t('The server "{0}" gets the first model of the editor.', name)
      : vscode.l10n.t('The server "{0}" gets {1}.', name, plainText(chosen.label, 100));
  const show = (): unknown => vscode.commands.executeCommand(COMMANDS.modelUseShow);
  const buttons = [{ title: vscode.l10n.t('Show Language Model Use'), run: show }];
  void notify({ severity: 'info', text, buttons });
}

function itemOf(
  { name, maxInputTokens }: { readonly name: string; readonly maxInputTokens: number },
  id: string,
  now: string | undefined,
): ModelItem {
  const facts = [id, vscode.l10n.t('reads {0} tokens', maxInputTokens.toLocaleString('en'))];
  const current = now === id ? [vscode.l10n.t('current')] : [];
  return {
    label: withoutIcons(plainText(name, 100)),
    description: withoutIcons(plainText([...facts, ...current].join(' · '), 200)),
    model: id,
  };
}
