import assert from 'node:assert/strict';
import { judgeResponse, authorizationUrl } from '../../../../src/core/auth/authorizationResponse.ts';
import { type ChallengeSituation, isHopeless, planChallenge } from '../../../../src/core/auth/challengePlan.ts';
import {
  chooseAuthMethod,
  chooseClient,
  decodeRegistration,
  type Registration,
  registrationRequest,
} from '../../../../src/core/auth/client.ts';
import { chooseScopes, type ScopeSources } from '../../../../src/core/auth/scopes.ts';
import { assumedMetadata, type ServerMetadata } from '../../../../src/core/auth/serverMetadata.ts';
import type { AuthSettings } from '../../../../src/core/model/auth.ts';

const bearer = { demandsProof: false, resourceMetadata: undefined, scopes: undefined, error: undefined };

suite('what follows from a challenge', () => {
  const plan = (given: Partial<ChallengeSituation>): string => {
    const planned = planChallenge({
      status: 401,
      challenge: bearer,
      flow: 'auto',
      hasStaticHeader: false,
      token: undefined,
      renewals: 0,
      repeats: 0,
      ...given,
    });
    switch (planned.kind) {
      case 'renew':
        return `renew${planned.refresh ? ' quietly' : ''} ${planned.scopes?.join(' ') ?? '-'}`;
      case 'fail':
        return `fail ${planned.why}`;
      default:
        return planned.kind;
    }
  };
  const old = { wasSent: 'yes', age: 60_000, requested: ['a'] } as const;
  const stepUp = { ...bearer, error: 'insufficient_scope', scopes: ['b'] };
  const CASES: readonly (readonly [name: string, decide: () => string, expected: string])[] = [
    ['no token yet', () => plan({}), 'renew -'],
    ['no token and no challenge', () => plan({ challenge: undefined }), 'renew -'],
    ['no token, scopes named', () => plan({ challenge: { ...bearer, scopes: ['x', 'y'] } }), 'renew x y'],
    ['an old token', () => plan({ token: old }), 'renew quietly -'],
    ['a young token', () => plan({ token: { ...old, age: 10 } }), 'renew -'],
    ['a token that was not sent', () => plan({ token: { ...old, wasSent: 'no' } }), 'repeat'],
    [
      'a young token that may not have been sent',
      () => plan({ token: { ...old, age: 10, wasSent: 'unknown' } }),
      'repeat',
    ],
    ['the same, once too often', () => plan({ token: { ...old, age: 10, wasSent: 'unknown' }, repeats: 2 }), 'renew -'],
    ['a nonce is wanted', () => plan({ challenge: { ...bearer, error: 'use_dpop_nonce' }, token: old }), 'repeat'],
    ['more rights are wanted', () => plan({ status: 403, challenge: stepUp, token: old }), 'renew b'],
    [
      'rights that were asked for',
      () => plan({ status: 403, challenge: stepUp, token: { ...old, requested: ['b'] } }),
      'fail refusedScopes',
    ],
    [
      'rights that nobody names',
      () => plan({ status: 403, challenge: { ...stepUp, scopes: undefined }, token: old }),
      'fail refusedScopes',
    ],
    [
      'rights, by a request without the token',
      () => plan({ status: 403, challenge: stepUp, token: { ...old, wasSent: 'no' } }),
      'repeat',
    ],
    ['forbidden for another reason', () => plan({ status: 403 }), 'tell'],
    ['forbidden without a challenge', () => plan({ status: 403, challenge: undefined }), 'tell'],
    ['a header of the settings', () => plan({ hasStaticHeader: true }), 'fail staticHeader'],
    [
      'a header of the settings, too few rights',
      () => plan({ status: 403, challenge: stepUp, hasStaticHeader: true }),
      'tell',
    ],
    ['switched off', () => plan({ flow: 'off' }), 'fail switchedOff'],
    ['switched off, too few rights', () => plan({ flow: 'off', status: 403, challenge: stepUp }), 'tell'],
    ['the third renewal was in vain', () => plan({ renewals: 3, token: old }), 'fail tooOften'],
    ['too many repeats', () => plan({ repeats: 8, token: { ...old, wasSent: 'no' } }), 'fail tooOften'],
  ];
  for (const [name, decide, expected] of CASES) test(name, () => assert.equal(decide(), expected));

  test('a young token of the same issuer is not worth replacing', () => {
    const held = [undefined, old, { ...old, age: 10 }, { ...old, age: 10, wasSent: 'no' }] as const;
    assert.deepEqual(held.map(isHopeless), [false, false, true, false]);
  });

  test('whatever a server answers, a request ends', () => {
    for (const challenge of [bearer, stepUp, { ...bearer, error: 'use_dpop_nonce' }])
      for (const wasSent of ['yes', 'no', 'unknown'] as const) {
        let [renewals, repeats, steps] = [0, 0, 0];
        for (; steps < 100; steps++) {
          const token = { wasSent, age: 60_000, requested: [] };
          const next = planChallenge({
            status: 401,
            challenge,
            flow: 'auto',
            hasStaticHeader: false,
            token,
            renewals,
            repeats,
          });
          if (next.kind === 'fail' || next.kind === 'tell') break;
          if (next.kind === 'renew') [renewals, repeats] = [renewals + 1, 0];
          else repeats++;
        }
        assert.ok(steps <= 33, `${wasSent} ${challenge.error} took ${steps}`);
      }
  });
});

