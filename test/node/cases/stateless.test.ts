import assert from 'node:assert/strict';
import { CancellationSource, type JsonObject } from '../../../src/core/index.ts';
import { waitUntil } from '../../support/processes.ts';
import { accept, CasePerson } from './casePerson.ts';
import { complete, type Exchange, HttpCases, stateless, tool } from './httpCaseServer.ts';

const META = 'io.modelcontextprotocol/';
const text = (said: string): object => complete({ content: [{ type: 'text', text: said }] });
const question = (message: string): object => ({
  method: 'elicitation/create',
  params: { mode: 'form', message, requestedSchema: { type: 'object', properties: { ok: { type: 'boolean' } } } },
});
const asking = (inputRequests: object, requestState?: string): object => ({
  resultType: 'input_required',
  inputRequests,
  ...(requestState !== undefined && { requestState }),
});

/** A user who accepts or declines forms by their message, and leaves others open. */
function personWho(answers: Readonly<Record<string, 'yes' | 'no'>>): CasePerson {
  const person = new CasePerson();
  person.onForm = (asked) => {
    const answer = answers[asked.message];
    if (answer === undefined) return new Promise(() => undefined);
    return answer === 'no' ? { kind: 'decline' } : accept({ ok: true })(asked);
  };
  return person;
}

const metaOf = ({ params }: Exchange): JsonObject => params['_meta'] as JsonObject;
/** The params without what every request has. */
const given = ({ params }: Exchange): JsonObject => {
  const { _meta: _, name: _name, arguments: _arguments, ...rest } = params;
  return rest;
};

