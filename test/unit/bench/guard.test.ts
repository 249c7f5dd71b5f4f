import assert from 'node:assert/strict';
import { decide, decisionOf, guard, type Guarded, outcomesNote, outcomeText } from '../../bench/guard.ts';
import { PAIRS } from '../../bench/guardMeasures.ts';

/** A measure with these ratios, try by try. Errors are thrown. */
const scripted = (id: string, target: number, ...script: readonly (number | Error)[]): Guarded => {
  const left = [...script];
  return {
    id,
    what: `what ${id} takes`,
    target,
    measure: () => {
      const next = left.shift();
      if (next === undefined) return Promise.reject(new Error('One try too many.'));
      return typeof next === 'number' ? Promise.resolve(next) : Promise.reject(next);
    },
  };
};

const always = (): boolean => true;

/** Time for this many tries. */
const timeFor = (tries: number): (() => boolean) => {
  let left = tries;
  return () => left-- > 0;
};

const told = async (all: readonly Guarded[], hasTime = always): Promise<readonly string[]> =>
  (await guard(all, hasTime)).map(
    (outcome) => `${outcome.guarded.id} ${decisionOf(outcome)} ${outcome.tries.join(' ')}`,
  );

suite('The guard of the figures', () => {
  test('decides by tries: good ones end it, three bad ones in a row lose it', () => {
    // The target is 0.8, so 0.96 is the limit.
    const table: readonly (readonly [decision: string, ...tries: readonly number[]])[] = [
      ['open'],
      ['met', 0.1],
      ['met', 0.8],
      ['met', 0.95],
      ['met', 0.96],
      ['open', 0.97],
      ['open', 0.97, 5],
      ['met', 0.97, 0.9],
      ['met', 0.97, 5, 0.9],
      ['met', 0.97, 5, 0.96],
      ['lost', 0.97, 0.97, 0.97],
      ['lost', 5, 0.97, 1],
      ['open', Number.NaN],
      ['open', Number.NaN, Infinity],
      ['lost', Number.NaN, Number.NaN, Number.NaN],
      ['met', Number.NaN, Number.NaN, 0.5],
    ];
    assert.deepEqual(
      table.map(([, ...tries]) => [decide(tries, 0.8), ...tries]),
      table,
    );
  });

  test('tries what was lost again when everything was tried once, until it is met or lost three times', async () => {
    const order: string[] = [];
    const noted = (guarded: Guarded): Guarded => ({
      ...guarded,
      measure: () => {
        order.push(guarded.id);
        return guarded.measure();
      },
    });
    const all = [scripted('a', 1, 2, 1.1), scripted('b', 1, 0.5), scripted('c', 1, 2, 3, 4), scripted('d', 1, 2, 2, 1)];
    assert.deepEqual(await told(all.map(noted)), ['a met 2 1.1', 'b met 0.5', 'c lost 2 3 4', 'd met 2 2 1']);
    assert.equal(order.join(''), 'abcdaccdd');
  });

  test('is broken by a measurement that fails, with its log, and goes on with the others', async () => {
    const all = [
      scripted('a', 1, new Error('exit code 1')),
      scripted('b', 1, 2, new Error('hung')),
      scripted('c', 1, 1),
    ];
    assert.deepEqual(await told(all), ['a broken ', 'b broken 2', 'c met 1']);
    const [, b] = await guard(
      [all[2], scripted('b', 1, 2, new Error('it hung'))].filter((one) => one !== undefined),
      always,
    );
    assert.ok(b !== undefined);
    assert.match(
      outcomeText(b),
      /^broken b +2\.00 \(target 1\.00, fails beyond 1\.20\): what b takes\nError: it hung\n/,
    );
  });

  test('leaves measures open if there is no time, and says so', async () => {
    const all = (): readonly Guarded[] => [scripted('a', 1, 2, 2, 2), scripted('b', 1, 1), scripted('c', 0.5, 0.4)];
    assert.deepEqual(await told(all(), timeFor(0)), ['a open ', 'b open ', 'c open ']);
    assert.deepEqual(await told(all(), timeFor(2)), ['a open 2', 'b met 1', 'c open ']);
    assert.deepEqual(await told(all(), timeFor(4)), ['a open 2 2', 'b met 1', 'c met 0.4']);
    assert.equal(
      outcomesNote(await guard(all(), timeFor(2))),
      'a 2.00 of 1.00, no time for more, b 1.00 of 1.00, c - of 0.500, no time for more',
    );
  });

  test('does not take what is cut off at the end of the time for a failure', async () => {
    assert.deepEqual(await told([scripted('a', 1, new Error('Stopped.'))], timeFor(1)), ['a open ']);
    assert.deepEqual(await told([scripted('a', 1, 2, new Error('Stopped.'))], timeFor(2)), ['a open 2']);
    assert.deepEqual(await told([scripted('a', 1, 2, new Error('Stopped.'))], timeFor(3)), ['a broken 2']);
  });

  test('holds CPU time against what the speeds of the design mean', () => {
    assert.deepEqual(
      PAIRS.map(({ id, of, to, target }) => `${id}: ${of} / ${to} ${target.toFixed(3)}`),
      [
        'rt: host / sdk1 0.800',
        'pipe: host / sdk1 0.561',
        'notify: host / sdk1 0.177',
        'inbound: host / sdk1 0.286',
        'push: checked / sdk1 0.471',
        'patches: state / rfc6902 1.600',
      ],
    );
  });
});
