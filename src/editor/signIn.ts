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
} from '../core/index.ts';
import { openLink } from './links.ts';
import { plainText } from './plainText.ts';
import type { WaitingQuestions } from './waitingQuestions.ts';

/** Asks before somebody is sent to another site to sign in, naming the site and what the server gets. */
export class EditorAuthPrompt implements AuthPrompt {
  readonly #questions: WaitingQuestions;
  readonly #agreed: (server: string) => void;

  /** `agreed` is told of each sign-in that begins. */
  constructor(questions: WaitingQuestions, agreed: (server: string) => void) {
    this.#questions = questions;
    this.#agreed = agreed;
  }

  async consent(question: SignInQuestion, token: CancellationToken): Promise<boolean> {
    const show = async (): Promise<boolean | undefined> => {
      const accept = vscode.l10n.t('Sign In');
      const decline = vscode.l10n.t("Don't Sign In");
      const chosen = await vscode.window.showInformationMessage(signInText(question), accept, decline);
      if (chosen === undefined) return undefined;
      return chosen === accept;
    };
    const label = vscode.l10n.t('Sign in at {0}', question.issuer);
    const agreed = await this.#questions.ask<boolean>({ server: question.server, label, closed: false, show }, token);
    if (agreed) this.#agreed(question.server);
    return agreed;
  }

  askClient(question: ClientQuestion, token: CancellationToken): Promise<EnteredClient | undefined> {
    const show = async (): Promise<EnteredClient | 'declined' | undefined> => {
      const enter = vscode.l10n.t('Enter Client Id');
      const copy = vscode.l10n.t('Copy Redirect Address');
      const text = vscode.l10n.t(
        '{0}, where "{1}" signs you in, only accepts clients that are already registered. Register one with the redirect address {2}.',
        plainText(question.issuer, 200),
        plainText(question.server, 64),
        plainText(question.redirectUri, 200),
      );
      const chosen = await vscode.window.showInformationMessage(text, enter, copy);
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

async function enterClient({ issuer }: ClientQuestion): Promise<EnteredClient | undefined> {
  const title = vscode.l10n.t('Client of {0}', plainText(issuer, 100));
  const clientId = await vscode.window.showInputBox({
    title,
    prompt: vscode.l10n.t('The id of the client that you registered.'),
    ignoreFocusOut: true,
  });
  if (clientId === undefined || clientId.trim() === '') return undefined;
  const clientSecret = await vscode.window.showInputBox({
    title,
    prompt: vscode.l10n.t('Its secret. Leave it empty if it has none.'),
    password: true,
    ignoreFocusOut: true,
  });
  if (clientSecret === undefined) return undefined;
  return { clientId: clientId.trim(), ...(clientSecret === '' ? {} : { clientSecret }) };
}

function signInText({ server, issuer, scopes, reason, resource }: SignInQuestion): string {
  const who = plainText(server, 64);
  const where = plainText(issuer, 200);
  const what = scopes.length === 0 ? vscode.l10n.t('what {0} decides', where) : plainText(scopes.join(', '), 300);
  return `${opening(reason, who, where)} ${vscode.l10n.t('It asks for: {0}. The access is for {1}.', what, plainText(resource, 200))}`;
}

function opening(reason: SignInQuestion['reason'], server: string, issuer: string): string {
  switch (reason) {
    case 'first':
      return vscode.l10n.t('The server "{0}" wants you to sign in at {1}.', server, issuer);
    case 'again':
      return vscode.l10n.t(
        'The server "{0}" wants you to sign in at {1} again: the earlier sign-in is no longer valid.',
        server,
        issuer,
      );
    case 'moreScopes':
      return vscode.l10n.t(
        'The server "{0}" wants more access than you gave it. Sign in at {1} to give it.',
        server,
        issuer,
      );
    case 'otherIssuer':
      return vscode.l10n.t('The server "{0}" wants you to sign in at another place than before: {1}.', server, issuer);
    case 'otherServer':
      return vscode.l10n.t('The server "{0}" has a new address and wants you to sign in at {1}.', server, issuer);
  }
}

/** While a server that starts waits for the browser to come back: shows it, with a way to give up. */
export function showSignInProgress(host: Host, server: string): void {
  const isWaiting = (): boolean => host.server(server)?.state.kind === 'asking';
  if (!isWaiting()) return;
  const title = vscode.l10n.t('Sign in to "{0}" in your browser', plainText(server, 64));
  const location = vscode.ProgressLocation.Notification;
  void vscode.window.withProgress({ location, title, cancellable: true }, async (_, token) => {
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

/** The person's own browser, which in a remote window runs on another machine than this code. */
export const editorBrowser: AuthBrowser = {
  open: openLink,
  // As text with nothing escaped: what the editor adds to the address may be parameters.
  externalUri: async (local) => (await vscode.env.asExternalUri(vscode.Uri.parse(local, true))).toString(true),
};

/** Tokens in the editor's secret storage, which the system's own keychain protects where there is one. */
export function editorSecrets(storage: vscode.SecretStorage): SecretStore {
  return {
    get: async (key) => storage.get(key),
    set: async (key, value) => storage.store(key, value),
    delete: async (key) => storage.delete(key),
  };
}
