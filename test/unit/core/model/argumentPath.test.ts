import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type ArgumentPath, parseArgumentPath } from '../../../../src/core/model/argumentPath.ts';

function render(path: ArgumentPath | undefined): string {
  if (path === undefined) return 'none';
  return path
    .map((step) => (step.kind === 'member' ? step.name : step.kind === 'item' ? `#${step.index}` : '*'))
    .join(' > ');
}

suite('Where in its arguments the targets of a tool are', () => {
  test('is said by members, items, and all items', () => {
    const TABLE: readonly (readonly [string, string])[] = [
      ['$.path', 'path'],
      ['$.files[*].path', 'files > * > path'],
      ['$[0].a-b', '#0 > a-b'],
      ["$['odd key']", 'odd key'],
      ['$["a\\"b\\\\"].$x', 'a"b\\ > $x'],
      ["$['']", ''],
      ['$.\u00e9t\u00e9_1', '\u00e9t\u00e9_1'],
      ['$.__proto__', '__proto__'],
    ];
    assert.deepEqual(
      TABLE.map(([text]) => [text, render(parseArgumentPath(text))]),
      TABLE,
    );
  });

  test('is nothing else', () => {
    const others = ['', '$', 'path', '$path', '$.', '$..path', '$.*', '$.a[', '$.a[-1]', '$.a[01]', '$.a[1:2]', '$[a]'];
    const more = ['$.a b', ' $.a', '$.a ', "$['a", "$['a'x", "$['\\x']", '$[?(@.a)]', '$.1', `$${'.a'.repeat(17)}`];
    for (const text of [...others, ...more, `$.${'a'.repeat(512)}`])
      assert.equal(parseArgumentPath(text), undefined, text);
  });

  test('can be said of members by any name, and takes no time to be refused', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 100 }), (name) => {
        const quoted = name.replace(/['\\]/g, '\\$&');
        assert.deepEqual(parseArgumentPath(`$['${quoted}']`), [{ kind: 'member', name }]);
      }),
    );
    for (const text of [`$${"['\\'".repeat(100_000)}`, `$.${'a'.repeat(100_000)}`, `$${'['.repeat(500)}`])
      assert.equal(parseArgumentPath(text), undefined);
  });
});
