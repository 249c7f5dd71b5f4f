import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { decodeLine } from '../../../../src/cli/control/lineDecoder.ts';
import type { Questions } from '../../../../src/cli/control/questions.ts';
import { CancellationSource, type JsonObject, NO_CANCELLATION } from '../../../../src/core/index.ts';
import { Driver } from './driver.ts';
import type { FakeHost } from '../fakeHost.ts';

const QUESTION = {
  server: 'a',
  reason: 'first',
  kind: 'command',
  target: 'node a.js',
  cwd: undefined,
  remarks: ['It asks.'],
} as const;

suite('A driver of the host', () => {
  let driver: Driver;
  let host: FakeHost;
  let written: JsonObject[];
  let questions: Questions;
  const say = (...lines: readonly (string | object)[]): Promise<unknown> => driver.say(...lines);

  setup(() => {
    driver = new Driver();
    ({ host, written, questions } = driver);
  });

  teardown(() => driver.dispose());

  test('gets a message that the host is ready once it has its settings', () => {
    driver.session.begin();
    assert.deepEqual(written, [{ event: 'ready' }]);
    assert.deepEqual(host.settings, {
      trusted: true,
      limits: undefined,
      layers: [
        { scope: 'user', servers: { files: {} } },
        { scope: 'workspace', servers: undefined },
      ],
    });
  });

  test('reads servers, tools and problems', async () => {
    const state = {
      kind: 'running',
      info: { name: 'files-server', version: '1.2.3' },
      protocolVersion: '2025-11-25',
      connection: { era: 'legacy', isDialect: false, roundTripMs: 3, transport: 'stdio' },
      pid: 42,
      since: 5,
    };
    const server = {
      id: 'files',
      definedBy: 'user',
      enabled: false,
      state,
      capabilities: { tools: {} },
      tools: ['read'],
      resources: ['mem://a'],
      templates: ['mem://note/{id}'],
      prompts: ['greet'],
      listings: {
        tools: { kind: 'read' },
        resources: { kind: 'read' },
        prompts: {
          kind: 'failed',
          error: { code: 'TIMEOUT', message: 'Too slow.', layer: 'transport', effect: 'none' },
        },
      },
      scopes: {
        lists: { 'files.edit': { whitelist: ['src/**'], blacklist: ['**/.env'], isBroken: false } },
        adapters: { write: ['$.path'] },
      },
      problems: [],
    };
    const tool = { server: 'files', offered: true, autoApproved: false, name: 'read', inputSchema: {} };
    const said = await say(
      { id: 1, command: 'servers' },
      { id: 'two', command: 'tools' },
      { id: 3, command: 'tools', server: 'nope' },
      { id: 4, command: 'problems' },
    );
    assert.deepEqual(said, [
      { id: 1, ok: true, result: [server] },
      { id: 'two', ok: true, result: [tool] },
      {
        id: 3,
        ok: false,
        error: {
          code: 'UNKNOWN_SERVER',
          message: 'There is no server "nope".',
          suggestion: 'List them with "servers".',
        },
      },
      {
        id: 4,
        ok: true,
        result: [{ path: ['x', 'args', 0], scope: 'user', severity: 'error', message: 'Must be a text.' }],
      },
    ]);
  });

  test('starts, stops, restarts and forgets servers; a failure has its next step', async () => {
    const commands = ['stop', 'restart', 'forget'].map((command, id) => ({ id, command, server: 'files' }));
    await say(...commands, { id: 9, command: 'start', server: 'files' });
    assert.deepEqual(host.did, ['stop files', 'restart files', 'forget files', 'start files']);
    assert.deepEqual(await say({ id: 10, command: 'start', server: 'nope' }), [
      {
        id: 10,
        ok: false,
        error: {
          code: 'UNKNOWN_SERVER',
          message: 'There is no server "nope".',
          suggestion: 'Look again.',
          effect: 'none',
          layer: 'host',
        },
      },
    ]);
  });

  test('changes only the settings that it names', async () => {
    await say({ id: 1, command: 'configure', workspaceServers: { b: {} }, trusted: false });
    assert.deepEqual(host.settings, {
      trusted: false,
      limits: undefined,
      layers: [
        { scope: 'user', servers: { files: {} } },
        { scope: 'workspace', servers: { b: {} } },
      ],
    });
  });

  test('calls a tool, gets its progress, and gets its result', async () => {
    const said = await say({ id: 1, command: 'call', server: 'files', tool: 'read', args: { a: 1 }, meta: { m: 2 } });
    const text = '{"server":"files","tool":"read","args":{"a":1},"meta":{"m":2},"route":"cli"}';
    assert.deepEqual(said, [
      { event: 'progress', call: 1, progress: 1, total: 2, message: 'half' },
      { id: 1, ok: true, result: { text, isError: false, raw: { content: [{ type: 'text', text }] } } },
    ]);
  });

  test('cancels a call by its id, which no second call may have meanwhile', async () => {
    const call = { id: 1, command: 'call', server: 'files', tool: 'read', args: { wait: true } };
    await say(call);
    assert.deepEqual(await say(call), [
      {
        id: 1,
        ok: false,
        error: {
          code: 'INVALID_COMMAND',
          message: 'A call with this id is still running.',
          suggestion: 'Give each command its own id.',
        },
      },
    ]);
    const said = await say({ id: 2, command: 'cancel', call: 1 }, { id: 3, command: 'cancel', call: 7 });
    assert.deepEqual(said, [
      { id: 2, ok: true, result: { cancelled: true } },
      { id: 3, ok: true, result: { cancelled: false } },
      {
        id: 1,
        ok: false,
        error: { code: 'CANCELLED', message: 'The call was cancelled.', effect: 'unknown', layer: 'host' },
      },
    ]);
  });

  test('answers whether a server may start; only a real answer counts', async () => {
    const asked = questions.askStart(QUESTION, NO_CANCELLATION);
    assert.deepEqual(written.splice(0), [
      {
        event: 'question',
        question: 'q1',
        kind: 'start',
        server: 'a',
        reason: 'first',
        connection: 'command',
        target: 'node a.js',
        cwd: undefined,
        remarks: ['It asks.'],
        answers: ['start', 'dontStart'],
      },
    ]);
    const problems = ['perhaps', 'start', 'dontStart'].map((answer) => questions.answer('q1', answer));
    assert.deepEqual(problems, ['This is no answer to that question.', undefined, 'There is no open question "q1".']);
    assert.deepEqual(await say({ id: 1, command: 'answer', question: 'q9', answer: 'start' }), [
      {
        id: 1,
        ok: false,
        error: {
          code: 'INVALID_ANSWER',
          message: 'There is no open question "q9".',
          suggestion: 'Answer as the event "question" says.',
        },
      },
    ]);
    assert.equal(await asked, 'start');
  });

  test('gets a message when a question is withdrawn', async () => {
    const source = new CancellationSource();
    const asked = questions.askStart(QUESTION, source.token);
    source.cancel();
    assert.equal(await asked, 'dismissed');
    assert.deepEqual(written.at(-1), { event: 'questionClosed', question: 'q1' });
  });

  test('gives a declared input once, and need not give it', async () => {
    questions.declare([
      { id: 'key', password: true },
      { id: 'pick', options: ['a', 'b'] },
    ]);
    const declined = questions.askInput('key', NO_CANCELLATION, 'user');
    await say({ id: 1, command: 'answer', question: 'q1' });
    assert.deepEqual(await declined, { kind: 'declined' });
    const given = questions.askInput('key', NO_CANCELLATION, 'user');
    await say({ id: 2, command: 'answer', question: 'q2', answer: 's3cret' });
    assert.deepEqual(await given, { kind: 'value', value: 's3cret', secret: true });
    assert.deepEqual(await questions.askInput('key', NO_CANCELLATION, 'user'), await given);
    const theirs = questions.askInput('key', NO_CANCELLATION, 'workspace');
    assert.equal(written.at(-1)?.['definedBy'], 'workspace', 'what was typed for the user’s server is not handed on');
    await say({ id: 9, command: 'answer', question: 'q3' });
    assert.deepEqual(await theirs, { kind: 'declined' });
    const picked = questions.askInput('pick', NO_CANCELLATION, 'user');
    await say({ id: 3, command: 'answer', question: 'q4', answer: 'c' });
    await say({ id: 4, command: 'answer', question: 'q4', answer: 'b' });
    assert.deepEqual(await picked, { kind: 'value', value: 'b', secret: false });
    assert.deepEqual(await questions.askInput('other', NO_CANCELLATION, 'user'), { kind: 'undeclared' });
  });

  test('receives changes, and nothing after the end', async () => {
    host.changed.fire({ server: 'gone', what: 'removed' });
    const said = await say({ id: 1, command: 'shutdown' });
    assert.deepEqual(said, [
      { event: 'server', server: 'gone', what: 'removed' },
      { id: 1, ok: true, result: null },
    ]);
    assert.deepEqual([host.did, driver.isShutDown], [['close'], true]);
    host.changed.fire({ server: 'gone', what: 'removed' });
    assert.deepEqual(written, []);
  });

  for (const [line, id, message] of [
    ['nonsense', null, /not valid JSON/],
    ['[1]', null, /must be a JSON object/],
    ['{"command":"servers"}', null, /needs an "id"/],
    ['{"id":1,"command":"toString"}', 1, /There is no command "toString"/],
    ['{"id":1,"command":"start"}', 1, /"server" must be a text/],
    ['{"id":1,"command":"call","server":"a","tool":"b","args":[]}', 1, /"args" must be an object/],
    ['{"id":1,"command":"configure","trusted":1}', 1, /"trusted" must be true or false/],
    ['{"id":1,"command":"prompt","server":"a","name":"b","args":{"n":5}}', 1, /"n" in "args" must be a text/],
    ['{"id":1,"command":"logLevel","server":"a","level":"loud"}', 1, /"level" must be one of debug, info/],
    ['{"id":1,"command":"complete","server":"a","argument":"b","value":""}', 1, /Either "prompt" or "template"/],
    [
      '{"id":1,"command":"configure","limits":{"maxEvents":0}}',
      1,
      /"maxEvents" must be a whole number from 1 to 10000/,
    ],
    ['{"id":1,"command":"configure","limits":{"model":5}}', 1, /"model" must be a text/],
    ['{"id":1,"command":"toggle","server":"a","names":"b","on":true}', 1, /"names" must be a list of texts/],
    ['{"id":1,"command":"toggle","server":"a","names":["b"]}', 1, /"on" must be true or false/],
    [
      '{"id":1,"command":"pushPolicy","server":"a","featureSet":"b","policy":"never"}',
      1,
      /"policy" must be one of ignore/,
    ],
    ['{"id":1,"command":"model"}', 1, /"model" must be an object/],
    [
      '{"id":1,"command":"model","model":{"id":"m","contextWindow":1e999}}',
      1,
      /"contextWindow" must be a whole number/,
    ],
    ['{"id":1,"command":"model","model":{"id":"m","capabilities":[1]}}', 1, /"capabilities" must be a list of texts/],
    ['{"id":1,"command":"turn"}', 1, /"message" must be a text/],
    ['{"id":1,"command":"turn","message":null}', 1, /needs a "message" or a "history"/],
    ['{"id":1,"command":"turn","message":"","history":{}}', 1, /"history" must be a list of messages/],
    ['{"id":1,"command":"turn","message":"","history":[{"role":"system"}]}', 1, /"role" must be "user" or "assistant"/],
    ['{"id":1,"command":"turn","message":"","history":[{"role":"user"}]}', 1, /"content" must be a text, a content/],
    ['{"id":1,"command":"events","limit":10001}', 1, /"limit" must be a whole number from 0 to 10000/],
    ['{"id":1,"command":"audit","limit":-1}', 1, /"limit" must be a whole number from 0 to 5000/],
    ['{"id":1,"command":"trace","server":"a","on":"yes"}', 1, /"on" must be true or false/],
    ['{"id":1,"command":"cancel"}', 1, /"call" must be the id/],
    ['['.repeat(100_000), null, /nests too deeply/],
  ] as const)
    test(`gets an error for ${line.slice(0, 60)}`, () => {
      const decoded = decodeLine(line);
      assert.ok(decoded.kind === 'invalid');
      assert.equal(decoded.id, id);
      assert.match(decoded.error.message, message);
    });

  test('cannot end the host, whatever it writes', () => {
    const word = fc.constantFrom(
      ...['servers', 'tools', 'resources', 'start', 'configure', 'cancel', 'answer', 'call', 'read', 'prompt'],
      ...['complete', 'subscribe', 'unsubscribe', 'logLevel', 'refresh', 'signOut', 'trace', 'featureSets', 'toggle'],
      ...['pushPolicy', 'model', 'turn', 'events', 'markRead', 'clearEvents', 'askModel', 'audit', '__proto__'],
      ...[
        'lineages',
        'watchLineages',
        'checkpoints',
        'checkpoint',
        'state',
        'planRollback',
        'rollback',
        'continueFrom',
      ],
      ...['annotate', 'exportLineage', 'importLineage', 'forgetLineage'],
    );
    const command = fc.record({
      id: fc.jsonValue(),
      command: word,
      server: fc.jsonValue(),
      uri: fc.jsonValue(),
      args: fc.jsonValue(),
      names: fc.oneof(fc.jsonValue(), fc.array(fc.string())),
      model: fc.jsonValue(),
      history: fc.jsonValue(),
      limits: fc.jsonValue(),
      limit: fc.jsonValue(),
      on: fc.jsonValue(),
      featureSet: fc.jsonValue(),
      checkpoint: fc.jsonValue(),
      place: fc.oneof(fc.jsonValue(), fc.nat()),
      filter: fc.jsonValue(),
      name: fc.jsonValue(),
      file: fc.jsonValue(),
      conversation: fc.jsonValue(),
    });
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          command.map((value) => JSON.stringify(value)),
        ),
        (line) => {
          driver.session.receive(line);
        },
      ),
      { numRuns: 300 },
    );
  });
});
