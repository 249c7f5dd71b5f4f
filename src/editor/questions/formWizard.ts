import * as vscode from 'vscode';
import type { CancellationToken, FieldValue } from '../../core/index.ts';
import { SUSPICIOUS } from './elicitationView.ts';
import {
  type FieldAnswer,
  type FieldStep,
  fieldProblem,
  type FormUi,
  type ReviewAnswer,
  type ReviewStep,
} from './formSteps.ts';
import { plainText } from '../shared/plainText.ts';
import { withoutIcons } from '../shared/quickPicker.ts';
import { showStep, type StepPosition } from '../shared/wizard.ts';

type Field<K extends FieldStep['field']['kind']> = Extract<FieldStep['field'], { kind: K }>;
type FieldOf<K extends FieldStep['field']['kind']> = FieldStep & { readonly field: Field<K> };
type Next = Extract<FieldAnswer, { kind: 'next' | 'form' }>;
type Item<T> = vscode.QuickPickItem & { readonly value: T };

/** A server's form in quick input: one step per field, with *Back* and a button that opens the page. */
export class FormWizard implements FormUi {
  readonly #title: string;
  readonly #token: CancellationToken;
  readonly #toForm: vscode.QuickInputButton = {
    iconPath: new vscode.ThemeIcon('open-preview'),
    tooltip: vscode.l10n.t('Open as Form'),
  };

  constructor(title: string, token: CancellationToken) {
    this.#title = title;
    this.#token = token;
  }

  field(step: FieldStep): Promise<FieldAnswer> {
    const { field } = step;
    switch (field.kind) {
      case 'boolean':
        return this.#one({ ...step, field }, [
          { label: vscode.l10n.t('Yes'), value: true },
          { label: vscode.l10n.t('No'), value: false },
        ]);
      case 'choice':
        return this.#one({ ...step, field }, optionItems(field));
      case 'choices':
        return this.#many({ ...step, field });
      default:
        return this.#typed(step);
    }
  }

  review({ lines, ...at }: ReviewStep): Promise<ReviewAnswer> {
    const pick = vscode.window.createQuickPick<Item<ReviewAnswer>>();
    pick.placeholder = vscode.l10n.t('Send these answers? Select one to change it.');
    const command = (label: string, icon: string, kind: 'accept' | 'decline'): Item<ReviewAnswer> => ({
      label,
      iconPath: new vscode.ThemeIcon(icon),
      alwaysShow: true,
      value: { kind },
    });
    const answers = lines.map(({ label, value, problem }, field): Item<ReviewAnswer> => ({
      label: shown(label),
      description: shown(value),
      ...(problem === undefined ? {} : { detail: problem, iconPath: new vscode.ThemeIcon('warning') }),
      value: { kind: 'edit', field },
    }));
    const separator = (label: string): Item<ReviewAnswer> => {
      return { label, kind: vscode.QuickPickItemKind.Separator, value: { kind: 'cancel' } };
    };
    pick.items = [
      command(vscode.l10n.t('Submit'), 'check', 'accept'),
      command(vscode.l10n.t('Decline'), 'circle-slash', 'decline'),
      ...(answers.length === 0 ? [] : [separator(vscode.l10n.t('answers'))]),
      ...answers,
    ];
    pick.matchOnDescription = true;
    return this.#show<ReviewAnswer>(
      pick,
      at,
      () => ({ kind: 'form' }),
      (settle, store) => {
        store.add(
          pick.onDidAccept(() => {
            const [item] = pick.selectedItems;
            if (item !== undefined) settle(item.value);
          }),
        );
      },
    );
  }

  #typed(step: FieldStep): Promise<FieldAnswer> {
    const { field, value } = step;
    const input = vscode.window.createInputBox();
    const before = typeof value === 'string' ? value : '';
    input.value = before;
    input.prompt = promptOf(step);
    input.placeholder = field.required
      ? (field.examples[0] ?? '')
      : vscode.l10n.t('Optional: leave it empty to skip it');
    input.password = field.kind === 'text' && field.format === 'password';
    const severity = vscode.InputBoxValidationSeverity.Warning;
    const warning = step.looksSecret ? { message: SUSPICIOUS, severity } : undefined;
    input.validationMessage = warning;
    const mark = (): boolean => {
      const problem = fieldProblem(field, input.value);
      // The validation message replaces the prompt, so it includes the label.
      input.validationMessage = problem === undefined ? warning : `${shown(field.label)}: ${problem}`;
      return problem === undefined;
    };
    return this.#show<Next>(
      input,
      step,
      () => ({ kind: 'form', value: input.value }),
      (settle, store) => {
        // The initial value is only validated on Enter, so that the user sees no error before typing.
        store.add(input.onDidChangeValue(() => mark()));
        store.add(
          input.onDidAccept(() => {
            if (mark()) settle({ kind: 'next', value: input.value });
          }),
        );
      },
    );
  }

  #one(step: FieldOf<'boolean' | 'choice'>, options: readonly Item<FieldValue>[]): Promise<FieldAnswer> {
    const pick = vscode.window.createQuickPick<Item<FieldValue | undefined>>();
    pick.placeholder = promptOf(step);
    pick.items = [...options, ...(step.field.required ? [] : [leaveOut()])];
    pick.matchOnDescription = true;
    const current = pick.items.find(({ value }) => value === step.value);
    if (current !== undefined) pick.activeItems = [current];
    return this.#show<Next>(
      pick,
      step,
      () => ({ kind: 'form', value: step.value }),
      (settle, store) => {
        store.add(
          pick.onDidAccept(() => {
            const [item] = pick.selectedItems;
            if (item !== undefined) settle({ kind: 'next', value: item.value });
          }),
        );
      },
    );
  }

  #many(step: FieldOf<'choices'>): Promise<FieldAnswer> {
    const { field, value } = step;
    const pick = vscode.window.createQuickPick<Item<string>>();
    const chosen = new Set(typeof value === 'object' ? value : []);
    pick.canSelectMany = true;
    pick.placeholder = promptOf(step);
    pick.items = optionItems(field);
    pick.selectedItems = pick.items.filter((item) => chosen.has(item.value));
    const read = (): FieldValue | undefined => {
      const indexes = pick.selectedItems.map((item) => item.value).sort((a, b) => Number(a) - Number(b));
      return indexes.length === 0 && !field.required ? undefined : indexes;
    };
    // A quick pick can only show an error in its title.
    const mark = (): boolean => {
      const problem = fieldProblem(field, read());
      pick.title = problem === undefined ? this.#title : `${this.#title} — ${problem}`;
      return problem === undefined;
    };
    return this.#show<Next>(
      pick,
      step,
      () => ({ kind: 'form', value: read() }),
      (settle, store) => {
        store.add(pick.onDidChangeSelection(() => mark()));
        store.add(
          pick.onDidAccept(() => {
            if (mark()) settle({ kind: 'next', value: read() });
          }),
        );
      },
    );
  }

  #show<T>(
    input: vscode.QuickPick<vscode.QuickPickItem> | vscode.InputBox,
    { step, steps }: Pick<StepPosition, 'step' | 'steps'>,
    asForm: () => T,
    listen: Parameters<typeof showStep<T>>[2],
  ): ReturnType<typeof showStep<T>> {
    const position = { title: this.#title, step, steps, buttons: [this.#toForm] };
    return showStep<T>(input, position, (settle, store) => {
      store.add(this.#token.onCancellationRequested(() => settle({ kind: 'cancel' })));
      if (this.#token.isCancellationRequested) return;
      store.add(
        input.onDidTriggerButton((button) => {
          if (button === this.#toForm) settle(asForm());
        }),
      );
      listen(settle, store);
    });
  }
}

function optionItems({ options }: Pick<Field<'choice' | 'choices'>, 'options'>): readonly Item<string>[] {
  return options.map(({ label, description, value }, index) => ({
    label: shown(label),
    description: label === value || typeof value !== 'string' ? '' : shown(value),
    ...(description === '' ? {} : { detail: shown(description) }),
    value: String(index),
  }));
}

function leaveOut(): Item<undefined> {
  return { label: vscode.l10n.t('(skip)'), alwaysShow: true, value: undefined };
}

function promptOf({ field }: FieldStep): string {
  const said = field.description === '' ? field.label : `${field.label}: ${field.description}`;
  const text = plainText(said.replace(/\s+/g, ' '), 300);
  return field.required ? text : vscode.l10n.t('{0} (optional)', text);
}

function shown(text: string): string {
  return withoutIcons(plainText(text.replace(/\s+/g, ' '), 200));
}
