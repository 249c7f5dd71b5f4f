import * as vscode from 'vscode';
import type { Answer, Choice, InputStep, PickStep, StepNumber, WizardUi } from './wizardSteps.ts';
import { showStep, type StepPlace } from './quickStep.ts';

type Next<T> = Extract<Answer<T>, { kind: 'next' }>;

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
    return showStep<Next<T>>(pick, this.#place(step), (settle, store) => {
      store.add(
        pick.onDidAccept(() => {
          const [item] = pick.selectedItems;
          if (item !== undefined) settle({ kind: 'next', value: item.choice.value });
        }),
      );
    });
  }

  input(step: InputStep): Promise<Answer<string>> {
    const input = vscode.window.createInputBox();
    input.prompt = step.prompt;
    input.placeholder = step.placeholder;
    input.value = step.value;
    return showStep<Next<string>>(input, this.#place(step), (settle, store) => {
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
          if (mark()) settle({ kind: 'next', value: input.value });
        }),
      );
    });
  }

  #place({ step, steps }: StepNumber): StepPlace {
    return { title: this.#title, step, steps };
  }
}
