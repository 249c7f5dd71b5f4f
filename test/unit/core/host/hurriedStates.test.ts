import assert from 'node:assert/strict';
import { Deferred } from '../../../../src/core/base/async.ts';
import type { Json } from '../../../../src/core/base/json.ts';
import { memoryStorage } from '../../../../src/node/store/memoryStorage.ts';
import { settle } from '../../../support/fakeClock.ts';
import { StateCase } from './stateCase.ts';

const start = { checkpoint: 'a', parent: null, data: { notes: [] } };

suite('A user in a hurry', () => {
  test('who requests two rollbacks at once gets them in turn, and ends at the last', async () => {
    const c = await StateCase.open();
    for (const checkpoint of ['a', 'b', 'd']) await c.call({ checkpoint, data: checkpoint });
    const asked: Json[] = [];
    const first = new Deferred<void>();
    c.rollsBack(async ({ checkpoint }) => {
      asked.push(checkpoint ?? null);
      if (checkpoint === 'b') await first.promise;
      return { success: true, checkpoint: checkpoint ?? null };
    });
    const back = [c.t.host.lineages.rollBack(await c.place('b')), c.t.host.lineages.rollBack(await c.place('a'))];
    await settle();
    assert.deepEqual(asked, ['b']);
    first.resolve();
    await Promise.all(back);
    await c.call(undefined);
    assert.deepEqual([asked, c.sent.at(-1)], [['b', 'a'], '{"state":"a"}']);
    await c.close();
  });

  test('who forgets a lineage during a call finds the result in a new one, and nothing is guessed', async () => {
    for (const [state, sent] of [
      [{ checkpoint: 'b', data: 2 }, '{"state":2}'],
      [{ checkpoint: 'b', patch: [] }, undefined],
    ] as const) {
      const c = await StateCase.open();
      await c.call(start);
      const answer = new Deferred<Json>();
      c.answers(() => answer.promise);
      const call = c.told(c.begin('add'));
      await settle();
      await c.t.host.lineages.forget({ server: 'a', featureSet: 'notes' });
      answer.resolve({ content: [], state });
      await call;
      const told = await c.call(undefined);
      if (sent === undefined)
        assert.match(told, /was not called: the state of "notes" after checkpoint b is not known/);
      else assert.equal(c.sent.at(-1), sent);
      // Ends both problems.
      await c.t.host.lineages.forget({ server: 'a', featureSet: 'notes' });
      assert.equal(await c.call(undefined), 'done');
      assert.equal(c.sent.at(-1), '{}');
      await c.close();
    }
  });

  test('who forgets a lineage while a rollback of it waits gets an error', async () => {
    const c = await StateCase.open();
    await c.call(start);
    const answer = new Deferred<Json>();
    c.answers(() => answer.promise);
    const call = c.begin('add');
    await settle();
    const back = c.t.host.lineages.rollBack(await c.place('a'));
    const on = c.t.host.lineages.continueFrom(await c.place('a'));
    await c.t.host.lineages.forget({ server: 'a', featureSet: 'notes' });
    answer.resolve({ content: [] });
    await call;
    await assert.rejects(back, { code: 'UNKNOWN_CHECKPOINT' });
    await assert.rejects(on, { code: 'UNKNOWN_CHECKPOINT' });
    assert.equal(c.t.server.messages.filter(({ method }) => method === 'state/rollback').length, 0);
    await c.close();
  });

  test('whose lineage another window gives up between the call and its result loses nothing else', async () => {
    const storage = memoryStorage();
    const c = await StateCase.open({ storage });
    await c.call(start);
    const answer = new Deferred<Json>();
    c.answers(() => answer.promise);
    const call = c.begin('add');
    await settle();
    await storage.states.forget({ server: 'a', featureSet: 'notes' });
    await storage.states.trim({ count: 1, ageMs: 1, characters: 1 }, Number.MAX_SAFE_INTEGER);
    answer.resolve({ content: [], state: { checkpoint: 'b', data: 2 } });
    await call;
    assert.deepEqual(await c.tree(), ['*b data']);
    await c.close();
  });

  test('who goes elsewhere in another window during a call has its result where its request came from', async () => {
    const storage = memoryStorage();
    const c = await StateCase.open({ storage });
    await c.call(start);
    await c.call({ checkpoint: 'b', data: { notes: ['b'] } });
    const answer = new Deferred<Json>();
    c.answers(() => answer.promise);
    const call = c.begin('add');
    await settle();
    const move = { at: 1, kind: 'continue', from: undefined, to: await c.place('a'), refusal: undefined } as const;
    await storage.states.move(move, undefined);
    answer.resolve({ content: [], state: { checkpoint: 'd', patch: [{ op: 'add', path: '/notes/-', value: 'd' }] } });
    await call;
    assert.deepEqual(await c.tree(), ['*d <~ b patch', 'b <~ a data', 'a data']);
    assert.equal(await c.state('d'), '{"notes":["b","d"]}');
    await c.close();
  });

  test('who closes the host during a call with state ends it, and the store has what was there', async () => {
    const storage = memoryStorage();
    const c = await StateCase.open({ storage });
    await c.call(start);
    c.answers(() => new Deferred<Json>().promise);
    const call = c.told(c.begin('add'));
    const back = c.t.host.lineages.rollBack(await c.place('a')).then(
      () => 'went',
      () => 'did not go',
    );
    await settle();
    await c.close();
    assert.notEqual(await call, 'done');
    assert.equal(await back, 'did not go');
    assert.deepEqual(
      (await storage.states.lineages()).map(({ head, count }) => [head?.checkpoint, count]),
      [['a', 1]],
    );
  });
});
