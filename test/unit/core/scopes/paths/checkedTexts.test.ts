import assert from 'node:assert/strict';
import { NO_CANCELLATION } from '../../../../../src/core/base/cancellation.ts';
import type { JsonObject } from '../../../../../src/core/base/json.ts';
import { EVERY_CONCERN, type ScopeConcern } from '../../../../../src/core/scopes/paths/computed.ts';
import { targetsOfCall } from '../../../../../src/core/scopes/paths/targets.ts';
import { fakeFiles } from '../../../../support/fakeFiles.ts';
import { toolWith } from './renderScope.ts';

type Rows = readonly (readonly [text: string, told: string])[];
const check = async (rows: Rows, tell: (text: string) => Promise<string>): Promise<void> => {
  const told: (readonly [string, string])[] = [];
  for (const [text] of rows) told.push([text, await tell(text)]);
  assert.deepEqual(told, rows);
};

const place = { folders: [{ name: 'ws', path: '/ws' }], userHome: '/home/me', bases: ['/ws'] };
const files = fakeFiles({
  '/ws/src/a.ts': 'file',
  '/ws/link': { link: '/etc' },
  '/ws/a, b': 'file',
  '/ws/closed': 'closed',
  '/etc/passwd': 'file',
});
const windows = fakeFiles({ 'c:/ws/a.ts': 'file', 'd:/x': 'file' }, { style: 'windows' });
const windowsPlace = { folders: [{ name: 'ws', path: 'C:\\ws' }], userHome: 'C:\\me', bases: ['C:\\ws'] };

/** Each checked text as `written kind real outward; forms; shadows; names; word`. */
const checks = async (
  args: JsonObject,
  concern: ScopeConcern = EVERY_CONCERN,
  names = files,
  at = place,
): Promise<string> => {
  const scope = await targetsOfCall(
    { tool: toolWith({}), args, adapter: undefined },
    at,
    names,
    NO_CANCELLATION,
    concern,
  );
  if (scope.refusal !== undefined) return scope.refusal;
  const lines = scope.checked.map(({ target, outward, isWord }) => {
    const { written, kind, real, inside, forms, shadows, names: asNames, isAnchor } = target;
    const where = inside === undefined ? '' : ` in ${inside.folder}`;
    const flags = [
      ...(outward === undefined ? [] : [`out ${outward}`]),
      ...(isWord ? ['word'] : []),
      ...(isAnchor ? ['ANCHOR'] : []),
    ];
    return [
      `${written} ${kind} ${real}${where}`,
      ...flags,
      `forms ${forms.join(' ')}`,
      `never ${shadows.join(' ')}`,
      `names ${asNames.join(' ')}`,
    ].join('; ');
  });
  return [...lines, ...(scope.isWhole ? [] : ['not whole'])].join('\n');
};
const zorb = (text: string): Promise<string> => checks({ zorb: text });
const child = (text: string): Promise<string> => checks({ path: '/data/x', name: text });
const undenied = (text: string): Promise<string> =>
  checks({ zorb: text }, { ofNames: true, ofFiles: false, denies: false });
const ofNames = (text: string): Promise<string> =>
  checks({ zorb: text }, { ofNames: true, ofFiles: false, denies: true });
const onWindows = (text: string): Promise<string> => checks({ zorb: text }, EVERY_CONCERN, windows, windowsPlace);
const inQuery = (text: string): Promise<string> =>
  targetsOfCall(
    { tool: toolWith({ properties: { title: { type: 'string' } } }), args: { title: text }, adapter: undefined },
    place,
    files,
    NO_CANCELLATION,
    EVERY_CONCERN,
  ).then(
    ({ checked, refusal }) =>
      refusal ??
      checked
        .map(
          ({ target, isWord }) =>
            `${target.written} ${target.real}; never ${target.shadows.join(' ')}; names ${target.names.join(' ')}${isWord ? '; word' : ''}`,
        )
        .join('\n'),
  );
const claimed = (text: string): Promise<string> => checks({ path: text });

