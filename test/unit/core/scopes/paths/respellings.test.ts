import assert from 'node:assert/strict';
import {
  bracesOf,
  expansionsOf,
  looseReadingsOf,
  otherHome,
  type Readings,
  readingsOf,
} from '../../../../../src/core/scopes/paths/pathReadings.ts';
import { posixStyle, windowsStyle, withoutTails } from '../../../../../src/core/scopes/paths/pathStyle.ts';
import { decodeOnce, isFileUri, isUnreadable, partlyDecoded } from '../../../../../src/core/scopes/paths/pathText.ts';

type Rows = readonly (readonly [text: string, told: string])[];
const check = (rows: Rows, tell: (text: string) => string): void =>
  assert.deepEqual(
    rows.map(([text]) => [text, tell(text)]),
    rows,
  );

const posix = { style: posixStyle, userHome: '/home/me', ignoresCase: false };
const windows = { style: windowsStyle, userHome: 'C:\\me', ignoresCase: true };
const shown = ({ kind, texts, possible, unlikely, names }: Readings): string =>
  [kind, ...[texts, possible, unlikely, names].map((some) => some.join(' | '))].join('; ');
const told = (found: Readings | { readonly why: string }): string => (isUnreadable(found) ? found.why : shown(found));
const onPosix = (text: string): string => told(readingsOf(text, posix));
const asPath = (text: string): string => told(readingsOf(text, posix, 'path'));
const asName = (text: string): string => told(readingsOf(text, posix, 'name'));
const onWindows = (text: string): string => told(readingsOf(text, windows));
const loosely = (text: string): string => {
  const { readings, trouble } = looseReadingsOf(text, posix);
  return `${shown(readings)}${trouble === undefined ? '' : `; ${trouble.why}`}`;
};
const expansions = (text: string): string => expansionsOf(text).join(' | ');
const braces = (text: string): string => bracesOf(text).join(' ');
const homes = (text: string): string => otherHome(text, posix).join(' ');
const decoded = (text: string): string =>
  `${decodeOnce(text) ?? 'no UTF-8'}; ${partlyDecoded(text).join(' | ')}; ${isFileUri(text)}`;
const windowsPath = (text: string): string =>
  [
    windowsStyle.normal(text),
    windowsStyle.isAbsolute(text),
    windowsStyle.from('c:/b', text),
    windowsStyle.trouble(text) ?? '',
    withoutTails(text),
  ].join('; ');

