import * as vscode from 'vscode';
import { type AsyncLazy, asyncLazy, type Disposable, DisposableStore } from '../../core/index.ts';
import { registerActions } from '../shared/lazyPart.ts';
import { COMMANDS, SCHEMES } from '../shared/ids.ts';
import type { OfferServices, OfferUi } from './lazy.ts';
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
  const notOpened = vscode.l10n.t('The resource cannot be opened');
  const notShown = vscode.l10n.t('The prompt cannot be shown');
  store.add(
    registerActions(services, ui, [
      [COMMANDS.resourceOpen, 'open', notOpened],
      [COMMANDS.resourceBrowse, 'open', notOpened],
      [COMMANDS.resourceAttach, 'attach', vscode.l10n.t('The resource was not attached')],
      [COMMANDS.promptGet, 'show', notShown],
      [COMMANDS.promptUse, 'use', notShown],
      [COMMANDS.promptSend, 'send', notShown],
      [COMMANDS.promptCopy, 'copy', vscode.l10n.t('The prompt was not copied')],
    ]),
  );
  return store;
}
