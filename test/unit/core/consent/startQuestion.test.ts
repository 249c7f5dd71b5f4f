import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { ConnectionDefinition, ServerDefinition } from '../../../../src/core/model/server.ts';
import type { WorkspaceUse } from '../../../../src/core/model/workspaceUse.ts';
import { MAX_QUESTION, shortQuestion, startTitle, wholeQuestion } from '../../../../src/core/consent/startQuestion.ts';
import { decidesWhatRuns, INHERITED } from '../../../../src/core/consent/startVariables.ts';
import type { StartQuestion, VariableSource } from '../../../../src/core/ports.ts';
import { describeConnection } from '../../../../src/core/session/variables.ts';
import { dose } from '../../../support/dose.ts';
import { remarksOn, serverDefinition } from '../../../support/serverDefinition.ts';

function question(extra: Partial<StartQuestion> = {}): StartQuestion {
  return { server: 'srv', reason: 'first', kind: 'command', target: 'node a.js', cwd: '/ws', remarks: [], ...extra };
}

const TRICK = 'A. It was checked by Microsoft and is safe to start, PATH';

suite('The question before a start', () => {
  test('is one text where all of it fits, and can be answered then', () => {
    assert.deepEqual(shortQuestion(question({ remarks: ['It sends the headers: "A".'] })), {
      text: 'This workspace wants to run "srv": "node a.js" in "/ws". It sends the headers: "A".',
      isWhole: true,
    });
    assert.deepEqual(shortQuestion(question({ kind: 'url', target: 'https://x.test', cwd: undefined })), {
      text: 'This workspace wants to connect to "srv": "https://x.test".',
      isWhole: true,
    });
  });

  test('says why it is asked', () => {
    const contributor = { id: 'acme.tools', name: 'Acme' };
    const titles = (['first', 'changed', 'widened', 'workspaceFiles'] as const).flatMap((reason) => [
      startTitle(question({ reason })),
      startTitle(question({ reason, contributor })),
    ]);
    assert.deepEqual(titles, [
      'This workspace wants to run "srv".',
      'The extension "Acme" ("acme.tools") wants to run "srv".',
      'This workspace changed the definition of "srv".',
      'The extension "Acme" ("acme.tools") changed the definition of "srv".',
      'This workspace gives "srv" more permissions.',
      'The extension "Acme" ("acme.tools") gives "srv" more permissions.',
      'Your server "srv" uses files of this workspace.',
      'Your server "srv" uses files of this workspace.',
    ]);
  });

  test('names the command or the address after the reason', () => {
    const shownFor = (reason: StartQuestion['reason'], kind: StartQuestion['kind']): string =>
      shortQuestion(question({ reason, kind, cwd: undefined })).text;
    assert.deepEqual(
      (['changed', 'widened', 'workspaceFiles'] as const).map((reason) => shownFor(reason, 'command')),
      [
        'This workspace changed the definition of "srv". It runs "node a.js".',
        'This workspace gives "srv" more permissions. It runs "node a.js".',
        'Your server "srv" uses files of this workspace. It runs "node a.js".',
      ],
    );
    assert.equal(
      shownFor('changed', 'url'),
      'This workspace changed the definition of "srv". It connects to "node a.js".',
    );
  });

  test('counts the remarks that do not fit, and the whole of it has them', () => {
    const remarks = Array.from({ length: 9 }, (_, index) => `It does ${index} ${'x'.repeat(150)}.`);
    const long = question({ remarks });
    const { text, isWhole } = shortQuestion(long);
    assert.equal(isWhole, false);
    assert.match(text, /It does 4 x+\. And 4 more remarks\. Choose Review… to see everything\.$/);
    assert.deepEqual(wholeQuestion(long), ['It runs "node a.js".', 'It runs in "/ws".', ...remarks]);
  });

  test('uses all of the room for the last remark only', () => {
    const shownOf = (last: number, remarks: readonly string[] = []): string => {
      const base = shortQuestion(question({ remarks })).text.length + 1;
      const all = [...remarks, 'x'.repeat(last - base)];
      const { text, isWhole } = shortQuestion(question({ remarks: all }));
      return `${isWhole ? 'whole' : 'cut'} ${all.filter((remark) => text.includes(remark)).length} of ${all.length}`;
    };
    assert.deepEqual(
      [shownOf(MAX_QUESTION), shownOf(MAX_QUESTION + 1), shownOf(MAX_QUESTION, ['It does A.'])],
      ['whole 1 of 1', 'cut 0 of 1', 'whole 2 of 2'],
    );
    // A remark other than the last leaves room for the sentence that counts the rest.
    const reserve = shortQuestion(question()).text.length + 1;
    const counted = (length: number): string | undefined =>
      / And (\d) more/.exec(
        shortQuestion(question({ remarks: ['x'.repeat(length - reserve), 'y'.repeat(200)] })).text,
      )?.[1];
    assert.deepEqual([counted(MAX_QUESTION - 100), counted(MAX_QUESTION - 99)], ['1', '2']);
  });

  test('has only a line with the address if nothing runs in a folder', () => {
    assert.deepEqual(wholeQuestion(question({ kind: 'url', target: 'https://x.test', cwd: undefined })), [
      'It connects to "https://x.test".',
    ]);
  });

  test('says how long a command line is that does not fit', () => {
    const long = question({ target: `node ${'x'.repeat(5_000)}` });
    const { text, isWhole } = shortQuestion(long);
    assert.equal(isWhole, false);
    assert.match(
      text,
      /wants to run "srv": "node x{195}…" \(the first of 5005 characters\) in "\/ws"\. Choose Review…/,
    );
    assert.match(wholeQuestion(long)[0] ?? '', /x{5000}"\.$/);
  });

  test('cuts a command line between whole characters and escapes', () => {
    const cut = (end: string): string => {
      const target = `${'x'.repeat(200 - end.length)}${end}${'y'.repeat(400)}`;
      return /"x+(.*?)…"/u.exec(shortQuestion(question({ target })).text)?.[1] ?? '?';
    };
    const ends = ['', '\\', '\\u', '\\u{', '\\u{2', '\\u{202e', '\\u{202e}', '\ud83d', '\u{1f600}', 'u{2', '\\a'];
    assert.deepEqual(ends.map(cut), ['', '', '', '', '', '', '\\u{202e}', '', '\u{1f600}', 'u{2', '\\a']);
  });

  test('quotes names and values so that they cannot read as the rest of a sentence', () => {
    const env = { [TRICK]: '1', 'A".B': '1' };
    const connection = { kind: 'stdio', command: 'x', args: [], env, envFile: undefined, cwd: undefined } as const;
    assert.deepEqual(remarksOn(serverDefinition({ connection })), [
      `It sets environment variables: "A\\u{22}.B", "${TRICK}".`,
    ]);
  });

  test('shows the values of variables that decide what runs, also those of an environment file, and names the others', () => {
    const env = { PATH: '/ws/bin', TOKEN: 's3cret', NODE_OPTIONS: '-r ./x "y"', DYLD_X: '1' };
    const connection = { kind: 'stdio', command: 'x', args: [], env, envFile: '.env', cwd: undefined } as const;
    const fileVariables = { LD_PRELOAD: '/ws/x.so', PATH: 'loses', OTHER: '1' };
    assert.deepEqual(remarksOn(serverDefinition({ connection }), { fileVariables }), [
      'It sets "DYLD_X", which can run other code, to "1".',
      'It sets "NODE_OPTIONS", which can run other code, to "-r ./x \\u{22}y\\u{22}".',
      'It sets "PATH", which can run other code, to "/ws/bin".',
      'Its environment file sets "LD_PRELOAD", which can run other code, to "/ws/x.so".',
      'It sets environment variables: "TOKEN".',
      'It reads from ".env" the environment variables: "LD_PRELOAD", "OTHER", "PATH".',
    ]);
  });

  test('shows no password of an address', () => {
    const env = { PIP_INDEX_URL: 'https://me:s3cret@x.test/simple', UV_PUBLISH_TOKEN: 's3cret' };
    const connection = { kind: 'stdio', command: 'x', args: [], env, envFile: undefined, cwd: undefined } as const;
    assert.deepEqual(remarksOn(serverDefinition({ connection })), [
      'It sets "PIP_INDEX_URL", which can run other code, to "https://me:[secret]@x.test/simple".',
      'It sets environment variables: "UV_PUBLISH_TOKEN".',
    ]);
  });

  test('hides no entry of a list that looks like the password of an address', () => {
    const env = { PATH: '/usr/bin://a:evil@', LD_PRELOAD: 'x://a:evil.so@' };
    const connection = { kind: 'stdio', command: 'x', args: [], env, envFile: undefined, cwd: undefined } as const;
    assert.deepEqual(remarksOn(serverDefinition({ connection })), [
      'It sets "LD_PRELOAD", which can run other code, to "x://a:evil.so@".',
      'It sets "PATH", which can run other code, to "/usr/bin://a:evil@".',
    ]);
  });

  test('names the modules that Python takes from the workspace', () => {
    const uses: readonly WorkspaceUse[] = [{ what: 'module', text: '/home/me/ws/__init__.py' }];
    assert.deepEqual(remarksOn(serverDefinition(), { uses }), [
      'Python takes the file "/home/me/ws/__init__.py" of this workspace for a module.',
    ]);
  });

  test('begins with what is most dangerous', () => {
    const connection: ConnectionDefinition = {
      kind: 'stdio',
      command: '${input:pin}',
      args: [],
      env: { A: '1', LD_PRELOAD: 'x' },
      envFile: undefined,
      cwd: undefined,
    };
    const definition = serverDefinition({
      connection,
      definedBy: 'workspace',
      workspaceAutoApprove: ['t'],
      lentByUser: ['A'],
      workspaceGrants: ['withoutMcpl', 'whitelist ["f",["/**"]]', 'requestsPerHour [9,1]'],
      contributor: { id: 'i', name: 'n' },
    });
    const uses: readonly WorkspaceUse[] = [{ what: 'folder', text: '/ws' }];
    const beginnings = remarksOn(definition, { uses }).map((remark) => remark.split(' ').slice(0, 3).join(' '));
    assert.deepEqual(beginnings, [
      'It sets "LD_PRELOAD",',
      'It runs in',
      'Models may call',
      ...beginnings.slice(3, -4),
      'Your own settings',
      'It is given',
      'It sets environment',
      'The extension "n"',
    ]);
  });

  test('knows which variables decide what runs, in any case', () => {
    const yes = [
      'PATH',
      'Path',
      'NODE_OPTIONS',
      'node_path',
      'LD_AUDIT',
      'DYLD_ANY',
      'PYTHONHOME',
      'npm_config_node_gyp',
    ];
    const no = [
      'TOKEN',
      'APP_OPTIONS_COUNT',
      'APP_INITIAL',
      'CARGO_REGISTRY_TOKEN',
      'npm_config__auth',
      'API_KEY',
      'PORT',
      'LOG_LEVEL',
      'DATABASE_URL',
      'XPATH',
      'NODE_ENV',
    ];
    assert.deepEqual([...yes, ...no].filter(decidesWhatRuns), yes);
    // Each inherited one is also listed, in any case.
    assert.deepEqual(
      INHERITED.filter((name) => !decidesWhatRuns(name)),
      [],
    );
    for (const name of ['NODE_OPTIONS', 'PYTHONPATH', 'LD_PRELOAD', 'DYLD_INSERT_LIBRARIES', 'BASH_ENV', 'GIT_SSH'])
      assert.ok(INHERITED.includes(name), name);
  });
});

/** Every piece of foreign text contains this at least at every fourth character. */
const MARK = 'Ж';

const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '"',
        '\\',
        '\\"',
        '”',
        '“',
        '″',
        "''",
        '\n',
        '\r\n',
        '\u2028',
        '\u202e',
        '\u200b',
        '\0',
        '\ud800',
        '😀',
      ),
      fc.constantFrom('. It was checked by Microsoft', '](command:x)', '", "PATH', '\u001b[2J', '…', 'x'.repeat(300)),
      fc.string({ unit: 'binary', maxLength: 3 }),
    ),
    { maxLength: 8 },
  )
  .map((pieces) => `${MARK}${pieces.join(MARK)}${MARK}`);

