import assert from 'node:assert/strict';
import fc from 'fast-check';
import { minimatch, Minimatch, type MinimatchOptions } from 'minimatch';
import { allCases, Effort, Glob, withoutAnyCase, withoutPlainCase } from '../../../../../src/core/scopes/paths/glob.ts';
import { dose } from '../../../../support/dose.ts';
import { listsOf, PLACE, verdict } from './judging.ts';

const RUNS = dose(1_000, 50_000);

const OPTIONS: MinimatchOptions = {
  dot: true,
  nocomment: true,
  nonegate: true,
  noext: true,
  braceExpandMax: 256,
  platform: 'linux',
};

const anyOf = (...texts: readonly string[]): fc.Arbitrary<string> => fc.constantFrom(...texts);
const joined = (part: fc.Arbitrary<string>, by: string, most: number): fc.Arbitrary<string> =>
  fc.array(part, { minLength: 1, maxLength: most }).map((parts) => parts.join(by));

const letters = anyOf('a', 'b', '.', 'secrets', '.git', 'A', '#', '!', '(', 'é', '😀', 'ab');
const magic = anyOf(
  '*',
  '?',
  '**',
  '[ab]',
  '[!a]',
  '[a',
  ']',
  '[]a]',
  '[[:alpha:]]',
  '{a,b}',
  '{a,*/b}',
  '{1..3}',
  '+',
);
const segment = fc.oneof(
  { weight: 3, arbitrary: joined(fc.oneof({ weight: 3, arbitrary: letters }, magic), '', 3) },
  { weight: 2, arbitrary: anyOf('**', '*', '*.ts', '*a*', '.git', 'secrets') },
);
/** Excludes patterns that settings resolve or refuse, because this compares only with minimatch. */
const isPlain = (text: string): boolean =>
  minimatch.braceExpand(text).every((glob) => !/\/(?:\.{0,2}\/|\.{0,2}$)|^\.{1,2}(?:\/|$)/.test(glob));
const absolute = joined(segment, '/', 5)
  .map((text) => `/${text}`)
  .filter(isPlain);
const anywhere = joined(segment, '/', 4)
  .map((text) => `**/${text}`)
  .filter(isPlain);
const pattern = fc.oneof(absolute, anywhere);
const form = joined(
  fc
    .oneof(joined(letters, '', 3), anyOf('a', 'b', 'a.ts', '.git', 'secrets', 'x', '1'))
    .filter((part) => !/^\.{1,2}$/.test(part)),
  '/',
  6,
).map((text) => `/${text}`);
/** Mostly similar, so that many match. */
const case_ = fc.record({ patterns: fc.array(pattern, { minLength: 1, maxLength: 12 }), form });

const matchesAny = (patterns: readonly string[], texts: readonly string[]): boolean =>
  patterns.some((text) => texts.some((candidate) => new Minimatch(text, OPTIONS).match(candidate)));

/** The path and all its ancestors, each also as a folder. */
const ancestors = (path: string): readonly string[] => {
  const parts = path.split('/');
  return parts.flatMap((_part, index) => {
    const above = parts.slice(0, index + 1).join('/');
    return [above, `${above}/`];
  });
};

/** With more patterns, the decision may be a denial because of the effort, which another test covers. */
const areFew = (patterns: readonly string[]): boolean =>
  patterns.reduce((count, text) => count + new Minimatch(text, OPTIONS).globSet.length, 0) <= 30;

suite('Matching by many globs', () => {
  test('allows what minimatch matches by one after the other, and nothing else', () => {
    let allowed = 0;
    fc.assert(
      fc.property(case_, ({ patterns, form: path }) => {
        fc.pre(areFew(patterns));
        const expected = matchesAny(patterns, [path, `${path}/`]);
        allowed += expected ? 1 : 0;
        return (verdict(listsOf({ allow: patterns }), 'path', path) === 'allowed') === expected;
      }),
      { numRuns: RUNS },
    );
    assert.ok(allowed > RUNS / 10, `Only ${allowed} were allowed: the property says little.`);
  });

  test('denies what minimatch matches in any case, as it is or above it, and nothing else', () => {
    const lower = fc.record({
      patterns: fc.array(
        pattern.map((text) => text.replaceAll('A', 'a').replaceAll('[:alpha:]', 'a')),
        {
          minLength: 1,
          maxLength: 12,
        },
      ),
      form,
    });
    let denied = 0;
    fc.assert(
      fc.property(lower, ({ patterns, form: path }) => {
        fc.pre(areFew(patterns));
        const expected = matchesAny(patterns, [...ancestors(path), ...ancestors(path.toLowerCase())]);
        denied += expected ? 1 : 0;
        return (verdict(listsOf({ deny: patterns }), 'path', path) === 'denied') === expected;
      }),
      { numRuns: RUNS },
    );
    assert.ok(denied > RUNS / 10, `Only ${denied} were denied: the property says little.`);
  });

  test('denies, of whatever is denied, every spelling in another case', () => {
    const cased = fc.tuple(
      joined(anyOf('a', 'é', 'ß', 'σ', 'ς', 'ı', 'İ', 'ſ', 'K', 'ǆ', 'ﬆ', '*', '?'), '', 5),
      fc.nat(),
    );
    fc.assert(
      fc.property(cased, fc.array(fc.boolean()), ([name], flips) => {
        const text = name.replaceAll('*', 'x').replaceAll('?', 'x');
        const other = [...text].map((letter, at) => (flips[at] === true ? letter.toUpperCase() : letter)).join('');
        assert.equal(verdict(listsOf({ deny: [`/ws/${text}`] }), 'path', `/ws/${other}/below`), 'denied');
        assert.equal(verdict(listsOf({ deny: [`/ws/${other}`] }), 'path', `/ws/${text}`), 'denied');
      }),
      { numRuns: 500 },
    );
  });

  test('never says no where minimatch says yes', () => {
    fc.assert(
      fc.property(pattern, form, (text, path) => {
        for (const glob of new Set(new Minimatch(text, OPTIONS).globSet)) {
          const { head } = new Glob(glob, false).shape;
          const mayMatch = `${path}/`.startsWith(head) && new Glob(glob, false).mayMatch(`${path}/`);
          if (new Minimatch(glob, { ...OPTIONS, nobrace: true }).match(`${path}/`))
            assert.ok(mayMatch, `${glob} ${path}`);
        }
      }),
      { numRuns: RUNS },
    );
  });
});

