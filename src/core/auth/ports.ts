import type { CancellationToken } from '../base/cancellation.ts';

/** Where tokens and registrations are kept: the editor's secret storage, or memory. */
export interface SecretStore {
  get(key: string): Promise<string | undefined>;
  set(key: string, value: string): Promise<void>;
  delete(key: string): Promise<void>;
}

/** What a person is asked about signing in. */
export interface AuthPrompt {
  /** Whether to sign in, once for each server: the answer is remembered with the token. */
  consent(question: SignInQuestion, token: CancellationToken): Promise<boolean>;
  /** A client id for an authorization server that registers nobody by itself; `undefined` when none is given. */
  askClient?(question: ClientQuestion, token: CancellationToken): Promise<EnteredClient | undefined>;
}

export interface SignInQuestion {
  readonly server: string;
  /** Why: for the first time, because what was there is of no use any more, or because the server wants more. */
  readonly reason: 'first' | 'again' | 'moreScopes' | 'otherIssuer' | 'otherServer';
  /** What the token will be good for: the address of the server. */
  readonly resource: string;
  /** Who signs the person in, as it calls itself. */
  readonly issuer: string;
  /** Empty where the authorization server decides. */
  readonly scopes: readonly string[];
}

export interface ClientQuestion {
  readonly server: string;
  readonly issuer: string;
  /** What the client must be registered with. */
  readonly redirectUri: string;
}

export interface EnteredClient {
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
}

export interface AuthBrowser {
  /** Opens a page in the person's browser; false where that was refused. */
  open(url: string): Promise<boolean>;
  /** How that browser reaches an address of this machine, which in a remote window is not the person's own. */
  externalUri?(local: string): Promise<string>;
}
