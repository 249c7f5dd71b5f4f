import assert from 'node:assert/strict';
import { createHash, createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import type { AuthSettings } from '../../../src/core/index.ts';
import { AuthWorld, json, type Page, Site, type Visit } from './authWorld.ts';
import { outcomeText } from './outcomeText.ts';

interface Jwt {
  readonly header: Record<string, unknown>;
  readonly payload: Record<string, unknown>;
}

const part = (text: string | undefined): Record<string, unknown> =>
  JSON.parse(Buffer.from(text ?? '', 'base64url').toString());

function decodeJwt(jwt: string): Jwt {
  const [header, payload] = jwt.split('.');
  return { header: part(header), payload: part(payload) };
}

suite('tokens without the user', () => {
  let world: AuthWorld;
  let forms: Record<string, string>[];
  let headers: (string | undefined)[];
  setup(async () => {
    world = await AuthWorld.open();
    forms = [];
    headers = [];
    const answer = world.auth.pages['/token'];
    world.auth.pages['/token'] = (visit) => {
      forms.push(Object.fromEntries(visit.form));
      headers.push(visit.request.headers.authorization);
      answer?.(visit);
    };
  });
  teardown(() => world.close());

  const plain = (text: string): string =>
    text.replaceAll(world.mcp.origin, 'MCP').replaceAll(world.auth.origin, 'AUTH');
  const metadata = (members: Record<string, unknown>): void =>
    void (world.auth.pages['/.well-known/oauth-authorization-server'] = json(world.metadata(members)));
  const ask = (settings: Partial<AuthSettings>): Promise<number> => world.ask(world.authorizer({ settings }));
  const CLIENT = { flow: 'clientCredentials', clientId: 'id with:colon', clientSecret: 's%/ü' } as const;

  test('client credentials by basic authentication, encoded as forms are', async () => {
    assert.equal(await ask({ ...CLIENT, scopes: ['a', 'b'] }), 200);
    assert.deepEqual(forms, [{ grant_type: 'client_credentials', resource: world.server, scope: 'a b' }]);
    assert.equal(Buffer.from((headers[0] ?? '').slice(6), 'base64').toString(), 'id+with%3Acolon:s%25%2F%C3%BC');
    assert.deepEqual([world.questions, world.opened], [[], []]);
  });

  test('client credentials in the form where only that is taken', async () => {
    metadata({ token_endpoint_auth_methods_supported: ['client_secret_post'] });
    assert.equal(await ask(CLIENT), 200);
    assert.deepEqual(
      [forms[0]?.['client_id'], forms[0]?.['client_secret'], headers[0]],
      [CLIENT.clientId, CLIENT.clientSecret, undefined],
    );
  });

  test('a new token when the old one has ended', async () => {
    world.tokens.splice(0, 1, { access_token: 'access-1', expires_in: 60 }, { access_token: 'access-2' });
    const authorizer = world.authorizer({ settings: CLIENT });
    await world.ask(authorizer);
    await world.clock.advance(60_000);
    assert.equal(await world.ask(authorizer), 200);
    assert.equal(world.mcp.visits.at(-1), 'POST /mcp Bearer access-2');
  });

  for (const [name, make] of [
    ['an elliptic curve, as PEM', () => generateKeyPairSync('ec', { namedCurve: 'P-256' })],
    ['RSA, as JWK', () => generateKeyPairSync('rsa', { modulusLength: 2048 })],
    ['Ed25519, as PEM', () => generateKeyPairSync('ed25519')],
  ] as const)
    test(`a key of ${name} signs for the client`, async () => {
      metadata({ token_endpoint_auth_methods_supported: ['private_key_jwt'] });
      const { privateKey, publicKey } = make();
      const isJwk = name.includes('JWK');
      const text = isJwk
        ? JSON.stringify({ ...privateKey.export({ format: 'jwk' }), kid: 'k1', alg: 'PS256' })
        : String(privateKey.export({ type: 'pkcs8', format: 'pem' }));
      assert.equal(await ask({ flow: 'clientCredentials', clientId: 'c', privateKey: text }), 200);
      const assertion = forms[0]?.['client_assertion'] ?? '';
      const { header, payload } = decodeJwt(assertion);
      assert.equal(forms[0]?.['client_assertion_type'], 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer');
      assert.deepEqual([payload['iss'], payload['sub'], payload['aud']], ['c', 'c', world.auth.origin]);
      assert.equal(header['kid'], isJwk ? 'k1' : undefined);
      const [head, body, signature = ''] = assertion.split('.');
      const key = {
        key: publicKey,
        dsaEncoding: 'ieee-p1363',
        ...(isJwk ? { padding: 6, saltLength: 32 } : {}),
      } as const;
      const hash = name.startsWith('Ed') ? null : 'sha256';
      assert.ok(verify(hash, Buffer.from(`${head}.${body}`), key, Buffer.from(signature, 'base64url')));
    });

  test('an invalid key is reported, without showing it', async () => {
    const message = await outcomeText(ask({ flow: 'clientCredentials', clientId: 'c', privateKey: 'my-private-key' }));
    assert.equal(
      message,
      "SIGN_IN_FAILED The private key in the settings is neither a PEM text nor a JWK. | Correct `auth.privateKey` in the server's settings.",
    );
    assert.match(
      await outcomeText(ask({ flow: 'clientCredentials', clientId: 'c' })),
      /lack `auth\.clientSecret` or `auth\.privateKey`/,
    );
  });

  test('a platform identifies the workload, once', async () => {
    assert.equal(await ask({ flow: 'workloadIdentity', assertion: 'jwt-of-platform' }), 200);
    assert.deepEqual(forms, [
      {
        grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
        assertion: 'jwt-of-platform',
        resource: world.server,
      },
    ]);
    assert.equal(world.service.redact('jwt-of-platform'), '[secret: assertion]');
    await world.service.signOut(world.server);
    world.tokens.splice(0, 1, { error: 'invalid_grant', error_description: 'expired' });
    const authorizer = world.authorizer({ settings: { flow: 'workloadIdentity', assertion: 'jwt-of-platform' } });
    for (let round = 0; round < 2; round++)
      assert.equal(
        plain(await outcomeText(world.ask(authorizer))),
        'SIGN_IN_FAILED AUTH gave no token (invalid_grant: expired). | Sign in again.',
      );
    assert.equal(forms.length, 2);
  });

  suite('by an identity provider', () => {
    let idp: Site;
    let exchange: Visit | undefined;
    setup(async () => {
      idp = await Site.open();
      exchange = undefined;
      idp.pages['/.well-known/openid-configuration'] = json({
        issuer: idp.origin,
        token_endpoint: `${idp.origin}/token`,
      });
      idp.pages['/token'] = (visit) => {
        exchange = visit;
        json({
          access_token: 'grant-of-provider',
          issued_token_type: 'urn:ietf:params:oauth:token-type:id-jag',
          token_type: 'N_A',
        })(visit);
      };
    });
    teardown(() => idp.close());

    const settings = (): Partial<AuthSettings> => ({
      flow: 'enterprise',
      clientId: 'c',
      clientSecret: 'client-secret',
      identityProvider: { issuer: idp.origin, clientId: 'at-idp', idToken: 'token-of-person' },
    });

    test('an identity becomes a grant for this server, and that a token', async () => {
      assert.equal(await ask(settings()), 200);
      assert.deepEqual(Object.fromEntries(exchange?.form ?? []), {
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        client_id: 'at-idp',
        subject_token: 'token-of-person',
        subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
        requested_token_type: 'urn:ietf:params:oauth:token-type:id-jag',
        audience: world.auth.origin,
        resource: world.server,
      });
      assert.deepEqual(forms, [
        {
          grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
          assertion: 'grant-of-provider',
          resource: world.server,
        },
      ]);
      assert.equal(world.service.redact('token-of-person grant-of-provider'), '[secret: idToken] [secret: grant]');
    });

    const REFUSED: readonly (readonly [string, Page, RegExp])[] = [
      ['refuses', json({ error: 'access_denied' }, 403), /gave no token \(access_denied\)/],
      [
        'gives something else',
        json({ access_token: 'x', issued_token_type: 'urn:ietf:params:oauth:token-type:access_token' }),
        /gave no grant for the server/,
      ],
      ['talks no JSON', ({ response }) => void response.end('hello'), /gave no grant for the server/],
    ];
    for (const [name, page, expected] of REFUSED)
      test(`nothing is asked of the server's own when the provider ${name}`, async () => {
        idp.pages['/token'] = page;
        assert.match(await outcomeText(ask(settings())), expected);
        assert.deepEqual(forms, []);
      });
  });
});

suite('tokens bound to a key', () => {
  let world: AuthWorld;
  let proofs: Jwt[];
  setup(async () => {
    world = await AuthWorld.open();
    proofs = [];
    world.auth.pages['/.well-known/oauth-authorization-server'] = json(
      world.metadata({ dpop_signing_alg_values_supported: ['ES256'] }),
    );
    world.tokens.splice(0, 1, { access_token: 'access-1', token_type: 'DPoP' });
    for (const [site, path] of [
      [world.auth, '/token'],
      [world.mcp, '/mcp'],
    ] as const) {
      const before = site.pages[path];
      site.pages[path] = (visit) => {
        const { dpop } = visit.request.headers;
        if (typeof dpop === 'string') proofs.push(checkProof(dpop));
        before?.(visit);
      };
    }
  });
  teardown(() => world.close());

  const checkProof = (proof: string): Jwt => {
    const jwt = decodeJwt(proof);
    const key = createPublicKey({ key: jwt.header['jwk'] as never, format: 'jwk' });
    const [head, body, signature = ''] = proof.split('.');
    assert.ok(
      verify(
        'sha256',
        Buffer.from(`${head}.${body}`),
        { key, dsaEncoding: 'ieee-p1363' },
        Buffer.from(signature, 'base64url'),
      ),
    );
    assert.equal((jwt.header['jwk'] as Record<string, unknown>)['d'], undefined);
    return jwt;
  };
  const claims = (name: string): readonly unknown[] => proofs.map(({ payload }) => payload[name]);

  test('are asked for where the server wants no others, with a fresh proof each time', async () => {
    world.mcp.pages['/.well-known/oauth-protected-resource/mcp'] = json({
      resource: world.server,
      authorization_servers: [world.auth.origin],
      dpop_bound_access_tokens_required: true,
    });
    const authorizer = world.authorizer();
    await world.ask(authorizer);
    assert.equal(await world.ask(authorizer), 200);
    const ath = createHash('sha256').update('access-1').digest('base64url');
    assert.deepEqual(claims('htu'), [`${world.auth.origin}/token`, world.server, world.server]);
    assert.deepEqual(claims('ath'), [undefined, ath, ath]);
    assert.equal(new Set(claims('jti')).size, 3);
    assert.equal(new Set(proofs.map(({ header }) => JSON.stringify(header['jwk']))).size, 1);
    assert.equal(world.mcp.visits.at(-1), 'POST /mcp DPoP access-1');
  });

  test('keep their key over a restart', async () => {
    await world.ask(world.authorizer({ settings: { dpop: 'always' } }));
    await world.ask(world.authorizer({ settings: { dpop: 'always' } }));
    assert.equal(new Set(proofs.map(({ header }) => JSON.stringify(header['jwk']))).size, 1);
  });

  test('hold the nonces that authorization server and server want', async () => {
    const [token, mcp] = [world.auth.pages['/token'], world.mcp.pages['/mcp']];
    world.auth.pages['/token'] = (visit) => {
      const nonce = decodeJwt(String(visit.request.headers['dpop'])).payload['nonce'];
      if (nonce === 'of-issuer') token?.(visit);
      else json({ error: 'use_dpop_nonce' }, 400, { 'dpop-nonce': 'of-issuer' })(visit);
    };
    world.mcp.pages['/mcp'] = (visit) => {
      const { dpop } = visit.request.headers;
      if (dpop === undefined || decodeJwt(String(dpop)).payload['nonce'] === 'of-server') mcp?.(visit);
      else json({}, 401, { 'dpop-nonce': 'of-server', 'www-authenticate': 'DPoP error="use_dpop_nonce"' })(visit);
    };
    const authorizer = world.authorizer({ settings: { dpop: 'always' } });
    assert.equal(await world.ask(authorizer), 200);
    assert.equal(await world.ask(authorizer), 200);
    assert.deepEqual(claims('nonce'), ['of-issuer', 'of-server', 'of-server']);
  });

  test('are bound to the message too, if it is known', async () => {
    const authorizer = world.authorizer({ settings: { dpop: 'always' } });
    await world.ask(authorizer);
    const request = { method: 'POST', url: new URL(world.server), body: '{"jsonrpc":"2.0"}' };
    const { dpop = '' } = await authorizer.headersFor(request, new AbortController().signal);
    const digest = createHash('sha256').update(request.body).digest('base64');
    assert.equal(checkProof(dpop).payload['content_digest'], `sha-256=:${digest}:`);
  });

  test('are refused if they are not bound', async () => {
    world.tokens.splice(0, 1, { access_token: 'access-1', token_type: 'Bearer' });
    assert.match(
      await outcomeText(world.ask(world.authorizer({ settings: { dpop: 'always' } }))),
      /does not bind the token to the key of this host/,
    );
    world.auth.pages['/.well-known/oauth-authorization-server'] = json(world.metadata());
    assert.match(
      await outcomeText(world.ask(world.authorizer({ settings: { dpop: 'always' } }))),
      /does not bind tokens to keys/,
    );
  });
});
