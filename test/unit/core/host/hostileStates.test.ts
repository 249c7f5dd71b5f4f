import assert from 'node:assert/strict';
import { Deferred } from '../../../../src/core/base/async.ts';
import type { Json, JsonObject } from '../../../../src/core/base/json.ts';
import type { StateRecord, StateStore, Storage } from '../../../../src/core/ports.ts';
import { memoryStorage } from '../../../../src/node/store/memoryStorage.ts';
import { settle } from '../../../support/fakeClock.ts';
import { failWith } from '../../../support/scriptedServer.ts';
import { FailingStates, git, notes, StateCase } from './stateCase.ts';

const SECRET = 'pa55-word-of-mine';
const ACCEPTED = '{"accepted":true}';
const TOO_MANY = '{"accepted":false,"reason":"Too many states wait to be stored. Send it again later."}';
const start = { checkpoint: 'a', parent: null, data: { notes: [] } };

/** A host with a server that knows a secret. */
function withSecret(): Promise<StateCase> {
  return StateCase.open({
    entry: { env: { KEY: '${input:key}' } },
    prepare: (t) => {
      t.inputs['key'] = { kind: 'value', value: SECRET, secret: true };
    },
  });
}

/** Answers to the server's requests, by id, with their number. */
function answersOf(c: StateCase): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { id, method, result, error } of c.t.server.messages) {
    if (method !== undefined || id === undefined) continue;
    const text = JSON.stringify(result ?? error);
    counts[text] = (counts[text] ?? 0) + 1;
  }
  return counts;
}

/** Storage with a replaced way to store states. */
function recording(how: (record: () => Promise<StateRecord>) => Promise<StateRecord>): Storage {
  const inner = memoryStorage();
  const record: StateStore['record'] = (update) => how(() => inner.states.record(update));
  const states = new Proxy(inner.states, {
    get: (target, name: keyof StateStore) => (name === 'record' ? record : target[name].bind(target)),
  });
  return { ...inner, states };
}

function update(c: StateCase, id: string, params: JsonObject): void {
  c.t.server.say({ jsonrpc: '2.0', id, method: 'state/update', params });
}

