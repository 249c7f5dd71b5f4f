import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../../core/index.ts';
import { registerCommand } from '../shared/commandRegistry.ts';
import { COMMANDS } from '../shared/ids.ts';
import { plainText } from '../shared/plainText.ts';
import type { EditorServices, InputMemory } from '../shared/services.ts';
import { notify } from '../shared/notify.ts';

/** Registers commands that concern no single server. */
export function registerHostCommands(services: EditorServices): Disposable {
  const owned = new DisposableStore();
  const showing = { failed: vscode.l10n.t('The log cannot be shown') };
  owned.add(
    registerCommand(services, COMMANDS.hostShowLog, showing, async () => {
      services.logs.showHost();
    }),
  );
  const clearing = { failed: vscode.l10n.t('The inputs were not forgotten') };
  owned.add(registerCommand(services, COMMANDS.inputClear, clearing, () => clearInputs(services.inputs)));
  return owned;
}

async function clearInputs(inputs: InputMemory): Promise<void> {
  const ids = await inputs.remembered();
  if (ids.length === 0) {
    void notify({ severity: 'info', text: vscode.l10n.t('No input is remembered for this workspace.') });
    return;
  }
  const items = ids.map((id) => ({ label: plainText(id, 100), id, picked: true }));
  const placeHolder = vscode.l10n.t('Which inputs should be asked for again?');
  const chosen = await vscode.window.showQuickPick(items, { placeHolder, canPickMany: true });
  for (const { id } of chosen ?? []) await inputs.forget(id);
}
