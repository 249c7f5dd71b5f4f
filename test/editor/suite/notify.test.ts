import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { CancellationSource } from '../../../src/core/index.ts';
import { notify } from '../../../src/editor/shared/notify.ts';
import { person } from '../person.ts';
import { eventually } from './eventually.ts';

/** The part of the editor's storage that a notification uses. */
const memento = (values: Map<string, unknown>): vscode.Memento => ({
  keys: () => [...values.keys()],
  get: (key: string) => values.get(key) as undefined,
  update: async (key, value) => void values.set(key, value),
});

/** The widest of the usual fonts of user interfaces, or the free font of the same widths. */
const WIDE_FONT = 'Verdana, "DejaVu Sans", sans-serif';

suite('A notification', () => {
  const clear = async (): Promise<void> => void (await vscode.commands.executeCommand('notifications.clearAll'));
  setup(clear);
  teardown(clear);

  test('shows its text without links and hidden characters, and returns the pressed button', async () => {
    const pressed: string[] = [];
    const button = (title: string): { title: string; run: () => void } => ({
      title,
      run: () => void pressed.push(title),
    });
    const answer = notify({
      severity: 'warning',
      text: 'files: [Start](command:mcpl.server.start)\nof \u202egnp.exe',
      buttons: [button('Allow Once'), button('Deny')],
    });
    await eventually(
      async () => person.notifications(),
      ['files: [Start] (command:mcpl.server.start) of ‹U+202E›gnp.exe'],
    );
    await person.screenshot('a notification');
    await person.notification('Deny');
    assert.deepEqual([(await answer)?.title, pressed], ['Deny', ['Deny']]);
  });

  test('of a question that has ended says so when a button is pressed, and is no answer', async () => {
    const pressed: string[] = [];
    const question = new CancellationSource();
    const answer = notify({
      severity: 'info',
      text: 'Continue?',
      buttons: [{ title: 'Continue', run: () => void pressed.push('Continue') }],
      token: question.token,
    });
    await eventually(async () => person.notifications(), ['Continue?']);
    question.cancel();
    await person.notification('Continue');
    assert.deepEqual([await answer, pressed], [undefined, []]);
    await eventually(async () => person.notifications(), ['The server no longer waits for an answer.']);
  });

  test('shows the whole titles of its buttons, also with a wide font', async () => {
    const cut = async (...titles: readonly string[]): Promise<readonly string[]> => {
      await clear();
      const text = titles.join(', ');
      void notify({ severity: 'warning', text, buttons: titles.map((title) => ({ title })) });
      await eventually(async () => person.notifications(), [text]);
      return person.cutButtons(WIDE_FONT);
    };
    assert.deepEqual(await cut('Allow Once', 'Session', 'Always', 'Deny'), []);
    await person.screenshot('the answers to an approval, as buttons');
    assert.deepEqual(await cut('Approve', 'Approve Any Definition…', 'Keep Asking'), []);
    assert.deepEqual(await cut('Show Lineage', 'Continue from Last Good', 'Show Log'), []);
    assert.deepEqual(await cut('Keep Mine', "Use the Workspace's", 'Open Settings'), []);
    // The measurement finds titles that are too long.
    const long = await cut('Allow Once', 'Allow for This Session', 'Always Allow in This Workspace', 'Deny');
    assert.ok(
      long.some((button) => button.startsWith('Always Allow in This Workspace: ')),
      long.join('\n'),
    );
  });

  test('can be shown only once, also after a restart', async () => {
    const values = new Map<string, unknown>();
    const show = (text: string): Promise<unknown> =>
      notify({ severity: 'info', text, once: { state: memento(values), key: 'mcpl.test' } });
    const first = show('First');
    assert.equal(await show('Second'), undefined);
    await eventually(async () => person.notifications(), ['First']);
    assert.deepEqual([...values], [['mcpl.test', true]]);
    await clear();
    assert.equal(await first, undefined);
  });
});
