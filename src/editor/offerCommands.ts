import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../core/index.ts';
import { registerCommand } from './commandRegistry.ts';
import { COMMANDS, SCHEMES } from './ids.ts';
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
      const { openResource } = await import('./pages.ts');
      await openResource(services.host, files, argument);
    }),
  );
  const prompts = store.add(new WholeText(SCHEMES.prompt));
  const getting = { failed: vscode.l10n.t('The prompt cannot be shown') };
  store.add(
    registerCommand(services, COMMANDS.promptGet, getting, async (argument) => {
      const { showPrompt } = await import('./pages.ts');
      await showPrompt(services.host, prompts, argument);
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
