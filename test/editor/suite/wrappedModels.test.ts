import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { AnswerPart, FakeModelApi, Question, RecordedPart } from '../../extensions/fakeModel/api.ts';
import { chooseModel } from '../../../src/editor/models/editorModel.ts';
import { messageOf, outlineOf, withContext } from '../../../src/editor/hooks/wrapMessages.ts';
import type { PlacedContext } from '../../../src/core/index.ts';
import { outlineRequest } from '../../../src/editor/hooks/wrapTurns.ts';
import { person } from '../person.ts';
import { eventually } from './eventually.ts';
import { fakeModel, selectFake } from './fakeModel.ts';
import { cleanSlate, mcpLive, setServers, untilServer } from './mcpLive.ts';

const ANSWERS = '.interactive-response .value';
const { User, Assistant } = vscode.LanguageModelChatMessage;
const text = (value: string): vscode.LanguageModelTextPart => new vscode.LanguageModelTextPart(value);
// A valid image, because the editor decodes images.
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** A thinking part: an object of the editor that the API's types do not name. */
const thinking = (value: string): AnswerPart & object => {
  const { LanguageModelThinkingPart: Part } = vscode as unknown as {
    readonly LanguageModelThinkingPart: new (value: string, id?: string) => AnswerPart & object;
  };
  return new Part(value, 'thought-1');
};

const wrap = (patterns: readonly string[] | undefined): Thenable<void> =>
  vscode.workspace.getConfiguration().update('mcpl.models.wrap', patterns, vscode.ConfigurationTarget.Global);

const wrappedIds = async (): Promise<readonly string[]> =>
  (await vscode.lm.selectChatModels({ vendor: 'mcpl' })).map(({ id, name }) => `${id}: ${name}`).sort();

