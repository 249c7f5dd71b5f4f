import * as vscode from 'vscode';
import { MODEL_VENDOR } from '../shared/ids.ts';

/**
 * The editor's models except this extension's: its own requests have hooks already, or must have none. Must not be
 * called while the editor waits for this extension's list.
 */
export async function baseModels(): Promise<readonly vscode.LanguageModelChat[]> {
  const models = await vscode.lm.selectChatModels();
  return models.filter(({ vendor }) => vendor !== MODEL_VENDOR);
}
