import assert from 'node:assert/strict';
import type { Json, JsonObject } from '../../../../src/core/index.ts';
import { GatewaySession } from '../../../../src/core/gateway/gatewaySession.ts';
import { FakeClock, settle } from '../../../support/fakeClock.ts';
import { failOnLeaks } from '../../../support/leaks.ts';
import { FakeHost, type HeldCall, tool } from './fakeHost.ts';

const FORMS: JsonObject = { elicitation: { form: {}, url: {} } };
const YES: JsonObject = { action: 'accept', content: { decision: 'Allow once' } };

interface CallFacts {
  readonly chat?: string;
  readonly progressToken?: string;
  readonly mode?: 'stream' | 'single';
}

/** A client that calls tools from chats, with all received messages as lines. */
class Conversation {
  readonly host = new FakeHost();
  readonly clock = new FakeClock();
  readonly session: GatewaySession;
  readonly done: Promise<void>[] = [];
  readonly #lines: string[] = [];

  constructor(capabilities: JsonObject = FORMS) {
    let next = 0;
    this.host.set('notes', [tool('add')]);
    const ids = { uuid: () => `q${next++}` };
    this.session = new GatewaySession({ host: this.host, server: 'notes', ids, clock: this.clock });
    void this.session.receive({ id: 0, method: 'initialize', params: { capabilities } }, () => undefined);
  }

  async call(id: string, { chat = 'chat', progressToken, mode }: CallFacts = {}): Promise<HeldCall> {
    const meta = { ...(chat !== '' && { 'vscode.conversationId': chat }), ...(progressToken && { progressToken }) };
    const params = { name: 'add', _meta: meta };
    const hear = (message: JsonObject): void => void this.#lines.push(`${id} < ${short(message)}`);
    this.done.push(this.session.receive({ id, method: 'tools/call', params }, hear, mode));
    return this.host.nextCall();
  }

  /** The client's answer to a request of the session. */
  async answer(id: Json, result: Json = YES): Promise<void> {
    await this.say({ jsonrpc: '2.0', id, result });
  }

