import type * as vscode from 'vscode';
import {
  type CancellationToken,
  type Event,
  type ModelChoice,
  type Models,
  type ModelSelection,
  toDisposable,
} from '../../core/index.ts';
import type { ModelUse } from './modelPermission.ts';
import type { ModelRunners } from './modelRunners.ts';

/**
 * The models of the editor and of other extensions, as the host uses them. The implementation is loaded on first use.
 */
export class EditorModels implements Models {
  readonly #access: vscode.LanguageModelAccessInformation;
  readonly #use: ModelUse;
  readonly #runners: ModelRunners;

  constructor(access: vscode.LanguageModelAccessInformation, use: ModelUse, runners: ModelRunners) {
    this.#access = access;
    this.#use = use;
    this.#runners = runners;
  }

  get onDidChange(): Event<void> {
    const both = [this.#use.onDidChange, this.#runners.onDidChange];
    return (listener) => {
      const listening = both.map((event) => event(listener));
      return toDisposable(() => listening.forEach((each) => each.dispose()));
    };
  }

  async choose(wanted: ModelSelection, token: CancellationToken): Promise<ModelChoice> {
    const { chooseModel } = await import('./lazy.ts');
    return chooseModel(
      wanted,
      { access: this.#access, isAllowed: this.#use.isAllowed, runners: this.#runners.all },
      token,
    );
  }
}
