import * as vscode from 'vscode';
import { DisposableStore } from '../../core/index.ts';

/** Where a step stands among the others of its dialog. */
export interface StepPlace {
  readonly title: string;
  readonly step: number;
  readonly steps: number;
  /** Beside *Back*, which is offered from the second step on. */
  readonly buttons?: readonly vscode.QuickInputButton[];
}

type Turned = { readonly kind: 'back' } | { readonly kind: 'cancel' };

/** Shows one step of a dialog in the editor's quick input, until `listen` settles it, or the person turns away. */
export function showStep<T>(
  input: vscode.QuickPick<vscode.QuickPickItem> | vscode.InputBox,
  { title, step, steps, buttons = [] }: StepPlace,
  listen: (settle: (answer: T | Turned) => void, store: DisposableStore) => void,
): Promise<T | Turned> {
  input.title = title;
  if (steps > 1) {
    input.step = step;
    input.totalSteps = steps;
  }
  // Something may have to be looked up for it: losing the focus must not lose the answers.
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
