import assert from 'node:assert/strict';
import { set } from './mcplCase.ts';
import { stateCases } from './stateCase.ts';

const A = { checkpoint: 'a', parent: null, data: { notes: [] } };
const step = (checkpoint: string, parent: string, note: number) => ({
  checkpoint,
  parent,
  patch: [{ op: 'add', path: '/notes/-', value: note }],
});
const PLAIN = { book: set('tools') };

stateCases('as servers speak it', (open) => {
  test('since MCPL 0.4 a server says by what it returns whether there is a state, and who keeps it', async () => {
    const opened = await open({ server: { mcpl: { version: '0.4' }, sets: PLAIN } });
    await opened.edit(undefined);
    assert.equal(await opened.edit(A), 'kept a');
    assert.equal(await opened.edit(step('b', 'a', 1)), 'kept b');
    await opened.edit(undefined);
    assert.deepEqual(await opened.sent(), ['{}', '{}', '{"state":{"notes":[]}}', '{"state":{"notes":[1]}}']);
    assert.deepEqual(await opened.summaries('b'), ['case book: host, 2, head b']);
  });

  test('since MCPL 0.4 names alone mean that the server keeps the state, until one comes', async () => {
    const opened = await open({ server: { mcpl: { version: '0.4' }, sets: PLAIN } });
    await opened.edit({ checkpoint: 's', parent: null });
    await opened.edit(undefined);
    await opened.edit({ ...A, parent: 's' });
    await opened.edit(undefined);
    assert.deepEqual(await opened.sent(), ['{}', '{"checkpoint":"s"}', '{"checkpoint":"s"}', '{"state":{"notes":[]}}']);
  });

  test('in MCPL 0.2 a set that declares no state has none, whatever comes', async () => {
    const opened = await open({ server: { sets: PLAIN } });
    assert.equal(await opened.edit(A), 'no state');
    await opened.edit(undefined);
    assert.deepEqual(await opened.sent(), ['{}', '{}']);
    assert.deepEqual(await opened.tree(), []);
  });

  test('a plain MCP server has no states, and its results are its own business', async () => {
    const opened = await open({ server: { mcpl: null } });
    assert.equal(await opened.edit({ anything: 'at all' }), 'no state');
    await opened.edit(undefined);
    assert.deepEqual(await opened.sent(), ['{}', '{}']);
  });

  test('a server sends a state without a call', async () => {
    const opened = await open();
    await opened.edit(A);
    const update = (state: object): Promise<string> =>
      opened.mcpl.answerTo('state/update', { featureSet: 'book', ...state });
    assert.equal(await update(step('u', 'a', 7)), '{"accepted":true}');
    assert.deepEqual(await opened.tree(), ['a data', 'u < a patch head']);
    await opened.edit(undefined);
    assert.equal((await opened.sent()).at(-1), '{"state":{"notes":[7]}}');
    assert.match(
      await update({ checkpoint: 'bad', parent: 'u', patch: [{ op: 'remove', path: '/x' }] }),
      /"accepted":false/,
    );
    await opened.mcpl.disable('book');
    assert.match(await update(step('v', 'u', 8)), /^error -32001 /);
    assert.match(await opened.mcpl.answerTo('state/update', { featureSet: 'none', ...A }), /^error -32003 /);
    assert.deepEqual(await opened.tree(), ['a data', 'u < a patch head', 'bad < u patch broken aside']);
  });

  test('a server sends a state during a call, and gets the answer before the call ends', async () => {
    const updates = [A, step('m', 'a', 1)];
    const opened = await open({
      server: {
        answers: {
          'tools/call': async ({ life }) => {
            const id = `u${updates.length}`;
            await life.request(id, 'state/update', { featureSet: 'book', ...updates.shift() });
            const { result = null } = await life.answer(id);
            return { content: [{ type: 'text', text: JSON.stringify(result) }] };
          },
        },
      },
    });
    for (let n = 0; n < 2; n++) assert.equal((await opened.mcpl.call('edit')).modelText, '{"accepted":true}');
    assert.deepEqual(await opened.tree(), ['a data', 'm < a patch head']);
    assert.deepEqual(await opened.sent(), ['{}', '{"state":{"notes":[]}}']);
  });

  test('sets of one server have lineages of their own', async () => {
    const keeps = { ...set('tools'), rollback: true, hostState: true };
    const opened = await open({ server: { sets: { book: keeps, other: keeps } } });
    await opened.edit(A);
    assert.equal(await opened.edit({ ...step('b', 'x', 1), parent: null, featureSet: 'other', data: [] }), 'kept b');
    assert.deepEqual([await opened.tree('book'), await opened.tree('other')], [['a data head'], ['b data head']]);
    await opened.edit(undefined);
    assert.equal((await opened.sent()).at(-1), '{"state":{"notes":[]}}');
  });
});
