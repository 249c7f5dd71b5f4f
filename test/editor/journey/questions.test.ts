import assert from 'node:assert/strict';
import { inProject } from '../../harness/paths.ts';
import { type JourneyEditor, openJourney } from './journeyEditor.ts';
import { until } from './until.ts';

const script = inProject('node_modules/@modelcontextprotocol/server-everything/dist/index.js');
const everything = { command: process.execPath, args: [script], enabled: true };

suite('A user with a server that asks and lends', () => {
  let opened: JourneyEditor | undefined;

  suiteSetup(async () => {
    opened = await openJourney({ settings: { 'mcpl.servers': { everything } }, trust: 'before' });
    const { person } = opened;
    await person.openContainer('MCP Live');
    await person.notification('Start', 'server-everything');
    await until('a running server', opened, async () =>
      (await person.treeRows()).some((row) => /^everything running .*tools/.test(row)),
    );
    await person.clickTreeItem('everything', 'expand');
    await person.clickTreeItem('Tools', 'expand');
  });

  suiteTeardown(async () => {
    await opened?.close();
  });

  const journey = (): JourneyEditor => {
    assert.ok(opened !== undefined);
    return opened;
  };

  const callTool = async (name: string, heading: string): Promise<void> => {
    const editor = journey();
    await editor.person.clickTreeItem(name, 'Call Tool');
    await until('the form', editor, async () => (await editor.person.webviewTexts('h1')).includes(heading));
  };

  const result = async (pattern: RegExp): Promise<void> => {
    const editor = journey();
    await until(`a result with ${pattern.source}`, editor, async () =>
      (await editor.person.webviewTexts('.result pre')).some((text) => pattern.test(text)),
    );
  };

  test('fills in the form of a server that asks, and the server gets it', async () => {
    const editor = journey();
    const { person } = editor;
    await callTool('trigger-elicitation-request', 'Trigger Elicitation Request Tool');
    await person.press('Control+Enter');
    await person.waitFor('.notification-list-item:has-text("asks: Please provide")');
    await person.screenshot('journey a server asks');
    await person.notification('Answer', 'asks: Please provide');
    const title = editor.page.locator('.quick-input-widget:visible .quick-input-title');
    await title.filter({ hasText: '(1/14)' }).waitFor();
    await person.answerInput('Ada');
    // Everything else is optional, or has a default.
    for (let step = 2; step < 14; step++) {
      await title.filter({ hasText: `(${step}/14)` }).waitFor();
      await person.press('Enter');
    }
    await title.filter({ hasText: '(14/14)' }).waitFor();
    await person.screenshot('journey the answers before a server gets them');
    await person.pick('Submit');
    await result(/"name": "Ada"/);
  });

  test('sees the whole address before a page is opened, and it is opened as it is', async () => {
    const { page, person } = journey();
    const url = 'http://pages.test/visit?next=%2Fa%26b&state=x%2By';
    const visits: string[] = [];
    await page.context().route('http://pages.test/**', async (route) => {
      visits.push(route.request().url());
      await route.fulfill({ body: 'Thank you.' });
    });
    await callTool('trigger-url-elicitation', 'Trigger URL Elicitation Tool');
    await person.webviewFill('.field:has-text("url") input', url);
    await person.press('Control+Enter');
    await person.notification('Show Link…', 'pages.test');
    await person.waitFor(`.monaco-dialog-box:has-text(${JSON.stringify(url)})`);
    await person.screenshot('journey the address of a page');
    assert.deepEqual(visits, []);
    const popup = page.waitForEvent('popup');
    await person.dialog('Open');
    // The editor also asks about every unknown site.
    await person.waitFor('.monaco-dialog-box:has-text("external website")');
    await person.dialog('Open');
    const tab = await popup;
    await tab.waitForLoadState();
    await tab.close();
    await result(/accept/);
    assert.equal(visits[0], url);
  });

  test('lets a server use a model after seeing its prompt, and have the answer after seeing it', async () => {
    const editor = journey();
    const { page, person } = editor;
    await callTool('trigger-sampling-request', 'Trigger Sampling Request Tool');
    await person.webviewFill('.field:has-text("prompt") :is(input, textarea)', 'Say hello');
    await person.press('Control+Enter');
    // A hint under the pointer may cover the button.
    await page.mouse.move(600, 20);
    await person.notification('Review…', 'wants to use Fake');
    await until('the prompt', editor, async () =>
      (await person.webviewTexts('h1')).includes('The server "everything" wants to use a language model'),
    );
    await person.webviewClick('button:has-text("Send to Model")');
    await page.mouse.move(600, 20);
    await person.notification('Review…', 'answered the server "everything"');
    await until('the answer', editor, async () =>
      (await person.webviewTexts('h1')).some((text) => text.endsWith('answered the server "everything"')),
    );
    await person.screenshot('journey an answer before a server gets it');
    await person.webviewClick('button:has-text("Send to Server")');
    await result(/I am a fake model/);
    await person.screenshot('journey a model answered a server');
  });

  test('has an open resource and an open trace back after a reload', async () => {
    const editor = journey();
    const { page, person } = editor;
    await person.command('View: Close All Editors');
    await person.clickTreeItem('Resources', 'expand');
    await person.clickTreeItem('features.md');
    const text = page.locator('.editor-instance .view-lines:has-text("Everything Server")');
    await text.waitFor();
    await person.command('MCP Live: Show Protocol Trace');
    await person.pick('everything');
    await until('the trace', editor, async () => (await person.webviewTexts('.count'))[0] === '0 messages');
    await editor.reload();
    await until('the trace, recording', editor, async () =>
      (await person.webviewTexts('button[aria-pressed="true"]')).includes('Record'),
    );
    await person.screenshot('journey the trace after a reload');
    await page.locator('.tab:has-text("features.md")').click();
    await text.waitFor();
  });
});
