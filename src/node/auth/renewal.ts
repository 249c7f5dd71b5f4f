import { type AuthSettings, isExpired, isHostError, refreshed, type TokenRecord } from '../../core/index.ts';
import type { StoredSignIn } from './accountStore.ts';
import { ProofKey } from './proofKey.ts';
import { named, type SignInTools } from './signInRequest.ts';
import { type ClientCredentials, authentication, requestToken, sentSecret } from './tokenEndpoint.ts';

/** After these errors the refresh token is useless. After others, a retry may succeed. */
const FINAL = ['invalid_grant', 'invalid_client', 'unauthorized_client', 'invalid_scope', 'unsupported_grant_type'];
const REVOKE_MS = 5_000;

/**
 * Refreshes a token without the user. Refresh tokens are rotated, so one that another window used must not be used
 * again: the storage is read before and after. Rejects if the user must sign in again, after deleting the token.
 */
export async function refresh(
  tools: SignInTools,
  { account, token }: StoredSignIn,
  settings: AuthSettings,
  signal: AbortSignal,
): Promise<TokenRecord> {
  const kept = await tools.store.token(account);
  const now = tools.clock.now();
  if (kept !== undefined && kept.accessToken !== token.accessToken && !isExpired(kept, now)) return kept;
  const record = kept ?? token;
  tools.held.add(named({ client: sentSecret(clientOf(record, settings)) }));
  try {
    const reply = await requestToken(tools.http, {
      metadata: record,
      client: clientOf(record, settings),
      grantType: 'refresh_token',
      parameters: { refresh_token: record.refreshToken, resource: record.resource },
      proofKey: record.proofKey === undefined ? undefined : await ProofKey.import(record.proofKey),
      signal,
    });
    const renewed = refreshed(record, reply, tools.clock.now());
    await tools.store.replaceToken(account, renewed);
    return renewed;
  } catch (error) {
    if (!isHostError(error, 'SIGN_IN_FAILED') || !FINAL.includes(error.category ?? '')) throw error;
    const latest = await tools.store.token(account);
    if (latest !== undefined && latest.refreshToken !== record.refreshToken) return latest;
    await tools.store.dropToken(account);
    if (error.category === 'invalid_client') await tools.store.forgetRegistration(account.issuer);
    throw error;
  }
}

/** Revokes tokens at the authorization server (RFC 7009). Failures are ignored. */
export async function revoke(tools: SignInTools, record: TokenRecord): Promise<void> {
  const { revocationEndpoint, client } = record;
  if (revocationEndpoint === undefined || client.authMethod === 'private_key_jwt') return;
  const tokens: readonly (readonly [string, string | undefined])[] = [
    ['refresh_token', record.refreshToken],
    ['access_token', record.accessToken],
  ];
  const abort = new AbortController();
  const timer = tools.clock.delay(REVOKE_MS, () => abort.abort());
  try {
    for (const [hint, token] of tokens) {
      if (token === undefined) continue;
      const body = new URLSearchParams({ token, token_type_hint: hint });
      const headers = new Headers({ 'content-type': 'application/x-www-form-urlencoded' });
      const server = { issuer: record.issuer };
      await (
        await authentication(client)
      )(server, { client_id: client.clientId }, body, headers);
      const url = new URL(revocationEndpoint);
      await tools.http.post({ url, headers: Object.fromEntries(headers), body: body.toString() }, abort.signal);
    }
  } catch {
    // The token expires anyway.
  } finally {
    timer.dispose();
  }
}

/** Uses the secret from settings, which may have been corrected. */
function clientOf({ client }: TokenRecord, settings: AuthSettings): ClientCredentials {
  const isOwn = settings.clientId !== undefined && settings.clientId === client.clientId;
  return {
    ...client,
    clientSecret: isOwn ? settings.clientSecret : client.clientSecret,
    privateKey: settings.privateKey,
    algorithm: settings.algorithm,
  };
}
