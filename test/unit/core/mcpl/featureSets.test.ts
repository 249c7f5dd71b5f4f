import assert from 'node:assert/strict';
import fc from 'fast-check';
import { covers, isFeatureSetPattern, pushPolicyOf } from '../../../../src/core/model/featureSetPattern.ts';
import type { FeatureSetSettings } from '../../../../src/core/model/mcpl.ts';
import { isChosen, matchesFeatureSet, partition, withChoice } from '../../../../src/core/mcpl/featureSets.ts';
import { featureSetName, featureSetPattern, featureSetSettings } from '../../../support/featureSetArbitraries.ts';

const lists = ({ enabled, disabled }: FeatureSetSettings): string => `+${enabled.join(' ')} -${disabled.join(' ')}`;

suite('Names of feature sets in settings', () => {
  test('a trailing wildcard means all deeper names, a star all, and anything else itself', () => {
    const names = ['memory', 'memory.a', 'memory.a.b', 'memoryx.a', 'memory.', 'other'];
    const matched = (pattern: string): string => names.filter((name) => matchesFeatureSet(pattern, name)).join(' ');
    assert.deepEqual(
      ['memory.*', 'memory.a.*', '*', 'memory', 'memory*', 'm', 'memory.a'].map(
        (pattern) => `${pattern}: ${matched(pattern)}`,
      ),
      [
        'memory.*: memory.a memory.a.b',
        'memory.a.*: memory.a.b',
        '*: memory memory.a memory.a.b memoryx.a memory. other',
        'memory: memory',
        'memory*: ',
        'm: ',
        'memory.a: memory.a',
      ],
    );
  });

  test('what a server calls like a wildcard is never on', () => {
    const everything = { enabled: ['*', 'a.*'], disabled: [] };
    for (const name of ['*', 'a.*', 'a*b', '', 'a\nb', 'a\u202eb', 'x'.repeat(257)]) {
      assert.equal(isChosen(everything, name), false, JSON.stringify(name));
      assert.equal(matchesFeatureSet('*', name) || matchesFeatureSet(name, name), false, JSON.stringify(name));
      assert.deepEqual(withChoice({ enabled: [], disabled: [] }, [name], [name], true), { enabled: [], disabled: [] });
    }
    assert.equal(isFeatureSetPattern('.*'), false);
  });

  test('off beats on, and nothing said is off', () => {
    const settings = { enabled: ['memory.*', 'chat'], disabled: ['memory.consolidation'] };
    assert.deepEqual(partition(settings, ['chat', 'memory.consolidation', 'memory.recall', 'push']), {
      enabled: ['chat', 'memory.recall'],
      disabled: ['memory.consolidation', 'push'],
    });
  });

  test('a pattern covers another only if it matches all that the other matches', () => {
    fc.assert(
      fc.property(featureSetPattern, featureSetPattern, featureSetName, (wide, narrow, name) => {
        if (covers(wide, narrow) && matchesFeatureSet(narrow, name)) assert.ok(matchesFeatureSet(wide, name));
        // One contains the other, or they are disjoint.
        if (matchesFeatureSet(wide, name) && matchesFeatureSet(narrow, name))
          assert.ok(covers(wide, narrow) || covers(narrow, wide));
      }),
      { numRuns: 500 },
    );
  });

  test('matching never widens: one more pattern that switches off leaves no more names on', () => {
    fc.assert(
      fc.property(featureSetSettings, featureSetPattern, featureSetName, (settings, off, name) => {
        const narrower = { ...settings, disabled: [...settings.disabled, off] };
        assert.ok(isChosen(settings, name) || !isChosen(narrower, name));
      }),
      { numRuns: 300 },
    );
  });
});

