import assert from 'node:assert/strict';
import type { JsonObject } from '../../../src/core/index.ts';
import { set } from './mcplCase.ts';
import { FILES_SET, LISTS, scopeCases, WRITE } from './scopeCase.ts';

const FILES = { 'src/a.ts': '', 'secrets/k': '', '../out/x': '' } as const;
const NO = '{"approved":false,"reason":"The settings of the host deny it."}';
const YES = '{"approved":true}';

/** The obligations of §7, by their numbers in the list of what a host must do. */
scopeCases('what the specification obliges a host to', (open) => {
  test('MCPL §7.1, §7.2 (12): each scoped set has its own lists, which are sent in the handshake; other sets have none', async () => {
    const sets = { files: FILES_SET, 'files.notes': FILES_SET, chat: set('tools') };
    const notes = { whitelist: ['/out/**'], blacklist: ['**/x'] };
    const scopes = { files: LISTS, 'files.notes': notes, chat: notes };
    const opened = await open({
      files: FILES,
      server: { sets, entry: { featureSets: { enabled: ['*'] }, scopes } },
    });
    const answers: string[] = [];
    for (const featureSet of ['files', 'files.notes', 'chat', 'nobody'])
      for (const label of ['/ws/src/a.ts', '/out/y']) {
        opened.person.push('dismiss');
        answers.push(`${featureSet} ${label} ${await opened.elevate(label, undefined, { featureSet })}`);
        opened.person.splice(0);
      }
    const closed = '{"approved":false,"reason":"The user closed the question."}';
    const plain = 'error -32602 The feature set "chat" is not declared as scoped. {"field":"featureSet"}';
    const unknown = 'error -32003 Unknown feature set {"featureSet":"nobody"}';
    assert.deepEqual(answers, [
      `files /ws/src/a.ts ${YES}`,
      `files /out/y ${closed}`,
      `files.notes /ws/src/a.ts ${closed}`,
      `files.notes /out/y ${YES}`,
      `chat /ws/src/a.ts ${plain}`,
      `chat /out/y ${plain}`,
      `nobody /ws/src/a.ts ${unknown}`,
      `nobody /out/y ${unknown}`,
    ]);
    // From the second start on, the host knows which sets are scoped.
    await opened.mcpl.host.restart('case');
    await opened.mcpl.until('the second start', () => opened.mcpl.peer().lives.length === 2);
    await opened.mcpl.start();
    const { params } = await opened.mcpl.life().until('initialize');
    const { experimental } = (params as { capabilities: { experimental: { mcpl: JsonObject } } }).capabilities;
    const told = { files: LISTS, 'files.notes': notes };
    assert.equal(opened.folders.shown(JSON.stringify(experimental.mcpl['scopes'])), JSON.stringify(told));
  });

  test('MCPL §7.3, §7.4, §7.5 (13): a request is approved with its payload as it was sent, or not, with a reason and no payload', async () => {
    const opened = await open({ files: FILES });
    opened.person.push('deny', 'once');
    const payload = { path: '/ws/src/a.ts', z: [3, 2, 1], a: { b: null }, text: '\u00e9 \u2028' };
    const answers = [
      await opened.elevate('/ws/src/a.ts', payload),
      await opened.elevate('/ws/src/a.ts'),
      await opened.elevate('/ws/secrets/k', { path: '/ws/secrets/k' }),
      await opened.elevate('/out/x', { path: '/out/x' }),
      await opened.elevate('/out/y', { path: '/out/y', n: 1 }),
    ];
    assert.deepEqual(answers, [
      `{"approved":true,"payload":${JSON.stringify(payload)}}`,
      YES,
      NO,
      '{"approved":false,"reason":"The user denied it."}',
      '{"approved":true,"payload":{"path":"/out/y","n":1}}',
    ]);
    const scopes: JsonObject[] = [
      {},
      { label: 7 },
      { label: '' },
      { label: 'x', payload: [] },
      { label: 'x', payload: null },
    ];
    const refused: string[] = [];
    for (const scope of scopes)
      refused.push(await opened.mcpl.answerTo('scope/elevate', { featureSet: 'files', scope }));
    refused.push(await opened.mcpl.answerTo('scope/elevate', { featureSet: 'files' }));
    refused.push(await opened.mcpl.answerTo('scope/elevate', { scope: { label: '/ws/src/a.ts' } }));
    const label = 'error -32602 scope.label must be a text. {"field":"scope.label"}';
    const object = 'error -32602 scope.payload must be an object. {"field":"scope.payload"}';
    assert.deepEqual(refused, [
      label,
      label,
      label,
      object,
      object,
      'error -32602 scope must be an object. {"field":"scope"}',
      'error -32602 featureSet must be a text. {"field":"featureSet"}',
    ]);
  });

  test('MCPL §7.6 (14): first the blacklist, then the whitelist, then what was allowed before, then the user', async () => {
    const opened = await open({ files: FILES });
    const ask = async (whitelist: readonly string[], blacklist: readonly string[]): Promise<string> => {
      opened.configure({ scopes: { files: { whitelist: [...whitelist], blacklist: [...blacklist] } } });
      opened.person.push('dismiss');
      const asked = opened.asked.length;
      const answer = await opened.elevate('/out/x');
      opened.person.splice(0);
      return `${answer.includes('true') ? 'approved' : 'denied'}${opened.asked.length > asked ? ' by the person' : ''}`;
    };
    const all = ['/out/**'];
    const unknown = [await ask(all, all), await ask(all, []), await ask([], all), await ask([], [])];
    assert.deepEqual(unknown, ['denied', 'approved', 'denied', 'denied by the person']);
    opened.person.push('session');
    await opened.elevate('/out/x');
    assert.equal(await ask([], []), 'approved');
    assert.equal(await ask([], ['/nothing/**']), 'approved');
    assert.equal(await ask(all, all), 'denied');
    assert.deepEqual(
      (await opened.decisions()).map((line) => line.replace(/^.*: /, '')),
      [
        'denied by the settings',
        'allowed by the settings',
        'denied by the settings',
        'denied, because the question was closed',
        'scope/elevate /out/x',
        'allowed by the person (session)',
        'allowed by the person before (session)',
        'allowed by the person before (session)',
        'scope/elevate /out/x',
        'denied by the settings',
      ],
    );
  });

  test('MCPL §7.6 (15): approvals are kept as long as the user says, can be looked at, and taken back', async () => {
    const opened = await open({ files: FILES, isStored: true });
    opened.person.push('once', 'session', 'workspace');
    for (const name of ['once', 'session', 'workspace']) await opened.elevate(`/out/${name}`);
    assert.deepEqual(opened.remembered().toSorted(), [
      'case files scope/elevate /out/session session',
      'case files scope/elevate /out/workspace workspace',
    ]);
    const { approvals } = opened.mcpl.host;
    const [kept] = approvals.remembered().filter(({ lifetime }) => lifetime === 'workspace');
    const days = Math.round(((kept?.until ?? 0) - (kept?.at ?? 0)) / 86_400_000);
    assert.equal(days, 90);
    await approvals.revoke(approvals.remembered().map(({ id }) => id));
    opened.person.push('dismiss', 'dismiss');
    await opened.elevate('/out/session');
    await opened.elevate('/out/workspace');
    assert.deepEqual([opened.remembered(), opened.asked.length], [[], 5]);
  });

  test('MCPL §7.7 (16): a call is checked against the lists before it is sent, and says what it was checked for', async () => {
    const opened = await open({ files: FILES, server: { tools: [WRITE] } });
    opened.person.push('deny');
    const answers = [
      await opened.call({ path: 'src/a.ts' }),
      await opened.call({ path: 'secrets/k' }),
      await opened.call({ path: '/out/x' }),
    ];
    assert.deepEqual(answers, [
      'Done.',
      'SCOPE_DENIED The tool "write" was not called: the person\'s settings deny its target. Use another target; asking again changes nothing.',
      'SCOPE_DENIED The tool "write" was not called: the person denied it. Do not repeat it; ask the person what to do instead.',
    ]);
    assert.deepEqual(await opened.sent(), [
      '{"name":"write","arguments":{"path":"src/a.ts"},"scope":{"label":"/ws/src/a.ts","payload":{"path":"/ws/src/a.ts"}}}',
    ]);
  });
});
