import assert from 'node:assert/strict';
import type { Json } from '../../../../src/core/base/json.ts';
import { DEFAULT_MCPL } from '../../../../src/core/model/mcplDefaults.ts';
import { effectiveMcpl } from '../../../../src/core/consent/mcplGrants.ts';
import { reconcile } from '../../../../src/core/session/reconciliation.ts';
import { decodeSettings } from '../../../../src/core/session/serverSettings.ts';
import type { SettingsEntry } from '../../../../src/core/session/settingsEntry.ts';
import { cpuTime } from '../../../support/cpuTime.ts';

function decode(user: Json | undefined, workspace?: Json): SettingsEntry {
  const layers = [
    { scope: 'user', servers: user === undefined ? undefined : { a: user } },
    { scope: 'workspace', servers: workspace === undefined ? undefined : { a: workspace } },
  ] as const;
  const [entry] = decodeSettings(layers).entries;
  assert.ok(entry !== undefined);
  return entry;
}

const grants = (user: Json | undefined, workspace: Json): readonly string[] | undefined =>
  decode(user, workspace).definition?.workspaceGrants;

suite('What an entry says of MCPL', () => {
  test('has defaults under which nothing is on', () => {
    assert.deepEqual(decode({ command: 'x' }).definition?.mcpl, DEFAULT_MCPL);
  });

  test('is read whole', () => {
    const mcpl = {
      featureSets: { enabled: ['memory.*', 'memory.*'], disabled: ['memory.consolidation'] },
      toolFeatureSets: { recall: 'memory.recall' },
      hooks: {
        order: -2,
        readUserMessage: false,
        positions: ['system', 'system'],
        afterInference: 'failClosed',
        beforeTimeoutMs: 1,
        afterTimeoutMs: 30_000,
      },
      push: { 'memory.*': 'infer', '*': 'ignore' },
      inference: { model: 'gpt', requestsPerHour: 0, tokensPerDay: 5 },
    };
    const { definition, problems } = decode({ command: 'x', ...mcpl });
    assert.deepEqual(problems, []);
    assert.deepEqual(definition?.mcpl, {
      ...mcpl,
      featureSets: { enabled: ['memory.*'], disabled: ['memory.consolidation'] },
      hooks: { ...mcpl.hooks, positions: ['system'] },
      scopes: DEFAULT_MCPL.scopes,
    });
    assert.deepEqual(definition?.workspaceGrants, []);
  });

  test('every mistake is a problem at its place', () => {
    const { definition, problems } = decode(undefined, {
      command: 'x',
      featureSets: { enabled: ['a', 'a*', '', 7, 'b\n'], disabled: 'c', strange: 1 },
      toolFeatureSets: { t: 'a.*', u: 1 },
      hooks: { order: 1.5, readUserMessage: 'no', positions: ['top'], afterInference: 1, beforeTimeoutMs: 0, extra: 1 },
      push: { 'x*': 'infer', x: 'shout', y: null },
      inference: { model: ' ', requestsPerHour: -1, tokensPerDay: '9' },
    });
    assert.equal(definition, undefined);
    const name = 'Must be the name of a feature set, such as "memory.recall"';
    assert.deepEqual(
      problems.map(({ severity, path, message }) => `${severity} ${path.join('/')}: ${message}`),
      [
        'warning a/featureSets/strange: "strange" is not known here.',
        `error a/featureSets/enabled/1: ${name}, or "memory.*" or "*".`,
        `error a/featureSets/enabled/2: ${name}, or "memory.*" or "*".`,
        `error a/featureSets/enabled/3: ${name}, or "memory.*" or "*".`,
        `error a/featureSets/enabled/4: ${name}, or "memory.*" or "*".`,
        'error a/featureSets/disabled: Must be a list of texts.',
        `error a/toolFeatureSets/t: ${name}.`,
        `error a/toolFeatureSets/u: ${name}.`,
        'warning a/hooks/extra: "extra" is not known here.',
        'error a/hooks/order: Must be a whole number from -1000000 to 1000000.',
        'error a/hooks/readUserMessage: Must be true or false.',
        'error a/hooks/positions/0: Must be "system" or "beforeUser" or "afterUser".',
        'error a/hooks/afterInference: Must be "failOpen" or "failClosed".',
        'error a/hooks/beforeTimeoutMs: Must be a whole number from 1 to 60000.',
        `error a/push/x*: ${name}, or "memory.*" or "*".`,
        'error a/push/x: Must be "ignore" or "inbox" or "notify" or "infer".',
        'error a/push/y: Must be "ignore" or "inbox" or "notify" or "infer".',
        'error a/inference/model: Must be a text that is not empty.',
        'error a/inference/requestsPerHour: Must be a whole number from 0 to 10000.',
        'error a/inference/tokensPerDay: Must be a whole number from 0 to 1000000000.',
      ],
    );
  });

  test('too many names are an error, and cost nothing', () => {
    const many = Array.from({ length: 1_001 }, (_, index) => `n${index}`);
    const { problems } = decode({
      command: 'x',
      featureSets: { enabled: many },
      push: Object.fromEntries(many.map((name) => [name, 'inbox'])),
    });
    assert.deepEqual(
      problems.map(({ path, message }) => `${path.join('/')}: ${message}`),
      ['a/featureSets/enabled: Must have at most 1000 items.', 'a/push: Must have at most 1000 members.'],
    );
  });

  test('never restarts a server', () => {
    const state = {
      kind: 'running',
      info: { name: 's', title: undefined, version: '1', instructions: undefined },
      protocolVersion: '2025-06-18',
      connection: { era: 'legacy', isDialect: false, roundTripMs: 3, transport: 'stdio', session: undefined },
      pid: 1,
      since: 0,
    } as const;
    const before = decode({ command: 'x', enabled: true }).definition;
    const after = decode({
      command: 'x',
      enabled: true,
      featureSets: { enabled: ['*'] },
      hooks: { order: 3 },
      push: { '*': 'infer' },
      inference: { requestsPerHour: 1 },
      toolFeatureSets: { t: 'a' },
      scopes: { '*': { whitelist: ['/**'] } },
      scopeAdapters: { t: [] },
    }).definition;
    assert.equal(reconcile({ before, after, state, trusted: true, wasTrusted: true }), 'none');
  });
});

