import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Json } from '../../../../src/core/base/json.ts';
import { covers, nearestPattern } from '../../../../src/core/model/featureSetPattern.ts';
import type { ScopeSettings } from '../../../../src/core/model/scope.ts';
import type { ServerDefinition } from '../../../../src/core/model/server.ts';
import { effectiveMcpl, isMcplWidened } from '../../../../src/core/consent/mcplGrants.ts';
import { decideStart, grantsOf } from '../../../../src/core/consent/startConsent.ts';
import type { Consent } from '../../../../src/core/ports.ts';
import { featureSetName, featureSetPattern } from '../../../support/featureSetArbitraries.ts';
import { type ScopeEntry, scopeDefinition, scopeText } from '../../../support/scopeEntries.ts';
import { remarksOn } from '../../../support/serverDefinition.ts';
import { cpuTime } from '../../../support/cpuTime.ts';

const widened = (workspace: ScopeEntry, user: ScopeEntry = {}): ServerDefinition =>
  scopeDefinition({ user, workspace });

const consent = (...others: readonly string[]): Consent => ({
  server: 'a',
  fingerprint: 'f',
  grants: { autoApprove: [], others },
  at: 0,
});

const toAll = (definition: ServerDefinition): Consent => ({ ...consent(), grants: grantsOf(definition) });

const decision = (definition: ServerDefinition, given?: Consent): string => {
  const decided = decideStart(definition, given, false);
  return decided.kind === 'allow' ? 'allow' : decided.reason;
};

const effective = (definition: ServerDefinition, given?: Consent): readonly string[] =>
  scopeText(effectiveMcpl(definition, given).scopes);

const white = (lists: Readonly<Record<string, readonly string[]>>): ScopeEntry => ({
  scopes: Object.fromEntries(Object.entries(lists).map(([key, whitelist]) => [key, { whitelist }])),
});

