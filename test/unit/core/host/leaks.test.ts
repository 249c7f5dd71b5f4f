import assert from 'node:assert/strict';
import type { Json, JsonObject } from '../../../../src/core/base/json.ts';
import type { LanguageModel } from '../../../../src/core/modelPorts.ts';
import { settle } from '../../../support/fakeClock.ts';
import { failWith, initializeResult, ScriptedServer, tool } from '../../../support/scriptedServer.ts';
import { TestHost } from '../../../support/testHost.ts';

const KEY_A = 'key-of-a-0123456789';
const PASSWORD_A = 'p%40ss-of-a';
const KEY_B = 'key-of-b-0123456789';
const ENV_A = { API_KEY: KEY_A, DATABASE_URL: `postgres://me:${PASSWORD_A}@db/x`, MODE: 'production' };
const ALL = [KEY_A, PASSWORD_A, 'p@ss-of-a', KEY_B];

const MCPL = {
  version: '0.2',
  contextHooks: { beforeInference: true, afterInference: { blocking: true } },
  featureSets: {
    h: {
      description: 'Does it.',
      uses: ['contextHooks.beforeInference', 'contextHooks.afterInference', 'inferenceRequest'],
    },
  },
};

interface Two {
  readonly t: TestHost;
  readonly a: ScriptedServer;
  readonly b: ScriptedServer;
  /** The prompts for models. */
  readonly prompts: string[];
}

/** Two servers with a key each. Both take part in turns, and have a tool that returns `result`. */
async function two(result: () => Json = () => ({ content: [] }), modelSays = 'Well.'): Promise<Two> {
  const t = new TestHost();
  const prompts: string[] = [];
  const facts = { id: 'm', vendor: 'v', contextWindow: 1_000, capabilities: [] };
  const model: LanguageModel = {
    facts,
    run: (request, onText) => {
      prompts.push(JSON.stringify(request.messages));
      onText(modelSays);
      return Promise.resolve({ kind: 'ended', finishReason: 'end_turn' });
    },
    count: (text) => Promise.resolve(text.length),
  };
  t.models = { choose: () => Promise.resolve({ kind: 'model', model }) };
  t.connect = () =>
    new ScriptedServer({
      initialize: () => initializeResult({ capabilities: { tools: {}, logging: {}, experimental: { mcpl: MCPL } } }),
      'tools/list': () => ({ tools: [tool('x')] }),
      'tools/call': () => result() as never,
      'context/beforeInference': () => ({ contextInjections: [] }),
      'context/afterInference': (params) => ({ modifiedResponse: params['assistantMessage'] ?? null }),
    });
  const entry = { command: 'x', enabled: true, featureSets: { enabled: ['h'] } };
  await t.user({ a: { ...entry, env: ENV_A }, b: { ...entry, env: { B_TOKEN: KEY_B } } });
  const isOfB = t.connections.map((connection) => connection.kind === 'stdio' && 'B_TOKEN' in connection.env);
  const [a, b] = [t.servers[isOfB.indexOf(false)], t.servers[isOfB.indexOf(true)]];
  assert.ok(a !== undefined && b !== undefined);
  return { t, a, b, prompts };
}

const call = (server: string, args: JsonObject = {}): Parameters<TestHost['host']['callTool']>[0] => ({
  server,
  tool: 'x',
  args,
  route: 'participant',
});

const lastOf = (server: ScriptedServer, method: string): string =>
  server.heard.findLast((line) => line.startsWith(method))?.replace(/,"_meta":.*$/, '}') ?? 'nothing';

