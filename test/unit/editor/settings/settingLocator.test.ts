import assert from 'node:assert/strict';
import fc from 'fast-check';
import { locateSetting, positionAt, type SettingPath } from '../../../../src/editor/settings/settingLocator.ts';

const KEY = 'mcpl.servers';

/** The marked text, and how much of the path it covers. */
function find(text: string, path: SettingPath, root: SettingPath = [], at?: 'key'): string {
  const found = locateSetting(text, KEY, path, root, at);
  return found === undefined ? 'nothing' : `${text.substr(found.offset, found.length)} @${found.depth}`;
}

suite('A member of a setting is found in the text of settings.json', () => {
  test('under one dotted key, with comments and trailing commas around it', () => {
    const text = `{
      // ours
      "mcpl.servers": { "files": { "command": 5, "args": ["a", 7,], }, },
    }`;
    assert.equal(find(text, []), '"mcpl.servers" @0');
    assert.equal(find(text, ['files']), '"files" @1');
    assert.equal(find(text, ['files', 'command']), '5 @2');
    assert.equal(find(text, ['files', 'args']), '"args" @2');
    assert.equal(find(text, ['files', 'args', 1]), '7 @3');
  });

  test('in every other way in which the editor reads dots', () => {
    for (const text of [
      '{"mcpl": {"servers": {"files": {"command": 5}}}}',
      '{"mcpl.servers.files": {"command": 5}}',
      '{"mcpl.servers.files.command": 5}',
      '{"mcpl": {"servers.files": {"command": 5}}}',
    ])
      assert.equal(find(text, ['files', 'command']), '5 @2', text);
  });

  test('where a server has a dot in its name', () => {
    assert.equal(find('{"mcpl.servers": {"my.server": {"url": 1}}}', ['my.server', 'url']), '1 @2');
  });

  test('below the settings of a workspace file, and only there', () => {
    const text = '{"folders": [], "mcpl.servers": {"a": 1}, "settings": {"mcpl.servers": {"a": 2}}}';
    assert.equal(find(text, ['a'], ['settings']), '2 @1');
  });

  test('at its key, if that is wrong', () => {
    const text = '{"mcpl.servers": {"files": {"comand": "node", "args": [5]}}}';
    assert.equal(find(text, ['files', 'comand']), '"node" @2');
    assert.equal(find(text, ['files', 'comand'], [], 'key'), '"comand" @2');
    assert.equal(find(text, ['files', 'args'], [], 'key'), '"args" @2');
    assert.equal(find(text, ['files', 'args', 0], [], 'key'), '5 @3');
  });

  test('and if it is missing, its container is marked', () => {
    assert.equal(find('{"mcpl.servers": {"files": {}}}', ['files', 'command']), '"files" @1');
    assert.equal(find('{"mcpl.servers": {}}', ['files', 'command']), '"mcpl.servers" @0');
    assert.equal(find('{"mcpl.servers": {"a": {"args": [1]}}}', ['a', 'args', 3]), '"args" @2');
  });

  test('the deepest place wins, and of equal ones the last', () => {
    assert.equal(find('{"mcpl.servers": {"a": 1}, "mcpl.servers": {"a": 2}}', ['a']), '2 @1');
    assert.equal(find('{"mcpl.servers": {"a": 1}, "mcpl.servers": {}}', ['a']), '1 @1');
  });

  test('and nothing where the setting does not stand', () => {
    for (const text of [
      '',
      '{}',
      '[]',
      '{"mcpl": 5}',
      '{"mcpl.server": {}}',
      '{"mcpl.serversx": {}}',
      '{"xmcpl.servers": {}}',
    ])
      assert.equal(find(text, ['a']), 'nothing', text);
  });

  test('in invalid text up to the error', () => {
    assert.equal(find('{"mcpl.servers": {"a": {"command": 5, "args": [', ['a', 'command']), '5 @2');
  });

  test('whatever the names of the members are', () => {
    const name = fc.string({ minLength: 1 }).filter((text) => !text.includes('.'));
    fc.assert(
      fc.property(fc.uniqueArray(name, { minLength: 1, maxLength: 4 }), fc.nat(), (names, which) => {
        const path = names[which % names.length] ?? '';
        const text = JSON.stringify({ [KEY]: Object.fromEntries(names.map((each, index) => [each, index])) });
        assert.equal(find(text, [path]), `${names.indexOf(path)} @1`);
      }),
      { numRuns: 100 },
    );
  });
});

suite('An offset has a line and a column', () => {
  test('with every kind of line end', () => {
    const text = 'a\nb\r\nc\rd';
    assert.deepEqual(
      ['a', 'b', 'c', 'd'].map((letter) => positionAt(text, text.indexOf(letter)).line),
      [0, 1, 2, 3],
    );
    assert.deepEqual(positionAt('ab\n  "x"', 5), { line: 1, character: 2 });
  });
});
