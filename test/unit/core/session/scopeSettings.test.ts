import assert from 'node:assert/strict';
import type { Json } from '../../../../src/core/base/json.ts';
import { patternProblem } from '../../../../src/core/model/scopePattern.ts';
import { type ScopeEntry, scopeDefinition, scopeEntry, scopeText } from '../../../support/scopeEntries.ts';

const LONG = 'x'.repeat(1_025);
const many = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `/n${index}`);

/** The decoded user settings with their problems. */
function read(user: ScopeEntry): readonly string[] {
  const { definition, problems } = scopeEntry({ user });
  assert.ok(definition !== undefined, 'No mistake in scopes voids an entry.');
  return [
    ...scopeText(definition.mcpl.scopes),
    ...problems.map(({ severity, path, message }) => `${severity} ${path.slice(1).join('/')}: ${message}`),
  ];
}

const scopes = (value: Json): readonly string[] => read({ scopes: value });
const adapters = (value: Json): readonly string[] => read({ scopeAdapters: value });

suite('The member "scopes" of an entry', () => {
  test('is read whole, each pattern once', () => {
    assert.deepEqual(
      read({
        scopes: {
          'files.edit': { whitelist: ['/project/**', '/tmp/**', '/tmp/**'], blacklist: ['**/.env', '**/secrets/**'] },
          'discord.*': { whitelist: ['#general', '#dev-*'] },
          '*': {},
        },
        scopeAdapters: { write: '$.path', move: ['$.from', '$.to', '$.to'], ping: [] },
      }),
      [
        'files.edit: +/project/** +/tmp/** -**/.env -**/secrets/**',
        'discord.*: +#general +#dev-*',
        '*:',
        'write at ["$.path"]',
        'move at ["$.from","$.to"]',
        'ping at []',
      ],
    );
    assert.deepEqual(read({}), []);
  });

  test('allows by a key without a whitelist what the next wider one allows, and nothing by an empty one', () => {
    assert.deepEqual(
      scopes({
        '*': { whitelist: ['/all/**'] },
        'files.*': { blacklist: ['**/.env'] },
        'files.edit': { whitelist: ['/edit/**'] },
        'files.edit.*': { blacklist: ['/b'] },
        mail: { whitelist: [] },
      }),
      ['*: +/all/**', 'files.*: +/all/** -**/.env', 'files.edit: +/edit/**', 'files.edit.*: +/all/** -/b', 'mail:'],
    );
  });

  test('leaves out of a whitelist what cannot be read, with a word on it', () => {
    assert.deepEqual(scopes({ a: { whitelist: ['/a', 7, LONG, null, '/b'], blacklist: [] } }), [
      'a: +/a +/b',
      'warning scopes/a/whitelist/1: Must be a text. Nothing is allowed by it.',
      `warning scopes/a/whitelist/2: ${patternProblem(LONG)} Nothing is allowed by it.`,
      'warning scopes/a/whitelist/3: Must be a text. Nothing is allowed by it.',
    ]);
    const list = 'Must be a list of at most 1000 patterns. Nothing is allowed by it.';
    // An invalid whitelist differs from an absent one.
    for (const whitelist of ['/a', null, { 0: '/a' }, many(1_001)])
      assert.deepEqual(scopes({ '*': { whitelist: ['/w'] }, a: { whitelist } }), [
        '*: +/w',
        'a:',
        `warning scopes/a/whitelist: ${list}`,
      ]);
    assert.deepEqual(scopes({ a: { whitelist: many(1_000) } }), [
      `a: ${many(1_000)
        .map((p) => `+${p}`)
        .join(' ')}`,
    ]);
  });

  test('denies everything of a key as long as anything in its blacklist, or in its place, cannot be read', () => {
    const denied = 'Everything of "a" is denied until it is corrected.';
    const rows: readonly (readonly [Json, string, readonly string[]])[] = [
      [
        { whitelist: ['/w'], blacklist: ['/a', 7, LONG] },
        'a: +/w -/a broken',
        [`/blacklist/1: Must be a text. ${denied}`, `/blacklist/2: ${patternProblem(LONG)} ${denied}`],
      ],
      [{ blacklist: '/a' }, 'a: broken', [`/blacklist: Must be a list of at most 1000 patterns. ${denied}`]],
      [{ blacklist: null }, 'a: broken', [`/blacklist: Must be a list of at most 1000 patterns. ${denied}`]],
      [{ blacklist: many(1_001) }, 'a: broken', [`/blacklist: Must be a list of at most 1000 patterns. ${denied}`]],
      [
        { whitelist: ['/w'], blackList: ['/a'] },
        'a: +/w broken',
        [`/blackList: "blackList" is not known here. ${denied}`],
      ],
      [['/a'], 'a: broken', [`: Must be an object with a "whitelist" and a "blacklist". ${denied}`]],
      [null, 'a: broken', [`: Must be an object with a "whitelist" and a "blacklist". ${denied}`]],
      ['/a', 'a: broken', [`: Must be an object with a "whitelist" and a "blacklist". ${denied}`]],
    ];
    for (const [value, text, problems] of rows)
      assert.deepEqual(scopes({ a: value }), [text, ...problems.map((problem) => `warning scopes/a${problem}`)]);
  });

  test('denies everything if a key is unreadable', () => {
    const denied = 'Everything is denied until it is corrected.';
    const object = 'Must be an object such as {"files.edit": {"whitelist": ["${workspaceFolder}/**"]}}.';
    for (const value of [null, [], 'all', true])
      assert.deepEqual(scopes(value), ['*: broken', `warning scopes: ${object} ${denied}`]);
    const name = 'Must be the name of a feature set, such as "files.edit", or "files.*" or "*".';
    assert.deepEqual(scopes({ 'files*': { blacklist: ['/a'] }, '*': { whitelist: ['/w'] }, a: {} }), [
      '*: +/w broken',
      'a: +/w',
      `warning scopes/files*: ${name} ${denied}`,
    ]);
    assert.deepEqual(scopes({ '': {} }), ['*: broken', `warning scopes/: ${name} ${denied}`]);
    assert.deepEqual(scopes({ '*': { blacklist: 1 } }).slice(1), [
      `warning scopes/*/blacklist: Must be a list of at most 1000 patterns. ${denied}`,
    ]);
    assert.deepEqual(scopes(Object.fromEntries(many(1_001).map((name) => [name, {}]))), [
      '*: broken',
      `warning scopes: Must have at most 1000 members. ${denied}`,
    ]);
    assert.equal(scopes(Object.fromEntries(many(1_000).map((name) => [name, {}]))).length, 1_000);
  });

  test('lets no list allow the calls of a tool whose adapter cannot be read, and never lets them go unasked', () => {
    const problem =
      'Must be a path such as "$.path" or "$.files[*].path", or a list of at most 16 of them. ' +
      'No list allows its calls until it is corrected.';
    for (const value of ['path', '', null, 7, {}, ['$.a', 7], ['$.a', ''], [[]], Array(17).fill('$.a') as Json])
      assert.deepEqual(adapters({ t: value, u: '$.b' }), [
        't at [""]',
        'u at ["$.b"]',
        `warning scopeAdapters/t: ${problem}`,
      ]);
    const denied = 'Everything is denied until it is corrected.';
    assert.deepEqual(read({ scopes: { '*': { whitelist: ['/w'] } }, scopeAdapters: ['t'] }), [
      '*: +/w broken',
      `warning scopeAdapters: Must be an object such as {"write_file": "$.path"}. ${denied}`,
    ]);
    assert.deepEqual(adapters(Object.fromEntries(many(1_001).map((name) => [name, '$.a']))), [
      '*: broken',
      `warning scopeAdapters: Must have at most 1000 members. ${denied}`,
    ]);
  });

  test('reports errors in deny rules before errors in allow rules, up to a limit', () => {
    const bad = { whitelist: Array(30).fill(1) as Json };
    const told = scopes({ a: bad, b: { ...bad, blacklist: [1] } });
    assert.equal(
      told[2],
      'warning scopes/b/blacklist/0: Must be a text. Everything of "b" is denied until it is corrected.',
    );
    assert.equal(told.length, 2 + 20);
  });

  test('takes a key that is called like a member of every object as any other', () => {
    const value = JSON.parse('{"__proto__": {"blacklist": ["/a"]}, "constructor": {"whitelist": ["/b"]}}') as Json;
    assert.deepEqual(scopes(value), ['__proto__: -/a', 'constructor: +/b']);
    const tools = JSON.parse('{"__proto__": "$.a"}') as Json;
    assert.deepEqual(adapters(tools), ['__proto__ at ["$.a"]']);
  });
});

