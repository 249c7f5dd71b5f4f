import * as vscode from 'vscode';
import { cleanLine, type Host, type ServerSnapshot } from '../../core/index.ts';
import { plainText } from '../shared/plainText.ts';
import { pick, targetOf, withoutIcons } from '../shared/quickPicker.ts';

export interface PromptTarget {
  readonly server: string;
  readonly prompt: string;
}

/** What a command was given, or what is picked of all that servers have. `undefined`: the person turned away. */
export async function promptTarget(host: Host, argument: unknown): Promise<PromptTarget | undefined> {
  const given = targetOf(argument);
  if (given?.prompt !== undefined) return { server: given.server, prompt: given.prompt };
  const items = chosenServers(host, given?.server).flatMap((server) =>
    server.prompts.map(({ name, title, description }) => ({
      ...texts(server, title ?? name, description ?? ''),
      target: { server: server.id, prompt: name },
    })),
  );
  const nothing = vscode.l10n.t('No running server has a prompt.');
  return (await pick(items, vscode.l10n.t('Which prompt do you want to see?'), nothing))?.target;
}

function chosenServers(host: Host, id: string | undefined): readonly ServerSnapshot[] {
  return host.servers().filter((server) => id === undefined || server.id === id);
}

function texts(
  { id }: ServerSnapshot,
  label: string,
  detail: string,
): { readonly label: string; readonly description: string; readonly detail: string } {
  return {
    label: withoutIcons(plainText(label, 100)),
    description: withoutIcons(plainText(id, 64)),
    detail: withoutIcons(plainText(cleanLine(detail, 200))),
  };
}
