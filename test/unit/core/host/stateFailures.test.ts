import assert from 'node:assert/strict';
import type { Json } from '../../../../src/core/base/json.ts';
import type { StateStore } from '../../../../src/core/ports.ts';
import { FailingStates, notes, StateCase } from './stateCase.ts';

const add = (value: Json): Json => [{ op: 'add', path: '/notes/-', value }];
const start = { checkpoint: 'a', parent: null, data: { notes: [] } };

suite('A store that cannot be written to', () => {
  test('loses no result: it is kept here, and stored before the next call, once', async () => {
    const states = new FailingStates();
    const c = await StateCase.open({ storage: states.storage });
    await c.call(start);
    states.fill();
    const told = await c.call({ checkpoint: 'b', parent: 'a', patch: add(1) });
    assert.match(
      told,
      /^done \| .* could not be stored: The disk is full\. That is tried again before the next call\./,
    );
    assert.deepEqual(
      c.troubles.map(({ place, tool }) => ({ place, tool })),
      [{ place: undefined, tool: 'add' }],
    );
    await assert.rejects(c.begin('add'), { code: 'STORAGE_FAILED', effect: 'none' });
    assert.equal(c.sent.length, 2);
    states.fails.clear();
    assert.equal(await c.call(undefined), 'done');
    assert.equal(c.sent.at(-1), '{"state":{"notes":[1]}}');
    assert.deepEqual(await c.tree(), ['*b <- a patch', 'a data']);
    await c.close();
  });

  test('may have stored it and not said so: there is one of it after the next try', async () => {
    const states = new FailingStates();
    const { storage } = states;
    let isLost = false;
    const record: typeof storage.states.record = async (update) => {
      const recorded = await storage.states.record(update);
      if (isLost) throw new Error('The answer was lost.');
      return recorded;
    };
    const inner = new Proxy(storage.states, {
      get: (target, name: keyof StateStore) => (name === 'record' ? record : target[name].bind(target)),
    });
    const c = await StateCase.open({ storage: { ...storage, states: inner } });
    await c.call(start);
    isLost = true;
    await c.call({ checkpoint: 'b', patch: add(1) });
    isLost = false;
    await c.call(undefined);
    assert.deepEqual(await c.tree(), ['*b <~ a patch', 'a data']);
    assert.equal(c.sent.at(-1), '{"state":{"notes":[1]}}');
    await c.close();
  });

  test('stores what waits when the host ends', async () => {
    const states = new FailingStates();
    const storage = { ...states.storage, close: () => Promise.resolve() };
    const c = await StateCase.open({ storage });
    states.fill();
    await c.call(start);
    states.fails.clear();
    await c.close();
    const again = await StateCase.open({ storage });
    assert.deepEqual(await again.tree(), ['*a data']);
    await again.close();
    await states.storage.close();
  });

  test('that cannot be read keeps calls that need a state from being sent, and no others', async () => {
    const plain = { description: 'Plain.', uses: ['tools'] };
    const states = new FailingStates();
    const c = await StateCase.open({
      version: '0.4',
      storage: states.storage,
      sets: { notes, plain },
      tools: { add: 'notes', run: 'plain' },
    });
    for (const name of ['base', 'lineages'] as const) states.fails.set(name, 'It is damaged.');
    await assert.rejects(c.begin('add'), { code: 'STORAGE_FAILED' });
    assert.equal(await c.call(undefined, 'run'), 'done');
    assert.deepEqual(c.sent, ['{}']);
    await c.close();
  });

  test('is an error for a server that sends a state, and nothing of the state is kept', async () => {
    const states = new FailingStates();
    const c = await StateCase.open({ storage: states.storage });
    states.fill();
    const update = { featureSet: 'notes', checkpoint: 'a', data: 1 };
    assert.equal(await c.says('state/update', update), '{"code":-32603,"message":"The state could not be stored."}');
    states.fails.clear();
    await c.call(undefined);
    assert.deepEqual([c.sent, await c.tree()], [['{}'], []]);
    await c.close();
  });
});
