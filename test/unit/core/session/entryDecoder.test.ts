import assert from 'node:assert/strict';
import type { Json, JsonObject } from '../../../../src/core/base/json.ts';
import type { ServerDefinition } from '../../../../src/core/model/server.ts';
import { isGuardEntry } from '../../../../src/core/session/entryDecoder.ts';
import { decodeSettings } from '../../../../src/core/session/serverSettings.ts';
import type { SettingsEntry } from '../../../../src/core/session/settingsEntry.ts';

function entryOf(user: Json | undefined, workspace?: Json): SettingsEntry {
  const { entries } = decodeSettings([
    { scope: 'user', servers: user === undefined ? undefined : { a: user } },
    { scope: 'workspace', servers: workspace === undefined ? undefined : { a: workspace } },
  ]);
  return entries[0] ?? assert.fail('There is no entry.');
}

function definitionOf(user: Json | undefined, workspace?: Json): ServerDefinition {
  const { definition, problems } = entryOf(user, workspace);
  return definition ?? assert.fail(JSON.stringify(problems));
}

const problemsOf = (user: Json | undefined, workspace?: Json): readonly string[] =>
  entryOf(user, workspace).problems.map(
    ({ severity, path, message }) => `${severity} ${path.slice(1).join('.')}: ${message}`,
  );

/** The values that a member accepts. */
const taken = (values: readonly Json[], put: (value: Json) => JsonObject): readonly Json[] =>
  values.filter((value) => problemsOf({ command: 'x', ...put(value) }).length === 0);