suite('A text that may name something', () => {
  test('is read as a path and as a name, with its parts', () =>
    check(
      [
        ['a', 'a name a; word; forms a; never /ws/a; names a #a @a'],
        [
          'a b',
          'a b name a b; forms a b; never /ws/a b; names a b\na name a; forms a; never /ws/a; names a\nb name b; forms b; never /ws/b; names b #b @b',
        ],
        [
          'a, b',
          'a, b name a, b; forms a, b; never /ws/a, b; names a, b\na name a; forms a; never /ws/a; names a\nb name b; forms b; never /ws/b; names b #b @b',
        ],
        [
          'a, c',
          'a, c name a, c; forms a, c; never /ws/a, c; names a, c\na name a; forms a; never /ws/a; names a\nc name c; forms c; never /ws/c; names c #c @c',
        ],
        ['link/x', 'link/x name link/x; word; forms link/x; never /ws/link/x /etc/x; names link/x #link/x @link/x'],
        [
          'x=link/x',
          'x=link/x name x=link/x; word; forms x=link/x; never /ws/x=link/x; names x=link/x #x=link/x @x=link/x\nx name x; forms x; never /ws/x; names x\nlink/x name link/x; forms link/x; never /ws/link/x /etc/x; names link/x #link/x @link/x',
        ],
        ['src/../a', 'src/ name src/; forms src/; never /ws/src; names src/'],
        ['#a', 'a name a; forms a; never /ws/a; names a'],
        ['@a', 'a name a; forms a; never /ws/a; names a'],
        [
          'x=#a',
          'x=#a name x=#a; word; forms x=#a; never /ws/x=#a; names x=#a #x=#a @x=#a\nx= name x=; forms x=; never /ws/x=; names x=\nx name x; forms x; never /ws/x; names x\n#a name #a; forms #a; never /ws/#a /ws/a; names #a a\na name a; forms a; never /ws/a; names a',
        ],
        [
          'x @a',
          'x @a name x @a; forms x @a; never /ws/x @a; names x @a\nx name x; forms x; never /ws/x; names x\n@a name @a; forms @a; never /ws/@a /ws/a; names @a a\na name a; forms a; never /ws/a; names a',
        ],
        [
          'x!@a',
          'x!@a name x!@a; word; forms x!@a; never /ws/x!@a; names x!@a #x!@a @x!@a\nx! name x!; forms x!; never /ws/x!; names x!\nx name x; forms x; never /ws/x; names x\n@a name @a; forms @a; never /ws/@a /ws/a; names @a a\na name a; forms a; never /ws/a; names a',
        ],
        [
          'https://h/a',
          'https name https; forms https; never /ws/https; names https\n//h/a name //h/a; forms //h/a; never /h/a; names //h/a',
        ],
        [
          'https://h/../a',
          'https name https; forms https; never /ws/https; names https #https @https\nhttps://h/ name https://h/; forms https://h/; never /ws/https:/h /h /ws/https; names https://h/\n//h/../a name //h/../a; forms //h/../a; never /a; names //h/../a\n//h/ name //h/; forms //h/; never /h; names //h/',
        ],
        [
          'x https://h/../a',
          'x name x; forms x; never /ws/x; names x #x @x\nhttps://h/../a path /a; out known; forms /ws/https:/a /a /ws/https; never ; names https://h/../a\nhttps name https; forms https; never /ws/https; names https #https @https\nhttps://h/ name https://h/; forms https://h/; never /ws/https:/h /h /ws/https; names https://h/\n//h/../a name //h/../a; forms //h/../a; never /a; names //h/../a\n//h/ name //h/; forms //h/; never /h; names //h/',
        ],
        [
          'a:b',
          'a:b name a:b; word; forms a:b; never /ws/a:b; names a:b #a:b @a:b\na name a; forms a; never /ws/a; names a\nb name b; forms b; never /ws/b; names b',
        ],
        [
          'http:x',
          'http name http; forms http; never /ws/http; names http\nx name x; forms x; never /ws/x; names x #x @x',
        ],
        [
          'closed/x',
          'closed/x name closed/x; word; forms closed/x; never /ws/closed/x; names closed/x #closed/x @closed/x',
        ],
        ['12', '12 name 12; forms 12; never /ws/12; names 12 #12 @12'],
        [
          'a://b ../c',
          'b name b; forms b; never /ws/b; names b\na://b path /b; out known; forms /ws/a:/b /b /ws/a /mnt/a/b; never ; names a://b #a://b @a://b\na name a; forms a; never /ws/a; names a #a @a\n//b ../c name //b ../c; forms //b ../c; never /b ../c /c /b; names //b ../c\n//b name //b; forms //b; never /b; names //b\n../c path /c; out known; forms /c; never ; names ../c #../c @../c',
        ],
      ],
      zorb,
    ));
  test('leads out if another part does', () =>
    check(
      [
        [
          'x=../y',
          'x=../y name x=../y; word; forms x=../y; never /ws/x=../y /y /ws/x; names x=../y #x=../y @x=../y\nx name x; forms x; never /ws/x; names x #x @x\nx= name x=; forms x=; never /ws/x=; names x=\n../y path /y; out known; forms /y; never ; names ../y #../y @../y',
        ],
        [
          'a,../../b',
          'a name a; forms a; never /ws/a; names a #a @a\n../../b path /b; out known; forms /b; never ; names ../../b #../../b @../../b\n../ name ../; forms ../; never /; names ../',
        ],
        [
          'x=${UNSET}/y',
          'x=${UNSET}/y name x=${UNSET}/y; word; forms x=${UNSET}/y; never /ws/x=${UNSET}/y /ws/x=/y /ws/x=./y; names x=${UNSET}/y #x=${UNSET}/y @x=${UNSET}/y\ny name y; forms y; never /ws/y; names y\nx name x; forms x; never /ws/x; names x\nx=${UNSET name x=${UNSET; forms x=${UNSET; never /ws/x=${UNSET; names x=${UNSET\n${UNSET}/y path ${UNSET}/y; out unknown; forms /ws/${UNSET}/y; never /y /ws/y; names ${UNSET}/y #${UNSET}/y @${UNSET}/y\n${UNSET name ${UNSET; forms ${UNSET; never /ws/${UNSET; names ${UNSET #${UNSET @${UNSET\nUNSET}/y name UNSET}/y; forms UNSET}/y; never /ws/UNSET}/y; names UNSET}/y #UNSET}/y @UNSET}/y\nUNSET name UNSET; forms UNSET; never /ws/UNSET; names UNSET #UNSET @UNSET\n/y name /y; forms /y; never /y; names /y',
        ],
        [
          'x ${UNSET}/y',
          'x ${UNSET}/y name x ${UNSET}/y; forms x ${UNSET}/y; never /ws/x ${UNSET}/y /ws/x /y /ws/x ./y; names x ${UNSET}/y\ny name y; forms y; never /ws/y; names y\nx name x; forms x; never /ws/x; names x\n${UNSET}/y path ${UNSET}/y; out unknown; forms /ws/${UNSET}/y; never /y /ws/y; names ${UNSET}/y #${UNSET}/y @${UNSET}/y\n${UNSET name ${UNSET; forms ${UNSET; never /ws/${UNSET; names ${UNSET #${UNSET @${UNSET\nUNSET}/y name UNSET}/y; forms UNSET}/y; never /ws/UNSET}/y; names UNSET}/y #UNSET}/y @UNSET}/y\nUNSET name UNSET; forms UNSET; never /ws/UNSET; names UNSET #UNSET @UNSET\n/y name /y; forms /y; never /y; names /y',
        ],
        [
          'x=~u/y',
          'x=~u/y name x=~u/y; word; forms x=~u/y; never /ws/x=~u/y; names x=~u/y #x=~u/y @x=~u/y\nx name x; forms x; never /ws/x; names x\n~u/y path ~u/y; out unknown; forms /ws/~u/y; never ; names ~u/y #~u/y @~u/y',
        ],
        [
          'x=$X/y',
          'x=$X/y name x=$X/y; word; forms x=$X/y; never /ws/x=$X/y /ws/x=/y /ws/x=./y; names x=$X/y #x=$X/y @x=$X/y\nx name x; forms x; never /ws/x; names x\n$X/y name $X/y; forms $X/y; never /ws/$X/y /y /ws/y; names $X/y #$X/y @$X/y',
        ],
        [
          'x=/$X/y',
          'x=/$X/y name x=/$X/y; word; forms x=/$X/y; never /ws/x=/$X/y /$X/y /ws/x /ws/x=/y /y; names x=/$X/y #x=/$X/y @x=/$X/y\nx name x; forms x; never /ws/x; names x\n/$X/y path /$X/y; out known; forms /$X/y; never /y; names /$X/y #/$X/y @/$X/y',
        ],
        ['x/$X/y', 'x/$X/y name x/$X/y; word; forms x/$X/y; never /ws/x/$X/y /ws/x/y; names x/$X/y #x/$X/y @x/$X/y'],
        [
          'x=%2525252fy',
          'x=%2525252fy name x=%2525252fy; word; forms x=%2525252fy; never /ws/x=%2525252fy /ws/x=%25252fy /ws/x=%252fy /ws/x=%2fy /ws/x=/y /y /ws/x; names x=%2525252fy x=%25252fy x=%252fy x=%2fy x=/y #x=%2525252fy @x=%2525252fy #x=%25252fy @x=%25252fy #x=%252fy @x=%252fy #x=%2fy @x=%2fy #x=/y @x=/y\nx name x; forms x; never /ws/x; names x\n%2525252fy path /y; out unknown; forms /ws/%2525252fy /ws/%25252fy /ws/%252fy /ws/%2fy /y /ws/y; never ; names %2525252fy %25252fy %252fy %2fy /y #%2525252fy @%2525252fy #%25252fy @%25252fy #%252fy @%252fy #%2fy @%2fy #/y @/y',
        ],
        [
          '%25252525a',
          '%25252525a path %25252525a; out unknown; word; forms /ws/%25252525a /ws/%252525a /ws/%2525a /ws/%25a /ws/%a; never ; names %25252525a %252525a %2525a %25a %a #%25252525a @%25252525a #%252525a @%252525a #%2525a @%2525a #%25a @%25a #%a @%a\n25252525a name 25252525a; forms 25252525a; never /ws/25252525a; names 25252525a',
        ],
        [
          'x=%X%/y',
          'x=%X%/y name x=%X%/y; word; forms x=%X%/y; never /ws/x=%X%/y /ws/x=/y /ws/x=./y; names x=%X%/y #x=%X%/y @x=%X%/y\ny name y; forms y; never /ws/y; names y\nx name x; forms x; never /ws/x; names x\n%X%/y name %X%/y; forms %X%/y; never /ws/%X%/y /y /ws/y; names %X%/y #%X%/y @%X%/y',
        ],
        ['a~u/b', 'a~u/b name a~u/b; word; forms a~u/b; never /ws/a~u/b; names a~u/b #a~u/b @a~u/b'],
        [
          '$X',
          '$X name $X; word; forms $X; never /ws/$X /ws; names $X #$X @$X\nX name X; forms X; never /ws/X; names X',
        ],
        [
          '$Xa y',
          '$Xa y name $Xa y; forms $Xa y; never /ws/$Xa y /ws/ y /ws/. y; names $Xa y\n$Xa name $Xa; forms $Xa; never /ws/$Xa /ws; names $Xa\ny name y; forms y; never /ws/y; names y #y @y\nXa name Xa; forms Xa; never /ws/Xa; names Xa',
        ],
      ],
      zorb,
    ));
  test('is searched in a neighbouring folder if it may be a child', () =>
    check(
      [
        ['a', 'a name a; word; forms a; never /ws/a /data/x/a /data/a; names a #a @a'],
        ['/a', ''],
        ['a/b', 'a/b name a/b; word; forms a/b; never /ws/a/b /data/x/a/b /data/a/b; names a/b #a/b @a/b'],
        ['..', ''],
      ],
      child,
    ));
  test('is hardly read where lists deny nothing', () =>
    check(
      [
        ['a', 'a name a; word; forms a; never ; names a #a @a'],
        ['/etc/x', '/etc/x path /etc/x; out known; word; forms /etc/x; never ; names /etc/x #/etc/x @/etc/x'],
        ['/nope/x', '/nope/x name /nope/x; word; forms /nope/x; never /nope/x; names /nope/x #/nope/x @/nope/x'],
        [
          '/%6eope/x',
          '/%6eope/x name /%6eope/x; word; forms /%6eope/x; never /%6eope/x /nope/x; names /%6eope/x /nope/x #/%6eope/x @/%6eope/x #/nope/x @/nope/x',
        ],
        ['a,b', 'a,b name a,b; word; forms a,b; never ; names a,b #a,b @a,b'],
        [
          'x=/etc/x',
          'x=/etc/x name x=/etc/x; word; forms x=/etc/x; never ; names x=/etc/x #x=/etc/x @x=/etc/x\n/etc/x path /etc/x; out known; forms /etc/x; never ; names /etc/x #/etc/x @/etc/x',
        ],
        [
          'x=/nope/x',
          'x=/nope/x name x=/nope/x; word; forms x=/nope/x; never ; names x=/nope/x #x=/nope/x @x=/nope/x\n/nope/x name /nope/x; forms /nope/x; never /nope/x; names /nope/x #/nope/x @/nope/x',
        ],
        [
          '../x',
          '../x path /x; out known; word; forms /x; never ; names ../x #../x @../x\n/x name /x; forms /x; never /x; names /x',
        ],
        ['/*x', '/*x name /*x; word; forms /*x; never /*x; names /*x #/*x @/*x'],
        [
          '/closed/x',
          '/closed/x name /closed/x; word; forms /closed/x; never /closed/x; names /closed/x #/closed/x @/closed/x',
        ],
        [
          'x !/etc/y',
          'x !/etc/y name x !/etc/y; forms x !/etc/y; never ; names x !/etc/y\n/etc/y name /etc/y; forms /etc/y; never ; names /etc/y',
        ],
      ],
      undenied,
    ));
  test('is absolute only where its first folder is there, for lists of names', () =>
    check(
      [
        ['/etc/x', '/etc/x path /etc/x; out known; word; forms /etc/x; never ; names /etc/x #/etc/x @/etc/x'],
        ['/nope/x', '/nope/x name /nope/x; word; forms /nope/x; never /nope/x; names /nope/x #/nope/x @/nope/x'],
        [
          '../x',
          '../x path /x; out known; word; forms /x; never ; names ../x #../x @../x\n/x name /x; forms /x; never /x; names /x',
        ],
        ['/ws/a', '/ws/a path /ws/a in ws; out known; word; forms /ws/a; never ; names /ws/a #/ws/a @/ws/a'],
        ['/*a', '/*a name /*a; word; forms /*a; never /*a; names /*a #/*a @/*a'],
        [
          '/ws/closed/x',
          '/ws/closed/x path /ws/closed/x in ws; out known; word; forms /ws/closed/x; never ; names /ws/closed/x #/ws/closed/x @/ws/closed/x',
        ],
      ],
      ofNames,
    ));
  test('is read on Windows without what no file is called', () =>
    check(
      [
        ['a', 'a name a; word; forms a; never c:/ws/a; names a #a @a'],
        ['a*', 'a* name a*; word; forms a*; never ; names a* #a* @a*'],
        [
          'x=a?',
          'x=a? name x=a?; word; forms x=a?; never ; names x=a? #x=a? @x=a?\nx=a name x=a; forms x=a; never c:/ws/x=a; names x=a\nx name x; forms x; never c:/ws/x; names x\na? name a?; forms a?; never ; names a? #a? @a?\na name a; forms a; never c:/ws/a; names a #a @a',
        ],
        ['D:\\x', ''],
        [
          'x=D:\\x',
          'x=D:\\x name x=D:\\x; word; forms x=D:\\x; never d:/x c:/ws/x; names x=D:\\x x=D:/x #x=D:\\x @x=D:\\x #x=D:/x @x=D:/x\nx=D name x=D; forms x=D; never c:/ws/x=D; names x=D\nx name x; forms x; never c:/ws/x; names x\nD:\\x path d:/x; out known; forms d:/x; never ; names D:\\x D:/x #D:\\x @D:\\x #D:/x @D:/x\nD name D; forms D; never c:/ws/D; names D #D @D\n\\x name \\x; forms \\x; never c:/x x:/; names \\x /x',
        ],
        ['\\x', '\\x path c:/x; out known; word; forms c:/x x:/; never ; names \\x /x #\\x @\\x #/x @/x'],
        ['nul', 'nul name nul; word; forms nul; never ; names nul #nul @nul'],
        [
          'a:b',
          'a:b name a:b; word; forms a:b; never ; names a:b #a:b @a:b\na name a; forms a; never c:/ws/a; names a\nb name b; forms b; never c:/ws/b; names b',
        ],
      ],
      onWindows,
    ));
  test('of a sentence is read as a whole, and without what cannot be seen', () =>
    check(
      [
        ['Rotate secrets', 'Rotate secrets Rotate secrets; never /ws/Rotate secrets; names Rotate secrets'],
        ['a', 'a a; never /ws/a; names a #a @a; word'],
        ['a \u200bb', 'a b a b; never /ws/a b; names a b'],
        [
          'a\u200bb',
          'The value at /arguments/title cannot be judged. It has characters that cannot be seen, or that change what is seen.',
        ],
        ['\u200b', ' ; never /ws; names ; word'],
        ['%00 a b', '%00 a b %00 a b; never ; names '],
        ['%e2%80%a8 a', '%e2%80%a8 a %e2%80%a8 a; never ; names '],
        ['a\u200b b.c', 'a b.c a b.c; never /ws/a b.c; names a b.c'],
        ['a. \u200bb', 'a. b a. b; never /ws/a. b; names a. b'],
        ['a\u200b/b c', 'a/b c a/b c; never /ws/a/b c; names a/b c'],
        ['a %00', 'a %00 a %00; never ; names '],
        ['x \u200b.a b', 'x .a b x .a b; never /ws/x .a b; names x .a b'],
        ['.\u200ba b', '.a b .a b; never /ws/.a b; names .a b'],
        ['a @\u200bb', 'a @b a @b; never /ws/a @b; names a @b'],
      ],
      inQuery,
    ));
  test('that has hidden characters is refused if it may be a name', () =>
    check(
      [
        [
          'a\u200bb',
          'The value at /arguments/zorb cannot be judged. It has characters that cannot be seen, or that change what is seen.',
        ],
        [
          'a\u200b b',
          'a b name a b; forms a b; never /ws/a b; names a b\na name a; forms a; never /ws/a; names a\nb name b; forms b; never /ws/b; names b #b @b',
        ],
        ['a \u200bb c', 'a b c name a b c; forms a b c; never /ws/a b c; names a b c'],
        ['a \u200bb c d/e', 'a b c d/e name a b c d/e; forms a b c d/e; never /ws/a b c d/e; names a b c d/e'],
        [
          'a \u200bb.c d',
          'The value at /arguments/zorb cannot be judged. It has characters that cannot be seen, or that change what is seen.',
        ],
        ['a \u200bb. c', 'a b. c name a b. c; forms a b. c; never /ws/a b. c; names a b. c'],
        [
          'a \u200b.b',
          'a .b name a .b; forms a .b; never /ws/a .b; names a .b\na name a; forms a; never /ws/a; names a\n.b name .b; forms .b; never /ws/.b; names .b #.b @.b',
        ],
        [
          '\u200b.b c',
          'The value at /arguments/zorb cannot be judged. It has characters that cannot be seen, or that change what is seen.',
        ],
        [
          'x,a\u200bb',
          'The value at /arguments/zorb cannot be judged. It has characters that cannot be seen, or that change what is seen.',
        ],
        [
          'a\u200b#b c',
          'The value at /arguments/zorb cannot be judged. It has characters that cannot be seen, or that change what is seen.',
        ],
        [
          'a%00 c',
          'The value at /arguments/zorb cannot be judged. It has characters that cannot be seen, or that change what is seen.',
        ],
        [
          '%00',
          'The value at /arguments/zorb cannot be judged. It has characters that cannot be seen, or that change what is seen.',
        ],
        ['%00 c d e f', '%00 c d e f name %00 c d e f; forms ; never ; names '],
        ['a\u200bc d e f', 'ac d e f name ac d e f; forms ac d e f; never /ws/ac d e f; names ac d e f'],
        ['\u200b', ' name ; word; forms ; never /ws; names '],
      ],
      zorb,
    ));
  test('is a part of a path that is a target', () =>
    check(
      [
        ['a, b', ''],
        ['a, c', 'a name a; forms a; never /ws/a; names a\nc name c; forms c; never /ws/c; names c #c @c'],
        ['x:10', 'x name x; forms x; never /ws/x; names x'],
        [
          'a=link/b',
          'a name a; forms a; never /ws/a; names a\nlink/b name link/b; forms link/b; never /ws/link/b /etc/b; names link/b #link/b @link/b',
        ],
      ],
      claimed,
    ));

  test('has unchecked parts if there are too many', async () => {
    const words = (count: number): string => Array.from({ length: count }, (_, index) => `a/${index}`).join(' ');
    assert.deepEqual(
      [(await zorb(words(127))).endsWith('not whole'), (await zorb(words(129))).endsWith('not whole')],
      [false, true],
    );
  });
});