suite('A choice of feature sets', () => {
  const declared = ['chat', 'memory.consolidate', 'memory.recall', 'memory.store'];
  const choose = (enabled: string[], disabled: string[], names: string[], on: boolean): string =>
    lists(withChoice({ enabled, disabled }, declared, names, on));

  test('is the smallest edit of the lists', () => {
    assert.deepEqual(
      {
        'on by name': choose([], [], ['chat'], true),
        'on, and off before by name': choose(['memory.*'], ['memory.recall'], ['memory.recall'], true),
        'off, and on by name': choose(['chat', 'memory.recall'], [], ['chat'], false),
        'off, and on by a wildcard': choose(['memory.*'], [], ['memory.recall'], false),
        'off, and on by both': choose(['memory.*', 'memory.recall'], [], ['memory.recall'], false),
        'on, and off by a wildcard': choose([], ['memory.*'], ['memory.recall'], true),
        'on, and off by a wildcard within one that is on': choose(['*'], ['memory.*'], ['memory.recall'], true),
        'on by a name beside what is off': choose(['memory.store'], ['memory.*'], ['memory.recall'], true),
        'on beside what is off twice': choose(['memory.store'], ['memory.*', 'memory.store'], ['memory.recall'], true),
        'on beside a wildcard of other names': choose(['chat', 'other.*'], ['memory.*'], ['memory.recall'], true),
        'all of them on': choose([], ['*'], declared, true),
      },
      {
        'on by name': '+chat -',
        'on, and off before by name': '+memory.* -',
        'off, and on by name': '+memory.recall -',
        'off, and on by a wildcard': '+memory.* -memory.recall',
        'off, and on by both': '+memory.* -memory.recall',
        'on, and off by a wildcard': '+memory.recall -',
        'on, and off by a wildcard within one that is on': '+chat memory.recall -',
        'on by a name beside what is off': '+memory.store memory.recall -memory.store',
        'on beside what is off twice': '+memory.store memory.recall -memory.store',
        'on beside a wildcard of other names': '+chat other.* memory.recall -',
        'all of them on': `+${declared.join(' ')} -`,
      },
    );
  });

  test('gives exactly the wanted states, leaves the others, and switches on nothing undeclared', () => {
    const nameList = fc.uniqueArray(featureSetName, { maxLength: 6 });
    fc.assert(
      fc.property(featureSetSettings, nameList, nameList, fc.boolean(), nameList, (before, all, names, on, unknown) => {
        const after = withChoice(before, all, names, on);
        for (const name of names) assert.equal(isChosen(after, name), on, `${name} in ${lists(after)}`);
        for (const name of all.filter((other) => !names.includes(other)))
          assert.equal(isChosen(after, name), isChosen(before, name), `${name} in ${lists(after)}`);
        for (const name of unknown.filter((other) => !names.includes(other)))
          assert.ok(isChosen(before, name) || !isChosen(after, name), `${name} in ${lists(after)}`);
        assert.equal(withChoice(after, all, names, on), after, 'a second time changes nothing');
        assert.ok([...after.enabled, ...after.disabled].every(isFeatureSetPattern));
      }),
      { numRuns: 2_000 },
    );
  });
});

suite('The policy for push events', () => {
  test('is not decided by a set that happens to be called "undefined"', () => {
    const push = { undefined: 'infer' } as const;
    assert.deepEqual([pushPolicyOf(push, 'x'), pushPolicyOf(push, 'undefined')], ['notify', 'infer']);
  });

  test('is decided by the name, or else by the longest wildcard, or else it is "notify"', () => {
    const push = { '*': 'ignore', a: 'inbox', 'a.*': 'infer', 'a.b.*': 'notify', 'a.b': 'inbox' } as const;
    const names = ['x', 'a', 'a.b', 'a.c', 'a.b.c', '*', 'a.*'];
    assert.deepEqual(
      names.map((name) => `${name}: ${pushPolicyOf(push, name)}`),
      ['x: ignore', 'a: inbox', 'a.b: inbox', 'a.c: infer', 'a.b.c: notify', '*: notify', 'a.*: notify'],
    );
    assert.equal(pushPolicyOf({}, 'toString'), 'notify');
  });
});
