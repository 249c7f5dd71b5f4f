import assert from 'node:assert/strict';
import fc from 'fast-check';
import { minimatch } from 'minimatch';
import { candidatesOf, plainNamesOf } from '../../../../../src/core/scopes/paths/lists.ts';
import { dose } from '../../../../support/dose.ts';

const NAMES = new Set(['secrets', '.env', 'a-b', 'x]']);
const found = (path: string, names: ReadonlySet<string> = NAMES): string => candidatesOf(path, names).join(' ');

suite('A text that is a glob itself', () => {
  test('is written for the denied names that it fits, part by part', () => {
    const table = {
      'secrets/key': '',
      's?crets/key': 'secrets/key',
      '/ws/s*/key': '/ws/secrets/key',
      'S*S': 'secrets',
      's*': 'secrets',
      '*s': 'secrets',
      's*c*t*s': 'secrets',
      's*x*s': '',
      se: '',
      's?crets?': '',
      '?secrets': '',
      '[s]ecrets': 'secrets',
      '[r-t]ecrets': 'secrets',
      '[t-z]ecrets': '',
      '[!s]ecrets': '',
      '[^a]ecrets': 'secrets',
      '.e*': '.env',
      '.e[n]v': '.env',
      'a[-]b': 'a-b',
      'a[+-]b': 'a-b',
      'x[]]': 'x]',
      '*': '',
      '?*': '',
      '[a-z]*': '',
      '/**/.e*': '/.env /**/.env /.e*',
      '/**/key': '/key',
      'a/**/s*': 'a/secrets a/**/secrets a/s*',
      's*/e*/.e*': 'secrets/e*/.env s*/e*/.env secrets/e*/.e*',
    };
    const told = Object.fromEntries(Object.keys(table).map((path) => [path, found(path)]));
    const sorted = (all: Readonly<Record<string, string>>) =>
      Object.fromEntries(Object.entries(all).map(([path, some]) => [path, some.split(' ').sort().join(' ')]));
    assert.deepEqual(sorted(told), sorted(table));
    assert.equal(found('s*', new Set()), '');
  });

  test('is looked through up to a limit', () => {
    const many = new Set(Array.from({ length: 50 }, (_, index) => `n${index}`));
    assert.equal(candidatesOf('n*/n*/n*', many).length <= 64, true);
  });

  test('fits what minimatch matches', () => {
    const letters = fc.constantFrom('a', 'b', 'c', '-');
    const sign = fc.oneof(
      letters,
      fc.constantFrom('?', '*', '[ab]', '[!a]', '[^b]', '[a-b]', '[!b-c]', '[a-]', '[-c]'),
    );
    const text = (of: fc.Arbitrary<string>): fc.Arbitrary<string> =>
      fc.array(of, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(text(sign), text(letters), (glob, name) => {
        // A part without letters matches everything.
        fc.pre(/[?*[]/.test(glob) && !glob.includes('**') && /[a-c]/.test(glob.replace(/\[[^\]]{2,}\]/g, '')));
        const isFitting = minimatch(name, glob, { nocomment: true, nonegate: true });
        assert.equal(found(glob, new Set([name])), isFitting ? name : '', `${glob} ${name}`);
      }),
      { numRuns: dose(2_000, 50_000) },
    );
  });
});

suite('The plain names of patterns', () => {
  test('are the parts without magic, in small letters, of two letters or more', () => {
    assert.deepEqual(
      [...plainNamesOf(['/ws/Secrets/**', '**/.ENV', 'a/b?/[c]d/e\\f/gh', 'x]/', '/ws/secrets'])],
      ['ws', 'secrets', '.env', 'gh'],
    );
  });
});
