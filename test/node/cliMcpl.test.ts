import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { DrivenHost, mcpl, type Message } from './cliProgram.ts';

const SHELF = {
  command: process.execPath,
  args: [fileURLToPath(new URL('fixtures/shelfServer.mjs', import.meta.url))],
};

interface Sets {
  readonly sets: readonly { readonly name: string; readonly state: string; readonly push: string }[];
}

suite('mcpl host --control and a server that speaks MCPL', () => {
  let host: DrivenHost;
  let lastId: number;

  setup(async () => {
    lastId = 0;
    host = new DrivenHost();
    await ask('configure', { servers: { shelf: SHELF } });
    await ask('start', { server: 'shelf' });
  });

  teardown(() => host.end());

  function ask(command: string, members: object = {}): Promise<unknown> {
    return host.ask(++lastId, command, members);
  }

  /** The host's answer to the server's tool. */
  async function call(tool: string, args: object): Promise<unknown> {
    const result = (await ask('call', { server: 'shelf', tool, args })) as { text: string };
    return JSON.parse(result.text) as unknown;
  }

  async function toggle(names: readonly string[], on: boolean): Promise<readonly string[]> {
    const { sets } = (await ask('toggle', { server: 'shelf', names, on })) as Sets;
    return sets.filter(({ state }) => state === 'enabled').map(({ name }) => name);
  }

  async function audited(): Promise<readonly string[]> {
    const entries = (await ask('audit', { server: 'shelf' })) as readonly Message[];
    return entries
      .map(({ operation, featureSet, outcome }) => [operation, featureSet ?? '', outcome].join(' '))
      .reverse();
  }

  /** Without the listing of tools, which may come at any time. If its request is older than the trace, its answer has no method. */
  async function traced(): Promise<readonly string[]> {
    const { entries } = (await ask('trace', { server: 'shelf' })) as { entries: readonly Message[] };
    return entries
      .filter(({ method }) => typeof method === 'string' && method !== '' && method !== 'tools/list')
      .map(({ direction, kind, method }) => [direction, kind, method].join(' '));
  }

  test('switches a set, and its events come: announced, read, and answered by the model of the driver', async () => {
    const refused = {
      code: -32001,
      message: 'Feature set not enabled',
      data: { featureSet: 'shelf.fall', canEnable: true },
    };
    assert.deepEqual(await call('push', { eventId: 'b1', book: 'Emma' }), refused);
    assert.deepEqual(await toggle(['shelf.fall'], true), ['shelf.fall']);
    assert.deepEqual(await call('push', { eventId: 'b1', book: 'Emma' }), { accepted: true });
    const push = await host.hear({ event: 'push' });
    const { id, featureSet, eventId, text, isRead } = push;
    assert.deepEqual([featureSet, eventId, text, isRead], ['shelf.fall', 'b1', '"Emma" fell.', false]);
    assert.deepEqual(await ask('markRead', { ids: [id] }), { unread: 0 });

    await ask('model', { model: { id: 'stub' } });
    const asked = ask('askModel', { event: id });
    const question = await host.answer('model', 'Pick it up.');
    assert.match(JSON.stringify(question['messages']), /\\"Emma\\" fell\./);
    const { outcome } = (await asked) as { outcome: Message };
    assert.deepEqual([outcome['kind'], outcome['text'], outcome['model']], ['answered', 'Pick it up.', 'stub']);

    assert.deepEqual(await toggle(['shelf.fall'], false), []);
    assert.deepEqual(await call('push', { eventId: 'b2', book: 'Ulysses' }), refused);
    const kept = (await ask('events')) as { unread: number; events: readonly Message[] };
    assert.deepEqual([kept.unread, kept.events.map((event) => event['eventId'])], [0, ['b1']]);
    await ask('clearEvents', { server: 'shelf' });
    assert.deepEqual(await ask('events'), { unread: 0, events: [] });
  });

  test('keeps a set off that only the workspace switched on without consent, also when the driver switches another set', async () => {
    const started = ask('configure', { workspaceServers: { shelf: { featureSets: { enabled: ['shelf.fall'] } } } });
    const { server } = await host.answer('start', 'dontStart');
    await started;
    assert.equal(server, 'shelf');
    assert.deepEqual(await toggle(['shelf.recall'], true), ['shelf.recall']);
    // The question is open again. A choice counts without an answer to it.
    assert.deepEqual(await toggle(['shelf.think'], true), ['shelf.recall', 'shelf.think']);
    assert.deepEqual(await toggle(['shelf.fall'], true), ['shelf.fall', 'shelf.recall', 'shelf.think']);
  });

  test('begins a turn with an event where the driver says so', async () => {
    await toggle(['shelf.fall'], true);
    const policy = { server: 'shelf', featureSet: 'shelf.fall', policy: 'infer' };
    const { sets } = (await ask('pushPolicy', policy)) as Sets;
    assert.deepEqual(
      sets.map(({ name, push }) => `${name} ${push}`),
      ['shelf.fall infer', 'shelf.recall notify', 'shelf.think notify'],
    );
    await ask('model', { model: { id: 'stub', reply: 'Oh.' } });
    const answer = (await call('push', { eventId: 'b1', book: 'Emma' })) as Message;
    assert.deepEqual([answer['accepted'], typeof answer['inferenceId']], [true, 'string']);
    for (;;) {
      await host.hear({ event: 'events' });
      const { events } = (await ask('events')) as { events: readonly { outcome: Message; inferenceId: string }[] };
      const [event] = events;
      if (event?.outcome['kind'] !== 'answered') continue;
      assert.deepEqual([event.outcome['text'], event.inferenceId], ['Oh.', answer['inferenceId']]);
      break;
    }
  });

  test('takes a turn to which the server adds, gives it a model, and reads of all of it in the audit', async () => {
    await toggle(['shelf.recall', 'shelf.think'], true);
    const without = (await ask('turn', { message: 'What now?' })) as Message;
    assert.match(String(without['message']), /The driver has given no model/);
    await ask('model', { model: { id: 'stub' } });
    await ask('trace', { server: 'shelf', on: true });

    const turn = ask('turn', { message: 'What now?' });
    const question = await host.answer('model', { chunks: ['Read ', 'on.'] });
    assert.match(JSON.stringify(question['messages']), /\\"Emma\\" is open\. Said: What now\?/);
    const { text, injectedBy, usage } = (await turn) as Message;
    assert.deepEqual(
      [text, injectedBy],
      ['Read on.', [{ server: 'shelf', namespace: 'shelf', position: 'beforeUser' }]],
    );
    assert.equal(Reflect.get(usage as object, 'outputTokens'), 2);
    const { turn: number } = await host.hear({ event: 'text', text: 'Read ' });
    await host.hear({ event: 'text', text: 'on.', turn: number });

    const thought = call('think', { book: 'Emma' });
    const asked = await host.answer('model', { text: 'A matchmaker.', finishReason: 'stop_sequence' });
    assert.deepEqual([asked['server'], asked['maxTokens'] !== undefined], ['shelf', true]);
    const { content, model, finishReason } = (await thought) as Message;
    assert.deepEqual([content, model, finishReason], ['A matchmaker.', 'stub', 'stop_sequence']);
    const refused = call('think', { book: 'Emma' });
    await host.answer('model', { failed: 'quota' });
    assert.match(JSON.stringify(await refused), /"code":-32000.*"reason":"quota"/);

    assert.deepEqual(await audited(), [
      'featureSets/update  success',
      'featureSets/update  success',
      'context/beforeInference shelf.recall success',
      'inference/request shelf.think success',
      'tools/call  success',
      'inference/request shelf.think failure',
      'tools/call  success',
    ]);
    assert.deepEqual(await traced(), [
      'sent request context/beforeInference',
      'received result context/beforeInference',
      'sent request tools/call',
      'received request inference/request',
      'sent result inference/request',
      'received result tools/call',
      'sent request tools/call',
      'received request inference/request',
      'sent error inference/request',
      'received result tools/call',
    ]);
  });

  test('gives up a turn, and the question with it', async () => {
    await ask('model', { model: { id: 'stub' } });
    const turn = ask('turn', { message: 'Wait.' });
    const number = lastId;
    const { question } = await host.hear({ event: 'question', kind: 'model' });
    assert.deepEqual(await ask('cancel', { call: number }), { cancelled: true });
    await host.hear({ event: 'questionClosed', question });
    assert.equal(Reflect.get((await turn) as object, 'code'), 'CANCELLED');
  });

  test('learns that a server needs a model and none is available', async () => {
    await toggle(['shelf.think'], true);
    assert.match(JSON.stringify(await call('think', { book: 'Emma' })), /"reason":"no_model"/);
    assert.deepEqual(await host.hear({ event: 'modelRefused' }), {
      event: 'modelRefused',
      server: 'shelf',
      reason: 'no_model',
    });
  });
});

