import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { FeatureSetSettings } from '../../../../src/core/model/mcpl.ts';
import { DEFAULT_MCPL } from '../../../../src/core/model/mcplDefaults.ts';
import { type McplGrant, grantLine, readGrantLine } from '../../../../src/core/model/mcplGrant.ts';
import type { ServerDefinition } from '../../../../src/core/model/server.ts';
import { isChosen, withChoice } from '../../../../src/core/mcpl/featureSets.ts';
import { effectiveMcpl, isMcplWidened, withFeatureSets, withInfer } from '../../../../src/core/consent/mcplGrants.ts';
import { decideStart, grantsOf } from '../../../../src/core/consent/startConsent.ts';
import type { Consent } from '../../../../src/core/ports.ts';
import { decodeSettings } from '../../../../src/core/session/serverSettings.ts';
import { featureSetName, featureSetSettings } from '../../../support/featureSetArbitraries.ts';
import { remarksOn } from '../../../support/serverDefinition.ts';

type McplEntry = Readonly<Record<string, unknown>>;

/** A user's server with additions of the workspace. */
function widened(workspace: McplEntry, own: McplEntry = {}): ServerDefinition {
  const json = (value: McplEntry) => JSON.parse(JSON.stringify(value)) as { readonly [key: string]: string };
  const { entries } = decodeSettings([
    { scope: 'user', servers: { a: { command: 'x', ...json(own) } } },
    { scope: 'workspace', servers: { a: json(workspace) } },
  ]);
  const definition = entries[0]?.definition;
  assert.ok(definition !== undefined, JSON.stringify(entries[0]?.problems));
  return definition;
}

const sets = (enabled: readonly string[], disabled: readonly string[] = []): McplEntry => ({
  featureSets: { enabled, disabled },
});

function consent(others: readonly string[] | undefined): Consent {
  return { server: 'a', fingerprint: 'f', grants: { autoApprove: [], others }, at: 0 };
}

const decision = (definition: ServerDefinition, given: Consent | undefined): string => {
  const decided = decideStart(definition, given, false);
  return decided.kind === 'allow' ? 'allow' : decided.reason;
};

const effectiveSets = (definition: ServerDefinition, given: Consent | undefined): string => {
  const { enabled, disabled } = effectiveMcpl(definition, given).featureSets;
  return `+${[...enabled].sort().join(' ')} -${[...disabled].sort().join(' ')}`;
};

