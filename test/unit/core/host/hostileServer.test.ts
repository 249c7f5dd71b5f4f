import assert from 'node:assert/strict';
import type { Json, JsonObject } from '../../../../src/core/base/json.ts';
import type { LanguageModel, Models } from '../../../../src/core/modelPorts.ts';
import type { Storage } from '../../../../src/core/ports.ts';
import { memoryStorage } from '../../../../src/node/store/memoryStorage.ts';
import { settle } from '../../../support/fakeClock.ts';
import { initializeResult, ScriptedServer } from '../../../support/scriptedServer.ts';
import { exited, TestHost } from '../../../support/testHost.ts';

const SECRET = 'hunter2-of-the-server';

interface Hostile {
  readonly sets: Json;
  readonly mcpl?: JsonObject;
  readonly entry?: JsonObject;
  readonly workspace?: JsonObject;
  readonly answers?: Readonly<Record<string, () => Json>>;
  readonly models?: Models;
  readonly storage?: Storage;
}

async function connected({ sets, mcpl, entry, workspace, answers, models, storage }: Hostile): Promise<TestHost> {
  const t = new TestHost(storage);
  if (models !== undefined) t.models = models;
  const capabilities = { experimental: { mcpl: { version: '0.2', featureSets: sets, ...mcpl } } };
  t.connect = () => new ScriptedServer({ initialize: () => initializeResult({ capabilities }), ...answers });
  await t.user({ a: { command: 'x', enabled: true, ...entry } }, workspace && { a: workspace });
  return t;
}

const uses = (...names: readonly string[]): JsonObject => ({ description: 'Does it.', uses: names });
const on = (...enabled: readonly string[]): JsonObject => ({ featureSets: { enabled } });
const turn = { conversationId: 'c', turnIndex: 0, userMessage: 'Hi', messages: [], justification: 'test' };

/** A model whose tokens are characters. */
function modelOf(run: LanguageModel['run']): Models {
  const facts = { id: 'm', vendor: 'v', contextWindow: 1_000, capabilities: [] };
  const model: LanguageModel = { facts, run, count: (text) => Promise.resolve(text.length) };
  return { choose: () => Promise.resolve({ kind: 'model', model }) };
}

function saying(text: string, onPrompt: (prompt: string) => void = () => undefined): Models {
  return modelOf((request, onText) => {
    onPrompt(JSON.stringify(request.messages));
    onText(text);
    return Promise.resolve({ kind: 'ended', finishReason: 'end_turn' });
  });
}

function push(featureSet: string, eventId: string): JsonObject {
  const payload = { content: [{ type: 'text', text: `It says ${SECRET}.` }] };
  return { featureSet, eventId, timestamp: '2026-01-01T00:00:00Z', payload };
}

async function say(t: TestHost, id: number, method: string, params: Json): Promise<string> {
  t.server.say({ jsonrpc: '2.0', id, method, params });
  await settle();
  return t.server.heard.at(-1) ?? '';
}

