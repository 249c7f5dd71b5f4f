import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import type { AuthSettings, Json, SignInQuestion } from '../../../src/core/index.ts';
import { AuthService } from '../../../src/node/auth/authService.ts';
import { memorySecrets } from '../../../src/node/auth/memorySecrets.ts';
import type { Authorizer } from '../../../src/node/http/authorizer.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { type ProtectedServer, startAuthorizationServer } from '../fixtures/authorizationServer.mjs';
import { ClickingBrowser } from './clickingBrowser.ts';

const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

const CLIENTS = [
  {
    client_id: 'machine',
    client_secret: 'machine-secret-of-the-test',
    grant_types: ['client_credentials'],
    response_types: [],
    redirect_uris: [],
    token_endpoint_auth_method: 'client_secret_basic',
  },
  {
    client_id: 'signing-machine',
    grant_types: ['client_credentials'],
    response_types: [],
    redirect_uris: [],
    token_endpoint_auth_method: 'private_key_jwt',
    jwks: { keys: [{ ...publicKey.export({ format: 'jwk' }), alg: 'ES256', use: 'sig', kid: 'k' }] },
  },
];

suite('signing in at an authorization server as others run it', () => {
  let server: ProtectedServer;
  let browser: ClickingBrowser;
  let service: AuthService;
  let questions: SignInQuestion[];
  let clock: FakeClock;
  let authorizers: Authorizer[];

  suiteSetup(async () => {
    server = await startAuthorizationServer({ clients: CLIENTS });
  });
  suiteTeardown(() => server.close());
  setup(() => {
    browser = new ClickingBrowser();
    questions = [];
    authorizers = [];
    clock = new FakeClock(Date.now());
    server.requests.length = 0;
    service = new AuthService({
      secrets: memorySecrets(),
      clock,
      prompt: {
        consent: (question) => {
          questions.push(question);
          return Promise.resolve(true);
        },
      },
      browser: {
        open: (url) => {
          void browser.visit(url);
          return Promise.resolve(true);
        },
      },
    });
  });
  teardown(() => {
    for (const authorizer of authorizers) authorizer.dispose();
    service.dispose();
  });

  const connect = (settings: Partial<AuthSettings> = {}): Authorizer => {
    const auth = { flow: 'auto', ...settings } as const;
    const authorizer = service.authorizer({
      connection: { kind: 'remote', url: server.mcpUrl, headers: {}, transport: 'http', auth },
      context: { serverId: 'notes', log: { log: () => undefined } },
    });
    assert.ok(authorizer);
    authorizers.push(authorizer);
    return authorizer;
  };
  const call = async (authorizer: Authorizer, name: string): Promise<Json> => {
    const { signal } = new AbortController();
    const url = new URL(server.mcpUrl);
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name } });
    for (let again = 0; again < 8; again++) {
      const headers = await authorizer.headersFor({ method: 'POST', url }, signal);
      const response = await fetch(url, { method: 'POST', headers: { ...headers }, body });
      const reply = { status: response.status, url, headers: Object.fromEntries(response.headers) };
      authorizer.replied(reply);
      if (response.ok) {
        const answer: { readonly result: { readonly content: readonly { readonly text: string }[] } } = JSON.parse(
          await response.text(),
        );
        return answer.result.content[0]?.text ?? '';
      }
      if (!(await authorizer.challenged(reply, signal))) return response.status;
    }
    return 'asked without an end';
  };
  const tokenRequests = (): number => server.requests.filter((request) => request.endsWith('/token')).length;

  test('the user signs in, allows, and later allows more', async () => {
    const authorizer = connect();
    assert.equal(await call(authorizer, 'whoami'), 'alice notes:read');
    assert.equal(await call(authorizer, 'write_note'), 'written');
    assert.equal(await call(authorizer, 'whoami'), 'alice notes:read notes:write');
    assert.deepEqual(browser.titles, ['Sign in', 'Allow access', 'Signed in', 'Allow access', 'Signed in']);
    assert.deepEqual(
      questions.map(({ reason, scopes }) => `${reason}: ${scopes.join(' ')}`),
      ['first: notes:read offline_access', 'moreScopes: notes:read offline_access notes:write'],
    );
  });

  test('the user signs in where the issuer is written with a final slash that the authorization server does not have', async () => {
    const before = server;
    server = await startAuthorizationServer({ isSlashed: true });
    try {
      const authorizer = connect();
      assert.equal(await call(authorizer, 'whoami'), 'alice notes:read');
      assert.deepEqual(browser.titles, ['Sign in', 'Allow access', 'Signed in']);
    } finally {
      await server.close();
      server = before;
    }
  });

  test('the token is renewed quietly, more than once, and taken back in the end', async () => {
    const authorizer = connect();
    assert.equal(await call(authorizer, 'whoami'), 'alice notes:read');
    for (let round = 0; round < 3; round++) {
      await clock.advance(3_580_000);
      assert.equal(await call(authorizer, 'whoami'), 'alice notes:read');
    }
    assert.deepEqual([tokenRequests(), questions.length], [4, 1]);
    const before = await authorizer.headersFor(
      { method: 'POST', url: new URL(server.mcpUrl) },
      new AbortController().signal,
    );
    await service.signOut(server.mcpUrl);
    const response = await fetch(server.mcpUrl, { method: 'POST', headers: { ...before }, body: '{}' });
    assert.equal(response.status, 401);
  });

  test('tokens bound to a key are given and taken', async () => {
    const authorizer = connect({ dpop: 'always' });
    assert.equal(await call(authorizer, 'whoami'), 'alice notes:read');
    const headers = await authorizer.headersFor(
      { method: 'POST', url: new URL(server.mcpUrl) },
      new AbortController().signal,
    );
    assert.match(headers['authorization'] ?? '', /^DPoP /);
    await clock.advance(3_580_000);
    assert.equal(await call(authorizer, 'whoami'), 'alice notes:read');
  });

  test('a machine shows its secret, or signs', async () => {
    const settings = { flow: 'clientCredentials', scopes: ['notes:write'] } as const;
    const secret = connect({ ...settings, clientId: 'machine', clientSecret: 'machine-secret-of-the-test' });
    assert.equal(await call(secret, 'whoami'), 'machine notes:read notes:write');
    const pem = String(privateKey.export({ type: 'pkcs8', format: 'pem' }));
    const signing = connect({ ...settings, clientId: 'signing-machine', privateKey: pem });
    assert.equal(await call(signing, 'whoami'), 'signing-machine notes:read notes:write');
    assert.deepEqual(questions, []);
  });
});
