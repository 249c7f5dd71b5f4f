import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { AnswerPart, FakeModelApi } from '../../extensions/fakeModel/api.ts';
import { person } from '../person.ts';
import {
  answerInChat,
  answers,
  clickInChat,
  lastAnswer,
  paramsOf,
  say,
  startParts,
  textsOf,
  untilOver,
} from './chatView.ts';
import { eventually } from './eventually.ts';
import { fakeModel, selectFake } from './fakeModel.ts';
import { referenceServer, startEverything } from './everything.ts';
import { cleanSlate, mcpLive, setServers, until, untilServer, untilTools } from './mcpLive.ts';

const MEMORY = { part: 'memory', sets: ['memory.retrieval', 'memory.extraction'] } as const;
const COMPLIANCE = { part: 'compliance', sets: ['compliance.redaction'] } as const;
const STATE = { part: 'state', sets: ['state.book'] } as const;
const NOTES = { part: 'notes', id: 'notepad', sets: ['notes.edit'] } as const;

const forgetStates = async (): Promise<void> => {
  const { host } = await mcpLive();
  await host.lineages.loaded();
  for (const { server, featureSet } of host.lineages.list()) await host.lineages.forget({ server, featureSet });
};

/** A class of the editor that is not part of the stable types, but that thinking models return. */
const thought = (value: string): AnswerPart => {
  const { LanguageModelThinkingPart: Thought } = vscode as unknown as {
    readonly LanguageModelThinkingPart: new (value: string) => vscode.LanguageModelTextPart;
  };
  return new Thought(value);
};

