import {
  type Account,
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
  /** Where tokens are added, so that nothing shows them. */
  readonly held?: SecretList | undefined;
  readonly clock?: Clock | undefined;
  /** How authorization servers are reached: as servers are. Closed with the service. */
  readonly agents?: HttpAgents | undefined;
}

export interface AuthorizedConnection {
  readonly connection: RemoteConnection;
  readonly context: Pick<ConnectContext, 'serverId' | 'log'>;
  readonly onWaiting?: ((isWaiting: boolean) => void) | undefined;
}

/** Everything about signing in, for all servers with a URL. */
export class AuthService {
  readonly #tools: AuthorizerTools;
  readonly #store: AccountStore;
  readonly #held: SecretList;
  readonly #requester: HttpRequester;
  /** Fires when somebody signed in or out. */
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

  /** Takes every token out of a text. Whatever shows or keeps what went over a connection goes through it. */
  readonly redact = (text: string): string => this.#held.redact(text);

  /** `undefined` where the address is none that can be protected: the transport says what is wrong with it. */
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

  /** Who is signed in where; no secret is in it. */
  async accounts(): Promise<readonly Account[]> {
    const all = await this.#store.accounts();
    const tokens = await Promise.all(all.map((account) => this.#store.token(account)));
    return all.filter((_, index) => tokens[index] !== undefined);
  }

  /** Forgets every token of a server and takes it back where possible. False where there was nothing to forget. */
  async signOut(serverUrl: string): Promise<boolean> {
    const server = httpAddress(serverUrl);
    if (server === undefined) return false;
    const gone = (await this.#store.accounts()).filter((account) => account.server === canonicalResource(server));
    if (gone.length === 0) return false;
    const tokens = await Promise.all(gone.map((account) => this.#store.token(account)));
    // First here: what happens elsewhere may take its time, or fail.
    await this.#store.forget(gone);
    await Promise.all(tokens.flatMap((token) => (token === undefined ? [] : [revoke(this.#tools, token)])));
    return true;
  }

  dispose(): void {
    this.#store.dispose();
    this.#requester.close();
  }
}