suite('Scopes of several layers', () => {
  const text = (user: ScopeEntry, workspace: ScopeEntry, folder?: ScopeEntry): readonly string[] =>
    scopeText(scopeDefinition({ user, workspace, ...(folder && { folder }) }).mcpl.scopes);

  test('replace each other’s whitelists, and never what the user denies', () => {
    const user = { scopes: { '*': { whitelist: ['/u'], blacklist: ['/mine', '/both'] }, only: { blacklist: ['/o'] } } };
    assert.deepEqual(text(user, { scopes: { '*': { whitelist: ['/w'], blacklist: [] } } }), [
      '*: +/w -/mine -/both',
      'only: +/w -/o',
    ]);
    assert.deepEqual(
      text(
        user,
        { scopes: { '*': { blacklist: ['/theirs'] }, new: { blacklist: ['/n'] } } },
        { scopes: { '*': { blacklist: ['/both', '/folder'] }, only: { whitelist: ['/f'] } } },
      ),
      ['*: +/u -/mine -/both -/folder', 'only: +/f -/o', 'new: +/u -/n'],
    );
  });

  test('keep what the user denies also where a workspace writes something else in its place', () => {
    const user = {
      scopes: { '*': { whitelist: ['/u'], blacklist: ['/no'] }, a: { whitelist: ['/a'], blacklist: ['/b'] } },
    };
    for (const value of [null, [], 'x', false])
      assert.deepEqual(text(user, { scopes: value }), ['*: -/no broken', 'a: -/b']);
    for (const value of [null, [], 'x', false])
      assert.deepEqual(text(user, { scopes: { a: value } }), ['*: +/u -/no', 'a: -/b broken']);
    assert.deepEqual(text(user, { scopes: { a: { blacklist: null } } }), ['*: +/u -/no', 'a: +/a -/b broken']);
  });

  test('are broken if the user’s are, with the problem at its position', () => {
    const entry = scopeEntry({
      user: { scopes: { a: { blacklist: [7, '/b'] }, 'b*': {} }, scopeAdapters: { t: 'path' } },
      workspace: { scopes: { a: { blacklist: ['/c'] } }, scopeAdapters: { t: '$.path' } },
    });
    assert.deepEqual(scopeText(entry.definition?.mcpl.scopes ?? { lists: {}, adapters: {} }), [
      'a: -/b -/c broken',
      '*: broken',
      't at ["$.path"]',
    ]);
    assert.deepEqual(
      entry.problems.map(({ scope, path }) => `${scope} ${path.join('/')}`),
      ['user a/scopes/b*', 'user a/scopes/a/blacklist/0', 'user a/scopeAdapters/t'],
    );
  });

  test('keep the user’s adapters where a workspace writes something else in their place', () => {
    const user = { scopeAdapters: { t: '$.mine', u: '$.u' } };
    assert.deepEqual(text(user, { scopeAdapters: { t: '$.theirs' } }), ['t at ["$.theirs"]', 'u at ["$.u"]']);
    assert.deepEqual(text(user, { scopeAdapters: null }), ['*: broken', 't at ["$.mine"]', 'u at ["$.u"]']);
  });
});
