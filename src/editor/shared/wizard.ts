import * as vscode from 'vscode';
import { DisposableStore } from '../../core/index.ts';
import type { Answer, Choice, InputStep, PickStep, StepNumber, WizardUi } from './wizardSteps.ts';

type Next<T> = Extract<Answer<T>, { kind: 'next' }>;

/** A wizard in quick input, with its Back button. */
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
    return showStep<Next<T>>(pick, this.#position(step), (settle, store) => {
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
    return showStep<Next<string>>(input, this.#position(step), (settle, store) => {
      // Marks errors on Enter and updates the mark while typing.
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

  #position({ step, steps }: StepNumber): StepPosition {
    return { title: this.#title, step, steps };
  }
}

/** The position of a step in its dialog. */
export interface StepPosition {
  readonly title: string;
  readonly step: number;
  readonly steps: number;
  /** Additional buttons. *Back* is shown from the second step on. */
  readonly buttons?: readonly vscode.QuickInputButton[];
}

type Turned = { readonly kind: 'back' } | { readonly kind: 'cancel' };

/** Shows one step in quick input until `listen` settles it or the user cancels. */
export function showStep<T>(
  input: vscode.QuickPick<vscode.QuickPickItem> | vscode.InputBox,
  { title, step, steps, buttons = [] }: StepPosition,
  listen: (settle: (answer: T | Turned) => void, store: DisposableStore) => void,
): Promise<T | Turned> {
  input.title = title;
  if (steps > 1) {
    input.step = step;
    input.totalSteps = steps;
  }
  // The user may look something up, so losing focus must not close it.
  input.ignoreFocusOut = true;
  input.buttons = [...(step > 1 ? [vscode.QuickInputButtons.Back] : []), ...buttons];
  return new Promise((resolve) => {
    const store = new DisposableStore();
    const settle = (answer: T | Turned): void => {
      resolve(answer);
      store.dispose();
    };
    store.add(input);
    listen(settle, store);
    store.add(
      input.onDidTriggerButton((button) => {
        if (button === vscode.QuickInputButtons.Back) settle({ kind: 'back' });
      }),
    );
    store.add(input.onDidHide(() => settle({ kind: 'cancel' })));
    input.show();
  });
}
