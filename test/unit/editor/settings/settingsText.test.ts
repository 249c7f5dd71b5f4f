import assert from 'node:assert/strict';
import fc from 'fast-check';
import { isJsonObject, type Json, type JsonObject, withChoice } from '../../../../src/core/index.ts';
import { listToWrite, textsInForce, withItem, withMembers } from '../../../../src/editor/settings/entryEdits.ts';
import { isSettingsText, settingIn, withSetting } from '../../../../src/editor/settings/settingsText.ts';
import { dose } from '../../../support/dose.ts';

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

  test('and a line with several members stays one line', () => {
    const text = '{\n  "mcpl.servers": {\n    "a": { "command": "npx", "args": ["memory"] } // mine\n  }\n}';
    const on = set(text, ['a', 'featureSets'], { enabled: ['x'] });
    assert.equal(on, text.replace('"] }', '"], "featureSets": { "enabled": ["x"] } }'));
    assert.equal(set(on ?? '', ['a', 'featureSets'], undefined), text);
  });

  test('and the lines beside a new member stay as they are', () => {
    const text = [
      '{',
      '  "mcpl.servers": {',
      '    "a": {',
      '      "command": "npx",',
      '      "args": ["memory"]   // one line',
      '    },',
      '  },',
      '}',
    ].join('\n');
    assert.equal(
      set(text, ['a', 'featureSets'], { enabled: ['x'] }),
      text.replace(
        '"args": ["memory"]   // one line',
        '"args": ["memory"],   // one line\n      "featureSets": {\n        "enabled": [\n          "x"\n        ]\n      }',
      ),
    );
  });

  test('and a list loses or gets one item', () => {
    const text = '{"mcpl.servers": {"a": {"tools": {"hidden": ["x","y", /* why */ "z"]}}}}';
    const path = ['a', 'tools', 'hidden'];
    assert.equal(set(text, path, ['x', 'z']), text.replace('"y", ', ''));
    assert.equal(set(text, path, ['x', 'y']), text.replace(', /* why */ "z"', ' /* why */'));
    assert.equal(set(text, path, ['x', 'y', 'z', 'w']), text.replace('"z"', '"z", "w"'));
    assert.equal(set(text, path, []), text.replace('"x","y", /* why */ "z"', '/* why */'));
  });

  test('or removed with the objects that this leaves empty, but not with their comments', () => {
    const text =
      '{\n  "mcpl.servers": {\n    "a": {\n      "tools": {\n        "hidden": ["x"]\n      }\n    }\n  }\n}';
    assert.equal(set(text, ['a', 'tools', 'hidden'], undefined), '{}');
    const commented = text.replace('"a": {\n', '"a": {\n      // mine\n');
    assert.equal(
      set(commented, ['a', 'tools', 'hidden'], undefined),
      '{\n  "mcpl.servers": {\n    "a": {\n      // mine\n    }\n  }\n}',
    );
    assert.equal(set(text, ['b', 'tools'], undefined), text);
  });

  test('and a byte order mark stays', () => {
    assert.equal(set('\u{feff}{"a": 1}', ['b'], 2), '\u{feff}{"a": 1, "mcpl.servers": { "b": 2 }}');
    assert.deepEqual(settingIn('\u{feff}{"mcpl.servers": {"b": 2}}', [], 'mcpl.servers'), { b: 2 });
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
      '{"mcpl.servers": {"a": 1, "a": 3}}',
    ])
      assert.equal(set(text, ['a'], 2), undefined, text);
  });
});

/** Renders a value in a layout that `pick` chooses: lines, indentation, spaces, comments and commas at the end. */
function rendered(value: Json, pick: (among: number) => number, style: Style, indent = ''): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = isJsonObject(value)
    ? Object.entries(value).map(([name, member]) => [`${JSON.stringify(name)}:${' '.repeat(pick(3))}`, member] as const)
    : (value as readonly Json[]).map((item) => ['', item] as const);
  const [open, close] = isJsonObject(value) ? '{}' : '[]';
  const inner = indent + style.unit;
  const isLines = pick(3) > 0;
  const last = members.length - 1;
  const parts = members.map(([label, member], index) => {
    const text = label + rendered(member ?? null, pick, style, inner);
    const comma = index < last || pick(4) === 0 ? ',' : '';
    const note = pick(5) === 0 ? ` /* ${pick(9)} */` : '';
    if (!isLines) return `${' '.repeat(pick(2))}${text}${note}${comma}`;
    const above = pick(5) === 0 ? `${style.eol}${inner}// ${pick(9)} "x": {,` : '';
    const beside = pick(5) === 0 ? `${' '.repeat(pick(3))}// ${pick(9)}, }` : ' '.repeat(pick(4) === 0 ? 2 : 0);
    return `${above}${style.eol}${inner}${text}${note}${comma}${beside}`;
  });
  if (members.length === 0) return `${open}${close}`;
  return `${open}${parts.join('')}${isLines ? style.eol + indent : ' '.repeat(pick(2))}${close}`;
}

interface Style {
  readonly unit: string;
  readonly eol: string;
}

const STYLE = fc.record({ unit: fc.constantFrom('  ', '    ', '\t'), eol: fc.constantFrom('\n', '\r\n') });
const PICKS = fc.array(fc.nat(59), { minLength: 40, maxLength: 80 });

const NAMES = ['x', 'y', 'z'] as const;
/** Lists as people write them: not empty, because an empty list cannot come back. */
const LIST = fc.uniqueArray(fc.constantFrom(...NAMES), { minLength: 1 });
/** Without the one name that sets a prototype in the parser. */
const ANY = fc
  .jsonValue({ maxDepth: 2 })
  .map((value) => JSON.parse(JSON.stringify(value).replaceAll('__proto__', 'proto')) as Json);
