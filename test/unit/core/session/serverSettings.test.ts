import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Json } from '../../../../src/core/base/json.ts';
import type { SettingsLayer } from '../../../../src/core/model/server.ts';
import { decodeSettings } from '../../../../src/core/session/serverSettings.ts';

/** Everything decoded, as text. */
function decode(...layers: SettingsLayer[]): string {
  const { entries, problems } = decodeSettings(layers);
  const lines = entries.map(({ id, definition, problems: own }) => {
    const shown = definition === undefined ? 'broken' : JSON.stringify(definition.connection);
    const flags =
      definition === undefined ? '' : ` ${definition.enabled ? 'enabled' : 'disabled'} by ${definition.definedBy}`;
    return [`${id}: ${shown}${flags}`, ...own.map(show)].join('\n');
  });
  return [...problems.map(show), ...lines].join('\n');
}

function show(problem: {
  path: readonly (string | number)[];
  scope: string;
  severity: string;
  message: string;
}): string {
  return `  ${problem.severity} ${problem.scope} ${problem.path.join('.')}: ${problem.message}`;
}

const user = (servers: Json): SettingsLayer => ({ scope: 'user', servers });
const workspace = (servers: Json): SettingsLayer => ({ scope: 'workspace', servers });

suite('Server settings', () => {
  test('an entry with a command is a stdio server that is off by default', () => {
    assert.equal(
      decode(user({ notes: { command: 'node', args: ['a.js'], env: { A: 1, B: true } } })),
      'notes: {"kind":"stdio","command":"node","args":["a.js"],"env":{"A":"1","B":"true"}} disabled by user',
    );
  });

  test('an entry with a URL is a remote server', () => {
    assert.equal(
      decode(user({ far: { url: 'https://example.test/mcp', headers: { A: 'b' }, enabled: true } })),
      'far: {"kind":"remote","url":"https://example.test/mcp","headers":{"A":"b"},"transport":"auto"} enabled by user',
    );
  });

  test('layers merge key by key, so that a workspace enables what the user defined', () => {
    assert.equal(
      decode(
        user({ memory: { command: 'node', env: { A: 'user', B: 'user' } } }),
        workspace({ memory: { enabled: true } }),
      ),
      'memory: {"kind":"stdio","command":"node","args":[],"env":{"A":"user","B":"user"}} enabled by user',
    );
  });

  test('one member of the environment from the workspace makes the connection the workspace’s', () => {
    assert.equal(
      decode(user({ memory: { command: 'node', env: { A: 'user' } } }), workspace({ memory: { env: { B: 'ws' } } })),
      'memory: {"kind":"stdio","command":"node","args":[],"env":{"A":"user","B":"ws"}} disabled by workspace',
    );
  });

  test('a program or an environment file inside the workspace folder is the workspace’s, wherever the entry stands', () => {
    const text = decode(
      user({
        a: { command: '${workspaceFolder}/bin/server' },
        b: { command: 'node', envFile: '${workspaceFolder:x}/.env' },
        c: { command: 'node', args: ['${workspaceFolder}'] },
      }),
    );
    assert.deepEqual(
      text.split('\n').map((line) => line.replace(/\{.*\}/, '')),
      ['a:  disabled by workspace', 'b:  disabled by workspace', 'c:  disabled by user'],
    );
  });

  test('a list is replaced by the later layer, not merged', () => {
    assert.match(
      decode(user({ a: { command: 'x', args: ['1', '2'] } }), workspace({ a: { args: ['3'] } })),
      /"args":\["3"\]/,
    );
  });

  test('every kind of mistake is a problem at its place, and the other entries stay', () => {
    assert.equal(
      decode(
        workspace({
          good: { command: 'node' },
          both: { command: 'node', url: 'http://x.test' },
          neither: {},
          'bad id!': { command: 'node' },
          list: [],
          types: { command: 3, args: ['a', 4], env: { A: {} }, enabled: 'yes', restart: 'sometimes' },
          empty: { command: ' ' },
          nul: { command: 'a\0b' },
          times: { command: 'x', timeouts: { call: -1, start: 'soon', strange: 1 } },
          ftp: { url: 'ftp://x.test' },
          strange: { command: 'x', colour: 'red' },
        }),
      ),
      `good: {"kind":"stdio","command":"node","args":[],"env":{}} disabled by workspace
both: broken
  error workspace both.url: An entry has either "command" or "url", not both.
neither: broken
  error workspace neither: Add "command" (a program to start) or "url" (a server to connect to), or have an extension that contributes it.
bad id!: broken
  error workspace bad id!: A server id has 1 to 64 letters, digits, dots, hyphens or underscores and starts with a letter or digit.
list: broken
  error workspace list: Must be an object such as {"command": "node"}.
types: broken
  error workspace types.command: Must be a text that is not empty.
  error workspace types.enabled: Must be true or false.
  error workspace types.restart: Must be "onCrash" or "never".
empty: broken
  error workspace empty.command: Must be a text that is not empty.
nul: broken
  error workspace nul.command: Must be a text that is not empty.
times: broken
  warning workspace times.timeouts.strange: "strange" is not a timeout.
  error workspace times.timeouts.call: Must be a number of seconds above 0 and up to 86400.
  error workspace times.timeouts.start: Must be a number of seconds above 0 and up to 86400.
ftp: broken
  error workspace ftp.url: Must begin with http://, https://, ws:// or wss://.
strange: {"kind":"stdio","command":"x","args":[],"env":{}} disabled by workspace
  warning workspace strange.colour: "colour" is not a setting of a server.`,
    );
  });

  test('a problem names the layer that caused it', () => {
    assert.equal(
      decode(user({ a: { command: 'x', restart: 'no' } }), workspace({ a: { enabled: 1 } })),
      `a: broken
  error workspace a.enabled: Must be true or false.
  error user a.restart: Must be "onCrash" or "never".`,
    );
  });

  test('a setting that is no object is a problem of the whole setting', () => {
    assert.equal(
      decode(user('nonsense'), workspace({ a: { command: 'x' } })).split('\n')[0],
      '  error user : Must be an object that maps server ids to entries.',
    );
  });

  test('members named like those of a prototype are members', () => {
    const servers = JSON.parse(
      '{"__proto__": {"command": "x"}, "constructor": {"command": "y", "env": {"__proto__": "z"}}}',
    ) as Json;
    const { entries } = decodeSettings([user(servers)]);
    assert.deepEqual(
      entries.map((entry) => [entry.id, entry.definition !== undefined]),
      [
        ['__proto__', false],
        ['constructor', true],
      ],
    );
    assert.equal(({} as Record<string, unknown>)['command'], undefined);
  });

  test('timeouts and tools come through, and the cap of a call is never below its timeout', () => {
    const [entry] = decodeSettings([
      workspace({ a: { command: 'x', timeouts: { call: 9000 }, tools: { hidden: ['h'], autoApprove: ['b', 'a'] } } }),
    ]).entries;
    assert.deepEqual(entry?.definition?.timeouts, { start: 60, list: 30, call: 9000, callMax: 9000 });
    assert.deepEqual(entry?.definition?.hiddenTools, ['h']);
    assert.deepEqual(entry?.definition?.workspaceAutoApprove, ['b', 'a']);
  });

  test('an entry that nests too deep for any use costs no other', () => {
    const deep = Array.from({ length: 20_000 }).reduce<Json>((inner) => ({ a: inner }), {});
    const { entries } = decodeSettings([user({ a: deep, b: { command: 'x' } }), workspace({ a: deep })]);
    assert.deepEqual(
      entries.map(({ id, definition, problems }) => [id, definition?.connection.kind, problems[0]?.message]),
      [
        ['a', undefined, 'Nests too deep.'],
        ['b', 'stdio', undefined],
      ],
    );
  });

  test('problems of one entry are reported up to a limit, but an error always', () => {
    const odd = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`odd${index}`, 1]));
    const [entry] = decodeSettings([
      user({ a: { timeouts: odd, command: 'x', args: Array(1_000).fill(5), ...odd } }),
    ]).entries;
    const count = (kind: string): number => entry?.problems.filter(({ severity }) => severity === kind).length ?? 0;
    assert.deepEqual([entry?.definition, count('error'), count('warning')], [undefined, 20, 20]);
  });

  test('user values in a workspace server are reported member by member', () => {
    const auth = {
      flow: 'enterprise',
      clientId: 'c',
      identityProvider: { issuer: 'https://idp.example', idToken: 't' },
    };
    const [entry] = decodeSettings([
      user({ a: { url: 'https://a.example', auth } }),
      workspace({ a: { auth: { identityProvider: { tokenEndpoint: 'https://other.example/token' } } } }),
    ]).entries;
    assert.deepEqual(entry?.definition?.lentByUser, [
      'flow',
      'clientId',
      'identityProvider.issuer',
      'identityProvider.idToken',
    ]);
  });

  test('no JSON at all makes it throw, and whatever it accepts can be read again', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        const decoded = decodeSettings([user(a as Json), workspace(b as Json)]);
        for (const { definition, problems } of decoded.entries)
          assert.ok(definition !== undefined || problems.some((problem) => problem.severity === 'error'));
      }),
      { numRuns: 200 },
    );
  });
});