suite('A request of the stateless revision', () => {
  const cases = HttpCases.ofSuite();

  test('says in itself and in its headers what it is, in ASCII whatever it names', async () => {
    const marked = (header: unknown, more: object = {}): object => ({
      inputSchema: {
        type: 'object',
        properties: { region: { type: ['string', 'null'], 'x-mcp-header': header, ...more } },
      },
    });
    const [opened, server] = await cases.running({
      ...stateless({ tools: {}, resources: {}, prompts: {} }, [
        tool('héllo', marked('Region')),
        tool('empty', marked('')),
        tool('spaced', marked('Re gion')),
        tool('list', marked('Region', { type: 'array' })),
        tool('number', marked('Region', { type: 'number' })),
        tool('twice', {
          inputSchema: {
            type: 'object',
            properties: {
              a: { type: 'string', 'x-mcp-header': 'Region' },
              b: { type: 'string', 'x-mcp-header': 'REGION' },
            },
          },
        }),
        tool('hidden', { inputSchema: { anyOf: [marked('Region')['inputSchema' as never]] } }),
        tool('plain'),
      ]),
      'resources/list': (exchange) => exchange.result(complete({ resources: [] })),
      'resources/templates/list': (exchange) => exchange.result(complete({ resourceTemplates: [] })),
      'resources/read': (exchange) => exchange.result(complete({ contents: [{ uri: 'mem://ü', text: 'x' }] })),
      'prompts/list': (exchange) => exchange.result(complete({ prompts: [] })),
      'prompts/get': (exchange) => exchange.result(complete({ messages: [] })),
    });
    await opened.call('héllo', { region: 'Zürich' });
    await opened.call('héllo', { region: 'eu 1' });
    await opened.call('héllo', { region: null });
    await opened.host.readResource('case', 'mem://ü');
    await opened.host.getPrompt('case', ' greet', {});

    assert.deepEqual(opened.toolNames, ['héllo', 'plain']);
    assert.equal(opened.log.filter((line) => line.startsWith('warn Left out of the tools')).length, 6);
    const calls = server.heard.filter(({ method }) => /call|read|get/.test(method));
    const base64 = (value: string): string => `=?base64?${Buffer.from(value).toString('base64')}?=`;
    assert.deepEqual(
      calls.map(({ headers }) => [headers['mcp-method'], headers['mcp-name'], headers['mcp-param-region']]),
      [
        ['tools/call', base64('héllo'), base64('Zürich')],
        ['tools/call', base64('héllo'), 'eu 1'],
        ['tools/call', base64('héllo'), undefined],
        ['resources/read', base64('mem://ü'), undefined],
        ['prompts/get', base64(' greet'), undefined],
      ],
    );
    const ids = server.heard.map(({ id }) => id);
    assert.equal(new Set(ids).size, ids.length);
    for (const exchange of server.heard) {
      const { method, headers, id } = exchange;
      const meta = metaOf(exchange);
      assert.deepEqual(
        [
          typeof id,
          meta[`${META}protocolVersion`],
          typeof meta[`${META}clientCapabilities`],
          headers['mcp-protocol-version'],
          headers['mcp-method'],
          headers['mcp-session-id'],
        ],
        ['number', '2026-07-28', 'object', '2026-07-28', method, undefined],
      );
    }
  });

  test('whose headers are not what the server wants by now is made once more, after its tools were read again', async () => {
    let header = 'Region';
    const [opened, server] = await cases.running({
      ...stateless(),
      'tools/list': (exchange) =>
        exchange.result(
          complete({
            ttlMs: 60_000,
            cacheScope: 'private',
            tools: [
              tool('echo', {
                inputSchema: { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': header } } },
              }),
            ],
          }),
        ),
      'tools/call': (exchange) =>
        exchange.headers['mcp-param-zone'] === 'eu'
          ? exchange.result(text('done'))
          : exchange.error({ code: -32020, message: 'Header mismatch' }, 400),
    });
    header = 'Zone';
    assert.equal((await opened.call('echo', { region: 'eu' })).modelText, 'done');
    header = 'Other';
    assert.equal((await opened.call('echo', { region: 'eu' })).modelText, 'done');
    await assert.rejects(opened.call('echo', { region: 'us' }), { code: 'REMOTE_ERROR', rpcCode: -32020 });
    assert.deepEqual(
      server.lines().slice(1),
      ['list', 'call', 'list', 'call', 'call', 'call', 'list', 'call'].map((what) => `POST tools/${what}`),
    );
  });

  test('that repeats nothing in headers is not made a second time, whatever the code means to the server', async () => {
    const [opened, server] = await cases.running({
      ...stateless(),
      'tools/call': (exchange) => exchange.error({ code: -32001, message: 'Request timed out' }),
    });
    await assert.rejects(opened.call(), { code: 'REMOTE_ERROR', rpcCode: -32001 });
    assert.equal(server.lines().filter((line) => line === 'POST tools/call').length, 1);
  });

  test('is answered by nothing but the kinds of result that there are', async () => {
    const [opened] = await cases.running({
      ...stateless(),
      'tools/call': (exchange) => exchange.result({ resultType: 'riddle', content: [] }),
    });
    await assert.rejects(opened.call(), /of a type that is not known: "riddle"/);
  });

  test('that misses a capability says which, and by a code of another protocol nothing of the kind', async () => {
    const [opened] = await cases.running({
      ...stateless(),
      'tools/call': (exchange) =>
        exchange.params['name'] === 'echo'
          ? exchange.error(
              { code: -32003, message: 'No', data: { requiredCapabilities: { sampling: { tools: {} } } } },
              400,
            )
          : exchange.error({ code: -32003, message: 'Unknown feature set' }),
      'tools/list': (exchange) => exchange.result(complete({ tools: [tool('echo'), tool('other')] })),
    });
    await assert.rejects(opened.call('echo'), {
      code: 'CAPABILITY_MISSING',
      message: 'The server needs what this host does not offer: sampling.tools.',
    });
    await assert.rejects(opened.call('other'), { code: 'REMOTE_ERROR', rpcCode: -32003 });
  });

  test('is not an occasion for the server to ask: what it asks is logged and never answered', async () => {
    const [opened, server] = await cases.running({
      ...stateless(),
      'tools/call': (exchange) => {
        const stream = exchange.stream();
        stream.say({ id: 'theirs', method: 'roots/list' });
        stream.result(text('done'));
      },
    });
    assert.equal((await opened.call()).modelText, 'done');
    assert.equal((await opened.call()).modelText, 'done');
    assert.deepEqual(
      server.heard.filter(({ message }) => 'result' in message || 'error' in message),
      [],
    );
    assert.ok(
      opened.log.includes(
        'warn The server sent the request roots/list, which a stateless server may not: not answered.',
      ),
    );
  });
});

suite('A call that the server answers with questions', () => {
  const cases = HttpCases.ofSuite();

  test('is made again with the answers, a no among them, and the state given back to the letter', async () => {
    const person = personWho({ first: 'yes', second: 'no' });
    const state = ' "ünï"\\u0000 =';
    const [opened, server] = await cases.running(
      {
        ...stateless(),
        'tools/call': (exchange) => {
          const { inputResponses, requestState } = given(exchange) as {
            readonly inputResponses?: JsonObject;
            readonly requestState?: string;
          };
          if (inputResponses === undefined && requestState === undefined)
            exchange.result(asking({ a: question('first') }, state));
          else if (inputResponses?.['a'] !== undefined) exchange.result(asking({ b: question('second') }));
          else if (requestState === undefined) exchange.result({ resultType: 'input_required', requestState: 'again' });
          else exchange.result(text('done'));
        },
      },
      { elicitor: person.elicitor },
    );
    assert.equal((await opened.call('echo', { x: 1 })).modelText, 'done');
    const calls = server.of('tools/call');
    assert.deepEqual(calls.map(given), [
      {},
      { inputResponses: { a: { action: 'accept', content: { ok: true } } }, requestState: state },
      { inputResponses: { b: { action: 'decline' } } },
      { requestState: 'again' },
    ]);
    assert.deepEqual(
      calls.map(({ params }) => params['arguments']),
      [{ x: 1 }, { x: 1 }, { x: 1 }, { x: 1 }],
    );
    assert.equal(new Set(calls.map(({ id }) => id)).size, 4);
    assert.deepEqual(
      person.forms.map(({ message }) => message),
      ['first', 'second'],
    );
  });

  test('without end is given up', async () => {
    const person = personWho({ more: 'yes' });
    const [opened, server] = await cases.running(
      { ...stateless(), 'tools/call': (exchange) => exchange.result(asking({ a: question('more') })) },
      { elicitor: person.elicitor },
    );
    await assert.rejects(opened.call(), /asked for input 10 times without coming to an end/);
    assert.equal(server.of('tools/call').length, 11);
  });

  test('is not made again when it is cancelled meanwhile, and its question is void', async () => {
    const person = personWho({});
    const [opened, server] = await cases.running(
      { ...stateless(), 'tools/call': (exchange) => exchange.result(asking({ a: question('open') })) },
      { elicitor: person.elicitor },
    );
    const source = new CancellationSource();
    const call = opened.host.callTool(
      { server: 'case', tool: 'echo', args: {}, route: 'api' },
      { token: source.token },
    );
    await waitUntil('the question', () => person.forms.length === 1);
    source.cancel();
    await assert.rejects(call, { code: 'CANCELLED' });
    assert.equal(person.tokens[0]?.isCancellationRequested, true);
    assert.deepEqual(server.lines(), ['POST server/discover', 'POST tools/list', 'POST tools/call']);
  });

  test('as a task is looked at as often as it wants, and answers each question once', async () => {
    const person = personWho({ one: 'yes', two: 'no' });
    const task = (status: string, more: object = {}): object => ({
      taskId: 'T 1',
      status,
      createdAt: '2026-08-01T00:00:00Z',
      lastUpdatedAt: '2026-08-01T00:00:00Z',
      ttlMs: 60_000,
      pollIntervalMs: 500,
      ...more,
    });
    const both = { k1: question('one'), k2: question('two') };
    let looks = 0;
    let answered = 0;
    /** Asks both questions in at least two polls, and ends once both are answered. */
    const look = (): object => {
      looks++;
      if (looks === 1) return task('working');
      if (looks < 4 || answered < 2) return task('input_required', { inputRequests: both });
      return task('completed', { result: { content: [{ type: 'text', text: 'finished' }] } });
    };
    const [opened, server] = await cases.running(
      {
        ...stateless({ tools: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } }),
        'tools/call': (exchange) => exchange.result({ resultType: 'task', ...task('working') }),
        'tasks/get': (exchange) => exchange.result(complete(look())),
        'tasks/update': (exchange) => {
          answered++;
          exchange.result(complete({}));
        },
      },
      { elicitor: person.elicitor },
    );
    assert.equal((await opened.call()).modelText, 'finished');
    assert.deepEqual(
      person.forms.map(({ message }) => message),
      ['one', 'two'],
    );
    const updates = server.of('tasks/update');
    assert.deepEqual(
      updates.map(({ params }) => params['inputResponses']),
      [{ k1: { action: 'accept', content: { ok: true } } }, { k2: { action: 'decline' } }],
    );
    for (const exchange of [...server.of('tasks/get'), ...updates])
      assert.deepEqual([exchange.params['taskId'], exchange.headers['mcp-name']], ['T 1', 'T 1']);
  });
});
