import * as vscode from 'vscode';
import { type Host, HostError, parseUriTemplate } from '../core/index.ts';
import { askArguments } from './askedArguments.ts';
import { promptTarget, resourceTarget } from './offerPicker.ts';
import { plainText } from './plainText.ts';
import { promptText } from './promptText.ts';
import type { ResourceFiles } from './resourceFiles.ts';
import type { WholeText } from './wholeText.ts';

/** Opens the resource that a command was given, or one that is picked. */
export async function openResource(host: Host, files: ResourceFiles, argument: unknown): Promise<void> {
  const target = await resourceTarget(host, argument);
  if (target === undefined) return;
  const { server } = target;
  const uri = 'resource' in target ? target.resource : await filledIn(host, server, target.template);
  if (uri !== undefined) await openUri(files, server, uri);
}

/** Shows the prompt that a command was given, or one that is picked, filled in by the person. */
export async function showPrompt(host: Host, texts: WholeText, argument: unknown): Promise<void> {
  const target = await promptTarget(host, argument);
  if (target === undefined) return;
  const { server, prompt: name } = target;
  const prompt = host.server(server)?.prompts.find((each) => each.name === name);
  const values = await askArguments(host, {
    server,
    title: prompt?.title ?? name,
    reference: { kind: 'prompt', name },
    args: (prompt?.arguments ?? []).map((each) => ({
      name: each.name,
      description: each.description ?? '',
      isRequired: each.required,
    })),
  });
  if (values === undefined) return;
  const result = await during(vscode.l10n.t('Getting {0}', plainText(name, 100)), (token) =>
    host.getPrompt(server, name, values, { token }),
  );
  await texts.show(name.replace(/[^\w.-]+/g, '-'), promptText(result), 'md');
}

async function openUri(files: ResourceFiles, server: string, uri: string): Promise<void> {
  const found = await during(vscode.l10n.t('Reading {0}', plainText(uri, 100)), (token) =>
    files.load(server, uri, token),
  );
  const [first] = found;
  if (first === undefined) {
    void vscode.window.showInformationMessage(vscode.l10n.t('The resource is empty: the server gave nothing for it.'));
    return;
  }
  const chosen = found.length === 1 ? first : await pickPart(found);
  // The editor knows which of its views shows what: a text, a picture, or that it is neither.
  if (chosen !== undefined) await vscode.commands.executeCommand('vscode.open', chosen, { preview: true });
}

async function pickPart(found: readonly vscode.Uri[]): Promise<vscode.Uri | undefined> {
  const items = found.map((uri, index) => ({
    label: plainText(uri.path.slice(uri.path.lastIndexOf('/') + 1), 100).replaceAll('$(', '$ ('),
    description: vscode.l10n.t('part {0} of {1}', index + 1, found.length),
    uri,
  }));
  const placeHolder = vscode.l10n.t('The resource has several parts. Which one do you want to open?');
  return (await vscode.window.showQuickPick(items, { placeHolder }))?.uri;
}

async function filledIn(host: Host, server: string, template: string): Promise<string | undefined> {
  const parsed = parseUriTemplate(template);
  if (typeof parsed === 'string')
    throw new HostError('INVALID_MESSAGE', vscode.l10n.t('Its address cannot be filled in: {0}', parsed), {
      layer: 'protocol',
      suggestion: vscode.l10n.t('Report this to the author of the server.'),
    });
  const values = await askArguments(host, {
    server,
    title: template,
    reference: { kind: 'template', uriTemplate: template },
    // The template does not say which of them it can do without.
    args: parsed.variables.map((name) => ({ name, description: '', isRequired: false })),
  });
  return values === undefined ? undefined : parsed.expand(values);
}

/** What takes a while can be cancelled. */
async function during<T>(title: string, work: (token: vscode.CancellationToken) => Promise<T>): Promise<T> {
  const location = vscode.ProgressLocation.Notification;
  return vscode.window.withProgress({ location, title, cancellable: true }, (_, token) => work(token));
}
