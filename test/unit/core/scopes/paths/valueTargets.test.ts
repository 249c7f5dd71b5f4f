import assert from 'node:assert/strict';
import type { JsonObject } from '../../../../../src/core/base/json.ts';
import { EVERY_CONCERN, type ScopeConcern } from '../../../../../src/core/scopes/paths/computed.ts';
import { isUnreadable } from '../../../../../src/core/scopes/paths/pathText.ts';
import { TargetTexts } from '../../../../../src/core/scopes/paths/pathTargets.ts';
import { hasAction, textsOfArguments, textsOfPayload } from '../../../../../src/core/scopes/paths/valueTargets.ts';
import { toolWith } from './renderScope.ts';

const OF_FILES: ScopeConcern = { ofNames: false, ofFiles: true, denies: true };
const OF_NAMES: ScopeConcern = { ofNames: true, ofFiles: false, denies: true };
const string = { type: 'string' };

type Found = ReturnType<typeof textsOfPayload>;
const shown = (found: Found): string => {
  if (isUnreadable(found)) return found.why;
  const targets = found.targets.map(
    ({ from, text, as = 'any', isAnchor }) => `${from} ${text} ${as}${isAnchor === undefined ? '' : ` ${isAnchor}`}`,
  );
  const checked = found.checked.map(({ from, text, isProse }) => `${from} (${text})${isProse ? ' prose' : ''}`);
  return [...targets, ...checked, ...(found.isWhole ? [] : ['not whole'])].join('; ');
};
/** For lists about both, only files, or only names, with a schema in which each member is a string. */
const told = (args: JsonObject): string => {
  const properties = Object.fromEntries(Object.keys(args).map((key) => [key, string]));
  const of = (concern: ScopeConcern): string => shown(textsOfArguments(toolWith({ properties }), args, concern));
  return [EVERY_CONCERN, OF_FILES, OF_NAMES].map(of).join(' | ');
};
const bare = (args: JsonObject): string => shown(textsOfArguments(toolWith({}), args, EVERY_CONCERN));
const payload = (args: JsonObject): string => shown(textsOfPayload(args, EVERY_CONCERN));

type Rows = readonly (readonly [args: JsonObject, told: string])[];
const check = (rows: Rows, tell: (args: JsonObject) => string): void =>
  assert.deepEqual(
    rows.map(([args]) => [args, tell(args)]),
    rows,
  );

