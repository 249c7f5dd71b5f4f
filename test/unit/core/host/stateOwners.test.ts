import assert from 'node:assert/strict';
import { memoryStorage } from '../../../../src/node/store/memoryStorage.ts';
import { FailingStates, git, notes, StateCase } from './stateCase.ts';

suite('The set that a state belongs to', () => {
  const sets = { notes, git, plain: { description: 'Plain.', uses: ['tools'] } };
  const tools = { add: 'notes', commit: 'git', run: 'plain', free: '' };

  test('is the one that it names, or else that of its tool', async () => {
    const c = await StateCase.open({ sets, tools });
    await c.call({ checkpoint: 'n', featureSet: 'notes', data: 1 }, 'commit');
    await c.call({ checkpoint: 'g' }, 'commit');
    await c.call({ checkpoint: 'm', featureSet: 'nobody', data: 2 }, 'add');
    assert.deepEqual([await c.tree('notes'), await c.tree('git')], [['*m <~ n data', 'n data'], ['*g opaque']]);
    assert.match(c.t.logs.join('\n'), /names the feature set "nobody" in its state, which is not declared/);
    await c.close();
  });

  test('is, for the first state of a tool that names none, the only one with state of that kind; then it stays', async () => {
    const storage = memoryStorage();
    const c = await StateCase.open({ sets, tools: { ...tools, other: '' }, storage });
    await c.call({ checkpoint: 'n', data: 1 }, 'free');
    await c.call({ checkpoint: 'm', data: 2 }, 'free');
    await c.call({ checkpoint: 'g' }, 'other');
    await c.call(undefined, 'other');
    assert.deepEqual([await c.tree('notes'), await c.tree('git')], [['*m <~ n data', 'n data'], ['*g opaque']]);
    assert.deepEqual(c.sent, ['{}', '{"state":1}', '{}', '{"checkpoint":"g"}']);
    await c.close();
    const again = await StateCase.open({ sets, tools: { ...tools, other: '' }, storage });
    await again.call(undefined, 'free');
    await again.call(undefined, 'other');
    assert.deepEqual(again.sent, ['{"state":2}', '{"checkpoint":"g"}']);
    await again.close();
  });

  test('is not the first owner where a later state names another set', async () => {
    const c = await StateCase.open({ sets, tools });
    await c.call({ checkpoint: 'n', data: 1 }, 'free');
    await c.call({ checkpoint: 'g', featureSet: 'git' }, 'free');
    await c.call(undefined, 'free');
    assert.deepEqual(await c.tree('git'), ['*g opaque']);
    assert.equal(c.sent.at(-1), '{"state":1}');
    await c.close();
  });

  test('may be unknown: it is kept, never sent, and reported once', async () => {
    const c = await StateCase.open({ sets: { ...sets, more: notes }, tools });
    await c.call({ checkpoint: 'n', data: 1 }, 'free');
    await c.call({ checkpoint: 'o', data: 2 }, 'free');
    await c.call(undefined, 'add');
    assert.deepEqual(await c.tree(''), ['*o <~ n data', 'n data']);
    assert.deepEqual(c.sent, ['{}', '{}', '{}']);
    assert.equal(c.t.logs.filter((line) => line.includes('belongs to no feature set')).length, 1);
    await c.close();
  });

  test('that is off has none of it kept', async () => {
    const c = await StateCase.open({ sets, tools, enabled: ['git'] });
    assert.match(await c.call({ checkpoint: 'n', featureSet: 'notes', data: 1 }, 'commit'), /Its feature set is off/);
    assert.deepEqual(await c.tree('notes'), []);
    assert.match((await c.audit('state/checkpoint')).join(), /^notes \| dropped \| The state n that "commit" returned/);
    await c.close();
  });

  test('does not exist for plain MCP servers and MCPL 0.2 without sets, and the store is not read', async () => {
    const plain = { description: 'Plain.', uses: ['tools'] };
    for (const setting of [{ mcpl: null }, { sets: { plain }, tools: { add: 'plain' } }] as const) {
      const states = new FailingStates();
      const c = await StateCase.open({ ...setting, storage: states.storage });
      assert.equal(await c.call({ checkpoint: 'a', data: 1 }), 'done');
      await c.call(undefined);
      assert.deepEqual([c.sent, states.uses], [['{}', '{}'], []]);
      await c.close();
    }
  });

  test('has nothing of what is no state: a member of that name of something else', async () => {
    const plain = { description: 'Plain.', uses: ['tools'] };
    const c = await StateCase.open({
      version: '0.4',
      sets: { plain, notes },
      tools: { run: 'plain', add: 'notes' },
    });
    assert.equal(await c.call('running', 'run'), 'done');
    assert.match(await c.call('running', 'add'), /not kept: Its "state" is not an object/);
    assert.match(await c.call({ parent: 'x' }, 'run'), /not kept: Its "checkpoint" is not/);
    await c.close();
  });
});
