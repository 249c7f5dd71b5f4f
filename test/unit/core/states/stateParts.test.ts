import assert from 'node:assert/strict';
import fc from 'fast-check';
import { CancellationSource, NO_CANCELLATION } from '../../../../src/core/base/cancellation.ts';
import { shortArguments, StateQueue, type StateTurn } from '../../../../src/core/states/stateCalls.ts';
import type { JsonObject } from '../../../../src/core/base/json.ts';
import { settle } from '../../../support/fakeClock.ts';

suite('A queue of turns', () => {
  test('gives one turn at a time for each key, in the order of asking', async () => {
    const queue = new StateQueue();
    const told: string[] = [];
    const begin = async (key: string, name: string): Promise<StateTurn> => {
      const turn = await queue.begin(key, NO_CANCELLATION, () => told.push(`${name} waits`));
      told.push(`${name} begins`);
      return turn;
    };
    const turns = [begin('a', '1'), begin('a', '2'), begin('b', '3'), begin('a', '4')];
    await settle();
    assert.deepEqual(told, ['2 waits', '4 waits', '1 begins', '3 begins']);
    const first = await turns[0];
    first?.end();
    first?.end();
    await settle();
    assert.deepEqual(told.slice(4), ['2 begins']);
    (await turns[1])?.end();
    const last = await turns[3];
    assert.deepEqual([first?.hasWaited, last?.hasWaited], [false, true]);
    last?.end();
    assert.equal((await queue.begin('a', NO_CANCELLATION, () => told.push('never'))).hasWaited, false);
    assert.ok(!told.includes('never'));
  });

  test('always gives exactly one turn while callers wait, even if some cancel', async () => {
    const step = fc.record({ kind: fc.constantFrom('ask', 'end', 'cancel'), which: fc.nat(20) });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const queue = new StateQueue();
        const asked: { readonly source: CancellationSource; turn: StateTurn | undefined; isOver: boolean }[] = [];
        const active = (): number => asked.filter(({ turn, isOver }) => turn !== undefined && !isOver).length;
        for (const { kind, which } of steps) {
          const one = asked[which % Math.max(1, asked.length)];
          if (kind === 'ask') {
            const entry = { source: new CancellationSource(), turn: undefined as StateTurn | undefined, isOver: false };
            asked.push(entry);
            queue
              .begin('a', entry.source.token, () => undefined)
              .then(
                (turn) => (entry.turn = turn),
                () => (entry.isOver = true),
              );
          } else if (kind === 'cancel') one?.source.cancel();
          else if (one?.turn !== undefined) {
            one.turn.end();
            one.isOver = true;
          }
          await settle();
          const waiting = asked.filter(({ turn, isOver }) => turn === undefined && !isOver).length;
          assert.ok(active() <= 1);
          assert.ok(waiting === 0 || active() === 1);
        }
        for (const { source } of asked) source.dispose();
      }),
      { numRuns: 60 },
    );
  });
});

suite('Arguments in short', () => {
  const short = (args: JsonObject): string | undefined =>
    shortArguments(args, (text) => text.replaceAll('secret', '‹secret›'));

  test('are one line of JSON without secrets, and empty without arguments', () => {
    assert.equal(short({}), undefined);
    assert.equal(short({ a: 1, b: [true, null], c: { d: 'x\ny' } }), '{"a":1,"b":[true,null],"c":{"d":"x\\ny"}}');
    assert.equal(short({ a: 'my secret' }), '{"a":"my ‹secret›"}');
  });

  test('are bounded, however long, many or deep', () => {
    const deep = JSON.parse(`${'{"a":'.repeat(400)}1${'}'.repeat(400)}`) as JsonObject;
    const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`k${n}`, n]));
    for (const args of [{ long: 'x'.repeat(1_000_000) }, many, deep, { list: Array(100_000).fill(1) }])
      assert.ok((short(args)?.length ?? 0) <= 300);
    assert.equal(short(deep), '{"a":{"a":{"a":{"a":"…"}}}}');
  });

  test('hide a secret that would be cut at the end', () => {
    for (let length = 270; length < 310; length++)
      assert.doesNotMatch(short({ a: `${'x'.repeat(length)}secret` }) ?? '', /[^‹]se?c?r?e?/);
  });
});
