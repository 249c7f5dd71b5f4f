import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { type JourneyEditor, openJourney } from './journeyEditor.ts';

const settingsWith = (name: string): Readonly<Record<string, unknown>> => ({
  'mcpl.servers': { [name]: { command: 'mcpl-demo' } },
});

const inFolder = (name: string): string => JSON.stringify(settingsWith(name), undefined, 2);

const untilRows = async (editor: JourneyEditor, expected: readonly string[]): Promise<void> => {
  let names: readonly string[] = [];
  for (let round = 0; round < 100; round++) {
    const rows = await editor.person.treeRows();
    names = rows.map((row) => row.split(' ')[0] ?? '').toSorted();
    if (names.join() === expected.join()) return;
    await delay(200);
  }
  await editor.person.screenshot('servers of folders that did not come');
  assert.deepEqual(names, expected);
};

suite('A user with several folders in one window', () => {
  let opened: JourneyEditor | undefined;

  suiteSetup(async () => {
    opened = await openJourney({
      roots: ['one', 'two'],
      settings: settingsWith('ofWindow'),
      files: { 'one/.vscode/settings.json': inFolder('ofOne'), 'two/.vscode/settings.json': inFolder('ofTwo') },
      trust: 'no',
    });
    await opened.person.openContainer('MCP Live');
  });

  suiteTeardown(async () => {
    await opened?.close();
  });

  const journey = (): JourneyEditor => {
    assert.ok(opened !== undefined);
    return opened;
  };

  test('sees no server of any of them in Restricted Mode', async () => {
    const { person } = journey();
    await person.waitFor('.sidebar :text-matches("trust", "i")');
    assert.deepEqual(await person.treeRows(), []);
  });

  test('sees the servers of the window and of every folder once they are trusted', async () => {
    const editor = journey();
    await editor.trust();
    await untilRows(editor, ['ofOne', 'ofTwo', 'ofWindow']);
    await editor.person.screenshot('journey several folders');
  });

  test('sees a server that is added to the settings of the second folder later', async () => {
    const editor = journey();
    await editor.writeFile('two/.vscode/settings.json', inFolder('later'));
    await untilRows(editor, ['later', 'ofOne', 'ofWindow']);
  });
});
