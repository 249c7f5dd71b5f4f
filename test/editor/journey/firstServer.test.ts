import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { commandLineOf, isAlive, processTree } from '../../harness/processes.ts';
import { type JourneyEditor, openJourney } from './journeyEditor.ts';
import { until } from './until.ts';

/** It ignores the end of its input, so only the host can end it. */
const oldServer = join(
  dirname(createRequire(import.meta.url).resolve('server-everything-0.6.2/package.json')),
  'dist/index.js',
);

const demo = { command: 'mcpl-demo', featureSets: { enabled: ['notes.edit'] } };

/** Polls the visible tree, because servers take time. */
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

const processesOf = (editor: JourneyEditor, text: string): readonly number[] =>
  processTree(editor.pid).filter((pid) => commandLineOf(pid).includes(text));

const writeServers = async (editor: JourneyEditor, servers: Readonly<Record<string, unknown>>): Promise<void> =>
  editor.writeFile('.vscode/settings.json', JSON.stringify({ 'mcpl.servers': servers }, undefined, 2));

const allRunning = async (editor: JourneyEditor): Promise<boolean> => {
  const rows = await editor.person.treeRows();
  return ['demo', 'old'].every((id) => rows.some((row) => row.startsWith(`${id} running`)));
};

suite('A user with a first server', () => {
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
    await writeServers(editor, { demo: { ...demo, enabled: true } });
    await untilTree(editor, /^demo waiting/);
    await editor.person.waitFor('.notification-list-item:has-text("mcpl-demo")');
    await editor.person.screenshot('journey 1 the question');
    assert.deepEqual(processesOf(editor, 'demo.js'), []);
    await editor.person.notification('Start', 'mcpl-demo');
    await untilTree(editor, /^demo running .* tools/);
    await editor.person.screenshot('journey 2 running');
  });

  test('lets a model call its tool, and sees the answer in the chat', async () => {
    const { page, person } = journey();
    const allow = page.locator('.interactive-session .monaco-button:has-text("Allow")').first();
    // The editor needs a moment to list a new server's tools. Sends the prompt again, like a user.
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
    const processes = processesOf(editor, 'demo.js');
    assert.equal(processes.length, 1);
    await editor.person.clickTreeItem('demo', 'Stop');
    await untilTree(editor, /^demo stopped/);
    assert.deepEqual(processes.filter(isAlive), []);
  });

  test('has all servers back without a question when the extension host is killed, and none of the old ones is left', async () => {
    const editor = journey();
    const old = { command: process.execPath, args: [oldServer], enabled: true };
    await writeServers(editor, { demo: { ...demo, enabled: true }, old });
    await editor.person.notification('Start', 'server-everything');
    await editor.person.clickTreeItem('demo', 'Start');
    await until('both servers', editor, () => allRunning(editor));

    const [host] = processesOf(editor, '--type=extensionHost');
    const before = [...processesOf(editor, 'demo.js'), ...processesOf(editor, oldServer)];
    assert.ok(host !== undefined && before.length === 2);
    process.kill(host, 'SIGKILL');

    await until('the end of the old servers', editor, () => Promise.resolve(!before.some(isAlive)));
    await until('both servers again', editor, () => allRunning(editor));
    const after = [...processesOf(editor, 'demo.js'), ...processesOf(editor, oldServer)];
    assert.equal(after.length, 2);
    assert.deepEqual(
      after.filter((pid) => before.includes(pid)),
      [],
    );
  });
});

suite('A user who does not trust the folder', () => {
  let opened: JourneyEditor | undefined;

  suiteTeardown(async () => {
    await opened?.close();
  });

  test('has no server started, whatever its settings say, and sees why', async () => {
    const own = { command: 'touch', args: ['started'], enabled: true };
    const servers = { demo: { ...demo, enabled: true }, own };
    opened = await openJourney({ settings: { 'mcpl.servers': servers }, trust: 'no' });
    await opened.person.openContainer('MCP Live');
    await opened.person.waitFor('.sidebar :text-matches("trust", "i")');
    await opened.person.screenshot('journey restricted mode');
    assert.deepEqual(processesOf(opened, 'demo.js'), []);
    assert.equal(existsSync(`${opened.workspace}/started`), false);
  });
});