suite('an answer to a sign-in', () => {
  const ISSUER = 'https://auth.example.com';
  const judge = (sendsIssuer: boolean, response: Partial<Parameters<typeof judgeResponse>[0]>): string => {
    const all = { code: undefined, iss: undefined, error: undefined, errorDescription: undefined, ...response };
    const verdict = judgeResponse(all, { issuer: ISSUER, sendsIssuer });
    return verdict.kind === 'code'
      ? `code ${verdict.code}`
      : verdict.kind === 'error'
        ? `error ${verdict.error}`
        : verdict.kind;
  };
  const CASES: readonly (readonly [name: string, decide: () => string, expected: string])[] = [
    ['announced and right', () => judge(true, { code: 'c', iss: ISSUER }), 'code c'],
    ['announced and absent', () => judge(true, { code: 'c' }), 'wrongIssuer'],
    ['announced and wrong', () => judge(true, { code: 'c', iss: 'https://evil.example' }), 'wrongIssuer'],
    ['announced, a slash more', () => judge(true, { code: 'c', iss: `${ISSUER}/` }), 'wrongIssuer'],
    ['announced, other case', () => judge(true, { code: 'c', iss: 'https://Auth.example.com' }), 'wrongIssuer'],
    ['announced, the default port', () => judge(true, { code: 'c', iss: `${ISSUER}:443` }), 'wrongIssuer'],
    ['not announced, right', () => judge(false, { code: 'c', iss: ISSUER }), 'code c'],
    ['not announced, wrong', () => judge(false, { code: 'c', iss: 'https://evil.example' }), 'wrongIssuer'],
    ['not announced, absent', () => judge(false, { code: 'c' }), 'code c'],
    ['an error of the right issuer', () => judge(true, { error: 'access_denied', iss: ISSUER }), 'error access_denied'],
    [
      'an error of another issuer',
      () => judge(false, { error: 'access_denied', iss: 'https://evil.example' }),
      'wrongIssuer',
    ],
    ['an error of nobody', () => judge(true, { error: 'access_denied' }), 'wrongIssuer'],
    ['an error beside a code', () => judge(false, { error: 'access_denied', code: 'c' }), 'error access_denied'],
    ['nothing', () => judge(false, {}), 'empty'],
  ];
  for (const [name, decide, expected] of CASES) test(name, () => assert.equal(decide(), expected));

  test('the page to which the user is sent', () => {
    const request = {
      endpoint: 'https://auth.example.com/authorize?tenant=1#top',
      clientId: 'https://client.example/c.json',
      redirectUri: 'http://127.0.0.1:5/callback',
      state: 's&t',
      codeChallenge: 'x',
      resource: 'https://mcp.example.com',
    };
    assert.equal(
      authorizationUrl({ ...request, scopes: ['a', 'offline_access'] }),
      'https://auth.example.com/authorize?tenant=1&response_type=code&client_id=https%3A%2F%2Fclient.example%2Fc.json' +
        '&redirect_uri=http%3A%2F%2F127.0.0.1%3A5%2Fcallback&scope=a%20offline_access&state=s%26t&code_challenge=x' +
        '&code_challenge_method=S256&resource=https%3A%2F%2Fmcp.example.com&prompt=consent',
    );
    const bare = authorizationUrl({ ...request, endpoint: 'https://a.example/', scopes: [] });
    assert.doesNotMatch(bare, /scope=|prompt=/);
    const opened = (endpoint: string): string => authorizationUrl({ ...request, endpoint, scopes: [] }).slice(0, 70);
    // The browser gets the parsed address, with each parameter once.
    assert.equal(
      opened('\nhttps://a.example\\x"y z?client_id=evil&k=1'),
      'https://a.example/x%22y%20z?k=1&response_type=code&client_id=https%3A%',
    );
    assert.equal(
      opened('https://a.example/?#x'),
      'https://a.example/?response_type=code&client_id=https%3A%2F%2Fclient.e',
    );
    assert.throws(() => opened('a.example'), /Invalid URL/);
  });
});

