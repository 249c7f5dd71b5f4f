import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { person } from '../person.ts';
import { fakeModel, selectFake } from './fakeModel.ts';

// A valid image, because the editor decodes images.
const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const answerOf = async (response: vscode.LanguageModelChatResponse): Promise<string> => {
  let text = '';
  for await (const part of response.text) text += part;
  return text;
};

suite('The test editor', () => {
  test('lets a test script the fake model and read exactly what it was given', async () => {
    const model = await fakeModel();
    model.respondOnce(['Hello ', 'there']);
    const chosen = await selectFake();
    const question = vscode.LanguageModelChatMessage.User([
      new vscode.LanguageModelTextPart('Who is there?'),
      vscode.LanguageModelDataPart.image(pixel, 'image/png'),
    ]);
    const tool = { name: 'note', description: 'Keeps a note', inputSchema: { type: 'object' } };
    const response = await chosen.sendRequest([question], { tools: [tool], modelOptions: { temperature: 0 } });
    assert.equal(await answerOf(response), 'Hello there');
    assert.deepEqual(model.requests, [
      {
        model: 'sees',
        messages: [
          {
            role: 'user',
            content: [
              { kind: 'text', value: 'Who is there?' },
              { kind: 'data', mimeType: 'image/png', base64: pixel.toString('base64') },
            ],
          },
        ],
        tools: [tool],
        toolMode: 'auto',
        modelOptions: { temperature: 0 },
      },
    ]);
  });

  test('lets the user press the button of a notification', async () => {
    const answer = vscode.window.showWarningMessage('files wants to append to /etc/hosts', 'Allow Once', 'Deny');
    await person.notification('Deny', 'files wants to append');
    assert.equal(await answer, 'Deny');
  });

  test('lets the user answer an input box and pick from a list', async () => {
    const name = vscode.window.showInputBox({ prompt: 'Name' });
    await person.answerInput('memory');
    assert.equal(await name, 'memory');
    const kind = vscode.window.showQuickPick(['Command', 'URL']);
    await person.pick('URL');
    assert.equal(await kind, 'URL');
  });

  test('keeps screenshots of what a user would see', async () => {
    assert.match(await person.screenshot('the test editor'), /screenshots\/the-test-editor\.png$/);
  });

  test('closes the gate to proposed API that the server build leaves open', () => {
    const created = (): unknown =>
      (vscode.chat as unknown as Record<string, () => unknown>)['registerChatOutputRenderer']?.();
    assert.throws(created, /CANNOT use API proposal/);
  });
});
