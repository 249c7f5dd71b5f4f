import assert from 'node:assert/strict';
import { formText } from '../../../../../src/core/scopes/paths/lists.ts';
import { meaningOf } from '../../../../../src/core/scopes/paths/patternMeaning.ts';
import { withHost, withoutDetours, withoutHost } from '../../../../../src/core/scopes/paths/pathText.ts';

type Rows = readonly (readonly [text: string, told: string])[];
const check = (rows: Rows, tell: (text: string) => string): void =>
  assert.deepEqual(
    rows.map(([text]) => [text, tell(text)]),
    rows,
  );

const segments = (text: string): string =>
  `${withoutDetours(text) ?? 'unclear'}; ${withHost(text).replaceAll('\u0001', 'H')}; ${withoutHost(withHost(text))}; ${withoutDetours(withHost(text))?.replaceAll('\u0001', 'H') ?? 'unclear'}`;
const form = (text: string): string =>
  (['path', 'name'] as const)
    .map((kind) => formText(text, kind))
    .map((found) =>
      found === undefined ? 'none' : `${found.collapsed} ${found.exact?.replaceAll('\u0001', 'H') ?? 'none'}`,
    )
    .join('; ');
const places = {
  folders: [
    { name: 'ws', path: '/ws/' },
    { name: 'b', path: '/b*' },
    { name: 'two', path: '/t1' },
    { name: 'two', path: '/t2' },
    { name: 'odd', path: 'C:\\w' },
    { name: 'none', path: 'x:w' },
    { name: 'back', path: '/a\\b' },
  ],
  userHome: '/home/me//',
};
const meaning = (pattern: string): string => {
  const found = meaningOf(pattern, places);
  return 'problem' in found ? found.problem : `${found.ofNames.join(' ')}; ${found.ofPaths.join(' ')}`;
};
const atRoot = (pattern: string): string => {
  const found = meaningOf(pattern, { folders: [{ name: 'r', path: '/' }], userHome: '' });
  return 'problem' in found ? found.problem : `${found.ofNames.join(' ')}; ${found.ofPaths.join(' ')}`;
};

