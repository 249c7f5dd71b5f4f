import * as oauth from 'oauth4webapi';
import {
  type AuthorizationResponse,
  authorizationUrl,
  chooseAuthMethod,
  chooseClient,
  decodeRegistration,
  isHostError,
  judgeResponse,
  oauthFailure,
  type Registration,
  registrationRequest,
  type ResponseVerdict,
  signInFailed,
  signInRefusal,
  signInRequired,
  type TokenRecord,
} from '../../core/index.ts';
import { type Farewell, RedirectListener } from './redirectListener.ts';
import { named, newRecord, proofKeyFor, type SignInRequest, type SignInTools, withToken } from './signInRequest.ts';
import { type ClientCredentials, refusal, requestToken, sentSecret } from './tokenEndpoint.ts';

const AUTHOR = 'Report this to the author of the server.';

/** Browser sign-in: authorization code with PKCE (OAuth 2.1), for one resource (RFC 8707). */
export async function signInByUser(tools: SignInTools, request: SignInRequest): Promise<TokenRecord> {
  const { protection, settings } = request;
  const { metadata, found } = protection;
  const problem = signInRefusal(metadata, found);
  if (problem !== undefined) throw signInFailed(`The authorization server ${metadata.issuer} ${problem}.`, AUTHOR);
  const proofKey = await proofKeyFor(request);
  // If the authorization server is only assumed, check that it exists before asking the user.
  if (found !== 'assumed') await askConsent(tools, request);
  const registration = await tools.store.registration(metadata.issuer);
  const listener = await RedirectListener.open({ clock: tools.clock, port: portOf(registration) });
  try {
    const redirectUri = (await tools.browser.externalUri?.(listener.redirectUri)) ?? listener.redirectUri;
    const client = await findClient(tools, request, registration, redirectUri);
    tools.held.add(named({ client: sentSecret(client) }));
    if (found === 'assumed') await askConsent(tools, request);
    const code = await fetchCode(tools, request, listener, client, redirectUri);
    const reply = await requestToken(tools.http, {
      metadata,
      client: { ...client, privateKey: settings.privateKey, algorithm: settings.algorithm },
      grantType: 'authorization_code',
      parameters: {
        code: code.code,
        redirect_uri: redirectUri,
        code_verifier: code.verifier,
        resource: protection.resource,
      },
      proofKey,
      signal: request.signal,
    });
    return newRecord(request, reply, client, proofKey, tools.clock.now());
  } catch (error) {
    // The authorization server no longer knows the client, so register again next time.
    const isForgotten = isHostError(error, 'SIGN_IN_FAILED') && error.category === 'invalid_client';
    if (isForgotten && settings.clientId === undefined) await tools.store.forgetRegistration(metadata.issuer);
    throw error;
  } finally {
    listener.close();
  }
}

export async function askConsent(tools: SignInTools, request: SignInRequest): Promise<void> {
  const { serverId, reason, protection, scopes, signal } = request;
  const question = {
    server: serverId,
    reason,
    resource: protection.resource,
    issuer: protection.metadata.issuer,
    scopes,
  };
  if (await withToken(signal, (token) => tools.prompt.consent(question, token))) return;
  throw signInRequired('The server needs sign-in, which was declined.', 'Start the server again to sign in.');
}

/** The port of the registered redirect address, which some servers compare. */
function portOf(registration: Registration | undefined): number | undefined {
  const port = /^http:\/\/(?:127\.0\.0\.1|localhost):(\d{1,5})\//.exec(registration?.redirectUri ?? '')?.[1];
  return port === undefined ? undefined : Number(port);
}

async function findClient(
  tools: SignInTools,
  request: SignInRequest,
  registration: Registration | undefined,
  redirectUri: string,
): Promise<ClientCredentials> {
  const { settings, protection, scopes } = request;
  const { metadata } = protection;
  const now = tools.clock.now();
  const choice = chooseClient({ settings, metadata, registration, redirectUri, scopes, now });
  switch (choice.kind) {
    case 'client':
      return choice.client;
    case 'register':
      return register(tools, request, choice.endpoint, redirectUri);
    case 'ask': {
      const question = { server: request.serverId, issuer: metadata.issuer, redirectUri };
      const entered = await withToken(request.signal, async (token) => tools.prompt.askClient?.(question, token));
      if (entered !== undefined) {
        tools.held.add(named({ clientSecret: entered.clientSecret }));
        const authMethod = chooseAuthMethod(metadata, entered.clientSecret, undefined);
        return { clientId: entered.clientId, clientSecret: entered.clientSecret, authMethod };
      }
      throw signInRequired(
        `${metadata.issuer} only signs in clients that were registered with it beforehand.`,
        "Register one there, and put its id into `auth.clientId` in the server's settings.",
      );
    }
  }
}