suite('A command at a terminal', () => {
  test('speaks MCPL with the sets that it names, and not at all without any', async () => {
    const words = ['push', 'eventId=b1', 'book=Emma', '--', SHELF.command, ...SHELF.args];
    const [enabled, plain] = await Promise.all([mcpl('call', '--enable', 'shelf.*', ...words), mcpl('call', ...words)]);
    assert.deepEqual([enabled.code, enabled.out], [0, '{"accepted":true}\n']);
    assert.match(plain.out, /"code":-32601/);
  });

  test('that inspects shows how a server speaks MCPL, and its feature sets, all of them off', async () => {
    const [text, json] = await Promise.all([
      mcpl('inspect', SHELF.command, ...SHELF.args),
      mcpl('inspect', '--json', SHELF.command, ...SHELF.args),
    ]);
    assert.match(text.out, /\nMCPL 0\.2: push events, context before an inference, inference in pieces\n/);
    assert.match(
      text.out,
      /\nFeature sets \(3\):\n\n {2}shelf\.fall - off\n {4}Tells of books that fall\.\n {4}Uses: pushEvents\n/,
    );
    const { mcpl: known } = JSON.parse(json.out) as { mcpl: Sets & { dialect: { version: string } } };
    assert.deepEqual([known.dialect.version, known.sets.map(({ state }) => state)], ['0.2', Array(3).fill('disabled')]);
  });
});
