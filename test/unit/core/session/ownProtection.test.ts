import assert from 'node:assert/strict';
import type { Json } from '../../../../src/core/base/json.ts';
import { decodeSettings } from '../../../../src/core/session/serverSettings.ts';

type Entry = Readonly<Record<string, Json>>;

/** The questions to the user, one line each: `key at path: their value, not the user's`. */
function asked(user: Entry, workspace: Entry): readonly string[] {
  const layers = [
    { scope: 'user', servers: { a: { command: '/bin/x', ...user } } },
    { scope: 'workspace', servers: { a: workspace } },
  ] as const;
  const [entry] = decodeSettings(layers, () => () => false).entries;
  return (entry?.weakenings ?? []).map(
    ({ key, path, value, instead }) => `${key} at ${path.join('.')}: ${value}, not ${instead}`,
  );
}

const guard = { enabled: true, hooks: { afterInference: 'failClosed' } };
const hooks = (members: Entry): Entry => ({ hooks: members });

suite('A question about a weaker setting', () => {
  test('names the setting, the value of the workspace and that of the user', () => {
    const rows: Readonly<Record<string, readonly [user: Entry, workspace: Entry]>> = {
      'a guard off': [guard, { enabled: false }],
      'a server off': [{ enabled: true }, { enabled: false }],
      'a guard on': [{ ...guard, enabled: false }, { enabled: true }],
      'the era of a guard': [{ ...guard, protocol: { era: 'legacy' } }, { protocol: { era: 'modern' } }],
      era: [{}, { protocol: { era: 'modern' } }],
      dialect: [{ protocol: { dialect: 'off' } }, { protocol: { dialect: 'force' } }],
      'no MCPL': [{}, { protocol: { mcpl: 'off' } }],
      'no MCPL of a guard': [guard, { protocol: { mcpl: 'off' } }],
      'a set of a guard off': [
        { ...guard, featureSets: { enabled: ['a.*', 'c'] } },
        { featureSets: { disabled: ['a.x', 'a.b'] } },
      ],
      'another list of a guard': [
        { ...guard, featureSets: { enabled: ['c', 'a'] } },
        { featureSets: { enabled: ['a'] } },
      ],
      'a set off': [{ featureSets: { enabled: ['a.*'] } }, { featureSets: { disabled: ['a.x'] } }],
      'a set freed': [{ featureSets: { enabled: ['*'], disabled: ['a'] } }, { featureSets: { disabled: [] } }],
      'no guard any more': [guard, hooks({ afterInference: 'failOpen' })],
      'another timeout of a guard': [
        { ...guard, ...hooks({ afterInference: 'failClosed', afterTimeoutMs: 3000 }) },
        hooks({ afterTimeoutMs: 100 }),
      ],
      'a longer one': [
        { ...guard, ...hooks({ afterInference: 'failClosed', afterTimeoutMs: 3000 }) },
        hooks({ afterTimeoutMs: 9000 }),
      ],
      'another order': [{ ...guard, ...hooks({ afterInference: 'failClosed', order: 1 }) }, hooks({ order: 2 })],
      'an earlier order': [{ ...guard, ...hooks({ afterInference: 'failClosed', order: 2 }) }, hooks({ order: 1 })],
      'no user message': [hooks({ readUserMessage: true }), hooks({ readUserMessage: false })],
      'no user message of a guard': [
        { ...guard, ...hooks({ afterInference: 'failClosed', readUserMessage: true }) },
        hooks({ readUserMessage: false }),
      ],
      'fewer positions': [hooks({ positions: ['system', 'afterUser'] }), hooks({ positions: ['system'] })],
      push: [{ push: { a: 'inbox', 'b.*': 'ignore' } }, { push: { a: 'notify', 'b.*': 'notify' } }],
      'push off': [{ push: { a: 'notify' } }, { push: { a: 'ignore' } }],
      budget: [
        { inference: { requestsPerHour: 10, tokensPerDay: 20 } },
        { inference: { requestsPerHour: 9, tokensPerDay: 21 } },
      ],
      model: [{ inference: { model: 'a' } }, { inference: { model: 'b' } }],
      'hidden tools': [{ tools: { hidden: ['a', 'b', 'c'] } }, { tools: { hidden: ['b', 'd'] } }],
      'no hidden tools': [{ tools: { hidden: ['a'] } }, { tools: { hidden: [] } }],
      'the same': [guard, guard],
    };
    assert.deepEqual(
      Object.fromEntries(
        Object.entries(rows).map(([name, [user, workspace]]) => [name, asked(user, workspace).join('; ')]),
      ),
      {
        'a guard off': 'enabled at enabled: false, not true',
        'a server off': '',
        'a guard on': '',
        'the era of a guard': 'protocol.era at protocol.era: "modern", not "legacy"',
        era: 'protocol.era at protocol.era: "modern", not "auto"',
        dialect: 'protocol.dialect at protocol.dialect: "force", not "off"',
        'no MCPL': 'protocol.mcpl at protocol.mcpl: "off", not "auto"',
        'no MCPL of a guard': 'protocol.mcpl at protocol.mcpl: "off", not "auto"',
        'a set of a guard off':
          'featureSets.disabled at featureSets.disabled: [["a.*","c"],["a.b","a.x"]], not [["a.*","c"],[]]',
        'another list of a guard': 'featureSets.enabled at featureSets.enabled: [["a"],[]], not [["a","c"],[]]',
        'a set off': '',
        'a set freed': '',
        'no guard any more': 'hooks.afterInference at hooks.afterInference: "failOpen", not "failClosed"',
        'another timeout of a guard': 'hooks.afterTimeoutMs at hooks.afterTimeoutMs: 100, not 3000',
        'a longer one': '',
        'another order': 'hooks.order at hooks.order: 2, not 1',
        'an earlier order': 'hooks.order at hooks.order: 1, not 2',
        'no user message': '',
        'no user message of a guard': 'hooks.readUserMessage at hooks.readUserMessage: false, not true',
        'fewer positions': '',
        push: 'push at push.a: "notify", not "inbox"; push at push.b.*: "notify", not "ignore"',
        'push off': 'push at push.a: "ignore", not "notify"',
        budget: '',
        model: '',
        'hidden tools': 'tools.hidden at tools.hidden: ["b","d"], not ["a","b","c"]',
        'no hidden tools': 'tools.hidden at tools.hidden: [], not ["a"]',
        'the same': '',
      },
    );
  });
});
