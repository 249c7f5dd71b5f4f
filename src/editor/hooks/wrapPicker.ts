import * as vscode from 'vscode';
import { waitFor } from '../../core/index.ts';
import { baseModels } from '../models/baseModels.ts';
import { editorClock } from '../shared/editorClock.ts';
import { SETTINGS } from '../shared/ids.ts';
import { plainText } from '../shared/plainText.ts';
import { matchesModel, nameOf, wrapPatterns } from './wrapPatterns.ts';
import { notify } from '../shared/notify.ts';

/** Do not leave the user waiting for an unresponsive provider. */
const PATIENCE_MS = 2_000;

/** *Wrap Language Models…*: selects models to offer a second time, with hooks. Writes user settings. */
export async function chooseWrapped(): Promise<void> {
  const models = await modelsInTime();
  const patterns = wrapPatterns(vscode.workspace.getConfiguration().get(SETTINGS.modelsWrap));
  if (models.length === 0) return notifyNoModels();
  const items = models.map((model) => ({
    label: plainText(model.name, 100),
    description: plainText(nameOf(model), 200),
    picked: patterns.some((pattern) => matchesModel(pattern, model)),
    model: nameOf(model),
  }));
  const chosen = await vscode.window.showQuickPick(items, {
    canPickMany: true,
    matchOnDescription: true,
    title: vscode.l10n.t('Wrap Language Models'),
    placeHolder: vscode.l10n.t('Offered again with hooks. May cost more.'),
  });
  if (chosen === undefined) return;
  // Keeps patterns for models that are not available now.
  const kept = patterns.filter((pattern) => !models.some((model) => matchesModel(pattern, model)));
  const value = [...kept, ...chosen.map(({ model }) => model)];
  const { Global } = vscode.ConfigurationTarget;
  await vscode.workspace.getConfiguration().update(SETTINGS.modelsWrap, value.length === 0 ? undefined : value, Global);
}

async function modelsInTime(): Promise<readonly vscode.LanguageModelChat[]> {
  const models = await waitFor(baseModels(), { clock: editorClock, ms: PATIENCE_MS });
  return models.kind === 'done' ? models.value : [];
}

function notifyNoModels(): void {
  const text = vscode.l10n.t(
    'This editor has no language model that MCP Live can see. Install or sign in to one on the same machine as MCP Live: those of extensions that run elsewhere are not visible here.',
  );
  void notify({ severity: 'info', text });
}