suite('The texts of arguments', () => {
  test('are targets by their member and their look, and checked otherwise', () => {
    check(
      [
        [{ path: 'a' }, '/arguments/path a path | /arguments/path a path | /arguments/path a path'],
        [{ path: '#a' }, '/arguments/path #a path | /arguments/path #a path | /arguments/path #a path'],
        [{ path: 'a\nb' }, '/arguments/path a\nb path | /arguments/path a\nb path | /arguments/path a\nb path'],
        [{ zorb: 'a' }, '/arguments/zorb (a) | /arguments/zorb (a) | /arguments/zorb (a)'],
        [{ zorb: '/a' }, '/arguments/zorb /a any | /arguments/zorb /a any | /arguments/zorb (/a)'],
        [{ zorb: '#a' }, '/arguments/zorb #a name false | /arguments/zorb (#a) | /arguments/zorb #a name false'],
        [{ zorb: '#a b' }, '/arguments/zorb (#a b) | /arguments/zorb (#a b) | /arguments/zorb (#a b)'],
        [
          { zorb: 'ab:c' },
          '/arguments/zorb ab:c name false | /arguments/zorb (ab:c) | /arguments/zorb ab:c name false',
        ],
        [{ zorb: 'ab:c d' }, '/arguments/zorb (ab:c d) | /arguments/zorb (ab:c d) | /arguments/zorb (ab:c d)'],
        [
          { zorb: 'https://h' },
          '/arguments/zorb https://h name false | /arguments/zorb (https://h) | /arguments/zorb https://h name false',
        ],
        [{ url: 'https://h' }, '/arguments/url (https://h) | /arguments/url (https://h) | /arguments/url (https://h)'],
        [{ url: 'http://h' }, '/arguments/url (http://h) | /arguments/url (http://h) | /arguments/url (http://h)'],
        [
          { url: 'file:///a' },
          '/arguments/url file:///a any | /arguments/url file:///a any | /arguments/url file:///a any',
        ],
        [{ url: 'ab:c' }, '/arguments/url ab:c name false | /arguments/url (ab:c) | /arguments/url ab:c name false'],
        [{ url: ' https://h' }, '/arguments/url (https://h) | /arguments/url (https://h) | /arguments/url (https://h)'],
        [
          { url: 'x https://h' },
          '/arguments/url (x https://h) | /arguments/url (x https://h) | /arguments/url (x https://h)',
        ],
        [{ channel: 'a' }, '/arguments/channel a name true | /arguments/channel (a) | /arguments/channel a name true'],
        [
          { channel: '#a' },
          '/arguments/channel #a name true | /arguments/channel #a name true | /arguments/channel #a name true',
        ],
        [
          { channel: '#a/b' },
          '/arguments/channel #a/b name true | /arguments/channel (#a/b) | /arguments/channel #a/b name true',
        ],
        [
          { channel: '#a.b' },
          '/arguments/channel #a.b name true | /arguments/channel (#a.b) | /arguments/channel #a.b name true',
        ],
        [
          { channel: '#a, #b' },
          '/arguments/channel #a name true; /arguments/channel #b name true | /arguments/channel #a name true; /arguments/channel #b name true | /arguments/channel #a name true; /arguments/channel #b name true',
        ],
        [
          { channel: '#a ,, b' },
          '/arguments/channel #a ,, b name true | /arguments/channel #a ,, b name true | /arguments/channel #a ,, b name true',
        ],
        [{ channel: '/a' }, '/arguments/channel /a any | /arguments/channel /a any | /arguments/channel /a any'],
        [
          { channel: 'a.b' },
          '/arguments/channel a.b name true | /arguments/channel (a.b) | /arguments/channel a.b name true',
        ],
        [
          { channel: 'x #a' },
          '/arguments/channel x #a name true | /arguments/channel (x #a) | /arguments/channel x #a name true',
        ],
        [{ target: 'a' }, '/arguments/target a any | /arguments/target a path | /arguments/target a any'],
        [{ target: 'a/b' }, '/arguments/target a/b any | /arguments/target a/b path | /arguments/target a/b any'],
        [
          { target: '#a' },
          '/arguments/target #a name false | /arguments/target #a path | /arguments/target #a name false',
        ],
        [
          { target: '@a/b' },
          '/arguments/target @a/b name false | /arguments/target @a/b path | /arguments/target @a/b name false',
        ],
        [{ target: 'a.b' }, '/arguments/target a.b any | /arguments/target a.b path | /arguments/target a.b any'],
        [{ to: 'a' }, '/arguments/to a name true | /arguments/to a any | /arguments/to a name true'],
        [{ to: '@a' }, '/arguments/to @a name true | /arguments/to @a name true | /arguments/to @a name true'],
        [{ to: '@a/b' }, '/arguments/to @a/b name true | /arguments/to @a/b path | /arguments/to @a/b name true'],
        [{ to: 'a.b' }, '/arguments/to a.b any | /arguments/to a.b path | /arguments/to a.b any'],
        [{ to: '/a' }, '/arguments/to /a any | /arguments/to /a path | /arguments/to /a any'],
        [{ from: 'a b' }, '/arguments/from a b any | /arguments/from a b path | /arguments/from a b any'],
        [{ content: '/a' }, ' |  | '],
        [{ text: '#a' }, ' |  | '],
        [{ fileContent: 'a' }, ' |  | '],
        [
          { title: 'a b' },
          '/arguments/title (a b) prose | /arguments/title (a b) prose | /arguments/title (a b) prose',
        ],
        [{ title: '/a' }, '/arguments/title /a any | /arguments/title /a any | /arguments/title (/a) prose'],
        [
          { description: '#a' },
          '/arguments/description #a name false | /arguments/description (#a) prose | /arguments/description #a name false',
        ],
        [
          { path: 'a', '/b': 1 },
          '/arguments/path a path; /arguments/~1b /b path | /arguments/path a path; /arguments/~1b /b path | /arguments/path a path; /arguments/~1b /b path',
        ],
        [
          { path: { 'b/c': 'x' } },
          'The value at /arguments/path is not a text, which its schema requires. | The value at /arguments/path is not a text, which its schema requires. | The value at /arguments/path is not a text, which its schema requires.',
        ],
        [
          { zorb: { 'b c': 'x' } },
          '/arguments/zorb/b c (b c); /arguments/zorb/b c (x) | /arguments/zorb/b c (b c); /arguments/zorb/b c (x) | /arguments/zorb/b c (b c); /arguments/zorb/b c (x)',
        ],
        [{ zorb: { 'b-c': 'x' } }, '/arguments/zorb/b-c (x) | /arguments/zorb/b-c (x) | /arguments/zorb/b-c (x)'],
        [
          { zorb: ['a', '/b'] },
          '/arguments/zorb/1 /b any; /arguments/zorb/0 (a) | /arguments/zorb/1 /b any; /arguments/zorb/0 (a) | /arguments/zorb/0 (a); /arguments/zorb/1 (/b)',
        ],
        [{ path: ['a', 4] }, '/arguments/path/0 a path | /arguments/path/0 a path | /arguments/path/0 a path'],
        [
          { path: 4 },
          'The value at /arguments/path is not a text, which its schema requires. | The value at /arguments/path is not a text, which its schema requires. | The value at /arguments/path is not a text, which its schema requires.',
        ],
        [{ target: 4 }, ' |  | '],
      ],
      told,
    );
    check(
      [
        [{ zorb: 'a' }, '/arguments/zorb (a)'],
        [{ content: '/a' }, '/arguments/content /a any'],
        [{ title: 'a b' }, '/arguments/title (a b)'],
        [{ path: 4 }, ''],
        [{ path: { x: 'a' } }, '/arguments/path/x (a)'],
        [{ source: 'a' }, '/arguments/source a any'],
        [{ files: [{ name: 'a', id: '#b' }] }, '/arguments/files/0/id #b name false; /arguments/files/0/name (a)'],
        [{ a: null, b: true, c: 4 }, ''],
        [{ 'a~/b': '/x' }, '/arguments/a~0~1b /x any; /arguments/a~0~1b (a~/b)'],
      ],
      bare,
    );
    check(
      [
        [{ zorb: 'a' }, '/payload/zorb (a)'],
        [{ zorb: '/a' }, '/payload/zorb /a any'],
        [{ path: 'a' }, '/payload/path a path'],
        [{ content: '/a' }, '/payload/content /a any'],
        [{ channel: 'a' }, '/payload/channel a name true'],
        [{ title: 'a b' }, '/payload/title (a b)'],
        [{ x: { y: ['/a'] } }, '/payload/x/y/0 /a any'],
      ],
      payload,
    );
  });

  test('are bounded in number, length and depth', () => {
    const targets = (count: number): JsonObject => ({
      paths: Array.from({ length: count }, (_, index) => `a${index}`),
    });
    const count = (found: Found): string =>
      isUnreadable(found) ? found.why : `${found.targets.length} ${found.checked.length} ${found.isWhole}`;
    const every = (args: JsonObject): string => count(textsOfArguments(toolWith({}), args, EVERY_CONCERN));
    assert.deepEqual(
      [64, 65].map((most) => every(targets(most))),
      ['64 0 true', 'It names more than 64 things.'],
    );
    assert.deepEqual(
      [63, 64].map((most) => count(textsOfPayload(targets(most), EVERY_CONCERN))),
      ['63 0 true', 'It names more than 64 things.'],
    );
    const words = (most: number): JsonObject => ({
      zorb: Array.from({ length: most }, (_, index) => `a${index % 1_001}`),
    });
    assert.deepEqual(
      [1_000, 1_001].map((most) => every(words(most))),
      ['0 1000 true', '0 1000 false'],
    );
    assert.deepEqual(
      [19_998, 19_999].map((most) => every({ zorb: Array.from({ length: most }, () => 1) })),
      ['0 0 true', 'It is too large to check.'],
    );
    const deep = (depth: number): JsonObject => (depth === 0 ? { a: 'x' } : { a: deep(depth - 1) });
    assert.deepEqual(
      [31, 32].map((depth) => every(deep(depth))),
      ['0 1 true', 'It is too large to check.'],
    );
    assert.deepEqual(
      ['#'.padEnd(256, 'a'), '#'.padEnd(257, 'a')].map((channel) => every({ channel })),
      ['1 0 true', '0 1 true'],
    );
    assert.deepEqual(
      [255, 256, 300].map((length) => TargetTexts.at('x'.repeat(length), 'abc').length),
      [256, 256, 300],
    );
    assert.deepEqual(
      ['', 'a~/b', 'y'.repeat(300)].map((key) => TargetTexts.at('/x', key).length),
      [3, 9, 256],
    );
  });

  test('are an action if a member is a command', () => {
    const nested = (depth: number): JsonObject => (depth === 0 ? { command: 'x' } : { a: nested(depth - 1) });
    const table: readonly (readonly [JsonObject, boolean])[] = [
      [{ command: 'x' }, true],
      [{ command: '' }, false],
      [{ command: null }, false],
      [{ command: false }, true],
      [{ command: [] }, true],
      [{ a: 'x' }, false],
      [{ a: [1, { command: 'x' }] }, true],
      [{ a: { b: 1, command: 'x' } }, true],
      [nested(32), true],
      [nested(33), false],
    ];
    assert.deepEqual(
      table.map(([args]) => [args, hasAction(args)]),
      table,
    );
  });
});
