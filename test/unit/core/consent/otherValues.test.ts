import assert from 'node:assert/strict';
import type { Json } from '../../../../src/core/base/json.ts';
import type { McplGrant } from '../../../../src/core/model/mcplGrant.ts';
import { DEFAULT_LIMITS, type HostLimits, type ServerDefinition } from '../../../../src/core/model/server.ts';
import { type EntryKey, weakeningLine, WINDOW_RULES, type WindowKey } from '../../../../src/core/model/settingRules.ts';
import { effectiveMcpl } from '../../../../src/core/consent/mcplGrants.ts';
import { decideStart, effectiveAutoApprove, grantsOf } from '../../../../src/core/consent/startConsent.ts';
import { LIMIT_KEYS, withOwnLimits } from '../../../../src/core/consent/windowLimits.ts';
import type { Consent } from '../../../../src/core/ports.ts';
import { decodeSettings } from '../../../../src/core/session/serverSettings.ts';
import type { SettingsEntry } from '../../../../src/core/session/settingsEntry.ts';

type Entry = Readonly<Record<string, Json>>;

/** `user` has its own command unless the workspace defines the server. */
function entryOf(user: Entry, workspace: Entry, agreed: readonly string[] = []): SettingsEntry {
  const own = workspace['command'] === undefined ? { command: '/bin/x', ...user } : user;
  const layers = [
    { scope: 'user', servers: { a: own } },
    { scope: 'workspace', servers: { a: workspace } },
  ] as const;
  const [entry] = decodeSettings(layers, () => (line) => agreed.includes(line)).entries;
  assert.ok(entry !== undefined);
  return entry;
}

function definitionOf(user: Entry, workspace: Entry): ServerDefinition {
  const entry = entryOf(user, workspace);
  assert.ok(entry.definition !== undefined, JSON.stringify(entry.problems));
  return entry.definition;
}

const consentTo = (definition: ServerDefinition): Consent => {
  return { server: 'a', fingerprint: 'f', grants: grantsOf(definition), at: 0 };
};

interface Row {
  readonly own?: Entry;
  readonly agreed: Entry;
  /** Others of the same kind. */
  readonly later: readonly Entry[];
}

const sets = (...enabled: readonly string[]): Entry => ({ featureSets: { enabled } });
const scopes = (key: string, ...whitelist: readonly string[]): Entry => ({ scopes: { [key]: { whitelist } } });
const adapters = (scopeAdapters: Readonly<Record<string, Json>>): Entry => ({ scopeAdapters });
const theirs = { command: '/bin/y' };

/** Each kind of grant that has a value. */
const GRANTS: Readonly<
  Record<Exclude<McplGrant['kind'], 'readUserMessage' | 'withoutMcpl'> | 'autoApprove' | 'lent', Row>
> = {
  featureSets: { agreed: sets('a.x'), later: [sets('a.y'), sets('a.*'), sets('*'), sets('a.x.y'), sets('a')] },
  position: {
    own: { hooks: { positions: [] } },
    agreed: { hooks: { positions: ['afterUser'] } },
    later: [{ hooks: { positions: ['system'] } }, { hooks: { positions: ['beforeUser'] } }],
  },
  infer: {
    agreed: { push: { 'a.x': 'infer' } },
    later: [{ push: { 'a.y': 'infer' } }, { push: { 'a.*': 'infer' } }, { push: { '*': 'infer' } }],
  },
  tool: {
    own: { toolFeatureSets: { t: 'a' } },
    agreed: { toolFeatureSets: { t: 'b' } },
    later: [{ toolFeatureSets: { t: 'c' } }, { toolFeatureSets: { u: 'b' } }],
  },
  whitelist: {
    own: scopes('*', 'src/**'),
    agreed: scopes('*', 'lib/**'),
    later: [scopes('*', 'etc/**'), scopes('*', '**'), scopes('files', 'etc/**')],
  },
  adapter: {
    own: adapters({ t: '$.a' }),
    agreed: adapters({ t: '$.b' }),
    later: [
      adapters({ t: '$.c' }),
      adapters({ t: [] }),
      adapters({ t: ['$.b', '$.c'] }),
      adapters({ u: '$.b' }),
      adapters({ t: 7 }),
    ],
  },
  model: {
    own: { inference: { model: 'small' } },
    agreed: { inference: { model: 'large' } },
    later: [{ inference: { model: 'larger' } }, { inference: { model: 'Large' } }],
  },
  requestsPerHour: {
    agreed: { inference: { requestsPerHour: 40 } },
    later: [{ inference: { requestsPerHour: 41 } }, { inference: { requestsPerHour: 10_000 } }],
  },
  tokensPerDay: {
    own: { inference: { tokensPerDay: 7 } },
    agreed: { inference: { tokensPerDay: 8 } },
    later: [{ inference: { tokensPerDay: 9 } }, { inference: { tokensPerDay: 200_000 } }],
  },
  autoApprove: {
    own: { tools: { autoApprove: ['t'] } },
    agreed: { tools: { autoApprove: ['t', 'u'] } },
    later: [{ tools: { autoApprove: ['v'] } }, { tools: { autoApprove: ['t', 'u', 'v'] } }],
  },
  lent: {
    agreed: { ...theirs, tools: { autoApprove: ['t'] } },
    later: [
      { ...theirs, tools: { autoApprove: ['u'] } },
      { ...theirs, inference: { tokensPerDay: 200_001 } },
      { ...theirs, hooks: { positions: ['system'] } },
      { ...theirs, protocol: { mcpl: 'off' } },
      { ...theirs, protocol: { era: 'modern' } },
    ],
  },
};