suite('What the workspace grants of MCPL', () => {
  test('is asked for, counts only when allowed, and is then asked no more', () => {
    const definition = widened(
      {
        ...sets(['a.*'], ['b.x']),
        toolFeatureSets: { t: 'c', u: 'b' },
        hooks: {
          readUserMessage: true,
          positions: ['system', 'afterUser'],
        },
        push: { b: 'infer' },
        inference: { model: 'large', requestsPerHour: 100, tokensPerDay: 300_000 },
      },
      {
        ...sets(['b'], ['b.y']),
        toolFeatureSets: { t: 'b', u: 'b' },
        hooks: { readUserMessage: false },
        push: { b: 'ignore' },
        inference: { model: 'small', requestsPerHour: 2 },
      },
    );
    assert.deepEqual(effectiveMcpl(definition, undefined), {
      featureSets: { enabled: [], disabled: [] },
      toolFeatureSets: { t: 'b', u: 'b' },
      hooks: {
        ...DEFAULT_MCPL.hooks,
        readUserMessage: false,
        positions: ['afterUser'],
      },
      push: { b: 'ignore' },
      inference: { model: 'small', requestsPerHour: 2, tokensPerDay: 200_000 },
      scopes: DEFAULT_MCPL.scopes,
    });
    assert.equal(decision(definition, undefined), 'first');
    assert.equal(decision(definition, consent(undefined)), 'widened');
    const allowed = { ...consent([]), grants: grantsOf(definition) };
    assert.equal(decision(definition, allowed), 'allow');
    assert.deepEqual(effectiveMcpl(definition, allowed), definition.mcpl);
    for (const line of definition.workspaceGrants) {
      const less = consent(definition.workspaceGrants.filter((other) => other !== line));
      assert.equal(decision(definition, less), 'widened', line);
    }
    assert.deepEqual(remarksOn(definition), [
      'Its feature sets are on, which may let it read your chats and add to them: "a.*".',
      'It may read what you write in chats.',
      'It may add context for models, at the positions: "system".',
      'Its events go to a model without asking, for the feature sets: "b".',
      'These tools are on with the feature sets in brackets: "t" ("c").',
      'It uses the model: "large".',
      'It may ask a model up to 100 times an hour.',
      'It may use up to 300000 tokens of models a day.',
    ]);
  });

  test('is compared by what it allows, not by how it is written', () => {
    const allowed = (...lines: string[]): Consent => consent(lines);
    const rows: readonly (readonly [McplEntry, Consent, string])[] = [
      [sets(['memory.a', 'memory.b.*']), allowed('featureSets ["memory.*"]'), 'allow'],
      [sets(['memory.*']), allowed('featureSets ["memory.a"]'), 'widened'],
      [sets(['memory.*'], ['memory.a']), allowed('featureSets ["memory.*","memory.a"]'), 'allow'],
      [sets(['memory.*']), allowed('featureSets ["memory.*","memory.a"]'), 'widened'],
      [sets(['memory.*'], ['memory.*', 'x']), allowed(), 'allow'],
      [sets(['x', 'y']), allowed('featureSets ["x"]', 'featureSets ["y"]'), 'allow'],
      [{ inference: { requestsPerHour: 50 } }, allowed('requestsPerHour [60,30]'), 'allow'],
      [{ inference: { requestsPerHour: 70 } }, allowed('requestsPerHour [60,30]'), 'widened'],
      [{ push: { 'mail.in': 'infer' } }, allowed('infer ["mail.*","notify"]'), 'allow'],
      [{ push: { '*': 'infer' } }, allowed('infer ["mail.*","notify"]'), 'widened'],
      [{ hooks: { positions: ['system'] } }, allowed('position ["system"]'), 'allow'],
      [sets(['x']), allowed('featureSets', 'featureSets [7]', 'featureSets {"x"', 'x', ''), 'widened'],
    ];
    for (const [workspace, given, expected] of rows)
      assert.equal(decision(widened(workspace), given), expected, JSON.stringify([workspace, given.grants.others]));
  });

  test('leaves on what the user switched on, whatever becomes of the rest', () => {
    const definition = widened(sets(['a.*', 'c']), sets(['a.b', 'c'], ['c']));
    assert.equal(effectiveSets(definition, undefined), '+a.b -');
    assert.equal(effectiveSets(definition, consent(['featureSets ["a.x"]'])), '+a.b a.x -');
    assert.equal(effectiveSets(definition, consent(['featureSets ["a.*"]', 'featureSets ["c"]'])), '+a.* c -');
    assert.equal(effectiveSets(widened(sets(['*'], []), sets(['*'], ['spy'])), undefined), '+* -spy');
  });

  test('a member named like that of a prototype is refused like any other', () => {
    const tools = JSON.parse('{"__proto__": "a", "t": "b"}') as McplEntry;
    const definition = widened({ toolFeatureSets: tools });
    assert.deepEqual(definition.workspaceGrants, ['tool ["__proto__","a",null]', 'tool ["t","b",null]']);
    assert.deepEqual(effectiveMcpl(definition, undefined).toolFeatureSets, {});
  });

  test('never has a set on that is on neither by the user nor by what was allowed', () => {
    fc.assert(
      fc.property(
        featureSetSettings,
        featureSetSettings,
        fc.uniqueArray(featureSetName, { maxLength: 3 }),
        featureSetName,
        (own, workspace, toggled, name) => {
          const definition = widened({ featureSets: workspace }, { featureSets: own });
          const given = consent(withFeatureSets([], toggled, true));
          const isOn = (settings: FeatureSetSettings): boolean => isChosen(settings, name);
          const effective = isOn(effectiveMcpl(definition, given).featureSets);
          if (effective) assert.ok(isOn(workspace) && (isOn(own) || toggled.includes(name)));
          // Sets that are on in both are no additions.
          if (toggled.length === 0) assert.equal(effective, isOn(workspace) && isOn(own));
          if (!isMcplWidened(definition, given)) assert.equal(effective, isOn(workspace));
          const all = { ...given, grants: grantsOf(definition) };
          assert.equal(isMcplWidened(definition, all), false);
          assert.equal(isOn(effectiveMcpl(definition, all).featureSets), isOn(workspace));
        },
      ),
      { numRuns: 2_000 },
    );
  });
});

