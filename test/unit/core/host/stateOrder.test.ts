import assert from 'node:assert/strict';
import { CancellationSource } from '../../../../src/core/base/cancellation.ts';
import { Deferred } from '../../../../src/core/base/async.ts';
import type { Json, JsonObject } from '../../../../src/core/base/json.ts';
import { settle } from '../../../support/fakeClock.ts';
import { failWith, NO_ANSWER } from '../../../support/scriptedServer.ts';
import { git, notes, StateCase } from './stateCase.ts';

const start = { checkpoint: 'a', parent: null, data: { notes: [] } };

suite('Calls of one set', () => {
  test('go out one after the other, and those of other sets beside them', async () => {
    const c = await StateCase.open({ sets: { notes, git }, tools: { add: 'notes', commit: 'git' } });
    const answers: ((state: JsonObject) => void)[] = [];
    c.answers(() => new Promise<Json>((resolve) => answers.push((state) => resolve({ content: [], state }))));
    const calls = [c.begin('add'), c.begin('add'), c.begin('commit')];
    await settle();
    assert.deepEqual(c.sent, ['{}', '{}']);
    const waits = c.operations.filter(({ state }) => state.kind === 'running' && state.progress !== undefined);
    assert.deepEqual(
      waits.map(({ state }) => state.kind === 'running' && state.progress?.message),
      ['Waiting for another call of notes'],
    );
    answers[0]?.(start);
    answers[1]?.({ checkpoint: 'g' });
    await settle();
    assert.deepEqual(c.sent, ['{}', '{}', '{"state":{"notes":[]}}']);
    answers[2]?.({ checkpoint: 'b', data: 1 });
    await Promise.all(calls);
    await c.close();
  });

  test('that wait can be taken back, and the next one goes on', async () => {
    const c = await StateCase.open();
    const first = new Deferred<Json>();
    c.answers(() => first.promise);
    const cancel = new CancellationSource();
    const calls = [c.begin('add'), c.begin('add', {}, { token: cancel.token }), c.begin('add')];
    await settle();
    cancel.cancel();
    await assert.rejects(calls[1] ?? Promise.resolve(), { code: 'CANCELLED' });
    assert.equal(c.sent.length, 1);
    first.resolve({ content: [] });
    await Promise.all([calls[0], calls[2]]);
    assert.equal(c.sent.length, 2);
    await c.close();
  });

  test('wait no longer than the one before may take', async () => {
    const c = await StateCase.open();
    c.answers(() => NO_ANSWER);
    const hanging = c.begin('add');
    const next = c.begin('add');
    await settle();
    c.answers(() => ({ content: [] }));
    const rejected = assert.rejects(hanging, { code: 'TIMEOUT' });
    await c.t.clock.advance(60_000);
    await rejected;
    await next;
    await c.close();
  });

  test('that fail let the next one go on at once', async () => {
    const c = await StateCase.open();
    let count = 0;
    c.answers(() => (count++ === 0 ? failWith(-32000, 'broken') : { content: [] }));
    const calls = [c.begin('add'), c.begin('add')];
    await assert.rejects(calls[0] ?? Promise.resolve(), { code: 'REMOTE_ERROR' });
    await calls[1];
    await c.close();
  });

  test('are not sent where their set was switched off while they waited', async () => {
    const c = await StateCase.open();
    const first = new Deferred<Json>();
    c.answers(() => first.promise);
    const calls = [c.begin('add'), c.begin('add')];
    await settle();
    await c.rewrite({ featureSets: { enabled: [] } });
    first.resolve({ content: [] });
    await calls[0];
    await assert.rejects(calls[1] ?? Promise.resolve(), { code: 'FEATURE_SET_OFF', effect: 'none' });
    assert.equal(c.sent.length, 1);
    await c.close();
  });

  test('that end with their server do not block the next one', async () => {
    const c = await StateCase.open();
    c.answers(() => NO_ANSWER);
    const calls = [c.begin('add'), c.begin('add')].map((call) => assert.rejects(call));
    await settle();
    await c.t.host.stop('a');
    await Promise.all(calls);
    await c.t.host.start('a');
    await settle();
    assert.equal(await c.call(start), 'done');
    await c.close();
  });
});