suite('A server that means harm with its states', () => {
  test('changes no prototype by names that objects inherit, and gets them back as members', async () => {
    const c = await StateCase.open();
    const data = JSON.parse('{"__proto__":{"a":1},"constructor":{"prototype":{"b":1}},"n":1}') as Json;
    await c.call({ checkpoint: '__proto__', data });
    const patch = [
      { op: 'add', path: '/__proto__/c', value: 1 },
      { op: 'add', path: '/constructor/prototype/d', value: 1 },
      { op: 'copy', from: '/__proto__', path: '/toString' },
    ];
    await c.call({ checkpoint: 'constructor', parent: '__proto__', patch });
    await c.call(undefined);
    const whole =
      '{"__proto__":{"a":1,"c":1},"constructor":{"prototype":{"b":1,"d":1}},"n":1,"toString":{"a":1,"c":1}}';
    assert.equal(c.sent.at(-1), `{"state":${whole}}`);
    for (const name of ['a', 'b', 'c', 'd']) assert.equal(name in {}, false, name);
    assert.match(
      await c.call({ checkpoint: 'x', patch: [{ op: 'add', path: '/n/__proto__/e', value: 1 }] }),
      /nothing can be put at that place/,
    );
    await c.close();
  });

  test('has sets of such names like any other', async () => {
    const sets = { ['__proto__']: notes, constructor: notes };
    const c = await StateCase.open({ sets, tools: { add: '__proto__', cut: 'constructor' } });
    await c.call({ checkpoint: 'a', data: 1 }, 'add');
    await c.call({ checkpoint: 'a', data: 2 }, 'cut');
    await c.call(undefined, 'add');
    await c.call(undefined, 'cut');
    assert.deepEqual(c.sent, ['{}', '{}', '{"state":1}', '{"state":2}']);
    await c.close();
  });

  test('cannot call a checkpoint by what reads as something else, or comes back as something else', async () => {
    const c = await StateCase.open({ sets: { git }, tools: { commit: 'git' } });
    for (const checkpoint of ['x\u202Ey', 'x\u0000', 'x\ny', 'x\u200B', ' ', '', 'x'.repeat(513), 'x\uD800', 7, null])
      assert.match(await c.call({ checkpoint }, 'commit'), /was not kept: Its "checkpoint" is not a text/);
    assert.match(await c.call({ checkpoint: 'a', parent: 'p\uDC00' }, 'commit'), /Its "parent" is neither null nor/);
    assert.deepEqual(await c.tree('git'), []);
    await c.close();
  });

  test('finds no secret of its own in the message about a patch that does not fit', async () => {
    const c = await withSecret();
    await c.call(start);
    const told = await c.call({ checkpoint: 'b', patch: [{ op: 'remove', path: `/${SECRET}` }] });
    const refused = await c.call(undefined);
    assert.match(refused, /was not called: .* \(remove "\/\[secret: key\]"\) does not fit/);
    const seen = [told, refused, c.t.logs, c.troubles, c.operations, await c.audit('state/checkpoint')];
    seen.push(await c.audit('tools/call'));
    assert.equal(JSON.stringify(seen).includes(SECRET), false);
    await c.close();
  });

  test('gets secret arguments of a model, which are stored nowhere', async () => {
    const c = await withSecret();
    const args = { user: 'me', apiKey: 'k-1', auth: { password: ['p-1'], pin: 1234 }, note: SECRET, token: true };
    await c.call(start, 'add', undefined, args);
    const { node } = (await c.t.host.lineages.checkpoint(await c.place('a'))) ?? {};
    assert.equal(
      node?.args,
      '{"user":"me","apiKey":"[secret: apiKey]","auth":{"password":"[secret: password]","pin":"[secret: pin]"},"note":"[secret: key]","token":true}',
    );
    await c.close();
  });

  test('reaches no set but its own: not by name, not in the name of another server', async () => {
    const storage = memoryStorage();
    const c = await StateCase.open({ storage, sets: { notes, off: notes }, enabled: ['notes'] });
    await c.call({ ...start, featureSet: 'theirs' });
    assert.match(await c.call({ ...start, featureSet: 'off' }), /was not kept: Its feature set is off/);
    assert.match(await c.says('state/update', { ...start, featureSet: 'theirs' }), /Unknown feature set/);
    await c.says('state/update', { ...start, checkpoint: 'b', featureSet: 'notes', server: 'z', conversation: 'c' });
    await c.t.host.lineages.loaded();
    const all = await storage.states.lineages();
    assert.deepEqual(
      all.map(({ server, featureSet, count, others }) => [server, featureSet, count, others.length]),
      [['a', 'notes', 2, 0]],
    );
    await c.close();
  });

  test('that speaks no MCPL keeps nothing by a member of that name', async () => {
    const states = new FailingStates();
    const c = await StateCase.open({ mcpl: null, tools: { add: '' }, storage: states.storage });
    assert.equal(await c.call(start), 'done');
    assert.match(await c.says('state/update', { ...start, featureSet: 'notes' }), /-32601/);
    assert.deepEqual([c.sent, states.uses.filter((use) => use !== 'trim')], [['{}'], []]);
    await c.close();
  });
});