suite('scopes', () => {
  const choose = (given: Partial<ScopeSources>): string =>
    chooseScopes({
      challenged: undefined,
      ofResource: undefined,
      ofIssuer: undefined,
      fromSettings: [],
      before: [],
      ...given,
    }).join(' ');
  const CASES: readonly (readonly [name: string, decide: () => string, expected: string])[] = [
    ['the challenge comes first', () => choose({ challenged: ['x'], ofResource: ['a', 'b'] }), 'x'],
    ['then all that the server supports', () => choose({ ofResource: ['a', 'b'] }), 'a b'],
    ['then nothing', () => choose({}), ''],
    ['a challenge that names none is an answer', () => choose({ challenged: [], ofResource: ['a'] }), ''],
    ['the settings add theirs', () => choose({ challenged: ['x'], fromSettings: ['s', 'x'] }), 'x s'],
    ['nothing that was asked for is lost', () => choose({ challenged: ['w'], before: ['r'] }), 'r w'],
    [
      'once asked, the list of the server is not asked for again',
      () => choose({ ofResource: ['a', 'b'], before: ['r'] }),
      'r',
    ],
    [
      'access while away where it is offered',
      () => choose({ challenged: ['x'], ofIssuer: ['x', 'offline_access'] }),
      'x offline_access',
    ],
    ['not where it is not', () => choose({ challenged: ['x'], ofIssuer: ['x'] }), 'x'],
    ['not on its own', () => choose({ ofIssuer: ['offline_access'] }), ''],
  ];
  for (const [name, decide, expected] of CASES) test(name, () => assert.equal(decide(), expected));
});

