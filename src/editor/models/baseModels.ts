import * as vscode from 'vscode';
import { MODEL_VENDOR } from '../shared/ids.ts';

/**
 * The editor's language models but for our own: hooks run around what we ask a model for already, or must not. Never to be
 * called while the editor waits for a list of ours.
 */
export async function baseModels(): Promise<readonly vscode.LanguageModelChat[]> {
  const models = await vscode.lm.selectChatModels();
  return models.filter(({ vendor }) => vendor !== MODEL_VENDOR);
}