suite('A server that floods its host with states', () => {
  test('has few large ones under way at once, and other servers’ calls go between', async () => {
    const gate = new Deferred<void>();
    let most = 0;
    let now = 0;
    const storage = recording(async (record) => {
      most = Math.max(most, ++now);
      await gate.promise;
      now--;
      return record();
    });
    const sets = Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`s${i}`, notes] as const));
    const c = await StateCase.open({ sets, tools: { add: 's0' }, storage });
    const data = 'x'.repeat(70_000);
    for (let i = 0; i < 8; i++) update(c, `large${i}`, { featureSet: `s${i}`, checkpoint: 'a', data });
    for (let i = 0; i < 100; i++) update(c, `small${i}`, { featureSet: 's0', checkpoint: `b${i}`, data: i });
    await settle();
    assert.deepEqual(answersOf(c), { [TOO_MANY]: 4 + 40 });
    const refused = c.t.server.messages.map(({ id }) => String(id)).filter((id) => id.startsWith('large'));
    assert.deepEqual(refused, ['large4', 'large5', 'large6', 'large7']);
    gate.resolve();
    for (let i = 0; i < 40; i++) await settle();
    assert.deepEqual([answersOf(c), most], [{ [TOO_MANY]: 44, [ACCEPTED]: 64 }, 1]);
    await c.close();
  });

  test('has the oldest given up as soon as much was written, though little came', async () => {
    const storage = recording(async (record) => ({ ...(await record()), written: 20_000_000 }));
    const states = new FailingStates(storage);
    const c = await StateCase.open({ storage: states.storage });
    for (let i = 0; i < 4; i++) await c.call({ checkpoint: `c${i}`, data: i });
    assert.deepEqual(
      states.uses.filter((use) => use === 'record' || use === 'trim'),
      ['record', 'record', 'record', 'record', 'trim'],
    );
    await c.close();
  });

  test('cannot begin ever more lineages by declaring other sets, and those that there are go on', async () => {
    // By name, because wildcards do not enable sets that are declared later.
    const enabled = Array.from({ length: 400 }, (_, i) => `r${Math.floor(i / 50)}.${i % 50}`);
    const c = await StateCase.open({ enabled });
    const told = new Map<string, number>();
    for (let round = 0; round < 8; round++) {
      const names = Array.from({ length: 50 }, (_, i) => `r${round}.${i}`);
      const removed = round === 0 ? ['notes'] : names.map((name) => name.replace(/^r\d/, `r${round - 1}`));
      const added = Object.fromEntries(names.map((name) => [name, notes] as const));
      c.t.server.say({ jsonrpc: '2.0', method: 'featureSets/changed', params: { removed, added } });
      await settle();
      for (const featureSet of names) {
        const answer = await c.says('state/update', { featureSet, checkpoint: 'a', data: 1 });
        told.set(answer, (told.get(answer) ?? 0) + 1);
      }
    }
    assert.deepEqual(
      [...told],
      [
        [ACCEPTED, 300],
        ['{"code":-32603,"message":"The state could not be stored."}', 100],
      ],
    );
    await c.close();
  });

  test('keeps no more in memory while the disk is full, however many sets it has', async () => {
    const states = new FailingStates();
    const sets = { one: notes, two: notes, three: notes };
    const c = await StateCase.open({ sets, tools: { a: 'one', b: 'two', d: 'three' }, storage: states.storage });
    states.fill();
    const data = 'x'.repeat(30_000_000);
    assert.match(await c.call({ checkpoint: 'a', data }, 'a'), /That is tried again before the next call/);
    assert.match(await c.call({ checkpoint: 'a', data }, 'b'), /That is tried again before the next call/);
    assert.match(await c.call({ checkpoint: 'a', data }, 'd'), /Too many wait already: it is lost/);
    states.fails.clear();
    await c.close();
  });

  test('is answered to all it says while a call is under way, and the call goes on', async () => {
    const c = await StateCase.open();
    await c.call(start);
    const answer = new Deferred<Json>();
    c.answers(() => answer.promise);
    const call = c.begin('add');
    await settle();
    for (let i = 0; i < 20; i++) {
      const patch = [{ op: 'add', path: '/notes/-', value: i }];
      assert.equal(await c.says('state/update', { featureSet: 'notes', checkpoint: `u${i}`, patch }), ACCEPTED);
    }
    answer.resolve({ content: [], state: { checkpoint: 'r', patch: [{ op: 'add', path: '/notes/-', value: 'r' }] } });
    await call;
    assert.equal(await c.state('r'), '{"notes":["r"]}');
    await c.call(undefined);
    assert.equal(c.sent.at(-1), '{"state":{"notes":["r"]}}');
    await c.close();
  });
});

