import assert from 'node:assert/strict';
import { realpathSync } from 'node:fs';
import { set, tool } from './mcplCase.ts';
import { FILES_SET, LISTS, scopeCases, WRITE } from './scopeCase.ts';

const NO = '{"approved":false,"reason":"The settings of the host deny it."}';
const NEVER = '{"approved":false,"reason":"It does not name something that can be allowed."}';
const YES = '{"approved":true}';
/** The real path on this machine. */
const HOSTS = realpathSync('/etc/hosts');
const PASSWD = realpathSync('/etc/passwd');

const FILES = {
  'src/a.ts': '',
  '.env': '',
  'secrets/k': '',
  '.cfg/secrets/k': '',
  '.cfg/open': '',
  'x/y': '',
  'm\u00e9moire/k': '',
  link: { to: '/etc' },
  inner: { to: '/ws/secrets' },
  away: { to: '/out' },
  nowhere: { to: '/out/not/there' },
  round: { to: '/ws/round' },
  alias: { to: '/ws/src' },
} as const;

/** Each of these is `/ws/secrets/k`, `/ws/secrets` or `/ws/.env` for some program. */
const SPELLINGS = [
  ...['/ws/.env', '/ws/.ENV', '/ws/src/../.env', '/ws/%2eenv', '/ws/.env/'],
  ...['/ws/secrets', '/ws/secrets/', '/ws/secrets/k', '/ws/secrets/k/', '/ws/secrets/new/deeper'],
  ...[
    '/ws/./secrets/k',
    '/ws//secrets//k',
    '/ws/x/../secrets/k',
    '/ws/gone/../secrets/k',
    '/ws/src/a.ts/../../secrets/k',
  ],
  ...['/ws/SECRETS/k', '/ws/Secrets/K', '/ws/.cfg/secrets/k', '/ws/.cfg/./SECRETS/k'],
  ...['/ws/secrets%2Fk', '/ws/%73ecrets/k', '/ws/secrets%252fk', '/ws/%2573ecrets/k', '/ws%2Fsecrets%2Fk'],
  ...['/ws/x/%2e%2e/secrets/k', '/ws/x/..%2fsecrets/k'],
  ...['/ws\\secrets\\k', '/ws/x\\..\\secrets\\k', '/ws/secrets%5Ck', '\\ws\\secrets\\k'],
  ...['file:///ws/secrets/k', 'file:/ws/secrets/k', 'FILE:///ws/%73ecrets/k', 'file:///ws/x/../secrets/k?q#f'],
  ...['vscode-remote://ssh/ws/secrets/k', 'file://localhost//ws/secrets/k'],
  ...['secrets/k', './secrets/k', 'x/../secrets/k', 'src/../SECRETS'],
  ...[' /ws/secrets/k', '/ws/secrets/k ', '"/ws/secrets/k"', '/ws/secrets/k:12:3', '/ws/secrets/k#L4'],
  ...['write /ws/secrets/k', '/ws/inner/k', '/ws/inner', '/ws/alias/../secrets/k'],
  ...['/ws/\uff53ecrets/k', '/ws/me\u0301moire/k', '/ws/M\u00c9MOIRE/k'],
];

const LISTS_OF_SPELLINGS = { ...LISTS, blacklist: [...LISTS.blacklist, '/ws/m\u00e9moire/**'] };

