import type * as vscode from 'vscode';
import type { CancellationToken, Event, ModelChoice, Models, ModelWish } from '../core/index.ts';
import type { ModelUse } from './modelUse.ts';

/** The editor's models as the host sees them: what uses one is loaded with the first use. */
export class EditorModels implements Models {
  readonly #access: vscode.LanguageModelAccessInformation;
  readonly #use: ModelUse;

  constructor(access: vscode.LanguageModelAccessInformation, use: ModelUse) {
    this.#access = access;
    this.#use = use;
  }

  get onDidChange(): Event<void> {
    return this.#use.onDidChange;
  }

  async choose(wish: ModelWish, token: CancellationToken): Promise<ModelChoice> {
    const { chooseModel } = await import('./conversation.ts');
    return chooseModel(wish, { access: this.#access, isAllowed: this.#use.isAllowed }, token);
  }
}