suite('A choice of feature sets in one of our own views', () => {
  const names = fc.uniqueArray(featureSetName, { maxLength: 4 });

  test('needs no question, however the lists are written for it', () => {
    fc.assert(
      fc.property(featureSetSettings, names, names, fc.boolean(), (own, declared, chosen, on) => {
        const given = consent(withFeatureSets([], chosen, on));
        const after = withChoice(own, declared, chosen, on);
        const definition = widened({ featureSets: after }, { featureSets: own });
        assert.equal(isMcplWidened(definition, given), false, JSON.stringify([after, given.grants.others]));
        for (const name of chosen) assert.equal(isChosen(effectiveMcpl(definition, given).featureSets, name), on);
      }),
      { numRuns: 2_000 },
    );
  });

  test('needs none after the workspace’s lists were allowed either', () => {
    fc.assert(
      fc.property(featureSetSettings, names, names, fc.boolean(), (theirs, declared, chosen, on) => {
        const lines = grantsOf(widened({ featureSets: theirs })).others ?? [];
        const given = consent(withFeatureSets(lines, chosen, on));
        const after = withChoice(theirs, declared, chosen, on);
        assert.equal(isMcplWidened(widened({ featureSets: after }), given), false);
      }),
      { numRuns: 2_000 },
    );
  });

  test('taken back is asked for when the workspace grants it again', () => {
    const lines = withFeatureSets(['featureSets ["a.*"]', 'featureSets ["b"]', 'failOpen'], ['a.x', 'b'], false);
    assert.deepEqual(lines, ['failOpen', 'featureSets ["a.*","a.x"]']);
    assert.equal(isMcplWidened(widened(sets(['a.*'])), consent(lines)), true);
    assert.equal(isMcplWidened(widened(sets(['a.*'], ['a.x'])), consent(lines)), false);
    const again = withFeatureSets(lines, ['a.x'], true);
    assert.deepEqual(again, ['failOpen', 'featureSets ["a.*","a.x"]', 'featureSets ["a.x"]']);
    assert.equal(isMcplWidened(widened(sets(['a.*'])), consent(again)), false);
  });

  test('of what becomes of events is remembered in the same way', () => {
    const lines = withInfer(['failOpen'], 'mail', true);
    assert.deepEqual(lines, ['failOpen', 'infer ["mail","notify"]']);
    assert.equal(isMcplWidened(widened({ push: { mail: 'infer' } }), consent(lines)), false);
    assert.deepEqual(withInfer(lines, 'mail', false), ['failOpen']);
  });

  test('touches only its own lines, and keeps all of them sorted', () => {
    const lines = ['z ["later"]', 'infer ["mail","ignore"]', 'infer ["chat","notify"]', 'featureSets ["b.*","b.z"]'];
    assert.deepEqual(
      {
        'infer on': withInfer(lines, 'mail', true),
        'infer off': withInfer(lines, 'mail', false),
        'another infer off': withInfer(lines, 'other', false),
        'sets off': withFeatureSets(lines, ['b.y', 'b.z', 'b.a', 'c'], false),
        'sets on': withFeatureSets(lines, ['b.y', 'a'], true),
        'a wildcard off': withFeatureSets(lines, ['b.*'], false),
      },
      {
        'infer on': [lines[3], lines[2], 'infer ["mail","notify"]', lines[0]],
        'infer off': [lines[3], lines[2], lines[0]],
        'another infer off': [lines[3], lines[2], lines[1], lines[0]],
        'sets off': ['featureSets ["b.*","b.a","b.y","b.z"]', lines[2], lines[1], lines[0]],
        'sets on': ['featureSets ["a"]', lines[3], 'featureSets ["b.y"]', lines[2], lines[1], lines[0]],
        'a wildcard off': [lines[2], lines[1], lines[0]],
      },
    );
  });

  test('of events is compared apart from what whitelists grant', () => {
    const both = widened({ push: { mail: 'infer' }, ...({ scopes: { '*': { whitelist: ['/a'] } } } as McplEntry) });
    const lines = grantsOf(both).others ?? [];
    const refused = (without: string): boolean =>
      isMcplWidened(both, consent(lines.filter((line) => !line.startsWith(without))));
    assert.deepEqual(
      [lines.length, refused('no line'), refused('infer'), refused('whitelist'), refused('')],
      [2, false, true, true, true],
    );
  });

  test('holds without any consent as the user’s own settings have it', () => {
    assert.equal(isMcplWidened(widened({ push: { mail: 'infer' } }), undefined), true);
    assert.equal(isMcplWidened(widened({ push: { mail: 'ignore' } }), undefined), false);
  });
});

suite('A grant as a line', () => {
  test('is read as it was written', () => {
    const grants: readonly McplGrant[] = [
      { kind: 'featureSets', region: { pattern: 'a b', except: ['c "d"'] } },
      { kind: 'readUserMessage' },
      { kind: 'position', position: 'system' },
      { kind: 'infer', pattern: '*', instead: 'ignore' },
      { kind: 'tool', tool: 'a\nb', featureSet: 's', instead: undefined },
      { kind: 'model', model: 'm', instead: 'n' },
      { kind: 'whitelist', featureSet: 'a.*', patterns: ['/a "b"\n/**', ''] },
      { kind: 'whitelist', featureSet: '*', patterns: [] },
      { kind: 'adapter', tool: '__proto__', paths: [], instead: undefined },
      { kind: 'adapter', tool: 't', paths: ['$.a', ''], instead: ['$.b'] },
      { kind: 'adapter', tool: '', paths: ['$.a'], instead: [] },
      { kind: 'requestsPerHour', most: 1, instead: 0 },
      { kind: 'tokensPerDay', most: 2, instead: 1 },
    ];
    assert.deepEqual(grants.map(grantLine).map(readGrantLine), grants);
    assert.ok(grants.map(grantLine).every((line) => !line.includes('\n')));
  });

  test('that is unreadable allows nothing', () => {
    for (const line of [
      '',
      'later [1]',
      'position ["top"]',
      'infer ["a"]',
      'tool ["t"]',
      'model',
      'tokensPerDay ["1"]',
      'afterTimeoutMs [1]',
      'whitelist',
      'whitelist []',
      'whitelist ["*",["/**"]]',
      'whitelist ["*",null]',
      'whitelist {"0":"*"}',
      'whitelist "*"',
      'whitelist ["*"',
      'adapter ["t"]',
      'adapter ["t",["$.a"]]',
      'adapter ["t","$.a",null]',
      'adapter ["t",["$.a",1],null]',
      'adapter ["t",[],"$.a"]',
      'adapter [1,[],null]',
    ])
      assert.equal(readGrantLine(line), undefined, line);
  });
});