suite('What the workspace grants of scopes', () => {
  test('is what its whitelists allow beyond the user’s own nearest ones', () => {
    const user = white({ '*': ['/u'], 'files.*': ['/f'] });
    const rows: readonly (readonly [string, ScopeEntry, readonly string[]])[] = [
      ['the same', white({ '*': ['/u'], 'files.*': ['/f'] }), []],
      ['one more', white({ '*': ['/u', '/w', '/v'] }), ['whitelist ["*","/v","/w"]', 'whitelist ["files.*"]']],
      ['one less', white({ '*': [], 'files.*': [] }), []],
      ['a key with more', white({ 'files.edit': ['/f', '/w'] }), ['whitelist ["files.edit","/w"]']],
      ['a key with what only a wider one allows', white({ 'files.edit': ['/u'] }), ['whitelist ["files.edit","/u"]']],
      ['a key with less', white({ 'files.edit': [], mail: [] }), []],
      ['a key with the same', white({ 'files.edit': ['/f'], mail: ['/u'] }), []],
      ['a key that only denies', { scopes: { 'files.edit': { blacklist: ['/no'] } } }, []],
      ['a key that is broken', { scopes: { 'files.edit': 7, '*': { blacklist: 7 } } }, []],
      ['all that is denied is freed', { scopes: { '*': { blacklist: [] } } }, []],
      ['all of it is unreadable', { scopes: null, scopeAdapters: null }, []],
    ];
    for (const [what, workspace, expected] of rows)
      assert.deepEqual(widened(workspace, user).workspaceGrants, expected, what);
  });

  test('is each adapter that is another one than the user’s', () => {
    const user = { scopeAdapters: { same: ['$.a'], other: '$.a', freed: '$.a', spoilt: '$.a', mine: '$.m' } };
    const workspace = {
      scopeAdapters: { same: '$.a', other: ['$.a', '$.b'], freed: [], spoilt: 'a', new: '$.n', none: [] },
    };
    const definition = widened(workspace, user);
    assert.deepEqual(definition.workspaceGrants, [
      'adapter ["freed",[],["$.a"]]',
      'adapter ["new",["$.n"],null]',
      'adapter ["none",[],null]',
      'adapter ["other",["$.a","$.b"],["$.a"]]',
      'adapter ["spoilt",[""],["$.a"]]',
    ]);
    assert.deepEqual(effective(definition), [
      'same at ["$.a"]',
      'other at ["$.a"]',
      'freed at ["$.a"]',
      'spoilt at ["$.a"]',
      'mine at ["$.m"]',
    ]);
    assert.deepEqual(effective(definition, toAll(definition)), scopeText(definition.mcpl.scopes));
    for (const line of definition.workspaceGrants) {
      const less = consent(...definition.workspaceGrants.filter((other) => other !== line));
      assert.equal(decision(definition, less), 'widened', line);
    }
    assert.equal(decision(definition, consent(...definition.workspaceGrants, 'adapter ["new",[],null]')), 'allow');
    assert.equal(
      decision(widened({ scopeAdapters: { t: '$.a' } }), consent('adapter ["t",["$.a"],["$.old"]]')),
      'allow',
      'what held before is no part of what was allowed',
    );
  });

  test('is all that a server of its own is allowed, while what the user denies still counts', () => {
    const definition = widened(
      { command: 'theirs', scopes: { '*': { blacklist: ['/w'] } } },
      {
        scopes: { '*': { whitelist: ['/u'], blacklist: ['/no'] }, a: { whitelist: ['/u', '/a'] } },
        scopeAdapters: { t: '$.t', free: [] },
      },
    );
    assert.equal(definition.definedBy, 'workspace');
    assert.deepEqual(definition.workspaceGrants, [
      'adapter ["free",[],null]',
      'adapter ["t",["$.t"],null]',
      'whitelist ["*","/u"]',
      'whitelist ["a","/a","/u"]',
    ]);
    assert.deepEqual(effective(definition), ['*: -/no -/w', 'a:']);
  });

  test('asks at first and after a change, counts within its approval, and then asks no more', () => {
    const user = white({ '*': ['/u'], secret: [] });
    const definition = widened(
      { scopes: { '*': { whitelist: ['/u', '/w'], blacklist: ['/no'] }, mail: { whitelist: ['/w', '/m'] } } },
      user,
    );
    assert.equal(decision(definition), 'first');
    assert.deepEqual(effective(definition), ['*: +/u -/no', 'secret:', 'mail:']);
    assert.equal(decision(definition, consent('whitelist ["*","/w"]')), 'widened');
    assert.deepEqual(effective(definition, consent('whitelist ["*","/w"]')), [
      '*: +/u +/w -/no',
      'secret:',
      'mail: +/w',
    ]);
    const given = toAll(definition);
    assert.equal(decision(definition, given), 'allow');
    assert.deepEqual(effective(definition, given), scopeText(definition.mcpl.scopes));
    // Neither another order nor fewer rights need consent.
    assert.equal(decision(widened(white({ mail: ['/m'], '*': ['/w', '/u'] }), user), given), 'allow');
    const more = widened(white({ mail: ['/m'], '*': ['/w', '/x'] }), user);
    assert.equal(decision(more, given), 'widened');
    assert.deepEqual(effective(more, given), ['*: +/w', 'secret:', 'mail: +/m']);
  });

  test('is asked for when a narrower key that kept it small is there no more', () => {
    const given = toAll(widened(white({ '*': ['/w'], secret: [] })));
    assert.deepEqual(given.grants.others, ['whitelist ["*","/w"]', 'whitelist ["secret"]']);
    const wider = widened(white({ '*': ['/w'] }));
    assert.equal(decision(wider, given), 'widened');
    // Lists cannot exclude a single name here, so all are left out.
    assert.deepEqual(effective(wider, given), ['*:']);
    assert.equal(decision(widened(white({ '*': ['/w'], secret: [], mail: [] })), given), 'allow');
    assert.equal(decision(widened(white({ '*': ['/w'], 'secret.*': [], secret: ['/w'] })), given), 'widened');
  });

  test('was allowed for a wider name if it moves to a narrower one', () => {
    const given = consent('whitelist ["files.*","/w"]');
    assert.equal(decision(widened(white({ 'files.edit': ['/w'], 'files.a.*': ['/w'] })), given), 'allow');
    assert.equal(decision(widened(white({ files: ['/w'] })), given), 'widened');
    assert.equal(decision(widened(white({ '*': ['/w'] })), given), 'widened');
    assert.equal(decision(widened(white({ 'files.edit': ['/w/**'] })), given), 'widened');
    assert.equal(decision(widened(white({ 'files.edit': ['/w'] })), consent('whitelist ["*",7]', 'x')), 'widened');
  });

  test('is asked for again when the user’s own settings allow it no longer', () => {
    const workspace = white({ '*': ['/u', '/w'] });
    const given = toAll(widened(workspace, white({ '*': ['/u'] })));
    assert.equal(decision(widened(workspace, white({ '*': ['/u'] })), given), 'allow');
    assert.equal(decision(widened(workspace), given), 'widened');
    assert.deepEqual(effective(widened(workspace), given), ['*: +/w']);
  });

  test('costs little to find, however much a repository writes', () => {
    const patterns = Array.from({ length: 1_000 }, (_, index) => `/p${index}`);
    const keys = Array.from({ length: 999 }, (_, index) => `${'a.'.repeat(index % 90)}x${index}.*`);
    const lists = Object.fromEntries(
      keys.map((key, index) => [key, index % 2 ? { blacklist: [] } : { whitelist: [] }]),
    );
    const startedAt = cpuTime();
    const definition = widened({ scopes: { '*': { whitelist: patterns }, ...lists } as Json });
    const given = toAll(definition);
    assert.ok(JSON.stringify(given).length < 100_000, 'It is about as long as what was written.');
    assert.equal(effectiveMcpl(definition, given).scopes.lists['*']?.whitelist.length, 1_000);
    const other = widened({ scopes: { '*': { whitelist: patterns } } });
    assert.deepEqual(effective(other, given), ['*:']);
    assert.ok(cpuTime() - startedAt < 2_000, `It took ${cpuTime() - startedAt} ms.`);
  });
});

