import * as vscode from 'vscode';
import { DisposableStore } from '../core/index.ts';
import type { Answer, Choice, InputStep, PickStep, StepNumber, WizardUi } from './addServerSteps.ts';

/** The steps of a wizard in the editor's own quick input, with its Back button. */
export class QuickInputWizard implements WizardUi {
  readonly #title: string;

  constructor(title: string) {
    this.#title = title;
  }

  pick<T>(step: PickStep<T>): Promise<Answer<T>> {
    const pick = vscode.window.createQuickPick<vscode.QuickPickItem & { readonly choice: Choice<T> }>();
    pick.placeholder = step.placeholder;
    pick.items = step.choices.map((choice) => ({
      label: choice.label,
      detail: choice.detail,
      iconPath: new vscode.ThemeIcon(choice.icon),
      choice,
    }));
    const chosen = pick.items.find(({ choice }) => choice.value === step.chosen);
    if (chosen !== undefined) pick.activeItems = [chosen];
    return this.#show(pick, step, (resolve) =>
      pick.onDidAccept(() => {
        const [item] = pick.selectedItems;
        if (item !== undefined) resolve(item.choice.value);
      }),
    );
  }

  input(step: InputStep): Promise<Answer<string>> {
    const input = vscode.window.createInputBox();
    input.prompt = step.prompt;
    input.placeholder = step.placeholder;
    input.value = step.value;
    return this.#show(input, step, (resolve) => {
      const store = new DisposableStore();
      // Only what was wrong at Enter is marked, and the mark follows the correction: nobody is scolded while typing.
      let marked = false;
      const mark = (): boolean => {
        const problem = step.problem(input.value);
        input.validationMessage = problem;
        return problem === undefined;
      };
      store.add(
        input.onDidChangeValue(() => {
          if (marked) mark();
        }),
      );
      store.add(
        input.onDidAccept(() => {
          marked = true;
          if (mark()) resolve(input.value);
        }),
      );
      return store;
    });
  }

  #show<T>(
    input: vscode.QuickPick<vscode.QuickPickItem> | vscode.InputBox,
    { step, steps }: StepNumber,
    accepts: (resolve: (value: T) => void) => vscode.Disposable,
  ): Promise<Answer<T>> {
    input.title = this.#title;
    input.step = step;
    input.totalSteps = steps;
    // A file has to be looked up for its path: losing the focus must not lose the answers.
    input.ignoreFocusOut = true;
    if (step > 1) input.buttons = [vscode.QuickInputButtons.Back];
    return new Promise((resolve) => {
      const store = new DisposableStore();
      const settle = (answer: Answer<T>): void => {
        resolve(answer);
        store.dispose();
      };
      store.add(input);
      store.add(accepts((value) => settle({ kind: 'next', value })));
      store.add(input.onDidTriggerButton(() => settle({ kind: 'back' })));
      store.add(input.onDidHide(() => settle({ kind: 'cancel' })));
      input.show();
    });
  }
}
