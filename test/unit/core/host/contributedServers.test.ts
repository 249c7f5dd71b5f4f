import assert from 'node:assert/strict';
import type { Json } from '../../../../src/core/base/json.ts';
import type { SettingsLayer } from '../../../../src/core/model/server.ts';
import { memoryStorage } from '../../../../src/node/store/memoryStorage.ts';
import { settle } from '../../../support/fakeClock.ts';
import { TestHost } from '../../../support/testHost.ts';

const acme = (servers: Json | undefined): SettingsLayer => ({
  scope: 'extension',
  servers,
  contributed: { by: { id: 'acme.tools', name: 'Acme' }, labels: {}, problems: [] },
});
const workspace = (servers: Json): SettingsLayer => ({ scope: 'workspace', servers });
const on = workspace({ db: { enabled: true } });

async function configure(t: TestHost, layers: readonly SettingsLayer[], trusted = true): Promise<void> {
  t.host.configure({ layers, trusted });
  await settle();
}

suite('A host with servers of extensions', () => {
  test('asks before the first start, with the whole command line and whose it is, and remembers the answer', async () => {
    const storage = memoryStorage();
    const first = new TestHost(storage);
    await configure(first, [acme({ db: { command: 'node', args: ['db.js'], env: { A: '1' } } })]);
    assert.equal(first.show(), 'db: stopped (notStarted)');
    assert.equal(first.questions.length, 0);
    await configure(first, [acme({ db: { command: 'node', args: ['db.js'], env: { A: '1' } } }), on]);
    assert.deepEqual(first.questions, [
      {
        server: 'db',
        reason: 'first',
        kind: 'command',
        target: 'node db.js',
        cwd: '/home/me',
        remarks: ['It sets environment variables: "A".'],
        contributor: { id: 'acme.tools', name: 'Acme' },
      },
    ]);
    assert.equal(first.show(), 'db: running 2025-06-18 pid 101');
    await first.host.close();

    const second = new TestHost(storage);
    await configure(second, [acme({ db: { command: 'node', args: ['db.js'], env: { A: '1' } } }), on]);
    assert.equal(second.show(), 'db: running 2025-06-18 pid 101');
    assert.equal(second.questions.length, 0);
    await configure(second, [acme({ db: { command: 'node', args: ['other.js'] } }), on]);
    assert.deepEqual(
      second.questions.map(({ reason, target }) => `${reason} ${target}`),
      ['changed node other.js'],
    );
    await second.host.close();
  });

  test('starts none in Restricted Mode', async () => {
    const t = new TestHost();
    await configure(t, [acme({ db: { command: 'node' } }), on], false);
    assert.equal(t.show(), 'db: stopped (restrictedMode)');
    await assert.rejects(t.host.start('db'), /not trusted/);
    assert.deepEqual([t.questions.length, t.connections.length], [0, 0]);
    await t.host.close();
  });

  test('ends one whose extension leaves, though the settings still name it', async () => {
    const t = new TestHost();
    await configure(t, [acme({ db: { command: 'node' } }), on]);
    assert.equal(t.show(), 'db: running 2025-06-18 pid 101');
    t.changes.length = 0;
    await configure(t, [acme(undefined), on]);
    assert.equal(t.host.server('db')?.definition, undefined);
    assert.equal(t.host.server('db')?.state.kind, 'stopped');
    assert.equal(t.servers[0]?.closed, true);
    await configure(t, [acme({ db: { command: 'node' } }), on]);
    assert.equal(t.show(), 'db: running 2025-06-18 pid 102');
    await t.host.close();
  });

  test('ends one of an extension before another’s of the same name starts', async () => {
    const t = new TestHost();
    await configure(t, [acme({ db: { command: 'node' } }), on]);
    const other: SettingsLayer = {
      scope: 'extension',
      servers: { db: { command: 'node' } },
      contributed: { by: { id: 'other.one', name: 'Other' }, labels: {}, problems: [] },
    };
    await configure(t, [other, on]);
    assert.equal(t.servers[0]?.closed, true);
    assert.equal(t.show(), 'db: running 2025-06-18 pid 102');
    assert.equal(t.host.server('db')?.contributor?.id, 'other.one');
    await t.host.close();
  });
});