async function register(
  tools: SignInTools,
  { protection, scopes, signal, log }: SignInRequest,
  endpoint: string,
  redirectUri: string,
): Promise<ClientCredentials> {
  const { metadata, found } = protection;
  const reply = await tools.http.post(
    {
      url: new URL(endpoint),
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(registrationRequest(metadata, redirectUri, scopes)),
    },
    signal,
  );
  const isTaken = reply.status >= 200 && reply.status < 300;
  if (!isTaken && found === 'assumed')
    throw signInRequired(
      'The server asks for credentials and does not say where to sign in.',
      "Put a token into `headers` in the server's settings.",
    );
  if (!isTaken) throw refusal(`${metadata.issuer} did not register this client`, reply);
  const decoded = decodeRegistration(reply.json, metadata, redirectUri, scopes);
  if ('problem' in decoded) throw signInFailed(`The registration by ${metadata.issuer} ${decoded.problem}.`, AUTHOR);
  await tools.store.saveRegistration(metadata.issuer, decoded.value);
  log.log('info', `Sign-in: registered with ${metadata.issuer}.`);
  return decoded.value;
}

interface FetchedCode {
  readonly code: string;
  readonly verifier: string;
}

async function fetchCode(
  tools: SignInTools,
  request: SignInRequest,
  listener: RedirectListener,
  client: ClientCredentials,
  redirectUri: string,
): Promise<FetchedCode> {
  const { metadata, resource } = request.protection;
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  tools.held.add(named({ verifier, state }));
  const url = authorizationUrl({
    endpoint: metadata.authorizationEndpoint ?? '',
    clientId: client.clientId,
    redirectUri,
    scopes: request.scopes,
    state,
    codeChallenge: await oauth.calculatePKCECodeChallenge(verifier),
    resource,
  });
  const verdict = await browse(tools, request, listener, { url, state });
  switch (verdict.kind) {
    case 'code':
      tools.held.add(named({ code: verdict.code }));
      return { code: verdict.code, verifier };
    case 'error':
      throw oauthFailure(`${metadata.issuer} did not sign in`, verdict.error, verdict.description);
    case 'wrongIssuer':
      throw signInFailed(
        `The answer to the sign-in did not come from ${metadata.issuer}.`,
        'Do not sign in at this server before its author has explained this.',
        'wrong_issuer',
      );
    case 'empty':
      throw signInFailed(`The answer of ${metadata.issuer} holds no code.`, 'Try again.', 'empty_response');
  }
}

/** Opens the browser and waits for the redirect. Stops waiting if the browser cannot be opened. */
async function browse(
  tools: SignInTools,
  { protection, signal, log }: SignInRequest,
  listener: RedirectListener,
  { url, state }: { readonly url: string; readonly state: string },
): Promise<ResponseVerdict> {
  const unsent = new AbortController();
  const either = AbortSignal.any([signal, unsent.signal]);
  const answered = listener.answer(state, either, (response) => judge(response, protection));
  const opened = tools.browser.open(url).then((isOpen) => {
    if (!isOpen) throw signInRequired('The browser was not opened.', 'Start the server again to sign in.');
    log.log('info', `Sign-in: waiting for the browser to come back from ${protection.metadata.issuer}.`);
    return answered;
  });
  try {
    return await Promise.race([answered, opened]);
  } finally {
    unsent.abort();
  }
}

function judge(
  response: AuthorizationResponse,
  { metadata }: SignInRequest['protection'],
): { readonly outcome: ResponseVerdict; readonly farewell: Farewell } {
  const outcome = judgeResponse(response, metadata);
  return { outcome, farewell: farewell(outcome) };
}

/** Shows no text from a wrong issuer (RFC 9207 §2.4). */
function farewell(verdict: ResponseVerdict): Farewell {
  switch (verdict.kind) {
    case 'code':
      return { isGood: true, text: 'The server is being connected.' };
    case 'error':
      return {
        isGood: false,
        text: `The sign-in ended with ${verdict.error}: ${verdict.description ?? 'no reason given'}`,
      };
    case 'wrongIssuer':
    case 'empty':
      return { isGood: false, text: 'The answer is not one to the sign-in that was begun.' };
  }
}
