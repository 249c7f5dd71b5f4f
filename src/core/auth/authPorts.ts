import type { CancellationToken } from '../base/cancellation.ts';

/** Storage for tokens and registrations: the editor's secret storage, or memory. */
export interface SecretStore {
  get(key: string): Promise<string | undefined>;
  set(key: string, value: string): Promise<void>;
  delete(key: string): Promise<void>;
}

/** Questions to the user about signing in. */
export interface AuthPrompt {
  /** Whether to sign in. Asked once for each server; the answer is stored with the token. */
  consent(question: SignInQuestion, token: CancellationToken): Promise<boolean>;
  /**
   * Asks for a client id if the authorization server has no dynamic registration. `undefined` if the user gives none.
   */
  askClient?(question: ClientQuestion, token: CancellationToken): Promise<EnteredClient | undefined>;
}

export interface SignInQuestion {
  readonly server: string;
  /** Why: the first sign-in, stored credentials that no longer work, or a server that wants more. */
  readonly reason: 'first' | 'again' | 'moreScopes' | 'otherIssuer' | 'otherServer';
  /** The address of the server for which the token is valid. */
  readonly resource: string;
  /** The issuer as the authorization server spells it. */
  readonly issuer: string;
  /** Empty if the authorization server decides. */
  readonly scopes: readonly string[];
}

export interface ClientQuestion {
  readonly server: string;
  readonly issuer: string;
  /** The redirect address to register for the client. */
  readonly redirectUri: string;
}

export interface EnteredClient {
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
}

export interface AuthBrowser {
  /** Opens a page in the user's browser. Returns false if that was refused. */
  open(url: string): Promise<boolean>;
  /** Maps a local address to one that the user's browser can reach, which differs in a remote window. */
  externalUri?(local: string): Promise<string>;
}
