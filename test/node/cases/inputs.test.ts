import assert from 'node:assert/strict';
import type { JsonObject } from '../../../src/core/index.ts';
import { failWith } from '../../support/scriptedServer.ts';
import { type Case, ID, openCase } from './caseHost.ts';
import { accept, ask, CasePerson } from './casePerson.ts';
import { HttpCases } from './httpCaseServer.ts';

suite('A server’s request for a model', () => {
  let opened: Case;
  let person: CasePerson;
  teardown(() => opened.close());

  const open = async (version: string, canUseTools = false): Promise<void> => {
    person = new CasePerson({ canUseTools });
    opened = await openCase({ version, host: person.ports });
  };
  const hello = { role: 'user', content: { type: 'text', text: 'Hello' } };
  const sample = (params: JsonObject = {}): Promise<JsonObject> =>
    ask(opened.life, 'sampling/createMessage', { messages: [hello], maxTokens: 100, ...params });
  const said = {
    kind: 'answered',
    result: { content: [{ type: 'text', text: 'Hi' }], model: 'm', stopReason: 'endTurn' },
  };
  const refusal = ({ error }: JsonObject): string => {
    const { code, message } = error as { readonly code: number; readonly message: string };
    return `${code}: ${message}`;
  };

  test('is shown with its name in the settings, and refused, or answered in full', async () => {
    await open('2024-11-05');
    assert.deepEqual(await sample(), { error: { code: -1, message: 'User rejected sampling request' } });
    person.onPrompt = () => said as never;
    assert.deepEqual(await sample({ systemPrompt: 'Be brief.' }), {
      result: { role: 'assistant', content: { type: 'text', text: 'Hi' }, model: 'm', stopReason: 'endTurn' },
    });
    const [, question] = person.prompts;
    assert.deepEqual(
      [question?.server, question?.request.systemPrompt, question?.request.messages],
      [ID, 'Be brief.', [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }]],
    );
  });

  test('is answered with an error without a model, and on a host without models', async () => {
    await open('2024-11-05');
    person.onPrompt = () => ({ kind: 'unavailable', reason: 'The quota is used up.' });
    assert.equal(refusal(await sample()), '-32603: No model is available: The quota is used up.');
    await opened.close();
    opened = await openCase();
    assert.equal(refusal(await sample()), '-32603: No model is available: This host has no language model.');
  });

  test('reaches the model with images, limits and hints, and without unknown members', async () => {
    await open('2024-11-05');
    person.onPrompt = () => said as never;
    const image = { role: 'user', content: { type: 'image', data: 'AAAA', mimeType: 'image/png' } };
    await sample({
      messages: [hello, image],
      maxTokens: 7,
      modelPreferences: { hints: [{ name: 'sonnet' }, { name: 'claude' }], costPriority: 0.3 },
    });
    const [{ request, remarks } = assert.fail()] = person.prompts;
    assert.deepEqual(
      [request.messages[1]?.content, request.maxTokens, request.preferences.hints, request.preferences.cost, remarks],
      [
        [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }],
        7,
        ['sonnet', 'claude'],
        0.3,
        ['It holds 1 picture or sound.'],
      ],
    );
    const video = { role: 'user', content: { type: 'video', data: 'AAAA' } };
    assert.equal(
      refusal(await sample({ messages: [video] })),
      '-32602: Invalid sampling request: it has content of a kind that this host does not know',
    );
    assert.equal(person.prompts.length, 1);
  });

  test('in a loop is refused from the twenty-first in a minute on', async () => {
    await open('2024-11-05');
    person.onPrompt = () => said as never;
    for (let count = 1; count <= 20; count++) assert.ok('result' in (await sample()), `request ${count}`);
    assert.match(refusal(await sample()), /^-32603: Too many sampling requests within a minute/);
    assert.equal(person.prompts.length, 20);
  });

  test('may not bring tools where none were declared', async () => {
    await open('2025-11-25');
    const [{ params } = {}] = opened.life.sent('initialize');
    assert.deepEqual((params as { readonly capabilities: JsonObject }).capabilities['sampling'], {});
    assert.equal(
      refusal(await sample({ tools: [{ name: 't', inputSchema: { type: 'object' } }] })),
      '-32602: Invalid sampling request: it brings tools, and this host did not declare "sampling.tools"',
    );
    assert.deepEqual(person.prompts, []);
  });

  test('has tools if they were declared, with one result per use', async () => {
    await open('2025-11-25', true);
    person.onPrompt = () => ({
      kind: 'answered',
      result: { content: [{ type: 'tool_use', id: 'u2', name: 't', input: {} }], model: 'm', stopReason: 'toolUse' },
    });
    const tools = [{ name: 't', inputSchema: { type: 'object' } }];
    const use = { role: 'assistant', content: [{ type: 'tool_use', id: 'u1', name: 't', input: {} }] };
    const gave = (toolUseId: string): JsonObject => ({
      role: 'user',
      content: [{ type: 'tool_result', toolUseId, content: [{ type: 'text', text: 'x' }] }],
    });
    assert.match(
      refusal(await sample({ tools, messages: [hello, use, gave('u9')] })),
      /^-32602: .* answers a use of a tool that is not/,
    );
    assert.match(refusal(await sample({ tools, messages: [hello, use, hello] })), /^-32602: /);
    assert.deepEqual(await sample({ tools, messages: [hello, use, gave('u1')] }), {
      result: {
        role: 'assistant',
        content: { type: 'tool_use', id: 'u2', name: 't', input: {} },
        model: 'm',
        stopReason: 'toolUse',
      },
    });
    assert.equal(person.prompts.length, 1);
  });
});

