import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { AnswerPart, FakeModelApi } from '../../extensions/fakeModel/api.ts';
import { person } from '../person.ts';
import { ANSWERS, answers, lastAnswer, paramsOf, say, startParts, textsOf, untilOver } from './chatView.ts';
import { eventually } from './eventually.ts';
import { fakeModel, selectFake } from './fakeModel.ts';
import { cleanSlate, mcpLive } from './mcpLive.ts';

const SECRET = 'sk-1234567890abcdef';
/** Streams the key in pieces, each of which would reveal a part. */
const PIECES = ['Here it is: sk-1', '2345', '67890', 'abc', 'def. Keep it.'];
/** Another key, because the editor keeps hidden rows of earlier chats. */
const SHOWN = 'sk-zyxwvutsrq';
const SHOWN_PIECES = ['Here it is: sk-z', 'yxwvu', 'tsrq. Keep it.'];

suite('A chat with @mcpl', () => {
  let model: FakeModelApi;

  setup(async () => {
    await cleanSlate();
    (await mcpLive()).testing.answerConsent(async () => 'start');
    model = await fakeModel();
    // The chat calls no participant before a model is selected.
    await selectFake();
    await vscode.commands.executeCommand('workbench.action.chat.newChat');
  });
  teardown(cleanSlate);

  test('gives the model what a server remembers, and counts the turns of one conversation', async () => {
    await startParts({ part: 'memory', sets: ['memory.retrieval', 'memory.extraction'] });
    const { host } = await mcpLive();
    host.trace('memory').set(true);
    // The note below an answer starts with a rule. An answer may contain one too.
    model.respondOnce(
      ['Hello, ', 'Ada.\n\n---\n*Well then.*'],
      ['You are **Ada**.'],
      ['New here.\n```\nand a fence that nobody closes'],
    );
    await say('My name is Ada.');
    await eventually(answers, ['Hello, Ada. Well then.']);
    await untilOver();
    await say('What is my name?');
    await eventually(answers, ['Hello, Ada. Well then.', 'You are Ada. Context from memory.']);
    await untilOver();
    await person.screenshot('a chat that a server remembers');
    assert.deepEqual(model.requests.map(textsOf), [
      ['user: My name is Ada.'],
      [
        'user: My name is Ada.',
        'assistant: Hello, Ada.\n\n---\n*Well then.*',
        'user: <context server="memory" namespace="memory">\n<memories>\n- The user\'s name is Ada.\n</memories>\n</context>',
        'user: What is my name?',
      ],
    ]);
    const turns = async (method: string): Promise<readonly unknown[]> =>
      (await paramsOf('memory', method)).map(({ turnIndex, userMessage }) => [turnIndex, userMessage]);
    const asked = [
      [0, 'My name is Ada.'],
      [1, 'What is my name?'],
    ];
    assert.deepEqual(await turns('context/beforeInference'), asked);
    assert.deepEqual(await turns('context/afterInference'), asked);
    const conversations = async (): Promise<readonly unknown[]> =>
      [...(await paramsOf('memory', 'beforeInference')), ...(await paramsOf('memory', 'afterInference'))].map(
        ({ conversationId }) => conversationId,
      );
    const [conversation] = await conversations();
    assert.match(String(conversation), /^[\w-]{36}$/);
    assert.deepEqual(new Set(await conversations()), new Set([conversation]));

    await vscode.commands.executeCommand('workbench.action.chat.newChat');
    await say('What is my name?');
    await eventually(lastAnswer, 'New here. and a fence that nobody closes Context from memory.');
    await person.waitFor('.interactive-response .value em:has-text("Context from")');
    const last = (await paramsOf('memory', 'beforeInference')).at(-1);
    assert.equal(last?.['turnIndex'], 0);
    assert.notEqual(last['conversationId'], conversation);
  });

  test('shows an answer while it comes where no server may change it', async () => {
    await startParts({ part: 'memory', sets: ['memory.extraction'] });
    await person.watch(ANSWERS);
    model.respondOnce(async function* (): AsyncGenerator<AnswerPart> {
      let shown = '';
      for (const piece of SHOWN_PIECES) {
        shown += piece;
        yield piece;
        // The next piece follows when this one is shown.
        await eventually(lastAnswer, shown);
      }
    });
    await say('What is the key?');
    await untilOver();
    await eventually(answers, [`Here it is: ${SHOWN}. Keep it.`]);
    // The watcher also sees short-lived text, on which the next test relies.
    assert.ok((await person.seen()).some((text) => text.includes('sk-z') && !text.includes(SHOWN)));
  });

  test('never has a secret on the screen that a server takes out, however slowly it comes', async () => {
    await startParts({ part: 'compliance', sets: ['compliance.redaction'] });
    await person.watch('.monaco-workbench .interactive-session, .monaco-aria-container');
    model.respondOnce(async function* (): AsyncGenerator<AnswerPart> {
      for (const piece of PIECES) {
        yield piece;
        for (let looks = 0; looks < 5; looks++) assert.doesNotMatch(await lastAnswer(), /Here|sk-/);
      }
    });
    await say('What is the key?');
    await eventually(answers, ['Here it is: [REDACTED]. Keep it. Changed by compliance.']);
    await untilOver();
    await person.screenshot('an answer that a server changed');
    const seen = await person.seen();
    assert.ok(seen.some((text) => text.includes('[REDACTED]')));
    assert.deepEqual(
      seen.filter((text) => /sk-1|2345|67890|abc|def/.test(text)),
      [],
    );
    // In the next turn the model gets the shown answer without the note.
    model.respondOnce(['No.']);
    await say('Again, please.');
    await eventually(async () => (await answers()).at(-1), 'No.');
    assert.deepEqual(model.requests.map(textsOf).at(-1), [
      'user: What is the key?',
      'assistant: Here it is: [REDACTED]. Keep it.',
      'user: Again, please.',
    ]);
  });

  test('says what is wrong with the model and what to do, and goes on in the same conversation', async () => {
    await startParts({ part: 'memory', sets: ['memory.retrieval', 'memory.extraction'] });
    const { host } = await mcpLive();
    host.trace('memory').set(true);
    const fails = (error: Error) => (): never => {
      throw error;
    };
    const failures: readonly (readonly [Error, string])[] = [
      [
        vscode.LanguageModelError.Blocked('off-topic'),
        'The language model refused the request, because its filter was hit. Ask in other words, or choose another model.',
      ],
      [
        vscode.LanguageModelError.Blocked('Quota exceeded'),
        'The quota of the language model is used up. Try again later, or choose another model.',
      ],
      [
        vscode.LanguageModelError.NoPermissions('no'),
        'Allow Language Model Use The editor does not let MCP Live use this language model. Ask again, and allow it when the editor asks.',
      ],
      [vscode.LanguageModelError.NotFound('gone'), 'The language model is no longer available. Choose another one.'],
      [new Error('wire cut'), 'The language model failed: wire cut. Ask again, or choose another model.'],
    ];
    for (const [number, [error, told]] of failures.entries()) {
      model.respondOnce(fails(error));
      await say(`Number ${number}`);
      await eventually(lastAnswer, told);
      await untilOver();
      if (number === 0) await person.screenshot('a chat in which the model refused');
    }
    model.respondOnce(['Here again.']);
    await say('Are you there?');
    await eventually(lastAnswer, 'Here again.');
    assert.deepEqual(
      (await paramsOf('memory', 'beforeInference')).map(({ turnIndex }) => turnIndex),
      [0, 1, 2, 3, 4, 5],
    );
    // Servers are not notified of a turn without an answer.
    assert.equal((await paramsOf('memory', 'afterInference')).length, 1);
  });

  test('ends with Stop, which stops the model, and no server gets the answer', async () => {
    await startParts({ part: 'memory', sets: ['memory.retrieval', 'memory.extraction'] });
    const { host } = await mcpLive();
    host.trace('memory').set(true);
    const stopped = new Promise<void>((done) =>
      model.respondOnce(async function* (_request, token): AsyncGenerator<AnswerPart> {
        yield 'I could go on';
        await new Promise<void>((over) => token.onCancellationRequested(() => over()));
        done();
      }),
    );
    await say('Go on');
    await eventually(lastAnswer, 'I could go on');
    await person.click('.chat-input-container .codicon-stop-circle');
    await stopped;
    await untilOver();
    await eventually(lastAnswer, 'I could go on');
    await person.screenshot('a chat that was stopped');
    assert.equal((await paramsOf('memory', 'afterInference')).length, 0);
    model.respondOnce(['Again.']);
    await say('And now?');
    await eventually(lastAnswer, 'Again.');
    assert.deepEqual(
      (await paramsOf('memory', 'beforeInference')).map(({ turnIndex }) => turnIndex),
      [0, 1],
    );
  });

  test('withholds an answer that a server had to see and could not', async () => {
    await startParts({
      part: 'compliance',
      sets: ['compliance.redaction'],
      rest: { hooks: { afterInference: 'failClosed' } },
    });
    const { host } = await mcpLive();
    await person.watch('.monaco-workbench .interactive-session');
    model.respondOnce(async function* (): AsyncGenerator<AnswerPart> {
      yield `Here it is: ${SECRET}`;
      await host.stop('compliance');
    });
    await say('What is the key?');
    await eventually(
      async () => (await lastAnswer()).startsWith('The answer is not shown: "compliance" has to check it first'),
      true,
    );
    await untilOver();
    await person.screenshot('an answer that was withheld');
    assert.deepEqual(
      (await person.seen()).filter((text) => text.includes(SECRET)),
      [],
    );
  });

  test('does not give a server a model before the user allows it, and asks once', async () => {
    await startParts({ part: 'memory', sets: ['memory.extraction', 'memory.consolidation'] });
    const { host } = await mcpLive();
    model.respondOnce(['Good.']);
    await say('My name is Ada.');
    await eventually(lastAnswer, 'Good.');
    await untilOver();
    const consolidate = async (): Promise<string> => {
      const { modelText } = await host.callTool({
        server: 'memory',
        tool: 'consolidate_memories',
        args: {},
        route: 'api',
      });
      return modelText;
    };
    for (let twice = 0; twice < 2; twice++)
      assert.match(await consolidate(), /^Nobody has allowed the language model yet\./);
    await eventually(person.notifications, ['The server "memory" wants to use a language model.']);
    await person.screenshot('a server wants a model');
    assert.equal(model.requests.length, 1);
    const recorded = await host.audit.list({ limit: 10, server: 'memory' });
    const entry = recorded.find(({ operation }) => operation === 'model/info');
    assert.deepEqual(
      [entry?.outcome, entry?.detail],
      ['failure', 'Servers may not use language models yet. Run "Allow Language Model Use".'],
    );
  });
});
