import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import type { Json } from '../../../../src/core/base/json.ts';
import { nearestPattern } from '../../../../src/core/model/featureSetPattern.ts';
import { DEFAULT_LIMITS, type HostLimits, type ServerDefinition } from '../../../../src/core/model/server.ts';
import {
  answerOf,
  type ChangeDirection,
  ENTRY_RULES,
  type EntryKey,
  type RuleAnswer,
  WINDOW_RULES,
  weakeningLine,
  type WindowKey,
} from '../../../../src/core/model/settingRules.ts';
import { isChosen } from '../../../../src/core/mcpl/featureSets.ts';
import { effectiveMcpl } from '../../../../src/core/consent/mcplGrants.ts';
import { decideStart, effectiveAutoApprove, grantsOf } from '../../../../src/core/consent/startConsent.ts';
import { LIMIT_KEYS, withOwnLimits } from '../../../../src/core/consent/windowLimits.ts';
import { withOwnProtection } from '../../../../src/core/session/ownProtection.ts';
import { decodeSettings } from '../../../../src/core/session/serverSettings.ts';
import type { SettingsEntry } from '../../../../src/core/session/settingsEntry.ts';
import { narrowestTransport } from '../../../../src/editor/settings/transportSetting.ts';
import { dose } from '../../../support/dose.ts';
import { featureSetName, featureSetPattern } from '../../../support/featureSetArbitraries.ts';

type Entry = Readonly<Record<string, Json>>;
type Agreed = ReadonlySet<string> | 'all';

const isDeep = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function entryOf(user: Entry, workspace: Entry, agreed: Agreed = new Set()): SettingsEntry {
  const { entries } = decodeSettings(
    [
      { scope: 'user', servers: { a: user } },
      { scope: 'workspace', servers: { a: workspace } },
    ],
    () => (line) => agreed === 'all' || agreed.has(line),
  );
  const [entry] = entries;
  assert.ok(entry !== undefined);
  return entry;
}

function definitionOf(entry: SettingsEntry): ServerDefinition {
  assert.ok(entry.definition !== undefined, JSON.stringify(entry.problems));
  return entry.definition;
}

/** An independent comparison of two values of one setting. */
interface Pairs {
  readonly keys: readonly EntryKey[];
  /** The entry's member for a value. */
  readonly value: fc.Arbitrary<Json>;
  put(value: Json): Entry;
  /** The decoded items with their ranks. A higher rank permits more. */
  ranks(definition: ServerDefinition): ReadonlyMap<string, number>;
  /** The rank of a missing item. */
  readonly missing: number;
  /** The key to which a change of an item belongs. */
  keyOf?(item: string, before: number, after: number): EntryKey;
}

/** One more letter than in the patterns, so that there is always a name in between. */
const LEVELS = [1, 2, 3, 4].map((depth) =>
  Array.from({ length: 3 ** depth }, (_, at) =>
    [...at.toString(3).padStart(depth, '0')].map((digit) => 'abc'[Number(digit)]).join('.'),
  ),
);
const UNIVERSE = LEVELS.flat();
const NAMES = ['t', 'u', 'v'];
const nested =
  (group: string, member: string) =>
  (value: Json): Entry => ({ [group]: { [member]: value } });
const whole =
  (key: string) =>
  (value: Json): Entry => ({ [key]: value });
const one = (rank: number): ReadonlyMap<string, number> => new Map([['', rank]]);
const listed = (names: readonly string[]): ReadonlyMap<string, number> => new Map(names.map((name) => [name, 1]));
/** For values without an order: equal or not. A change counts as narrowing. */
const kinds: unknown[] = [];
const kindOf = (value: unknown): ReadonlyMap<string, number> => {
  const text = JSON.stringify(value ?? null);
  if (!kinds.includes(text)) kinds.push(text);
  return new Map([[text, 1]]);
};
const subset = (names: readonly string[]): fc.Arbitrary<Json> => fc.subarray([...names]).map((list): Json => list);
const PUSH = ['ignore', 'inbox', 'notify', 'infer'];

