import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { ResultView } from '../../../src/core/index.ts';
import { person } from '../person.ts';
import { eventually } from './eventually.ts';
import { startEverything } from './everything.ts';
import { fakeModel } from './fakeModel.ts';
import { cleanSlate, mcpLive } from './mcpLive.ts';

const call = async (tool: string, args: Record<string, string | number> = {}): Promise<ResultView> => {
  const { host } = await mcpLive();
  return host.callTool({ server: 'everything', tool, args, route: 'api' });
};
const texts = (selector: string): Promise<readonly string[]> => person.webviewTexts(selector);
const message = async (): Promise<string> => (await person.notifications()).join('\n');

suite('What servers ask', () => {
  setup(async () => {
    await cleanSlate();
    (await mcpLive()).testing.answerConsent(async () => 'start');
    await startEverything();
    await fakeModel();
  });
  teardown(cleanSlate);

  test('a form: told by a notification, found again in the view, filled in, and sent', async () => {
    const called = call('trigger-elicitation-request');
    await eventually(async () => (await message()).includes('The server "everything" asks: Please provide'), true);
    await person.openContainer('MCP Live');
    await eventually(async () => (await person.treeRows())[0]?.startsWith('everything 1 question · running'), true);
    await person.notification('Answer');
    await eventually(() => texts('h1'), ['The server "everything" asks']);
    await person.webviewClick('button:has-text("Submit")');
    await eventually(async () => (await texts('.invalid .error')).length, 1);
    await person.screenshot('a form of a server');
    await person.webviewFill('.field:has-text("Name") input', 'Ada');
    // What is entered stays while the tab is hidden.
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ content: 'covers the form' }));
    await vscode.commands.executeCommand('mcpl.question.show');
    await eventually(() => texts('h1'), ['The server "everything" asks']);
    await person.webviewClick('button:has-text("Submit")');
    const { modelText } = await called;
    assert.match(modelText, /"action": "accept"/);
    assert.match(modelText, /"name": "Ada"/);
    assert.match(modelText, /"integer": 42/);
    await eventually(async () => (await person.treeRows())[0]?.includes('question'), false);
  });

  test('a form that is declined, and one that is closed', async () => {
    const declined = call('trigger-elicitation-request');
    await person.notification('Decline');
    assert.match((await declined).modelText, /"action": "decline"/);
    const closed = call('trigger-elicitation-request');
    await person.notification('Answer');
    await eventually(() => texts('h1'), ['The server "everything" asks']);
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    assert.match((await closed).modelText, /"action": "cancel"/);
  });

  test('a model: the person sees the prompt, changes it, and the answer goes to the server', async () => {
    const model = await fakeModel();
    model.respondOnce(['Good ', 'morning.']);
    const called = call('trigger-sampling-request', { prompt: 'Say hello', maxTokens: 50 });
    await person.notification('Review…', 'wants to use Fake sees');
    await eventually(() => texts('h1'), ['The server "everything" wants to use a language model']);
    await person.screenshot('the prompt of a server');
    await person.webviewFill('.field:has-text("Prompt") textarea', 'Say good morning');
    await person.webviewClick('button:has-text("Send to Model")');
    assert.match((await called).modelText, /Good morning\./);
    assert.deepEqual(
      model.requests.map(({ messages, modelOptions }) => [messages.map(({ content }) => content), modelOptions]),
      [
        [
          [[{ kind: 'text', value: 'You are a helpful test server.' }], [{ kind: 'text', value: 'Say good morning' }]],
          { max_tokens: 50, temperature: 0.7 },
        ],
      ],
    );
  });

  test('a model, declined', async () => {
    const called = call('trigger-sampling-request', { prompt: 'Say hello', maxTokens: 50 });
    await person.notification('Decline', 'wants to use Fake sees');
    await assert.doesNotReject(called.catch((error: unknown) => assert.match(String(error), /rejected|declined/i)));
    assert.deepEqual((await fakeModel()).requests, []);
  });

  test('closing the form of a call that was cancelled', async () => {
    const { host } = await mcpLive();
    const source = new vscode.CancellationTokenSource();
    const request = { server: 'everything', tool: 'trigger-elicitation-request', args: {}, route: 'api' } as const;
    const called = host.callTool(request, { token: source.token });
    await person.notification('Answer');
    await eventually(() => texts('h1'), ['The server "everything" asks']);
    await host.stop('everything');
    await assert.rejects(called);
    await eventually(async () => vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs).length, 0);
    source.dispose();
  });
});
