import * as vscode from 'vscode';
import { type Disposable, DisposableStore, HostError, parseUriTemplate } from '../core/index.ts';
import { askArguments } from './askedArguments.ts';
import { registerCommand } from './commandRegistry.ts';
import { COMMANDS, SCHEMES } from './ids.ts';
import { promptTarget, resourceTarget } from './offerPicker.ts';
import { plainText } from './plainText.ts';
import { promptText } from './promptText.ts';
import { ResourceFiles } from './resourceFiles.ts';
import type { EditorServices } from './services.ts';
import { WholeText } from './wholeText.ts';

type Needs = Pick<EditorServices, 'host' | 'failures' | 'log'>;

/** `mcpl.resource.open` and `mcpl.prompt.get`, and the documents that they open. */
export function registerOfferCommands(services: Needs): Disposable {
  const store = new DisposableStore();
  const files = store.add(new ResourceFiles(services.host, services.log));
  const options = { isCaseSensitive: true, isReadonly: true };
  store.add(vscode.workspace.registerFileSystemProvider(SCHEMES.resource, files, options));
  const opening = { failed: vscode.l10n.t('The resource cannot be opened') };
  store.add(
    registerCommand(services, COMMANDS.resourceOpen, opening, async (argument) => {
      const target = await resourceTarget(services.host, argument);
      if (target === undefined) return;
      const { server } = target;
      const uri = 'resource' in target ? target.resource : await filledIn(services, server, target.template);
      if (uri !== undefined) await openResource(files, server, uri);
    }),
  );
  const prompts = store.add(new WholeText(SCHEMES.prompt));
  const getting = { failed: vscode.l10n.t('The prompt cannot be shown') };
  store.add(
    registerCommand(services, COMMANDS.promptGet, getting, async (argument) => {
      const target = await promptTarget(services.host, argument);
      if (target !== undefined) await showPrompt(services, prompts, target.server, target.prompt);
    }),
  );
  const copying = { failed: vscode.l10n.t('The prompt was not copied') };
  store.add(
    registerCommand(services, COMMANDS.promptCopy, copying, async () => {
      const document = vscode.window.activeTextEditor?.document;
      if (document?.uri.scheme !== SCHEMES.prompt) return;
      await vscode.env.clipboard.writeText(document.getText());
      vscode.window.setStatusBarMessage(vscode.l10n.t('Copied the prompt.'), 2_000);
    }),
  );
  return store;
}

async function openResource(files: ResourceFiles, server: string, uri: string): Promise<void> {
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

async function filledIn({ host }: Needs, server: string, template: string): Promise<string | undefined> {
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

async function showPrompt({ host }: Needs, texts: WholeText, server: string, name: string): Promise<void> {
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

/** What takes a while can be cancelled. */
async function during<T>(title: string, work: (token: vscode.CancellationToken) => Promise<T>): Promise<T> {
  const location = vscode.ProgressLocation.Notification;
  return vscode.window.withProgress({ location, title, cancellable: true }, (_, token) => work(token));
}