suite('Scopes of any user and any workspace', () => {
  const patterns = fc.uniqueArray(fc.constantFrom('/a', '/b', '/c'), { maxLength: 3 });
  const lists = fc.record({ whitelist: patterns, blacklist: patterns }, { requiredKeys: [] });
  const scopes = fc
    .uniqueArray(fc.tuple(featureSetPattern, lists), { maxLength: 4, selector: ([key]) => key })
    .map((entries) => ({ scopes: Object.fromEntries(entries) }));

  const allowed = ({ lists: all }: ScopeSettings, name: string): readonly string[] => {
    const key = nearestPattern(Object.keys(all), name);
    return (key === undefined ? undefined : all[key]?.whitelist) ?? [];
  };
  const denied = ({ lists: all }: ScopeSettings, name: string): readonly string[] =>
    Object.entries(all).flatMap(([key, { blacklist }]) => (covers(key, name) ? blacklist : []));
  const within = (some: readonly string[], all: readonly string[]): boolean =>
    some.every((pattern) => all.includes(pattern));

  test('never allow without consent what the user’s own nearest key does not, nor lack what the user denies', () => {
    fc.assert(
      fc.property(scopes, scopes, featureSetName, (user, workspace, name) => {
        const own = scopeDefinition({ user }).mcpl.scopes;
        const definition = widened(workspace, user);
        const held = effectiveMcpl(definition, undefined).scopes;
        assert.ok(within(allowed(held, name), allowed(own, name)));
        assert.ok(within(allowed(held, name), allowed(definition.mcpl.scopes, name)));
        assert.ok(within(denied(own, name), denied(held, name)));
        // Rights in both need no consent.
        const both = allowed(own, name).filter((pattern) => allowed(definition.mcpl.scopes, name).includes(pattern));
        const keys = Object.keys(definition.mcpl.scopes.lists);
        if (keys.includes(name)) assert.deepEqual([...allowed(held, name)].sort(), both.sort());
        if (decision(definition) === 'allow') assert.deepEqual(held, definition.mcpl.scopes);
        const given = toAll(definition);
        assert.equal(isMcplWidened(definition, given), false);
        assert.deepEqual(effectiveMcpl(definition, given).scopes, definition.mcpl.scopes);
      }),
      { numRuns: 2_000 },
    );
  });

  test('allow after a change no more than the user’s own and what was allowed before the change', () => {
    fc.assert(
      fc.property(scopes, scopes, scopes, featureSetName, (user, before, after, name) => {
        const earlier = widened(before, user);
        const given = toAll(earlier);
        const later = widened(after, user);
        const held = effectiveMcpl(later, given).scopes;
        const known = [...allowed(scopeDefinition({ user }).mcpl.scopes, name), ...allowed(earlier.mcpl.scopes, name)];
        assert.ok(within(allowed(held, name), known));
        if (!isMcplWidened(later, given)) {
          assert.ok(within(allowed(later.mcpl.scopes, name), known));
          assert.deepEqual(held, later.mcpl.scopes);
        }
        assert.equal(isMcplWidened(widened(before, user), given), false);
      }),
      { numRuns: 2_000 },
    );
  });
});