/** For these kinds, a part of a later grant may already be allowed. */
const PARTS: ReadonlySet<string> = new Set(['featureSets', 'adapter', 'lent']);

suite('A consent', () => {
  test('covers no other value of the same kind', () => {
    for (const [kind, { own = {}, agreed, later }] of Object.entries(GRANTS)) {
      const first = definitionOf(own, agreed);
      const consent = consentTo(first);
      assert.equal(decideStart(first, consent, false).kind, 'allow', kind);
      for (const workspace of later) {
        const definition = definitionOf(own, workspace);
        const which = `${kind} ${JSON.stringify(workspace)}`;
        assert.deepEqual(decideStart(definition, consent, false), { kind: 'ask', reason: 'widened' }, which);
        // Until then, the effective settings are those without it.
        const before = effectiveMcpl(definition, { ...consent, grants: { autoApprove: [], others: [] } });
        if (!PARTS.has(kind)) assert.deepEqual(effectiveMcpl(definition, consent), before, which);
        const free = effectiveAutoApprove(definition, consent).filter((tool) => tool === 'v');
        assert.deepEqual(free, [], which);
      }
    }
  });

  test('to what a workspace’s own server is lent does not cover what the user allows later', () => {
    const rows: readonly (readonly [Entry, Entry])[] = [
      [{ inference: { tokensPerDay: 500_000 } }, { inference: { tokensPerDay: 900_000 } }],
      [{ inference: { requestsPerHour: 50 } }, { inference: { requestsPerHour: 51 } }],
      [{ inference: { model: 'a' } }, { inference: { model: 'a', tokensPerDay: 300_000 } }],
      [sets('a'), sets('a', 'b')],
      [{ push: { a: 'infer' } }, { push: { a: 'infer', b: 'infer' } }],
      [{ toolFeatureSets: { t: 'a' } }, { toolFeatureSets: { t: 'b' } }],
      [adapters({ t: '$.a' }), adapters({ t: '$.b' })],
      [scopes('*', 'src/**'), scopes('*', 'src/**', 'lib/**')],
      [{ tools: { autoApprove: ['t'] } }, { tools: { autoApprove: ['t', 'u'] } }],
    ];
    for (const [user, later] of rows) {
      const consent = consentTo(definitionOf(user, theirs));
      assert.equal(decideStart(definitionOf(user, theirs), consent, false).kind, 'allow');
      assert.deepEqual(
        decideStart(definitionOf(later, theirs), consent, false),
        { kind: 'ask', reason: 'widened' },
        JSON.stringify(later),
      );
    }
  });
});