suite('A pattern', () => {
  test('means its names and its paths in each folder', () => {
    check(
      [
        ['a', 'a; /ws/a /b\\*/a /t1/a /t2/a C:/w/a'],
        ['/a', '/a; /a'],
        ['**', '**; **'],
        ['**/a', '**/a; **/a'],
        ['**a', '**a; /ws/**a /b\\*/**a /t1/**a /t2/**a C:/w/**a'],
        ['c:', 'c:; c:'],
        ['C:/a', 'C:/a; C:/a'],
        ['cc:/a', 'cc:/a; /ws/cc:/a /b\\*/cc:/a /t1/cc:/a /t2/cc:/a C:/w/cc:/a'],
        ['~', '/home/me; /home/me'],
        ['~/a', '/home/me/a; /home/me/a'],
        ['a/~', 'a/~; /ws/a/~ /b\\*/a/~ /t1/a/~ /t2/a/~ C:/w/a/~'],
        ['a~/b', 'a~/b; /ws/a~/b /b\\*/a~/b /t1/a~/b /t2/a~/b C:/w/a~/b'],
        ['~a', '~a; /ws/~a /b\\*/~a /t1/~a /t2/~a C:/w/~a'],
        ['{~,a}/b', '/home/me/b a/b; /home/me/b /ws/a/b /b\\*/a/b /t1/a/b /t2/a/b C:/w/a/b'],
        ['${workspaceFolder}', '/ws; /ws'],
        ['${workspaceFolder:b}/c', '/b\\*/c; /b\\*/c'],
        [
          '${workspaceFolder:two}',
          'Must name one folder: several that are open fit ${workspaceFolder:two}. Write the path instead.',
        ],
        ['${workspaceFolder:odd}', 'C:/w; C:/w'],
        [
          '${workspaceFolder:none}',
          'Must have variables with a value; ${workspaceFolder:none} has none here. Open the folder, or write the path instead.',
        ],
        [
          '${workspaceFolder:back}',
          'Must have variables with a value; ${workspaceFolder:back} has none here. Open the folder, or write the path instead.',
        ],
        [
          '${xworkspaceFolder:b}',
          'Must have no other variables than ${workspaceFolder}, ${workspaceFolder:name} and ${userHome}.',
        ],
        [
          '${workspaceFolder:zz}',
          'Must have variables with a value; ${workspaceFolder:zz} has none here. Open the folder, or write the path instead.',
        ],
        ['${userHome}/x', '/home/me/x; /home/me/x'],
        ['${other}', 'Must have no other variables than ${workspaceFolder}, ${workspaceFolder:name} and ${userHome}.'],
        ['a/../b', 'b; /ws/b /b\\*/b /t1/b /t2/b C:/w/b'],
        ['a/**/../b', 'Must not have ".." after "**": where that leads depends on what is there.'],
        ['**/..', 'Must not have ".." after "**": where that leads depends on what is there.'],
        ['../a', '../a; /a C:/a'],
        [
          '{a,b}/{c,d}',
          'a/c a/d b/c b/d; /ws/a/c /b\\*/a/c /t1/a/c /t2/a/c C:/w/a/c /ws/a/d /b\\*/a/d /t1/a/d /t2/a/d C:/w/a/d /ws/b/c /b\\*/b/c /t1/b/c /t2/b/c C:/w/b/c /ws/b/d /b\\*/b/d /t1/b/d /t2/b/d C:/w/b/d',
        ],
        ['{,}', 'Must stand for something; its braces are empty.'],
        ['{}', '{}; /ws/{} /b\\*/{} /t1/{} /t2/{} C:/w/{}'],
        ['#a', '#a; /ws/#a /b\\*/#a /t1/#a /t2/#a C:/w/#a'],
        ['//s/h', '/\u0001/s/h; /\u0001/s/h'],
        ['ab://c', 'ab:/\u0001/c; /ws/ab:/c /b\\*/ab:/c /t1/ab:/c /t2/ab:/c C:/w/ab:/c'],
        ['a\\b', 'a/b; /ws/a/b /b\\*/a/b /t1/a/b /t2/a/b C:/w/a/b'],
        ['.', '; /ws /b\\* /t1 /t2 C:/w'],
        ['./a', 'a; /ws/a /b\\*/a /t1/a /t2/a C:/w/a'],
        ['', 'Must be a pattern that is not empty, such as "src/**".'],
        ['e\u0301', '\u00e9; /ws/\u00e9 /b\\*/\u00e9 /t1/\u00e9 /t2/\u00e9 C:/w/\u00e9'],
        ['a//b', 'a/b; /ws/a/b /b\\*/a/b /t1/a/b /t2/a/b C:/w/a/b'],
        ['/..', '/; /'],
        ['/../a', '/a; /a'],
        ['c:/..', 'c:; c:'],
        ['c:/../a', 'c:/a; c:/a'],
        ['//s/h/..', '/\u0001/s/h; /\u0001/s/h'],
        ['//s/h/../../a', '/\u0001/s/h/a; /\u0001/s/h/a'],
        ['ab://c/..', 'ab:/\u0001/c; /ws/ab: /b\\*/ab: /t1/ab: /t2/ab: C:/w/ab:'],
        ['ab://c/d/../..', 'ab:/\u0001/c; /ws/ab: /b\\*/ab: /t1/ab: /t2/ab: C:/w/ab:'],
        ['../../a', '../../a; /a C:/a'],
        ['/a/../..', '/; /'],
      ],
      meaning,
    );
    check(
      [
        ['a', 'a; /a'],
        ['${workspaceFolder}', '/; /'],
        ['${workspaceFolder}/a', '/a; /a'],
        ['~', 'Must have variables with a value; ~ has none here. Open the folder, or write the path instead.'],
        ['~/a', 'Must have variables with a value; ~ has none here. Open the folder, or write the path instead.'],
      ],
      atRoot,
    );
  });

  test('and a form are compared with and without a host', () => {
    check(
      [
        ['a', 'a; a; a; a'],
        ['/', '/; /; /; /'],
        ['', '/; ; ; /'],
        ['a/b', 'a/b; a/b; a/b; a/b'],
        ['//s/h/a', '/s/h/a; /H/s/h/a; /s/h/a; /H/s/h/a'],
        ['ab://c/d', 'ab:/c/d; ab:/H/c/d; ab:/c/d; ab:/H/c/d'],
        ['a//b', 'a/b; a//b; a/b; a/b'],
        ['///a', '/a; ///a; /a; /a'],
        ['a/./b', 'a/b; a/./b; a/./b; a/b'],
        ['a/../b', 'b; a/../b; a/../b; b'],
        ['./a', 'a; ./a; ./a; a'],
        ['../a', '../a; ../a; ../a; ../a'],
        ['a/../../b', '../b; a/../../b; a/../../b; ../b'],
        ['/..', '/; /..; /..; /'],
        ['c:/..', 'c:; c:/..; c:/..; c:'],
        ['xc:/..', '; xc:/..; xc:/..; '],
        ['c:x/..', '; c:x/..; c:x/..; '],
        ['//s/..', '/; /H/s/..; /s/..; /H/s'],
        ['//s/h/..', '/s; /H/s/h/..; /s/h/..; /H/s/h'],
        ['//s/h/a/../..', '/s; /H/s/h/a/../..; /s/h/a/../..; /H/s/h'],
        ['ab://c/..', 'ab:; ab:/H/c/..; ab:/c/..; ab:/H/c'],
        ['ab://c/d/../..', 'ab:; ab:/H/c/d/../..; ab:/c/d/../..; ab:/H/c'],
        ['**/..', 'unclear; **/..; **/..; unclear'],
        ['**/a/..', '**; **/a/..; **/a/..; **'],
        ['a/', 'a; a/; a/; a'],
        ['.', '; .; .; '],
        ['..', '..; ..; ..; ..'],
        ['./..', '..; ./..; ./..; ..'],
        ['a/..', '; a/..; a/..; '],
      ],
      segments,
    );
    check(
      [
        ['a', 'a/ a/; a/ a/'],
        ['', 'none; none'],
        ['/', '/ /; / /'],
        ['/a', '/a/ /a/; /a/ /a/'],
        ['a/', 'a/ a/; a/ a/'],
        ['a//', 'none; a/ none'],
        ['a.b', 'a.b/ a.b/; a.b/ a.b/'],
        ['.a', '.a/ .a/; .a/ .a/'],
        ['/.a', '/.a/ /.a/; /.a/ /.a/'],
        ['..', 'none; none'],
        ['a/..', 'none; none'],
        ['./a', 'none; none'],
        ['a/.', 'none; none'],
        ['a/...', 'a/.../ a/.../; a/.../ a/.../'],
        ['//s/h', '/s/h/ /H/s/h/; /s/h/ /H/s/h/'],
        ['//s//h', 'none; /s/h/ none'],
        ['ab://c', 'ab:/c/ ab:/H/c/; ab:/c/ ab:/H/c/'],
        ['ab://c//d', 'none; ab:/c/d/ none'],
        ['a//b', 'none; a/b/ none'],
        ['a/b//c', 'none; a/b/c/ none'],
        ['a\\b', 'none; none'],
        ['e\u0301', '\u00e9/ \u00e9/; \u00e9/ \u00e9/'],
        ['a\u200bb', 'none; none'],
        ['\u00e9', '\u00e9/ \u00e9/; \u00e9/ \u00e9/'],
        ['/e\u0301//', 'none; /\u00e9/ none'],
        ['///a', 'none; /a/ none'],
        ['a~', 'a~/ a~/; a~/ a~/'],
        ['a b', 'a b/ a b/; a b/ a b/'],
      ],
      form,
    );
    assert.deepEqual(
      [4_096, 4_097].map((length) => formText('x'.repeat(length), 'name') === undefined),
      [false, true],
    );
  });
});