const PAIRS: readonly Pairs[] = [
  {
    keys: ['enabled'],
    value: fc.boolean(),
    put: whole('enabled'),
    ranks: ({ enabled }) => one(Number(enabled)),
    missing: 0,
  },
  ...(['era', 'dialect', 'mcpl'] as const).map<Pairs>((key) => ({
    keys: [`protocol.${key}`],
    value: fc.constantFrom(
      ...{ era: ['auto', 'legacy', 'modern'], dialect: ['auto', 'off', 'force'], mcpl: ['auto', 'off', '0.2', '0.5'] }[
        key
      ],
    ),
    put: nested('protocol', key),
    ranks: ({ protocol }) => kindOf(protocol[key]),
    missing: 0,
  })),
  {
    keys: ['featureSets.enabled', 'featureSets.disabled'],
    value: fc
      .record(
        {
          enabled: fc.uniqueArray(featureSetPattern, { maxLength: 3 }),
          disabled: fc.uniqueArray(featureSetPattern, { maxLength: 3 }),
        },
        { requiredKeys: [] },
      )
      .map((lists): Json => JSON.parse(JSON.stringify(lists)) as Json),
    put: whole('featureSets'),
    ranks: ({ mcpl }) => listed(UNIVERSE.filter((name) => isChosen(mcpl.featureSets, name))),
    missing: 0,
  },
  {
    keys: ['toolFeatureSets'],
    value: fc.dictionary(fc.constantFrom(...NAMES), featureSetName, { maxKeys: 2 }).map((map): Json => ({ ...map })),
    put: whole('toolFeatureSets'),
    ranks: ({ mcpl }) => listed(Object.entries(mcpl.toolFeatureSets).map((pair) => pair.join())),
    missing: 0,
  },
  {
    keys: ['scopes.whitelist', 'scopes.blacklist'],
    value: fc
      .record({ whitelist: subset(['src/**', 'lib/**']), blacklist: subset(['key', 'pem']) })
      .map((lists): Json => ({ '*': lists })),
    put: whole('scopes'),
    ranks: ({ mcpl }) => {
      const { whitelist = [], blacklist = [] } = mcpl.scopes.lists['*'] ?? {};
      return new Map([
        ...whitelist.map((item) => [item, 1] as const),
        ...blacklist.map((item) => [`-${item}`, -1] as const),
      ]);
    },
    missing: 0,
    keyOf: (item) => (item.startsWith('-') ? 'scopes.blacklist' : 'scopes.whitelist'),
  },
  {
    keys: ['scopeAdapters'],
    value: fc
      .dictionary(fc.constantFrom(...NAMES), fc.constantFrom('$.a', '$.b'), { maxKeys: 2 })
      .map((map): Json => ({ ...map })),
    put: whole('scopeAdapters'),
    ranks: ({ mcpl }) => listed(Object.entries(mcpl.scopes.adapters).map((pair) => JSON.stringify(pair))),
    missing: 0,
  },
  {
    keys: ['hooks.order'],
    value: fc.integer({ min: -2, max: 2 }),
    put: nested('hooks', 'order'),
    ranks: ({ mcpl }) => kindOf(mcpl.hooks.order),
    missing: 0,
  },
  {
    keys: ['hooks.readUserMessage'],
    value: fc.boolean(),
    put: nested('hooks', 'readUserMessage'),
    ranks: ({ mcpl }) => one(Number(mcpl.hooks.readUserMessage)),
    missing: 0,
  },
  {
    keys: ['hooks.positions'],
    value: subset(['system', 'beforeUser', 'afterUser']),
    put: nested('hooks', 'positions'),
    ranks: ({ mcpl }) => listed(mcpl.hooks.positions),
    missing: 0,
  },
  {
    keys: ['hooks.afterInference'],
    value: fc.constantFrom('failOpen', 'failClosed'),
    put: nested('hooks', 'afterInference'),
    ranks: ({ mcpl }) => one(Number(mcpl.hooks.afterInference === 'failClosed')),
    missing: 0,
  },
  ...(['beforeTimeoutMs', 'afterTimeoutMs'] as const).map<Pairs>((key) => ({
    keys: [`hooks.${key}`],
    value: fc.constantFrom(1, 2, 5_000, 10_000, 20_000),
    put: nested('hooks', key),
    ranks: ({ mcpl }) => one(mcpl.hooks[key]),
    missing: 0,
  })),
  {
    keys: ['push', 'push.infer'],
    value: fc.dictionary(featureSetPattern, fc.constantFrom(...PUSH), { maxKeys: 3 }).map((map): Json => ({ ...map })),
    put: whole('push'),
    // Without a user value, the workspace's counts, unless it is "infer".
    ranks: ({ mcpl }) =>
      new Map(
        UNIVERSE.flatMap((name) => {
          const nearest = nearestPattern(Object.keys(mcpl.push), name);
          return nearest === undefined ? [] : [[name, PUSH.indexOf(mcpl.push[nearest] ?? '')] as const];
        }),
      ),
    missing: -1,
    keyOf: (_item, _before, after) => (after === 3 ? 'push.infer' : 'push'),
  },
  {
    keys: ['inference.model'],
    value: fc.constantFrom('small', 'large'),
    put: nested('inference', 'model'),
    ranks: ({ mcpl }) => kindOf(mcpl.inference.model),
    missing: 0,
  },
  ...(['requestsPerHour', 'tokensPerDay'] as const).map<Pairs>((key) => ({
    keys: [`inference.${key}`],
    value: fc
      .constantFrom(0, 7, 30, 40, 200_000, 900_000)
      .map((value) => (key === 'tokensPerDay' ? value : value % 10_000)),
    put: nested('inference', key),
    ranks: ({ mcpl }) => one(mcpl.inference[key]),
    missing: 0,
  })),
  {
    keys: ['tools.hidden'],
    value: subset(NAMES),
    put: nested('tools', 'hidden'),
    ranks: ({ hiddenTools }) => new Map(hiddenTools.map((tool) => [tool, -1])),
    missing: 0,
  },
  {
    keys: ['tools.autoApprove'],
    value: subset(NAMES),
    put: nested('tools', 'autoApprove'),
    ranks: ({ autoApprove }) => listed(autoApprove),
    missing: 0,
  },
  ...(['start', 'list', 'call', 'callMax'] as const).map<Pairs>((key) => ({
    keys: [`timeouts.${key}`],
    value: fc.constantFrom(1, 60, 3_600, 80_000),
    put: nested('timeouts', key),
    ranks: ({ timeouts }) => one(timeouts[key]),
    missing: 0,
  })),
  {
    keys: ['tools.validateArguments'],
    value: fc.boolean(),
    put: nested('tools', 'validateArguments'),
    ranks: ({ validatesArguments }) => one(Number(!validatesArguments)),
    missing: 0,
  },
  {
    keys: ['healthCheck'],
    value: fc.boolean(),
    put: whole('healthCheck'),
    ranks: ({ checksHealth }) => one(Number(!checksHealth)),
    missing: 0,
  },
  {
    keys: ['restart'],
    value: fc.constantFrom('onCrash', 'never'),
    put: whole('restart'),
    ranks: ({ restart }) => one(Number(restart === 'onCrash')),
    missing: 0,
  },
  {
    keys: ['args', 'env', 'envFile', 'cwd'],
    value: fc.oneof(
      subset(NAMES).map((args): Json => ({ args })),
      fc.constantFrom('1', '2').map((A): Json => ({ env: { A } })),
      fc.constantFrom('/e', '/f').map((envFile): Json => ({ envFile })),
      fc.constantFrom('/e', '/f').map((cwd): Json => ({ cwd })),
    ),
    put: (value) => value as Entry,
    ranks: ({ connection }) => kindOf(connection),
    missing: 0,
    keyOf: () => 'args',
  },
];

