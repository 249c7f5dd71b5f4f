import * as vscode from 'vscode';
import { plainText } from '../shared/plainText.ts';
import { withoutIcons } from '../shared/quickPicker.ts';
import { decisionText } from './samplingDecisions.ts';
import type { SamplingMemory } from './samplingMemory.ts';

/** Shows what was decided about requests for a model, and takes back what is chosen: it is asked about again. */
export async function forgetDecisions(memory: SamplingMemory, server: string | undefined): Promise<void> {
  const decisions = memory.list().filter((decision) => server === undefined || decision.server === server);
  if (decisions.length === 0) {
    void vscode.window.showInformationMessage(
      vscode.l10n.t('Nothing is remembered: you are asked about every request for a language model.'),
    );
    return;
  }
  const items = decisions.map((decision) => ({
    label: withoutIcons(plainText(decision.server, 64)),
    description: decisionText(decision),
    detail: vscode.l10n.t('Decided {0}', new Date(decision.at).toLocaleString()),
    picked: decisions.length === 1,
    decision,
  }));
  const placeHolder = vscode.l10n.t('Which decisions about language models should be forgotten?');
  const options = { placeHolder, canPickMany: true, matchOnDescription: true } as const;
  const chosen = await vscode.window.showQuickPick(items, options);
  if (chosen !== undefined && chosen.length > 0) await memory.forget(chosen.map(({ decision }) => decision));
}