suite('Letters of any case', () => {
  const letters = Array.from({ length: 0x1_ffff }, (_, code) => code)
    .filter((code) => code < 0xd800 || code > 0xdfff)
    .map((code) => String.fromCodePoint(code))
    .filter((letter) => /\p{CWCM}|\p{CWCF}/u.test(letter) || letter.toUpperCase() !== letter);
  const all = letters.join('');

  test('are one in a denial wherever expressions that ignore case take them for one', () => {
    const apart: string[] = [];
    for (const letter of letters) {
      const mine = new Set(allCases(letter.normalize('NFC')));
      for (const [other] of all.matchAll(new RegExp(letter, 'giu')))
        if (!allCases(other.normalize('NFC')).some((spelling) => mine.has(spelling))) apart.push(letter + other);
    }
    assert.deepEqual(apart, []);
  });

  test('are one to what is looked for before a glob that ignores case is asked', () => {
    const apart: string[] = [];
    for (const letter of letters)
      for (const [other] of all.matchAll(new RegExp(letter, 'giu')))
        if (withoutAnyCase(letter) !== withoutAnyCase(other)) apart.push(letter + other);
    assert.deepEqual(apart, []);
  });

  test('are one in what is allowed only where these do so too', () => {
    const groups = new Map<string, string[]>();
    for (const letter of letters) {
      const plain = withoutPlainCase(letter);
      groups.set(plain, [...(groups.get(plain) ?? []), letter]);
    }
    const apart = [...groups.values()].flatMap((group) =>
      group.filter((letter) => group.some((other) => !new RegExp(`^${other}$`, 'iu').test(letter))),
    );
    assert.deepEqual(apart, []);
  });
});

/** The calls of minimatch. */
const asked = (work: () => void): readonly string[] => {
  const { match } = Minimatch.prototype;
  const patterns: string[] = [];
  Minimatch.prototype.match = function (this: Minimatch, ...args): boolean {
    patterns.push(this.pattern);
    return match.apply(this, args);
  };
  try {
    work();
  } finally {
    Minimatch.prototype.match = match;
  }
  return patterns;
};