const within = async <T>(ms: number, what: string, work: Thenable<T>): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} took more than ${ms} ms.`)), ms);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
};

const start = async (part: 'memory' | 'compliance', sets: readonly string[]): Promise<void> => {
  const before = vscode.workspace.getConfiguration().get<object>('mcpl.servers');
  const entry = { command: 'mcpl-demo', args: [part], enabled: true, featureSets: { enabled: sets } };
  await setServers({ ...before, [part]: entry });
  await untilServer(part, 'with its sets on', (server) => {
    const on = server?.mcpl?.sets.filter(({ state }) => state === 'enabled').map(({ set }) => set.name) ?? [];
    return server?.state.kind === 'running' && sets.every((name) => on.includes(name));
  });
};

/** Failures by code and message only. */
const failureOf = async (work: Promise<unknown>): Promise<string> => {
  try {
    await work;
  } catch (error) {
    if (error instanceof vscode.LanguageModelError) return `${error.code}: ${error.message}`;
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  }
  return 'no failure';
};

suite('A model with hooks of servers', () => {
  let model: FakeModelApi;

  const ask = (question: Partial<Question>): Promise<readonly RecordedPart[]> =>
    model.ask({ vendor: 'mcpl', id: 'fake/sees', messages: [User('Hello')], ...question });

  setup(async () => {
    await cleanSlate();
    (await mcpLive()).testing.answerConsent(async () => 'start');
    model = await fakeModel();
    await selectFake();
  });
  teardown(async () => {
    model.reset();
    await wrap(undefined);
    await eventually(wrappedIds, []);
    await cleanSlate();
  });

  const wrapSees = async (): Promise<void> => {
    await wrap(['fake/sees']);
    await eventually(wrappedIds, ['fake/sees: Fake sees (MCPL)']);
  };

  test('is offered for each that the setting names, with a word about its cost, until it is turned off', async () => {
    assert.deepEqual(await wrappedIds(), []);
    await wrap(['FAKE/*', 'nobody/*']);
    await eventually(wrappedIds, ['fake/reads: Fake reads (MCPL)', 'fake/sees: Fake sees (MCPL)']);
    const words =
      'Language models are now also offered with hooks of MCPL servers, as "… (MCPL)". Each step of an agent with one may count as a premium request.';
    await eventually(person.notifications, [words]);
    await person.screenshot('what wrapped models cost');
    await person.notification('Turn Off', 'Language models are now also offered');
    await eventually(wrappedIds, []);
    assert.equal(vscode.workspace.getConfiguration().inspect('mcpl.models.wrap')?.globalValue, undefined);
  });

  test('never has the editor wait for itself, whoever asks for models, and is not wrapped again', async () => {
    await wrap(['*']);
    const asked = Array.from({ length: 8 }, () => vscode.lm.selectChatModels());
    await within(2_000, 'Asking for all models', Promise.all(asked));
    await eventually(wrappedIds, ['fake/reads: Fake reads (MCPL)', 'fake/sees: Fake sees (MCPL)']);
    for (let again = 0; again < 5; again++) {
      model.hide();
      const nothing = await within(2_000, 'Asking for all models', vscode.lm.selectChatModels());
      assert.deepEqual(
        nothing.filter(({ vendor }) => vendor === 'fake'),
        [],
      );
      model.reset();
    }
    await eventually(wrappedIds, ['fake/reads: Fake reads (MCPL)', 'fake/sees: Fake sees (MCPL)']);
    const all = await within(2_000, 'Asking for all models', vscode.lm.selectChatModels());
    assert.deepEqual(
      all.filter(({ vendor }) => vendor === 'mcpl').map(({ id, family, version }) => [id, family, version]),
      [
        ['fake/sees', 'fake', '1'],
        ['fake/reads', 'fake', '1'],
      ],
    );
    assert.equal(all.find(({ vendor }) => vendor === 'mcpl')?.maxInputTokens, (await selectFake()).maxInputTokens);
  });

  test('hands on every part of a request and of its answer as it is', async () => {
    await wrapSees();
    const messages = [
      User([text('Look: '), vscode.LanguageModelDataPart.image(PIXEL, 'image/png')], 'ada'),
      Assistant([text('I look.'), new vscode.LanguageModelToolCallPart('call-1', 'look', { at: ['it'] })]),
      User([
        new vscode.LanguageModelToolResultPart('call-1', [text('It is'), vscode.LanguageModelDataPart.json({ a: 1 })]),
      ]),
      Assistant([text('So'), vscode.LanguageModelDataPart.text('marker', 'stateful_marker')]),
      User('And now?'),
    ];
    const options = {
      tools: [{ name: 'look', description: 'Looks', inputSchema: { type: 'object', properties: { at: {} } } }],
      toolMode: vscode.LanguageModelChatToolMode.Required,
      modelOptions: { temperature: 0.5, stop: ['x'] },
    };
    const answer: readonly AnswerPart[] = [
      thinking('Let me see.'),
      'One ',
      'two.',
      vscode.LanguageModelDataPart.image(PIXEL, 'image/png'),
      new vscode.LanguageModelToolCallPart('call-2', 'look', { at: [1, { deep: true }] }),
      vscode.LanguageModelDataPart.json({ b: 2 }, 'application/x-marker'),
    ];
    model.respondWith(answer);
    const plain = await model.ask({ vendor: 'fake', id: 'sees', messages, options });
    const wrapped = await ask({ messages, options });
    assert.deepEqual(wrapped, plain);
    assert.deepEqual(
      wrapped.map(({ kind }) => kind),
      ['unknown', 'text', 'text', 'data', 'toolCall', 'data'],
    );
    const [direct, through] = model.requests;
    assert.deepEqual(through, direct);
  });

  test('has servers add context, check the answer and get it, also around rounds with tools', async () => {
    await start('memory', ['memory.retrieval', 'memory.extraction']);
    await start('compliance', ['compliance.redaction']);
    await wrapSees();
    const { host } = await mcpLive();
    host.trace('memory').set(true);
    model.respondOnce(
      [
        thinking('The key is sk-1234567890abcdef.'),
        'The key is sk-1234',
        { call: 'note', input: { text: 'sk-1234567890abcdef' } },
        '567890abcdef.',
      ],
      ['Noted.'],
    );
    const question = User([text('My name is Ada.'), vscode.LanguageModelDataPart.image(PIXEL, 'image/png')]);
    const first = await ask({ messages: [question] });
    assert.deepEqual(
      first.map((part) => (part.kind === 'text' ? part.value : part.kind)),
      // The call is not delayed. Unchecked thoughts are left out of a changed answer.
      ['toolCall', 'The key is [REDACTED].'],
    );
    const [call] = first;
    assert.ok(call?.kind === 'toolCall');
    const rounds = [
      question,
      Assistant([new vscode.LanguageModelToolCallPart(call.callId, call.name, call.input)]),
      User([new vscode.LanguageModelToolResultPart(call.callId, [text('done')])]),
    ];
    assert.deepEqual(await ask({ messages: rounds }), [{ kind: 'text', value: 'Noted.' }]);
    assert.deepEqual(
      model.requests.map(({ messages }) =>
        messages.map(({ content }) => content.map((part) => (part.kind === 'text' ? part.value : part.kind)).join()),
      ),
      [['My name is Ada.,data'], ['My name is Ada.,data', 'toolCall', 'toolResult']],
    );
    const told = host
      .trace('memory')
      .entries(0, 1_000, { text: 'Inference', direction: 'sent' })
      .map(({ text: sent }) => JSON.parse(sent) as { method: string; params: Record<string, unknown> })
      .filter(({ method }) => method.startsWith('context/'));
    const [known] = told.map(({ params }) => params['conversationId']);
    assert.match(String(known), /^wrapped_[0-9a-f]{32}$/);
    assert.deepEqual(
      told.map(({ method, params }) => [
        method,
        params['conversationId'] === known,
        params['turnIndex'],
        params['userMessage'],
        params['assistantMessage'],
      ]),
      [
        ['context/beforeInference', true, 0, 'My name is Ada.', undefined],
        ['context/afterInference', true, 0, 'My name is Ada.', 'The key is [REDACTED].'],
        ['context/beforeInference', true, 0, null, undefined],
        ['context/afterInference', true, 0, null, 'Noted.'],
      ],
    );
    await eventually(async () => {
      const totals = await host.modelUses.totals(0);
      const ours = totals.find(({ route }) => route === 'wrapped');
      return [ours?.server, ours?.model, (ours?.requests ?? 0) >= 2, (ours?.tokens ?? 0) > 10];
    }, [undefined, 'fake/sees', true, true]);
  });

  test('answers the participant of another extension, and nothing that a server takes out is on the screen', async () => {
    await start('compliance', ['compliance.redaction']);
    await wrapSees();
    model.chatWith('mcpl');
    await vscode.commands.executeCommand('workbench.action.chat.newChat');
    await person.watch('.monaco-workbench .interactive-session');
    model.respondOnce(['The key is sk-', 'abcdefghijklmnop', '. Keep it.']);
    await vscode.commands.executeCommand('workbench.action.chat.open', { query: '@fake Key?', isPartialQuery: false });
    await eventually(
      async () =>
        (await person.texts(ANSWERS))
          .map((shown) => shown.replace(/\s+/g, ' '))
          .at(-1)
          ?.trim(),
      'The key is [REDACTED]. Keep it.',
    );
    await person.screenshot('a wrapped model in the chat of another extension');
    assert.deepEqual(
      (await person.seen()).filter((shown) => shown.includes('sk-')),
      [],
    );
  });

  test('runs the hooks of a turn of our own once', async () => {
    await start('memory', ['memory.retrieval', 'memory.extraction']);
    await wrapSees();
    const { host } = await mcpLive();
    host.trace('memory').set(true);
    await vscode.commands.executeCommand('workbench.action.chat.newChat');
    model.respondOnce(['Hello Ada.']);
    await vscode.commands.executeCommand('workbench.action.chat.open', {
      query: '@mcpl My name is Ada.',
      isPartialQuery: false,
      modelSelector: { vendor: 'mcpl', id: 'fake/sees' },
    });
    await eventually(async () => model.requests.length, 1);
    await eventually(
      async () =>
        host
          .trace('memory')
          .entries(0, 1_000, { text: 'context/', direction: 'sent' })
          .map(({ text: sent }) => (JSON.parse(sent) as { method: string }).method),
      ['context/beforeInference', 'context/afterInference'],
    );
  });

  test('is never chosen for a server, nor for a turn of our own', async () => {
    await wrap(['*']);
    await eventually(wrappedIds, ['fake/reads: Fake reads (MCPL)', 'fake/sees: Fake sees (MCPL)']);
    const source = new vscode.CancellationTokenSource();
    const access = { canSendRequest: () => true, onDidChange: () => new vscode.Disposable(() => undefined) };
    const choose = (name: string): Promise<unknown> =>
      chooseModel({ name, server: undefined }, { access, isAllowed: true, runners: [] }, source.token);
    for (const name of ['(MCPL)', 'mcpl/fake/sees'])
      assert.deepEqual(Object.entries((await choose(name)) as object)[1], ['reason', 'no_model']);
  });

  test('passes on that it is cancelled', async () => {
    await wrapSees();
    const source = new vscode.CancellationTokenSource();
    const cancelled = new Promise<void>((resolve) => {
      model.respondOnce(async function* (_request, token): AsyncGenerator<AnswerPart> {
        const ended = new Promise<void>((over) => token.onCancellationRequested(() => over()));
        yield 'One ';
        await ended;
        resolve();
        yield 'two.';
      });
    });
    const parts: RecordedPart[] = [];
    const asked = ask({
      token: source.token,
      onPart: (part) => {
        parts.push(part);
        source.cancel();
      },
    });
    await within(5_000, 'Cancelling', cancelled);
    await asked.catch(() => undefined);
    assert.deepEqual(parts, [{ kind: 'text', value: 'One ' }]);
  });

  test('fails as its model fails, with the next step, though the editor said that it may be asked', async () => {
    await wrapSees();
    const refuse = (error: Error): void =>
      model.respondOnce(() => {
        throw error;
      });
    const told: string[] = [];
    const { Blocked, NoPermissions, NotFound } = vscode.LanguageModelError;
    for (const error of [
      Blocked('Too many requests'),
      Blocked('Filtered'),
      NoPermissions('Not you'),
      NotFound('Gone'),
      new Error('Broken.'),
    ]) {
      refuse(error);
      told.push(await failureOf(ask({})));
    }
    assert.deepEqual(told, [
      'Blocked: The quota of the language model is used up. Try again later, or choose another model.',
      'Blocked: The language model refused the request, because its filter was hit. Ask in other words, or choose another model.',
      'NoPermissions: The editor does not let MCP Live use this language model. Ask again, and allow it when the editor asks.',
      'NotFound: The language model is no longer available. Choose another one.',
      'Error: The language model failed: Broken. Ask again, or choose another model.',
    ]);
  });

  test('says within two seconds that its model is gone, and is gone then itself', async () => {
    await wrapSees();
    const [old] = await vscode.lm.selectChatModels({ vendor: 'mcpl', id: 'fake/sees' });
    assert.ok(old !== undefined);
    model.hide();
    await eventually(wrappedIds, []);
    const failure = failureOf((async () => old.sendRequest([User('Hello')]))());
    assert.match(await within(2_000, 'Saying so', failure), /not found|not there|NotFound/i);
    await eventually(person.notifications, []);
    await within(2_000, 'Saying so', vscode.commands.executeCommand('mcpl.wrapLanguageModels'));
    await eventually(person.notifications, [
      'This editor has no language model that MCP Live can see. Install or sign in to one on the same machine as MCP Live: those of extensions that run elsewhere are not visible here.',
    ]);
  });

  test('is chosen from a list, which keeps what names a model that is not there', async () => {
    await wrap(['fake/reads', 'other/*']);
    const choosing = vscode.commands.executeCommand('mcpl.wrapLanguageModels');
    await person.waitFor('.quick-input-list-entry:has-text("fake/sees")');
    await person.screenshot('choosing models to wrap');
    await person.click('.quick-input-list-entry:has-text("fake/sees")');
    await person.click('.quick-input-action .monaco-button');
    await choosing;
    const value = vscode.workspace.getConfiguration().inspect('mcpl.models.wrap')?.globalValue;
    assert.deepEqual(value, ['other/*', 'fake/sees', 'fake/reads']);
  });

  test('is given messages of the system as such, in a role that extensions may send', async () => {
    const system = { role: 3, name: undefined, content: [text('Be brief.')] };
    const base = await selectFake();
    const raw = User('Be brief.');
    (raw as { role: number }).role = 3;
    assert.match(
      await failureOf((async () => base.sendRequest([raw]))()),
      /CANNOT use API proposal: languageModelSystem/,
    );
    const response = await base.sendRequest([messageOf(system), messageOf(User('Hello'))]);
    for await (const part of response.text) assert.ok(part.length > 0);
    assert.deepEqual(
      model.requests.map(({ messages }) => messages),
      [
        [
          {
            role: 'user',
            content: [
              {
                kind: 'text',
                value: 'The rest of this message contains instructions of the chat itself, not words of the user:\n\n',
              },
              { kind: 'text', value: 'Be brief.' },
            ],
          },
          { role: 'user', content: [{ kind: 'text', value: 'Hello' }] },
        ],
      ],
    );
  });

  test('is given what servers add around what the user wrote, and never between a call and its result', () => {
    const call = Assistant([new vscode.LanguageModelToolCallPart('call-1', 'look', {})]);
    const result = User([new vscode.LanguageModelToolResultPart('call-1', [text('seen')])]);
    const context = (['system', 'beforeUser', 'afterUser'] as const).map((position) => ({
      position,
      message: { role: 'user', content: [{ type: 'text', text: position }] },
    })) satisfies readonly PlacedContext[];
    const shown = (messages: readonly vscode.LanguageModelChatMessage[]): string => {
      const { anchor } = outlineRequest(messages.map(outlineOf));
      return withContext(messages, anchor, context)
        .map(({ content }) =>
          content.map((part) => ('value' in part ? part.value : 'callId' in part ? part.callId : '')),
        )
        .join(' | ');
    };
    assert.equal(shown([User('one'), Assistant('1'), User('two')]), 'system | one | 1 | beforeUser | two | afterUser');
    assert.equal(shown([User('one'), call, result]), 'system | beforeUser | one | afterUser | call-1 | call-1');
    assert.equal(shown([call, result]), 'system | beforeUser | afterUser | call-1 | call-1');
  });

  test('counts as its model counts', async () => {
    await wrapSees();
    const [wrapped] = await vscode.lm.selectChatModels({ vendor: 'mcpl', id: 'fake/sees' });
    const base = await selectFake();
    for (const counted of ['Some text of a few words', User('Hello')])
      assert.equal(await wrapped?.countTokens(counted), await base.countTokens(counted));
  });
});