const names = fc.uniqueArray(hostile, { maxLength: 12 });
const variables = fc
  .tuple(names, fc.array(hostile, { minLength: 12, maxLength: 12 }), fc.constantFrom('', 'LD_', 'X_'))
  .map(([keys, values, prefix]) => Object.fromEntries(keys.map((key, index) => [prefix + key, values[index] ?? ''])));

const connections: fc.Arbitrary<ConnectionDefinition> = fc.oneof(
  fc.record({
    kind: fc.constant('stdio' as const),
    command: hostile,
    args: names,
    env: variables,
    envFile: fc.option(hostile, { nil: undefined }),
    cwd: fc.option(hostile, { nil: undefined }),
  }),
  fc.record({
    kind: fc.constant('remote' as const),
    url: hostile,
    headers: variables,
    transport: fc.constant('auto' as const),
    auth: fc.option(fc.record({ flow: fc.constant('enterprise' as const), issuer: hostile }), { nil: undefined }),
  }),
);

const grants = fc
  .tuple(hostile, hostile)
  .map(([a, b]) => [
    `featureSets ${JSON.stringify([a])}`,
    `tool ${JSON.stringify([a, b, null])}`,
    `model ${JSON.stringify([b, null])}`,
    `whitelist ${JSON.stringify([a, [b, `/${a}`]])}`,
  ]);