suite('clients', () => {
  const REDIRECT = 'http://127.0.0.1:5/callback';
  const metadata = (given: Partial<ServerMetadata> = {}): ServerMetadata => ({
    ...assumedMetadata(new URL('https://auth.example.com')),
    ...given,
  });
  const registration: Registration = { clientId: 'r', authMethod: 'none', redirectUri: REDIRECT, scopes: ['a'] };
  const choose = (
    settings: Partial<AuthSettings>,
    given: Partial<ServerMetadata> = {},
    registered: Registration | undefined = undefined,
    scopes: readonly string[] = ['a'],
  ): string => {
    const sources = { metadata: metadata(given), registration: registered, redirectUri: REDIRECT, scopes, now: 1_000 };
    const choice = chooseClient({ settings: { flow: 'auto', ...settings }, ...sources });
    return choice.kind === 'client'
      ? `${choice.from} ${choice.client.clientId} ${choice.client.authMethod}`
      : choice.kind;
  };
  const CIMD = 'https://client.example/c.json';
  const CASES: readonly (readonly [name: string, decide: () => string, expected: string])[] = [
    [
      'the settings first',
      () => choose({ clientId: 'c', clientMetadataUrl: CIMD }, { takesMetadataUrls: true }, registration),
      'settings c none',
    ],
    [
      'then its own document',
      () => choose({ clientMetadataUrl: CIMD }, { takesMetadataUrls: true }, registration),
      `metadataUrl ${CIMD} none`,
    ],
    ['which not everybody reads', () => choose({ clientMetadataUrl: CIMD }, {}, registration), 'registration r none'],
    ['then a new registration', () => choose({}), 'register'],
    ['then the person', () => choose({}, { registrationEndpoint: undefined }), 'ask'],
    [
      'a registration for another port',
      () => choose({}, {}, { ...registration, redirectUri: 'http://127.0.0.1:6/callback' }),
      'register',
    ],
    ['a registration for fewer scopes', () => choose({}, {}, registration, ['a', 'b']), 'register'],
    ['a registration that has ended', () => choose({}, {}, { ...registration, expiresAt: 1_000 }), 'register'],
    ['a registration that has not', () => choose({}, {}, { ...registration, expiresAt: 1_001 }), 'registration r none'],
  ];
  for (const [name, decide, expected] of CASES) test(name, () => assert.equal(decide(), expected));

  const METHODS: readonly (readonly [readonly string[] | undefined, string | undefined, string | undefined, string])[] =
    [
      [undefined, undefined, undefined, 'none'],
      [undefined, 's', undefined, 'client_secret_basic'],
      [['client_secret_post'], 's', undefined, 'client_secret_post'],
      [['client_secret_post', 'client_secret_basic'], 's', undefined, 'client_secret_basic'],
      [['none'], 's', undefined, 'none'],
      [['tls_client_auth'], 's', undefined, 'client_secret_basic'],
      [['client_secret_basic'], undefined, undefined, 'none'],
      [['private_key_jwt', 'client_secret_basic'], 's', 'key', 'private_key_jwt'],
      [['client_secret_basic'], 's', 'key', 'client_secret_basic'],
      [undefined, undefined, 'key', 'private_key_jwt'],
    ];
  for (const [methods, secret, key, expected] of METHODS)
    test(`authenticates by ${expected} where ${methods?.join(', ') ?? 'nothing'} is taken and there is ${secret ?? key ?? 'nothing'}`, () =>
      assert.equal(chooseAuthMethod(metadata({ tokenAuthMethods: methods }), secret, key), expected));

  test('asks to be registered as a native client, without a secret if possible', () => {
    assert.deepEqual(registrationRequest(metadata(), REDIRECT, ['a', 'b']), {
      client_name: 'MCP Live',
      redirect_uris: [REDIRECT],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      application_type: 'native',
      scope: 'a b',
    });
    const strict = registrationRequest(metadata({ tokenAuthMethods: ['client_secret_post'] }), REDIRECT, []);
    assert.equal(strict['token_endpoint_auth_method'], 'client_secret_post');
    assert.equal('scope' in strict, false);
  });

  test('takes what was registered, not what was asked for', () => {
    const decode = (document: Parameters<typeof decodeRegistration>[0]) =>
      decodeRegistration(document, metadata(), REDIRECT, ['a']);
    assert.deepEqual(
      decode({
        client_id: 'i',
        client_secret: 's',
        client_secret_expires_at: 7,
        token_endpoint_auth_method: 'client_secret_post',
      }),
      {
        value: {
          clientId: 'i',
          clientSecret: 's',
          authMethod: 'client_secret_post',
          redirectUri: REDIRECT,
          scopes: ['a'],
          expiresAt: 7_000,
        },
      },
    );
    assert.deepEqual(decode({ client_id: 'i', client_secret_expires_at: 0 }), {
      value: {
        clientId: 'i',
        clientSecret: undefined,
        authMethod: 'none',
        redirectUri: REDIRECT,
        scopes: ['a'],
        expiresAt: undefined,
      },
    });
    assert.deepEqual(decode({ client_id: '' }), { problem: 'has no client_id' });
    assert.deepEqual(decode('no'), { problem: 'is not a JSON object' });
    assert.deepEqual(decode({ client_id: 'i', token_endpoint_auth_method: 'client_secret_basic' }), {
      problem: 'demands client_secret_basic and gives no client_secret',
    });
  });
});
