import * as vscode from 'vscode';
import type { ClientQuestion, EnteredClient, SignInQuestion } from '../../core/index.ts';
import { plainText } from '../shared/plainText.ts';

/** Explains that an authorization server only accepts registered clients. */
export function clientText({ issuer, server, redirectUri }: ClientQuestion): string {
  return vscode.l10n.t(
    '{0}, where "{1}" signs you in, only accepts clients that are already registered. Register one with the redirect address {2}.',
    plainText(issuer, 200),
    plainText(server, 64),
    plainText(redirectUri, 200),
  );
}

/** Asks for the id and secret of a registered client. */
export async function enterClient({ issuer }: ClientQuestion): Promise<EnteredClient | undefined> {
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

/** The sign-in prompt, with the server, the site and the requested access. */
export function signInText({ server, issuer, scopes, reason, resource }: SignInQuestion): string {
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
