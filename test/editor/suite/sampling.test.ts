import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { person } from '../person.ts';
import { asks, asksModel, startAsking, takesBack } from './askingServer.ts';
import { eventually } from './eventually.ts';
import { fakeModel } from './fakeModel.ts';
import { cleanSlate, mcpLive } from './mcpLive.ts';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const WANTS = 'The server "asking" wants to use Fake sees';

const headings = (): Promise<readonly string[]> => person.webviewTexts('h1');
const toasts = async (): Promise<string> => (await person.notifications()).join('\n');
const noTabs = (): Promise<void> =>
  eventually(async () => vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs).length, 0);
const asked = (): Promise<void> => eventually(headings, ['The server "asking" wants to use a language model']);
const answered = (): Promise<void> => eventually(headings, ['Fake sees answered the server "asking"']);

/** Selects with the keyboard, like on the editor's own page. */
const remember = async (lifetime: 'session' | 'workspace'): Promise<void> => {
  await person.webviewClick('.field:has-text("Remember my decision") select');
  await person.press('ArrowDown');
  if (lifetime === 'workspace') await person.press('ArrowDown');
  await person.press('Enter');
};

/** Each test has its own program, without remembered answers. */
let programs = 0;

suite('A server that uses a model', () => {
  setup(async () => {
    await cleanSlate();
    (await mcpLive()).testing.answerConsent(async () => 'start');
    await startAsking(`program-${++programs}`);
    await fakeModel();
  });
  teardown(async () => {
    (await fakeModel()).reset();
    await cleanSlate();
  });

  test('gets an answer after the prompt was changed, and the answer as well', async () => {
    const model = await fakeModel();
    model.respondOnce(['Good ', 'morning, sir.']);
    const called = asksModel('Say hello', { systemPrompt: 'Be brief.', temperature: 0.7 });
    await person.notification('Review…', WANTS);
    await asked();
    await person.screenshot('a prompt of a server');
    await person.webviewFill('.field:has-text("Prompt") textarea', 'Say good morning');
    await person.webviewClick('button:has-text("Send to Model")');
    await person.notification('Review…', 'Fake sees answered the server "asking": "Good morning, sir."');
    await answered();
    await person.screenshot('an answer before the server gets it');
    await person.webviewFill('.field:has-text("Answer") textarea', 'Good morning.');
    await person.webviewClick('button:has-text("Send to Server")');
    assert.deepEqual(JSON.parse(await called), {
      result: {
        role: 'assistant',
        content: { type: 'text', text: 'Good morning.' },
        model: 'sees',
        stopReason: 'endTurn',
      },
    });
    assert.deepEqual(
      model.requests.map(({ messages, modelOptions }) => [messages.map(({ content }) => content), modelOptions]),
      [
        [
          [[{ kind: 'text', value: 'Be brief.' }], [{ kind: 'text', value: 'Say good morning' }]],
          { max_tokens: 100, temperature: 0.7 },
        ],
      ],
    );
  });

  test('gets a refusal: the prompt was declined, or the answer discarded', async () => {
    const model = await fakeModel();
    const declined = asksModel('Say hello');
    await person.notification('Decline', WANTS);
    assert.deepEqual(JSON.parse(await declined), { error: { code: -1, message: 'User rejected sampling request' } });
    assert.equal(model.requests.length, 0);
    const discarded = asksModel('Say hello');
    await person.notification('Allow', WANTS);
    await person.notification('Discard', 'answered the server');
    assert.deepEqual(JSON.parse(await discarded), { error: { code: -1, message: 'User rejected sampling request' } });
    assert.equal(model.requests.length, 1);
  });

  test('asks no more once that was decided, until another program has its name, or it is forgotten', async () => {
    const model = await fakeModel();
    model.respondWith(['Yes.']);
    const first = asksModel('One');
    await person.notification('Review…', WANTS);
    await asked();
    await remember('workspace');
    await person.webviewClick('button:has-text("Send to Model")');
    await person.notification('Review…', 'answered the server');
    await answered();
    await remember('session');
    await person.webviewClick('button:has-text("Send to Server")');
    assert.match(await first, /Yes\./);
    await noTabs();
    assert.match(await asksModel('Two'), /Yes\./);
    await startAsking('another');
    const other = asksModel('Three');
    await person.notification('Decline', WANTS);
    assert.match(await other, /rejected/);
    await startAsking(`program-${programs}`);
    assert.match(await asksModel('Four'), /Yes\./);
    const forgotten = vscode.commands.executeCommand('mcpl.sampling.forget', { server: 'asking' });
    await eventually(
      () => person.texts('.quick-input-list .monaco-list-row .label-description'),
      [
        'It gets answers of models without a review · this session',
        'Its prompts go to a model without a question · always',
      ],
    );
    await person.screenshot('what is remembered of servers that use models');
    for (const text of ['Its prompts go', 'It gets answers']) await person.pick(text);
    await person.click('.quick-input-widget .quick-input-action .monaco-button');
    await forgotten;
    const last = asksModel('Five');
    await person.notification('Decline', WANTS);
    assert.match(await last, /rejected/);
    assert.equal(model.requests.length, 3);
  });

  test('is refused without a question once it was declined for good', async () => {
    const first = asksModel('One');
    await person.notification('Review…', WANTS);
    await asked();
    await remember('workspace');
    await person.webviewClick('button:has-text("Decline")');
    assert.match(await first, /rejected/);
    assert.match(await asksModel('Two'), /rejected/);
    assert.deepEqual([(await fakeModel()).requests, await person.notifications()], [[], []]);
  });

  test('is asked about again once its budget is used up, whatever was decided', async () => {
    const model = await fakeModel();
    model.respondWith(['Yes.']);
    await startAsking(`program-${programs}`, { inference: { requestsPerHour: 1 } });
    const first = asksModel('One');
    await person.notification('Review…', WANTS);
    await asked();
    await remember('session');
    await person.webviewClick('button:has-text("Send to Model")');
    await person.notification('Send', 'answered the server');
    assert.match(await first, /Yes\./);
    const { host } = await mcpLive();
    await eventually(async () => (host.modelUses.budget('asking')?.requestsLastHour ?? 0) > 0, true);
    const second = asksModel('Two');
    await person.notification('Review…', WANTS);
    await asked();
    const remarks = await person.webviewTexts('.banner.warning');
    assert.match(remarks.join(' '), /This server may make 1 request to a model an hour/);
    await person.screenshot('a prompt beyond the budget');
    await person.webviewClick('button:has-text("Decline")');
    assert.match(await second, /rejected/);
    const totals = await host.modelUses.totals(0);
    assert.deepEqual(
      totals.filter(({ server }) => server === 'asking').map(({ route, model: used }) => `${route} ${used}`),
      ['sampling fake/sees'],
    );
  });

  test('takes its request back, and whatever was open closes: the page, the model that runs, the answer', async () => {
    const model = await fakeModel();
    const onPage = asksModel('On a page');
    await person.notification('Review…', WANTS);
    await asked();
    await takesBack();
    assert.match(await onPage, /cancelled/);
    await noTabs();

    let ended = false;
    model.respondOnce(async (_request, token) => {
      await new Promise<void>((resolve) => token.onCancellationRequested(() => resolve()));
      ended = true;
      return ['Too late.'];
    });
    const running = asksModel('With a model that runs');
    await person.notification('Allow', WANTS);
    await model.arrived(1);
    await eventually(async () => (await toasts()).includes('Fake sees answers the server "asking"'), true);
    await takesBack();
    assert.match(await running, /cancelled/);
    await eventually(async () => ended, true);
    await eventually(async () => (await toasts()).includes('answers the server'), false);

    const waiting = asksModel('With an answer that waits');
    await eventually(async () => (await toasts()).includes('With an answer that waits'), true);
    await person.notification('Allow', 'With an answer that waits');
    await person.notification('Review…', 'Fake sees answered the server');
    await answered();
    await takesBack();
    assert.match(await waiting, /cancelled/);
    await noTabs();
    const { testing } = await mcpLive();
    assert.deepEqual(testing.services.asked.waiting, []);
  });

  test('sends pictures and gets some; they are shown, and no sound is sent', async () => {
    const model = await fakeModel();
    model.respondOnce(['A dot: ', new vscode.LanguageModelDataPart(Buffer.from(PIXEL, 'base64'), 'image/png')]);
    const seen = asks('sampling/createMessage', {
      messages: [
        { role: 'user', content: { type: 'text', text: 'What is this?' } },
        { role: 'user', content: { type: 'image', data: PIXEL, mimeType: 'image/png' } },
      ],
      maxTokens: 10,
    });
    await person.notification('Review…', WANTS);
    await asked();
    await eventually(() => person.webviewTexts('figcaption'), ['Image, image/png, 1 KB']);
    await person.screenshot('a prompt of a server with a picture');
    await person.webviewClick('button:has-text("Send to Model")');
    await person.notification('Review…', 'answered the server');
    await answered();
    await eventually(() => person.webviewTexts('figcaption'), ['Image, image/png, 1 KB']);
    await person.webviewClick('button:has-text("Send to Server")');
    assert.deepEqual(JSON.parse(await seen), {
      result: {
        role: 'assistant',
        content: [
          { type: 'text', text: 'A dot: ' },
          { type: 'image', data: PIXEL, mimeType: 'image/png' },
        ],
        model: 'sees',
        stopReason: 'endTurn',
      },
    });
    assert.deepEqual(
      model.requests[0]?.messages.map(({ content }) => content),
      [[{ kind: 'text', value: 'What is this?' }], [{ kind: 'data', mimeType: 'image/png', base64: PIXEL }]],
    );
    const heard = await asks('sampling/createMessage', {
      messages: [{ role: 'user', content: { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' } }],
      maxTokens: 10,
    });
    const message = 'No model is available: The language models of this editor take text and pictures, and no sound.';
    assert.deepEqual(JSON.parse(heard), { error: { code: -32603, message } });
    assert.equal(model.requests.length, 1);
  });

  test('gets the model that its hints name', async () => {
    const called = asksModel('Hello', {
      modelPreferences: { hints: [{ name: 'nothing' }, { name: 'reads' }], cost: 1 },
    });
    await person.notification('Allow', 'wants to use Fake reads');
    await person.notification('Review…', 'Fake reads answered');
    await person.webviewClick('button:has-text("Send to Server")');
    assert.match(await called, /"model":"reads"/);
  });

  test('gets an error within two seconds if there is no model, and so does the user', async () => {
    const model = await fakeModel();
    model.hide();
    await eventually(async () => (await vscode.lm.selectChatModels()).length, 0);
    const before = Date.now();
    const told = JSON.parse(await asksModel('Hello'));
    const took = Date.now() - before;
    const reason = 'This editor has no language model now. Install or sign in to one, then try again.';
    assert.deepEqual(told, { error: { code: -32603, message: `No model is available: ${reason}` } });
    assert.ok(took < 2_500, `It took ${took} ms.`);
    await eventually(async () => (await toasts()).includes(reason), true);
    await person.screenshot('a server that gets no model');
  });
});