suite('A hostile server', () => {
  test('pays for the turn that it was promised, also if it is gone by then', async () => {
    const storage = memoryStorage();
    const { admit } = storage.events;
    let runs = 0;
    const t: TestHost = await connected({
      sets: { p: uses('pushEvents') },
      entry: { ...on('p'), push: { p: 'infer' }, inference: { tokensPerDay: 5 } },
      models: saying('Free of charge.', () => runs++),
      storage: {
        ...storage,
        events: {
          ...storage.events,
          admit: async (...event) => {
            const admission = await admit.apply(storage.events, event);
            t.server.crash(exited());
            await settle();
            return admission;
          },
        },
      },
    });
    t.server.say({ jsonrpc: '2.0', id: 1, method: 'push/event', params: push('p', 'e1') });
    await settle();
    await t.clock.advance(10);
    const [event] = t.host.events.list();
    assert.match(event?.outcome.kind === 'failed' ? event.outcome.message : '', /^This server may use 5 tokens/);
    assert.equal(runs, 0);
    await t.host.close();
  });

  test('whose events start no model any more gets no turn that it was promised before', async () => {
    const storage = memoryStorage();
    const { admit } = storage.events;
    let runs = 0;
    const entry = { command: 'x', enabled: true, ...on('p') };
    const t: TestHost = await connected({
      sets: { p: uses('pushEvents') },
      entry: { ...entry, push: { p: 'infer' } },
      models: saying('Unasked.', () => runs++),
      storage: {
        ...storage,
        events: {
          ...storage.events,
          admit: async (...event) => {
            await t.user({ a: { ...entry, push: { p: 'inbox' } } });
            return admit.apply(storage.events, event);
          },
        },
      },
    });
    t.server.say({ jsonrpc: '2.0', id: 1, method: 'push/event', params: push('p', 'e1') });
    await settle();
    await t.clock.advance(10);
    assert.deepEqual([t.host.events.list()[0]?.outcome.kind, runs], ['failed', 0]);
    await t.host.close();
  });

  test('gets no more than its budget by asking for all of it several times at once', async () => {
    const gates: (() => void)[] = [];
    const t = await connected({
      sets: { i: uses('inferenceRequest') },
      entry: { ...on('i'), inference: { tokensPerDay: 100_000 } },
      models: modelOf(async (_, onText) => {
        await new Promise<void>((resolve) => gates.push(resolve));
        onText('y'.repeat(99_000));
        return { kind: 'ended', finishReason: 'end_turn' };
      }),
    });
    const params = { featureSet: 'i', messages: [{ role: 'user', content: 'q' }] };
    for (let id = 1; id <= 4; id++) t.server.say({ jsonrpc: '2.0', id, method: 'inference/request', params });
    await settle();
    for (const open of gates) open();
    await settle();
    const audit = await t.host.audit.list({ limit: 9 });
    const spent = audit.flatMap(({ tokens }) => tokens ?? []);
    assert.deepEqual(spent, [25_000, 25_000, 25_000, 25_000]);
    await t.host.close();
  });

  test('gets no more output of a model once the set is off', async () => {
    let write: (text: string) => void = () => undefined;
    const stopped: string[] = [];
    const entry = { command: 'x', enabled: true };
    const t = await connected({
      sets: { i: uses('inferenceRequest') },
      entry: on('i'),
      models: modelOf((_, onText, token) => {
        write = onText;
        token.onCancellationRequested(() => stopped.push('stopped'));
        return new Promise(() => undefined);
      }),
    });
    const params = { featureSet: 'i', stream: true, messages: [{ role: 'user', content: 'q' }] };
    t.server.say({ jsonrpc: '2.0', id: 1, method: 'inference/request', params });
    await settle();
    write('one');
    await t.user({ a: entry });
    write('two');
    await settle();
    assert.deepEqual(t.server.heard.slice(-3), [
      'inference/chunk {"requestId":1,"index":0,"delta":"one"}',
      'featureSets/update {"enabled":[],"disabled":["i"]}',
      'answer {"code":-32001,"message":"Feature set not enabled","data":{"featureSet":"i","canEnable":true}}',
    ]);
    const [used] = await t.host.audit.list({ limit: 1 });
    assert.deepEqual([stopped, used?.outcome, used?.tokens], [['stopped'], 'refused', 2]);
    await t.host.close();
  });

  test('cannot bring a secret of its settings to a model, another server, the audit, a view or the log', async () => {
    const seen: string[] = [];
    const t = await connected({
      sets: {
        h: { description: `Knows ${SECRET}.`, uses: [SECRET, 'contextHooks.beforeInference', 'inferenceRequest'] },
        g: uses('contextHooks.afterInference'),
        [`x.${SECRET}`]: uses('tools'),
      },
      mcpl: { contextHooks: { beforeInference: true, afterInference: { blocking: true } }, [SECRET]: true },
      entry: { ...on('*'), env: { TOKEN: SECRET } },
      models: saying('Well.', (prompt) => seen.push(prompt)),
      answers: {
        'context/beforeInference': () => ({
          contextInjections: [{ namespace: SECRET, position: 'beforeUser', content: `Said: ${SECRET}` }],
        }),
        'context/afterInference': () => ({ modifiedResponse: `Not well: ${SECRET}` }),
      },
    });
    await say(t, 1, 'push/event', push('h', SECRET));
    await say(t, 2, 'push/event', push(`no.${SECRET}`, 'e2'));
    await say(t, 3, 'inference/request', { featureSet: 'h', messages: [{ role: 'user', content: `Say ${SECRET}.` }] });
    const result = await t.host.runTurn(turn);
    assert.equal(result.text, 'Not well: [secret: TOKEN]');
    const audit = await t.host.audit.list({ limit: 99 });
    const everything = {
      seen,
      result,
      audit,
      events: t.host.events.list(),
      logs: t.logs,
      mcpl: t.host.server('a')?.mcpl,
    };
    for (const [where, what] of Object.entries(everything))
      assert.ok(!JSON.stringify(what).includes(SECRET), `${where}: ${JSON.stringify(what)}`);
    assert.equal(seen.length, 2);
    await t.host.close();
  });

  test('that changes its sets without end is answered ten times a second, and shown as often', async () => {
    const names = Array.from({ length: 7 }, (_, i) => `s${i}`);
    const t = await connected({ sets: {}, entry: on(...names) });
    const before = t.changes.length;
    const update = (): readonly string[] => t.server.heard.filter((line) => line.startsWith('featureSets/update'));
    for (let i = 0; i < 500; i++) t.server.notify('featureSets/changed', { added: { [`s${i % 7}`]: uses('tools') } });
    await settle();
    assert.deepEqual([update().length, t.changes.length - before], [2, 1]);
    await t.clock.advance(100);
    assert.deepEqual([update().length, t.changes.length - before], [3, 2]);
    assert.equal(update().at(-1)?.slice(19, 51), '{"enabled":["s0","s1","s2","s3",');
    await t.clock.advance(10_000);
    assert.equal(update().length, 3);
    await t.host.close();
  });

  test('cannot fill the store by new names where a wildcard would switch all of them on: only the first are', async () => {
    const storage = memoryStorage();
    const t = await connected({ sets: {}, entry: on('*'), storage });
    for (let round = 0; round < 20; round++) {
      const added = Array.from({ length: 200 }, (_, i) => ({ name: `s${round}-${i}`, ...uses('tools') }));
      const removed = added.map(({ name }) => name.replace(/^s\d+/, `s${round - 1}`));
      t.server.notify('featureSets/changed', { removed, added });
      await t.clock.advance(100);
    }
    const grants = await storage.grants.list('featureSet');
    const states = new Set(t.host.server('a')?.mcpl?.sets.map(({ state }) => state));
    assert.deepEqual([grants.length, [...states]], [200, ['new']]);
    await t.host.allowFeatureSets('a', ['s19-0'], true);
    assert.equal(t.host.server('a')?.mcpl?.sets[0]?.state, 'enabled');
    await t.host.close();
  });
});

