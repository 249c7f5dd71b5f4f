import * as vscode from 'vscode';
import { DisposableStore, Emitter, messageOf } from '../../core/index.ts';
import { MODEL_VENDOR, SETTINGS } from '../shared/ids.ts';
import { wrapPatterns } from './wrapPatterns.ts';
import { WrappedModels } from './wrappedModels.ts';
import type { WrapTools } from './wrappedRequest.ts';
import { notify } from '../shared/notify.ts';

const WARNED = 'mcpl.modelsWrapWarned';

/** `mcpl.models.wrap`: while it names models, this vendor offers them with hooks. */
export class WrappedVendor implements vscode.LanguageModelChatProvider {
  readonly #tools: WrapTools;
  readonly #state: vscode.Memento;
  readonly #owned = new DisposableStore();
  readonly #changed = this.#owned.add(new Emitter<void>());
  readonly #models: WrappedModels;
  #registration: vscode.Disposable | undefined;
  #refreshing: Promise<void> | undefined;
  #isOutdated = false;

  readonly onDidChangeLanguageModelChatInformation: vscode.Event<void> = this.#changed.event;

  constructor(tools: WrapTools, state: vscode.Memento) {
    this.#tools = tools;
    this.#models = new WrappedModels(tools);
    this.#state = state;
    this.#owned.add(
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (change.affectsConfiguration(SETTINGS.modelsWrap)) this.#follow();
      }),
    );
    this.#owned.add(vscode.workspace.onDidGrantWorkspaceTrust(() => this.#follow()));
    this.#owned.add(vscode.lm.onDidChangeChatModels(() => this.#refresh()));
    this.#follow();
  }

  /** Returns known models only: asking other vendors here would deadlock. */
  provideLanguageModelChatInformation(): vscode.LanguageModelChatInformation[] {
    return this.#models.information();
  }

  async provideLanguageModelChatResponse(
    { id }: vscode.LanguageModelChatInformation,
    messages: readonly vscode.LanguageModelChatRequestMessage[],
    options: vscode.ProvideLanguageModelChatResponseOptions,
    progress: vscode.Progress<vscode.LanguageModelResponsePart>,
    token: vscode.CancellationToken,
  ): Promise<void> {
    await this.#models.respond(id, { messages, options, progress, token });
  }

  async provideTokenCount(
    { id }: vscode.LanguageModelChatInformation,
    text: string | vscode.LanguageModelChatRequestMessage,
    token: vscode.CancellationToken,
  ): Promise<number> {
    return this.#models.count(id, text, token);
  }

  async close(): Promise<void> {
    this.#registration?.dispose();
    this.#registration = undefined;
    this.#owned.dispose();
  }

  #follow(): void {
    if (patternsNow().length === 0) {
      this.#registration?.dispose();
      this.#registration = undefined;
      return;
    }
    this.#registration ??= vscode.lm.registerLanguageModelChatProvider(MODEL_VENDOR, this);
    this.#refresh();
    this.#warn();
  }

  /** Runs one refresh at a time, and another one after further changes. */
  #refresh(): void {
    if (this.#registration === undefined) return;
    this.#isOutdated = true;
    this.#refreshing ??= this.#look().finally(() => (this.#refreshing = undefined));
  }

  async #look(): Promise<void> {
    while (this.#isOutdated && this.#registration !== undefined) {
      this.#isOutdated = false;
      try {
        if (await this.#models.refresh(patternsNow())) this.#changed.fire();
      } catch (error) {
        this.#tools.log.log('warn', `Language models cannot be wrapped: ${messageOf(error)}`);
      }
    }
  }

  /** Warns once: wrapped models may cost, and users who edit settings.json do not see the setting's description. */
  #warn(): void {
    const text = vscode.l10n.t(
      'Language models are now also offered with hooks of MCPL servers, as "… (MCPL)". Each step of an agent with one may count as a premium request.',
    );
    const more = (): unknown =>
      vscode.commands.executeCommand('workbench.action.openSettings', `@id:${SETTINGS.modelsWrap}`);
    const turnOff = (): unknown =>
      vscode.workspace.getConfiguration().update(SETTINGS.modelsWrap, undefined, vscode.ConfigurationTarget.Global);
    void notify({
      severity: 'warning',
      text,
      buttons: [
        { title: vscode.l10n.t('Learn More'), run: more },
        { title: vscode.l10n.t('Turn Off'), run: turnOff },
      ],
      once: { state: this.#state, key: WARNED },
    });
  }
}

function patternsNow(): readonly string[] {
  const setting: unknown = vscode.workspace.getConfiguration().get(SETTINGS.modelsWrap);
  return vscode.workspace.isTrusted ? wrapPatterns(setting) : [];
}
