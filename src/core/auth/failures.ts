import { cleanLine } from '../base/cleanText.ts';
import { HostError } from '../base/errors.ts';
import type { ChallengeFailure } from './challengePlan.ts';

/** Maximum length of a text from an authorization server in a message. */
const MAX_SHOWN = 300;

/** The user has to act before the server can be used. */
export function signInRequired(message: string, suggestion: string): HostError {
  return new HostError('SIGN_IN_REQUIRED', message, { layer: 'policy', effect: 'none', suggestion });
}

/** A sign-in failed. `category` is the OAuth error code, if any. */
export function signInFailed(message: string, suggestion: string, category?: string, cause?: unknown): HostError {
  return new HostError('SIGN_IN_FAILED', message, { layer: 'transport', effect: 'none', suggestion, category, cause });
}

/** An error reported by an authorization server, cleaned for display. */
export function oauthFailure(what: string, error: string, description: string | undefined): HostError {
  const said = description === undefined || description.trim() === '' ? error : `${error}: ${description}`;
  return signInFailed(`${what} (${cleanLine(said, MAX_SHOWN)}).`, suggestionFor(error), error);
}

const SETTINGS = "Check `auth` in the server's settings.";

function suggestionFor(error: string): string {
  switch (error) {
    case 'access_denied':
      return 'Start the server again to sign in, and allow the access.';
    case 'invalid_client':
    case 'unauthorized_client':
      return "Check the client in `auth` in the server's settings, or sign out of the server and sign in again.";
    case 'invalid_scope':
      return "Check `auth.scopes` in the server's settings.";
    case 'invalid_grant':
      return 'Sign in again.';
    case 'server_error':
    case 'temporarily_unavailable':
      return 'Wait a moment, then try again.';
    default:
      return SETTINGS;
  }
}

/** Why the host does not answer a challenge. */
export function challengeFailure(why: ChallengeFailure, wanted: readonly string[]): HostError {
  switch (why) {
    case 'staticHeader':
      return signInRequired(
        'The server does not accept the `Authorization` header in its settings.',
        "Correct `headers` in the server's settings, or remove it there to sign in.",
      );
    case 'switchedOff':
      return signInRequired(
        'The server asks for sign-in, which is switched off for it.',
        "Remove `auth.flow` from the server's settings to sign in, or put a token into `headers`.",
      );
    case 'refusedScopes':
      return signInFailed(
        `The server wants more rights than the sign-in gave${listed(wanted)}.`,
        'Sign out of the server and sign in again with an account that has these rights.',
        'insufficient_scope',
      );
    case 'refusedToken':
      return signInFailed(
        'The server does not accept the token that its authorization server gave.',
        'Report this to the author of the server.',
        'invalid_token',
      );
    case 'tooOften':
      return signInFailed(
        'The server asks for sign-in again and again.',
        'Report this to the author of the server.',
        'invalid_token',
      );
  }
}

function listed(scopes: readonly string[]): string {
  return scopes.length === 0 ? '' : `: ${cleanLine(scopes.join(' '), MAX_SHOWN)}`;
}
