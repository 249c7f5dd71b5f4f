import assert from 'node:assert/strict';
import { ChatElicitor } from '../../../../src/core/gateway/chatElicitor.ts';
import { ChatSampler } from '../../../../src/core/gateway/chatSampler.ts';
import {
  CancellationSource,
  type CancellationToken,
  Deferred,
  type Elicitor,
  type FormAnswer,
  type FormQuestion,
  type Json,
  type JsonObject,
  type Sampler,
  type SamplingOutcome,
  type SamplingQuestion,
  schemaForm,
} from '../../../../src/core/index.ts';
import { FakeClock, settle } from '../../../support/fakeClock.ts';
import { failOnLeaks } from '../../../support/leaks.ts';
import { Conversation, endConversations } from './conversation.ts';
import type { HeldCall } from './fakeHost.ts';

const SCHEMA = { type: 'object', properties: { name: { type: 'string' }, size: { type: 'integer' } } };
const FORMS = { elicitation: { form: {} } };

const question = (more: Partial<FormQuestion> = {}): FormQuestion => ({
  server: 'notes',
  message: 'Who? [here](command:x)',
  form: schemaForm(SCHEMA),
  schema: SCHEMA,
  values: {},
  errors: {},
  sensitive: [],
  remarks: [],
  ...more,
});

/** The host's own question, which waits until the test answers it. */
class OwnElicitor implements Elicitor {
  readonly asked: { readonly answer: Deferred<FormAnswer>; readonly token: CancellationToken }[] = [];

  form(_: FormQuestion, token: CancellationToken): Promise<FormAnswer> {
    const answer = new Deferred<FormAnswer>();
    const ends = token.onCancellationRequested(() => answer.resolve({ kind: 'cancel' }));
    this.asked.push({ answer, token });
    return answer.promise.finally(() => ends.dispose());
  }

  url = (): Promise<'decline'> => Promise.resolve('decline');
  finish = (): Promise<'continue'> => Promise.resolve('continue');
  finished = (): void => undefined;
}

/** A client with calls from chats, and a server that asks questions. */
class Asking {
  readonly client = new Conversation();
  readonly own = new OwnElicitor();
  readonly clock = new FakeClock();
  readonly elicitor = new ChatElicitor(this.own, this.client.clients, this.clock);
  readonly done: Promise<void>[] = [];
  outcome: string | undefined;

  async call(id: string, chat: string | undefined): Promise<HeldCall> {
    const meta = chat === undefined ? {} : { 'vscode.conversationId': chat };
    this.done.push(this.client.call(id, { name: 'add', _meta: meta }));
    return this.client.host.nextCall();
  }

  ask(more: Partial<FormQuestion> = {}, token: CancellationToken = new CancellationSource().token): void {
    this.outcome = undefined;
    void this.elicitor.form(question(more), token).then((answer) => {
      this.outcome = JSON.stringify(answer);
    });
  }

  /** Ends the time in which only the chat is asked. */
  async later(): Promise<void> {
    await settle();
    await this.clock.advance(10_000);
  }

  async answer(id: string, result: Json): Promise<void> {
    await this.client.say({ id, result });
    await settle();
  }

  /** Messages to the chat, in short, and the other prompts. */
  async heard(): Promise<string> {
    await settle();
    const lines = this.client.heard().map((line) => {
      const { id, method, params, result } = JSON.parse(line) as JsonObject;
      const { message, requestId } = (params ?? {}) as JsonObject;
      return result === undefined ? `${String(method)} ${String(message ?? requestId)}` : `answer ${String(id)}`;
    });
    const own = this.own.asked.map(({ token }) => (token.isCancellationRequested ? 'void' : 'open'));
    return [...lines, `own: ${own.join() || 'none'}`, this.outcome ?? 'waits'].join(' | ');
  }

  async end(): Promise<void> {
    this.client.session.dispose();
    await settle();
    for (const { answer } of this.own.asked) answer.resolve({ kind: 'cancel' });
    await Promise.all(this.done);
    await settle();
  }
}

