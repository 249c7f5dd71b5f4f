import * as vscode from 'vscode';
import type { CompletionReference, Host } from '../../core/index.ts';
import { askValue } from './completedInput.ts';
import { plainText } from '../shared/plainText.ts';

export interface AskedArgument {
  readonly name: string;
  readonly description: string;
  readonly isRequired: boolean;
}

export interface ArgumentsQuestion {
  readonly server: string;
  readonly title: string;
  readonly reference: CompletionReference;
  readonly args: readonly AskedArgument[];
}

/** Asks for one value after the other, with a way back. What was left empty is not in it; `undefined`: turned away. */
export async function askArguments(
  host: Pick<Host, 'complete'>,
  { server, title, reference, args }: ArgumentsQuestion,
): Promise<Readonly<Record<string, string>> | undefined> {
  const values: Record<string, string> = {};
  let current = 0;
  for (;;) {
    const argument = args[current];
    if (argument === undefined) break;
    const settled = settledBefore(args.slice(0, current), values);
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
  return settledBefore(args, values);
}

function settledBefore(
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
