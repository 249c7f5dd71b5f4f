import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Json } from '../../../../src/core/base/json.ts';
import type { SettingsLayer } from '../../../../src/core/model/server.ts';
import { decodeSettings } from '../../../../src/core/session/serverSettings.ts';

/** Everything decoded, as text. */
function decode(...layers: SettingsLayer[]): string {
  const { entries, problems } = decodeSettings(layers);
  const whole = problems.map(show);
  const lines = entries.flatMap(({ id, definition, contributor, label, problems: own }) => [
    [
      `${id}:`,
      definition === undefined ? 'broken' : JSON.stringify(definition.connection),
      ...(definition === undefined ? [] : [definition.enabled ? 'enabled' : 'off', `by ${definition.definedBy}`]),
      ...(contributor === undefined ? [] : [`from ${contributor.name}`]),
      ...(label === undefined ? [] : [`called ${label}`]),
    ].join(' '),
    ...own.map(show),
  ]);
  return [...whole, ...lines].join('\n');
}

function show(problem: ReturnType<typeof decodeSettings>['problems'][number]): string {
  const { severity, scope, contributor, path, message } = problem;
  return `  ${severity} ${scope}${contributor === undefined ? '' : ` ${contributor.id}`} ${path.join('.')}: ${message}`;
}

const user = (servers: Json): SettingsLayer => ({ scope: 'user', servers });
const workspace = (servers: Json): SettingsLayer => ({ scope: 'workspace', servers });
const acme = (servers: Json, problems: readonly string[] = []): SettingsLayer => ({
  scope: 'extension',
  servers,
  contributed: { by: { id: 'acme.tools', name: 'Acme' }, labels: { db: 'Acme Database' }, problems },
});
const other = (servers: Json): SettingsLayer => ({
  scope: 'extension',
  servers,
  contributed: { by: { id: 'other.one', name: 'Other' }, labels: {}, problems: [] },
});

const db = { command: 'node', args: ['db.js'] };
const DB = '{"kind":"stdio","command":"node","args":["db.js"],"env":{}}';

suite('Servers that extensions contribute', () => {
  test('are off, whatever the extension says of that, until the settings switch them on', () => {
    assert.equal(decode(acme({ db })), `db: ${DB} off by extension from Acme called Acme Database`);
    assert.equal(
      decode(acme({ db: { ...db, enabled: true } })),
      [
        `db: ${DB} off by extension from Acme called Acme Database`,
        '  warning extension acme.tools db.enabled: An extension cannot enable a server: only you can, in the settings.',
      ].join('\n'),
    );
    const on = `db: ${DB} enabled by extension from Acme called Acme Database`;
    assert.equal(decode(acme({ db }), workspace({ db: { enabled: true } })), on);
    assert.equal(decode(acme({ db: { ...db, enabled: false } }), user({ db: { enabled: true } })), on);
  });

  test('merge with the settings key by key; a part from the workspace makes them the workspace’s', () => {
    assert.equal(
      decode(acme({ db }), user({ db: { env: { A: 'mine' } } })),
      'db: {"kind":"stdio","command":"node","args":["db.js"],"env":{"A":"mine"}} off by extension from Acme called Acme Database',
    );
    assert.equal(
      decode(acme({ db }), workspace({ db: { args: ['evil.js'] } })),
      'db: {"kind":"stdio","command":"node","args":["evil.js"],"env":{}} off by workspace from Acme called Acme Database',
    );
  });

  test('never take the place of a server that the settings have', () => {
    assert.equal(
      decode(acme({ db: { ...db, env: { A: 'theirs' } } }), user({ db: { command: 'mine', enabled: true } })),
      [
        'db: {"kind":"stdio","command":"mine","args":[],"env":{}} enabled by user',
        '  warning extension acme.tools db: The settings define a server with this name: the one of the extension is not used.',
      ].join('\n'),
    );
  });

  test('if two extensions use the same name, the first counts, and the other is reported', () => {
    assert.equal(
      decode(acme({ db }), other({ db: { command: 'other' } })),
      [
        `db: ${DB} off by extension from Acme called Acme Database`,
        '  warning extension other.one db: Another extension, "Acme", contributes a server of this name: that one is used.',
      ].join('\n'),
    );
  });

  test('are decoded like the settings: what is wrong names the extension', () => {
    assert.equal(
      decode(
        acme({ db: { command: 7 }, 'bad id': db, list: [], none: {} }, ['It could not tell.']),
        workspace({ db: { timeouts: { call: -1 } } }),
      ),
      [
        '  error extension acme.tools : It could not tell.',
        'db: broken from Acme called Acme Database',
        '  error extension acme.tools db.command: Must be a text that is not empty.',
        '  error workspace db.timeouts.call: Must be a number of seconds above 0 and up to 86400.',
        'bad id: broken from Acme',
        '  error extension acme.tools bad id: A server id has 1 to 64 letters, digits, dots, hyphens or underscores and starts with a letter or digit.',
        'list: broken from Acme',
        '  error extension acme.tools list: Must be an object such as {"command": "node"}.',
        'none: broken from Acme',
        '  error extension acme.tools none: Add "command" (a program to start) or "url" (a server to connect to), or have an extension that contributes it.',
      ].join('\n'),
    );
  });

  test('are given what the settings lend them only after a question that says so', () => {
    const [entry] = decodeSettings([
      acme({ db: { ...db, tools: { autoApprove: ['drop'] }, featureSets: { enabled: ['*'] } } }),
      user({ db: { env: { TOKEN: 'x' } } }),
    ]).entries;
    assert.deepEqual(entry?.definition?.lentByUser, ['TOKEN']);
    assert.deepEqual(entry.definition.workspaceAutoApprove, ['drop']);
    assert.deepEqual(entry.definition.workspaceGrants.length, 1);
  });

  test('nothing that an extension says enables a server or hides that it is its', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (enabled, rest) => {
        const given = typeof rest === 'object' && rest !== null && !Array.isArray(rest) ? rest : {};
        const servers = JSON.parse(JSON.stringify({ db: { ...given, command: 'node', enabled } })) as Json;
        const [entry] = decodeSettings([acme(servers)]).entries;
        assert.equal(entry?.contributor?.id, 'acme.tools');
        assert.notEqual(entry.definition?.enabled, true);
        assert.notEqual(entry.definition?.definedBy, 'user');
      }),
    );
  });
});
