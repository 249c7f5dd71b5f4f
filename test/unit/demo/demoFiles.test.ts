import assert from 'node:assert/strict';
import { DemoHost } from './demoHost.ts';

const PAYLOAD = { path: 'notes/a.md', mode: 'append' };
const TELL = 'Tell the person what was needed and why, and try no other way.';

suite('An approval request of the demo', () => {
  let host: DemoHost;

  setup(async () => {
    host = new DemoHost(['files']);
    await host.open('files.edit');
  });

  teardown(() => {
    host.end();
    assert.equal(host.timers, 0);
  });

  const wants = async (
    args: object,
    answer: { readonly result: object } | { readonly error: object },
  ): Promise<void> => {
    host.send({ id: 'wants', method: 'tools/call', params: { name: 'request_access', arguments: args } });
    await Promise.resolve();
    await host.answer('scope/elevate', answer);
  };

  const asked = (): object | undefined => host.asked('scope/elevate').at(-1)?.params;

  test('is declared as scoped', async () => {
    const { capabilities, instructions } = (await host.open()).result;
    assert.deepEqual(capabilities.experimental.mcpl, {
      version: '0.2',
      featureSets: {
        'files.edit': {
          description: 'Lets models read, move and add lines to the files that you approve',
          uses: ['tools'],
          scoped: true,
        },
      },
    });
    assert.equal(instructions, 'Reads and changes the files that the host approves, over MCPL.');
    const tools = (await host.request('tools/list')).result.tools;
    assert.ok(tools.every(({ description }) => description.includes('Where the host refuses, tell the person')));
  });

  test('has a label and a payload, and the answer is reported', async () => {
    await wants(PAYLOAD, { result: { approved: true, payload: PAYLOAD } });
    assert.deepEqual(asked(), { featureSet: 'files.edit', scope: { label: 'notes/a.md', payload: PAYLOAD } });
    assert.equal(host.outcome, 'The host approved "append" of notes/a.md, once. Its payload came back as it was sent.');
    assert.deepEqual(host.sent.at(-1)?.result.structuredContent, { approved: true, payload: PAYLOAD });
  });

  test('may have a label that says something else, to see what a host makes of it', async () => {
    await wants(
      { path: '/etc/passwd', label: 'notes/a.md' },
      { result: { approved: false, reason: 'The user denied it.' } },
    );
    assert.deepEqual(asked(), {
      featureSet: 'files.edit',
      scope: { label: 'notes/a.md', payload: { path: '/etc/passwd', mode: 'read' } },
    });
    assert.equal(host.outcome, `The host refused: "The user denied it." ${TELL}`);
    assert.deepEqual(host.sent.at(-1)?.result.structuredContent, { approved: false, reason: 'The user denied it.' });
  });

  for (const [answer, expected] of [
    [{ result: { approved: false } }, `The host refused: no reason was given. ${TELL}`],
    [{ result: {} }, `ERROR The host's answer says neither yes nor no. Nothing is approved. ${TELL}`],
    [
      { result: { approved: 'true', payload: PAYLOAD } },
      `ERROR The host's answer says neither yes nor no. Nothing is approved. ${TELL}`,
    ],
    [
      { result: { approved: true, payload: { ...PAYLOAD, path: '/etc/passwd' } } },
      'The host approved something else than was asked for. Nothing is remembered.',
    ],
    [{ result: { approved: true } }, 'The host approved something else than was asked for. Nothing is remembered.'],
    [
      { error: { code: -32001, message: 'Feature set not enabled' } },
      'ERROR The host has files.edit off. Switch it on and try again.',
    ],
    [
      { error: { code: -32003, message: 'Unknown feature set' } },
      'ERROR The host does not know files.edit. Restart this server.',
    ],
    [
      { error: { code: -32601, message: 'Method not found' } },
      'ERROR The host has no scopes: there is nobody who could approve it.',
    ],
    [{ error: { code: -32602, message: 'Odd.' } }, 'ERROR The host answered: Odd. (-32602). Nothing is approved.'],
  ] as const)
    test(`and the answer ${JSON.stringify(answer)} is understood`, async () => {
      await wants(PAYLOAD, answer);
      assert.equal(host.outcome, expected);
    });

  test('is waited for with a sign of life every ten seconds, and no longer than an hour', async () => {
    host.send({
      id: 'w',
      method: 'tools/call',
      params: { name: 'request_access', arguments: PAYLOAD, _meta: { progressToken: 1 } },
    });
    await host.pass(10_000);
    await host.pass(10_000);
    const signs = host.sent.filter(({ method }) => method === 'notifications/progress');
    assert.deepEqual(
      signs.map(({ params }) => params.message),
      Array(3).fill('Waiting for the host to approve it'),
    );
    await host.pass(3_630_000);
    assert.equal(host.outcome, 'ERROR The host did not answer in time. Nothing is approved.');
    assert.deepEqual(
      host.sent.filter(({ method }) => method === 'notifications/cancelled').map(({ params }) => params),
      [{ requestId: 1, reason: 'The host did not answer in time.' }],
    );
  });

  test('is taken back with the call', async () => {
    host.send({ id: 'w', method: 'tools/call', params: { name: 'request_access', arguments: PAYLOAD } });
    await host.pass(0);
    host.send({ method: 'notifications/cancelled', params: { requestId: 'w' } });
    await host.pass(0);
    assert.deepEqual(host.sent.at(-1)?.params, { requestId: 1, reason: 'It was cancelled.' });
  });

  for (const scope of ['x', {}, [], { label: 1 }, { label: 'a', payload: [] }, { label: 'x'.repeat(4_097) }])
    test(`and a scope such as ${JSON.stringify(scope).slice(0, 30)} is an error of the host`, async () => {
      const params = { name: 'read_text', arguments: { path: 'a' }, scope };
      assert.equal((await host.request('tools/call', params)).error?.code, -32602);
    });

  test('has arguments that are checked before anything else', async () => {
    const problems = [
      await host.call('read_text', {}),
      await host.call('read_text', { path: 'x'.repeat(4_097) }),
      await host.call('append_line', { path: 'a', line: 'one\ntwo' }),
      await host.call('request_access', { path: 'a', mode: 'delete' }),
    ];
    assert.deepEqual(
      problems.map(({ result }) => result.content[0].text),
      [
        'path is missing.',
        'path must have at most 4096 characters.',
        'line must be one line. Call once for each.',
        'mode must be one of "read", "append", "move".',
      ],
    );
    assert.deepEqual(host.asked('scope/elevate'), []);
  });

  test('is nothing to a plain MCP host', async () => {
    host = new DemoHost(['files']);
    const { capabilities, instructions } = (await host.initialize({})).result;
    assert.deepEqual(capabilities, {});
    assert.equal(instructions, 'Everything that this server does needs a host that speaks MCPL.');
    assert.equal((await host.call('read_text', { path: 'a' })).error?.code, -32602);
  });
});
