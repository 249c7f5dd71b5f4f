import * as vscode from 'vscode';
import { type AsyncLazy, asyncLazy, type Disposable, DisposableStore } from '../../core/index.ts';
import { registerCommand } from '../shared/commandRegistry.ts';
import { type CommandId, COMMANDS, SCHEMES } from '../shared/ids.ts';
import type { OfferAction, OfferUi, OfferServices } from './lazy.ts';
import { ReadOnlyFiles } from '../shared/readOnlyFiles.ts';
import type { EditorServices } from '../shared/services.ts';

/** Registers the commands for resources and prompts, and the resource file system. */
export function registerOfferCommands(services: OfferServices & Pick<EditorServices, 'failures'>): Disposable {
  const store = new DisposableStore();
  const ui: AsyncLazy<OfferUi> = asyncLazy(
    () => import('./lazy.ts'),
    ({ openOfferUi }) => store.add(openOfferUi(services, files.changed)),
  );
  const files = store.add(new ReadOnlyFiles(SCHEMES.resource, async () => (await ui.get()).files));
  const add = (id: CommandId, action: OfferAction, failed: string): unknown =>
    store.add(
      registerCommand(services, id, { failed }, async (argument) => (await ui.get()).actions[action](argument)),
    );
  const notOpened = vscode.l10n.t('The resource cannot be opened');
  add(COMMANDS.resourceOpen, 'open', notOpened);
  add(COMMANDS.resourceBrowse, 'open', notOpened);
  add(COMMANDS.resourceAttach, 'attach', vscode.l10n.t('The resource was not attached'));
  const notShown = vscode.l10n.t('The prompt cannot be shown');
  add(COMMANDS.promptGet, 'show', notShown);
  add(COMMANDS.promptUse, 'use', notShown);
  add(COMMANDS.promptSend, 'send', notShown);
  add(COMMANDS.promptCopy, 'copy', vscode.l10n.t('The prompt was not copied'));
  return store;
}
