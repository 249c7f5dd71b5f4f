import assert from 'node:assert/strict';
import { Deferred } from '../../../../src/core/base/async.ts';
import type { Json } from '../../../../src/core/base/json.ts';
import { settle } from '../../../support/fakeClock.ts';
import { git, notes, StateCase } from './stateCase.ts';

const ACCEPTED = '{"accepted":true}';
const plain = { description: 'Plain.', uses: ['tools'] };

suite('State that a server sends on its own (state/update)', () => {
  test('is kept before it is answered, and is what the next call is sent with', async () => {
    const c = await StateCase.open();
    const update = { featureSet: 'notes', checkpoint: 'a', data: { notes: [] } };
    assert.equal(await c.says('state/update', update), ACCEPTED);
    const patch = [{ op: 'add', path: '/notes/-', value: 1 }];
    assert.equal(await c.says('state/update', { featureSet: 'notes', checkpoint: 'b', patch }), ACCEPTED);
    await c.call(undefined);
    assert.deepEqual(c.sent, ['{"state":{"notes":[1]}}']);
    assert.deepEqual(await c.tree(), ['*b <~ a patch', 'a data']);
    await c.close();
  });

  test('waits for no call, belongs to the chat of the one under way, and is known when the result has it too', async () => {
    const c = await StateCase.open({ version: '0.4', sets: { git }, tools: { commit: 'git' } });
    await c.call({ checkpoint: 'a' }, 'commit', 'one');
    await c.call({ checkpoint: 'z' }, 'commit', 'two');
    const answer = new Deferred<Json>();
    c.answers(() => answer.promise);
    const call = c.begin('commit', { message: 'x' }, { chat: 'one' });
    await settle();
    assert.equal(await c.says('state/update', { featureSet: 'git', checkpoint: 'b', parent: 'a' }), ACCEPTED);
    answer.resolve({ content: [], state: { checkpoint: 'b' } });
    await call;
    assert.deepEqual(await c.tree('git'), ['*b <- a opaque', 'z <~ a opaque', 'a opaque']);
    await c.call(undefined, 'commit', 'one');
    await c.call(undefined, 'commit', 'two');
    assert.deepEqual(c.sent.slice(2), ['{"checkpoint":"a"}', '{"checkpoint":"b"}', '{"checkpoint":"z"}']);
    const detail = await c.t.host.lineages.checkpoint(await c.place('b'));
    assert.deepEqual([detail?.node.tool, detail?.node.args], ['commit', '{"message":"x"}']);
    await c.close();
  });

  test('under another set than the result, as a real server does, is kept in both and mixed in neither', async () => {
    const observe = {
      description: 'Observes.',
      uses: ['pushEvents', 'stateUpdate'],
      rollback: false,
      hostState: false,
    };
    const write = { description: 'Writes.', uses: ['tools', 'stateUpdate'], rollback: true, hostState: false };
    // It announces 0.5, which has no use "stateUpdate". With another version in settings, the use counts.
    const entry = { protocol: { mcpl: '0.4' } };
    const c = await StateCase.open({ version: '0.5', sets: { observe, write }, tools: { edit: 'write' }, entry });
    c.answers(async () => {
      const checkpoint = `seq_${c.sent.length}`;
      const parent = c.sent.length > 1 ? { parent: `seq_${c.sent.length - 1}` } : {};
      const params = { featureSet: 'observe', checkpoint, ...parent };
      c.t.server.say({ jsonrpc: '2.0', id: checkpoint, method: 'state/update', params });
      await settle();
      return { content: [], state: { checkpoint } };
    });
    await c.begin('edit');
    await c.begin('edit');
    c.rollsBack(() => ({ checkpoint: 'seq_3', success: true }));
    const [first] = (await c.t.host.lineages.find('a', 'seq_1')).filter(({ featureSet }) => featureSet === 'write');
    assert.equal((await c.t.host.lineages.rollBack(first?.place ?? 0)).kind, 'elsewhere');
    await c.begin('edit');
    assert.deepEqual(c.sent, ['{}', '{"checkpoint":"seq_1"}', '{"checkpoint":"seq_3"}']);
    assert.deepEqual(await c.tree('observe'), ['*seq_3 <- seq_2 opaque', 'seq_2 <- seq_1 opaque', 'seq_1 opaque']);
    assert.deepEqual(await c.tree('write'), ['*seq_3 <- seq_1 opaque', 'seq_2 <~ seq_1 opaque', 'seq_1 opaque']);
    await c.close();
  });

  test('of which many come at once is kept in their order', async () => {
    const c = await StateCase.open({ sets: { git }, tools: { commit: 'git' } });
    for (const checkpoint of ['a', 'b', 'c', 'd'])
      c.t.server.say({
        jsonrpc: '2.0',
        id: checkpoint,
        method: 'state/update',
        params: { featureSet: 'git', checkpoint },
      });
    await settle();
    assert.deepEqual(await c.tree('git'), ['*d <~ c opaque', 'c <~ b opaque', 'b <~ a opaque', 'a opaque']);
    await c.close();
  });

  test('that does not fit is not accepted, and the answer has the reason', async () => {
    const c = await StateCase.open();
    const answer = await c.says('state/update', { featureSet: 'notes', checkpoint: 'b', parent: 'x', patch: [] });
    assert.match(answer, /^\{"accepted":false,"reason":".+"\}$/);
    assert.deepEqual(
      c.troubles.map(({ featureSet, tool }) => [featureSet, tool]),
      [['notes', undefined]],
    );
    await c.close();
  });

  test('is gated like any message of a set, and answered by its code', async () => {
    const c = await StateCase.open({ sets: { notes, off: notes, plain }, enabled: ['notes', 'plain'] });
    const state = { checkpoint: 'a', data: 1 };
    assert.deepEqual(
      [
        await c.says('state/update', { featureSet: 'off', ...state }),
        await c.says('state/update', { featureSet: 'nobody', ...state }),
        await c.says('state/update', { ...state }),
        await c.says('state/update', { featureSet: 'plain', ...state }),
        await c.says('state/update', { featureSet: 'notes', data: 1 }),
      ].map((answer) => answer.replace(/,"data":\{.*$/, '')),
      [
        '{"code":-32001,"message":"Feature set not enabled"',
        '{"code":-32003,"message":"Unknown feature set"',
        '{"code":-32602,"message":"featureSet must be a text."',
        '{"code":-32602,"message":"The feature set \\"plain\\" is not declared with state."',
        '{"code":-32602,"message":"Its \\"checkpoint\\" is not a text of 1 to 512 characters without control characters."',
      ],
    );
    assert.deepEqual(await c.tree(), []);
    assert.deepEqual(
      (await c.audit('state/update')).map((line) => line.split(' | ')[1]),
      ['refused', 'refused', 'refused'],
    );
    await c.close();
  });

  test('is not refused by hundreds at once for good: it is said that it may come again', async () => {
    const c = await StateCase.open({ sets: { git }, tools: { commit: 'git' } });
    for (let n = 0; n < 200; n++) {
      const params = { featureSet: 'git', checkpoint: `c${n}` };
      c.t.server.say({ jsonrpc: '2.0', id: `c${n}`, method: 'state/update', params });
    }
    await settle();
    await settle();
    const answers = c.t.server.heard.filter((line) => line.startsWith('answer '));
    const accepted = answers.filter((line) => line === `answer ${ACCEPTED}`).length;
    const later = answers.filter((line) => line.includes('Send it again later.')).length;
    assert.deepEqual([accepted, later], [64, 136]);
    assert.equal(await c.says('state/update', { featureSet: 'git', checkpoint: 'last' }), ACCEPTED);
    await c.close();
  });
});
