import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { commandLineOf, isAlive, processTree } from '../../harness/processes.ts';
import { type JourneyEditor, openJourney } from './journeyEditor.ts';

const demo = { command: 'mcpl-demo', featureSets: { enabled: ['notes.edit'] } };

/** What a person sees in the end: looked at again and again, because servers take their time. */
const untilTree = async (editor: JourneyEditor, expected: RegExp): Promise<readonly string[]> => {
  let rows: readonly string[] = [];
  for (let round = 0; round < 100; round++) {
    rows = await editor.person.treeRows();
    if (expected.test(rows.join('\n'))) return rows;
    await delay(200);
  }
  await editor.person.screenshot('tree that did not come');
  assert.match(rows.join('\n'), expected);
  return rows;
};

const serverProcesses = (editor: JourneyEditor, script: string): readonly number[] =>
  processTree(editor.pid).filter((pid) => commandLineOf(pid).includes(script));

suite('A person with a first server', () => {
  let opened: JourneyEditor | undefined;

  suiteSetup(async () => {
    opened = await openJourney({ settings: {}, trust: 'yes' });
    await opened.person.openContainer('MCP Live');
  });

  suiteTeardown(async () => {
    await opened?.close();
  });

  const journey = (): JourneyEditor => {
    assert.ok(opened !== undefined);
    return opened;
  };

  test('is asked with the whole command line when settings.json enables it, and it runs after Start', async () => {
    const editor = journey();
    const settings = { 'mcpl.servers': { demo: { ...demo, enabled: true } } };
    await editor.writeFile('.vscode/settings.json', JSON.stringify(settings, undefined, 2));
    await untilTree(editor, /^demo waiting/);
    await editor.person.waitFor('.notification-list-item:has-text("mcpl-demo")');
    await editor.person.screenshot('journey 1 the question');
    assert.deepEqual(serverProcesses(editor, 'demo.js'), []);
    await editor.person.notification('Start', 'mcpl-demo');
    await untilTree(editor, /^demo running .* tools/);
    await editor.person.screenshot('journey 2 running');
  });

  test('lets a model call its tool, and sees the answer in the chat', async () => {
    const { page, person } = journey();
    const allow = page.locator('.interactive-session .monaco-button:has-text("Allow")').first();
    // The editor takes a moment to list the tools of a server that just started: like a person, say it again.
    for (let attempt = 0; attempt < 5 && !(await allow.isVisible()); attempt++) {
      await page.locator('.chat-input-container').first().click();
      await person.type('@fake call add_note {"title": "Milk", "text": "Two litres"}');
      await person.press('Escape');
      await person.press('Enter');
      await allow.waitFor({ timeout: 6_000 }).catch(() => undefined);
    }
    await allow.click();
    await page.locator('.interactive-session :text("The tool answered")').first().waitFor();
    await person.screenshot('journey 3 the answer');
    assert.match((await person.texts('.interactive-response')).join('\n'), /The tool answered: .*Milk/s);
  });

  test('stops it with the button of its row, and no process is left', async () => {
    const editor = journey();
    const processes = serverProcesses(editor, 'demo.js');
    assert.equal(processes.length, 1);
    await editor.person.clickTreeItem('demo', 'Stop');
    await untilTree(editor, /^demo stopped/);
    assert.deepEqual(processes.filter(isAlive), []);
  });
});

suite('A person who does not trust the folder', () => {
  let opened: JourneyEditor | undefined;

  suiteTeardown(async () => {
    await opened?.close();
  });

  test('has no server started, whatever its settings say, and is told why', async () => {
    opened = await openJourney({
      settings: {
        'mcpl.servers': {
          demo: { ...demo, enabled: true },
          own: { command: 'touch', args: ['started'], enabled: true },
        },
      },
      trust: 'no',
    });
    await opened.person.openContainer('MCP Live');
    await opened.person.waitFor('.sidebar :text-matches("trust", "i")');
    await opened.person.screenshot('journey restricted mode');
    assert.deepEqual(serverProcesses(opened, 'demo.js'), []);
    assert.equal(existsSync(`${opened.workspace}/started`), false);
  });
});
