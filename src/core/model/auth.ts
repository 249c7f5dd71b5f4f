/**
 * How the host gets credentials for a server with a URL. Every text may hold variables; secrets are best given as
 * `${input:id}`. Without any of it the host signs in when the server asks for it (`flow: "auto"`).
 */
export interface AuthSettings {
  readonly flow: AuthFlow;
  /** A client that is registered with the authorization server already. */
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
  /**
   * The only authorization server that may see the credentials given here, as it calls itself. Without it that is the
   * first one that the server names.
   */
  readonly issuer?: string | undefined;
  /** A client whose id is the address of its metadata document (CIMD); wins over dynamic registration. */
  readonly clientMetadataUrl?: string | undefined;
  /** A private key for `private_key_jwt`, as PEM (PKCS #8) or as a JWK in JSON. */
  readonly privateKey?: string | undefined;
  /** The algorithm of that key, such as `ES256`. */
  readonly algorithm?: string | undefined;
  /** Asked for beside what the server names. */
  readonly scopes?: readonly string[] | undefined;
  /** Binds tokens to a key of this host (RFC 9449): always, or where the server demands it. */
  readonly dpop?: 'auto' | 'always' | undefined;
  /** For `enterprise`: where an identity token of the person is exchanged. */
  readonly identityProvider?: IdentityProvider | undefined;
  /** For `workloadIdentity`: the token that the platform gives to this workload. */
  readonly assertion?: string | undefined;
}

/**
 * `auto`: a person signs in, when the server asks. `clientCredentials`: the host itself. `enterprise`: by an identity
 * provider's token (enterprise-managed authorization). `workloadIdentity`: by a platform's token (RFC 7523).
 */
export type AuthFlow = 'auto' | 'off' | 'clientCredentials' | 'enterprise' | 'workloadIdentity';

export interface IdentityProvider {
  /** Either the issuer, whose metadata names the token endpoint, or that endpoint itself. */
  readonly issuer?: string | undefined;
  readonly tokenEndpoint?: string | undefined;
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
  readonly idToken: string;
}