suite('A form of a server during a call of a chat', () => {
  let t: Asking;
  const begin = async (capabilities: JsonObject = FORMS): Promise<void> => {
    t = new Asking();
    await t.client.begin(capabilities);
  };
  teardown(async () => {
    await t.end();
    endConversations();
  });
  failOnLeaks();

  const IN_CHAT = 'elicitation/create notes: Who? [here] (command:x)';

  test('is also put to the chat, whose answer takes the notification away', async () => {
    await begin();
    const call = await t.call('c1', 'chat');
    t.ask();
    assert.equal(await t.heard(), `${IN_CHAT} | own: none | waits`);
    await t.later();
    assert.equal(await t.heard(), 'own: open | waits');
    await t.answer('s1', { action: 'accept', content: { name: 'Ada', size: 3 } });
    assert.equal(await t.heard(), 'own: void | {"kind":"accept","values":{"/name":"Ada","/size":"3"}}');
    call.succeed({ content: [] });
    assert.match(await t.heard(), /^answer c1/);
  });

  test('that is answered there soon is shown nowhere else', async () => {
    await begin();
    await t.call('c1', 'chat');
    t.ask();
    await t.heard();
    await t.answer('s1', { action: 'decline' });
    await t.later();
    assert.deepEqual([await t.heard(), t.clock.waiting], ['own: none | {"kind":"decline"}', 0]);
  });

  test('that is answered in the notification is taken back from the chat', async () => {
    await begin();
    await t.call('c1', 'chat');
    t.ask();
    await t.later();
    await t.heard();
    t.own.asked[0]?.answer.resolve({ kind: 'decline' });
    assert.equal(await t.heard(), 'notifications/cancelled s1 | own: void | {"kind":"decline"}');
    await t.answer('s1', { action: 'accept', content: {} });
    assert.equal(await t.heard(), 'own: void | {"kind":"decline"}');
  });

  test('stays open in the chat when its notification is closed, and is left open when both are', async () => {
    await begin();
    await t.call('c1', 'chat');
    t.ask();
    await t.later();
    await t.heard();
    t.own.asked[0]?.answer.resolve({ kind: 'cancel' });
    assert.equal(await t.heard(), 'own: open | waits');
    await t.answer('s1', { action: 'cancel' });
    assert.equal(await t.heard(), 'own: void | {"kind":"cancel"}');
  });

  test('is the notification’s alone when the client fails, or answers what the form cannot hold', async () => {
    const answers: readonly JsonObject[] = [
      { id: 's1', error: { code: -32601, message: 'No.' } },
      { id: 's1', result: { action: 'accept', content: { other: 1 } } },
      { id: 's1', result: { action: 'perhaps' } },
    ];
    for (const answer of answers) {
      await begin();
      await t.call('c1', 'chat');
      t.ask();
      await t.client.say(answer);
      assert.equal(await t.heard(), `${IN_CHAT} | own: open | waits`);
      t.own.asked[0]?.answer.resolve({ kind: 'decline' });
      assert.equal(await t.heard(), 'own: void | {"kind":"decline"}');
      await t.end();
    }
  });

  test('is void in both places when the server takes it back, or the call ends', async () => {
    await begin();
    const call = await t.call('c1', 'chat');
    const source = new CancellationSource();
    t.ask({}, source.token);
    await t.later();
    await t.heard();
    source.cancel();
    assert.equal(await t.heard(), 'notifications/cancelled s1 | own: void | {"kind":"cancel"}');
    const early = new CancellationSource();
    t.ask({}, early.token);
    await t.heard();
    early.cancel();
    assert.equal(await t.heard(), 'notifications/cancelled s2 | own: void | {"kind":"cancel"}');
    t.ask();
    await t.heard();
    call.succeed({ content: [] });
    // The server may still wait for its answer, so the notification stays.
    assert.equal(await t.heard(), 'notifications/cancelled s3 | answer c1 | own: void,open | waits');
    source.dispose();
    early.dispose();
  });

  test('is not put to a chat that may be another one, nor to a client without forms', async () => {
    const seen: string[] = [];
    const cases: readonly (readonly [JsonObject, readonly (string | undefined)[]])[] = [
      [FORMS, []],
      [FORMS, ['one', 'two']],
      [FORMS, ['one', undefined]],
      [{}, ['one']],
      [{ elicitation: { url: {} } }, ['one']],
      [FORMS, ['one', 'one']],
    ];
    for (const [capabilities, chats] of cases) {
      await begin(capabilities);
      for (const [n, chat] of chats.entries()) await t.call(`c${n}`, chat);
      t.ask();
      seen.push(await t.heard());
      await t.end();
    }
    const own = 'own: open | waits';
    assert.deepEqual(seen, [own, own, own, own, own, `${IN_CHAT} | own: none | waits`]);
  });

  test('stays with the host where a secret seems to be wanted, or where something was wrong', async () => {
    await begin();
    await t.call('c1', 'chat');
    t.ask({ sensitive: ['/name'] });
    t.ask({ errors: { '/name': 'Too short.' } });
    t.ask({ remarks: ['The server wants something else.'] });
    t.ask({ schema: undefined });
    assert.equal(await t.heard(), 'own: open,open,open,open | waits');
    const page = { server: 'notes', message: '', url: 'https://a.test', host: 'a.test', remarks: [] };
    const token = new CancellationSource().token;
    assert.equal(await t.elicitor.url({ ...page, writtenHost: undefined, elicitationId: undefined }, token), 'decline');
  });

  test('is no more than sixteen questions at once', async () => {
    await begin();
    await t.call('c1', 'chat');
    for (let n = 0; n < 18; n++) t.ask();
    const heard = await t.heard();
    assert.equal(heard.split(' | ').filter((line) => line === IN_CHAT).length, 16);
  });
});

