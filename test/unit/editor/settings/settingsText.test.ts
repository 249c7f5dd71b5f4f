import assert from 'node:assert/strict';
import { isSettingsText, withSetting } from '../../../../src/editor/settings/settingsText.ts';
import type { Json } from '../../../../src/core/index.ts';

const COMMENTED = `{
  // Nothing runs by itself.
  "editor.tabSize": 2,
  "mcpl.servers": {
    // The reference server.
    "everything": {
      "enabled": false, // for now
      "command": "node"
    }
  }
}
`;

function set(text: string, path: readonly string[], value: Json | undefined, root: readonly string[] = []) {
  return withSetting(text, root, 'mcpl.servers', path, value);
}

suite('One member of a settings file is changed', () => {
  test('and every comment and line around it stays', () => {
    assert.equal(
      set(COMMENTED, ['everything', 'enabled'], true),
      COMMENTED.replace('"enabled": false', '"enabled": true'),
    );
  });

  test('and a new member is laid out as the file is', () => {
    assert.equal(
      set('{\n\t"mcpl.servers": {\n\t\t"a": {\n\t\t\t"command": "x"\n\t\t}\n\t}\n}', ['a', 'tools', 'hidden'], ['t']),
      '{\n\t"mcpl.servers": {\n\t\t"a": {\n\t\t\t"command": "x",\n\t\t\t"tools": {\n\t\t\t\t"hidden": [\n\t\t\t\t\t"t"\n\t\t\t\t]\n\t\t\t}\n\t\t}\n\t}\n}',
    );
    assert.equal(
      set('{\r\n  "a": 1\r\n}', ['b', 'enabled'], true),
      '{\r\n  "a": 1,\r\n  "mcpl.servers": {\r\n    "b": {\r\n      "enabled": true\r\n    }\r\n  }\r\n}',
    );
  });

  test('or taken out with its comma', () => {
    const two = '{\n  "x": 1,\n  "mcpl.servers": {\n    "a": 1,\n    "b": 2\n  }\n}';
    const one = set(two, ['a'], undefined) ?? '';
    assert.equal(one, '{\n  "x": 1,\n  "mcpl.servers": {\n    "b": 2\n  }\n}');
    assert.equal(set(one, [], undefined), '{\n  "x": 1\n}');
  });

  test('below the settings of a workspace file', () => {
    assert.equal(
      set('{"settings": {"mcpl.servers": {"a": 1}}}', ['a'], 2, ['settings']),
      '{"settings": {"mcpl.servers": {"a": 2}}}',
    );
    assert.equal(set('{"folders": []}', ['a'], 2, ['settings']), undefined);
  });

  test('but not where the file has errors or writes the setting in another way', () => {
    for (const text of [
      '',
      '[]',
      '{"mcpl.servers": {"a": 1}',
      '{"mcpl": {"servers": {"a": 1}}}',
      '{"mcpl.servers": {}, "mcpl.servers.a": 1}',
      '{"mcpl.servers": {}, "mcpl.servers": {"a": 1}}',
    ])
      assert.equal(set(text, ['a'], 2), undefined, text);
  });
});

suite('A settings file', () => {
  test('is read whole with comments, commas at the end, and when it is empty', () => {
    const texts = [COMMENTED, '', ' \n', '// nothing yet', '{"a": [1,], }'];
    assert.deepEqual(
      texts.map((text) => isSettingsText(text)),
      texts.map(() => true),
    );
  });

  test('has a syntax error while a line is being typed', () => {
    const texts = ['{"a": ', '{"mcpl.servers": {"x": \n"y": {}}}', '{"a": 1 "b": 2}', '{"a": "', '{} }'];
    assert.deepEqual(
      texts.map((text) => isSettingsText(text)),
      texts.map(() => false),
    );
  });
});
