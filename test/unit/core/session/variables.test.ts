import assert from 'node:assert/strict';
import { NO_CANCELLATION } from '../../../../src/core/base/cancellation.ts';
import { isHostError } from '../../../../src/core/base/errors.ts';
import type { ConnectionDefinition, ServerDefinition } from '../../../../src/core/model/server.ts';
import type { VariableSource } from '../../../../src/core/ports.ts';
import { parseEnvFile } from '../../../../src/core/session/envFile.ts';
import {
  describeConnection,
  expandConnection,
  inOpenFolders,
  withFolders,
} from '../../../../src/core/session/variables.ts';

const source: VariableSource = {
  folders: [
    { name: 'app', path: '/work/app' },
    { name: 'lib', path: '/work/lib' },
  ],
  userHome: '/home/me',
  env: (name) => (name === 'TOKEN' ? 'from-env' : undefined),
  input: (id) =>
    Promise.resolve(
      id === 'key'
        ? { kind: 'value', value: 's3cret', secret: true }
        : id === 'plain'
          ? { kind: 'value', value: 'open', secret: false }
          : id === 'no'
            ? { kind: 'declined' }
            : { kind: 'undeclared' },
    ),
  readFile: (path) =>
    path === '/work/app/.env' ? Promise.resolve('FILE=1\nBOTH=file\n') : Promise.reject(new Error('not there')),
};

function stdio(extra: Partial<Extract<ConnectionDefinition, { kind: 'stdio' }>>): ConnectionDefinition {
  return { kind: 'stdio', command: 'node', args: [], env: {}, envFile: undefined, cwd: undefined, ...extra };
}

async function expand(
  definition: ConnectionDefinition,
  definedBy: ServerDefinition['definedBy'] = 'user',
): Promise<string> {
  let asked = 0;
  try {
    const server = { connection: definition, definedBy };
    const { connection, secrets } = await expandConnection(server, source, NO_CANCELLATION, () => asked++);
    return `${JSON.stringify(connection)} secrets ${JSON.stringify(secrets.map(({ name, value }) => `${name} ${value}`))} asked ${asked}`;
  } catch (error) {
    assert.ok(isHostError(error));
    return `${error.code}: ${error.message} ${error.suggestion ?? ''}`.trim();
  }
}