scopeCases('the lists', (open) => {
  test('a target on the whitelist is approved, and its payload comes back as it was sent; a target on the blacklist is denied; both without a question', async () => {
    const opened = await open({ files: FILES });
    const payload = { path: '/ws/src/a.ts', mode: 'append', lines: [1, { two: null }], nested: { flag: false } };
    const answers = [
      await opened.elevate('/ws/src/a.ts', payload),
      await opened.elevate('/ws/.env', { path: '/ws/.env' }),
      await opened.elevate('/ws/secrets/k'),
      await opened.elevate('/ws/./secrets/k'),
      await opened.elevate('/ws/x/../secrets/k'),
      await opened.elevate('/ws/SECRETS/k'),
      await opened.elevate('/ws/.cfg/secrets/k'),
    ];
    assert.deepEqual(answers, [
      '{"approved":true,"payload":{"path":"/ws/src/a.ts","mode":"append","lines":[1,{"two":null}],"nested":{"flag":false}}}',
      ...Array<string>(6).fill(NO),
    ]);
    assert.deepEqual([opened.asked, opened.remembered()], [[], []]);
    const line = 'case scope/decision files';
    const denied = (path: string): string => `${line} refused: scope/elevate ${path}: denied by the settings`;
    assert.deepEqual(await opened.decisions(), [
      `${line} success: scope/elevate /ws/src/a.ts: allowed by the settings`,
      denied('/ws/.env'),
      denied('/ws/secrets/k'),
      denied('/ws/secrets/k'),
      denied('/ws/secrets/k'),
      denied('/ws/SECRETS/k'),
      denied('/ws/.cfg/secrets/k'),
    ]);
  });

  test('MCPL §7.2: channels are denied, approved and asked about by their names, in calls and requests', async () => {
    const post = tool('write', {
      inputSchema: { type: 'object', properties: { channel: { type: 'string' }, text: { type: 'string' } } },
      _meta: { featureSet: 'files' },
    });
    const lists = { whitelist: ['#general', '#dev-*'], blacklist: ['#admin-*'] };
    const opened = await open({ server: { tools: [post], entry: { scopes: { files: lists } } } });
    opened.person.push('deny', 'deny');
    const answers = [
      await opened.call({ channel: '#admin-secret', text: 'Hello' }),
      await opened.call({ channel: '#general', text: 'Hello' }),
      await opened.call({ channel: '#other', text: 'Hello' }),
      await opened.elevate('#general', { channel: '#admin-x' }),
      await opened.elevate('#general', { channel: '#general' }),
      await opened.elevate('#general', { channel: '#dev-x' }),
    ];
    assert.deepEqual(
      answers.map((answer) => answer.replace(/^(SCOPE_DENIED).*/s, '$1')),
      [
        'SCOPE_DENIED',
        'Done.',
        'SCOPE_DENIED',
        NO,
        '{"approved":true,"payload":{"channel":"#general"}}',
        '{"approved":false,"reason":"The user denied it."}',
      ],
    );
    assert.deepEqual(opened.asked, [
      'case files call write unlisted: /arguments/channel #other',
      'case files elevate disagreement “#general”: label #general, /payload/channel #dev-x',
    ]);
    assert.deepEqual(await opened.sent(), [
      '{"name":"write","arguments":{"channel":"#general","text":"Hello"},"scope":{"label":"#general","payload":{"name":"#general"}}}',
    ]);
  });

  test('no spelling of what is denied is approved or asked about, as a label or in a payload', async () => {
    const opened = await open({ files: FILES, server: { entry: { scopes: { files: LISTS_OF_SPELLINGS } } } });
    const inLabel: string[] = [];
    const inPayload: string[] = [];
    for (const text of SPELLINGS) {
      inLabel.push(`${text} ${await opened.elevate(text)}`);
      inPayload.push(`${text} ${await opened.elevate('/ws/src/a.ts', { file: { list: [{ path: text }] } })}`);
    }
    const expected = SPELLINGS.map((text) => `${text} ${NO}`);
    assert.deepEqual([inLabel, inPayload], [expected, expected]);
    assert.deepEqual(opened.asked, []);
  });

  test('a target that cannot be judged is refused without a question', async () => {
    const opened = await open({ files: FILES });
    const labels = [
      ...[
        '/ws/sec\u200brets/k',
        '/ws/src/a.ts\u0000',
        '/ws/src/\u202ea.ts',
        '/ws/src\u00ad/a.ts',
        '/ws/src/a.ts\u2060',
      ],
      ...['/ws/src/%00a.ts', '/ws/src/%e2%80%8ba.ts', '/ws/src/%ff', '/ws/%25252561', 'file://elsewhere/ws/src/a.ts'],
      ...['~somebody/a.ts', '$HIDDEN/a.ts', '/proc/self/cwd/a.ts', '/ws/round/a', `/ws/${'a/'.repeat(2_100)}`],
    ];
    const answers: string[] = [];
    for (const label of labels) answers.push(`${label} ${await opened.elevate(label)}`);
    for (const label of labels) answers.push(`${label} ${await opened.elevate('/ws/src/a.ts', { path: label })}`);
    const expected = labels.map((label) => `${label} ${NEVER}`);
    assert.deepEqual(answers, [...expected, ...expected]);
    assert.deepEqual([opened.asked, opened.remembered()], [[], []]);
  });

  test('other spellings of what is allowed are allowed too', async () => {
    const opened = await open({ files: FILES });
    const labels = [
      ...['/ws', '/ws/', '/ws/src/new/deeper.ts', '/ws/src/./a.ts', '/ws/x/../src/a.ts', '/ws//src//a.ts', 'src/a.ts'],
      ...['./src/a.ts', '/ws/.cfg/open', 'file:///ws/src/a.ts', '/ws/src/%61.ts', '/ws/alias/a.ts'],
      ...['/ws/src/caf\u00e9', '/ws/src/cafe\u0301', '/ws/src/100%.txt'],
    ];
    const answers: string[] = [];
    for (const label of labels) answers.push(`${label} ${await opened.elevate(label, { path: label })}`);
    assert.deepEqual(
      answers,
      labels.map((label) => `${label} {"approved":true,"payload":${JSON.stringify({ path: label })}}`),
    );
    assert.deepEqual(opened.asked, []);
  });

  test('a payload is JSON of any kind, and comes back as it is', async () => {
    const opened = await open({ files: FILES });
    const life = opened.mcpl.life();
    const deep = '{"a":['.repeat(12) + '{}' + ']}'.repeat(12);
    const payload = opened.folders.real(
      `{"path":"/ws/src/a.ts","__proto__":{"polluted":true},"constructor":{"prototype":{"toString":"x"}},"toJSON":"no",` +
        `"integer":12345678901234567890,"tiny":1e-300,"huge":1.7976931348623157e308,"float":0.1,` +
        `"text":"\\u00e9 e\\u0301 \\u2028 \\u0000 \\ud83d\\udca9 \\ud83d \\/","":"without a name","2":"b","1":"a",` +
        `"list":[[],{},null,true,false,"",[[[0]]]],"deep":${deep}}`,
    );
    await life.raw(
      `{"jsonrpc":"2.0","id":"odd","method":"scope/elevate","params":{"featureSet":"files","scope":{"label":"${opened.folders.ws}/src/a.ts","payload":${payload}}}}\n`,
    );
    const { result } = await life.answer('odd');
    const sent: unknown = JSON.parse(payload);
    assert.deepEqual(result, { approved: true, payload: sent });
    assert.equal(JSON.stringify(result), `{"approved":true,"payload":${JSON.stringify(sent)}}`);
    assert.equal(({} as Record<string, unknown>)['polluted'], undefined);
  });

  test('a label that differs from the payload is never approved by the lists, and both are shown', async () => {
    const opened = await open({ files: FILES });
    opened.person.push('deny', 'dismiss', 'dismiss', 'dismiss', 'dismiss', 'dismiss');
    const odd: unknown = JSON.parse('{"__proto__":{"path":"/etc/passwd"}}');
    const answers = [
      await opened.elevate('/ws/a.ts', { path: '/etc/passwd' }),
      await opened.elevate('/ws/a.ts', { options: [{ deep: { copy: ['x', '/etc/passwd'] } }] }),
      await opened.elevate('/ws/a.ts', { note: 'file:///etc/passwd' }),
      await opened.elevate('/ws/a.ts', { '/etc/passwd': 'text' }),
      await opened.elevate('/ws/a.ts', odd as object as { path: string }),
      await opened.elevate('/ws/a.ts', { path: '/ws/src/a.ts' }),
      await opened.elevate('/ws/a.ts', { path: '/ws/.env' }),
    ];
    const closed = '{"approved":false,"reason":"The user closed the question."}';
    assert.deepEqual(answers, [
      '{"approved":false,"reason":"The user denied it."}',
      ...Array<string>(5).fill(closed),
      NO,
    ]);
    const question = 'case files elevate disagreement “/ws/a.ts”: label /ws/a.ts (a.ts of ws)';
    assert.deepEqual(opened.asked, [
      `${question}, /payload/path ${PASSWD}`,
      `${question}, /payload/options/0/deep/copy/1 ${PASSWD}`,
      `${question}, /payload/note ${PASSWD}`,
      `${question}, /payload/~1etc~1passwd ${PASSWD}`,
      `${question}, /payload/__proto__/path ${PASSWD}`,
      `${question}, /payload/path /ws/src/a.ts (src/a.ts of ws)`,
    ]);
  });

  test('a link out of an allowed folder asks about its real target', async () => {
    const opened = await open({ files: FILES });
    opened.person.push('dismiss', 'dismiss', 'dismiss', 'dismiss', 'once');
    const answers = [
      await opened.elevate('/ws/link/hosts'),
      await opened.elevate('/ws/link', { path: '/ws/link' }),
      await opened.elevate('/ws/nowhere/x', { path: '/ws/nowhere/x' }),
      await opened.elevate('/ws/away/../x'),
      await opened.elevate('/ws/away/x', { path: '/ws/away/x' }),
    ];
    const closed = '{"approved":false,"reason":"The user closed the question."}';
    assert.deepEqual(answers, [...Array<string>(4).fill(closed), '{"approved":true,"payload":{"path":"/ws/away/x"}}']);
    const root = opened.folders.ws.slice(0, -'/ws'.length);
    assert.deepEqual(
      opened.asked.map((line) => line.replaceAll(root, '…')),
      [
        `case files elevate unlisted “/ws/link/hosts”: label ${HOSTS}`,
        'case files elevate unlisted “/ws/link”: label /etc, /payload/path /etc',
        'case files elevate unlisted “/ws/nowhere/x”: label /out/not/there/x, /payload/path /out/not/there/x',
        'case files elevate unlisted “/ws/away/../x”: label …/x',
        'case files elevate unlisted “/ws/away/x”: label /out/x, /payload/path /out/x',
      ],
    );
    assert.equal(
      (await opened.decisions()).at(-1),
      'case scope/decision files success: scope/elevate /out/x: allowed by the person (once)',
    );
  });

  test('a server gets a few fixed sentences, and no pattern or path that it did not name itself', async () => {
    const patterns = { whitelist: ['/ws/private-plans/**'], blacklist: ['/ws/hidden-names/**', '**/*.keep'] };
    const opened = await open({ files: FILES, server: { entry: { scopes: { files: patterns } } } });
    opened.person.push('dismiss', 'dismiss');
    const answers = [
      await opened.elevate('/ws/hidden-names/x'),
      await opened.elevate('x.keep'),
      await opened.elevate('/ws/src/\u200ba.ts'),
      await opened.elevate('/ws/round/x'),
      await opened.elevate('/ws/nowhere/x'),
      await opened.elevate('/ws/private-plans/x', { path: '/ws/src/a.ts' }),
    ];
    const closed = '{"approved":false,"reason":"The user closed the question."}';
    assert.deepEqual(answers, [NO, NO, NEVER, NEVER, closed, closed]);
    assert.deepEqual(
      opened.mcpl.life().hostLines.filter((line) => line.includes('/out/not/there')),
      [],
    );
  });

  for (const version of ['0.2', '0.3', '0.4'])
    test(`MCPL ${version} has scopes: they are decided, announced and sent with calls`, async () => {
      const opened = await open({
        files: FILES,
        server: { mcpl: { version }, sets: { files: FILES_SET, others: set('tools') } },
      });
      const answers = [await opened.elevate('/ws/src/a.ts'), await opened.elevate('/ws/.env')];
      await opened.call({ path: 'src/a.ts' });
      assert.deepEqual(answers, [YES, NO]);
      assert.deepEqual(await opened.sent(), [
        '{"name":"write","arguments":{"path":"src/a.ts"},"scope":{"label":"/ws/src/a.ts","payload":{"path":"/ws/src/a.ts"}}}',
      ]);
      const [update] = opened.mcpl.life().sent('featureSets/update');
      const told = opened.folders.shown(JSON.stringify(update?.['params']));
      const scopes =
        version === '0.2' ? '' : ',"scopes":{"files":{"whitelist":["/ws/**"],"blacklist":["**/.env","**/secrets/**"]}}';
      assert.equal(told, `{"enabled":["files"],"disabled":["others"]${scopes}}`);
    });

  test('MCPL 0.5 has none: a request is no method, and the lists of the settings hold for calls all the same', async () => {
    const opened = await open({
      files: FILES,
      server: {
        mcpl: { version: '0.5' },
        tools: [WRITE],
        answers: { 'featureSets/update': () => ({ accepted: true }) },
      },
    });
    assert.equal(await opened.elevate('/ws/src/a.ts'), 'error -32601 Method not found: scope/elevate');
    assert.equal(await opened.call({ path: '/ws/src/a.ts' }), 'Done.');
    assert.match(await opened.call({ path: '/ws/.env' }), /^SCOPE_DENIED /);
    assert.deepEqual(await opened.sent(), ['{"name":"write","arguments":{"path":"/ws/src/a.ts"}}']);
    assert.deepEqual(opened.asked, []);
  });
});