const OPTIONAL = { requiredKeys: [] };
const ENTRY = fc.record(
  {
    command: fc.constantFrom('npx', '//', '/*'),
    args: fc.array(fc.constantFrom('memory', ',', '}'), { maxLength: 2 }),
    tools: fc.oneof(
      fc.record({ hidden: LIST }),
      fc.record({ autoApprove: LIST, hidden: LIST }),
      fc.record({ autoApprove: LIST }),
    ),
    featureSets: fc.oneof(fc.record({ enabled: LIST }), fc.record({ enabled: LIST, disabled: LIST })),
    later: ANY,
  },
  { requiredKeys: ['command'] },
);
const SERVERS = fc.record({ a: ENTRY, s: ENTRY, t: ENTRY }, OPTIONAL).filter((all) => Object.keys(all).length > 0);
const SETTINGS = fc.record({ 'editor.tabSize': fc.nat(), 'mcpl.servers': SERVERS, 'z.last': fc.boolean() }, OPTIONAL);

const FILE = fc.tuple(SETTINGS, STYLE, PICKS).map(([settings, style, picks]) => {
  let at = 0;
  const pick = (among: number): number => (picks[at++ % picks.length] ?? 0) % among;
  const value = JSON.parse(JSON.stringify(settings)) as Json;
  const body = rendered(value, pick, style);
  return { value, text: pick(4) === 0 ? `// first${style.eol}${body}${style.eol}` : body };
});

const serversIn = (text: string): JsonObject => {
  const servers = settingIn(text, [], 'mcpl.servers');
  return isJsonObject(servers) ? servers : {};
};

/** Writes a list as the extension does after a click on a tool. */
function withTool(text: string, list: 'hidden' | 'autoApprove', tool: string, present: boolean): string {
  const path = ['tools', list];
  const before = textsInForce([serversIn(text)], 's', path);
  return set(text, ['s', ...path], listToWrite([], 's', path, withItem(before, tool, present))) ?? assert.fail(text);
}

/** Writes the lists as the extension does after a click on a feature set. */
function withFeatureSet(text: string, name: string, on: boolean): string {
  const listOf = (list: string): readonly string[] => textsInForce([serversIn(text)], 's', ['featureSets', list]);
  const before = { enabled: listOf('enabled'), disabled: listOf('disabled') };
  const after = withChoice(before, [...NAMES, 'new'], [name], on);
  const entry = serversIn(text)['s'];
  const there = isJsonObject(entry) ? entry['featureSets'] : undefined;
  const lists = (['enabled', 'disabled'] as const)
    .filter((list) => after[list] !== before[list])
    .map((list) => [list, listToWrite([], 's', ['featureSets', list], after[list])] as const);
  return set(text, ['s', 'featureSets'], withMembers(there, Object.fromEntries(lists))) ?? assert.fail(text);
}

suite('A file in any layout', () => {
  const runs = { numRuns: dose(300, 20_000) };

  test('is the same, byte for byte, after a tool is hidden and offered again', () => {
    fc.assert(
      fc.property(FILE, fc.constantFrom('hidden', 'autoApprove'), ({ text }, list) => {
        const ticked = withTool(text, list, 'new', true);
        assert.notEqual(ticked, text);
        assert.equal(withTool(ticked, list, 'new', false), text, ticked);
      }),
      runs,
    );
  });

  test('is the same, byte for byte, after a feature set is turned on and off again', () => {
    fc.assert(
      fc.property(FILE, ({ text }) => {
        const ticked = withFeatureSet(text, 'new', true);
        assert.notEqual(ticked, text);
        assert.equal(withFeatureSet(ticked, 'new', false), text, ticked);
      }),
      runs,
    );
  });

  test('never gets an empty list, and keeps all other settings', () => {
    fc.assert(
      fc.property(FILE, fc.array(fc.tuple(fc.constantFrom(...NAMES), fc.boolean())), ({ text, value }, clicks) => {
        let now = text;
        for (const [name, on] of clicks) now = withTool(withFeatureSet(now, name, on), 'hidden', name, !on);
        const emptyIn = (some: string): number =>
          ['tools', 'featureSets']
            .flatMap((group) =>
              Object.values((serversIn(some)['s'] as Record<string, object> | undefined)?.[group] ?? {}),
            )
            .filter((list) => Array.isArray(list) && list.length === 0).length;
        assert.equal(emptyIn(now), 0, now);
        const others = (some: Json): unknown => {
          const { 'mcpl.servers': servers, ...rest } = some as Record<string, Json>;
          const { s, ...more } = (servers ?? {}) as Record<string, Record<string, Json>>;
          const entry = Object.entries(s ?? {}).filter(([name]) => name !== 'tools' && name !== 'featureSets');
          return { rest, more, entry: Object.fromEntries(entry) };
        };
        const whole = settingIn(`{"all": ${now.replace(/^\/\/ first\r?\n/, '')}}`, [], 'all') ?? null;
        assert.deepEqual(others(whole), others(value), now);
      }),
      runs,
    );
  });

  test('has the value that is written', () => {
    const path = fc.uniqueArray(fc.constantFrom('s', 'a', 'tools', 'hidden', 'args', 'new'), {
      minLength: 1,
      maxLength: 4,
    });
    fc.assert(
      fc.property(FILE, path, ANY, ({ text }, steps, value) => {
        const after = set(text, steps, value) ?? assert.fail(text);
        assert.ok(isSettingsText(after), after);
        let at: Json | undefined = serversIn(after);
        for (const step of steps) at = isJsonObject(at) ? at[step] : undefined;
        assert.deepEqual(at, value, after);
      }),
      runs,
    );
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
