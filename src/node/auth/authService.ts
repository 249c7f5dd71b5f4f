import {
  type SignInAccount,
  type AuthBrowser,
  type AuthPrompt,
  canonicalResource,
  type Clock,
  type ConnectContext,
  type Event,
  SecretList,
  httpAddress,
  type RemoteConnection,
  type SecretStore,
  type TokenRecord,
} from '../../core/index.ts';
import type { Authorizer } from '../http/authorizer.ts';
import { backgroundClock } from '../backgroundClock.ts';
import type { HttpAgents } from '../http/httpAgents.ts';
import { HttpRequester } from '../http/httpRequest.ts';
import { AccountStore } from './accountStore.ts';
import { AuthHttp } from './authHttp.ts';
import { type AuthorizerTools, OAuthAuthorizer } from './oauthAuthorizer.ts';
import { revoke } from './renewal.ts';
import { SharedWork } from './sharedWork.ts';

export interface AuthServiceOptions {
  readonly secrets: SecretStore;
  readonly prompt: AuthPrompt;
  readonly browser: AuthBrowser;
  /** Gets every token, so that all output is redacted. */
  readonly held?: SecretList | undefined;
  readonly clock?: Clock | undefined;
  /** Agents for authorization servers, the same as for servers. Closed with the service. */
  readonly agents?: HttpAgents | undefined;
}

interface AuthorizedConnection {
  readonly connection: RemoteConnection;
  readonly context: Pick<ConnectContext, 'serverId' | 'log'>;
  readonly onWaiting?: ((isWaiting: boolean) => void) | undefined;
}

/** The sign-in service for all servers with a URL. */
export class AuthService {
  readonly #tools: AuthorizerTools;
  readonly #store: AccountStore;
  readonly #held: SecretList;
  readonly #requester: HttpRequester;
  /** Fires after a sign-in or sign-out. */
  readonly onDidChangeAccounts: Event<void>;

  constructor(options: AuthServiceOptions) {
    const { secrets, prompt, browser, held = new SecretList(), clock = backgroundClock, agents } = options;
    this.#held = held;
    this.#requester = new HttpRequester(agents);
    this.#store = new AccountStore(secrets, this.#held);
    this.onDidChangeAccounts = this.#store.onDidChange;
    this.#tools = {
      http: new AuthHttp(this.#requester, clock),
      store: this.#store,
      held: this.#held,
      prompt,
      browser,
      clock,
      renewals: new SharedWork<TokenRecord>(),
    };
  }

  /** Removes all tokens from a text. Use it for everything that displays or stores traffic. */
  readonly redact = (text: string): string => this.#held.redact(text);

  /** Returns `undefined` for an unsupported address. The transport reports the error. */
  authorizer({ connection, context, onWaiting }: AuthorizedConnection): Authorizer | undefined {
    const server = httpAddress(connection.url);
    if (server === undefined) return undefined;
    return new OAuthAuthorizer(this.#tools, {
      serverId: context.serverId,
      server,
      settings: connection.auth ?? { flow: 'auto' },
      hasStaticHeader: Object.keys(connection.headers).some((name) => name.toLowerCase() === 'authorization'),
      context,
      onWaiting,
    });
  }

  /** The signed-in accounts, without secrets. */
  async accounts(): Promise<readonly SignInAccount[]> {
    const all = await this.#store.accounts();
    const tokens = await Promise.all(all.map((account) => this.#store.token(account)));
    return all.filter((_, index) => tokens[index] !== undefined);
  }

  /** Deletes and revokes all tokens of a server. Returns false if there were none. */
  async signOut(serverUrl: string): Promise<boolean> {
    const server = httpAddress(serverUrl);
    if (server === undefined) return false;
    const gone = (await this.#store.accounts()).filter((account) => account.server === canonicalResource(server));
    if (gone.length === 0) return false;
    const tokens = await Promise.all(gone.map((account) => this.#store.token(account)));
    // Delete locally first: revoking may be slow or fail.
    await this.#store.forget(gone);
    await Promise.all(tokens.flatMap((token) => (token === undefined ? [] : [revoke(this.#tools, token)])));
    return true;
  }

  dispose(): void {
    this.#store.dispose();
    this.#requester.close();
  }
}