suite('A connection in the folders that are open now', () => {
  const none: VariableSource = { ...source, folders: [] };
  const written = stdio({
    command: '${workspaceFolder}/run',
    args: ['${workspaceFolder:lib}', '${userHome}', '${input:key}', '${env:TOKEN}', '${workspaceFolder:gone}', '${x}'],
    env: { A: '${workspaceFolder}', B: '${input:key}' },
    envFile: '${workspaceFolder:lib}/.env',
  });

  test('has its folders written out, and nothing that is secret or that no folder answers', () => {
    assert.deepEqual(inOpenFolders({ connection: written, definedBy: 'workspace' }, source), {
      kind: 'stdio',
      command: '/work/app/run',
      args: ['/work/lib', '/home/me', '${input:key}', '${env:TOKEN}', '${workspaceFolder:gone}', '${x}'],
      env: { A: '/work/app', B: '${input:key}' },
      envFile: '/work/lib/.env',
      cwd: '/work/app',
    });
    assert.deepEqual(inOpenFolders({ connection: written, definedBy: 'user' }, none), {
      ...written,
      args: ['${workspaceFolder:lib}', '/home/me', '${input:key}', '${env:TOKEN}', '${workspaceFolder:gone}', '${x}'],
      envFile: '/home/me/${workspaceFolder:lib}/.env',
      cwd: '/home/me',
    });
  });

  test('runs and reads its environment file where a relative path starts, whoever defines it', () => {
    const places = [undefined, 'sub', './sub', '/abs', '\\\\abs', 'C:\\abs', 'c:/abs', 'C:abs', '${userHome}/x'];
    const shown = (definedBy: 'user' | 'workspace', from: VariableSource): readonly string[] =>
      places.map((at) => {
        const shownAs = inOpenFolders({ connection: stdio({ cwd: at, envFile: at }), definedBy }, from);
        return shownAs.kind === 'stdio' ? `${shownAs.cwd ?? '-'} ${shownAs.envFile ?? '-'}` : '';
      });
    const absolute = ['/abs', '\\\\abs', 'C:\\abs', 'c:/abs'];
    const rest = (first: string, at: string): readonly string[] => [
      first,
      ...[`${at}/sub`, `${at}/./sub`, ...absolute, `${at}/C:abs`, '/home/me/x'].map((path) => `${path} ${path}`),
    ];
    assert.deepEqual(
      {
        'a user’s server': shown('user', source),
        'the workspace’s server': shown('workspace', source),
        'no folder': shown('user', none),
        'no folder, the workspace’s server': shown('workspace', none),
      },
      {
        'a user’s server': rest('/home/me -', '/work/app'),
        'the workspace’s server': rest('/work/app -', '/work/app'),
        'no folder': rest('/home/me -', '/home/me'),
        'no folder, the workspace’s server': rest('/home/me -', '/home/me'),
      },
    );
  });

  test('of a remote server has the folders in its address, headers and sign-in', () => {
    const remote = {
      kind: 'remote',
      url: 'https://x.test/${workspaceFolder:lib}?${input:key}',
      headers: { H: '${userHome}', I: '${input:key}' },
      transport: 'http',
    } as const;
    const plain = {
      kind: 'remote',
      url: 'https://x.test//work/lib?${input:key}',
      headers: { H: '/home/me', I: '${input:key}' },
      transport: 'http',
    };
    const auth = { flow: 'auto', clientId: '${userHome}', clientSecret: '${input:key}' } as const;
    assert.deepEqual(inOpenFolders({ connection: remote, definedBy: 'user' }, source), plain);
    assert.deepEqual(inOpenFolders({ connection: { ...remote, auth }, definedBy: 'user' }, source), {
      ...plain,
      auth: { ...auth, clientId: '/home/me' },
    });
  });

  test('keeps a text without variables as it is', () => {
    const texts = [
      '',
      '$',
      '${',
      '${}',
      '$workspaceFolder',
      '{workspaceFolder}',
      '${workspaceFolderX}',
      '${userHome:x}',
    ];
    assert.deepEqual(
      texts.map((text) => withFolders(text, source)),
      texts,
    );
  });
});