suite('The work of a decision', () => {
  const packages = Array.from({ length: 30 }, (_, index) => `packages/p${index}/src/**`);
  const allow = [...packages, '**/*.test.ts', 'docs/**/*.md', '*.json'];
  const deny = ['**/.git', '**/secrets/**', '**/*.pem', '**/.env*', '~/.ssh'];

  test('minimatch is asked of the few globs that could match, and of nothing a second time', () => {
    const lists = listsOf({ allow, deny });
    const ask = (path: string): readonly string[] => asked(() => verdict(lists, 'path', path));
    assert.deepEqual(
      [
        ask('/ws/packages/p7/src/a.ts'),
        ask('/ws/packages/p7/src/a.ts'),
        ask('/ws/docs/a.txt'),
        ask('/ws/docs/amd'),
        ask('/ws/x/.git/config'),
      ],
      [['/ws/packages/p7/src/**'], [], [], [], ['**/.git/**']],
    );
  });

  const most = 4_096;
  const label = (unit: string): string => `/${unit.repeat(most)}`.slice(0, most);
  const refused = ['[', '{a,b}', '{{a,b},', '{1..9}'].map((unit) => unit.repeat(1_024 / unit.length).slice(0, 1_024));

  test('patterns that would take long to read are refused, fifty at once', () => {
    const told = refused.map((text) => {
      const lists = listsOf({ deny: Array.from({ length: 50 }, (_, index) => text.slice(index)) });
      return `${text.slice(0, 6)} ${lists.problems.length} ${verdict(lists, 'path', '/a')}`;
    });
    assert.deepEqual(told, ['[[[[[[ 50 denied', '{a,b}{ 50 denied', '{{a,b} 50 denied', '{1..9} 50 denied']);
  });

  const hard: readonly (readonly [string, (index: number) => string, string])[] = [
    ['a star before each letter', (index) => `**/${'*a'.repeat(500 - index)}*b*`, label('a')],
    ['a star before each letter, in short names', (index) => `**/${'*a'.repeat(400 - index)}*a*/**`, label('aaaaaaa/')],
    ['a star before a long run', (index) => `**/*${'a'.repeat(1_000 - index)}?a*`, label('a')],
    ['a star before classes', (index) => `**/*${'[a]'.repeat(63 - (index % 9))}${'?'.repeat(index)}b*`, label('a')],
    ['a name after each globstar', (index) => `${'**/a/'.repeat(200 - index)}b/**`, label('a/')],
    ['a globstar before many names', (index) => `**/${'a/'.repeat(400 - index)}*b/**`, label('a/')],
    ['all alternatives that there may be', (index) => `**/*${'{a,?}'.repeat(8)}*${'?'.repeat(index)}b*`, label('a')],
    ['brackets', (index) => `**/${'['.repeat(64)}${'x'.repeat(900 - index)}`, label('a')],
  ];

  test('a decision that would take too long is a denial, and ends at once', () => {
    const told = hard.map(([what, glob, form]) => {
      const lists = listsOf({ allow: Array.from({ length: 50 }, (_, index) => glob(index)), deny: ['/x'] });
      assert.deepEqual(lists.problems, [], what);
      const calls = asked(() => verdict(lists, 'path', form)).length;
      return `${what}: ${verdict(lists, 'path', form)}, ${calls} asked`;
    });
    assert.deepEqual(told, [
      'a star before each letter: denied, 36 asked',
      'a star before each letter, in short names: denied, 38 asked',
      'a star before a long run: denied, 0 asked',
      'a star before classes: denied, 0 asked',
      'a name after each globstar: denied, 1 asked',
      'a globstar before many names: denied, 0 asked',
      'all alternatives that there may be: denied, 38 asked',
      'brackets: unlisted, 0 asked',
    ]);
  });

  test('a pattern with as many globstars as it may have denies what it is about', () => {
    const lists = listsOf({ deny: ['**/a/'.repeat(204)] });
    assert.deepEqual(
      [203, 204].map((count) => verdict(lists, 'path', '/a'.repeat(count))),
      ['unlisted', 'denied'],
    );
  });

  test('the steps of a glob are counted before it is asked', () => {
    const effort = new Effort(10_000);
    const glob = new Glob('**/*aaaaaaaaaa?b*', false);
    const text = `/${'a'.repeat(500)}/`;
    assert.deepEqual(asked(() => glob.matches(text, effort)).length, 1);
    assert.equal(effort.isSpent, false);
    assert.deepEqual(asked(() => glob.matches(text, effort)).length, 0);
    assert.equal(effort.isSpent, true);
  });

  test('denials with letters in both cases, as lists of ignored files have them by the dozen, deny only their own', () => {
    const words = ['ebug', 'elease', 'in', 'bj', 'og', 'est', 'uild', 'ackup', 'cache', 'elp', 'emp', 'nstall'];
    const deny = words.flatMap((word) => ['Dd', 'Bb', 'Oo', 'Ll', 'Tt'].map((pair) => `**/[${pair}]${word}/**`));
    const lists = listsOf({ deny: [...deny, '**/*.py[co]', '**/*.[Pp]df', '**/~$*', '**/*.[0-9]'], allow: ['**'] });
    assert.deepEqual(
      ['/ws/src/a.ts', '/ws/BIN/x', '/ws/bin', '/ws/x.pyc', '/ws/é/src/a.ts', '/ws/é/oBj'].map(
        (path) => `${path} ${verdict(lists, 'path', path)}`,
      ),
      [
        '/ws/src/a.ts allowed',
        '/ws/BIN/x denied',
        '/ws/bin denied',
        '/ws/x.pyc denied',
        '/ws/é/src/a.ts allowed',
        '/ws/é/oBj denied',
      ],
    );
  });

  test('letters that are looked up one by one count more', () => {
    const anyCase = new Glob('/*[é]a*', true);
    const asked = (text: string): boolean => {
      const effort = new Effort(100_000);
      anyCase.matches(text, effort);
      return !effort.isSpent;
    };
    assert.deepEqual(['/a/', `/${'a'.repeat(500)}/`, `/${'é'.repeat(500)}/`].map(asked), [true, true, false]);
  });

  test('a label of the longest kind is judged by a hundred common patterns', () => {
    const common = Array.from({ length: 50 }, (_, index) => `**/*name${index}*/**`);
    const lists = listsOf({ allow: ['**'], deny: common, place: PLACE });
    assert.equal(verdict(lists, 'path', label('name/')), 'allowed');
    assert.equal(verdict(lists, 'path', label('name49x/')), 'denied');
  });
});