const PROMPT: SamplingQuestion = {
  server: 'notes',
  remarks: [],
  request: {
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Two' },
          { type: 'text', text: 'lines' },
        ],
      },
      { role: 'assistant', content: [{ type: 'text', text: 'Yes?' }] },
    ],
    systemPrompt: 'Be brief.',
    maxTokens: 100,
    temperature: 0.5,
    stopSequences: ['END'],
    preferences: { hints: ['sonnet'], cost: 0.1, speed: undefined, intelligence: 1 },
    includeContext: 'allServers',
    tools: [],
    toolChoice: 'auto',
    metadata: { a: 1 },
    relatedTask: undefined,
    raw: {},
  },
};

suite('A server that requests a model', () => {
  let client: Conversation;
  let hasModel: boolean;
  const own: Pick<Sampler, 'sample'> = {
    sample: () => Promise.resolve({ kind: 'unavailable', reason: 'none of ours' }),
  };
  const sample = (asked: SamplingQuestion = PROMPT): Promise<SamplingOutcome> =>
    new ChatSampler({ own, clients: client.clients, hasModel: () => Promise.resolve(hasModel) }).sample(
      asked,
      new CancellationSource().token,
    );
  setup(async () => {
    hasModel = false;
    client = new Conversation();
    await client.begin({ sampling: {} });
  });
  teardown(endConversations);
  failOnLeaks();

  const answered = async (answer: JsonObject): Promise<SamplingOutcome> => {
    const outcome = sample();
    await settle();
    const { id } = JSON.parse(client.heard()[0] ?? '{}') as JsonObject;
    await client.say({ id: id ?? null, ...answer });
    return outcome;
  };

  test('gets the answer of a client’s where the host has none, by text alone', async () => {
    client.listen();
    const outcome = sample();
    await settle();
    assert.deepEqual(client.heard(), [
      '{"jsonrpc":"2.0","id":"s1","method":"sampling/createMessage","params":{"messages":[{"role":"user","content":{"type":"text","text":"Two\\nlines"}},{"role":"assistant","content":{"type":"text","text":"Yes?"}}],"maxTokens":100,"systemPrompt":"Be brief.","temperature":0.5,"stopSequences":["END"],"modelPreferences":{"hints":[{"name":"sonnet"}],"costPriority":0.1,"intelligencePriority":1}}}',
    ]);
    const content = { type: 'text', text: 'Fine.' };
    await client.say({ id: 's1', result: { role: 'assistant', content, model: 'm', stopReason: 'endTurn' } });
    assert.deepEqual(await outcome, {
      kind: 'answered',
      result: { content: [content], model: 'm', stopReason: 'endTurn' },
    });
  });

  test('gets the reason if it gets none', async () => {
    client.listen();
    assert.deepEqual(
      [
        await answered({ error: { code: -1, message: 'User rejected it' } }),
        await answered({ error: { code: -32603, message: 'No model\u0007 configured' } }),
        await answered({ error: 'odd' }),
        await answered({ result: { content: { type: 'image', data: 'AA==', mimeType: 'image/png' } } }),
      ],
      [
        { kind: 'declined' },
        { kind: 'unavailable', reason: 'No model configured' },
        { kind: 'unavailable', reason: 'The client gave no reason.' },
        { kind: 'unavailable', reason: 'The editor’s model answered without text.' },
      ],
    );
  });

  test('is handled by the host if it has a model, if there is more than text, or if no client listens', async () => {
    const outcomes: string[] = [];
    const look = async (asked?: SamplingQuestion): Promise<void> => {
      const outcome = await sample(asked);
      outcomes.push(outcome.kind === 'unavailable' ? outcome.reason : outcome.kind);
    };
    await look();
    client.listen();
    hasModel = true;
    await look();
    hasModel = false;
    const picture = { type: 'image', data: 'AA==', mimeType: 'image/png' } as const;
    await look({ ...PROMPT, request: { ...PROMPT.request, messages: [{ role: 'user', content: [picture] }] } });
    const tool = { name: 't', title: undefined, description: undefined, inputSchema: {} };
    await look({ ...PROMPT, request: { ...PROMPT.request, tools: [tool] } });
    await look({ ...PROMPT, server: 'other' });
    assert.deepEqual(outcomes, Array<string>(5).fill('none of ours'));
    assert.deepEqual(client.heard(), []);
  });

  test('is asked for on the stream of a call, and the end of the session answers it', async () => {
    const done = client.call('c1', { name: 'add' });
    await client.host.nextCall();
    const outcome = sample();
    await settle();
    assert.match(client.heard()[0] ?? '', /"method":"sampling\/createMessage"/);
    client.session.dispose();
    await done;
    assert.deepEqual(await outcome, { kind: 'unavailable', reason: 'The editor gave no answer.' });
  });
});