const uses = fc.array(
  fc.record({
    what: fc.constantFrom('folder', 'program', 'envFile', 'variable', 'argument') as fc.Arbitrary<WorkspaceUse['what']>,
    name: hostile,
    text: hostile,
  }),
  { maxLength: 6 },
);

const variablesSource: VariableSource = {
  folders: [],
  userHome: '/home/me',
  env: () => undefined,
  input: () => Promise.resolve({ kind: 'undeclared' }),
  readFile: () => Promise.reject(new Error('no such file')),
};

const questions = fc
  .record({
    connection: connections,
    server: hostile,
    workspaceAutoApprove: names,
    lentByUser: names,
    workspaceGrants: grants,
    contributor: fc.option(fc.record({ id: hostile, name: hostile }), { nil: undefined }),
    definedBy: fc.constantFrom<ServerDefinition['definedBy'][]>('user', 'workspace', 'extension'),
    fileVariables: variables,
    uses,
    featureSet: hostile,
    reason: fc.constantFrom<StartQuestion['reason'][]>('first', 'changed', 'widened', 'workspaceFiles'),
  })
  .map(({ connection, server, fileVariables, uses: used, featureSet, reason, ...rest }): StartQuestion => {
    const definition = serverDefinition({ id: server, connection, ...rest });
    const lineage = { id: 1, server, featureSet, keeper: 'host', size: 0, count: 2, changedAt: 0 } as const;
    const lineages = [{ ...lineage, head: undefined, others: [], blocked: undefined }];
    return {
      server,
      reason,
      kind: connection.kind === 'stdio' ? 'command' : 'url',
      target: describeConnection(connection, variablesSource),
      cwd: connection.kind === 'stdio' ? connection.cwd : undefined,
      remarks: remarksOn(definition, { fileVariables, uses: used, lineages }),
      ...(rest.contributor === undefined ? {} : { contributor: rest.contributor }),
    };
  });

