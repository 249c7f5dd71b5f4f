/**
 * How the host gets credentials for a server with a URL. All texts may contain variables; use `${input:id}` for
 * secrets. By default, the host signs in when the server asks for it (`flow: "auto"`).
 */
export interface AuthSettings {
  readonly flow: AuthFlow;
  /** A client id that is already registered with the authorization server. */
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
  /**
   * The only authorization server that may receive these credentials, by its issuer name. Default: the first one that
   * the server names.
   */
  readonly issuer?: string | undefined;
  /** A client id that is the address of its metadata document (CIMD). Takes precedence over dynamic registration. */
  readonly clientMetadataUrl?: string | undefined;
  /** A private key for `private_key_jwt`, as PEM (PKCS #8) or as a JWK in JSON. */
  readonly privateKey?: string | undefined;
  /** The algorithm of that key, such as `ES256`. */
  readonly algorithm?: string | undefined;
  /** Scopes to request in addition to those that the server names. */
  readonly scopes?: readonly string[] | undefined;
  /** Binds tokens to a key of this host (RFC 9449): always, or if the server requires it. */
  readonly dpop?: 'auto' | 'always' | undefined;
  /** For `enterprise`: the identity provider that exchanges the user's identity token. */
  readonly identityProvider?: IdentityProvider | undefined;
  /** For `workloadIdentity`: the token that the platform issues to this workload. */
  readonly assertion?: string | undefined;
}

/**
 * `auto`: the user signs in when the server asks. `clientCredentials`: the host signs in as itself. `enterprise`: with
 * an identity provider's token (enterprise-managed authorization). `workloadIdentity`: with a platform's token (RFC
 * 7523).
 */
export type AuthFlow = 'auto' | 'off' | 'clientCredentials' | 'enterprise' | 'workloadIdentity';

export interface IdentityProvider {
  /** Either the issuer, whose metadata names the token endpoint, or the endpoint itself. */
  readonly issuer?: string | undefined;
  readonly tokenEndpoint?: string | undefined;
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
  readonly idToken: string;
}