suite('An entry of a server', () => {
  test('has defaults for all but its connection', () => {
    const { mcpl: _, ...rest } = definitionOf({ command: 'x' });
    assert.deepEqual(rest, {
      id: 'a',
      enabled: false,
      connection: { kind: 'stdio', command: 'x', args: [], env: {}, envFile: undefined, cwd: undefined },
      protocol: { era: 'auto', dialect: 'auto', mcpl: 'auto' },
      hiddenTools: [],
      autoApprove: [],
      validatesArguments: true,
      checksHealth: true,
      timeouts: { start: 60, list: 30, call: 60, callMax: 3600 },
      restart: 'onCrash',
      definedBy: 'user',
      workspaceAutoApprove: [],
      lentByUser: [],
      workspaceGrants: [],
    });
  });

  test('is read whole, without a word on any member that it may have', () => {
    const given = {
      enabled: true,
      command: 'x',
      args: ['a', ''],
      env: { A: 'b', N: 1, B: false },
      envFile: 'e',
      cwd: 'c',
      protocol: { era: 'legacy', dialect: 'off', mcpl: '0.4' },
      featureSets: { enabled: ['f'] },
      toolFeatureSets: { t: 'f' },
      scopes: { f: { whitelist: ['/a'] } },
      scopeAdapters: { t: '$.path' },
      hooks: { order: 1 },
      push: { f: 'inbox' },
      inference: { requestsPerHour: 1 },
      tools: { hidden: ['h'], autoApprove: ['g'], validateArguments: false },
      timeouts: { start: 1, list: 2, call: 3, callMax: 4 },
      restart: 'never',
      healthCheck: false,
    };
    assert.deepEqual(problemsOf(given), []);
    const { mcpl: _, ...rest } = definitionOf(given);
    assert.deepEqual(rest, {
      id: 'a',
      enabled: true,
      connection: {
        kind: 'stdio',
        command: 'x',
        args: ['a', ''],
        env: { A: 'b', N: '1', B: 'false' },
        envFile: 'e',
        cwd: 'c',
      },
      protocol: { era: 'legacy', dialect: 'off', mcpl: '0.4' },
      hiddenTools: ['h'],
      autoApprove: ['g'],
      validatesArguments: false,
      checksHealth: false,
      timeouts: { start: 1, list: 2, call: 3, callMax: 4 },
      restart: 'never',
      definedBy: 'workspace',
      workspaceAutoApprove: ['g'],
      lentByUser: ['A', 'N', 'B'],
      workspaceGrants: rest.workspaceGrants,
    });
  });

  test('of a remote server is read whole', () => {
    for (const transport of ['auto', 'http', 'sse', 'websocket']) {
      const given = { url: 'https://x.test', headers: { H: '1' }, transport, auth: { flow: 'off' } };
      assert.deepEqual(problemsOf(given), []);
      assert.deepEqual(definitionOf(given).connection, { kind: 'remote', ...given });
    }
    assert.deepEqual(definitionOf({ url: 'https://x.test' }).connection, {
      kind: 'remote',
      url: 'https://x.test',
      headers: {},
      transport: 'auto',
    });
    assert.deepEqual(problemsOf({ url: 'https://x.test', transport: 'smoke' }), [
      'error transport: Must be "auto" or "http" or "sse" or "websocket".',
    ]);
  });

  test('has an address of the web or of a WebSocket, or one that begins with a variable', () => {
    const urls = [
      'http://a',
      'HTTPS://a',
      'ws://a',
      'wss://a/b',
      '${env:U}',
      'xhttp://a',
      'http:///a',
      'http:// a',
      'ftp://a',
      'a${x}',
    ];
    assert.deepEqual(
      urls.filter((url) => problemsOf({ url }).length === 0),
      urls.slice(0, 5),
    );
  });

  test('takes values up to their limits', () => {
    const of = (put: (value: Json) => JsonObject, ...values: readonly Json[]): readonly Json[] => taken(values, put);
    assert.deepEqual(
      {
        timeouts: of((start) => ({ timeouts: { start } }), 0, 0.5, 86_400, 86_401, '1', null),
        order: of((order) => ({ hooks: { order } }), -1_000_001, -1_000_000, 1_000_000, 1_000_001, 0.5),
        before: of((beforeTimeoutMs) => ({ hooks: { beforeTimeoutMs } }), 0, 1, 60_000, 60_001),
        after: of((afterTimeoutMs) => ({ hooks: { afterTimeoutMs } }), 0, 1, 30_000, 30_001),
        requests: of((requestsPerHour) => ({ inference: { requestsPerHour } }), -1, 0, 10_000, 10_001),
        tokens: of((tokensPerDay) => ({ inference: { tokensPerDay } }), -1, 0, 1_000_000_000, 1_000_000_001),
        command: of((command) => ({ command }), 'a', ' ', '', 'a\0', 7, null),
        args: of((item) => ({ args: [item] }), '', 'a', 'a\0', 7, null),
        env: of((A) => ({ env: { A } }), '', 7, true, 'a\0', null, [], {}),
        switches: of((healthCheck) => ({ healthCheck }), true, false, 'true', 0, null),
        groups: of((tools) => ({ tools }), {}, [], 'a', null),
      },
      {
        timeouts: [0.5, 86_400],
        order: [-1_000_000, 1_000_000],
        before: [1, 60_000],
        after: [1, 30_000],
        requests: [0, 10_000],
        tokens: [0, 1_000_000_000],
        command: ['a'],
        args: ['', 'a'],
        env: ['', 7, true],
        switches: [true, false],
        groups: [{}],
      },
    );
  });

  test('takes every word of the protocol and no other', () => {
    const words = ['auto', 'legacy', 'modern', 'off', 'force', '0.1', '0.2', '0.3', '0.4', '0.5', 'x'];
    const of = (key: string): Json => [...taken(words, (value) => ({ protocol: { [key]: value } }))];
    assert.deepEqual(
      { era: of('era'), dialect: of('dialect'), mcpl: of('mcpl') },
      {
        era: ['auto', 'legacy', 'modern'],
        dialect: ['auto', 'off', 'force'],
        mcpl: ['auto', 'off', '0.2', '0.3', '0.4', '0.5'],
      },
    );
    assert.deepEqual(problemsOf({ command: 'x', protocol: { erra: 'auto' } }), [
      'warning protocol.erra: "erra" is not known here.',
    ]);
    assert.deepEqual(problemsOf({ command: 'x', restart: 'no' }), ['error restart: Must be "onCrash" or "never".']);
  });

  test('marks each unknown member at its key, and a wrong value at the value', () => {
    const entry = {
      url: 'https://x.test',
      comand: 'x',
      timeouts: { cal: 1, call: 0 },
      protocol: { erra: 'auto' },
      auth: { clientID: 'x' },
      hooks: { ordr: 1 },
      scopes: { f: { blackList: [] } },
    };
    assert.deepEqual(
      entryOf(entry)
        .problems.map(({ path, at = 'value' }) => `${at} ${path.slice(1).join('.')}`)
        .sort(),
      [
        'key auth.clientID',
        'key comand',
        'key hooks.ordr',
        'key protocol.erra',
        'key scopes.f.blackList',
        'key timeouts.cal',
        'value timeouts.call',
      ],
    );
  });

  test('keeps a sign-in for servers with an address', () => {
    assert.deepEqual(problemsOf({ command: 'x', auth: {} }), [
      'warning auth: Only a server with a "url" is signed in to.',
    ]);
  });

  test('says once what is missing, and not where a value is wrong already', () => {
    const missing =
      'error : Add "command" (a program to start) or "url" (a server to connect to), or have an extension that contributes it.';
    assert.deepEqual(
      [
        problemsOf({}),
        problemsOf({ command: 7 }),
        problemsOf({ url: 7 }),
        problemsOf({ command: 'x', url: 'http://a' }),
      ],
      [
        [missing],
        ['error command: Must be a text that is not empty.'],
        ['error url: Must be a text that is not empty.'],
        ['error url: An entry has either "command" or "url", not both.'],
      ],
    );
  });
});

