import {
  type AuthSettings,
  chooseAuthMethod,
  cleanLine,
  type HostError,
  type IdentityProvider,
  isJsonObject,
  judgeAddress,
  signInFailed,
  signInRequired,
  type TokenRecord,
} from '../../core/index.ts';
import { discoverIssuer } from './authDiscovery.ts';
import { named, newRecord, proofKeyFor, type SignInRequest, type SignInTools } from './signInRequest.ts';
import { type ClientCredentials, requestToken, requestTokenDocument, sentSecret } from './tokenEndpoint.ts';

const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const ID_TOKEN = 'urn:ietf:params:oauth:token-type:id_token';
const ID_JAG = 'urn:ietf:params:oauth:token-type:id-jag';

interface Grant {
  readonly grantType: string;
  readonly assertion?: string | undefined;
}

/** Gets a token without the user. Each grant is requested once, and errors are reported. */
export async function signInByMachine(tools: SignInTools, request: SignInRequest): Promise<TokenRecord> {
  const { settings, protection, scopes, signal } = request;
  const { metadata, resource } = protection;
  const client = clientOf(request);
  const proofKey = await proofKeyFor(request);
  const { grantType, assertion } = await grantFor(tools, request);
  const { clientSecret, privateKey } = settings;
  tools.held.add(named({ assertion, clientSecret, privateKey, client: sentSecret(client) }));
  const reply = await requestToken(tools.http, {
    metadata,
    client,
    grantType,
    parameters: { assertion, resource, scope: scopes.length === 0 ? undefined : scopes.join(' ') },
    proofKey,
    signal,
  });
  return newRecord(request, reply, client, proofKey, tools.clock.now());
}

function clientOf({ settings, protection }: SignInRequest): ClientCredentials {
  const { metadata } = protection;
  const { clientId, clientSecret, clientMetadataUrl, privateKey, algorithm, flow } = settings;
  const id = clientId ?? (metadata.takesMetadataUrls ? clientMetadataUrl : undefined);
  // The platform's token identifies the workload.
  if (id === undefined && flow !== 'workloadIdentity') throw missing('clientId');
  if (flow === 'clientCredentials' && clientSecret === undefined && privateKey === undefined)
    throw missing('clientSecret` or `auth.privateKey');
  const authMethod = id === undefined ? 'none' : chooseAuthMethod(metadata, clientSecret, privateKey);
  return { clientId: id ?? '', clientSecret, authMethod, privateKey, algorithm };
}

async function grantFor(tools: SignInTools, request: SignInRequest): Promise<Grant> {
  const { settings } = request;
  switch (settings.flow) {
    case 'enterprise':
      return { grantType: JWT_BEARER, assertion: await exchangeIdentity(tools, request) };
    case 'workloadIdentity':
      if (settings.assertion === undefined) throw missing('assertion');
      return { grantType: JWT_BEARER, assertion: settings.assertion };
    case 'clientCredentials':
    case 'auto':
    case 'off':
      return { grantType: 'client_credentials' };
  }
}

/** Exchanges the user's identity token for a grant at this server (RFC 8693; ID-JAG). */
async function exchangeIdentity(tools: SignInTools, request: SignInRequest): Promise<string> {
  const { settings, protection, scopes, signal } = request;
  const provider = settings.identityProvider;
  if (provider === undefined) throw missing('identityProvider');
  const { clientId = '', clientSecret } = provider;
  const client = sentSecret({ clientId, clientSecret });
  tools.held.add(named({ idToken: provider.idToken, clientSecret, client }));
  const metadata = await providerMetadata(tools, request, provider);
  const document = await requestTokenDocument(tools.http, {
    metadata,
    client: {
      clientId: provider.clientId ?? '',
      clientSecret: provider.clientSecret,
      authMethod: provider.clientSecret === undefined ? 'none' : 'client_secret_basic',
    },
    grantType: TOKEN_EXCHANGE,
    parameters: {
      subject_token: provider.idToken,
      subject_token_type: ID_TOKEN,
      requested_token_type: ID_JAG,
      audience: protection.metadata.issuer,
      resource: protection.resource,
      scope: scopes.length === 0 ? undefined : scopes.join(' '),
    },
    signal,
  });
  const { access_token: grant, issued_token_type: type } = isJsonObject(document) ? document : {};
  if (typeof grant === 'string' && grant !== '' && type === ID_JAG) {
    tools.held.add(named({ grant }));
    return grant;
  }
  throw signInFailed(
    `The identity provider ${cleanLine(metadata.issuer, 200)} gave no grant for the server.`,
    'Ask who runs the identity provider to allow this server.',
    'no_grant',
  );
}

async function providerMetadata(
  tools: SignInTools,
  request: SignInRequest,
  { issuer, tokenEndpoint }: IdentityProvider,
): Promise<{ readonly issuer: string; readonly tokenEndpoint: string }> {
  if (tokenEndpoint === undefined) {
    if (issuer === undefined) throw missing('identityProvider.issuer');
    return discoverIssuer(tools.http, issuer, request);
  }
  const verdict = judgeAddress(tokenEndpoint, new URL('http://localhost'));
  if ('url' in verdict) return { issuer: issuer ?? verdict.url.origin, tokenEndpoint };
  throw signInFailed(
    `The token endpoint of the identity provider ${verdict.refusal}.`,
    "Correct `auth.identityProvider` in the server's settings.",
  );
}

function missing(key: string): HostError {
  return signInRequired(
    `The server asks for a token, and its settings lack \`auth.${key}\`.`,
    "Add it in the server's settings.",
  );
}

/** Whether these settings send credentials that belong to a single issuer. */
export function bindsCredentials({ flow, clientId }: AuthSettings): boolean {
  return flow !== 'auto' || clientId !== undefined;
}
