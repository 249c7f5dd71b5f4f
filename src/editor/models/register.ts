import * as vscode from 'vscode';
import {
  type Disposable,
  DisposableStore,
  type Host,
  type Logger,
  messageOf,
  NO_CANCELLATION,
} from '../../core/index.ts';
import { registerCommand } from '../shared/commandRegistry.ts';
import { COMMANDS, SCHEMES } from '../shared/ids.ts';
import { LiveText } from '../shared/liveText.ts';
import type { ModelRunners } from './modelRunners.ts';
import type { ModelUse } from './modelPermission.ts';
import { notify } from '../shared/notify.ts';
import { plainText } from '../shared/plainText.ts';
import { invalidEntries } from '../shared/quickPicker.ts';
import type { EditorServices } from '../shared/services.ts';

interface ModelUseTools {
  readonly host: Host;
  readonly use: ModelUse;
  readonly access: vscode.LanguageModelAccessInformation;
  readonly runners: ModelRunners;
  readonly log: Logger;
}

/** *Allow Language Model Use*: names the servers that ask, then lets the editor ask for its own permission. */
export function registerModelUse({ host, use, access, runners, log }: ModelUseTools): vscode.Disposable {
  /** Returns whether servers may use models now. */
  const allow = async (): Promise<boolean> => {
    const agree = { title: vscode.l10n.t('Allow') };
    const names = use.asking.map((server) => plainText(server, 64)).join(', ');
    const rules = vscode.l10n.t(
      'Only servers with a feature set that uses inference, and that you turned on, get a model. Each has a budget of requests and tokens in its settings.',
    );
    const modalDetail = names === '' ? rules : `${vscode.l10n.t('Asking now: {0}.', names)} ${rules}`;
    const text = vscode.l10n.t('Allow servers in this workspace to use language models?');
    const chosen = use.isAllowed ? agree : await notify({ severity: 'info', text, modalDetail, buttons: [agree] });
    if (chosen !== agree) return false;
    const { askEditor } = await import('./lazy.ts');
    const asked = await askEditor({ access, runners: runners.all }, NO_CANCELLATION);
    if (asked.kind === 'failed') {
      log.log('warn', asked.message);
      void notify({ severity: 'warning', text: plainText(asked.message, 300) });
      return false;
    }
    await use.allow();
    const done = vscode.l10n.t('Servers can now use language models (default: {0}).', plainText(asked.name, 60));
    void notify({ severity: 'info', text: done });
    return true;
  };
  const forbid = async (): Promise<void> => {
    const was = use.isAllowed;
    await use.forbid();
    const text = was
      ? vscode.l10n.t('Servers may no longer use language models on their own in this workspace.')
      : vscode.l10n.t('Servers were not allowed to use language models in this workspace.');
    const undo = { title: vscode.l10n.t('Undo'), run: () => use.allow().catch(failed) };
    void notify({ severity: 'info', text, buttons: was ? [undo] : [] });
  };
  const failed = (error: unknown): void => {
    log.log('error', messageOf(error));
    const why = plainText(messageOf(error), 300);
    const text = vscode.l10n.t('The permission for language models was not changed: {0}', why);
    void notify({ severity: 'error', text });
  };
  return vscode.Disposable.from(
    use,
    vscode.commands.registerCommand(COMMANDS.modelAllow, async () => {
      try {
        return await allow();
      } catch (error) {
        failed(error);
        return false;
      }
    }),
    vscode.commands.registerCommand(COMMANDS.modelForbid, () => forbid().catch(failed)),
    host.onDidRefuseModel(({ server, reason }) => {
      if (reason === 'no_permission') use.refused(server);
    }),
  );
}

/** `mcpl.showLanguageModelUse` and `mcpl.chooseLanguageModel`. */
export function registerModelUseView(
  services: Pick<EditorServices, 'host' | 'clock' | 'failures' | 'log' | 'settings' | 'pick'>,
  use: Pick<ModelUse, 'isAllowed'>,
  runners: Pick<ModelRunners, 'all'>,
): Disposable {
  const { host, clock, pick } = services;
  const store = new DisposableStore();
  const text = async (): Promise<string> => {
    const { modelUsePage } = await import('./lazy.ts');
    return modelUsePage(services, use.isAllowed);
  };
  store.add(new LiveText({ clock, scheme: SCHEMES.models, onDidChange: host.modelUses.onDidChange, text }));
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
      const isValid = (id: string): boolean => host.server(id)?.definition !== undefined;
      const server = await pick.server(argument, question, isValid, invalidEntries());
      if (server === undefined) return;
      const { chooseModelFor } = await import('./lazy.ts');
      await chooseModelFor(services, server, runners.all);
    }),
  );
  return store;
}