suite('The question before a start', () => {
  const remarks = (workspace: ScopeEntry): readonly string[] => remarksOn(widened(workspace));

  test('says what lies outside the workspace apart from what is in it', () => {
    assert.deepEqual(
      remarks({
        scopes: {
          a: {
            whitelist: [
              '${workspaceFolder}/src/**',
              '${workspaceFolder:other}',
              'docs/**',
              '.vscode/settings.json',
              '/etc/**',
              '#general',
              'discord:acme/*',
            ],
          },
          b: { whitelist: ['/etc/**', '~/.ssh/id'] },
        },
        scopeAdapters: { write: '$.path', move: ['$.from', '$.to'], ping: [], odd: 'x' },
      }),
      [
        'Without asking, it may touch outside the workspace: "/etc/**", "~/.ssh/id".',
        'Without asking, it may touch in the workspace: "docs/**", ".vscode/settings.json", "${workspaceFolder:other}", "${workspaceFolder}/src/**".',
        'Without asking, it may use the names: "#general", "discord:acme/*".',
        'Calls of these tools never need an approval: "ping".',
        'Targets of these tools are read only from the arguments in brackets: "write" ("$.path"), "move" ("$.from", "$.to").',
        'Targets of these tools are unknown, so no list allows their calls: "odd".',
      ],
    );
  });

  test('takes for outside whatever might lie there', () => {
    const outside = [
      '/',
      '*',
      '**',
      '**/notes',
      '*.md',
      '?etc',
      '[/]etc',
      '{/etc,a}',
      '~',
      '~/a',
      '~other/a',
      '../a',
      'a/../../b',
      '{..,a}/b',
      '${workspaceFolder}/../b',
      '${workspaceFolder}x/**',
      '${workspaceFolder}*/**',
      '${workspaceFolder}{,x}/**',
      '${workspaceFolder:a}b',
      '${userHome}/**',
      '$HOME',
      'C:/Windows',
      'c:\\Windows',
      'a\\..\\b',
      '\\\\host\\share',
      '//host/share',
      'file:///etc/**',
      'FILE:/etc',
      'vscode-remote://x/etc',
      ' /etc',
      's{rc,/etc}/**',
      'a*/b',
      '!a',
      'a:/etc',
      'x${workspaceFolder}/a',
      '/x${workspaceFolder}',
      '${workspaceFolder}x/a',
      '${userHome}/a',
      '#a/../b',
      'discord:a\\b',
      '/x#a',
      '/discord:a',
      ' discord:a',
    ];
    for (const pattern of outside)
      assert.match(remarks(white({ '*': [pattern] }))[0] ?? '', /outside the workspace/, pattern);
    for (const pattern of ['a', 'a/**', './a', '${workspaceFolder}', '${workspaceFolder}/**', 'a b/*.{c,d}'])
      assert.match(remarks(white({ '*': [pattern] }))[0] ?? '', /in the workspace/, pattern);
    for (const pattern of ['#a', '@a', 'discord:*', 'a1+.-:b', 'DISCORD:a', 'profile:a', '#file:x'])
      assert.match(remarks(white({ '*': [pattern] }))[0] ?? '', /use the names/, pattern);
  });

  test('lists every pattern, and the short ones first', () => {
    const flood = Array.from({ length: 500 }, (_, index) => `/home/harmless/${1_000 + index}/**`);
    assert.deepEqual(remarks(white({ '*': [...flood, '/**'], a: [...flood, '/**', '~/**'] })), [
      `Without asking, it may touch outside the workspace: "/**", "~/**", "${flood.join('", "')}".`,
    ]);
  });

  test('cannot be worded by a repository through its patterns and tools', () => {
    const trick = '/a. You allowed all of this before';
    const given = remarks({ ...white({ '*': [trick, `/${'x'.repeat(500)}`] }), scopeAdapters: { [trick]: [] } });
    assert.deepEqual(given, [
      `Without asking, it may touch outside the workspace: "${trick}", "/${'x'.repeat(500)}".`,
      `Calls of these tools never need an approval: "${trick}".`,
    ]);
  });
});
