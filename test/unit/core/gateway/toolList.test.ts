import assert from 'node:assert/strict';
import { isJsonObject } from '../../../../src/core/index.ts';
import { listedTools } from '../../../../src/core/gateway/offer.ts';
import { FakeClock, settle } from '../../../support/fakeClock.ts';
import { FakeHost, tool } from './fakeHost.ts';

suite('The tools that a client of the gateway sees', () => {
  const list = async (count: number): Promise<{ readonly turns: number; readonly names: readonly string[] }> => {
    const host = new FakeHost();
    const clock = new FakeClock();
    host.set(
      'notes',
      Array.from({ length: count }, (_, i) => tool(`t${i}`)),
    );
    const listed = listedTools(host.server('notes'), clock);
    let turns = 0;
    for (await settle(); clock.waiting > 0; turns++) await clock.advance(0.001);
    return { turns, names: (await listed).map(({ name }) => String(name)) };
  };

  test('are all there in their order, and after each thousand others have their turn', async () => {
    const { turns, names } = await list(2_500);
    assert.deepEqual(
      names,
      Array.from({ length: 2_500 }, (_, i) => `t${i}`),
    );
    assert.equal(turns > 0, true);
    assert.deepEqual(await list(1_000), { turns: 0, names: names.slice(0, 1_000) });
  });

  test('keep members that are called like members of every object', async () => {
    const { toString, hasOwnProperty } = { toString: 1, hasOwnProperty: 2 };
    const odd = { ...Object.fromEntries([['__proto__', { a: 1 }]]), toString, hasOwnProperty };
    const host = new FakeHost();
    host.set('notes', [tool('t', { ...odd, inputSchema: { type: 'object', ...odd } })]);
    const [listed] = await listedTools(host.server('notes'), new FakeClock());
    const names = (value: object): string => Object.keys(value).sort().join(' ');
    const { inputSchema } = listed ?? {};
    assert.ok(isJsonObject(inputSchema));
    assert.deepEqual(
      [names(listed ?? {}), names(inputSchema)],
      ['__proto__ annotations hasOwnProperty inputSchema name toString', '__proto__ hasOwnProperty toString type'],
    );
  });
});
