import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { toolsWithoutSecrets, withoutSecrets } from '../../../src/editor/chat/chatRedaction.ts';
import { eventually } from './eventually.ts';
import { fakeModel, selectFake } from './fakeModel.ts';
import { lastAnswer, say, startParts, textsOf, untilOver } from './chatView.ts';
import { cleanSlate, mcpLive, untilTools } from './mcpLive.ts';

const SECRET = 'hunter2-hunter2';
const redact = (text: string): string => text.replaceAll(SECRET, '[secret: TOKEN]');

type Part = vscode.LanguageModelChatMessage['content'][number];
type ResultPart = vscode.LanguageModelToolResultPart['content'][number];

const text = (value: string): vscode.LanguageModelTextPart => new vscode.LanguageModelTextPart(value);
const call = (input: object): vscode.LanguageModelToolCallPart =>
  new vscode.LanguageModelToolCallPart('c1', 'login', input);
const result = (...content: ResultPart[]): vscode.LanguageModelToolResultPart =>
  new vscode.LanguageModelToolResultPart('c1', content);
const picture = vscode.LanguageModelDataPart.image(Buffer.from(SECRET), 'image/png');

/** The parts of one message after the redaction. */
function cleaned(...content: Part[]): readonly Part[] {
  const { User } = vscode.LanguageModelChatMessageRole;
  const [message] = withoutSecrets([new vscode.LanguageModelChatMessage(User, content)], redact);
  return message?.content ?? [];
}

suite('What @mcpl gives a model', () => {
  test('has no secret in its texts, in the arguments of calls, and in results', () => {
    assert.deepEqual(cleaned(text(`Use ${SECRET}, then ${SECRET}.`)), [
      text('Use [secret: TOKEN], then [secret: TOKEN].'),
    ]);
    const [called] = cleaned(call({ token: SECRET, deep: [{ [SECRET]: `Bearer ${SECRET}` }], count: 3 }));
    assert.ok(called instanceof vscode.LanguageModelToolCallPart);
    assert.deepEqual(
      [called.callId, called.name, called.input],
      ['c1', 'login', { token: '[secret: TOKEN]', deep: [{ '[secret: TOKEN]': 'Bearer [secret: TOKEN]' }], count: 3 }],
    );
    const [given] = cleaned(result(text(`It is ${SECRET}.`), picture, text('Nothing.')));
    assert.ok(given instanceof vscode.LanguageModelToolResultPart);
    assert.deepEqual(
      [given.callId, given.content],
      ['c1', [text('It is [secret: TOKEN].'), picture, text('Nothing.')]],
    );
  });

  test('keeps who said it, and every part and message without a secret as the same object', () => {
    const plain = vscode.LanguageModelChatMessage.User([text('Hello.'), result(text('Fine.')), picture]);
    const said = vscode.LanguageModelChatMessage.Assistant([text('Hello.'), text(SECRET)], 'ada');
    const [same, other, ...more] = withoutSecrets([plain, said], redact);
    assert.deepEqual([same === plain, more], [true, []]);
    assert.deepEqual([other?.role, other?.name, other?.content[0] === said.content[0]], [said.role, 'ada', true]);
    assert.deepEqual(other?.content[1], text('[secret: TOKEN]'));
    assert.deepEqual(said.content[1], text(SECRET), 'What was given is not changed.');
  });

  test('has no secret in the descriptions and schemas of tools', () => {
    const tool = (description: string, inputSchema?: object): vscode.LanguageModelChatTool => ({
      name: 'login',
      description,
      ...(inputSchema !== undefined && { inputSchema }),
    });
    const schema = { type: 'object', properties: { a: { default: SECRET }, [SECRET]: {} } };
    const clean = { type: 'object', properties: { a: { default: '[secret: TOKEN]' }, '[secret: TOKEN]': {} } };
    const given = [tool('Plain.', { type: 'object' }), tool('Bare.'), tool(`As ${SECRET}.`), tool('Plain.', schema)];
    const after = toolsWithoutSecrets(given, redact);
    assert.deepEqual(
      after.slice(0, 2).map((each, index) => each === given[index]),
      [true, true],
    );
    assert.deepEqual(after.slice(2), [tool('As [secret: TOKEN].', {}), tool('Plain.', clean)]);
  });

  test('has no secret of a server either in what the user wrote, or in what a tool gave', async () => {
    await cleanSlate();
    (await mcpLive()).testing.answerConsent(async () => 'start');
    try {
      const model = await fakeModel();
      await selectFake();
      await vscode.commands.executeCommand('workbench.action.chat.newChat');
      const rest = { env: { NOTES_TOKEN: SECRET } };
      await startParts({ part: 'notes', id: 'notepad', sets: ['notes.edit'], rest });
      await untilTools('notepad');
      model.respondOnce([`You wrote ${SECRET}.`], [{ call: 'notepad_missing', input: { key: SECRET } }], ['Done.']);
      await say(`My key is ${SECRET}.`);
      await eventually(async () => (await lastAnswer()).startsWith('You wrote'), true);
      await untilOver();
      await say('Again.');
      await eventually(lastAnswer, 'Done.');
      await untilOver();
      const given = model.requests.flatMap(textsOf);
      assert.deepEqual(
        given.filter((line) => line.includes(SECRET)),
        [],
      );
      assert.ok(given.includes('user: My key is [secret: NOTES_TOKEN].'), given.join('\n'));
      assert.ok(given.includes('assistant: You wrote [secret: NOTES_TOKEN].'), given.join('\n'));
      assert.ok(
        given.some((line) => line.includes('<call notepad_missing {"key":"[secret: NOTES_TOKEN]"}>')),
        given.join('\n'),
      );
    } finally {
      await cleanSlate();
    }
  });
});