function mergedEntry(a: Entry, b: Entry): Entry {
  const result: Record<string, Json> = { ...a };
  for (const [key, value] of Object.entries(b)) {
    const before = result[key];
    result[key] = isDeep(before) && isDeep(value) ? mergedEntry(before as Entry, value as Entry) : value;
  }
  return result;
}

type Answers = { readonly keeps: boolean; readonly start: boolean; readonly never: boolean };
const NO_ANSWERS: Answers = { keeps: false, start: false, never: false };

/** The expected differences between the user's definition and the merged one, by the table. */
function expected(
  pairs: Pairs,
  own: ServerDefinition,
  all: ServerDefinition,
  isGuard: boolean,
  answer = answerOf,
): Answers {
  const before = pairs.ranks(own);
  const after = pairs.ranks(all);
  const given = new Set<RuleAnswer>();
  for (const item of new Set([...before.keys(), ...after.keys()])) {
    const from = before.get(item) ?? pairs.missing;
    const to = after.get(item) ?? pairs.missing;
    if (from === to) continue;
    const key = pairs.keyOf?.(item, from, to) ?? pairs.keys[0] ?? 'enabled';
    // The user set nothing.
    if (key === 'push' && from === -1) continue;
    const direction: ChangeDirection = to < from ? 'narrowing' : 'widening';
    given.add(answer(key, direction));
  }
  const keeps = given.has('keeps') || (isGuard && given.has('keepsForGuard'));
  return { keeps, start: given.has('start'), never: given.has('never') };
}

