import assert from 'node:assert/strict';
import type { Json, JsonObject } from '../../../../src/core/base/json.ts';
import type { SamplingOutcome } from '../../../../src/core/inputPorts.ts';
import { settle } from '../../../support/fakeClock.ts';
import { initializeResult, ScriptedServer, tool } from '../../../support/scriptedServer.ts';
import { closeAll, InputHost, legacy, modern } from './inputHost.ts';

const CREATE = 'sampling/createMessage';
const SAID: SamplingOutcome = {
  kind: 'answered',
  result: { content: [{ type: 'text', text: 'Paris' }], model: 'm-1', stopReason: 'endTurn' },
};

function prompt(extra: JsonObject = {}): JsonObject {
  return { messages: [{ role: 'user', content: { type: 'text', text: 'Capital?' } }], maxTokens: 100, ...extra };
}

type Contents = readonly (readonly [string, Json])[];

function messages(...contents: Contents): JsonObject {
  return prompt({ messages: contents.map(([role, content]) => ({ role, content })) });
}

async function answers(host: InputHost, outcome: SamplingOutcome): Promise<void> {
  host.person.prompts.at(-1)?.answer.resolve(outcome);
  await settle();
}

/** A host whose models can use tools, which it declares. */
function withTools(protocolVersion: string): Promise<InputHost> {
  const host = new InputHost();
  host.person.canUseTools = true;
  return host.start(new ScriptedServer({ initialize: () => initializeResult({ protocolVersion, capabilities: {} }) }));
}

function declared(host: InputHost): Json | undefined {
  const hello = host.t.server.messages[0]?.['params'] as JsonObject;
  return (hello['capabilities'] as JsonObject)['sampling'];
}

