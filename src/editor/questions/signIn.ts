import * as vscode from 'vscode';
import {
  type AuthBrowser,
  type AuthPrompt,
  type CancellationToken,
  type ClientQuestion,
  Deferred,
  DisposableStore,
  type EnteredClient,
  type Host,
  ignoreFailure,
  type SecretStore,
  type SignInQuestion,
} from '../../core/index.ts';
import { openLink } from '../shared/links.ts';
import { plainText } from '../shared/plainText.ts';
import { cancellableProgress } from '../shared/progress.ts';
import type { WaitingQuestions } from './waitingQuestions.ts';
import { notify } from '../shared/notify.ts';

/** Asks before a sign-in, and names the site and the access that the server gets. */
export class EditorAuthPrompt implements AuthPrompt {
  readonly #questions: WaitingQuestions;
  readonly #agreed: (server: string) => void;

  /** Calls `agreed` for each sign-in that starts. */
  constructor(questions: WaitingQuestions, agreed: (server: string) => void) {
    this.#questions = questions;
    this.#agreed = agreed;
  }

  async consent(question: SignInQuestion, token: CancellationToken): Promise<boolean> {
    const show = async (): Promise<boolean | undefined> => {
      const accept = { title: vscode.l10n.t('Sign In'), isAccepted: true };
      const decline = { title: vscode.l10n.t("Don't Sign In"), isAccepted: false };
      const { signInText } = await import('./lazy.ts');
      const text = signInText(question);
      const chosen = await notify({ severity: 'info', text, buttons: [accept, decline], token });
      return chosen?.isAccepted;
    };
    const label = vscode.l10n.t('Sign in at {0}', question.issuer);
    const agreed = await this.#questions.ask<boolean>({ server: question.server, label, closed: false, show }, token);
    if (agreed) this.#agreed(question.server);
    return agreed;
  }

  askClient(question: ClientQuestion, token: CancellationToken): Promise<EnteredClient | undefined> {
    const show = async (): Promise<EnteredClient | 'declined' | undefined> => {
      const enter = { title: vscode.l10n.t('Enter Client Id') };
      const copy = { title: vscode.l10n.t('Copy Redirect Address') };
      const { clientText, enterClient } = await import('./lazy.ts');
      const text = clientText(question);
      const chosen = await notify({ severity: 'info', text, buttons: [enter, copy], token });
      if (chosen === undefined) return undefined;
      if (chosen === enter) return (await enterClient(question)) ?? 'declined';
      await vscode.env.clipboard.writeText(question.redirectUri);
      return show();
    };
    const label = vscode.l10n.t('Wants a client id for {0}', question.issuer);
    const asked = { server: question.server, label, closed: 'declined' as const, show };
    return this.#questions
      .ask<EnteredClient | 'declined'>(asked, token)
      .then((answer) => (answer === 'declined' ? undefined : answer));
  }
}

/** Shows progress with a cancel button while a server waits for the browser. */
export function showSignInProgress(host: Host, server: string): void {
  const isWaiting = (): boolean => host.server(server)?.state.kind === 'asking';
  if (!isWaiting()) return;
  const title = vscode.l10n.t('Sign in to "{0}" in your browser', plainText(server, 64));
  void cancellableProgress(title, async (token) => {
    const over = new Deferred<void>();
    const store = new DisposableStore();
    store.add(host.onDidChangeServer(() => isWaiting() || over.resolve()));
    store.add(token.onCancellationRequested(() => ignoreFailure(host.stop(server))));
    try {
      if (isWaiting()) await over.promise;
    } finally {
      store.dispose();
    }
  });
}

/** The user's browser, which in a remote window runs on another machine. */
export const editorBrowser: AuthBrowser = {
  open: openLink,
  // Unescaped text, because the editor may add query parameters.
  externalUri: async (local) => (await vscode.env.asExternalUri(vscode.Uri.parse(local, true))).toString(true),
};

/** Tokens in the editor's secret storage, protected by the system keychain if there is one. */
export function editorSecrets(storage: vscode.SecretStorage): SecretStore {
  return {
    get: async (key) => storage.get(key),
    set: async (key, value) => storage.store(key, value),
    delete: async (key) => storage.delete(key),
  };
}
