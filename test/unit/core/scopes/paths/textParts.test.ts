import assert from 'node:assert/strict';
import { isProse, isWord, lineOf, partsOf } from '../../../../../src/core/scopes/paths/checkedTexts.ts';

type Rows = readonly (readonly [text: string, told: string])[];
const check = (rows: Rows, tell: (text: string) => string): void =>
  assert.deepEqual(
    rows.map(([text]) => [text, tell(text)]),
    rows,
  );

/** Parts that only deny end with `-`. Parts that are absolute only if their first folder exists end with `?`. */
const SIGNS = { yes: '', ifThere: ' ?', no: ' -' };
const parts = (text: string): string =>
  partsOf(text)
    ?.map(({ text: part, own }) => part + SIGNS[own])
    .join(' | ') ?? 'too many';

const told = (text: string): string =>
  isProse(text, false) ? 'a sentence' : isProse(text, true) ? 'where said' : 'no';

suite('The parts of a text', () => {
  test('begin after each sign that separates, and some are paths of their own', () => {
    check(
      [
        ['ab cd', 'ab - | cd'],
        ['ab,cd', 'ab - | cd'],
        ['ab;cd', 'ab - | cd'],
        ['ab|cd', 'ab - | cd'],
        ['ab=cd', 'ab - | cd'],
        ['ab:cd', 'ab - | cd'],
        ['ab<cd', 'ab - | cd ?'],
        ['ab>cd', 'ab - | cd -'],
        ['ab(cd', 'ab - | cd'],
        ['ab"cd', 'ab - | cd'],
        ["ab'cd", 'ab - | cd'],
        ['ab`cd', 'ab - | cd'],
        ['ab[cd', 'cd'],
        ['ab{cd', 'cd'],
        ['ab)cd', 'ab - | cd -'],
        ['ab]cd', 'ab - | cd -'],
        ['ab}cd', 'ab - | cd -'],
        ['ab!cd', 'ab - | cd -'],
        ['ab?cd', 'ab - | cd -'],
        ['ab&cd', 'ab - | cd -'],
        ['ab#cd', 'ab - | cd -'],
        ['ab@cd', 'ab - | cd -'],
        ['ab+cd', 'cd -'],
        ['ab^cd', 'ab - | cd -'],
        ['ab~cd', ''],
        ['ab/cd', ''],
        ['ab%cd', ''],
        ['ab$cd', ''],
        ['ab*cd', ''],
        ['ab.cd', ''],
        ['ab\tcd', 'ab - | cd'],
        ['ab cd ef', 'ab - | cd | ef'],
        ['ab,cd ef', 'ab - | cd ef - | cd | ef'],
        ['ab', ''],
        ['ab,', 'ab -'],
        ['ab , cd', 'ab - | cd'],
        ['a?b b', 'a?b - | a - | b b - | b'],
        ['a b?b', 'a - | b?b | b'],
        ['1,2', ''],
        ['1.2,b', 'b'],
        ['v1,b2', 'v1 - | b2'],
        ['..,a', 'a ?'],
        ['ab:cd:ef', 'ab - | cd:ef | cd | ef'],
      ],
      parts,
    );
  });

  test('end at a sign that no path goes on after, and once more before each sign that programs cut off at', () => {
    check(
      [
        ['x=ab cd', 'x=ab - | x - | ab cd - | ab | cd'],
        ['x=ab,cd', 'x=ab - | x - | ab,cd - | ab | cd'],
        ['x=ab;cd', 'x=ab - | x - | ab;cd - | ab | cd'],
        ['x=ab|cd', 'x=ab - | x - | ab|cd - | ab | cd'],
        ['x=ab"cd', 'x=ab - | x - | ab"cd - | ab | cd'],
        ["x=ab'cd", "x=ab - | x - | ab'cd - | ab | cd"],
        ['x=ab`cd', 'x=ab - | x - | ab`cd - | ab | cd'],
        ['x=ab<cd', 'x=ab - | x - | ab<cd - | ab | cd ?'],
        ['x=ab>cd', 'x=ab - | x - | ab>cd - | ab | cd -'],
        ['x=ab\tcd', 'x=ab - | x - | ab\tcd - | ab | cd'],
        ['x,ab@12', 'x - | ab@12 | ab'],
        ['x,ab#12', 'x - | ab#12 | ab'],
        ['x,ab?12', 'x - | ab?12 | ab'],
        ['x,ab!12', 'x - | ab!12 | ab'],
        ['x,ab:12', 'x - | ab:12 | ab'],
        ['x,ab(12', 'x - | ab(12 | ab'],
        ['x,ab=12', 'x - | ab=12 | ab'],
        ['x,ab^12', 'x - | ab^12 | ab'],
        ['x,ab&12', 'x - | ab&12 | ab'],
        ['x,ab}12', 'x - | ab}12 | ab'],
        ['x,ab)12', 'x - | ab)12 | ab'],
        ['x,ab]12', 'x - | ab]12 | ab'],
        ['x,ab..12', 'x | ab..12 | ab -'],
        ['x,ab.12', 'x - | ab.12'],
        ['x,ab/12', 'x - | ab/12'],
        ['x,ab{12', 'x - | ab{12'],
        ['x,ab[12', 'x - | ab[12'],
        ['x,@', 'x - | @'],
        ['@ab', 'ab ?'],
        ['x,@ab@12', 'x - | @ab@12 | @ab | ab@12 - | ab -'],
        ['x,..', 'x'],
        ['x,a..', 'x | a.. | a -'],
        ['../ab:1', '../ab | /ab:1 ? | /ab ?'],
        ['ab/../cd:1', 'ab/../cd | ab/ -'],
        ['ab@1', 'ab -'],
      ],
      parts,
    );
  });

  test('begin after the letter of an option, and after signs at the beginning', () => {
    check(
      [
        ['-Iab', 'ab | Iab ?'],
        ['--Iab', 'ab | Iab ?'],
        ['---Iab', 'Iab ?'],
        ['-I', 'I ?'],
        ['-Ia', 'a | Ia ?'],
        ['-1ab', '1ab ?'],
        ['x-Iab', ''],
        ['-iab', 'ab | iab ?'],
        ['-/ab', '/ab ?'],
        ['-', ''],
        ['--', '- ?'],
        ['-I/a b', '-I/a - | b | /a | I/a ?'],
        ['-ab', 'b | ab ?'],
        ['+ab', 'ab ?'],
        ['!ab', 'ab ?'],
        ['^ab', 'ab ?'],
        ['@ab', 'ab ?'],
        ['#ab', 'ab ?'],
        ['&ab', 'ab ?'],
        ['%ab', 'ab ?'],
        ['$ab', 'ab ?'],
        ['*ab', 'ab ?'],
        [':ab', 'ab ?'],
        ['?ab', 'ab ?'],
        ['.ab', 'ab ?'],
        [',ab', 'ab ?'],
        [';ab', 'ab ?'],
        ['=ab', 'ab ?'],
        ['~ab', ''],
        ['/ab', ''],
        ['!!ab', '! - | !ab - | ab ?'],
        ['-:/ab', 'ab - | - - | /ab ?'],
        ['ab!', 'ab -'],
        ['...', ''],
        ['(ab cd', '(ab - | ab | cd'],
      ],
      parts,
    );
  });

  test('are no paths of their own behind a scheme or a drive', () => {
    check(
      [
        ['https://h/a', 'https - | //h/a -'],
        ['HTTP://h', 'HTTP - | //h -'],
        ['x,https://h', 'x - | https://h | https | //h -'],
        ['x https://h', 'x - | https://h | https | //h -'],
        ['(ftp://h', '(ftp - | ftp://h | ftp | //h -'],
        ['a+b-1://h', 'h - | a+b-1 - | b-1://h - | b-1 - | //h -'],
        ['1a://h', '1a - | //h -'],
        ['-a://h', '-a - | //h - | ://h | a://h ? | a ?'],
        ['x=a://h', 'x=a - | x - | a://h | a | //h -'],
        ['x"a://h', 'x - | a://h | a | //h -'],
        ['x.a://h', 'x.a - | //h -'],
        ['https:/h', 'https - | /h'],
        ['https:h//i', 'https - | h//i'],
        ['C:/ab', 'ab - | C - | /ab -'],
        ['c:ab', 'c - | ab -'],
        ['1C:/ab', 'ab - | 1C - | /ab -'],
        ['xC:/ab', 'ab - | xC - | /ab'],
        ['/C:/ab', 'ab - | /C - | /ab -'],
        ['x C:/ab', 'ab - | x - | C:/ab | C | /ab -'],
        ['C,/ab', 'C - | /ab'],
        ['/:/ab', 'ab - | / - | /ab'],
        ['x ://h', 'x - | ://h | //h'],
        ['x<a://h', 'x - | a://h ? | a ? | //h -'],
        ['x>a://h', 'x - | a://h - | a - | //h -'],
        ["x'a://h", 'x - | a://h | a | //h -'],
        ['x`a://h', 'x - | a://h | a | //h -'],
        ['x[a://h', 'x[a - | a://h | a | //h -'],
        ['x;a://h', 'x - | a://h | a | //h -'],
        ['x|a://h', 'x - | a://h | a | //h -'],
        ['x{a://h', 'x{a - | a://h | a | //h -'],
        ['a:b,//h', 'a:b - | a - | b,//h - | b - | //h'],
        ['1ab://h', '1ab - | //h'],
      ],
      parts,
    );
  });

  test('are at most 128', () => {
    const words = (count: number): string => Array.from({ length: count }, (_, index) => `w${index}`).join(' ');
    const count = (text: string): number | undefined => partsOf(text)?.length;
    assert.deepEqual([words(128), `${words(128)} w0`, words(129)].map(count), [128, 128, undefined]);
    assert.equal(count(words(300)), undefined);
  });
});