  async say(message: Json): Promise<void> {
    await this.session.receive(message, (answer) => this.#lines.push(`- < ${short(answer)}`));
    await settle();
  }

  /** Messages to the client since the last call, and all answers that the host got. */
  async heard(): Promise<readonly string[]> {
    await settle();
    return [...this.#lines.splice(0), ...this.host.approvals.answers.splice(0).map((answer) => `host: ${answer}`)];
  }

  async end(): Promise<void> {
    this.session.dispose();
    await Promise.all(this.done);
  }
}

function short({ id, method, params, result, error }: JsonObject): string {
  const { requestId, progress, message } = (params ?? {}) as JsonObject;
  if (method === 'elicitation/create') return `${String(id)} ask: ${String(message).split('\n', 1)[0]}`;
  if (method === 'notifications/cancelled') return `take back ${String(requestId)}`;
  if (method === 'notifications/progress') return `progress ${String(progress)} ${String(message)}`;
  return `answer ${JSON.stringify(result ?? error)}`;
}

const ASKED = 'ask: The server `notes` (feature set `notes.write`) wants to run its tool `add`.';
const DONE = 'answer {"content":[]}';

suite('approvals in the chat', () => {
  let client: Conversation;

  const begin = (capabilities?: JsonObject): Conversation => (client = new Conversation(capabilities));
  teardown(async () => {
    await client.end();
    assert.deepEqual([client.host.approvals.hasListeners, client.clock.waiting], [false, 0]);
  });
  failOnLeaks();

  test('the chat that a call came from is asked, and its answer is the host’s', async () => {
    begin();
    const call = await client.call('c1');
    assert.deepEqual(await client.heard(), []);
    client.host.approvals.ask('a1', [call.request]);
    assert.deepEqual(await client.heard(), [`c1 < q1 ${ASKED}`]);
    await client.answer('q1');
    assert.deepEqual(await client.heard(), ['host: a1 once']);
    call.succeed({ content: [] });
    assert.deepEqual(await client.heard(), [`c1 < ${DONE}`]);
  });

  test('an answer elsewhere takes the question back, and what the chat says then is too late', async () => {
    begin();
    const call = await client.call('c1');
    client.host.approvals.ask('a1', [call.request]);
    await client.heard();
    client.host.approvals.settle('a1');
    assert.deepEqual(await client.heard(), ['c1 < take back q1']);
    await client.answer('q1');
    call.succeed({ content: [] });
    assert.deepEqual(await client.heard(), [`c1 < ${DONE}`]);
  });

  test('an answer in the chat counts once, also while the host still keeps it', async () => {
    begin();
    client.host.approvals.keepsAnswers = true;
    const call = await client.call('c1');
    client.host.approvals.ask('a1', [call.request]);
    await client.answer('q1', { action: 'accept', content: { decision: 'Always allow in this workspace' } });
    await client.answer('q1');
    client.host.approvals.change();
    client.host.approvals.settle('a1');
    assert.deepEqual(await client.heard(), [`c1 < q1 ${ASKED}`, 'host: a1 workspace']);
  });

  test('to close the question is no answer: the host goes on waiting, and the chat is not asked again', async () => {
    for (const closed of [
      { id: 'q1', result: { action: 'cancel' } },
      { id: 'q1', error: { code: -32601 } },
    ]) {
      begin();
      const call = await client.call('c1');
      client.host.approvals.ask('a1', [call.request]);
      await client.say(closed);
      client.host.approvals.change();
      await client.answer('q1');
      assert.deepEqual(await client.heard(), [`c1 < q1 ${ASKED}`]);
      assert.deepEqual(client.host.approvals.pending().length, 1);
      client.host.approvals.settle('a1');
      // Another approval is another question.
      client.host.approvals.ask('a2', [call.request]);
      assert.deepEqual(await client.heard(), [`c1 < q2 ${ASKED}`]);
      await client.end();
    }
  });

  test('what is no answer to an open question means nothing', async () => {
    begin();
    const call = await client.call('c1');
    client.host.approvals.ask('a1', [call.request]);
    await client.heard();
    const other = new Conversation();
    for (const id of ['q0', 'q2', 1, 'a1', null, ['q1'], { q1: 1 }, 'x'.repeat(1_000_000)]) await client.answer(id);
    await client.say({ jsonrpc: '2.0', result: YES });
    // Another session of the same server knows nothing of it.
    await other.answer('q1');
    await other.end();
    assert.deepEqual(await client.heard(), []);
    await client.answer('q1', { ...YES, more: 'x'.repeat(1_000_000) });
    assert.deepEqual(await client.heard(), ['host: a1 once']);
  });

  test('clients are not asked without forms, without a call from a chat, or if the setting is off', async () => {
    const cases: Readonly<Record<string, readonly [JsonObject, CallFacts, boolean]>> = {
      'no forms': [{}, {}, true],
      'pages only': [{ elicitation: { url: {} } }, {}, true],
      'no chat': [FORMS, { chat: '' }, true],
      'no stream': [FORMS, { mode: 'single', progressToken: 'p' }, true],
      'the setting is off': [FORMS, {}, false],
      'all is well': [FORMS, {}, true],
    };
    const asked: string[] = [];
    for (const [name, [capabilities, facts, inChat]] of Object.entries(cases)) {
      begin(capabilities);
      client.host.approvals.inChat = inChat;
      const call = await client.call('c1', facts);
      client.host.approvals.ask('a1', [call.request]);
      if ((await client.heard()).length > 0) asked.push(name);
      await client.end();
    }
    assert.deepEqual(asked, ['all is well']);
  });

  test('another call’s approval is not asked for here, one that it joins is, and one that looks the same is not', async () => {
    begin();
    const first = await client.call('c1');
    const copy = { ...first.request };
    client.host.approvals.ask('a1', [copy]);
    assert.deepEqual(await client.heard(), []);
    client.host.approvals.ask('a1', [copy, first.request], { waiting: 2 });
    assert.deepEqual(await client.heard(), [`c1 < q1 ${ASKED}`]);
  });

  test('identical calls of one chat are asked about once, and the question moves on when the first one leaves', async () => {
    begin();
    const [one, two] = [await client.call('c1'), await client.call('c2')];
    client.host.approvals.ask('a1', [one.request]);
    client.host.approvals.ask('a1', [one.request, two.request], { waiting: 2 });
    assert.deepEqual(await client.heard(), [`c1 < q1 ${ASKED}`]);
    one.options.token?.onCancellationRequested(() => client.host.approvals.ask('a1', [two.request]));
    await client.say({ method: 'notifications/cancelled', params: { requestId: 'c1' } });
    assert.deepEqual(await client.heard(), ['c1 < take back q1', `c2 < q2 ${ASKED}`]);
    await client.answer('q1');
    await client.answer('q2', { action: 'decline' });
    assert.deepEqual(await client.heard(), ['host: a1 deny']);
  });

  test('identical calls of two chats are asked about in both, and the first answer ends both', async () => {
    begin();
    const [one, two] = [await client.call('c1', { chat: 'x' }), await client.call('c2', { chat: 'y' })];
    client.host.approvals.ask('a1', [one.request, two.request]);
    await client.answer('q2');
    await client.answer('q1', { action: 'decline' });
    assert.deepEqual(await client.heard(), [
      `c1 < q1 ${ASKED}`,
      `c2 < q2 ${ASKED}`,
      'c1 < take back q1',
      'host: a1 once',
    ]);
  });

  test('a call that is cancelled, or ends otherwise, takes its question along', async () => {
    begin();
    const [one, two] = [await client.call('c1', { chat: 'x' }), await client.call('c2', { chat: 'y' })];
    client.host.approvals.ask('a1', [one.request]);
    client.host.approvals.ask('a2', [two.request]);
    await client.heard();
    await client.say({ method: 'notifications/cancelled', params: { requestId: 'c1' } });
    two.succeed({ content: [] });
    await client.answer('q1');
    await client.answer('q2');
    assert.deepEqual(await client.heard(), ['c1 < take back q1', 'c2 < take back q2', `c2 < ${DONE}`]);
  });

  test('the end of the session voids its questions', async () => {
    begin();
    const call = await client.call('c1', { progressToken: 'p' });
    client.host.approvals.ask('a1', [call.request]);
    await client.heard();
    await client.end();
    await client.answer('q1');
    client.host.approvals.change();
    assert.deepEqual(await client.heard(), ['c1 < take back q1']);
  });

  test('the setting counts as it is: switched off it takes back, switched on it asks', async () => {
    begin();
    const call = await client.call('c1');
    client.host.approvals.ask('a1', [call.request]);
    client.host.approvals.inChat = false;
    client.host.approvals.change();
    client.host.approvals.inChat = true;
    client.host.approvals.change();
    assert.deepEqual(await client.heard(), [`c1 < q1 ${ASKED}`, 'c1 < take back q1', `c1 < q2 ${ASKED}`]);
  });

  test('a client has no more than 16 questions at once; the next one comes when one is gone', async () => {
    begin();
    for (let each = 0; each < 20; each++) {
      const call = await client.call(`c${each}`);
      client.host.approvals.ask(`a${each}`, [call.request]);
    }
    const asked = async (): Promise<string> => (await client.heard()).map((line) => line.split(':', 1)[0]).join(', ');
    assert.equal(await asked(), Array.from({ length: 16 }, (_, each) => `c${each} < q${each + 1} ask`).join(', '));
    client.host.approvals.settle('a3');
    assert.equal(await asked(), 'c3 < take back q4, c16 < q17 ask');
  });

  test('a waiting call reports increasing progress to its client until the wait ends', async () => {
    begin({});
    const step = 2 ** -20;
    const call = await client.call('c1', { progressToken: 'p' });
    const silent = await client.call('c2');
    call.options.onProgress?.({ progress: 0, total: undefined, message: 'begins' });
    client.host.approvals.ask('a1', [call.request, silent.request]);
    client.host.approvals.change();
    await client.clock.advance(20_000);
    client.host.approvals.settle('a1');
    await client.clock.advance(60_000);
    for (const progress of [0, 5, 4]) call.options.onProgress?.({ progress, total: 9, message: 'works' });
    call.succeed({ content: [] });
    await client
      .heard()
      .then((lines) =>
        assert.deepEqual(lines, [
          'c1 < progress 0 begins',
          `c1 < progress ${step} Waiting for approval`,
          `c1 < progress ${2 * step} Waiting for approval`,
          `c1 < progress ${3 * step} Waiting for approval`,
          `c1 < progress ${4 * step} The approval is decided`,
          `c1 < progress ${5 * step} works`,
          'c1 < progress 5 works',
          `c1 < progress ${5 + 5 * step} works`,
          `c1 < ${DONE}`,
        ]),
      );
  });
});
