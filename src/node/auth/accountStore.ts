import {
  type SignInAccount,
  Emitter,
  type Event,
  isSameIssuer,
  KeyedQueue,
  otherSpelling,
  readAccounts,
  readRegistration,
  readToken,
  type Registration,
  type Secret,
  SECRET_KEYS,
  type SecretList,
  type SecretStore,
  secretsOf,
  type TokenRecord,
  writeStored,
} from '../../core/index.ts';

/** The settings that select an account. */
export type AccountKey = Pick<SignInAccount, 'server' | 'variant'>;

export interface StoredSignIn {
  readonly account: SignInAccount;
  readonly token: TokenRecord;
}

/**
 * Tokens and registrations in the secret storage. Always read from storage: another window may have refreshed a token,
 * and reusing a rotated refresh token ends the sign-in.
 */
export class AccountStore {
  readonly #secrets: SecretStore;
  readonly #held: SecretList;
  readonly #queue = new KeyedQueue();
  readonly #changed = new Emitter<void>();
  readonly onDidChange: Event<void> = this.#changed.event;

  constructor(secrets: SecretStore, held: SecretList) {
    this.#secrets = secrets;
    this.#held = held;
  }

  async accounts(): Promise<readonly SignInAccount[]> {
    return readAccounts(await this.#secrets.get(SECRET_KEYS.accounts));
  }

  async account({ server, variant }: AccountKey): Promise<SignInAccount | undefined> {
    return (await this.accounts()).find((account) => account.server === server && account.variant === variant);
  }

  async find(key: AccountKey): Promise<StoredSignIn | undefined> {
    const account = await this.account(key);
    if (account === undefined) return undefined;
    const token = await this.token(account);
    return token === undefined ? undefined : { account, token };
  }

  async token(account: SignInAccount): Promise<TokenRecord | undefined> {
    const token = readToken(await this.#secrets.get(SECRET_KEYS.token(account)));
    if (token !== undefined) this.#held.add(secretsOf(token), ...token.servers);
    return token;
  }

  /** Replaces the server's token, whoever issued the old one. */
  async save(account: SignInAccount, token: TokenRecord): Promise<void> {
    this.#held.add(secretsOf(token), ...token.servers);
    await this.#secrets.set(SECRET_KEYS.token(account), writeStored(token));
    const replaced = await this.#change((accounts) => [
      ...accounts.filter((other) => !isSame(other, account)),
      account,
    ]);
    for (const old of replaced)
      if (isSame(old, account) && SECRET_KEYS.token(old) !== SECRET_KEYS.token(account))
        await this.#secrets.delete(SECRET_KEYS.token(old));
    this.#changed.fire();
  }

  /** For a refresh. Listeners are not notified, because no account changed. */
  async replaceToken(account: SignInAccount, token: TokenRecord): Promise<void> {
    this.#held.add(secretsOf(token), ...token.servers);
    await this.#secrets.set(SECRET_KEYS.token(account), writeStored(token));
  }

  /** Keeps the account, which records where credentials from settings may go. */
  async dropToken(account: SignInAccount): Promise<void> {
    await this.#secrets.delete(SECRET_KEYS.token(account));
    this.#changed.fire();
  }

  /** Removes accounts, and registrations without remaining accounts. */
  async forget(gone: readonly SignInAccount[]): Promise<void> {
    for (const account of gone) await this.#secrets.delete(SECRET_KEYS.token(account));
    await this.#change((accounts) => accounts.filter((account) => !gone.some((other) => isSame(account, other))));
    const left = await this.accounts();
    for (const issuer of new Set(gone.map((account) => account.issuer)))
      if (!left.some((account) => isSameIssuer(account.issuer, issuer))) await this.forgetRegistration(issuer);
    this.#changed.fire();
  }

  async registration(issuer: string): Promise<Registration | undefined> {
    const kept = await this.#secrets.get(SECRET_KEYS.registration(issuer));
    const registration = readRegistration(
      kept ?? (await this.#secrets.get(SECRET_KEYS.registration(otherSpelling(issuer)))),
    );
    this.#held.add([clientSecretOf(registration)]);
    return registration;
  }

  async saveRegistration(issuer: string, registration: Registration): Promise<void> {
    this.#held.add([clientSecretOf(registration)]);
    await this.#secrets.set(SECRET_KEYS.registration(issuer), writeStored(registration));
  }

  async forgetRegistration(issuer: string): Promise<void> {
    await this.#secrets.delete(SECRET_KEYS.registration(issuer));
    await this.#secrets.delete(SECRET_KEYS.registration(otherSpelling(issuer)));
  }

  dispose(): void {
    this.#changed.dispose();
  }

  /** Serializes changes, because each reads and writes the whole list. Resolves with the old list. */
  async #change(
    change: (accounts: readonly SignInAccount[]) => readonly SignInAccount[],
  ): Promise<readonly SignInAccount[]> {
    return this.#queue.run(SECRET_KEYS.accounts, async () => {
      const before = await this.accounts();
      const after = change(before);
      if (after.length === 0) await this.#secrets.delete(SECRET_KEYS.accounts);
      else await this.#secrets.set(SECRET_KEYS.accounts, writeStored(after));
      return before;
    });
  }
}

function isSame(a: AccountKey, b: AccountKey): boolean {
  return a.server === b.server && a.variant === b.variant;
}

function clientSecretOf(registration: Registration | undefined): Secret | undefined {
  const value = registration?.clientSecret;
  return value === undefined ? undefined : { name: 'client_secret', value };
}
