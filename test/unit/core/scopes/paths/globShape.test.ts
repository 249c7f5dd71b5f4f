import assert from 'node:assert/strict';
import {
  allCases,
  Effort,
  Glob,
  GlobIndex,
  GlobList,
  globShapeOf,
  isAscii,
  withoutAnyCase,
  withoutPlainCase,
} from '../../../../../src/core/scopes/paths/glob.ts';

type Rows = readonly (readonly [text: string, told: string])[];
const check = (rows: Rows, tell: (text: string) => string): void =>
  assert.deepEqual(
    rows.map(([text]) => [text, tell(text)]),
    rows,
  );

const render = (glob: string, isAnyCase: boolean): string => {
  const { head, tail, probe, base, weight } = globShapeOf(glob, isAnyCase);
  return [head, tail, probe, base, weight].join(' | ');
};
const shape = (glob: string): string => render(glob, false);
const foldedShape = (glob: string): string => render(glob, true);

/** All case variants of a text that globs without case match. */
const cases = (text: string): string =>
  [...allCases(text), '|', withoutAnyCase(text), withoutPlainCase(text)].join(' ');

const plenty = (): Effort => new Effort(1_000_000_000);

suite('The shape of a glob', () => {
  test('is its beginning, its end, its longest literal, and what matching costs', () => {
    check(
      [
        ['/', '/ | / | / | 2032 | 1'],
        ['', '/ | / | / | 2000 | 1'],
        ['**', ' | / |  | 2064 | 1'],
        ['*', ' | / | / | 2032 | 2'],
        ['a', 'a/ | a/ | a/ | 2032 | 1'],
        ['/a', '/a/ | a/ | a/ | 2064 | 1'],
        ['/a/b', '/a/b/ | b/ | a/ | 2128 | 1'],
        ['/a/*', '/a/ | / | a/ | 2128 | 2'],
        ['/a/**', '/a/ | / | a/ | 2160 | 1'],
        ['**/a', ' | a/ | a/ | 2128 | 1'],
        ['**/*.pem', ' | .pem/ | .pem/ | 2256 | 2'],
        ['/ws/s?c/x', '/ws/s | x/ | ws/ | 2288 | 2'],
        ['/ws/ab*cd', '/ws/ab | cd/ | ws/ | 2288 | 2'],
        ['/ws/*abc*d', '/ws/ | d/ | ws/ | 2320 | 4'],
        ['/ws/abc*d', '/ws/abc | d/ | ws/ | 2288 | 2'],
        ['/ws/a*bcd*e', '/ws/a | e/ | ws/ | 2352 | 4'],
        ['/a/**/b', '/a/ | b/ | a/ | 2224 | 1'],
        ['/a/**/b/**', '/a/ | / | a/ | 2320 | 2'],
        ['/a/**/b*c/**/d', '/a/ | d/ | a/ | 2448 | 3'],
        ['/**/abc/**/de', '/ | de/ | abc/ | 2416 | 2'],
        ['a/**/bcdef/g', 'a/ | g/ | bcdef/ | 2384 | 1'],
        ['x*yz/**', 'x | / | yz/ | 2224 | 2'],
        ['**/x*y*z', ' | z/ | z/ | 2256 | 2'],
        ['/a[bc]d', '/a | d/ | d/ | 2448 | 17'],
        ['/a[bc]*d', '/a | d/ | d/ | 2512 | 17'],
        ['/[ab]*[cd]e', '/ | e/ | e/ | 3056 | 21'],
        ['/a*[bc]d*e', '/a | e/ | e/ | 2640 | 22'],
        ['/a*b[cd][ef]', '/a | / | / | 3152 | 42'],
        ['x[!a]', 'x | / | / | 2320 | 17'],
        ['/a\\*b', '/a*b/ | a*b/ | a*b/ | 2160 | 1'],
        ['/a\\[b/c*', '/a[b/c | / | a[b/ | 2512 | 2'],
        ['\\*\\*', '**/ | **/ | **/ | 2128 | 1'],
        ['a\\?*b', 'a? | b/ | a? | 2160 | 2'],
        ['*\\*ab*c', ' | c/ | *ab | 2224 | 3'],
        ['?', ' | / | / | 2032 | 2'],
        ['??', ' | / | / | 2064 | 2'],
        ['a?', 'a | / | a | 2064 | 2'],
        ['?a', ' | a/ | a/ | 2064 | 2'],
        ['a]b', 'a | b/ | b/ | 2096 | 2'],
        ['[a]b*', ' | / | / | 2320 | 17'],
        ['/a/*/b', '/a/ | b/ | a/ | 2192 | 2'],
        ['/aa*/bb*/c', '/aa | c/ | aa | 2320 | 2'],
        ['/a*b*c/d', '/a | d/ | c/ | 2256 | 2'],
        ['a**b', 'a | b/ | b/ | 2128 | 2'],
        ['/a/b*c*d[e]/f', '/a/b | f/ | a/ | 2832 | 21'],
        [
          'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx*',
          'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx | / | xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx | 3312 | 2',
        ],
        [
          '*xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
          ' | xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx/ | xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx/ | 3056 | 2',
        ],
        [
          '**/yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy',
          ' | yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy/ | yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy/ | 3088 | 1',
        ],
        ['**/yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy/*', ' | / | yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy/ | 3184 | 2'],
        ['/abc/*/ab*', '/abc/ | / | abc/ | 2320 | 2'],
        ['**/ab/cd*', ' | / | ab/ | 2288 | 2'],
        ['/ab/**/cde*f/**/gh*ij*k/l', '/ab/ | l/ | ab/ | 2800 | 5'],
        ['abc/d*efg', 'abc/d | efg/ | abc/ | 2288 | 2'],
        ['**/a/**', ' | / | a/ | 2224 | 2'],
        ['**/x*yz/**', ' | / | yz/ | 2320 | 3'],
        ['*ab*cd*', ' | / | ab | 2224 | 3'],
      ],
      shape,
    );
    check(
      [
        ['/Ab/C*d', '/ab/c | d/ | ab/ | 5584 | 2'],
        ['/[A-Z]b/**', '/ | / | b/ | 12240 | 17'],
        ['/\u00c9*\u1e9e', '/\u00e9 | ss/ | ss/ | 4048 | 2'],
      ],
      foldedShape,
    );
  });
});