suite('A server that must see every answer', () => {
  const sets = { g: uses('contextHooks.afterInference') };
  const mcpl = { contextHooks: { afterInference: { blocking: true } } };
  const entry = { ...on('g'), hooks: { afterInference: 'failClosed' } };

  test('and that ends while a model is still looked for, has the answer withheld', async () => {
    let found: () => void = () => undefined;
    const { choose } = saying('For nobody.');
    const models: Models = {
      choose: async (...asked) => {
        await new Promise<void>((resolve) => (found = resolve));
        return choose(...asked);
      },
    };
    const t = await connected({ sets, mcpl, entry, models });
    const shown: string[] = [];
    const running = t.host.runTurn({ ...turn, onText: (text) => shown.push(text) });
    const rejected = assert.rejects(running, { code: 'ANSWER_WITHHELD' });
    await settle();
    t.server.crash(exited());
    await settle();
    found();
    await rejected;
    assert.deepEqual(shown, []);
    await t.host.close();
  });

  test('still speaks MCPL where a workspace says otherwise', async () => {
    const workspace = { protocol: { mcpl: 'off' } };
    const answers = { 'context/afterInference': () => ({ featureSet: 'g' }) };
    const t = await connected({ sets, mcpl, entry, workspace, answers, models: saying('For the guard.') });
    await t.host.runTurn(turn);
    assert.equal(t.server.heard.filter((method) => method.startsWith('context/afterInference')).length, 1);
    assert.deepEqual(t.weakenings, ['a: protocol.mcpl "off" instead of "auto"']);
    await t.host.close();
  });
});
