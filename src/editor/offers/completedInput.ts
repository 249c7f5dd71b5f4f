import * as vscode from 'vscode';
import { type DisposableStore, isCancellation } from '../../core/index.ts';
import type { Answer } from '../shared/wizardSteps.ts';
import { plainText } from '../shared/plainText.ts';
import { showStep } from '../shared/quickStep.ts';

type Next = Extract<Answer<string>, { kind: 'next' }>;

/** A value that is asked for, with what the server proposes while it is typed. */
export interface CompletedInput {
  readonly title: string;
  readonly placeholder: string;
  readonly step: number;
  readonly steps: number;
  readonly isRequired: boolean;
  readonly value: string;
  /** Called for each text that is typed; who asks too often is told by a rejection with CANCELLED. */
  readonly complete: (value: string) => Promise<readonly string[]>;
}

interface Proposal extends vscode.QuickPickItem {
  /** `undefined`: what stands in the box. */
  readonly value: string | undefined;
}

export function askValue(input: CompletedInput): Promise<Answer<string>> {
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
    // Something newer was asked, and is on its way; without proposals the value can still be typed.
    if (isCancellation(error)) return;
  }
  if (store.isDisposed || pick.value !== value) return;
  pick.busy = false;
  pick.items = [own, ...values.filter((each) => each !== value).map(proposal)];
}

function ownItem(value: string, isRequired: boolean): Proposal {
  const nothing = isRequired ? vscode.l10n.t('(enter a value)') : vscode.l10n.t('(leave it out)');
  const label = value === '' ? nothing : shown(value);
  return {
    label,
    value: undefined,
    alwaysShow: true,
    ...(value === '' ? {} : { description: vscode.l10n.t('as typed') }),
  };
}

function proposal(value: string): Proposal {
  // The server knows why it proposes it: the editor must not filter that again.
  return { label: shown(value), value, alwaysShow: true };
}

function shown(value: string): string {
  return plainText(value, 200).replaceAll('$(', '$ (');
}