suite('Letters', () => {
  test('are the same in each case that a file system folds', () => {
    check(
      [
        ['aB', 'ab | ab ab'],
        ['\u00c9', '\u00e9 | \u00e9 \u00e9'],
        ['\u00e9A', '\u00e9a | \u00e9a \u00e9a'],
        ['\u00df', '\u00df ss | ss \u00df'],
        ['\u1e9e', '\u00df ss | ss \u1e9e'],
        ['SS\u00df', 'ss\u00df ssss | ssss ss\u00df'],
        ['\u0130', '\u0130 i\u0307 | i\u0307 \u0130'],
        ['\u0131', 'i | i \u0131'],
        ['\u017f', 's | s \u017f'],
        ['\u212a', 'k | k \u212a'],
        ['\ufb01', '\ufb01 fi | fi \ufb01'],
        ['\u03a3\u03c2', '\u03c3\u03c3 | \u03c3\u03c3 \u03c3\u03c2'],
        ['\u0149', '\u0149 \u02bcn | \u02bcn \u0149'],
        ['\u01c5', '\u01c6 | \u01c6 \u01c5'],
        ['\u00b5', '\u03bc | \u03bc \u00b5'],
        ['\ud801\udc00', '\ud801\udc28 | \ud801\udc28 \ud801\udc28'],
        ['x\u0345', 'x\u03b9 | x\u03b9 x\u0345'],
      ],
      cases,
    );
    assert.deepEqual(['', 'a~\u007f\u0000', '\u0080', 'a\u00e9'].map(isAscii), [true, true, false, false]);
  });
});

suite('The effort of a decision', () => {
  test('is spent once more is asked for than is left', () => {
    const effort = new Effort(5);
    assert.deepEqual([effort.spend(2), effort.isSpent, effort.spend(3), effort.isSpent], [true, false, true, false]);
    assert.deepEqual([effort.spend(1), effort.isSpent], [false, true]);
  });

  test('is what the shape says for each letter of the text, and more where case is ignored', () => {
    const cost = (glob: string, isAnyCase: boolean, text: string): number => {
      const { base, weight } = globShapeOf(glob, isAnyCase);
      let low = 0;
      let high = 10_000_000;
      while (low < high) {
        const middle = Math.floor((low + high) / 2);
        const effort = new Effort(middle);
        new Glob(glob, isAnyCase).matches(text, effort);
        if (effort.isSpent) low = middle + 1;
        else high = middle;
      }
      return (low - base) / (weight * text.length);
    };
    assert.deepEqual(
      [cost('/a*b/**', false, '/axb/c/'), cost('/a*b/**', true, '/axb/c/'), cost('/a*b/**', true, '/a\u00e9b/')],
      [1, 4, 16],
    );
    assert.equal(new Glob('/a/**', false).matches('/a/b/', new Effort(10)), false);
    assert.equal(new Glob('/a/**', false).matches('/a/b/', plenty()), true);
  });
});

suite('Whether a glob may match', () => {
  test('is decided by the end of a text and by a required literal', () => {
    const may = (glob: string, text: string): boolean => new Glob(glob, false).mayMatch(text);
    assert.deepEqual(
      ['/a/bc/', '/a/xc/', '/a/b/', '/', ''].map((text) => may('/a/*bc', text)),
      [true, false, false, false, false],
    );
    assert.deepEqual(
      ['/a/xyz/q/', '/a/q/'].map((text) => may('/a/**/xyz/*', text)),
      [true, false],
    );
    assert.deepEqual(
      ['/ab/', '/'].map((text) => may('**', text)),
      [true, true],
    );
    assert.deepEqual(
      ['/a/', '/ab/'].map((text) => may('*/ab', text)),
      [false, true],
    );
  });
});