suite('An entry that a workspace changes', () => {
  const guard = { command: '/bin/x', enabled: true, hooks: { afterInference: 'failClosed' } };

  test('names the user’s values that stay in effect, up to a limit', () => {
    const kept = (length: number): string => {
      const hidden = ['x'.repeat(length)];
      const [problem = ''] = problemsOf({ command: '/bin/x', tools: { hidden } }, { tools: { hidden: [] } });
      return problem.replace(/x{10,}/, 'x*');
    };
    const said = (value: string): string =>
      `warning tools.hidden: Your own value (${value}) stays in effect until you agree to this one.`;
    assert.deepEqual([kept(76), kept(77)], [said('["x*"]'), said('["x*"…')]);
  });

  test('keeps what the workspace would weaken, and is marked as a guard while it is one and on', () => {
    const marks = (user: Json | undefined, workspace?: Json): string => {
      const { isGuard, weakenings } = entryOf(user, workspace);
      return `${isGuard === true ? 'guard' : '-'} ${(weakenings ?? []).map(({ path }) => path.join('.')).join()}`;
    };
    assert.deepEqual(
      {
        'no workspace': marks(guard),
        'nothing changed': marks(guard, { timeouts: { start: 1 } }),
        'switched off': marks(guard, { enabled: false }),
        'made open': marks(guard, { hooks: { afterInference: 'failOpen' } }),
        'off by the user': marks({ ...guard, enabled: false }, { enabled: true }),
        'no guard': marks({ command: '/bin/x', enabled: true }, { hooks: { afterInference: 'failClosed' } }),
        broken: marks(guard, { command: 7 }),
        'no object': marks(guard, 7),
        'only a workspace': marks(undefined, guard),
      },
      {
        'no workspace': '- ',
        'nothing changed': 'guard ',
        'switched off': 'guard enabled',
        'made open': 'guard hooks.afterInference',
        'off by the user': '- ',
        'no guard': '- ',
        broken: 'guard ',
        'no object': 'guard ',
        'only a workspace': '- ',
      },
    );
    assert.deepEqual(
      [isGuardEntry('a', guard), isGuardEntry('a', { ...guard, enabled: false }), isGuardEntry('a', { enabled: true })],
      [true, false, false],
    );
  });

  test('compares defaults only for a server of the user’s own', () => {
    const asked = (user: Json, workspace: Json): readonly string[] =>
      (entryOf(user, workspace).weakenings ?? []).map(({ path }) => path.join('.'));
    const modern = { protocol: { era: 'modern' } };
    assert.deepEqual(
      {
        command: asked({ command: '/bin/x' }, modern),
        url: asked({ url: 'https://x.test' }, modern),
        'nothing of it': asked({ enabled: true }, { command: 'x', ...modern }),
        'another member': asked({ protocol: { mcpl: '0.4' } }, { command: 'x', ...modern }),
        'this member': asked({ protocol: { era: 'legacy' } }, { command: 'x', ...modern }),
        'a list of events': asked({ push: { a: 'ignore' } }, { command: 'x', push: { a: 'notify' } }),
        'hidden tools': asked({ tools: { hidden: ['a'] } }, { command: 'x', tools: { hidden: [] } }),
        'other tools': asked({ tools: { autoApprove: ['a'] } }, { command: 'x', tools: { hidden: [] } }),
      },
      {
        command: ['protocol.era'],
        url: ['protocol.era'],
        'nothing of it': [],
        'another member': [],
        'this member': ['protocol.era'],
        'a list of events': ['push.a'],
        'hidden tools': ['tools.hidden'],
        'other tools': [],
      },
    );
  });

  test('adds to the tools that models may call, and to nothing where the server is another one', () => {
    const added = (user: Json, workspace: Json): readonly string[] =>
      definitionOf(user, workspace).workspaceAutoApprove;
    const mine = { command: '/bin/x', tools: { autoApprove: ['a', 'b'] } };
    assert.deepEqual(
      [
        added(mine, { tools: { autoApprove: ['b', 'c'] } }),
        added(mine, {}),
        added(mine, { command: 'y' }),
        added({ command: '/bin/x' }, { tools: { autoApprove: ['b'] } }),
      ],
      [['c'], [], ['a', 'b'], ['b']],
    );
  });

  test('shows what is wrong with own scopes that it replaces, once', () => {
    const wrong = { scopes: { 'a*': {} } };
    const shown = 'warning scopes.a*';
    const of = (user: JsonObject, workspace: JsonObject): readonly string[] =>
      problemsOf({ command: '/bin/x', ...user }, workspace).map((problem) => problem.slice(0, shown.length));
    assert.deepEqual(of(wrong, {}), [shown]);
    assert.deepEqual(of(wrong, { scopes: 7 }).length, 2);
    assert.deepEqual(of({ timeouts: { call: -1 } }, { timeouts: { call: 1 } }), []);
  });
});