suite('Variables in settings', () => {
  test('every variable is expanded in every member', async () => {
    assert.equal(
      await expand(
        stdio({
          command: '${workspaceFolder}/run',
          args: ['${workspaceFolder:lib}', '${userHome}/x', '${env:TOKEN}-${env:NONE}', '--key=${input:key}', '$x {y}'],
          env: { PLAIN: '${input:plain}', BOTH: 'settings' },
          envFile: '.env',
          cwd: 'sub',
        }),
      ),
      '{"kind":"stdio","command":"/work/app/run","args":["/work/lib","/home/me/x","from-env-","--key=s3cret","$x {y}"],' +
        '"env":{"FILE":"1","BOTH":"settings","PLAIN":"open"},"cwd":"/work/app/sub"} secrets ["TOKEN from-env","key s3cret"] asked 2',
    );
  });

  test('only a server of the workspace runs in the first workspace folder by default, every other one in the home folder', async () => {
    assert.match(await expand(stdio({}), 'workspace'), /"cwd":"\/work\/app"/);
    assert.match(await expand(stdio({}), 'user'), /"cwd":"\/home\/me"/);
    assert.match(await expand(stdio({}), 'extension'), /"cwd":"\/home\/me"/);
    assert.match(await expand(stdio({ cwd: 'sub' }), 'user'), /"cwd":"\/work\/app\/sub"/);
  });

  test('the values of headers are secrets whatever they hold', async () => {
    assert.equal(
      await expand({
        kind: 'remote',
        url: 'https://x.test/${env:TOKEN}',
        headers: { A: 'Bearer abc' },
        transport: 'auto',
      }),
      '{"kind":"remote","url":"https://x.test/from-env","headers":{"A":"Bearer abc"},"transport":"auto"} secrets ["TOKEN from-env","A Bearer abc"] asked 0',
    );
  });

  test('what an environment calls a credential is a secret, and what is too short to be one is not', async () => {
    const env = { API_KEY: 'sk-123456', GitHub_Token: '${env:TOKEN}-long', AUTH: 'on', NAME: 'a long value' };
    assert.match(
      await expand(stdio({ env })),
      / secrets \["TOKEN from-env","API_KEY sk-123456","GitHub_Token from-env-long"\] asked 0$/,
    );
  });

  test('what cannot be expanded says what to do', async () => {
    assert.deepEqual(
      await Promise.all([
        expand(stdio({ args: ['${nothing}'] })),
        expand(stdio({ args: ['${workspaceFolder:other}'] })),
        expand(stdio({ args: ['${input:unknown}'] })),
        expand(stdio({ args: ['${input:no}'] })),
        expand(stdio({ envFile: '/elsewhere/.env' })),
        expand(stdio({ envFile: '${input:key}/.env' })),
        expand({ kind: 'remote', url: '${env:NONE}', headers: {}, transport: 'auto' }),
        expand({ kind: 'remote', url: 'x.test/?key=${input:key}', headers: {}, transport: 'auto' }),
      ]),
      [
        'VARIABLE_UNRESOLVED: The variable ${nothing} is not known. Correct the settings of this server.',
        'VARIABLE_UNRESOLVED: No folder named "other" is open. Open the folder or correct the settings.',
        'VARIABLE_UNRESOLVED: The input "unknown" is not declared. Declare it in the setting "mcpl.inputs".',
        'CANCELLED: The question for "no" was cancelled.',
        'VARIABLE_UNRESOLVED: The envFile /elsewhere/.env cannot be read: not there Create the file or correct "envFile" in the settings.',
        'VARIABLE_UNRESOLVED: The path of "envFile" cannot hold ${input:key}. Write the path without that variable.',
        'VARIABLE_UNRESOLVED: The URL "${env:NONE}" does not expand to http://, https://, ws:// or wss://. Correct the settings of this server.',
        'VARIABLE_UNRESOLVED: The URL "x.test/?key=${input:key}" does not expand to http://, https://, ws:// or wss://. Correct the settings of this server.',
      ],
    );
  });

  test('a question shows the whole command line, with secrets as they are written', () => {
    assert.equal(
      describeConnection(
        stdio({
          command: '${workspaceFolder}/run',
          args: ['two words', '--key=${input:key}', '${env:TOKEN}', 'say "hi"', ''],
        }),
        source,
      ),
      "/work/app/run 'two words' --key=${input:key} ${env:TOKEN} 'say \\u{22}hi\\u{22}' ''",
    );
  });
});

suite('Environment files', () => {
  test('a comment needs white space before it, or nothing', () => {
    assert.deepEqual(parseEnvFile('A=#no value\nB=b#c\nC=c #d\nD=d\t# e\nE=\'e #f\' # g\nF="f #g" # h\n#G=1\n'), {
      A: '',
      B: 'b#c',
      C: 'c',
      D: 'd',
      E: 'e #f',
      F: 'f #g',
    });
  });

  test('names, quotes, comments and line ends are read as shells read them', () => {
    assert.deepEqual(
      parseEnvFile(
        '\uFEFF# comment\r\nA=1\nexport B = two words # remark\nC="x # y\\n\\"z\\""\nD=\'$keep\'\nE=\n=none\nF#G=1\nH=a=b#c\n',
      ),
      { A: '1', B: 'two words', C: 'x # y\n"z"', D: '$keep', E: '', H: 'a=b#c' },
    );
  });
});