suite('The readings of a text', () => {
  test('follow quotes, lines, URIs, homes, variables and drives', () => {
    check(
      [
        ['a', 'path; a; ; ; '],
        ['a.', 'path; a.; ; ; '],
        ['a/b.', 'path; a/b.; ; ; '],
        ['a b', 'path; a b; ; ; '],
        ['a/b c/d', 'path; a/b c/d; ; ; '],
        ['-a', 'path; -a; ; ; '],
        ['a"b', 'path; a"b; ; ; '],
        ['"a"b', 'path; "a"b | a"b; ; ; '],
        ['a\'"', "path; a'\" | a' | a; ; ; "],
        ['a:1b', 'path; a:1b; ; ; '],
        ['a:1:2', 'path; a:1:2 | a; ; ; '],
        ['a:1:2:3', 'path; a:1:2:3 | a:1 | a; ; ; '],
        ['a#L1', 'path; a#L1 | a; ; ; '],
        ['a#L1x', 'path; a#L1x; ; ; '],
        ['a#L1C2-L3', 'path; a#L1C2-L3 | a; ; ; '],
        ['a#Lx', 'path; a#Lx; ; ; '],
        ['file:a/file:b', 'path; /a/file:b | a/file:b; ; file:a/file:b; '],
        ['file:', 'path; / | ; ; file:; '],
        ['file:/?x', 'path; / | /?x; ; file:/?x; '],
        ['file:///a?x#y', 'path; /a | /a?x#y; ; file:///a?x#y; '],
        ['file:///a#y\n', 'It has characters that cannot be seen, or that change what is seen.'],
        ['file://localhost', 'path; /; ; file://localhost | localhost; '],
        ['file:a/./b', 'path; /a/./b | a/./b | /a/b | a/b; ; file:a/./b; '],
        ['vscode-remote:/a', 'path; /a; ; vscode-remote:/a; '],
        ['~u$', 'It is relative to a home folder that is not known. Write the whole path.'],
        ['~-', 'It is relative to a home folder that is not known. Write the whole path.'],
        ['~+x', 'It is relative to a home folder that is not known. Write the whole path.'],
        ['~.a', 'path; ~.a; ; ; '],
        ['x~u', 'path; x~u; ; ; '],
        ['~u.v/', 'It is relative to a home folder that is not known. Write the whole path.'],
        ['~u.v', 'path; ~u.v; ; /home/u.v; '],
        ['/$HOME/a', 'path; /$HOME/a | /home/me/a; ; //a | /./a; '],
        ['//$HOME/a', 'path; //$HOME/a | /$HOME/a | /home/me/a; ; ///a | //./a | //a | /./a; '],
        ['a/$HOME', 'It has a variable with an unknown value. Write the whole path.'],
        ['$AB', 'It has a variable with an unknown value. Write the whole path.'],
        ['$AB.c', 'path; $AB.c; ; .c | ..c; '],
        ['$A', 'path; $A; ;  | .; '],
        ['$env:x', 'It has a variable with an unknown value. Write the whole path.'],
        ['$(x)', 'It has a variable with an unknown value. Write the whole path.'],
        ['$AB.1', 'It has a variable with an unknown value. Write the whole path.'],
        ['a/..$AB', 'It has a variable with an unknown value. Write the whole path.'],
        ['x=/a b', 'path; x=/a b | /a b | /a | x; ; ; '],
        ['x=a b', 'path; x=a b; ; ; '],
        ['x (~/a', 'path; x (~/a | ~/a | x  | /home/me/a | x; ; ; '],
        ['x>c:/a', 'path; x>c:/a | c:/a | x | /a | x>c | c | /mnt/c/a; ; ; '],
        ['x $HOME', 'It has a variable with an unknown value. Write the whole path.'],
        ['x file:/a', 'path; x file:/a | x | /a | x file; ; file:/a; '],
        ['c:/a', 'path; c:/a | /a | c | /mnt/c/a; ; ; '],
        ['xc:/a', 'name; xc:/a; ; xc:/a | /a | xc; '],
        ['%2fa', 'path; %2fa | ./%2fa | /a | .//a | a; ; ; '],
        ['a%2f..%2fb', 'path; a%2f..%2fb | a/../b | b; ; ; '],
        ['a\\b', 'path; a\\b | a/b; ; ; '],
        ['%5cb', 'path; %5cb | ./%5cb | \\b | ./\\b | /b | .//b | b; ; ; '],
        ['\uff0fa/..', 'path; \uff0fa/.. | ; /a/..; /a/..; '],
        ['{a,b}', 'path; {a,b}; ; a | b; '],
        ['a/../a/../a/../b', 'path; a/../a/../a/../b | b; ; ; '],
      ],
      onPosix,
    );
    check(
      [
        ['#a', 'path; #a; ; ; #a | a'],
        ['@a', 'path; @a; ; ; @a | a'],
        [' #a', 'path;  #a | #a; ; ;  #a | #a | a'],
        ['a:b', 'path; a:b; ; ; '],
        ['ab:c', 'name; ab:c; ; ab:c; '],
        ['%23a', 'path; %23a | ./%23a | #a | ./#a; ; ; '],
        ['a', 'path; a; ; ; '],
      ],
      asPath,
    );
    check(
      [
        ['a', 'name; a; ; a; #a | @a'],
        ['#a b', 'name; #a b; ; #a b | a b; '],
        ['a/../b', 'name; a/../b; ; a/../b | b; #a/../b | @a/../b'],
        ['ab:c', 'name; ab:c; ; ab:c; '],
        ['%23a', 'name; %23a | #a; ; %23a | ./%23a | #a | ./#a | a; #%23a | @%23a | a'],
        ['{a,b}', 'name; {a,b}; ; {a,b} | a | b; #{a,b} | @{a,b}'],
        ['#e\u0301', 'name; #\u00e9; ; #e\u0301 | #\u00e9 | e\u0301 | \u00e9; \u00e9'],
        ['\uff03a', 'name; \uff03a; ; #a | \uff03a; #a | #\uff03a | @\uff03a | a'],
        ['', 'name; ; ; ; '],
      ],
      asName,
    );
    check(
      [
        ['a', 'path; a; ; ; a | #a | @a'],
        ['a b', 'path; a b; ; ; a b'],
        ['#a', 'path; #a; ; a; #a | a'],
        ['@a b', 'path; @a b; ; a b; @a b'],
        ['a:b', 'path; a:b; ; ; a:b | #a:b | @a:b'],
        ['#', 'path; #; ; ; #'],
        ['', 'path; ; ; ; '],
        ['a\u200bb', 'path; ; ; ; ; It has characters that cannot be seen, or that change what is seen.'],
        [
          '%252525252fa',
          'path; %252525252fa | ./%252525252fa | %2525252fa | ./%2525252fa | %25252fa | ./%25252fa | %252fa | ./%252fa | %2fa | ./%2fa | /a | .//a | a; ; ; %252525252fa | %2525252fa | %25252fa | %252fa | %2fa | /a | #%252525252fa | @%252525252fa | #%2525252fa | @%2525252fa | #%25252fa | @%25252fa | #%252fa | @%252fa | #%2fa | @%2fa | #/a | @/a; It is encoded more than three times over.',
        ],
        ['ab:c d', 'path; ab:c d; ; ; ab:c d'],
        ['{a,b}/c', 'path; {a,b}/c; ; a/c | b/c; {a,b}/c | #{a,b}/c | @{a,b}/c'],
        ['%ff', 'path; %ff | ./%ff; ; ; %ff | #%ff | @%ff; Its encoding is invalid.'],
        [
          '$AB/c',
          'path; $AB/c; ; /c | ./c; $AB/c | #$AB/c | @$AB/c; It has a variable with an unknown value. Write the whole path.',
        ],
        ['\uff03a b', 'path; \uff03a b; ; #a b; \uff03a b | #a b'],
      ],
      loosely,
    );
  });

  test('on Windows follow its drives, shares, variables and streams', () => {
    check(
      [
        ['a', 'path; a; ; ; '],
        ['a. ', 'path; a.  | a. | a; ; ; '],
        ['a.../b', 'path; a.../b | a/b; ; ; '],
        ['%AB%', 'Its encoding is invalid.'],
        ['%AB%/c', 'Its encoding is invalid.'],
        ['x%AB%', 'Its encoding is invalid.'],
        ['%a(b)%', 'It has a variable with an unknown value. Write the whole path.'],
        ['%1%', 'path; %1% | ./%1%; ; ; '],
        ['%20%', 'path; %20% | ./%20% |  % | ./ % | % | ./%; ; ; '],
        ['%2g%', 'path; %2g% | ./%2g%; ; ; '],
        ['/%AB%', 'Its encoding is invalid.'],
        ['//%AB%', 'Its encoding is invalid.'],
        ['%userprofile%x', 'path; %userprofile%x | ./%userprofile%x; ; x | .x | ./x | ./.x; '],
        ['$AB', 'It has a variable with an unknown value. Write the whole path.'],
        ['a:$DATA', 'path; a:$DATA; ; a: | a:.; '],
        ['$DATA', 'It has a variable with an unknown value. Write the whole path.'],
        ['x:$data/y', 'path; x:$data/y; ; x:/y | x:./y; '],
        ['/c/x', 'path; /c/x | c://x | c:/x; ; ; '],
        ['/mnt/c/x', 'path; /mnt/c/x | c://x | c:/x; ; ; '],
        ['/cygdrive/d', 'path; /cygdrive/d | d:/; ; ; '],
        ['/cc/x', 'path; /cc/x; ; ; '],
        ['file:///c:/a', 'path; c:/a | /c:/a; ; file:///c:/a; '],
        ['file:///c%3a/a', 'path; c:/a | /c:/a; ; file:///c%3a/a | file:///c:/a | /c%3a/a; '],
        ['file:////c:/a', 'path; c:/a | /c:/a; ; file:////c:/a | //c:/a; '],
        ['file:///xc:/a', 'path; /xc:/a; ; file:///xc:/a; '],
        ['file:///c:', 'path; c: | /c:; ; file:///c:; '],
        ['file://c:/a', 'path; c:/a; ; file://c:/a; '],
        ['file://c%3A', 'path; c: | c:/; ; file://c%3A | file://c: | c%3A; '],
        ['file://cc:/a', 'path; //cc:/a; ; file://cc:/a | cc:/a; '],
        ['file://x/a/./b', 'path; //x/a/./b | //x/a/b; ; file://x/a/./b | x/a/./b; '],
        ['file:c:/a', 'path; c:/a | /c:/a; ; file:c:/a; '],
        ['ab:c:d', 'name; ab:c:d; ; ab:c:d | ab; '],
        ['con:x', 'path; con:x; ; ; '],
        ['xcon:', 'name; xcon:; ; xcon: | xcon; '],
        ['%2fa', 'path; %2fa | ./%2fa | /a | .//a | a:/ | a; ; ; '],
        ['/%2fa', 'path; /%2fa | /./%2fa | //a | /.//a | /a | a:/; ; ; '],
        ['A', 'path; A; ; ; '],
        ['stra\u00dfe', 'path; stra\u00dfe; ; strasse; '],
      ],
      onWindows,
    );
    check(
      [
        ['c:/a/../b', 'c:/b; true; c:/a/../b; ; c:/a/../b'],
        ['C:', 'C:; false; C:; It is relative to a folder of a drive that is not known.; C:'],
        ['c:a', 'c:a; false; c:a; It is relative to a folder of a drive that is not known.; c:a'],
        ['/c:/a', 'c:/a; true; c:/a; It names no share.; /c:/a'],
        ['///c:/a', 'c:/a; true; c:/a; It names no share.; ///c:/a'],
        ['/a', '/a; false; c:/a; It names no share.; /a'],
        ['a', 'a; false; c:/b/a; It names no share.; a'],
        ['//s/h', '//s/h; true; //s/h; ; //s/h'],
        ['//s//h/a', '//s/h/a; true; //s//h/a; ; //s//h/a'],
        ['//s', '/s; false; //s; It names no share.; //s'],
        ['//s/../a', '//s/../a; true; //s/../a; It names no share.; //s/../a'],
        ['//s/h/../..', '//s/h; true; //s/h/../..; ; //s/h/../..'],
        ['//s/./a', '//s/./a; true; //s/./a; It names no share.; //s/./a'],
        ['//s/..x/a', '//s/..x/a; true; //s/..x/a; ; //s/..x/a'],
        ['//s/.x', '//s/.x; true; //s/.x; ; //s/.x'],
        ['//s/pipe/a', '//s/pipe/a; true; //s/pipe/a; It is the path of a device.; //s/pipe/a'],
        ['//s/xpipe/a', '//s/xpipe/a; true; //s/xpipe/a; ; //s/xpipe/a'],
        ['//s/pipes', '//s/pipes; true; //s/pipes; ; //s/pipes'],
        ['//s/ipc$', '//s/ipc$; true; //s/ipc$; It is the path of a device.; //s/ipc$'],
        ['//?/c', '//?/c; true; //?/c; It is the path of a device.; //?/c'],
        ['//./c', '//./c; true; //./c; It is the path of a device.; //./c'],
        ['/??/c', '/??/c; false; c:/??/c; It is the path of a device.; /??/c'],
        ['c:/con', 'c:/con; true; c:/con; It is the path of a device.; c:/con'],
        ['c:/xcon', 'c:/xcon; true; c:/xcon; ; c:/xcon'],
        ['c:/con.x', 'c:/con.x; true; c:/con.x; It is the path of a device.; c:/con.x'],
        ['c:/a:b', 'c:/a:b; true; c:/a:b; It names a stream within a file.; c:/a:b'],
        ['c:/a?', 'c:/a?; true; c:/a?; It has characters that no name of a file has.; c:/a?'],
        ['c:/...', 'c:/...; true; c:/...; It has a name of dots and spaces alone.; c:/'],
        ['c:/. .', 'c:/. .; true; c:/. .; It has a name of dots and spaces alone.; c:/'],
        ['c:/a. . ', 'c:/a. . ; true; c:/a. . ; ; c:/a'],
        ['c:/..', 'c:/; true; c:/..; ; c:/..'],
        ['c:/com1', 'c:/com1; true; c:/com1; It is the path of a device.; c:/com1'],
        ['c:/comx', 'c:/comx; true; c:/comx; ; c:/comx'],
        ['c:/nul ', 'c:/nul ; true; c:/nul ; It is the path of a device.; c:/nul'],
        ['//c:/a', 'c:/a; true; c:/a; It names a stream within a file.; //c:/a'],
        ['//s/h/c:d', '//s/h/c:d; true; //s/h/c:d; It names a stream within a file.; //s/h/c:d'],
        ['a ./..', '; false; c:/b/a ./..; It names no share.; a/..'],
      ],
      windowsPath,
    );
  });

  test('expand variables, braces and homes in each way that a program does', () => {
    check(
      [
        ['a', ''],
        ['$a', ' | .'],
        ['${a}', ' | .'],
        ['${a:-b}', ' | . | b'],
        ['${a-b}', ' | . | b'],
        ['${a:=b}', ' | . | b'],
        ['${a:+b}', ' | . | b'],
        ['${a?b}', ' | . | b'],
        ['${a:b}', ' | .'],
        ['x${:-b}y', 'xy | x.y | xby'],
        ['${a:-${b:-c}}', ' | . | c'],
        ['${a:-${b:-${c:-${d:-e}}}}', '${a:-} | ${a:-.} | ${a:-e}'],
        ['$(a)', ' | .'],
        ['$(a b)c', 'c | .c'],
        ['$((a))', ''],
        ['$env:ab/c', '/c | ./c'],
        ['$1', ' | .'],
        ['$@', ' | .'],
        ['$*', ' | .'],
        ['$-', ''],
        ['%a%', ' | .'],
        ['%ab%', ' | .'],
        ['%abc%', ' | .'],
        ['%2f%', ''],
        ['%ab%%', '% | .%'],
        ['%a(b)%', ' | .'],
        ['%1a%', ''],
        ['%', ''],
        ['$', ''],
        ['$HOME/a', ''],
        ['a$HOME', 'a | a.'],
        ['x$ab-$cd', 'x- | x.-.'],
        ['${a:-bc}d', 'd | .d | bcd'],
        ['${abc:-bc}', ' | . | bc'],
      ],
      expansions,
    );
    check(
      [
        ['a', ''],
        ['{a}', ''],
        ['{a,b}', 'a b'],
        ['{ab,cd}x', 'abx cdx'],
        ['x{a,}', 'xa x'],
        ['{,b}', 'b'],
        ['{1..3}', '1 2 3'],
        ['{a..c}', 'a b c'],
        ['{a.b}', ''],
        ['{a,{b,c}}', 'a b c'],
        ['\\{a,b}', '{a,b}'],
        ['${a,b}', ''],
        ['{{a,b}}', '{a} {b}'],
        ['{}', ''],
        ['{,}', ''],
        ['a,b', ''],
        ['{aa..cc}', ''],
      ],
      braces,
    );
    assert.equal(bracesOf('{1..100}').length, 64);
    check(
      [
        ['~a', '/home/a'],
        ['~ab.c-d', '/home/ab.c-d'],
        ['~', ''],
        ['~/a', ''],
        ['x~a', ''],
        ['~-a', ''],
        ['~a/b', ''],
        ['~a b', ''],
      ],
      homes,
    );
    assert.deepEqual(otherHome('~a', { ...posix, userHome: '/home/me//' }), ['/home/a']);
    check(
      [
        ['a', 'a; ; false'],
        ['%41', 'A; A | A; false'],
        ['%', '%; ; false'],
        ['%4', '%4; ; false'],
        ['%41%', 'A%; A% | A%; false'],
        ['%c3%a9', '\u00e9; \u00e9 | \u00e9; false'],
        ['%c3', 'no UTF-8; ; false'],
        ['%c3%41', 'no UTF-8; ; false'],
        ['%2e%2E/%2f%5C%41', '..//\\A; ../%2f%5C%41 | %2e%2E//\\%41 | %2e%2E/%2f%5CA | ..//\\A; false'],
        ['%2ea', '.a; .a | .a; false'],
        ['%c3%2f', 'no UTF-8; %c3/; false'],
        ['%25', '%; % | %; false'],
        ['file:a', 'file:a; ; true'],
        ['files:a', 'files:a; ; false'],
        ['FILE:a', 'FILE:a; ; true'],
        ['vscode-remote:a', 'vscode-remote:a; ; true'],
        ['vscode-remotely:a', 'vscode-remotely:a; ; false'],
        ['xfile:a', 'xfile:a; ; false'],
        ['%e9%2e', 'no UTF-8; %e9.; false'],
      ],
      decoded,
    );
  });
});
