import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../../core/index.ts';
import { registerCommand } from '../shared/commandRegistry.ts';
import { COMMANDS, SCHEMES } from '../shared/ids.ts';
import { LiveText } from '../shared/liveText.ts';
import type { ModelRunners } from './modelRunners.ts';
import type { ModelUse } from './modelUse.ts';
import type { EditorServices } from '../shared/services.ts';

type Needs = Pick<EditorServices, 'host' | 'failures' | 'log' | 'settings' | 'pick'>;

/** `mcpl.showLanguageModelUse` and `mcpl.chooseLanguageModel`. */
export function registerModelUseView(
  services: Needs,
  use: Pick<ModelUse, 'isAllowed'>,
  runners: Pick<ModelRunners, 'all'>,
): Disposable {
  const { host, pick } = services;
  const store = new DisposableStore();
  const text = async (): Promise<string> => {
    const { modelUsePage } = await import('../conversation.ts');
    return modelUsePage(services, use.isAllowed);
  };
  store.add(new LiveText({ scheme: SCHEMES.models, onDidChange: host.modelUses.onDidChange, text }));
  const showing = { failed: vscode.l10n.t('The use of language models cannot be shown') };
  store.add(
    registerCommand(services, COMMANDS.modelUseShow, showing, async () => {
      const uri = vscode.Uri.from({ scheme: SCHEMES.models, path: '/Language Model Use.log' });
      await vscode.window.showTextDocument(uri, { preview: true });
    }),
  );
  const choosing = { failed: vscode.l10n.t('The language model was not changed') };
  store.add(
    registerCommand(services, COMMANDS.modelChoose, choosing, async (argument) => {
      const question = vscode.l10n.t("Which server's language model do you want to choose?");
      const server = await pick.server(argument, question, (id) => host.server(id)?.definition !== undefined);
      if (server === undefined) return;
      const { chooseModelFor } = await import('../conversation.ts');
      await chooseModelFor(services, server, runners.all);
    }),
  );
  return store;
}