suite('What the workspace grants of MCPL', () => {
  const mine = { command: 'x' };

  test('is each thing beyond the user’s own settings, and beyond the defaults', () => {
    assert.deepEqual(
      grants(mine, {
        featureSets: { enabled: ['b', 'a.*'] },
        toolFeatureSets: { t: 'b' },
        hooks: { positions: ['system', 'beforeUser'], readUserMessage: true, afterInference: 'failOpen' },
        push: { b: 'infer', c: 'inbox' },
        inference: { model: 'gpt', requestsPerHour: 31, tokensPerDay: 200_001 },
      }),
      [
        'featureSets ["a.*"]',
        'featureSets ["b"]',
        'infer ["b","notify"]',
        'model ["gpt",null]',
        'position ["system"]',
        'requestsPerHour [31,30]',
        'tokensPerDay [200001,200000]',
        'tool ["t","b",null]',
      ],
    );
  });

  test('is nothing if it only narrows', () => {
    assert.deepEqual(
      grants(
        { ...mine, featureSets: { enabled: ['a.*', 'b'] }, push: { '*': 'infer' }, inference: { requestsPerHour: 90 } },
        {
          featureSets: { enabled: ['a.x', 'a.y.*'], disabled: ['a.x'] },
          hooks: {
            positions: [],
            readUserMessage: false,
            afterInference: 'failClosed',
            order: 5,
            beforeTimeoutMs: 1,
            afterTimeoutMs: 20_000,
          },
          push: { b: 'ignore', 'a.*': 'infer' },
          inference: { requestsPerHour: 60, tokensPerDay: 0 },
        },
      ),
      [],
    );
  });

  test('is also what it takes back of what the user forbade', () => {
    const careful = {
      ...mine,
      featureSets: { enabled: ['*'], disabled: ['danger.*', 'spy'] },
      hooks: { readUserMessage: false, positions: ['afterUser'] },
      push: { '*': 'infer', 'mail.*': 'ignore' },
      inference: { requestsPerHour: 2 },
    };
    assert.deepEqual(
      grants(careful, {
        featureSets: { disabled: ['spy'] },
        hooks: { readUserMessage: true, positions: ['afterUser', 'beforeUser'] },
        push: { 'mail.*': 'infer' },
        inference: { requestsPerHour: 3 },
      }),
      [
        'featureSets ["danger.*"]',
        'infer ["mail.*","ignore"]',
        'position ["beforeUser"]',
        'readUserMessage',
        'requestsPerHour [3,2]',
      ],
    );
    assert.deepEqual(grants(careful, { featureSets: { enabled: ['danger.x'], disabled: [] } }), [
      'featureSets ["danger.x"]',
    ]);
  });

  test('leaves out what the user has already switched on', () => {
    assert.deepEqual(
      grants({ ...mine, featureSets: { enabled: ['a.b', 'c'] } }, { featureSets: { enabled: ['a.*'] } }),
      ['featureSets ["a.*","a.b"]'],
    );
  });

  test('is all of it where the workspace defines the server, and what the user forbade still counts', () => {
    const allowing = {
      featureSets: { enabled: ['*'], disabled: ['spy'] },
      hooks: { positions: ['system'], readUserMessage: false },
      push: { '*': 'infer' },
      toolFeatureSets: { t: 'a' },
      inference: { requestsPerHour: 500, tokensPerDay: 7 },
    };
    assert.deepEqual(
      grants(allowing, { command: 'x', hooks: { readUserMessage: true }, inference: { tokensPerDay: 8 } }),
      [
        'featureSets ["*"]',
        'infer ["*","notify"]',
        'position ["system"]',
        'readUserMessage',
        'requestsPerHour [500,30]',
        'tokensPerDay [8,7]',
        'tool ["t","a",null]',
      ],
    );
  });

  test('costs little to find, however many patterns a repository has', () => {
    const many = (count: number): readonly string[] =>
      Array.from({ length: count }, (_, i) => `a.${'a.'.repeat(i % 100)}x${i}.*`);
    const deep = Array.from({ length: 120 }, (_, i) => `${'a.'.repeat(i + 1)}*`);
    const infer = Object.fromEntries(many(999).map((pattern) => [pattern, 'infer']));
    const startedAt = cpuTime();
    const { definition } = decode(
      { command: 'x', featureSets: { enabled: deep, disabled: deep } },
      { featureSets: { enabled: ['*', ...deep, ...many(800)], disabled: many(900) }, push: infer },
    );
    assert.ok(definition !== undefined);
    const { featureSets, push } = effectiveMcpl(definition, undefined);
    assert.deepEqual([definition.workspaceGrants.length, Object.values(push).includes('infer')], [1_120, false]);
    assert.ok(!featureSets.enabled.includes('*'));
    // Generous for a busy machine. Comparing all pairs in turn would take minutes.
    assert.ok(cpuTime() - startedAt < 20_000, `It took ${cpuTime() - startedAt} ms.`);
  });
});
