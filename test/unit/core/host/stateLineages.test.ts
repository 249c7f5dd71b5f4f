import assert from 'node:assert/strict';
import { settle } from '../../../support/fakeClock.ts';
import { FailingStates, notes, StateCase } from './stateCase.ts';

const start = { checkpoint: 'a', parent: null, data: { notes: [] } };
const shown = (c: StateCase): readonly string[] =>
  c.t.host.lineages
    .list()
    .map(({ server, featureSet, count, head }) => `${server} ${featureSet} ${count} ${head?.checkpoint}`);

suite('The list of lineages', () => {
  test('is read when it is first looked at, and not before', async () => {
    const states = new FailingStates();
    const c = await StateCase.open({ storage: states.storage });
    assert.deepEqual(states.uses, []);
    let count = 0;
    const heard = c.t.host.lineages.onDidChange(() => count++);
    assert.deepEqual(shown(c), []);
    await c.t.host.lineages.loaded();
    await settle();
    assert.equal(count, 1);
    heard.dispose();
    await c.close();
  });

  test('is read again after changes by this window, once for simultaneous changes', async () => {
    const c = await StateCase.open({ sets: { notes, more: notes }, tools: { add: 'notes', put: 'more' } });
    await c.t.host.lineages.loaded();
    let count = 0;
    const heard = c.t.host.lineages.onDidChange(() => count++);
    await c.call(start);
    await c.call({ checkpoint: 'b', data: 1 });
    await c.call({ checkpoint: 'c', data: 1 }, 'put');
    assert.equal(count, 0);
    await c.t.clock.advance(100);
    assert.equal(count, 1);
    assert.deepEqual(shown(c).toSorted(), ['a more 1 c', 'a notes 2 b']);
    await c.t.host.lineages.annotate(await c.place('a'), { name: 'Begin', isPinned: true });
    await c.t.clock.advance(100);
    assert.equal(count, 2);
    await c.t.host.lineages.forget({ server: 'a', featureSet: 'more' });
    await c.t.clock.advance(100);
    assert.deepEqual([count, shown(c)], [3, ['a notes 2 b']]);
    heard.dispose();
    await c.close();
  });

  test('shows changes by another window while it is watched', async () => {
    const states = new FailingStates();
    const shared = { ...states.storage, close: () => Promise.resolve() };
    const [c, other] = [await StateCase.open({ storage: shared }), await StateCase.open({ storage: shared })];
    await c.t.host.lineages.loaded();
    let count = 0;
    const heard = c.t.host.lineages.onDidChange(() => count++);
    const watch = c.t.host.lineages.watch();
    await settle();
    count = 0;
    await other.call(start);
    await c.t.clock.advance(1_999);
    assert.equal(count, 0);
    await c.t.clock.advance(1);
    assert.deepEqual([count, shown(c)], [1, ['a notes 1 a']]);
    await c.t.clock.advance(10_000);
    assert.equal(count, 1);
    watch.dispose();
    states.uses.length = 0;
    await c.t.clock.advance(10_000);
    assert.deepEqual(states.uses, []);
    heard.dispose();
    await c.close();
    await other.close();
    await states.storage.close();
  });

  test('that cannot be read is empty, says so once, and is read when it can be', async () => {
    const states = new FailingStates();
    const c = await StateCase.open({ storage: states.storage });
    states.fails.set('lineages', 'It is damaged.');
    for (let look = 0; look < 3; look++) {
      assert.deepEqual(shown(c), []);
      await c.t.host.lineages.loaded();
    }
    const said = c.t.logs.filter((line) => line.includes('cannot be read'));
    assert.deepEqual(said, ['host error: The lineages cannot be read: It is damaged.']);
    states.fails.clear();
    await c.call(start);
    await c.t.clock.advance(100);
    assert.deepEqual(shown(c), ['a notes 1 a']);
    await c.close();
  });
});

suite('Old states', () => {
  test('are trimmed soon after the first state of a session and after every 200 of a lineage, in the background', async () => {
    const states = new FailingStates();
    const c = await StateCase.open({ storage: states.storage });
    states.fails.set('trim', 'It is busy.');
    const trims = (): number => states.uses.filter((use) => use === 'trim').length;
    await c.call(start);
    assert.equal(trims(), 0);
    await c.t.clock.advance(30_000);
    assert.equal(trims(), 1);
    assert.match(c.t.logs.join('\n'), /host warn: Old states were not given up: It is busy\./);
    for (let n = 0; n < 199; n++) await c.says('state/update', { featureSet: 'notes', checkpoint: `n${n}`, data: n });
    assert.equal(trims(), 1);
    await c.call({ checkpoint: 'last', data: 0 });
    assert.equal(trims(), 2);
    await c.close();
  }).timeout(20_000);

  test('are given up by the limits of the settings, but never what is current', async () => {
    const c = await StateCase.open();
    c.limit({ maxCheckpoints: 2 });
    for (const checkpoint of ['a', 'b', 'c', 'd']) await c.call({ checkpoint, data: checkpoint });
    await c.t.clock.advance(30_000);
    assert.deepEqual(await c.tree(), ['*d <~ c data', 'c data']);
    await c.call(undefined);
    assert.equal(c.sent.at(-1), '{"state":"d"}');
    await c.close();
  });
});