suite('The table of settings that a workspace may change', () => {
  interface Schema {
    readonly properties?: Readonly<Record<string, Schema>>;
    readonly additionalProperties?: Schema | boolean;
  }
  const manifest = JSON.parse(readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8')) as {
    readonly contributes: {
      readonly configuration: readonly { readonly properties: Readonly<Record<string, Schema>> }[];
    };
  };
  const settings = Object.assign({}, ...manifest.contributes.configuration.map((part) => part.properties)) as Readonly<
    Record<string, Schema>
  >;

  test('has a row for every key of an entry in package.json, and none besides', () => {
    const entry = settings['mcpl.servers']?.additionalProperties;
    assert.ok(typeof entry === 'object' && entry.properties !== undefined);
    const wholes = ['auth'];
    const keys = Object.entries(entry.properties).flatMap(([key, schema]) => {
      const members =
        schema.properties ??
        (isDeep(schema.additionalProperties) ? (schema.additionalProperties as Schema).properties : undefined);
      return members === undefined || wholes.includes(key)
        ? [key]
        : Object.keys(members).map((name) => `${key}.${name}`);
    });
    assert.deepEqual([...keys, 'push.infer'].sort(), Object.keys(ENTRY_RULES).sort());
  });

  test('has a row for every other setting of package.json, and none besides', () => {
    const others = Object.keys(settings).filter((key) => key !== 'mcpl.servers');
    assert.deepEqual(others.sort(), Object.keys(WINDOW_RULES).sort());
  });

  test('has pairs of values for every row, so that no decision goes untried', () => {
    const remote = ['command', 'url', 'headers', 'transport', 'auth'];
    assert.deepEqual([...PAIRS.flatMap(({ keys }) => keys), ...remote].sort(), Object.keys(ENTRY_RULES).sort());
  });

  test('decides every pair of a user’s and a workspace’s value', () => {
    const cases = fc.nat(PAIRS.length - 1).chain((row) => {
      const value = PAIRS[row]?.value ?? fc.constant(null);
      return fc.record({
        row: fc.constant(row),
        mine: fc.option(value, { nil: undefined }),
        theirs: value,
        other: value,
        guards: fc.boolean(),
        isOn: fc.boolean(),
      });
    });
    fc.assert(
      fc.property(cases, ({ row, mine, theirs, other, guards, isOn }) => {
        const pairs = PAIRS[row];
        assert.ok(pairs !== undefined);
        const base: Entry = {
          command: '/bin/x',
          ...(isOn && { enabled: true }),
          ...(guards && { hooks: { afterInference: 'failClosed' } }),
        };
        const user = mine === undefined ? base : mergedEntry(base, pairs.put(mine));
        const own = definitionOf(entryOf(user, {}));
        // Without any protection, and with all but what no consent covers.
        const merged = definitionOf(entryOf(mergedEntry(user, pairs.put(theirs)), {}));
        const all = definitionOf(entryOf(user, pairs.put(theirs), 'all'));
        const isGuard = own.mcpl.hooks.afterInference === 'failClosed';
        const wanted = expected(pairs, own, merged, isGuard);
        const entry = entryOf(user, pairs.put(theirs));
        const open = entry.weakenings ?? [];
        assert.equal(open.length > 0, wanted.keeps, 'whether the user’s own value is kept');
        const now = definitionOf(entry);
        const asks = (definition: ServerDefinition): boolean =>
          decideStart(definition, undefined, false).kind === 'ask';
        if (!wanted.keeps)
          assert.equal(asks(now), wanted.start || now.definedBy === 'workspace', 'whether a start asks');
        // Values that need consent have no effect before it.
        const held: ServerDefinition = {
          ...now,
          mcpl: effectiveMcpl(now, undefined),
          autoApprove: effectiveAutoApprove(now, undefined),
        };
        if (now.definedBy === 'user')
          assert.deepEqual(expected(pairs, own, held, isGuard), NO_ANSWERS, 'what holds meanwhile');
        assert.equal(expected(pairs, own, all, isGuard).never, false, 'what no consent covers');
        // The consent covers only this value.
        const lines = new Set(open.map(weakeningLine));
        const agreed = entryOf(user, pairs.put(theirs), lines);
        assert.deepEqual(agreed.weakenings, undefined);
        assert.deepEqual(pairs.ranks(definitionOf(agreed)), pairs.ranks(all));
        const later = entryOf(user, pairs.put(other), lines);
        const fresh = entryOf(user, pairs.put(other)).weakenings ?? [];
        assert.deepEqual(
          later.weakenings ?? [],
          fresh.filter((weakening) => !lines.has(weakeningLine(weakening))),
        );
        const consent = { server: 'a', fingerprint: 'f', grants: grantsOf(definitionOf(agreed)), at: 0 };
        assert.equal(decideStart(definitionOf(agreed), consent, false).kind, 'allow');
      }),
      { numRuns: dose(5_000, 100_000) },
    );
  });

  test('keeps the user’s value for a rule of "never", whatever the user agreed to', () => {
    const uncompared: readonly EntryKey[] = [
      ...(['toolFeatureSets', 'scopes.whitelist', 'scopes.blacklist', 'scopeAdapters', 'tools.autoApprove'] as const),
      ...(['tools.validateArguments', 'healthCheck', 'restart', 'args'] as const),
      ...(['start', 'list', 'call', 'callMax'] as const).map((key) => `timeouts.${key}` as const),
    ];
    const compared = PAIRS.filter(({ keys }) => !keys.some((key) => uncompared.includes(key)));
    const cases = fc.constantFrom(...compared).chain((pairs) =>
      fc.record({
        pairs: fc.constant(pairs),
        mine: pairs.value,
        theirs: pairs.value,
        never: fc.constantFrom<readonly ChangeDirection[]>(['narrowing'], ['widening'], ['narrowing', 'widening']),
      }),
    );
    fc.assert(
      fc.property(cases, ({ pairs, mine, theirs, never }) => {
        const user = mergedEntry({ command: '/bin/x' }, pairs.put(mine));
        const own = definitionOf(entryOf(user, {}));
        const merged = definitionOf(entryOf(mergedEntry(user, pairs.put(theirs)), {}));
        const answer: typeof answerOf = (key, direction) =>
          pairs.keys.includes(key as EntryKey) && never.includes(direction) ? 'never' : 'free';
        const all = () => true;
        const { effective, open, refused } = withOwnProtection(own, merged, all, all, answer);
        const isRefused = expected(pairs, own, merged, false, answer).never;
        assert.deepEqual([open.length, refused.length > 0], [0, isRefused]);
        const now: ServerDefinition = { ...merged, ...effective };
        assert.equal(expected(pairs, own, now, false, answer).never, false);
        if (!isRefused) assert.deepEqual(now, merged);
      }),
      { numRuns: dose(3_000, 50_000) },
    );
  });

  test('decides every pair of values of the window', () => {
    const limit = fc.constantFrom(...(Object.keys(LIMIT_KEYS) as (keyof HostLimits)[]));
    const value = fc.oneof(fc.integer({ min: 5, max: 900 }), fc.constantFrom('small', 'large'));
    fc.assert(
      fc.property(limit, value, value, (name, mine, theirs) => {
        const typed = (given: number | string): HostLimits => ({
          ...DEFAULT_LIMITS,
          [name]: name === 'model' ? String(given) : name === 'asksInChat' ? given === 'large' : Number(given) || 7,
        });
        const [own, all] = [typed(mine), typed(theirs)];
        const key: WindowKey = LIMIT_KEYS[name];
        const direction =
          own[name] !== undefined && all[name] !== undefined && all[name] > own[name] ? 'widening' : 'narrowing';
        const answer = own[name] === all[name] ? 'free' : answerOf(key, direction);
        const before = withOwnLimits(own, all, () => false);
        assert.deepEqual(
          [before.limits[name], before.open.length],
          [answer === 'free' ? all[name] : own[name], Number(answer === 'keeps')],
        );
        const lines = new Set(before.open.map(weakeningLine));
        assert.deepEqual(
          withOwnLimits(own, all, (line) => lines.has(line)),
          { limits: answer === 'never' ? own : all, open: [] },
        );
      }),
      { numRuns: dose(1_000, 20_000) },
    );
  });

  test('lets a workspace only narrow how chats reach servers', () => {
    const transports = ['loopback', 'socket', 'off'] as const;
    for (const mine of transports)
      for (const theirs of transports) {
        const isWider = transports.indexOf(theirs) < transports.indexOf(mine);
        const answer = answerOf('mcpl.gateway.transport', isWider ? 'widening' : 'narrowing');
        assert.equal(narrowestTransport(mine, theirs), answer === 'free' ? theirs : mine);
      }
  });

  test('keeps what no workspace may say out of its settings', () => {
    const scopes = settings as Readonly<Record<string, { readonly scope?: string }>>;
    const machine = Object.keys(WINDOW_RULES).filter((key) => scopes[key]?.scope === 'machine');
    assert.deepEqual(machine, ['mcpl.approvals.inChat', 'mcpl.chatHooks.enabled', 'mcpl.models.wrap']);
    for (const key of machine)
      assert.deepEqual(WINDOW_RULES[key as WindowKey], { narrowing: 'never', widening: 'never' });
  });
});