suite('A text', () => {
  test('is a sentence where most of its words, and more than two, look like no path', () => {
    check(
      [
        ['ab', 'no'],
        ['ab cd', 'where said'],
        ['ab cd ef', 'a sentence'],
        ['ab cd ef gh', 'a sentence'],
        ['ab cd ef /a', 'a sentence'],
        ['ab cd ef /a /b', 'a sentence'],
        ['ab cd ef /a /b /c', 'where said'],
        ['ab cd /a', 'where said'],
        ['ab cd ef a/b c\\d e%2ff', 'where said'],
        ['/a /b', 'no'],
        [' /a ', 'no'],
        ['ab /a', 'where said'],
        ['/a  /b', 'no'],
        ['/x a/b', 'no'],
        ['/x a\\b', 'no'],
        ['/x a%2fb', 'no'],
        ['/x a%2Fb', 'no'],
        ['/x a%5cb', 'no'],
        ['/x a%252fb', 'no'],
        ['/x a%25252fb', 'no'],
        ['/x %25ab', 'where said'],
        ['/x .a', 'no'],
        ['/x a.b', 'no'],
        ['/x a.', 'where said'],
        ['/x .', 'where said'],
        ['/x a..b', 'where said'],
        ['/x #a', 'no'],
        ['/x @a', 'no'],
        ['/x \uff03a', 'no'],
        ['/x \uff20a', 'no'],
        ['/x %23a', 'no'],
        ['/x %40a', 'no'],
        ['/x x#a', 'where said'],
        ['/x #', 'where said'],
        ['/x #-', 'where said'],
        ['/x #a.', 'no'],
        ['/x a,', 'where said'],
        ['/x a.b,', 'no'],
        ['/x -.a', 'where said'],
        ['/x a)', 'where said'],
        ['/x /).', 'no'],
        ['/x x%23a', 'where said'],
        ['/x a. b', 'where said'],
        ['/x .:', 'where said'],
      ],
      told,
    );
  });

  test('is a line if it has no line break and at most 4,096 characters after trimming', () => {
    const line = (text: string): number | undefined => lineOf(text)?.length;
    const space = ' '.repeat(4_096);
    assert.deepEqual(
      [lineOf(' a\tb '), lineOf('a b'), lineOf(''), lineOf(' \n ')],
      ['a b', 'a b', undefined, undefined],
    );
    assert.deepEqual(
      ['\r', '\n', '\v', '\f', '\u0085', '\u2028', '\u2029'].map((end) => lineOf(`a${end}b`)),
      Array(7).fill(undefined),
    );
    assert.equal(lineOf('a\n'), 'a');
    assert.deepEqual(
      [4_096, 4_097].map((length) => line('x'.repeat(length))),
      [4_096, undefined],
    );
    assert.deepEqual(
      [`${space}x`, `${space}${'x'.repeat(4_096)}`, ` ${space}${'x'.repeat(4_096)}`, ' '.repeat(8_193)].map(line),
      [1, 4_096, undefined, undefined],
    );
  });

  test('is a word if it has no space and is no number, time or flag', () => {
    const words = [
      'ab',
      'a b',
      'a\tb',
      '12',
      '-1',
      '1.5',
      '1,5',
      '+1',
      '12:30',
      '1/2',
      '2026-01-02T03:04:05Z',
      'T',
      'a1',
      '1a',
      'true',
      'TRUE',
      'false',
      'null',
      'none',
      'yes',
      'no',
      'nobody',
      'trueish',
      'untrue',
      'xno',
      '',
    ];
    assert.deepEqual(words.filter(isWord), ['ab', 'a1', '1a', 'nobody', 'trueish', 'untrue', 'xno', '']);
  });
});
