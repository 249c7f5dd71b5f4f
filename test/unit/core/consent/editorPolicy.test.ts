import assert from 'node:assert/strict';
import type { SettingsLayer } from '../../../../src/core/model/server.ts';
import { editorPolicy, type EditorPolicyValues } from '../../../../src/core/consent/editorPolicy.ts';
import { settle } from '../../../support/fakeClock.ts';
import { TestHost } from '../../../support/testHost.ts';

const RUNNING = 'running 2025-06-18 pid';
const by = (rule: string): string => ` !a: ${rule}: not allowed by your organisation.`;
const NAMED = '"chat.mcp.deniedServers" lists the name "a"';
const NOT_LISTED = '"chat.mcp.allowedServers" does not list it';

const own = (entry: Readonly<Record<string, unknown>> = {}): SettingsLayer => ({
  scope: 'user',
  servers: { a: { command: 'x', enabled: true, ...JSON.parse(JSON.stringify(entry)) } },
});

async function configure(
  t: TestHost,
  values: Partial<EditorPolicyValues> | undefined,
  layers: readonly SettingsLayer[] = [own()],
  trusted = true,
): Promise<string> {
  const none: EditorPolicyValues = { access: [], enabled: [], allowed: null, denied: [] };
  t.host.configure({ trusted, layers, ...(values && { editorPolicy: editorPolicy({ ...none, ...values }) }) });
  await settle();
  return t.show();
}

suite('A server that the editor’s policy does not allow', () => {
  const denied = { denied: [[{ serverName: 'a' }]] };

  test('stops when the policy changes, starts by no command, and starts again with the policy gone', async () => {
    const t = new TestHost();
    assert.equal(await configure(t, {}), `a: ${RUNNING} 101`);
    assert.equal(await configure(t, denied), `a: stopped (notAllowed)${by(NAMED)}`);
    for (const act of [t.host.start('a'), t.host.restart('a')])
      await assert.rejects(act, {
        code: 'NOT_ALLOWED',
        message: `The server "a" is not allowed by your organisation: ${NAMED}.`,
      });
    assert.equal(await configure(t, {}), `a: ${RUNNING} 102`);
    assert.equal(
      await configure(t, { access: ['none'] }),
      `a: stopped (notAllowed)${by('"chat.mcp.access" is "none"')}`,
    );
    assert.equal(t.servers.length, 2);
    await t.host.close();
  });

  test('does not start with the window, and a program without an editor knows no policy', async () => {
    const t = new TestHost();
    assert.equal(await configure(t, denied), `a: stopped (notAllowed)${by(NAMED)}`);
    assert.deepEqual([t.servers.length, t.questions.length], [0, 0]);
    assert.equal(await configure(t, undefined), `a: ${RUNNING} 101`);
    await t.host.close();
  });

  test('stops although the user started it, and stays off afterwards', async () => {
    const t = new TestHost();
    const off = own({ enabled: false });
    await configure(t, {}, [off]);
    await t.host.start('a');
    assert.equal(await configure(t, denied, [off]), `a: stopped (notAllowed)${by(NAMED)}`);
    assert.equal(await configure(t, {}, [off]), 'a: stopped (notStarted)');
    await t.host.close();
  });

  test('is not asked about, whoever defines or contributes it', async () => {
    const contributed = { by: { id: 'x.y', name: 'Y' }, labels: {}, problems: [] };
    const entry = { a: { command: 'x' } };
    for (const first of [
      { scope: 'extension', servers: entry, contributed } as const,
      { scope: 'workspace', servers: entry } as const,
    ]) {
      const t = new TestHost();
      const layers = [first, { scope: 'workspace', servers: { a: { ...entry.a, enabled: true } } } as const];
      assert.equal(
        await configure(
          t,
          denied,
          first.scope === 'extension' ? [first, { scope: 'user', servers: { a: { enabled: true } } }] : layers,
        ),
        `a: stopped (notAllowed)${by(NAMED)}`,
      );
      assert.deepEqual(t.questions, []);
      await t.host.close();
    }
  });

  test('is judged again by what its variables stand for, before it starts and while it runs', async () => {
    const t = new TestHost();
    t.env['HOST'] = 'bad.example';
    const layers: readonly SettingsLayer[] = [
      { scope: 'user', servers: { a: { url: 'https://${env:HOST}/mcp', enabled: true } } },
    ];
    const allowed = { allowed: [{ serverUrl: 'https://good.example/*' }] };
    assert.equal(
      await configure(t, allowed, layers),
      `a: failed NOT_ALLOWED: The server "a" is not allowed by your organisation: ${NOT_LISTED}.`,
    );
    assert.equal(t.servers.length, 0);
    t.env['HOST'] = 'good.example';
    await t.host.start('a');
    assert.equal(t.show(), `a: ${RUNNING} 101`);
    const denial = '"chat.mcp.deniedServers" lists the URL "https://good.example/*"';
    assert.equal(await configure(t, { denied: [allowed.allowed] }, layers), `a: stopped (notAllowed)${by(denial)}`);
    await t.host.close();
  });

  test('stops although its entry now has an error', async () => {
    const t = new TestHost();
    await configure(t, {});
    assert.match(await configure(t, denied, [own({ args: 5 })]), /^a: stopped \(notAllowed\)/);
    await t.host.close();
  });

  test('says that the window is not trusted first', async () => {
    const t = new TestHost();
    assert.match(await configure(t, denied, [own()], false), /^a: stopped \(restrictedMode\)/);
    assert.match(await configure(t, denied), /^a: stopped \(notAllowed\)/);
    assert.match(await configure(t, denied, [own()], false), /^a: stopped \(restrictedMode\)/);
    assert.equal(await configure(t, {}), `a: ${RUNNING} 101`);
    await t.host.close();
  });
});