/** Each setting whose user value is protected: the user's value, the agreed value, and others of the same kind. */
const KEPT: readonly (Row & { readonly key: EntryKey })[] = [
  {
    key: 'protocol.era',
    own: { protocol: { era: 'legacy' } },
    agreed: { protocol: { era: 'auto' } },
    later: [{ protocol: { era: 'modern' } }],
  },
  {
    key: 'protocol.dialect',
    agreed: { protocol: { dialect: 'off' } },
    later: [{ protocol: { dialect: 'force' } }],
  },
  {
    key: 'protocol.mcpl',
    agreed: { protocol: { mcpl: '0.2' } },
    later: [{ protocol: { mcpl: '0.3' } }, { protocol: { mcpl: 'off' } }],
  },
  { key: 'hooks.order', agreed: { hooks: { order: 1 } }, later: [{ hooks: { order: 2 } }, { hooks: { order: -1 } }] },
  {
    key: 'hooks.afterTimeoutMs',
    agreed: { hooks: { afterTimeoutMs: 900 } },
    later: [{ hooks: { afterTimeoutMs: 901 } }, { hooks: { afterTimeoutMs: 1 } }],
  },
  {
    key: 'push',
    own: { push: { '*': 'notify' } },
    agreed: { push: { a: 'inbox' } },
    later: [{ push: { a: 'ignore' } }, { push: { b: 'inbox' } }, { push: { '*': 'inbox' } }],
  },
  {
    key: 'tools.hidden',
    own: { tools: { hidden: ['t', 'u'] } },
    agreed: { tools: { hidden: ['t'] } },
    later: [{ tools: { hidden: ['u'] } }, { tools: { hidden: [] } }],
  },
  ...[
    {
      key: 'featureSets.disabled',
      own: sets('a', 'b'),
      agreed: { featureSets: { disabled: ['a'] } },
      later: [{ featureSets: { disabled: ['b'] } }, { featureSets: { disabled: ['a', 'b'] } }],
    } as const,
    { key: 'featureSets.enabled', own: sets('a', 'b'), agreed: sets('a'), later: [sets('b'), sets()] } as const,
    {
      key: 'hooks.positions',
      agreed: { hooks: { positions: ['afterUser'] } },
      later: [{ hooks: { positions: ['beforeUser'] } }, { hooks: { positions: [] } }],
    } as const,
    {
      key: 'hooks.beforeTimeoutMs',
      agreed: { hooks: { beforeTimeoutMs: 2 } },
      later: [{ hooks: { beforeTimeoutMs: 1 } }],
    } as const,
    {
      key: 'inference.requestsPerHour',
      agreed: { inference: { requestsPerHour: 2 } },
      later: [{ inference: { requestsPerHour: 1 } }],
    } as const,
    {
      key: 'inference.tokensPerDay',
      agreed: { inference: { tokensPerDay: 2 } },
      later: [{ inference: { tokensPerDay: 1 } }],
    } as const,
  ].map((row) => ({ ...row, own: { ...('own' in row ? row.own : {}), hooks: { afterInference: 'failClosed' } } })),
];

suite('An agreement to weaker settings', () => {
  test('covers no other value of the same kind, nor the same value in place of another', () => {
    for (const { key, own = {}, agreed, later } of KEPT) {
      const [open, ...more] = entryOf(own, agreed).weakenings ?? [];
      assert.ok(open !== undefined && more.length === 0 && open.key === key, key);
      const line = weakeningLine(open);
      assert.equal(entryOf(own, agreed, [line]).weakenings, undefined, key);
      assert.notEqual(entryOf(own, agreed, [weakeningLine({ ...open, instead: '"else"' })]).weakenings, undefined, key);
      for (const workspace of later)
        assert.deepEqual(
          entryOf(own, workspace, [line]).weakenings?.map((weakening) => weakening.key),
          [key],
          `${key} ${JSON.stringify(workspace)}`,
        );
    }
  });

  test('covers no other value of a setting of the window', () => {
    const asking = Object.entries(LIMIT_KEYS).filter(([, key]: readonly [string, WindowKey]) =>
      Object.values(WINDOW_RULES[key]).includes('keeps'),
    );
    assert.equal(asking.length, 8);
    for (const [name, key] of asking) {
      const limits = (value: number): HostLimits => ({
        ...DEFAULT_LIMITS,
        [name]: name === 'model' ? `model ${value}` : value,
      });
      const [open] = withOwnLimits(limits(10), limits(11), () => false).open;
      assert.ok(open !== undefined && open.key === key, key);
      const line = weakeningLine(open);
      const isAgreed = (asked: string): boolean => asked === line;
      assert.equal(withOwnLimits(limits(10), limits(11), isAgreed).open.length, 0, key);
      assert.equal(withOwnLimits(limits(10), limits(12), isAgreed).open.length, 1, key);
      assert.equal(withOwnLimits(limits(9), limits(11), isAgreed).open.length, 1, key);
    }
  });

  test('the window keeps nothing where the user has no settings of their own', () => {
    const all = { ...DEFAULT_LIMITS, pushPerMinute: 7 };
    assert.deepEqual(
      withOwnLimits(undefined, all, () => false),
      { limits: all, open: [] },
    );
    assert.deepEqual(
      withOwnLimits(all, all, () => false),
      { limits: all, open: [] },
    );
  });
});
