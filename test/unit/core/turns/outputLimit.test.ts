import assert from 'node:assert/strict';
import fc from 'fast-check';
import { OutputLimit } from '../../../../src/core/turns/outputLimit.ts';
import { settle } from '../../../support/fakeClock.ts';

interface Passed {
  readonly pieces: readonly string[];
  readonly counts: number;
  readonly cuts: number;
}

async function pass(
  deltas: readonly string[],
  maxTokens: number,
  count: (text: string) => number,
  pace: 'at once' | 'slowly' = 'slowly',
): Promise<Passed> {
  const pieces: string[] = [];
  let counts = 0;
  let cuts = 0;
  const limit = new OutputLimit({
    maxTokens,
    count: (text) => {
      counts++;
      return Promise.resolve(count(text));
    },
    onText: (piece) => {
      assert.equal(cuts, 0, 'nothing is passed on after the cut');
      pieces.push(piece);
    },
    onCut: () => cuts++,
  });
  for (const delta of deltas) {
    limit.write(delta);
    if (pace === 'slowly') await Promise.resolve();
  }
  await limit.finish();
  assert.equal(limit.text, pieces.join(''));
  assert.ok(cuts <= 1);
  return { pieces, counts, cuts };
}

/** Every fourth ASCII character starts a token. Other characters have one token per byte. */
function tokens(text: string): number {
  const ascii = text.replace(/[^\u0000-\u007F]/gu, '');
  const rest = new TextEncoder().encode(text.replace(/[\u0000-\u007F]/g, '')).length;
  return Math.ceil(ascii.length / 4) + rest;
}

function longestWithin(text: string, max: number, count: (text: string) => number): string {
  let longest = '';
  let prefix = '';
  for (const character of text) {
    prefix += character;
    if (count(prefix) <= max) longest = prefix;
  }
  return longest;
}

suite('The limit of what a model writes', () => {
  test('lets a short text through in the pieces and the turn in which it comes, and counts nothing', async () => {
    const pieces: string[] = [];
    const limit = new OutputLimit({
      maxTokens: 11,
      count: () => assert.fail('counted'),
      onText: (piece) => pieces.push(piece),
      onCut: () => assert.fail('cut'),
    });
    limit.write('Hello ');
    limit.write('');
    limit.write('world');
    assert.deepEqual(pieces, ['Hello ', 'world']);
    await limit.finish();
    assert.deepEqual(pieces, ['Hello ', 'world']);
  });

  test('lets a text through that is long and still within, all of it', async () => {
    const passed = await pass(Array<string>(40).fill('word'), 40, tokens);
    assert.equal(passed.pieces.join(''), 'word'.repeat(40));
    assert.equal(passed.cuts, 0);
  });

  test('passes on what it counted, and cuts, while the model still writes', async () => {
    const seen: string[] = [];
    const limit = new OutputLimit({
      maxTokens: 8,
      count: (text) => Promise.resolve(tokens(text)),
      onText: (piece) => seen.push(piece),
      onCut: () => seen.push('(cut)'),
    });
    for (const delta of ['12345678', '9', 'abcdefghijklmnop', 'qrstuvwxyzabcdef']) {
      limit.write(delta);
      await settle();
    }
    assert.deepEqual(seen, ['12345678', '9', 'abcdefghijklmnop', 'qrstuvw', '(cut)']);
  });

  test('cuts at the last character that is within', async () => {
    const passed = await pass(['abcd', 'efgh', 'ijkl', 'mnop'], 3, tokens);
    assert.equal(passed.pieces.join(''), 'abcdefghijkl');
    assert.equal(passed.cuts, 1);
  });

  test('counts bytes, not characters, before it trusts a text: one sign can be several tokens', async () => {
    const passed = await pass(['漢', '字', '漢'], 4, tokens);
    assert.equal(passed.pieces.join(''), '漢');
    assert.equal(passed.cuts, 1);
  });

  test('never cuts a sign in two, nor passes on a half of one whose other half is to come', async () => {
    const passed = await pass(['a', '\uD83D', '\uDE00', 'b\uD83D', '\uDE00'], 8, tokens);
    assert.deepEqual(passed.pieces, ['a', '😀', 'b']);
    const whole = await pass(['a\uD83D', '\uDE00'], 100, tokens);
    assert.deepEqual(whole.pieces, ['a', '😀']);
    const broken = await pass(['a\uD83D'], 100, tokens);
    assert.deepEqual(broken.pieces, ['a', '\uD83D']);
  });

  test('says nothing more once it is closed, also when a count comes back afterwards', async () => {
    const waiting: ((tokens: number) => void)[] = [];
    const pieces: string[] = [];
    const limit = new OutputLimit({
      maxTokens: 3,
      count: () => new Promise<number>((resolve) => waiting.push(resolve)),
      onText: (piece) => pieces.push(piece),
      onCut: () => assert.fail('cut'),
    });
    limit.write('abcdef');
    limit.close();
    waiting[0]?.(2);
    await settle();
    limit.write('more');
    assert.deepEqual([pieces, limit.text, waiting.length], [[], '', 1]);
  });

  test('counts a long text seldom', async () => {
    const deltas = Array<string>(20_000).fill('abc ');
    const within = await pass(deltas, 30_000, tokens);
    const cut = await pass(deltas, 10_000, tokens);
    assert.equal(cut.pieces.join('').length, 40_000);
    assert.ok(within.counts < 60, `${within.counts} counts`);
    assert.ok(cut.counts < 90, `${cut.counts} counts`);
  });

  test('passes on, in pieces that add up, exactly the longest beginning that is within (property)', async () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', ' ', 'é', '漢', '😀', '👩‍👧'), maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(
        text,
        fc.array(fc.nat(80), { maxLength: 12 }),
        fc.integer({ min: 1, max: 60 }),
        fc.constantFrom('at once' as const, 'slowly' as const),
        async (whole, cuts, max, pace) => {
          const places = [0, ...cuts.map((at) => Math.min(at, whole.length)).sort((a, b) => a - b), whole.length];
          const deltas = places.slice(1).map((end, index) => whole.slice(places[index], end));
          const passed = await pass(deltas, max, tokens, pace);
          const expected = longestWithin(whole, max, tokens);
          assert.equal(passed.pieces.join(''), expected);
          assert.equal(passed.cuts, expected === whole ? 0 : 1);
          assert.ok(passed.pieces.every((piece) => piece !== ''));
        },
      ),
      { numRuns: 300 },
    );
  });

  test('is never beyond what the model counts, however strangely it counts (property)', async () => {
    const strange = fc.func(fc.nat(30));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string({ maxLength: 9 }), { maxLength: 9 }), strange, async (deltas, count) => {
        const passed = await pass(deltas, 12, count);
        const whole = passed.pieces.join('');
        assert.ok(deltas.join('').startsWith(whole));
        assert.ok(whole.length <= 12 || count(whole) <= 12);
        assert.ok(passed.counts <= deltas.length + 12, `${passed.counts} counts`);
      }),
      { numRuns: 300 },
    );
  });
});