suite('Sampling', () => {
  teardown(closeAll);

  test('shows the prompt with the name of the server, and gives what the model said', async () => {
    const host = await legacy('2024-11-05');
    assert.deepEqual(declared(host), {});
    const id = await host.asks(CREATE, prompt({ systemPrompt: 'Be brief.', includeContext: 'thisServer' }));
    const { server, request, remarks } = host.person.prompts[0]!.question;
    assert.deepEqual(
      [server, request.systemPrompt, request.maxTokens, remarks],
      ['a', 'Be brief.', 100, ['It asks for what was said in other chats; that is not given.']],
    );
    assert.equal(host.answerTo(id), undefined);
    await answers(host, SAID);
    assert.deepEqual(host.answerTo(id), {
      role: 'assistant',
      content: { type: 'text', text: 'Paris' },
      model: 'm-1',
      stopReason: 'endTurn',
    });
  });

  test('that is declined, has no model, or fails, is answered with an error and never left open', async () => {
    const host = await legacy('2025-11-25');
    const declined = await host.asks(CREATE, prompt());
    await answers(host, { kind: 'declined' });
    const without = await host.asks(CREATE, prompt());
    await answers(host, { kind: 'unavailable', reason: 'no model is\nenabled' });
    const broken = await host.asks(CREATE, prompt());
    host.person.prompts[2]?.answer.reject(new Error('secret detail'));
    await settle();
    const late = await host.asks(CREATE, prompt());
    await host.t.clock.advance(600_000);
    assert.deepEqual(
      [declined, without, broken, late].map((id) => host.answerTo(id)),
      [
        '-1 User rejected sampling request',
        '-32603 No model is available: no model is enabled',
        '-32603 The request could not be handed to a model.',
        '-32603 The sampling request was not answered in time.',
      ],
    );
    assert.equal(host.person.prompts[3]?.token.isCancellationRequested, true);
    assert.match(host.t.logs.join('\n'), /A sampling request failed: secret detail/);
  });

  test('that the server cancels closes its question and is not answered', async () => {
    const host = await legacy('2024-11-05');
    const id = await host.asks(CREATE, prompt());
    host.t.server.notify('notifications/cancelled', { requestId: id });
    await settle();
    assert.equal(host.person.prompts[0]?.token.isCancellationRequested, true);
    await answers(host, SAID);
    assert.equal(host.answerTo(id), undefined);
  });

  test('is put to the user one at a time, and not forever', async () => {
    const host = await legacy('2025-11-25');
    const ids = [];
    for (let n = 0; n < 9; n++) ids.push(await host.asks(CREATE, prompt()));
    assert.equal(host.person.prompts.length, 1);
    assert.equal(host.answerTo(ids[8]!), '-32603 Too many sampling requests wait for an answer.');
    await answers(host, SAID);
    assert.equal(host.person.prompts.length, 2);
  });

  test('in a loop is refused above twenty a minute, and allowed again later', async () => {
    const host = await legacy('2025-11-25');
    const ask = async (): Promise<Json | undefined> => {
      const id = await host.asks(CREATE, prompt());
      await answers(host, SAID);
      return host.answerTo(id);
    };
    for (let n = 0; n < 20; n++) assert.equal(typeof (await ask()), 'object');
    assert.match(String(await ask()), /^-32603 Too many sampling requests within a minute/);
    await host.t.clock.advance(60_000);
    assert.equal(typeof (await ask()), 'object');
  });

  test('with tools is refused unless they were declared, and means nothing before there were any', async () => {
    const tools = { tools: [{ name: 't', inputSchema: { type: 'object' } }] };
    const without = await legacy('2025-11-25');
    assert.match(String(without.answerTo(await without.asks(CREATE, prompt(tools)))), /^-32602 .*"sampling.tools"/);
    assert.match(
      String(without.answerTo(await without.asks(CREATE, prompt({ toolChoice: { mode: 'auto' } })))),
      /^-32602 /,
    );
    const old = await legacy('2025-06-18');
    await old.asks(CREATE, prompt(tools));
    assert.deepEqual(old.person.prompts[0]?.question.request.tools, []);
    const able = await withTools('2025-11-25');
    assert.deepEqual(declared(able), { tools: {} });
    const id = await able.asks(CREATE, prompt(tools));
    assert.deepEqual(able.person.prompts[0]?.question.remarks, ['It offers the model 1 tool that the server runs.']);
    const use = { type: 'tool_use', id: 'c1', name: 't', input: { x: 1 } } as const;
    await answers(able, {
      kind: 'answered',
      result: { content: [use, { ...use, id: 'c2' }], model: 'm', stopReason: 'toolUse' },
    });
    assert.deepEqual(able.answerTo(id), {
      role: 'assistant',
      content: [use, { ...use, id: 'c2' }],
      model: 'm',
      stopReason: 'toolUse',
    });
  });

  test('whose tool results do not match the uses before them is refused', async () => {
    const host = await withTools('2025-11-25');
    const text = { type: 'text', text: 'hi' };
    const use = { type: 'tool_use', id: 'c1', name: 't', input: {} };
    const result = { type: 'tool_result', toolUseId: 'c1', content: [text] };
    const verdict = async (...contents: Contents): Promise<string> => {
      const before = host.person.prompts.length;
      const id = await host.asks(CREATE, messages(...contents));
      if (host.person.prompts.length === before) return String(host.answerTo(id)).slice(0, 6);
      await answers(host, SAID);
      return 'asked';
    };
    assert.deepEqual(
      [
        await verdict(['user', text], ['assistant', use], ['user', result]),
        await verdict(['user', text], ['assistant', [use, { ...use, id: 'c2' }]], ['user', result]),
        await verdict(['user', result]),
        await verdict(['assistant', use], ['user', [result, text]]),
        await verdict(['assistant', use]),
        await verdict(),
        await verdict(['user', { type: 'hologram', data: 'x' }]),
        await verdict(['user', [text, { type: 'image', data: 'aGk=', mimeType: 'image/png' }]]),
      ],
      ['asked', '-32602', '-32602', '-32602', '-32602', '-32602', '-32602', 'asked'],
    );
    assert.deepEqual(host.person.prompts.at(-1)?.question.remarks, ['It holds 1 picture or sound.']);
  });

  test('as an input of a stateless call that is declined ends the call in words', async () => {
    const host = await modern({
      'tools/list': () => ({ tools: [tool('add')], ttlMs: 0, cacheScope: 'private' }),
      'tools/call': () => ({
        resultType: 'input_required',
        inputRequests: { q: { method: CREATE, params: prompt() } },
      }),
    });
    const failed = host.t.host
      .callTool({ server: 'a', tool: 'add', args: {}, route: 'command' })
      .catch((error: Error) => error.message);
    await settle();
    await answers(host, { kind: 'declined' });
    assert.match(String(await failed), /User rejected sampling request/);
  });
});
