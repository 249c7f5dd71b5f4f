import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import {
  canonicalJson,
  clip,
  isJsonArray,
  isJsonObject,
  isObject,
  type Json,
  jsonEquals,
  MAX_DEPTH,
  nestsDeeperThan,
} from '../../../../src/core/base/json.ts';

const json = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<Json>;

const reversed = (value: Json): Json => {
  if (isJsonArray(value)) return value.map(reversed);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, reversed(member ?? null)]),
  );
};

const depthOf = (value: Json): number => {
  if (typeof value !== 'object' || value === null) return 0;
  const members: readonly Json[] = isJsonArray(value) ? value : Object.values(value).map((member) => member ?? null);
  return 1 + Math.max(0, ...members.map(depthOf));
};

suite('Canonical JSON', () => {
  test('sorts members by UTF-16 code unit at every depth and leaves out what is absent', () => {
    const value = { b: [{ z: 1, a: undefined, A: null }], '€': 2, '\u{1F600}': 3, a: 1e21, 10: -0, 9: 'é' };
    assert.equal(canonicalJson(value), '{"10":0,"9":"é","a":1e+21,"b":[{"A":null,"z":1}],"€":2,"😀":3}');
  });

  test('is JSON of an equal value', () => {
    fc.assert(
      fc.property(json, (value) => {
        assert.deepEqual(JSON.parse(canonicalJson(value)), JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  test('does not depend on the order of members', () => {
    fc.assert(fc.property(json, (value) => canonicalJson(value) === canonicalJson(reversed(value))));
  });

  test('differs where values differ', () => {
    fc.assert(
      fc.property(json, json, (a, b) => {
        let same = true;
        try {
          assert.deepEqual(JSON.parse(JSON.stringify(a)), JSON.parse(JSON.stringify(b)));
        } catch {
          same = false;
        }
        assert.equal(jsonEquals(a, b), same);
      }),
    );
  });

  test('is the same text exactly where two values are equal', () => {
    fc.assert(
      fc.property(json, json, (a, b) => {
        assert.equal(jsonEquals(a, reversed(a)), true);
        assert.equal(jsonEquals(a, b), canonicalJson(a) === canonicalJson(b));
        assert.equal(jsonEquals([a, { b }], [a, { b, c: a }]), false);
      }),
    );
  });

  test('keeps a member with the name of the prototype', () => {
    const hostile = JSON.parse('{"__proto__":{"a":1},"constructor":2}') as Json;
    assert.equal(canonicalJson(hostile), '{"__proto__":{"a":1},"constructor":2}');
    assert.equal(jsonEquals(hostile, {}), false);
    const empty = JSON.parse('{"__proto__":{}}') as Json;
    assert.deepEqual([jsonEquals(empty, { x: 1 }), jsonEquals({ x: 1 }, empty)], [false, false]);
    const plain = JSON.parse('{"a":1,"b":2}') as Json;
    assert.deepEqual([jsonEquals(plain, hostile), jsonEquals(hostile, plain)], [false, false]);
  });

  test('holds an absent value and null apart', () => {
    assert.deepEqual(
      [
        jsonEquals(undefined, null),
        jsonEquals(undefined, undefined),
        jsonEquals({ a: undefined }, {}),
        jsonEquals({ a: null }, {}),
      ],
      [false, true, true, false],
    );
  });

  test('copes with the deepest value that is let in', () => {
    const deep = '['.repeat(MAX_DEPTH) + ']'.repeat(MAX_DEPTH);
    assert.equal(canonicalJson(JSON.parse(deep) as Json), deep);
  });
});

suite('Nesting', () => {
  test('is seen in the text exactly as it is in the value', () => {
    fc.assert(
      fc.property(json, fc.nat(6), fc.constantFrom(undefined, 1), (value, limit, indent) => {
        assert.equal(nestsDeeperThan(JSON.stringify(value, null, indent), limit), depthOf(value) > limit);
      }),
    );
  });

  test('counts no bracket inside a string, escaped quotes and backslashes included', () => {
    const text = JSON.stringify(['[[[[', '"[[[[', '\\', '{{{{', '\\"[[[[']);
    assert.deepEqual([nestsDeeperThan(text, 1), nestsDeeperThan(`[${text}]`, 1)], [false, true]);
  });

  test('is judged without recursion, however deep', () => {
    assert.equal(nestsDeeperThan('['.repeat(5_000_000)), true);
    assert.equal(nestsDeeperThan('['.repeat(MAX_DEPTH) + ']'.repeat(MAX_DEPTH)), false);
  });
});

suite('Kinds of JSON', () => {
  test('are distinguished', () => {
    const values: readonly (Json | undefined)[] = [undefined, null, true, 0, '', [], {}];
    assert.deepEqual(
      values.map((value) => [isObject(value), isJsonObject(value), isJsonArray(value)].map(Number).join('')),
      ['000', '000', '000', '000', '000', '001', '110'],
    );
  });
});

suite('A clipped text', () => {
  test('is complete if it fits, and marked if it does not', () => {
    assert.deepEqual(
      [clip('four', 4), clip('fives', 4), clip('', 0), clip('abc', 1), clip('abc', 0)],
      ['four', 'fiv…', '', '…', '…'],
    );
  });

  test('is never longer than allowed, begins like the text and has no half characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 30 }), fc.integer({ min: 1, max: 30 }), (text, max) => {
        const clipped = clip(text, max);
        assert.ok(clipped.length <= max);
        assert.ok(clipped === text || text.startsWith(clipped.slice(0, -1)));
        assert.equal(/\p{Surrogate}/u.test(clipped), false);
      }),
    );
  });
});