suite('The rounds of a chat with @mcpl', () => {
  let model: FakeModelApi;

  setup(async () => {
    await cleanSlate();
    (await mcpLive()).testing.answerConsent(async () => 'start');
    await forgetStates();
    model = await fakeModel();
    await selectFake();
    await vscode.commands.executeCommand('workbench.action.chat.newChat');
  });
  teardown(async () => {
    (await mcpLive()).testing.lineage.answerWith(undefined);
    await forgetStates();
    await cleanSlate();
  });

  test('have the hooks of two servers each, ask before a tool runs, hide a secret that streams, and can be gone back', async () => {
    await startParts(MEMORY, COMPLIANCE, STATE);
    await untilTools('state');
    const { host, testing } = await mcpLive();
    for (const server of ['memory', 'compliance', 'state']) host.trace(server).set(true);
    model.respondOnce(['Hello, Ada.']);
    await say('My name is Ada.');
    await eventually(lastAnswer, 'Hello, Ada.');
    await untilOver();

    await person.watch('.monaco-workbench .interactive-session, .monaco-aria-container');
    model.respondOnce(
      [thought('First a page.'), 'I write a page.', { call: 'state_add_page', input: { text: 'Ada' } }],
      ['And another.', { call: 'state_add_page', input: { text: 'Her key' } }],
      ['The key is sk-1', '2345', '67890', 'abc', 'def.'],
    );
    await say('Write my name and the key down.');
    await eventually(async () => /May state run add_page\? .*"text": "Ada"/.test(await lastAnswer()), true);
    await person.screenshot('a tool that asks in the chat');
    await answerInChat('Allow in This Chat');
    await eventually(async () => (await lastAnswer()).includes('[REDACTED]'), true);
    await untilOver();
    await person.screenshot('a turn of three rounds');
    assert.match(await lastAnswer(), /Changed by compliance\. Roll Back to Before add_page/);
    assert.deepEqual(
      (await person.seen()).filter((text) => /sk-1|2345|67890|abc|def\./.test(text)),
      [],
    );

    const opening = [
      'user: My name is Ada.',
      'assistant: Hello, Ada.',
      'user: <context server="memory" namespace="memory">\n<memories>\n- The user\'s name is Ada.\n</memories>\n</context>',
      'user: Write my name and the key down.',
    ];
    const first = [
      'assistant: <unknown {"$mid":22,"value":"First a page."}>I write a page.<call state_add_page {"text":"Ada"}>',
      'user: <result Added page 1.>',
    ];
    const second = ['assistant: And another.<call state_add_page {"text":"Her key"}>', 'user: <result Added page 2.>'];
    assert.deepEqual(model.requests.slice(1).map(textsOf), [
      opening,
      [...opening, ...first],
      [...opening, ...first, ...second],
    ]);
    const turns = async (server: string, method: string): Promise<readonly unknown[]> =>
      (await paramsOf(server, method)).map(({ turnIndex, userMessage }) => [turnIndex, userMessage]);
    const asked = [
      [0, 'My name is Ada.'],
      [1, 'Write my name and the key down.'],
      [1, null],
      [1, null],
    ];
    assert.deepEqual(await turns('memory', 'context/beforeInference'), asked);
    assert.deepEqual(await turns('memory', 'context/afterInference'), asked);
    assert.deepEqual(await turns('compliance', 'context/afterInference'), asked);
    const ids = (await paramsOf('memory', 'beforeInference')).map(({ inferenceId }) => inferenceId);
    assert.equal(new Set(ids).size, 4);

    testing.lineage.answerWith(async () => 'Roll Back');
    await clickInChat('Roll Back to Before add_page');
    await until(
      host.lineages.onDidChange,
      'one page',
      () => host.lineages.list()[0]?.head?.args?.includes('Ada') === true,
    );

    // The next turn contains tool results, but not the secret.
    model.respondOnce(['Two pages.']);
    await say('How many pages are there?');
    await eventually(lastAnswer, 'Two pages.');
    assert.deepEqual(model.requests.map(textsOf).at(-1)?.slice(2), [
      'user: Write my name and the key down.',
      'assistant: I write a page.<call state_add_page {"text":"Ada"}>',
      'user: <result Added page 1.>',
      ...second,
      'assistant: The key is [REDACTED].',
      'user: How many pages are there?',
    ]);
    const used = await host.modelUses.totals(0);
    assert.ok(used.some(({ route, server, requests }) => route === 'chat' && server === undefined && requests >= 5));
  });

  test('end with what the model says to a tool that was denied, that failed, and that there is not', async () => {
    await startParts(NOTES);
    await untilTools('notepad');
    model.respondOnce(
      [{ call: 'notepad_list_notes' }],
      [{ call: 'notepad_nothing' }, { call: 'notepad_delete_note', input: { id: 'note-99' } }],
      ['I could not.'],
    );
    await say('Delete all');
    await eventually(async () => (await lastAnswer()).includes('May notepad run list_notes?'), true);
    await answerInChat('Deny');
    await eventually(async () => (await lastAnswer()).includes('May notepad run delete_note?'), true);
    await answerInChat('Allow');
    await eventually(async () => (await lastAnswer()).includes('I could not.'), true);
    await untilOver();
    const results = model.requests.at(-1) === undefined ? [] : textsOf(model.requests.at(-1)!);
    assert.deepEqual(
      results.filter((line) => line.startsWith('user: <result')).map((line) => line.slice(0, 120)),
      [
        'user: <result The tool was not called: The user did not allow it.>',
        'user: <result There is no tool "notepad_nothing". Call one of those that are offered.><result The tool says that it fail',
      ],
    );
  });

  test('are stopped while a tool waits for an answer, and the next turn goes on', async () => {
    await startParts(NOTES);
    await untilTools('notepad');
    model.respondOnce([{ call: 'notepad_list_notes' }]);
    await say('List them');
    await eventually(async () => (await lastAnswer()).includes('May notepad run list_notes?'), true);
    await person.click('.chat-input-container .codicon-stop-circle');
    await untilOver();
    const shown = await answers();
    await person.click('.interactive-response a[data-href^="command:_mcpl"]:text-is("Always Allow")');
    // The message of an earlier test may still be visible.
    const told = 'This question was answered already, or is over.';
    await eventually(async () => (await person.notifications()).includes(told), true);
    const { host } = await mcpLive();
    assert.ok(host.server('notepad')?.tools.every(({ autoApproved }) => !autoApproved));
    model.respondOnce(['Fine.']);
    await say('Never mind');
    await eventually(lastAnswer, 'Fine.');
    assert.equal((await answers()).length, shown.length + 1);
  });

  test('stop after fifteen, and go on when the user says so', async () => {
    await startParts({ ...NOTES, rest: { tools: { autoApprove: ['list_notes'] } } });
    await untilTools('notepad');
    model.respondWith([{ call: 'notepad_list_notes' }]);
    await say('List them for ever');
    await eventually(async () => (await lastAnswer()).includes('The model did not finish within 15 rounds.'), true);
    await untilOver();
    assert.equal(model.requests.length, 15);
    model.respondWith(['Done.']);
    await person.click(
      '.interactive-session-followups .monaco-button:has-text("Continue"), .interactive-session-followups a:has-text("Continue")',
    );
    await eventually(lastAnswer, 'Done.');
    assert.equal(model.requests.at(-1)?.messages.filter(({ content }) => content[0]?.kind === 'toolResult').length, 15);
  });

  test('are of the same conversation as calls of another participant in the same chat', async () => {
    await startParts({ ...NOTES, rest: { tools: { autoApprove: ['list_notes'] } } });
    await untilTools('notepad');
    const isThere = async (): Promise<boolean> => vscode.lm.tools.some(({ name }) => /^mcp_.*_list_notes$/.test(name));
    await eventually(isThere, true);
    const { host } = await mcpLive();
    const calls: (string | undefined)[][] = [];
    const listening = host.onDidChangeOperation(({ request, state }) => {
      if (state.kind === 'succeeded') calls.push([request.route, request.conversationId]);
    });
    model.respondOnce([{ call: 'notepad_list_notes' }], ['None.']);
    await say('List them');
    await eventually(lastAnswer, 'None.');
    await untilOver();
    model.reset();
    const query = '@fake call list_notes';
    await vscode.commands.executeCommand('workbench.action.chat.open', { query, isPartialQuery: false });
    await eventually(async () => calls.length, 2);
    listening.dispose();
    await untilOver();
    const conversation = calls[0]?.[1];
    assert.match(String(conversation), /^[\w-]{36}$/);
    assert.deepEqual(calls, [
      ['participant', conversation],
      ['gateway', conversation],
    ]);
  });

  test('refuse an attached tool whose server stopped, and never call the same tool of another server instead', async () => {
    const rest = { tools: { autoApprove: ['list_notes'] } };
    await startParts({ ...NOTES, id: 'alpha', rest }, { ...NOTES, id: 'beta', rest });
    for (const server of ['alpha', 'beta']) await untilTools(server);
    const listed = (): readonly string[] =>
      vscode.lm.tools.map(({ name }) => name).filter((name) => /^mcp_.*_list_notes$/.test(name));
    await eventually(async () => listed().filter((name) => /alpha|beta/.test(name)).length, 2);
    const attached = listed().find((name) => name.includes('alpha')) ?? assert.fail(listed().join());
    const { host } = await mcpLive();
    const calls: string[] = [];
    const listening = host.onDidChangeOperation(({ request: { server, route }, state }) =>
      calls.push(`${server} ${route} ${state.kind}`),
    );
    model.respondOnce(async () => {
      await host.stop('alpha');
      await eventually(async () => listed().includes(attached), false);
      return [{ call: attached, input: {} }];
    }, ['It is gone.']);
    await say('List the notes of alpha', { toolIds: [attached] });
    await eventually(lastAnswer, 'It is gone.');
    await untilOver();
    listening.dispose();
    const offered = model.requests[0]?.tools.map(({ name }) => name) ?? [];
    assert.deepEqual(
      [offered.includes(attached), offered.includes('beta_list_notes'), calls],
      [true, true, []],
      offered.join(),
    );
    assert.equal(
      textsOf(model.requests.at(-1)!).at(-1),
      `user: <result The tool "${attached}" changed since it was attached. The user has to attach it again.>`,
    );
    assert.equal(host.server('beta')?.state.kind, 'running');
  });

  test('give the model pictures, structures and links of tools as what they are, and the user the links', async () => {
    await startEverything();
    const { host } = await mcpLive();
    const tools = ['get-tiny-image', 'get-structured-content', 'get-resource-links'];
    for (const tool of tools) await host.setAutoApproved('everything', [tool], true);
    await setServers({
      everything: { ...referenceServer('server-everything'), enabled: true, tools: { autoApprove: tools } },
    });
    await untilServer(
      'everything',
      'its tools approved',
      (server) => server?.tools.some(({ autoApproved }) => autoApproved) === true,
    );
    model.respondOnce(
      tools.map((tool) => ({
        call: `everything_${tool}`,
        input:
          tool === 'get-structured-content'
            ? { location: 'Chicago' }
            : tool === 'get-resource-links'
              ? { count: 2 }
              : {},
      })),
      ['All there.'],
    );
    await say('Get everything');
    await eventually(async () => (await lastAnswer()).includes('All there.'), true);
    await untilOver();
    await person.screenshot('links that tools gave');
    const results = textsOf(model.requests.at(-1)!).at(-1) ?? '';
    assert.match(results, /<result [^]*\|<image\/png>>/);
    assert.match(results, /"temperature"/);
    assert.match(await lastAnswer(), /Open .*Resource/);
  });
});