suite('A secret of one server', () => {
  test('reaches a model neither in its own result nor in that of another server', async () => {
    const text = `env: API_KEY=${KEY_A} DATABASE_URL=${ENV_A.DATABASE_URL} p@ss-of-a MODE=production ${KEY_B}`;
    const { t } = await two(() => ({ content: [{ type: 'text', text }] }));
    const shown =
      'env: API_KEY=[secret: API_KEY] DATABASE_URL=postgres://me:[secret: DATABASE_URL]@db/x [secret: DATABASE_URL] ' +
      'MODE=production [secret: B_TOKEN]';
    for (const server of ['a', 'b']) {
      const result = await t.host.callTool(call(server));
      assert.deepEqual([result.modelText, result.raw], [shown, { content: [{ type: 'text', text }] }], server);
    }
    await t.host.close();
  });

  test('is given in arguments to its own server, and to no other', async () => {
    const { t, a, b } = await two();
    const args = { text: `use ${KEY_A}`, [KEY_A]: [{ deep: `${KEY_A} and ${KEY_B}` }] };
    await t.host.callTool(call('a', args));
    await t.host.callTool(call('b', args));
    assert.deepEqual(
      [lastOf(a, 'tools/call'), lastOf(b, 'tools/call')],
      [
        `tools/call {"name":"x","arguments":{"text":"use ${KEY_A}","${KEY_A}":[{"deep":"${KEY_A} and [secret: B_TOKEN]"}]}}`,
        `tools/call {"name":"x","arguments":{"text":"use [secret: API_KEY]","[secret: API_KEY]":[{"deep":"[secret: API_KEY] and ${KEY_B}"}]}}`,
      ],
    );
    await t.host.close();
  });

  test('is in the hooks of its own server, and of no other, nor in what a model is given', async () => {
    const { t, a, b, prompts } = await two(undefined, `You said ${KEY_A}.`);
    const userMessage = `My key is ${KEY_A}, the password is ${PASSWORD_A}`;
    const messages = [{ role: 'user', content: [{ type: 'text', text: userMessage }] }] as const;
    const turn = { conversationId: 'c', turnIndex: 0, userMessage, messages, justification: 'test' };
    const result = await t.host.runTurn(turn);
    const said = (server: ScriptedServer): readonly unknown[] =>
      server.messages.flatMap(({ params }) => {
        const { userMessage: asked, assistantMessage: answered = 'none' } = params as JsonObject;
        return asked === undefined ? [] : [[asked, answered]];
      });
    const hidden = 'My key is [secret: API_KEY], the password is [secret: DATABASE_URL]';
    assert.deepEqual(said(a), [
      [userMessage, 'none'],
      [userMessage, `You said ${KEY_A}.`],
    ]);
    assert.deepEqual(said(b), [
      [hidden, 'none'],
      [hidden, 'You said [secret: API_KEY].'],
    ]);
    assert.deepEqual(prompts, [JSON.stringify([{ role: 'user', content: [{ type: 'text', text: hidden }] }])]);
    // Neither server changed the answer.
    assert.deepEqual([result.text, result.modifiedBy], [`You said ${KEY_A}.`, []]);
    await t.host.close();
  });

  test('goes neither into a model nor out of it by the inference of a server', async () => {
    const { t, a, b, prompts } = await two(undefined, `Take ${KEY_A}.`);
    const params = { featureSet: 'h', messages: [{ role: 'user', content: `Say ${KEY_A} and ${KEY_B}` }] };
    for (const server of [a, b]) {
      server.say({ jsonrpc: '2.0', id: 7, method: 'inference/request', params });
      await settle();
      await t.clock.advance(100);
    }
    assert.equal(prompts.length, 2);
    for (const prompt of prompts) assert.match(prompt, /Say \[secret: API_KEY\] and \[secret: B_TOKEN\]/);
    assert.match(lastOf(a, 'answer'), new RegExp(`"content":"Take ${KEY_A}\\."`));
    assert.match(lastOf(b, 'answer'), /"content":"Take \[secret: API_KEY\]\."/);
    await t.host.close();
  });

  test('is in no error, log, trace or audit, whichever server brings it', async () => {
    const { t, b } = await two(() => failWith(-32000, `No: ${ALL.join(' ')}`, { at: ALL }) as never);
    t.host.trace('b').set(true);
    const error = await t.host.callTool(call('b', { key: ALL.join() })).catch((thrown: unknown) => thrown);
    b.notify('notifications/message', { level: 'error', data: { line: ALL } });
    b.say({ jsonrpc: '2.0', id: 3, method: 'push/event', params: { featureSet: ALL.join('.') } });
    await settle();
    const seen = {
      error: [String(error), JSON.stringify(error)],
      logs: t.logs,
      trace: [...t.host.trace('b').exportLines()],
      audit: await t.host.audit.list({ limit: 99 }),
    };
    for (const [where, what] of Object.entries(seen)) {
      assert.ok(JSON.stringify(what).length > 2, where);
      for (const secret of ALL) assert.ok(!JSON.stringify(what).includes(secret), `${where}: ${JSON.stringify(what)}`);
    }
    await t.host.close();
  });

  test('is not taken out of a state that its server, or another one, keeps with the host', async () => {
    const state = { featureSet: 's', checkpoint: 'c1', data: { keys: [KEY_A, KEY_B] } };
    const sent: Json[] = [];
    const t = new TestHost();
    const mcpl = {
      version: '0.2',
      featureSets: { s: { description: 'Keeps it.', uses: ['tools'], hostState: true, rollback: true } },
    };
    t.connect = () =>
      new ScriptedServer({
        initialize: () => initializeResult({ capabilities: { tools: {}, experimental: { mcpl } } }),
        'tools/list': () => ({ tools: [tool('x', { _meta: { featureSet: 's' } })] }),
        'tools/call': (params) => {
          sent.push(params['state'] ?? null);
          return { content: [], state };
        },
      });
    const entry = { command: 'x', enabled: true, featureSets: { enabled: ['s'] } };
    await t.user({ a: { ...entry, env: ENV_A }, b: { ...entry, env: { B_TOKEN: KEY_B } } });
    for (const server of ['b', 'b']) await t.host.callTool(call(server));
    assert.deepEqual(sent, [null, { keys: [KEY_A, KEY_B] }]);
    await t.host.close();
  });
});
