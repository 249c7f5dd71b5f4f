import assert from 'node:assert/strict';
import { memorySecrets } from '../../../src/node/auth/memorySecrets.ts';
import { AuthWorld, json, Site } from './authWorld.ts';
import { outcomeText } from './outcomeText.ts';

suite('renewing tokens', () => {
  let world: AuthWorld;
  setup(async () => {
    world = await AuthWorld.open();
  });
  teardown(() => world.close());

  const plain = (text: string): string =>
    text.replaceAll(world.mcp.origin, 'MCP').replaceAll(world.auth.origin, 'AUTH');
  const grants = (): readonly string[] =>
    world.auth.visits.filter((visit) => visit.includes('/token')).map((visit) => visit.split(' ').at(-1) ?? '');
  /** The scopes of each visit to the sign-in page. */
  const asked = (): readonly string[] => world.opened.map((url) => url.searchParams.get('scope') ?? '-');
  const give = (...tokens: Record<string, unknown>[]): void =>
    void world.tokens.splice(0, world.tokens.length, ...tokens);

  test('a token that ends is refreshed before it is used, once for all requests', async () => {
    give(
      { access_token: 'access-1', refresh_token: 'refresh-1' },
      { access_token: 'access-2', refresh_token: 'refresh-2' },
    );
    const authorizer = world.authorizer();
    await world.ask(authorizer);
    await world.clock.advance(3_580_000);
    assert.deepEqual(await Promise.all([1, 2, 3].map(() => world.ask(authorizer))), [200, 200, 200]);
    assert.deepEqual(grants(), ['authorization_code', 'refresh_token']);
    assert.equal(world.mcp.visits.filter((visit) => visit.endsWith('access-2')).length, 3);
    assert.equal(world.questions.length, 1);
  });

  test('a refresh names the resource and the client, and the new token replaces the old one', async () => {
    const forms: Record<string, string>[] = [];
    const answer = world.auth.pages['/token'];
    world.auth.pages['/token'] = (visit) => {
      forms.push(Object.fromEntries(visit.form));
      answer?.(visit);
    };
    give(
      { access_token: 'access-1', refresh_token: 'refresh-1', expires_in: 10 },
      { access_token: 'access-2', refresh_token: 'refresh-2', expires_in: 10 },
      { access_token: 'access-3', expires_in: 10 },
    );
    const authorizer = world.authorizer();
    for (let round = 0; round < 3; round++) {
      assert.equal(await world.ask(authorizer), 200);
      await world.clock.advance(10_000);
    }
    const refresh = { grant_type: 'refresh_token', client_id: 'registered', resource: world.server };
    assert.deepEqual(forms.slice(1), [
      { ...refresh, refresh_token: 'refresh-1' },
      { ...refresh, refresh_token: 'refresh-2' },
    ]);
  });

  test('a token that the server refuses is refreshed; if that does not help, the user signs in', async () => {
    give(
      { access_token: 'access-1', refresh_token: 'refresh-1' },
      { access_token: 'access-2', refresh_token: 'refresh-2' },
      { access_token: 'access-3' },
    );
    const authorizer = world.authorizer();
    await world.ask(authorizer);
    await world.clock.advance(60_000);
    world.accepts = (token) => token === 'access-2';
    assert.equal(await world.ask(authorizer), 200);
    await world.clock.advance(60_000);
    world.accepts = (token) => token === 'access-3';
    give({ error: 'invalid_grant' }, { access_token: 'access-3' });
    assert.equal(await world.ask(authorizer), 200);
    assert.deepEqual(grants(), ['authorization_code', 'refresh_token', 'refresh_token', 'authorization_code']);
    assert.deepEqual(
      world.questions.map(({ reason }) => reason),
      ['first', 'again'],
    );
  });

  test('a refresh that fails in the network is reported, and the token is kept', async () => {
    give({ access_token: 'access-1', refresh_token: 'refresh-1' });
    const authorizer = world.authorizer();
    await world.ask(authorizer);
    await world.clock.advance(3_600_000);
    const good = world.auth.pages['/token'] ?? assert.fail();
    world.auth.pages['/token'] = ({ response }) => void response.destroy();
    assert.match(
      await outcomeText(world.ask(authorizer)),
      /^SIGN_IN_FAILED 127\.0\.0\.1:\d+, which is needed to sign in, cannot be reached/,
    );
    world.auth.pages['/token'] = good;
    give({ access_token: 'access-2' });
    assert.equal(await world.ask(authorizer), 200);
    assert.equal(world.questions.length, 1);
  });

  test('a refresh token that another window rotated is not used again', async () => {
    const secrets = memorySecrets();
    await world.close();
    world = await AuthWorld.open(secrets);
    give({ access_token: 'access-1', refresh_token: 'refresh-1', expires_in: 100 });
    const authorizer = world.authorizer();
    await world.ask(authorizer);
    const key = `mcpl.auth.token ${JSON.stringify([world.auth.origin, world.server, '["auto",null]'])}`;
    const kept = (await secrets.get(key)) ?? assert.fail();
    await world.clock.advance(90_000);
    world.auth.pages['/token'] = (visit) => {
      const renewed = kept
        .replace('access-1', 'access-9')
        .replace('refresh-1', 'refresh-9')
        .replace(/"expiresAt":\d+/, '"expiresAt":99999999999999');
      void secrets.set(key, renewed).then(() => json({ error: 'invalid_grant' }, 400)(visit));
    };
    assert.equal(await world.ask(authorizer), 200);
    assert.equal(world.mcp.visits.at(-1), 'POST /mcp Bearer access-9');
    assert.equal(world.questions.length, 1);
  });

  test('more rights are asked for together with those there are', async () => {
    give({ access_token: 'access-1' }, { access_token: 'access-2' });
    world.mcp.pages['/mcp'] = ({ request, response }) => {
      const { authorization } = request.headers;
      const scope = authorization === undefined ? 'read' : 'write';
      if (authorization === 'Bearer access-2') response.writeHead(200).end();
      else
        response
          .writeHead(authorization === undefined ? 401 : 403, {
            'www-authenticate': `Bearer error="insufficient_scope", scope="${scope}"`,
          })
          .end();
    };
    assert.equal(await world.ask(world.authorizer({ settings: { scopes: ['own'] } })), 200);
    assert.deepEqual(asked(), ['read own', 'read own write']);
    assert.deepEqual(
      world.questions.map(({ reason }) => reason),
      ['first', 'moreScopes'],
    );
  });

  test('rights that were asked for and are still missing are not asked for again', async () => {
    world.mcp.pages['/mcp'] = ({ request, response }) =>
      void response
        .writeHead(request.headers.authorization === undefined ? 401 : 403, {
          'www-authenticate': 'Bearer error="insufficient_scope", scope="admin"',
        })
        .end();
    const authorizer = world.authorizer();
    for (let round = 0; round < 3; round++)
      assert.equal(
        await outcomeText(world.ask(authorizer)),
        'SIGN_IN_FAILED The server wants more rights than the sign-in gave: admin. | Sign out of the server and sign in again with an account that has these rights.',
      );
    assert.equal(world.opened.length, 1);
  });

  test('a server that always wants something else comes to an end', async () => {
    let round = 0;
    world.mcp.pages['/mcp'] = ({ request, response }) =>
      void response
        .writeHead(request.headers.authorization === undefined ? 401 : 403, {
          'www-authenticate': `Bearer error="insufficient_scope", scope="s${++round}"`,
        })
        .end();
    assert.match(
      await outcomeText(world.ask(world.authorizer())),
      /^SIGN_IN_FAILED The server asks for sign-in again and again/,
    );
    assert.equal(world.opened.length, 3);
  });

  test('a server that takes no token is not given one after the other', async () => {
    world.accepts = () => false;
    assert.match(
      await outcomeText(world.ask(world.authorizer())),
      /^SIGN_IN_FAILED The server does not accept the token/,
    );
    assert.equal(world.opened.length, 1);
  });

  test('a request that was turned away without the token is only repeated', async () => {
    const authorizer = world.authorizer();
    await world.ask(authorizer);
    const reply = {
      status: 401,
      url: new URL(world.server),
      headers: { 'www-authenticate': world.challenge },
      authorization: 'none',
    };
    assert.equal(await authorizer.challenged(reply, new AbortController().signal), true);
    assert.equal(world.opened.length, 1);
  });

  test('a forbidden request without a challenge is only reported', async () => {
    world.mcp.pages['/mcp'] = json({}, 403);
    const authorizer = world.authorizer();
    assert.equal(await world.ask(authorizer), 403);
    const reply = {
      status: 403,
      url: new URL(world.server),
      headers: { 'www-authenticate': 'Bearer error="invalid_request"' },
    };
    assert.equal(await authorizer.challenged(reply, new AbortController().signal), false);
  });

  suite('when the server changes its authorization server', () => {
    let other: Site;
    setup(async () => {
      other = await Site.open();
    });
    teardown(() => other.close());

    const move = (): void => {
      const { origin } = other;
      other.pages['/.well-known/oauth-authorization-server'] = json({
        issuer: origin,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
        registration_endpoint: `${origin}/register`,
        code_challenge_methods_supported: ['S256'],
      });
      other.pages['/register'] = json({ client_id: 'other' }, 201);
      other.pages['/authorize'] = (visit) => world.comeBack(visit, { code: 'other-code' });
      other.pages['/token'] = json({ access_token: 'access-other', token_type: 'Bearer' });
      world.mcp.pages['/.well-known/oauth-protected-resource/mcp'] = json({
        resource: world.server,
        authorization_servers: [origin],
      });
      world.accepts = (token) => token === 'access-other';
    };

    test('another client is registered there, and nothing of the old one is used', async () => {
      give({ access_token: 'access-1', refresh_token: 'refresh-1' });
      const authorizer = world.authorizer();
      await world.ask(authorizer);
      move();
      assert.equal(await world.ask(authorizer), 200);
      assert.equal(world.opened[1]?.searchParams.get('client_id'), 'other');
      assert.deepEqual(
        world.questions.map(({ reason, issuer }) => `${reason} ${plain(issuer)}`),
        ['first AUTH', `otherIssuer ${other.origin}`],
      );
      assert.doesNotMatch(other.visits.join('\n'), /refresh|access-1/);
      assert.deepEqual(
        (await world.service.accounts()).map(({ issuer }) => issuer),
        [other.origin],
      );
    });

    test('credentials of the settings do not follow', async () => {
      const authorizer = world.authorizer({ settings: { clientId: 'mine', clientSecret: 'my-secret' } });
      await world.ask(authorizer);
      move();
      const message = plain(await outcomeText(world.ask(authorizer)));
      assert.match(
        message,
        /^SIGN_IN_FAILED The server now names \S+ as its authorization server, and the credentials in its settings are for AUTH\./,
      );
      assert.ok(other.visits.every((visit) => visit.includes('well-known')));
    });

    test('nor do they go to another one than the settings name, at the first time', async () => {
      move();
      const settings = {
        flow: 'clientCredentials',
        clientId: 'mine',
        clientSecret: 'my-secret',
        issuer: world.auth.origin,
      } as const;
      assert.match(
        await outcomeText(world.ask(world.authorizer({ settings }))),
        /the credentials in its settings are for/,
      );
      assert.ok(other.visits.every((visit) => visit.includes('well-known')));
    });
  });
});
