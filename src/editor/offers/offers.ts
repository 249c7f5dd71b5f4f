import * as vscode from 'vscode';
import { type Host, HostError, parseUriTemplate } from '../../core/index.ts';
import { askArguments } from './askedArguments.ts';
import { attachToChat, forChat } from '../chat/chatInput.ts';
import { SCHEMES } from '../shared/ids.ts';
import { plainText } from '../shared/plainText.ts';
import { cancellableProgress } from '../shared/progress.ts';
import { targetOf, withoutIcons } from '../shared/quickPicker.ts';
import { type BrowsedResource, browseResources, type ResourcePurpose } from './resourceBrowser.ts';
import type { ResourceFiles } from './resourceFiles.ts';
import { notify } from '../shared/notify.ts';

/** Opens the resource in a command's argument, or one that the user picks. */
export async function openResource(host: Host, files: ResourceFiles, argument: unknown): Promise<void> {
  await useResource(host, files, argument, 'open');
}

/**
 * Attaches a resource to the chat: the one in a command's argument, the one in the active editor, or one that the user
 * picks.
 */
export async function attachResource(host: Host, files: ResourceFiles, argument: unknown): Promise<void> {
  const shown = argument instanceof vscode.Uri ? argument : argument === undefined ? activeResource() : undefined;
  if (shown?.scheme === SCHEMES.resource) await attach([shown]);
  else await useResource(host, files, argument, 'attach');
}

async function useResource(
  host: Host,
  files: ResourceFiles,
  argument: unknown,
  purpose: ResourcePurpose,
): Promise<void> {
  const chosen = givenResource(argument, purpose) ?? (await browseResources(host, { ...serverOf(argument), purpose }));
  if (chosen === undefined) return;
  const { server, target } = chosen;
  const uri = chosen.kind === 'resource' ? target : await filledIn(host, server, target);
  if (uri === undefined) return;
  const found = await cancellableProgress(vscode.l10n.t('Reading {0}', plainText(uri, 100)), (token) =>
    files.load(server, uri, token),
  );
  if (found.length === 0) {
    const text = vscode.l10n.t('The resource is empty: the server returned no content.');
    void notify({ severity: 'info', text });
    return;
  }
  await (chosen.purpose === 'open' ? open(found) : attach(found));
}

function givenResource(argument: unknown, purpose: ResourcePurpose): BrowsedResource | undefined {
  const given = targetOf(argument);
  if (given?.resource !== undefined) return { kind: 'resource', server: given.server, target: given.resource, purpose };
  if (given?.template !== undefined) return { kind: 'template', server: given.server, target: given.template, purpose };
  return undefined;
}

function serverOf(argument: unknown): { readonly server: string | undefined } {
  return { server: targetOf(argument)?.server };
}

/** Includes images, which have no text editor. */
function activeResource(): vscode.Uri | undefined {
  const input: unknown = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  const isFile = input instanceof vscode.TabInputText || input instanceof vscode.TabInputCustom;
  return isFile && input.uri.scheme === SCHEMES.resource ? input.uri : undefined;
}

async function open(found: readonly vscode.Uri[]): Promise<void> {
  const chosen = found.length === 1 ? found[0] : await pickPart(found);
  // The editor selects the right viewer.
  if (chosen !== undefined) await vscode.commands.executeCommand('vscode.open', chosen, { preview: true });
}

/** Attaches all parts, because they are one resource. Reports images that the chat would silently drop. */
async function attach(found: readonly vscode.Uri[]): Promise<void> {
  const { files, pictures } = forChat(found);
  if (files.length > 0 && !(await attachToChat(files))) {
    const text = vscode.l10n.t(
      'The chat of this editor does not accept files from extensions now. Open the resource, and copy what you need into the chat.',
    );
    await offerToOpen(text, found);
  } else if (pictures.length > 0) {
    const text = vscode.l10n.t(
      'The chat of this editor accepts pictures only from files on disk. Open the resource, and save or copy it from there: {0}',
      plainText(pictures.map(nameOf).join(', '), 200),
    );
    await offerToOpen(text, pictures);
  }
}

async function offerToOpen(text: string, files: readonly vscode.Uri[]): Promise<void> {
  const buttons = [{ title: vscode.l10n.t('Open Resource'), run: () => open(files) }];
  await notify({ severity: 'warning', text, buttons });
}

async function pickPart(found: readonly vscode.Uri[]): Promise<vscode.Uri | undefined> {
  const items = found.map((uri, index) => ({
    label: withoutIcons(plainText(nameOf(uri), 100)),
    description: vscode.l10n.t('part {0} of {1}', index + 1, found.length),
    uri,
  }));
  const placeHolder = vscode.l10n.t('The resource has several parts. Which one do you want to open?');
  return (await vscode.window.showQuickPick(items, { placeHolder }))?.uri;
}

function nameOf({ path }: vscode.Uri): string {
  return path.slice(path.lastIndexOf('/') + 1);
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
    // Templates do not say which variables are optional.
    args: parsed.variables.map((name) => ({ name, description: '', isRequired: false })),
  });
  return values === undefined ? undefined : parsed.expand(values);
}
