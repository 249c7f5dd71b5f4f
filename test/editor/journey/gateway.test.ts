import assert from 'node:assert/strict';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Page } from 'playwright-core';
import { inProject } from '../../harness/paths.ts';
import { createPerson } from '../../harness/person.ts';
import { screenshotsFolder } from '../../harness/extensionHostRun.ts';
import { type JourneyEditor, openJourney } from './journeyEditor.ts';
import { until } from './until.ts';

interface StoredCopy {
  readonly url: string;
  readonly authorization: string;
}

/** Everything that the editor stores in the browser, as text. Runs in the page, without this project's types. */
const storedText = `(async () => {
  const done = (request) => new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  const texts = [];
  for (const { name } of await indexedDB.databases()) {
    const database = await done(indexedDB.open(name));
    for (const store of database.objectStoreNames)
      texts.push(JSON.stringify(await done(database.transaction(store).objectStore(store).getAll())));
    database.close();
  }
  return texts.join('\\n');
})()`;

/** The editor's stored address and headers of the gateway, in clear text. */
const storedCopy = async (page: Page): Promise<StoredCopy | undefined> => {
  const text = String(await page.evaluate(storedText)).replaceAll('\\', '');
  const port =
    /"authority":"127\.0\.0\.1:(\d+)"/.exec(text)?.[1] ?? /http:\/\/127\.0\.0\.1:(\d+)\/mcp\/chat/.exec(text)?.[1];
  const authorization = /Bearer [0-9a-f]{64}/.exec(text)?.[0];
  if (port === undefined || authorization === undefined) return undefined;
  return { url: `http://127.0.0.1:${port}/mcp/chat`, authorization };
};

const connect = async ({ url, authorization }: StoredCopy): Promise<Client> => {
  const client = new Client({ name: 'journey', version: '1' });
  const headers = { authorization };
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
  // The SDK's own classes disagree under exactOptionalPropertyTypes.
  await client.connect(transport as Parameters<Client['connect']>[0]);
  return client;
};

const statusOf = async ({ url, authorization }: StoredCopy): Promise<string> => {
  try {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
    const response = await fetch(url, { method: 'POST', headers: { authorization }, body });
    await response.arrayBuffer();
    return String(response.status);
  } catch {
    return 'nobody there';
  }
};

const CALLS = 100;

/** In parallel. Each must get its own answer. */
const callAll = (client: Client, window: number): Promise<readonly string[]> =>
  Promise.all(
    Array.from({ length: CALLS }, async (_, n) => {
      const result = await client.callTool({ name: 'add_up', arguments: { a: n, b: window * 1_000 } });
      return JSON.stringify(result.content);
    }),
  );
const answers = (window: number): readonly string[] =>
  Array.from({ length: CALLS }, (_, n) => JSON.stringify([{ type: 'text', text: String(n + window * 1_000) }]));

suite('Two windows', () => {
  let opened: JourneyEditor | undefined;
  suiteTeardown(async () => {
    await opened?.close();
  });

  const begin = async (): Promise<JourneyEditor> => {
    const server = inProject(join('test', 'node', 'fixtures', 'chatServer.mjs'));
    const servers = { chat: { command: process.execPath, args: [server], enabled: true } };
    const editor = await openJourney({ settings: { 'mcpl.servers': servers }, trust: 'yes' });
    opened = editor;
    await editor.person.openContainer('MCP Live');
    await editor.person.notification('Start', 'chatServer.mjs');
    return editor;
  };

  const untilStored = async (editor: JourneyEditor, page: Page, not: readonly StoredCopy[]): Promise<StoredCopy> => {
    let copy: StoredCopy | undefined;
    const isNew = async (): Promise<boolean> => {
      copy = await storedCopy(page);
      return copy !== undefined && not.every(({ authorization }) => authorization !== copy?.authorization);
    };
    await until('what the editor stores', editor, isNew);
    assert.ok(copy !== undefined);
    return copy;
  };

  test('each have a gateway of their own, which answer 200 calls at once; and nothing stored outlives a window', async () => {
    const editor = await begin();
    const first = await untilStored(editor, editor.page, []);
    assert.equal(await statusOf(first), '200');

    const page = await editor.page.context().newPage();
    await page.goto(editor.page.url());
    await page.locator('.monaco-workbench .activitybar').waitFor();
    const other = createPerson(page, screenshotsFolder);
    await other.openContainer('MCP Live');
    // A second window on a folder has separate storage, so nothing is allowed there yet.
    await other.notification('Start', 'chatServer.mjs');
    const second = await untilStored(editor, page, [first]);
    assert.notEqual(second.url, first.url);

    const clients = await Promise.all([connect(first), connect(second)]);
    const got = await Promise.all(clients.map((client, window) => callAll(client, window)));
    assert.deepEqual(got, [answers(0), answers(1)]);
    await other.screenshot('a second window');
    for (const client of clients) await client.close();

    // The token of one window is rejected by another.
    assert.equal(await statusOf({ ...second, authorization: first.authorization }), '404');
    await page.close();

    await editor.reload();
    const third = await untilStored(editor, editor.page, [first, second]);
    assert.deepEqual(
      [await statusOf(first), await statusOf({ ...third, authorization: first.authorization }), await statusOf(third)],
      ['nobody there', '404', '200'],
    );
  }).timeout(180_000);
});