suite('A server’s answer to a rollback', () => {
  const wrong: readonly Json[] = [
    null,
    1,
    'yes',
    [],
    [true],
    {},
    { success: 'true' },
    { success: 1 },
    { checkpoint: 'a' },
  ];

  test('is no success unless it says exactly that, and then nothing moves', async () => {
    for (const answer of wrong) {
      const c = await StateCase.open();
      await c.call(start);
      await c.call({ checkpoint: 'b', data: 2 });
      c.rollsBack(() => answer);
      assert.equal((await c.t.host.lineages.rollBack(await c.place('a'))).kind, 'refused', JSON.stringify(answer));
      assert.deepEqual(await c.tree(), ['*b <~ a data', 'a data']);
      await c.close();
    }
  });

  test('means the requested checkpoint if it names none', async () => {
    for (const checkpoint of [7, '', 'x\n', 'y'.repeat(600), '\u202E']) {
      const c = await StateCase.open();
      await c.call(start);
      await c.call({ checkpoint: 'b', data: 2 });
      c.rollsBack(() => ({ success: true, checkpoint }));
      assert.equal((await c.t.host.lineages.rollBack(await c.place('a'))).kind, 'rolledBack');
      assert.deepEqual(await c.tree(), ['b <~ a data', '*a data']);
      await c.close();
    }
  });

  test('may name another that there is: no call is ever sent without the state of where the head is', async () => {
    const moved = new Map<string, string>();
    for (const checkpoint of ['b', 'unknown', 'broken', '__proto__']) {
      const c = await StateCase.open();
      await c.call({ checkpoint: 'a', parent: null, data: 1 });
      await c.call({ checkpoint: 'b', data: 2 });
      await c.call({ checkpoint: 'c', parent: 'unknown', data: 3 });
      await c.call({ checkpoint: 'broken', patch: 1 });
      c.rollsBack(() => ({ success: true, checkpoint }));
      await c.t.host.lineages.rollBack(await c.place('a'));
      const told = await c.call(undefined);
      moved.set(checkpoint, told === 'done' ? (c.sent.at(-1) ?? '') : told.replace(/ is not known.*/, ''));
      await c.close();
    }
    assert.deepEqual(
      [...moved],
      [
        ['b', '{"state":2}'],
        ['unknown', '{"state":1}'],
        ['broken', 'The tool "add" was not called: the state of "notes" after checkpoint broken'],
        ['__proto__', '{"state":1}'],
      ],
    );
  });

  test('may be -32005 for everything: what the host has stays, and work goes on from it', async () => {
    const c = await StateCase.open();
    await c.call(start);
    await c.call({ checkpoint: 'b', data: 2 });
    c.rollsBack(() => failWith(-32005, `gone ${'x'.repeat(5_000)}`));
    for (const name of ['a', 'b'])
      assert.deepEqual(await c.t.host.lineages.rollBack(await c.place(name)), { kind: 'pruned', canContinue: true });
    await c.t.host.lineages.continueFrom(await c.place('a'));
    await c.call(undefined);
    assert.deepEqual(
      [c.sent.at(-1), await c.tree()],
      ['{"state":{"notes":[]}}', ['b <~ a data pruned', '*a data pruned']],
    );
    await c.close();
  });

  test('shows no half of a secret where its reason is long', async () => {
    const c = await withSecret();
    await c.call(start);
    const reason = `${'x'.repeat(990)}${SECRET}`;
    c.rollsBack(() => ({ success: false, reason }));
    const refused = await c.t.host.lineages.rollBack(await c.place('a'));
    assert.equal(JSON.stringify([refused, await c.audit('state/rollback')]).includes('pa55'), false);
    await c.close();
  });
});