suite('The question before a start, whatever settings contain', () => {
  test('keeps foreign text in quotes that it cannot close, and shows nothing that deceives', () => {
    fc.assert(
      fc.property(questions, (asked) => {
        for (const text of [shortQuestion(asked).text, startTitle(asked), ...wholeQuestion(asked), ...asked.remarks]) {
          const ours = text.replace(/"[^"]*"/g, '""');
          assert.equal((text.match(/"/g) ?? []).length % 2, 0, text);
          assert.ok(!ours.includes(MARK) && !ours.includes('Microsoft'), ours);
          assert.doesNotMatch(text, /[\p{Cc}\p{Cf}\p{Cs}“”„‟″＂]|''|\]\(/u);
        }
      }),
      { numRuns: dose(400, 10_000) },
    );
  });

  test('fits into a notification, and shows or counts every remark', () => {
    fc.assert(
      fc.property(questions, (asked) => {
        const { text, isWhole } = shortQuestion(asked);
        assert.ok(text.length <= MAX_QUESTION, String(text.length));
        const counted = Number(/ And (\d+) more remarks?\. Choose Review… to see everything\.$/.exec(text)?.[1] ?? 0);
        const shown = asked.remarks.slice(0, asked.remarks.length - counted);
        for (const remark of shown) assert.ok(text.includes(` ${remark}`), remark);
        if (isWhole)
          for (const line of wholeQuestion(asked))
            assert.ok(text.includes(line.replace(/^It (runs|connects to)( in)? (?=")|\.$/g, '')));
        else assert.match(text, / Choose Review… to see everything\.$/);
        const whole = wholeQuestion(asked);
        for (const remark of asked.remarks) assert.ok(whole.includes(remark));
      }),
      { numRuns: dose(400, 10_000) },
    );
  });
});
