import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, dirname, join } from 'node:path';
import type { Page } from 'playwright-core';
import { takeScreenshot } from '../../harness/browser.ts';
import { screenshotsFolder } from '../../harness/extensionHostRun.ts';
import { type ProtectedServer, startAuthorizationServer } from '../../node/fixtures/authorizationServer.mjs';
import { type JourneyEditor, openJourney } from './journeyEditor.ts';
import { until } from './until.ts';

/** The format of tokens, codes, states and verifiers here: 256 bits in base64url. */
const SECRET = /(?<![\w-])[\w-]{43}(?![\w-])/;

const REQUEST = 'http.server.request.start';

/**
 * An editor in a browser gives ports other addresses, like every remote editor. Here they forward to the port:
 * `/<port>/<rest>`.
 */
const forwardPorts = async (): Promise<Server> => {
  const forwarder = createServer((request, response) => {
    const [, port = '', rest = ''] = /^\/(\d+)(\/.*)$/.exec(request.url ?? '') ?? [];
    response.writeHead(302, { location: `http://127.0.0.1:${port}${rest}` }).end();
  });
  forwarder.listen(0, '127.0.0.1');
  await once(forwarder, 'listening');
  return forwarder;
};

suite('A user with a server that requires a sign-in', () => {
  let opened: JourneyEditor | undefined;
  let server: ProtectedServer | undefined;
  let forwarder: Server | undefined;
  /** The tokens that the server got. */
  const tokens = new Set<string>();
  /** The values in the address of the last page. */
  const returned = new Set<string>();

  const listen = (message: unknown): void => {
    const { request } = message as { readonly request: IncomingMessage };
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1];
    if (token !== undefined) tokens.add(token);
  };

  suiteSetup(async () => {
    subscribe(REQUEST, listen);
    server = await startAuthorizationServer();
    forwarder = await forwardPorts();
    const { port } = forwarder.address() as AddressInfo;
    const secure = { url: server.mcpUrl, enabled: true };
    opened = await openJourney({
      settings: { 'mcpl.servers': { secure } },
      trust: 'before',
      env: { VSCODE_PROXY_URI: `http://127.0.0.1:${port}/{{port}}/` },
    });
    await opened.person.openContainer('MCP Live');
  });

  suiteTeardown(async () => {
    unsubscribe(REQUEST, listen);
    await opened?.close();
    await server?.close();
    forwarder?.close();
    forwarder?.closeAllConnections();
  });

  const journey = (): JourneyEditor & { readonly server: ProtectedServer } => {
    assert.ok(opened !== undefined && server !== undefined);
    return { ...opened, server };
  };

  const untilRow = (expected: RegExp): Promise<void> =>
    until(`a row like ${expected.source}`, journey(), async () =>
      (await journey().person.treeRows()).some((row) => expected.test(row)),
    );

  const told = '.notification-list-item-message';

  const untilTold = async (expected: string): Promise<void> => {
    const { person } = journey();
    await person.waitFor(`${told}:has-text(${JSON.stringify(expected)})`);
    assert.equal((await person.notifications())[0], expected);
  };

  const question = (): string => {
    const { issuer, mcpUrl } = journey().server;
    return (
      `The server "secure" wants you to sign in at ${issuer}. It asks for: notes:read, offline_access. ` +
      `The access is for ${mcpUrl}.`
    );
  };

  /** Answers the question. The browser follows the address. */
  const openSignIn = async (message: string): Promise<Page> => {
    const { page, person } = journey();
    const [tab] = await Promise.all([
      page.context().waitForEvent('page', { timeout: 45_000 }),
      person.notification('Sign In', message),
    ]);
    tab.setDefaultTimeout(45_000);
    return tab;
  };

  /** Waits for the last page, on this machine. Its address contains values for the host only. */
  const untilBack = async (tab: Page): Promise<void> => {
    await tab.getByRole('heading', { name: 'Signed in', exact: true }).waitFor();
    const { hostname, pathname, searchParams } = new URL(tab.url());
    assert.deepEqual([hostname, pathname], ['127.0.0.1', '/callback']);
    for (const name of ['code', 'state']) returned.add(searchParams.get(name) ?? '');
    assert.deepEqual((await tab.locator('body').innerText()).split(/\n+/), [
      'Signed in',
      'The server is being connected.',
      'You may close this window.',
    ]);
  };

  const signedIn = (): readonly string[] =>
    journey().server.requests.filter((request) => / \/(auth\/(auth|reg|token)|interaction)(\/|$)/.test(request));

  test('is asked where to sign in and what for, and nothing is opened before the answer', async () => {
    const { page, person, server: known } = journey();
    await person.notification('Start', known.mcpUrl);
    await untilTold(question());
    await person.screenshot('journey sign in 1 the question');
    assert.equal(page.context().pages().length, 1);
    assert.deepEqual(signedIn(), []);
  });

  test('signs in and allows in the browser, sees the final page there, and the server runs', async () => {
    const { page, person } = journey();
    const tab = await openSignIn('wants you to sign in');
    await tab.getByRole('heading', { name: 'Sign in' }).waitFor();
    await takeScreenshot(tab, screenshotsFolder, 'journey sign in 2 the page');
    await person.waitFor('.notification-list-item:has-text("Sign in to \\"secure\\" in your browser")');
    await person.screenshot('journey sign in 3 waiting for the browser');
    await tab.getByRole('button', { name: 'Sign in' }).click();
    await tab.getByRole('button', { name: 'Allow' }).click();
    await untilBack(tab);
    await takeScreenshot(tab, screenshotsFolder, 'journey sign in 4 back on this machine');
    await tab.close();
    await untilRow(/^secure running · 2 tools/);
    await page.locator(told).first().waitFor({ state: 'hidden' });
    await person.screenshot('journey sign in 5 running');
  });

  test('calls a tool, which knows who it is', async () => {
    const editor = journey();
    const { person } = editor;
    await person.clickTreeItem('secure', 'expand');
    await person.clickTreeItem('Tools', 'expand');
    await person.clickTreeItem('whoami', 'Call Tool');
    await until('the form', editor, async () => (await person.webviewTexts('h1')).includes('whoami'));
    await person.press('Control+Enter');
    await until('the answer', editor, async () =>
      (await person.webviewTexts('.result pre')).some((text) => text.includes('alice notes:read')),
    );
    await person.screenshot('journey sign in 6 the tool knows');
  });

  test('signs out, after which its token is worth nothing and the next start asks again', async () => {
    const { page, person, server: known } = journey();
    const signedOut = 'Signed out of "secure". It asks again when it starts.';
    const [token = ''] = tokens;
    assert.match(token, SECRET);
    await person.command('MCP Live: Sign Out of Server');
    await person.pick('secure');
    await untilTold(signedOut);
    await untilRow(/^secure stopped/);
    const headers = { authorization: `Bearer ${token}` };
    const reply = await fetch(known.mcpUrl, { method: 'POST', headers, body: '{}' });
    assert.equal(reply.status, 401);
    await person.clickTreeItem('secure', 'Start');
    await untilTold(question());
    assert.deepEqual(await person.notifications(), [question(), signedOut]);
    await person.screenshot('journey sign in 7 asked again');
    await person.notification("Don't Sign In", 'wants you to sign in');
    await untilRow(/^secure failed/);
    await untilRow(/^ +The server needs sign-in, which was declined\.$/);
    await untilRow(/^ +Start the server again to sign in\.$/);
    await person.screenshot('journey sign in 8 declined');
    assert.equal(page.context().pages().length, 1);
  });

  test('finds none of its tokens and codes in a log', async () => {
    const editor = journey();
    const readLogs = async (): Promise<ReadonlyMap<string, string>> => {
      const cwd = join(dirname(editor.workspace), 'data');
      const paths = globSync('data/logs/**/*.log', { cwd });
      return new Map(
        await Promise.all(paths.map(async (path) => [path, await readFile(join(cwd, path), 'utf8')] as const)),
      );
    };
    const ofServer = (logs: ReadonlyMap<string, string>): string | undefined =>
      [...logs].find(([path]) => /secure/.test(basename(path)))?.[1];
    await until('the log of the server', editor, async () =>
      /Sign-in: .*declined/.test(ofServer(await readLogs()) ?? ''),
    );
    const logs = await readLogs();
    assert.match(ofServer(logs) ?? '', /Sign-in: waiting for the browser to come back from/);
    // Checks that an access token, a code and a state match the pattern.
    assert.deepEqual([tokens.size, returned.size], [1, 2]);
    for (const secret of [...tokens, ...returned]) assert.match(secret, SECRET);
    const telling = [...logs].filter(([, text]) => SECRET.test(text)).map(([path]) => path);
    assert.deepEqual(telling, []);
    assert.doesNotMatch(await editor.hostLog(), SECRET);
  });
});
