import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { memorySecrets } from '../../../src/node/auth/memorySecrets.ts';
import { AuthWorld, json, type Visit } from './authWorld.ts';
import { outcomeText } from './outcomeText.ts';

suite('signing in by the user', () => {
  let world: AuthWorld;
  setup(async () => {
    world = await AuthWorld.open();
  });
  teardown(() => world.close());

  /** The text without parts that differ in each run. */
  const plain = (text: string): string =>
    text.replaceAll(world.mcp.origin, 'MCP').replaceAll(world.auth.origin, 'AUTH');

  test('a server that asks for it gets a token, for itself alone, after one question', async () => {
    const authorizer = world.authorizer();
    assert.equal(await world.ask(authorizer), 200);
    assert.equal(await world.ask(authorizer), 200);
    assert.deepEqual(world.mcp.visits, [
      'POST /mcp',
      'GET /.well-known/oauth-protected-resource/mcp',
      'POST /mcp Bearer access-1',
      'POST /mcp Bearer access-1',
    ]);
    assert.deepEqual(world.auth.visits, [
      'GET /.well-known/oauth-authorization-server',
      'POST /register',
      'GET /authorize',
      'POST /token authorization_code',
    ]);
    assert.deepEqual(world.questions, [
      { server: 'notes', reason: 'first', resource: world.server, issuer: world.auth.origin, scopes: [] },
    ]);
    assert.deepEqual(world.pages, ['Signed in Signed in The server is being connected. You may close this window.']);
    assert.deepEqual(world.waits, [true, false]);
    const { searchParams } = world.opened[0] ?? assert.fail();
    assert.equal(searchParams.get('resource'), world.server);
    assert.equal(searchParams.get('client_id'), 'registered');
    assert.match(searchParams.get('redirect_uri') ?? '', /^http:\/\/127\.0\.0\.1:\d+\/callback$/);
  });

  test('the token request proves that it belongs to the sign-in', async () => {
    let form = new URLSearchParams();
    const give = world.auth.pages['/token'];
    world.auth.pages['/token'] = (visit) => {
      form = visit.form;
      give?.(visit);
    };
    await world.ask(world.authorizer());
    const shown = Object.fromEntries(form);
    assert.match(shown['code_verifier'] ?? '', /^[\w-]{43,128}$/);
    assert.deepEqual(
      { ...shown, code_verifier: '', redirect_uri: '' },
      {
        grant_type: 'authorization_code',
        code: 'code-1',
        client_id: 'registered',
        resource: world.server,
        code_verifier: '',
        redirect_uri: '',
      },
    );
    assert.equal(form.get('redirect_uri'), world.opened[0]?.searchParams.get('redirect_uri'));
  });

  test('the token is there after a restart, and nothing is asked again', async () => {
    await world.ask(world.authorizer());
    world.mcp.visits.length = 0;
    assert.equal(await world.ask(world.authorizer()), 200);
    assert.deepEqual(world.mcp.visits, ['POST /mcp Bearer access-1']);
    assert.equal(world.questions.length, 1);
  });

  test('a server of another name asks before it uses the token, without a browser', async () => {
    await world.ask(world.authorizer());
    assert.equal(await world.ask(world.authorizer({ serverId: 'copy' })), 200);
    assert.deepEqual(
      world.questions.map(({ server, reason }) => `${server} ${reason}`),
      ['notes first', 'copy otherServer'],
    );
    assert.equal(world.opened.length, 1);
  });

  test('two connections at once open one browser', async () => {
    const statuses = await Promise.all([world.ask(world.authorizer()), world.ask(world.authorizer())]);
    assert.deepEqual([statuses, world.opened.length], [[200, 200], 1]);
  });

  test('no is no, and is not asked again on the same connection', async () => {
    world.consents = false;
    const authorizer = world.authorizer();
    const expected =
      'SIGN_IN_REQUIRED The server needs sign-in, which was declined. | Start the server again to sign in.';
    assert.equal(await outcomeText(world.ask(authorizer)), expected);
    assert.equal(await outcomeText(world.ask(authorizer)), expected);
    assert.deepEqual([world.questions.length, world.opened.length], [1, 0]);
    assert.equal(
      world.auth.visits.some((visit) => visit.includes('register')),
      false,
    );
  });

  test('a header of the settings, or the switch, keeps everything from starting', async () => {
    const withHeader = world.authorizer({ headers: { AUTHORIZATION: 'Bearer own' } });
    assert.match(
      await outcomeText(world.ask(withHeader)),
      /^SIGN_IN_REQUIRED The server does not accept the `Authorization` header/,
    );
    const off = world.authorizer({ settings: { flow: 'off' } });
    assert.match(
      await outcomeText(world.ask(off)),
      /^SIGN_IN_REQUIRED The server asks for sign-in, which is switched off/,
    );
    assert.deepEqual([world.auth.visits, world.questions], [[], []]);
  });

  test('the user who does not come back is not waited for forever', async () => {
    world.browse = () => Promise.resolve(true);
    const asked = outcomeText(world.ask(world.authorizer()));
    while (world.opened.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await world.clock.advance(300_000);
    assert.equal(await asked, 'SIGN_IN_FAILED Nobody came back from signing in. | Start the server again to sign in.');
  });

  test('a wait that is no longer needed ends, and leaves no port open', async () => {
    world.browse = () => Promise.resolve(true);
    const abort = new AbortController();
    const asked = outcomeText(world.ask(world.authorizer(), world.server, abort.signal));
    while (world.opened.length === 0) await new Promise((resolve) => setImmediate(resolve));
    abort.abort();
    assert.match(await asked, /^CANCELLED/);
    const back = world.opened[0]?.searchParams.get('redirect_uri') ?? '';
    await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setImmediate(resolve));
    await assert.rejects(fetch(back));
  });

  test('a browser that does not open is said', async () => {
    world.browse = () => Promise.resolve(false);
    assert.match(await outcomeText(world.ask(world.authorizer())), /^SIGN_IN_REQUIRED The browser was not opened/);
  });

  test('only the answer to this very sign-in is taken, and only once', async () => {
    const statuses: number[] = [];
    const come = async (visit: Visit): Promise<void> => {
      const back = new URL(visit.query.get('redirect_uri') ?? '');
      const state = visit.query.get('state') ?? '';
      const knock = async (query: string, path = back.pathname, method = 'GET'): Promise<void> => {
        const response = await fetch(new URL(`${path}?${query}`, back), { method });
        statuses.push(response.status);
      };
      await knock('code=evil');
      await knock('code=evil&state=guess');
      await knock(`code=evil&code=evil&state=${state}`);
      await knock(`code=evil&state=${state}`, '/other');
      await knock(`code=evil&state=${state}`, back.pathname, 'POST');
      world.comeBack(visit, { code: 'code-1', iss: world.auth.origin });
    };
    world.auth.pages['/authorize'] = (visit) => void come(visit);
    assert.equal(await world.ask(world.authorizer()), 200);
    assert.deepEqual(statuses, [400, 400, 400, 404, 405]);
  });

  test('silent connections of other programs do not keep the browser from coming back', async () => {
    const silent: Socket[] = [];
    const come = async (visit: Visit): Promise<void> => {
      const { port } = new URL(visit.query.get('redirect_uri') ?? '');
      for (let count = 0; count < 40; count++) {
        const socket = connect(Number(port), '127.0.0.1').on('error', () => undefined);
        silent.push(socket);
        await once(socket, 'connect');
      }
      world.comeBack(visit, { code: 'code-1', iss: world.auth.origin });
    };
    world.auth.pages['/authorize'] = (visit) => void come(visit);
    assert.equal(await world.ask(world.authorizer()), 200);
    for (const socket of silent) socket.destroy();
  });

  test('what the authorization server says went wrong is shown, as text', async () => {
    world.auth.pages['/authorize'] = (visit) =>
      world.comeBack(visit, {
        error: 'access_denied',
        error_description: '<script>alert(1)</script>',
        iss: world.auth.origin,
      });
    let html = '';
    world.browse = async (url) => {
      void fetch(url).then(async (response) => (html = await response.text()));
      return Promise.resolve(true);
    };
    assert.equal(
      plain(await outcomeText(world.ask(world.authorizer()))),
      'SIGN_IN_FAILED AUTH did not sign in (access_denied: <script>alert(1)</script>). | Start the server again to sign in, and allow the access.',
    );
    while (html === '') await new Promise((resolve) => setImmediate(resolve));
    assert.match(html, /&#60;script&#62;/);
    assert.doesNotMatch(html, /<script/);
    assert.equal(
      world.auth.visits.some((visit) => visit.includes('/token')),
      false,
    );
  });

  for (const [name, iss] of [
    ['another issuer', 'https://evil.example'],
    ['none where it is announced', undefined],
  ] as const)
    test(`an answer that names ${name} is not redeemed, and its error is not shown`, async () => {
      const extra: Record<string, string> = iss === undefined ? {} : { iss };
      world.auth.pages['/authorize'] = (visit) => world.comeBack(visit, { code: 'c', error: 'shown', ...extra });
      const message = await outcomeText(world.ask(world.authorizer()));
      assert.match(plain(message), /^SIGN_IN_FAILED The answer to the sign-in did not come from AUTH\./);
      assert.doesNotMatch(message + world.pages.join(''), /shown/);
      assert.equal(
        world.auth.visits.some((visit) => visit.includes('/token')),
        false,
      );
    });

  test('a client that was registered is used again, at its own port', async () => {
    const secrets = memorySecrets();
    await world.close();
    world = await AuthWorld.open(secrets);
    await world.ask(world.authorizer());
    world.accepts = (token) => token === 'access-2';
    world.tokens.splice(0, 1, { access_token: 'access-2' });
    await world.clock.advance(60_000);
    assert.equal(await world.ask(world.authorizer()), 200);
    assert.equal(world.auth.visits.filter((visit) => visit.includes('register')).length, 1);
    const [first, second] = world.opened.map((url) => url.searchParams.get('redirect_uri'));
    assert.equal(first, second);
  });

  test('a client that its authorization server forgot is registered again, next time', async () => {
    world.tokens.splice(0, 1, { error: 'invalid_client' }, { access_token: 'access-1' });
    assert.match(await outcomeText(world.ask(world.authorizer())), /^SIGN_IN_FAILED .*invalid_client/);
    assert.equal(await world.ask(world.authorizer()), 200);
    assert.equal(world.auth.visits.filter((visit) => visit.includes('register')).length, 2);
  });

  test('a client is entered, or taken from the settings, without registration', async () => {
    world.auth.pages['/.well-known/oauth-authorization-server'] = json(
      world.metadata({ registration_endpoint: undefined }),
    );
    assert.equal(
      plain(await outcomeText(world.ask(world.authorizer()))),
      "SIGN_IN_REQUIRED AUTH only signs in clients that were registered with it beforehand. | Register one there, and put its id into `auth.clientId` in the server's settings.",
    );
    world.entered = { clientId: 'entered' };
    assert.equal(await world.ask(world.authorizer()), 200);
    assert.equal(world.opened.at(-1)?.searchParams.get('client_id'), 'entered');
    assert.equal(await world.ask(world.authorizer({ settings: { clientId: 'mine' } })), 200);
    assert.equal(world.opened.at(-1)?.searchParams.get('client_id'), 'mine');
  });

  test('no token, no code and no key ever gets into a log or a message', async () => {
    world.tokens.splice(0, 1, { access_token: 'access-very-secret', refresh_token: 'refresh-very-secret' });
    await world.ask(world.authorizer());
    assert.doesNotMatch(world.logged.join('\n'), /very-secret|code-1/);
    assert.equal(
      world.service.redact('Bearer access-very-secret, refresh-very-secret'),
      'Bearer [secret: access_token], [secret: refresh_token]',
    );
  });

  test('signing out forgets and takes back', async () => {
    world.tokens.splice(0, 1, { access_token: 'access-1', refresh_token: 'refresh-1' });
    let changes = 0;
    const listening = world.service.onDidChangeAccounts(() => changes++);
    const authorizer = world.authorizer();
    await world.ask(authorizer);
    const accounts = await world.service.accounts();
    assert.deepEqual(
      accounts.map(({ server, issuer }) => [server, issuer]),
      [[world.server, world.auth.origin]],
    );
    assert.doesNotMatch(JSON.stringify(accounts), /access-1|refresh-1/);
    const revoked: (string | null)[] = [];
    world.auth.pages['/revoke'] = (visit) => {
      revoked.push(visit.form.get('token'));
      json({})(visit);
    };
    assert.equal(await world.service.signOut(world.server), true);
    assert.equal(await world.service.signOut(world.server), false);
    assert.deepEqual(revoked, ['refresh-1', 'access-1']);
    assert.deepEqual([await world.service.accounts(), changes], [[], 2]);
    for (const key of world.keys) assert.equal(await world.secrets.get(key), undefined, key);
    assert.deepEqual(
      await authorizer.headersFor({ method: 'POST', url: new URL(world.server) }, new AbortController().signal),
      {},
    );
    assert.equal(await world.ask(authorizer), 200);
    assert.equal(world.auth.visits.filter((visit) => visit.includes('register')).length, 2);
    listening.dispose();
  });
});
