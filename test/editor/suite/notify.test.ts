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
