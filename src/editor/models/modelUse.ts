import * as vscode from 'vscode';
import { Emitter, type Event, type Host, type Logger, messageOf, NO_CANCELLATION } from '../../core/index.ts';
import { COMMANDS } from '../shared/ids.ts';
import type { ModelRunners } from './modelRunners.ts';
import { plainText } from '../shared/plainText.ts';

const ALLOWED = 'mcpl.modelUse';

/**
 * Whether servers may use the editor's language models in this workspace. The first use needs a person's gesture, by the
 * editor's own rule and because it may cost; which server does what is then its feature sets' and budget's matter.
 */
export class ModelUse implements vscode.Disposable {
  readonly #state: vscode.Memento;
  readonly #changed = new Emitter<void>();
  /** Servers that were refused one since the window opened. */
  readonly #asking = new Set<string>();
  #isShown = false;

  constructor(state: vscode.Memento) {
    this.#state = state;
  }

  get onDidChange(): Event<void> {
    return this.#changed.event;
  }

  get isAllowed(): boolean {
    return this.#state.get(ALLOWED) === true;
  }

  get asking(): readonly string[] {
    return [...this.#asking];
  }

  async allow(): Promise<void> {
    await this.#state.update(ALLOWED, true);
    this.#asking.clear();
    this.#changed.fire();
  }

  async forbid(): Promise<void> {
    await this.#state.update(ALLOWED, undefined);
    this.#changed.fire();
  }

  /** A server wants a model and may not have one: a person is asked once, for all that ask meanwhile. */
  refused(server: string): void {
    if (this.#asking.has(server)) return;
    this.#asking.add(server);
    if (this.#isShown) return;
    this.#isShown = true;
    const allow = vscode.l10n.t('Allow Language Model Use');
    const text = vscode.l10n.t('The server "{0}" wants to use a language model.', plainText(server, 64));
    vscode.window.showInformationMessage(text, allow, vscode.l10n.t('Not Now')).then(
      (chosen) => {
        this.#isShown = false;
        if (chosen === allow) void vscode.commands.executeCommand(COMMANDS.modelAllow);
      },
      () => (this.#isShown = false),
    );
  }

  dispose(): void {
    this.#changed.dispose();
  }
}

export interface ModelUseTools {
  readonly host: Host;
  readonly use: ModelUse;
  readonly access: vscode.LanguageModelAccessInformation;
  readonly runners: ModelRunners;
  readonly log: Logger;
}

/** *Allow Language Model Use*: says which servers ask, and has the editor ask for its own permission where it wants to. */
export function registerModelUse({ host, use, access, runners, log }: ModelUseTools): vscode.Disposable {
  const allow = async (): Promise<void> => {
    const agree = vscode.l10n.t('Allow');
    const names = use.asking.map((server) => plainText(server, 64)).join(', ');
    const rules = vscode.l10n.t(
      'Only servers with a feature set that uses inference, and that you switched on, get a model. Each has a budget of requests and tokens in its settings.',
    );
    const detail = names === '' ? rules : `${vscode.l10n.t('Asking now: {0}.', names)} ${rules}`;
    const text = vscode.l10n.t('Allow servers in this workspace to use language models?');
    const chosen = use.isAllowed
      ? agree
      : await vscode.window.showInformationMessage(text, { modal: true, detail }, agree);
    if (chosen !== agree) return;
    const { askEditor } = await import('../conversation.ts');
    const asked = await askEditor({ access, runners: runners.all }, NO_CANCELLATION);
    if (asked.kind === 'failed') {
      log.log('warn', asked.message);
      void vscode.window.showWarningMessage(plainText(asked.message, 300));
      return;
    }
    await use.allow();
    void vscode.window.showInformationMessage(
      vscode.l10n.t('Servers may use language models now, such as {0}.', plainText(asked.name, 60)),
    );
  };
  const forbid = async (): Promise<void> => {
    const was = use.isAllowed;
    await use.forbid();
    const text = was
      ? vscode.l10n.t('Servers may no longer use language models on their own in this workspace.')
      : vscode.l10n.t('Servers were not allowed to use language models in this workspace.');
    const again = vscode.l10n.t('Undo');
    void vscode.window.showInformationMessage(text, ...(was ? [again] : [])).then((chosen) => {
      if (chosen === again) use.allow().catch(failed);
    });
  };
  const failed = (error: unknown): void => {
    log.log('error', messageOf(error));
    void vscode.window.showErrorMessage(
      vscode.l10n.t('Whether servers may use language models was not changed: {0}', plainText(messageOf(error), 300)),
    );
  };
  return vscode.Disposable.from(
    use,
    vscode.commands.registerCommand(COMMANDS.modelAllow, () => allow().catch(failed)),
    vscode.commands.registerCommand(COMMANDS.modelForbid, () => forbid().catch(failed)),
    vscode.commands.registerCommand(COMMANDS.modelsWrap, async () =>
      (await import('../conversation.ts')).chooseWrapped(),
    ),
    host.onDidRefuseModel(({ server, reason }) => {
      if (reason === 'no_permission') use.refused(server);
    }),
  );
}