suite('An index of globs', () => {
  const globs = [
    '/ab/c/**',
    '/ab/d',
    '/ab',
    '/a',
    '/b/x*',
    '/ab/c/e?',
    '**/k',
    '*.pem',
    'q*/r',
    '/',
    '**/a+b$',
    '/abcd/**',
    '/ab/c',
  ];
  const texts = [
    '/ab/c/z/',
    '/ab/d/',
    '/ab/',
    '/a/',
    '/b/xy/',
    '/b/y/',
    '/ab/c/ef/',
    '/z/k/',
    'x.pem/',
    'qq/r/',
    '/',
    '/z/a+b$/',
    '/z/aab/',
    '/abcd/x/',
    '/abc/',
    '/ab/c/',
    '/ac/',
    '/ab/e/',
    '/abx/',
    '/q/',
  ];
  const matching = (some: readonly string[]): readonly string[] => {
    const index = new GlobIndex(some.map((glob) => new Glob(glob, false)));
    return texts.filter((text) => index.matches(text, plenty()));
  };

  test('finds what any of them matches, in any order', () => {
    const each = new Set(globs.flatMap((glob) => matching([glob])));
    const expected = [
      '/ab/c/z/',
      '/ab/d/',
      '/ab/',
      '/a/',
      '/b/xy/',
      '/ab/c/ef/',
      '/z/k/',
      'x.pem/',
      'qq/r/',
      '/',
      '/z/a+b$/',
      '/abcd/x/',
      '/ab/c/',
    ];
    assert.deepEqual(
      texts.filter((text) => each.has(text)),
      expected,
    );
    for (let turn = 0; turn < globs.length; turn++)
      assert.deepEqual(matching([...globs.slice(turn), ...globs.slice(0, turn)]), expected);
    assert.deepEqual(matching([...globs].reverse()), expected);
  });

  test('reads only globs that may match, and stops where the effort is spent', () => {
    const left = (some: readonly string[], text: string): number => {
      let asked = 0;
      const index = new GlobIndex(some.map((glob) => new Glob(glob, false)));
      index.matches(text, { isSpent: false, spend: () => (asked++, false) } as unknown as Effort);
      return asked;
    };
    assert.deepEqual(
      ['/ab/c/q/', '/ab/d/', '/zz/', '/z/k/', '/a/', '/b/xq/'].map((text) => left(globs, text)),
      [2, 2, 1, 2, 2, 2],
    );
    const many = Array.from({ length: 70 }, (_, index) => `**/n${index}`);
    assert.deepEqual(
      [left(many, '/n5/'), left(many, '/n/'), left(['**/ab', '**'], '/x/'), left(['**/ab', '**/cd'], '/cd/')],
      [1, 0, 1, 1],
    );
    let asked = 0;
    const spent = {
      get isSpent() {
        return asked >= 3;
      },
      spend: () => (asked++, false),
    } as unknown as Effort;
    const index = new GlobIndex(Array.from({ length: 9 }, (_, index) => new Glob(`/a/*${'b'.repeat(index)}`, false)));
    assert.equal(index.matches(`/a/${'b'.repeat(20)}/`, spent), false);
    assert.equal(asked, 3);
  });
});

suite('A list of globs', () => {
  test('denies below what matches, and in any case, where one that allows does neither', () => {
    const globs = ['/a/b', '/c/**', '/D/[e]f', '/g/', '**', '/**', '//h/s'];
    const texts = [
      '/a/b/',
      '/a/b/c/',
      '/A/B/',
      '/c/',
      '/c/x/',
      '/d/ef/',
      '/D/EF/x/',
      '/g/x/',
      '/g/',
      '/zz/',
      '/h/s/x/',
      '/',
    ];
    const told = (list: GlobList): string => texts.map((text) => (list.matches(text, plenty()) ? '1' : '0')).join('');
    assert.deepEqual(
      globs.map((glob) =>
        [
          told(GlobList.denying([glob])),
          told(GlobList.allowing([glob], false)),
          told(GlobList.allowing([glob], true)),
        ].join(' '),
      ),
      [
        '111000000000 100000000000 101000000000',
        '000110000000 000110000000 000110000000',
        '000001100000 000000000000 000001000000',
        '000000011000 000000000000 000000000000',
        '111111111111 111111111111 111111111111',
        '111111111111 111111111111 111111111111',
        '000000000010 000000000000 000000000000',
      ],
    );
    assert.equal(GlobList.denying([]).matches('/a/', plenty()), false);
    assert.equal(GlobList.denying(['/[+-Z]x']).matches('/_x/', plenty()), false);
    assert.equal(GlobList.denying(['/**/x']).matches('/a/x/y/', plenty()), true);
    assert.equal(GlobList.allowing(['/[a]B'], true).matches('/Ab/', plenty()), true);
    const accent = GlobList.allowing(['/[\u00e9]x/\u00e9'], true);
    assert.deepEqual(
      ['/\u00e9x/\u00e9/', '/\u00c9x/\u00e9/', '/\u00e9X/\u00e9/'].map((text) => accent.matches(text, plenty())),
      [true, false, false],
    );
  });
});