suite('A server’s question to the user', () => {
  const cases = HttpCases.ofSuite();
  let opened: Case;
  let person: CasePerson;
  teardown(() => opened.close());

  const open = async (version: string, answers = {}): Promise<void> => {
    person = new CasePerson();
    opened = await openCase({ version, answers, host: person.ports });
  };
  const elicit = (params: JsonObject): Promise<JsonObject> => ask(opened.life, 'elicitation/create', params);
  const form = (properties: JsonObject, required: readonly string[] = []): Promise<JsonObject> =>
    elicit({ message: 'Tell me', requestedSchema: { type: 'object', properties, required: [...required] } });

  test('in a form is accepted, declined or left open', async () => {
    await open('2025-06-18');
    assert.deepEqual(await form({ name: { type: 'string' } }), { result: { action: 'cancel' } });
    person.onForm = () => ({ kind: 'decline' });
    assert.deepEqual(await form({ name: { type: 'string' } }), { result: { action: 'decline' } });
    person.onForm = accept({ name: 'Ada', age: '36' });
    assert.deepEqual(await form({ name: { type: 'string' }, age: { type: 'integer' } }), {
      result: { action: 'accept', content: { name: 'Ada', age: 36 } },
    });
    assert.deepEqual(
      person.forms.map(({ server, message }) => [server, message]),
      [
        [ID, 'Tell me'],
        [ID, 'Tell me'],
        [ID, 'Tell me'],
      ],
    );
  });

  test('starts with the defaults of the server, also for multiple choice', async () => {
    await open('2025-11-25');
    person.onForm = accept();
    const titled = {
      anyOf: [
        { const: 'r', title: 'Red' },
        { const: 'g', title: 'Green' },
        { const: 'b', title: 'Blue' },
      ],
    };
    const answer = await form({
      text: { type: 'string', default: 'as is' },
      count: { type: 'integer', default: 3 },
      flag: { type: 'boolean', default: true },
      one: { type: 'string', enum: ['a', 'b'], default: 'b' },
      some: { type: 'array', items: titled, default: ['r', 'b'] },
      others: { type: 'array', items: { type: 'string', enum: ['x', 'y'] } },
    });
    const content = { text: 'as is', count: 3, flag: true, one: 'b', some: ['r', 'b'] };
    assert.deepEqual(answer, { result: { action: 'accept', content } });
    const [{ form: shown } = assert.fail()] = person.forms;
    assert.deepEqual(
      shown.fields.map(({ name, kind }) => `${name}: ${kind}`),
      ['text: text', 'count: number', 'flag: boolean', 'one: choice', 'some: choices', 'others: choices'],
    );
  });

  test('is shown with a warning if it looks like a secret', async () => {
    await open('2025-06-18');
    await form({ apiKey: { type: 'string' }, colour: { type: 'string' } });
    const [{ sensitive, remarks } = assert.fail()] = person.forms;
    assert.equal(sensitive.length, 1);
    assert.match(remarks.join(), /^This looks as if a secret was wanted: .*Servers must not ask for one in a form\.$/);
  });

  test('is not shown in a revision without questions', async () => {
    await open('2024-11-05');
    assert.equal(((await form({}))['error'] as JsonObject)['code'], -32601);
    assert.deepEqual(person.forms, []);
  });

  test('on a page is shown with the whole address, which the host does not fetch', async () => {
    const site = await cases.serve({ GET: (exchange) => exchange.status(200, 'page') });
    await open('2025-11-25');
    const url = `${site.url('/connect')}?state=a%20b&next=1#top`;
    const page = { mode: 'url', message: 'Sign in', url, elicitationId: 'E1' };
    person.onPage = () => 'decline';
    assert.deepEqual(await elicit(page), { result: { action: 'decline' } });
    person.onPage = () => 'accept';
    assert.deepEqual(await elicit(page), { result: { action: 'accept' } });
    await opened.life.notify('notifications/elicitation/complete', { elicitationId: 'unknown' });
    await opened.life.notify('notifications/elicitation/complete', { elicitationId: 'E1' });
    await opened.until('the end of the visit', () => person.finished.length > 0);
    await opened.life.notify('notifications/elicitation/complete', { elicitationId: 'E1' });
    await ask(opened.life, 'ping');
    assert.deepEqual(
      [...person.pages, ...person.finished].map((question) => [question.server, question.url]),
      [
        [ID, url],
        [ID, url],
        [ID, url],
      ],
    );
    assert.deepEqual(site.lines(), []);
  });

  test('before a call can continue is a page that is visited, and the call is repeated', async () => {
    const url = 'https://example.com/connect?x=1';
    await open('2025-11-25', {
      'tools/list': () => ({ tools: [{ name: 'guarded', inputSchema: { type: 'object' } }] }),
      'tools/call': () =>
        opened.life.sent('tools/call').length > 1
          ? { content: [{ type: 'text', text: 'opened' }] }
          : failWith(-32042, 'A page must be visited', {
              elicitations: [{ mode: 'url', message: 'Connect', url, elicitationId: 'E2' }],
            }),
    });
    person.onPage = () => 'accept';
    const call = opened.call('guarded', { a: 1 });
    await opened.until('the question', () => person.pages.length === 1);
    await ask(opened.life, 'ping');
    assert.equal(opened.life.sent('tools/call').length, 1, 'it waits for the end of the visit');
    await opened.life.notify('notifications/elicitation/complete', { elicitationId: 'E2' });
    assert.equal((await call).modelText, 'opened');
    const calls = opened.life.sent('tools/call').map(({ params }) => params as JsonObject);
    assert.deepEqual(
      calls.map(({ name, arguments: given }) => [name, given]),
      [
        ['guarded', { a: 1 }],
        ['guarded', { a: 1 }],
      ],
    );
    assert.deepEqual(
      person.pages.map((question) => question.url),
      [url],
    );
  });

  test('before a call can continue is declined: the call fails with a message and is not repeated', async () => {
    await open('2025-11-25', {
      'tools/list': () => ({ tools: [{ name: 'guarded', inputSchema: { type: 'object' } }] }),
      'tools/call': () =>
        failWith(-32042, 'A page must be visited', {
          elicitations: [{ mode: 'url', message: 'Connect', url: 'https://example.com/', elicitationId: 'E3' }],
        }),
    });
    person.onPage = () => 'decline';
    await assert.rejects(opened.call('guarded'), { code: 'NOT_APPROVED' });
    assert.equal(opened.life.sent('tools/call').length, 1);
  });
});
