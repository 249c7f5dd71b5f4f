import assert from 'node:assert/strict';
import { AuthWorld, json, type Page, Site } from './authWorld.ts';
import { outcomeText } from './outcomeText.ts';

const PRM = '/.well-known/oauth-protected-resource';
const ASM = '/.well-known/oauth-authorization-server';

suite('finding out how to sign in', () => {
  let world: AuthWorld;
  setup(async () => {
    world = await AuthWorld.open();
  });
  teardown(() => world.close());

  const plain = (text: string): string =>
    text.replaceAll(world.mcp.origin, 'MCP').replaceAll(world.auth.origin, 'AUTH');
  const failure = async (): Promise<string> => plain(await outcomeText(world.ask(world.authorizer())));
  const readAt = (site: Site): readonly string[] => site.visits.filter((visit) => visit.includes('well-known'));

  /** Moves the server's metadata away from its usual path. */
  const movePrm = (path: string, resource = world.server): void => {
    world.mcp.pages[`${PRM}/mcp`] = json({}, 404);
    world.mcp.pages[path] = json({ resource, authorization_servers: [world.auth.origin] });
  };
  const challengeWith = (header: string | undefined): void => {
    world.mcp.pages['/mcp'] = ({ request, response }) => {
      if (request.headers.authorization === 'Bearer access-1') response.writeHead(200).end();
      else response.writeHead(401, header === undefined ? {} : { 'www-authenticate': header }).end();
    };
  };

  test('the header comes first', async () => {
    movePrm('/own/place.json');
    challengeWith(`Basic realm="x", Bearer resource_metadata="${world.mcp.origin}/own/place.json"`);
    assert.equal(await world.ask(world.authorizer()), 200);
    assert.deepEqual(readAt(world.mcp), []);
  });

  test('an announced place with nothing there leads to the others', async () => {
    challengeWith(`Bearer resource_metadata="${world.mcp.origin}/gone"`);
    assert.equal(await world.ask(world.authorizer()), 200);
    assert.deepEqual(readAt(world.mcp), [`GET ${PRM}/mcp`]);
  });

  test('then the path, then the root, with the resource as it is written there', async () => {
    movePrm(PRM, `${world.mcp.origin}`);
    challengeWith(undefined);
    assert.equal(await world.ask(world.authorizer()), 200);
    assert.deepEqual(readAt(world.mcp), [`GET ${PRM}/mcp`, `GET ${PRM}`]);
    assert.equal(world.opened[0]?.searchParams.get('resource'), world.mcp.origin);
  });

  test('an issuer with a path is looked for in three places', async () => {
    const issuer = `${world.auth.origin}/tenant`;
    world.mcp.pages[`${PRM}/mcp`] = json({ resource: world.server, authorization_servers: [issuer] });
    world.auth.pages['/tenant/.well-known/openid-configuration'] = json(world.metadata({ issuer }));
    world.auth.pages['/authorize'] = (visit) => world.comeBack(visit, { code: 'c', iss: issuer });
    assert.equal(await world.ask(world.authorizer()), 200);
    assert.deepEqual(readAt(world.auth), [
      `GET ${ASM}/tenant`,
      'GET /.well-known/openid-configuration/tenant',
      'GET /tenant/.well-known/openid-configuration',
    ]);
  });

  test('a server of 2025-03-26 is its own authorization server', async () => {
    const { origin } = world.mcp;
    challengeWith(undefined);
    world.mcp.pages[`${PRM}/mcp`] = json({}, 404);
    world.mcp.pages[ASM] = json({
      issuer: `${origin}/`,
      authorization_endpoint: `${origin}/a`,
      token_endpoint: `${origin}/t`,
    });
    world.mcp.pages['/a'] = (visit) => world.comeBack(visit, { code: 'c' });
    world.mcp.pages['/t'] = json({ access_token: 'access-1', token_type: 'bearer' });
    assert.equal(await world.ask(world.authorizer({ settings: { clientId: 'c' } })), 200);
    assert.equal(world.opened[0]?.searchParams.get('code_challenge_method'), 'S256');
  });

  test('without any metadata paths by convention are tried, before the user is asked', async () => {
    challengeWith(undefined);
    world.mcp.pages[`${PRM}/mcp`] = json({}, 404);
    assert.equal(
      await failure(),
      "SIGN_IN_REQUIRED The server asks for credentials and does not say where to sign in. | Put a token into `headers` in the server's settings.",
    );
    assert.deepEqual([world.questions, world.mcp.visits.at(-1)], [[], 'POST /register']);
    world.mcp.pages['/register'] = json({ client_id: 'r' }, 201);
    world.mcp.pages['/authorize'] = (visit) => world.comeBack(visit, { code: 'c' });
    world.mcp.pages['/token'] = json({ access_token: 'access-1', token_type: 'bearer' });
    assert.equal(await world.ask(world.authorizer()), 200);
    assert.equal(world.questions.length, 1);
  });

  test('pages that answer everything are no metadata', async () => {
    const page: Page = ({ response }) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>');
    movePrm(PRM);
    challengeWith(undefined);
    world.mcp.pages[`${PRM}/mcp`] = page;
    world.auth.pages['/.well-known/openid-configuration'] = json(world.metadata());
    world.auth.pages[ASM] = page;
    assert.equal(await world.ask(world.authorizer()), 200);
  });

  /** Spells the issuer in these ways in the server's and the authorization server's metadata. */
  const spell = (inResource: readonly string[], published: string): void => {
    world.mcp.pages[`${PRM}/mcp`] = (visit) =>
      json({ resource: world.server, authorization_servers: inResource })(visit);
    world.auth.pages[ASM] = (visit) => json(world.metadata({ issuer: published }))(visit);
    world.auth.pages['/authorize'] = (visit) => world.comeBack(visit, { code: 'code-1', iss: published });
  };

  for (const [what, inResource, published] of [
    ['more in the metadata of the server', '/', ''],
    ['more in its own metadata', '', '/'],
  ] as const)
    test(`an issuer may have a final slash ${what}, and the sign-in is kept under the published name`, async () => {
      const { origin } = world.auth;
      spell([`${origin}${inResource}`], `${origin}${published}`);
      assert.equal(await world.ask(world.authorizer()), 200);
      assert.deepEqual(
        (await world.service.accounts()).map(({ issuer }) => issuer),
        [`${origin}${published}`],
      );
    });

  test('an answer must name the issuer as it was published, slash and all', async () => {
    const { origin } = world.auth;
    spell([`${origin}/`], origin);
    world.auth.pages['/authorize'] = (visit) => world.comeBack(visit, { code: 'code-1', iss: `${origin}/` });
    assert.match(await failure(), /^SIGN_IN_FAILED The answer to the sign-in did not come from AUTH\./);
    assert.deepEqual(
      world.auth.visits.filter((visit) => visit.includes('/token')),
      [],
    );
  });

  test('a sign-in outlives a change of the final slash: it is not asked again, and the token is renewed', async () => {
    const { origin } = world.auth;
    world.tokens.splice(0, 1, { access_token: 'access-1', refresh_token: 'r' }, { access_token: 'access-2' });
    assert.equal(await world.ask(world.authorizer()), 200);
    spell([`${origin}/`], `${origin}/`);
    world.accepts = (token) => token === 'access-2';
    await world.clock.advance(20_000);
    assert.equal(await world.ask(world.authorizer()), 200);
    assert.deepEqual(
      [world.questions.length, world.auth.visits.filter((visit) => visit === 'POST /register').length],
      [1, 1],
    );
  });

  test('a registration is found under both spellings of the issuer', async () => {
    const { origin } = world.auth;
    assert.equal(await world.ask(world.authorizer()), 200);
    const [account] = await world.service.accounts();
    assert.ok(account);
    spell([`${origin}/`], `${origin}/`);
    world.accepts = (token) => token === 'access-2';
    world.tokens.splice(0, 1, { access_token: 'access-2' });
    await world.clock.advance(20_000);
    assert.equal(await world.ask(world.authorizer()), 200);
    assert.deepEqual(
      [world.questions.map(({ reason }) => reason), world.auth.visits.filter((visit) => visit === 'POST /register')],
      [['first', 'again'], ['POST /register']],
    );
    await world.service.signOut(world.server);
    assert.deepEqual(
      await Promise.all(
        ['', '/'].map((slash) => world.secrets.get(`mcpl.auth.client ${JSON.stringify([origin + slash])}`)),
      ),
      [undefined, undefined],
    );
  });

  test('among several issuers the known one is found under both spellings', async () => {
    const { origin } = world.auth;
    assert.equal(await world.ask(world.authorizer()), 200);
    spell(['https://evil.example', `${origin}/`], origin);
    world.accepts = (token) => token === 'access-2';
    world.tokens.splice(0, 1, { access_token: 'access-2' });
    await world.clock.advance(20_000);
    assert.equal(await world.ask(world.authorizer()), 200);
  });

  test('credentials of the settings go to their issuer in both spellings, and to no other', async () => {
    const { origin } = world.auth;
    const settings = { clientId: 'c', issuer: origin };
    spell([`${origin}/`], `${origin}/`);
    assert.equal(await world.ask(world.authorizer({ settings })), 200);
    await world.service.signOut(world.server);
    assert.match(
      plain(await outcomeText(world.ask(world.authorizer({ settings: { ...settings, issuer: `${origin}/tenant` } })))),
      /^SIGN_IN_FAILED The server now names AUTH\/ as its authorization server/,
    );
  });

  const REFUSED: readonly (readonly [string, () => void, RegExp])[] = [
    [
      'metadata of another resource',
      () => movePrm(PRM, 'https://other.example/mcp'),
      /^SIGN_IN_FAILED The metadata at MCP\S+ is that of another resource, https:\/\/other\.example\/mcp\./,
    ],
    [
      'an announced place with nothing there, nor anywhere else',
      () => {
        world.mcp.pages[`${PRM}/mcp`] = json({}, 404);
        challengeWith(`Bearer resource_metadata="${world.mcp.origin}/gone"`);
      },
      /^SIGN_IN_FAILED The server names its metadata at MCP\/gone, where there is none\./,
    ],
    [
      'an authorization server in the clear',
      () =>
        void (world.mcp.pages[`${PRM}/mcp`] = json({
          resource: world.server,
          authorization_servers: ['http://auth.example.com'],
        })),
      /^SIGN_IN_FAILED The server's authorization server, http:\/\/auth\.example\.com, is not encrypted\./,
    ],
    [
      'an authorization server without metadata',
      () => void (world.auth.pages[ASM] = json({}, 404)),
      /^SIGN_IN_FAILED The authorization server AUTH publishes no metadata\./,
    ],
    [
      'metadata of another issuer',
      () => void (world.auth.pages[ASM] = json(world.metadata({ issuer: 'https://evil.example' }))),
      /^SIGN_IN_FAILED The metadata at AUTH\S+ is that of another issuer, https:\/\/evil\.example\./,
    ],
    [
      'no word of PKCE',
      () => void (world.auth.pages[ASM] = json(world.metadata({ code_challenge_methods_supported: undefined }))),
      /^SIGN_IN_FAILED The authorization server AUTH does not say that it protects codes with PKCE\./,
    ],
    [
      'a script for a sign-in page',
      () => void (world.auth.pages[ASM] = json(world.metadata({ authorization_endpoint: 'javascript:alert(1)' }))),
      /authorization_endpoint that is no address of the web\./,
    ],
    [
      'a sign-in page in the clear',
      () =>
        void (world.auth.pages[ASM] = json(world.metadata({ authorization_endpoint: 'http://auth.example.com/a' }))),
      /authorization_endpoint that is not encrypted\./,
    ],
    [
      'a server that is broken',
      () => void (world.auth.pages[ASM] = json({}, 503)),
      /^SIGN_IN_FAILED 127\.0\.0\.1:\d+ answered HTTP 503 when asked how to sign in\. \| Wait a moment/,
    ],
    [
      'metadata without an end',
      () =>
        void (world.auth.pages[ASM] = ({ response }) => {
          const more = (): void =>
            void (!response.destroyed && response.write('x'.repeat(64 * 1024), () => setImmediate(more)));
          more();
        }),
      /^SIGN_IN_FAILED 127\.0\.0\.1:\d+, which is needed to sign in, answered with more than 256 kB\./,
    ],
    [
      'a reply that breaks off',
      () =>
        void (world.auth.pages[ASM] = ({ response }) => {
          response.writeHead(200, { 'content-length': '100' });
          response.write('{', () => response.destroy());
        }),
      /^SIGN_IN_FAILED 127\.0\.0\.1:\d+, which is needed to sign in, cannot be reached/,
    ],
  ];
  for (const [name, prepare, expected] of REFUSED)
    test(`refuses ${name}`, async () => {
      prepare();
      assert.match(await failure(), expected);
      assert.ok(world.auth.visits.every((visit) => visit.includes('well-known')));
      assert.deepEqual(world.opened, []);
    });

  test('a reply that never comes is not waited for', async () => {
    let asked = 0;
    world.auth.pages[ASM] = () => void asked++;
    const said = failure();
    while (asked === 0) await new Promise((resolve) => setImmediate(resolve));
    await world.clock.advance(15_000);
    assert.match(
      await said,
      /^SIGN_IN_FAILED 127\.0\.0\.1:\d+, which is needed to sign in, did not answer within 15 s\./,
    );
  });

  test('metadata is followed to the same origin only', async () => {
    const other = await Site.open();
    try {
      const redirect =
        (location: string): Page =>
        ({ response }) =>
          void response.writeHead(302, { location }).end();
      world.auth.pages[ASM] = redirect('/moved');
      world.auth.pages['/moved'] = json(world.metadata());
      assert.equal(await world.ask(world.authorizer()), 200);
      await world.service.signOut(world.server);
      other.pages['/stolen'] = json(world.metadata());
      world.auth.pages[ASM] = redirect(`${other.origin}/stolen`);
      assert.match(await failure(), /publishes no metadata/);
      world.auth.pages[ASM] = redirect(ASM);
      assert.match(await failure(), /publishes no metadata/);
      assert.deepEqual(other.visits, []);
    } finally {
      await other.close();
    }
  });

  test('nothing secret is sent after a redirect', async () => {
    const other = await Site.open();
    try {
      for (const path of ['/token', '/register']) {
        const before = world.auth.pages[path] ?? assert.fail();
        world.auth.pages[path] = ({ response }) =>
          void response.writeHead(307, { location: `${other.origin}${path}` }).end();
        assert.match(await failure(), /^SIGN_IN_FAILED AUTH .*HTTP 307/);
        world.auth.pages[path] = before;
        await world.service.signOut(world.server);
        world.secrets.delete(`mcpl.auth.client ${JSON.stringify([world.auth.origin])}`).catch(() => undefined);
      }
      assert.deepEqual(other.visits, []);
    } finally {
      await other.close();
    }
  });

  test('another origin neither gets a token nor starts anything', async () => {
    const other = await Site.open();
    try {
      const authorizer = world.authorizer();
      await world.ask(authorizer);
      other.pages['/mcp'] = ({ response }) =>
        void response.writeHead(401, { 'www-authenticate': world.challenge }).end();
      assert.equal(await world.ask(authorizer, `${other.origin}/mcp`), 401);
      assert.deepEqual(other.visits, ['POST /mcp']);
      assert.equal(world.questions.length, 1);
    } finally {
      await other.close();
    }
  });

  test('a server of WebSocket signs in where its name is one of HTTP', async () => {
    const authorizer = world.service.authorizer({
      connection: { kind: 'remote', url: world.server.replace('http', 'ws'), headers: {}, transport: 'websocket' },
      context: { serverId: 'notes', log: { log: () => undefined } },
    });
    assert.ok(authorizer);
    assert.equal(await world.ask(authorizer), 200);
    const { signal } = new AbortController();
    const url = new URL(world.server.replace('http', 'ws'));
    assert.deepEqual(await authorizer.headersFor({ method: 'GET', url }, signal), { authorization: 'Bearer access-1' });
    authorizer.dispose();
  });
});
