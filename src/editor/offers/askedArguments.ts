import * as vscode from 'vscode';
import { type CompletionReference, type DisposableStore, type Host, isCancellation } from '../../core/index.ts';
import { plainText } from '../shared/plainText.ts';
import { showStep } from '../shared/wizard.ts';
import type { Answer } from '../shared/wizardSteps.ts';

interface AskedArgument {
  readonly name: string;
  readonly description: string;
  readonly isRequired: boolean;
}

interface ArgumentsQuestion {
  readonly server: string;
  readonly title: string;
  readonly reference: CompletionReference;
  readonly args: readonly AskedArgument[];
}

/** Asks for the values one by one, with a Back button. Omits empty values. `undefined` if the user cancelled. */
export async function askArguments(
  host: Pick<Host, 'complete'>,
  { server, title, reference, args }: ArgumentsQuestion,
): Promise<Readonly<Record<string, string>> | undefined> {
  const values: Record<string, string> = {};
  let current = 0;
  for (;;) {
    const argument = args[current];
    if (argument === undefined) break;
    const settled = earlierValues(args.slice(0, current), values);
    const answer = await askValue({
      title: plainText(title, 100),
      placeholder: placeholderOf(argument),
      step: current + 1,
      steps: args.length,
      isRequired: argument.isRequired,
      value: values[argument.name] ?? '',
      complete: async (value) => {
        const request = { reference, argument: { name: argument.name, value }, settled };
        return (await host.complete(server, request, { asker: 'editor' })).values;
      },
    });
    if (answer.kind === 'cancel' || (answer.kind === 'back' && current === 0)) return undefined;
    if (answer.kind === 'next') values[argument.name] = answer.value;
    current += answer.kind === 'next' ? 1 : -1;
  }
  return earlierValues(args, values);
}

function earlierValues(
  args: readonly AskedArgument[],
  values: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const entries = args.flatMap(({ name }) => {
    const value = values[name];
    return value === undefined || value === '' ? [] : [[name, value] as const];
  });
  return Object.fromEntries(entries);
}

function placeholderOf({ name, description, isRequired }: AskedArgument): string {
  const what = description === '' ? name : `${name}: ${description}`;
  const shown = plainText(what.replace(/\s+/g, ' '), 200);
  return isRequired ? shown : vscode.l10n.t('{0} (optional)', shown);
}

type Next = Extract<Answer<string>, { kind: 'next' }>;

/** A value to enter, with completions from the server. */
interface CompletedInput {
  readonly title: string;
  readonly placeholder: string;
  readonly step: number;
  readonly steps: number;
  readonly isRequired: boolean;
  readonly value: string;
  /** Called for each typed text. An outdated request rejects with CANCELLED. */
  readonly complete: (value: string) => Promise<readonly string[]>;
}

interface Proposal extends vscode.QuickPickItem {
  /** `undefined` for the typed text itself. */
  readonly value: string | undefined;
}

function askValue(input: CompletedInput): Promise<Answer<string>> {
  const pick = vscode.window.createQuickPick<Proposal>();
  pick.placeholder = input.placeholder;
  pick.value = input.value;
  return showStep<Next>(pick, input, (settle, store) => {
    store.add(pick.onDidChangeValue((value) => void propose(pick, input, value, store)));
    store.add(
      pick.onDidAccept(() => {
        const value = pick.selectedItems[0]?.value ?? pick.value;
        if (value !== '' || !input.isRequired) settle({ kind: 'next', value });
      }),
    );
    void propose(pick, input, input.value, store);
  });
}

async function propose(
  pick: vscode.QuickPick<Proposal>,
  input: CompletedInput,
  value: string,
  store: DisposableStore,
): Promise<void> {
  const own = ownItem(value, input.isRequired);
  const before = pick.items.filter((item) => item.value !== undefined);
  pick.items = [own, ...before];
  pick.busy = true;
  let values: readonly string[] = [];
  try {
    values = await input.complete(value);
  } catch (error) {
    // A newer request is running. Without completions the value can still be typed.
    if (isCancellation(error)) return;
  }
  if (store.isDisposed || pick.value !== value) return;
  pick.busy = false;
  pick.items = [own, ...values.filter((each) => each !== value).map(proposal)];
}

function ownItem(value: string, isRequired: boolean): Proposal {
  const nothing = isRequired ? vscode.l10n.t('(enter a value)') : vscode.l10n.t('(skip)');
  const label = value === '' ? nothing : shown(value);
  return {
    label,
    value: undefined,
    alwaysShow: true,
    ...(value === '' ? {} : { description: vscode.l10n.t('as typed') }),
  };
}

function proposal(value: string): Proposal {
  // The server already filtered, so the editor must not filter again.
  return { label: shown(value), value, alwaysShow: true };
}

function shown(value: string): string {
  return plainText(value, 200).replaceAll('$(', '$ (');
}
