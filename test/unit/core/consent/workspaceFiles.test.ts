import assert from 'node:assert/strict';
import fc from 'fast-check';
import { NO_CANCELLATION } from '../../../../src/core/base/cancellation.ts';
import type { StdioConnection } from '../../../../src/core/ports.ts';
import { type ProcessLocation, workspaceUses } from '../../../../src/core/consent/workspaceFiles.ts';
import { dose } from '../../../support/dose.ts';
import { type FakeEntry, fakeFiles, type FakeFilesOptions } from '../../../support/fakeFiles.ts';

interface Case extends Partial<Omit<StdioConnection, 'kind'>> {
  readonly envFile?: string;
  readonly inherited?: Readonly<Record<string, string>>;
  readonly folders?: readonly string[];
  readonly home?: string;
}

const FILES: Readonly<Record<string, FakeEntry>> = {
  '/ws/server.js': 'file',
  '/ws/bin/tool': 'file',
  '/ws/node_modules/.bin/pkg': 'file',
  '/home/me/server.js': 'file',
  '/home/me/link': { link: '/ws' },
  '/home/me/pkg/server.py': 'file',
  '/usr/bin/node': 'file',
  '/usr/bin/linked': { link: '/ws/bin/tool' },
  '/opt/x/server.js': 'file',
};

const NESTED = '/home/me/src/ws';
const NESTED_FILES: Readonly<Record<string, FakeEntry>> = {
  [`${NESTED}/__init__.py`]: 'file',
  '/home/me/src/my-ws/__init__.py': 'file',
  '/home/me/parent': { link: '/home/me/src' },
};

async function usesOf(
  { envFile, inherited = {}, folders = ['/ws'], home = '/home/me', ...given }: Case,
  files = fakeFiles(FILES),
): Promise<string> {
  const connection = { kind: 'stdio', command: 'node', args: [], env: {}, cwd: home, ...given } as const;
  const place: ProcessLocation = {
    folders: folders.map((path) => ({ name: 'ws', path })),
    userHome: home,
    env: (name) => ({ PATH: '/usr/bin', ...inherited })[name],
  };
  const uses = await workspaceUses({ connection, envFile }, place, files, NO_CANCELLATION);
  return uses
    .map(
      ({ what, name, text, isImplied }) =>
        `${what} ${name === undefined ? '' : `${name} `}${text}${isImplied === true ? ' (implied)' : ''}`,
    )
    .join('; ');
}

async function table(rows: readonly (readonly [Case, string])[], files = fakeFiles(FILES)): Promise<void> {
  const shown: string[] = [];
  for (const [given] of rows) shown.push(`${JSON.stringify(given)}: ${await usesOf(given, files)}`);
  assert.deepEqual(
    shown,
    rows.map(([given, expected]) => `${JSON.stringify(given)}: ${expected}`),
  );
}

suite('Files of the workspace that a server would run', () => {
  test('are none if nothing leads into an open folder', () =>
    table([
      [{}, ''],
      [{ command: 'npx', args: ['-y', '@scope/pkg@1.2', '--port=80', 'https://ws/x', '.', ''] }, ''],
      [{ args: ['server.js'] }, ''],
      [{ args: ['server.js'], cwd: '/opt/x' }, ''],
      [{ args: ['/wsx/a.js', '/opt/ws', '../ws'] }, ''],
      [{ args: ['/ws/server.js'], folders: [] }, ''],
      [{ command: '/opt/x/run', env: { DATA: '/ws/data.json', NODE_OPTIONS: '--max-old-space-size=4096' } }, ''],
      [{ envFile: '/home/me/.env' }, ''],
    ]));

  test('are found by the working folder and the program', () =>
    table([
      [{ cwd: '/ws' }, 'folder /ws'],
      [{ cwd: '/ws/sub/' }, 'folder /ws/sub/'],
      [{ cwd: '/home/me/../../ws' }, 'folder /home/me/../../ws'],
      [{ cwd: '/home/me/link' }, 'folder /home/me/link'],
      [{ home: '/ws/me' }, 'folder /ws/me'],
      [{ folders: ['/home'] }, 'folder /home/me'],
      [{ folders: ['/'] }, 'folder /home/me; program node; variable PATH /usr/bin'],
      [
        { cwd: '/ws', args: ['server.js', '-y', 'pkg', '/ws/x'] },
        'folder /ws; argument server.js (implied); argument /ws/x',
      ],
      [{ command: '/ws/bin/tool' }, 'program /ws/bin/tool'],
      [{ command: 'link/bin/tool' }, 'program link/bin/tool'],
      [{ command: 'linked' }, 'program linked'],
      [{ command: 'tool', env: { PATH: '/opt/bin:/ws/bin' } }, 'program tool; variable PATH /opt/bin:/ws/bin'],
    ]));

  test('are found by the environment, also where a process inherits it', () =>
    table([
      [{ env: { PATH: 'link/bin' } }, 'variable PATH link/bin'],
      [{ env: { Path: '/ws/bin' } }, 'variable Path /ws/bin'],
      [{ inherited: { PATH: '/usr/bin:/ws/node_modules/.bin' } }, 'variable PATH /usr/bin:/ws/node_modules/.bin'],
      [{ inherited: { NODE_OPTIONS: '--require /ws/hook.js' } }, 'variable NODE_OPTIONS --require /ws/hook.js'],
      [{ inherited: { NODE_OPTIONS: '-r /ws/x' }, env: { NODE_OPTIONS: '' } }, ''],
      ...['BUNDLE_GEMFILE', 'GOFLAGS', 'NPM_CONFIG_PREFIX', 'PYTHONUSERBASE', 'UV_PYTHON', 'ZDOTDIR'].map(
        (name) => [{ inherited: { [name]: '/ws/x' } }, `variable ${name} /ws/x`] as const,
      ),
      [{ envFile: '/ws/.env' }, 'envFile /ws/.env'],
      [{ envFile: '/home/me/link/.env' }, 'envFile /home/me/link/.env'],
      ...[
        ['NODE_OPTIONS', '--import=file:///ws/a%20b.mjs'],
        ['NODE_OPTIONS', '--require "/ws/my hook.js"'],
        ['NODE_PATH', '/opt/lib:/ws/node_modules'],
        ['PYTHONPATH', '/ws'],
        ['PYTHONSTARTUP', '~/link/start.py'],
        ['PYTHONHOME', '/ws/venv'],
        ['RUBYOPT', '-r/ws/x'],
        ['RUBYLIB', '/ws/lib'],
        ['PERL5OPT', '-I/ws/lib -Mx'],
        ['PERL5LIB', '/ws/lib'],
        ['BASH_ENV', '$HOME/link/env.sh'],
        ['ENV', '/ws/env.sh'],
        ['LD_PRELOAD', '/ws/x.so'],
        ['LD_LIBRARY_PATH', '/usr/lib:/ws/lib'],
        ['LD_AUDIT', '/ws/x.so'],
        ['DYLD_INSERT_LIBRARIES', '/ws/x.dylib'],
        ['JAVA_TOOL_OPTIONS', '-javaagent:/ws/agent.jar'],
        ['CLASSPATH', '/ws/classes'],
        ['GIT_SSH_COMMAND', 'sh /ws/ssh.sh'],
        ['GIT_EXEC_PATH', '/ws/git'],
        ['npm_config_prefix', '/ws/npm'],
        ['npm_config_script_shell', '/ws/sh'],
        ['BUNDLE_GEMFILE', '/ws/Gemfile'],
        ['DOTNET_STARTUP_HOOKS', '/ws/hook.dll'],
        ['ACME_CLI_OPTS', '--plugin /ws/plugin.js'],
        ['NODE_CONFIG_DIR', '/ws/config'],
        ['NODE_COMPILE_CACHE', '/ws/cache'],
        ['PRISMA_QUERY_ENGINE_LIBRARY', '/ws/engine.node'],
        ['SPARK_HOME', '/ws/spark'],
        ['TF_CLI_CONFIG_FILE', '/ws/terraform.rc'],
        ['RSYNC_RSH', '/ws/run'],
      ].map(([name = '', value = '']) => [{ env: { [name]: value } }, `variable ${name} ${value}`] as const),
    ]));

  test('are found by arguments, however these name them', () =>
    table(
      [
        '/ws',
        '/ws/',
        '/ws/server.js',
        '//ws//server.js',
        '/opt/../ws/server.js',
        '../../ws/server.js',
        'link/server.js',
        '/home/me/link/new.js',
        '~/link/server.js',
        '${HOME}/link/server.js',
        '--require=/ws/hook.js',
        '--env=A=/ws/hook.js',
        '-r/ws/hook.js',
        '-rlink/../ws/hook.js',
        'file:///ws/server.mjs',
        'git+file:///ws/repo',
        'file:../../ws',
        '@/ws/arguments',
        'type=bind,source=/ws,target=/data',
        '/ws:/data:ro',
        'cd /ws && npm start',
        'exec "$HOME/link/run"',
        '{"root":"/ws/x"}',
        'a\nnode /ws/x.js',
      ].map((arg) => [{ args: [arg] }, `argument ${arg}`] as const),
    ));

  test('are found where the name of a folder has spaces', () =>
    table([
      [{ args: ["cat '/my project/x'"], folders: ['/my project'] }, "argument cat '/my project/x'"],
      [{ args: ['/my project/x'], folders: ['/my project'] }, 'argument /my project/x'],
      [{ args: ["cat '/not my project/x'"], folders: ['/my project'] }, ''],
    ]));

  test('are found by the name of a module in a folder that is open below the working folder', () =>
    table([
      [{ command: 'python', args: ['-m', 'pkg.server'], folders: ['/home/me/pkg'] }, 'argument pkg.server'],
      [{ command: 'python', args: ['-m', 'other.server'], folders: ['/home/me/pkg'] }, ''],
    ]));

  test('are found whatever the letter case where the system ignores it, and in any spelling of Unicode', async () => {
    const files: Readonly<Record<string, FakeEntry>> = { '/Ws/server.js': 'file', '/W\u00e9': 'folder' };
    const options: FakeFilesOptions = { ignoresCase: true };
    await table([[{ args: ['/wS/Server.js'], folders: ['/Ws'] }, 'argument /wS/Server.js']], fakeFiles(files, options));
    await table([[{ args: ['/wS/Server.js'], folders: ['/Ws'] }, '']], fakeFiles(files));
    await table([[{ args: ['/We\u0301/x'], folders: ['/W\u00e9'] }, 'argument /We\u0301/x']], fakeFiles(files));
  });

  test('are found on Windows by any way to write a path', async () => {
    const files = fakeFiles({ 'c:/ws/server.js': 'file', 'c:/ws/bin/tool.cmd': 'file' }, { style: 'windows' });
    const place = { folders: ['C:\\ws'], home: 'C:\\Users\\me' };
    await table(
      [
        [{ ...place, args: ['server.js', '/c', 'D:\\ws\\x'] }, ''],
        [{ ...place, args: ['c:\\WS\\server.js'] }, 'argument c:\\WS\\server.js'],
        [{ ...place, args: ['--x=C:/ws/server.js'] }, 'argument --x=C:/ws/server.js'],
        [{ ...place, args: ['..\\..\\ws\\server.js'] }, 'argument ..\\..\\ws\\server.js'],
        [{ ...place, args: ['\\ws\\server.js'] }, 'argument \\ws\\server.js'],
        [{ ...place, args: ['C:\\ws:/data'] }, 'argument C:\\ws:/data'],
        [{ ...place, args: ['file:///C:/ws/server.js'] }, 'argument file:///C:/ws/server.js'],
        [
          { ...place, command: 'tool', env: { Path: 'C:\\x;C:\\ws\\bin' } },
          'program tool; variable Path C:\\x;C:\\ws\\bin',
        ],
        [{ ...place, cwd: 'c:\\WS' }, 'folder c:\\WS'],
        ...[
          '/mnt/c/ws/server.js',
          'cd /mnt/c/WS && npm start',
          '/c/ws/server.js',
          '/cygdrive/c/ws/x',
          '\\\\localhost\\c$\\ws\\x',
          '\\\\.\\C:\\ws\\x',
          '"%HOMEDRIVE%"\\ws\\x.bat',
        ].map((arg) => [{ ...place, args: [arg], inherited: { HOMEDRIVE: 'C:' } }, `argument ${arg}`] as const),
        [{ ...place, args: ['/mnt/d/ws/server.js', '/c', '/d/s/c'] }, ''],
      ],
      files,
    );
  });

  test('are found by relative words behind a folder that the command line names', () =>
    table(
      [
        ['-Cws', 'start'],
        ['-abCws', 'start'],
        ['-rws/hook.js'],
        ['-fws/docker-compose.yml', 'up'],
        ['-C', '/home/me/src', 'make', '../src/ws/x'],
      ].map((args) => [
        { cwd: '/home/me/src', args, folders: [NESTED] },
        `argument ${args.find((arg) => arg.includes('ws')) ?? ''}`,
      ]),
      fakeFiles(NESTED_FILES),
    ));

  test('are found by relative words that are meant from another folder of the command line', () =>
    table(
      [
        [{ args: ['-C', '/home/me/src', 'ws/x'] }, 'argument ws/x'],
        [{ args: ['--directory=/home/me/src', 'run', 'ws/server.py'] }, 'argument ws/server.py'],
        [{ args: ['-C', 'src', 'run', 'ws'] }, 'argument ws'],
        [{ args: ['-C', 'parent', 'ws/x'] }, 'argument ws/x'],
        [{ args: ['-C', '/opt', 'ws/x'] }, ''],
        [{ args: ['-m', 'ws.server'], env: { PYTHONPATH: '/home/me/src' } }, 'argument ws.server'],
        [{ args: ['serve', '/home/me/src', '/home/me'] }, ''],
        [{ args: ['ws/x'], inherited: { GOPATH: '/home/me/src' } }, ''],
      ].map(([given, expected]) => [{ ...(given as Case), folders: [NESTED] }, String(expected)]),
      fakeFiles(NESTED_FILES),
    ));

  test('are found in scripts, however a shell joins a path', () =>
    table(
      [
        'cd "$HOME"/src/ws && npm start',
        'cd ~/src && node ws/server.js',
        'cd src; cd ws; npm start',
        'cd ~ && cd src && ./ws/run',
        'node "/home/me/src/"ws/x',
        String.raw`node /home/me/src/w\s/x`,
        'node ~me/src/ws/x',
        'cd ${HOME%/}/src/ws',
        'cd $SRC && npm start',
        'node ${SRC}/x',
        'cd $OUTER && npm start',
        'cd "$PARENT" && node ws/x',
      ].map((script) => [
        {
          command: 'sh',
          args: ['-c', script],
          env: { SRC: NESTED, OUTER: '$SRC/sub' },
          inherited: { PARENT: '/home/me/src' },
          folders: [NESTED],
        },
        `argument ${script}`,
      ]),
      fakeFiles(NESTED_FILES),
    ));

  test('are found in scripts where a name has spaces', () =>
    table(
      ['cd "my project" && npm start', String.raw`cd my\ project && npm start`, '--prefix="my project/x"'].map(
        (script) => [{ command: 'sh', args: ['-c', script], folders: ['/home/me/my project'] }, `argument ${script}`],
      ),
      fakeFiles({ '/home/me/my project': 'folder' }),
    ));

  test('are found where Python takes an open folder for a package', () =>
    table(
      [
        [{ command: 'python3', args: ['-m', 'server'] }, `module ${NESTED}/__init__.py`],
        [{ command: 'python', args: ['-uc', 'import server'] }, `module ${NESTED}/__init__.py`],
        [{ command: 'uv', args: ['run', 'python', '-m', 'server'] }, `module ${NESTED}/__init__.py`],
        [{ command: 'sh', args: ['-c', 'exec python3.12 -m server'] }, `module ${NESTED}/__init__.py`],
        [{ command: 'python', args: ['server.py'] }, ''],
        [{ command: 'python', args: ['-m', 'server'], cwd: '/home/me' }, ''],
        [{ command: 'python', args: ['-m', 'server'], folders: ['/home/me/src/my-ws'] }, ''],
        [{ command: 'node', args: ['-m', 'server'] }, ''],
      ].map(([given, expected]) => [{ cwd: '/home/me/src', folders: [NESTED], ...(given as Case) }, String(expected)]),
      fakeFiles(NESTED_FILES),
    ));

  test('count as found if there is too much to check', async () => {
    const args = Array.from({ length: 2_500 }, (_, index) => `word${index}`);
    assert.match(await usesOf({ args: [...args, 'link/x'] }), /^unchecked \d+$/);
  });

  test('are found in any argument and variable that spells out a path below an open folder', async () => {
    const files = fakeFiles(FILES);
    const before = fc.constantFrom('', '-r', '--x=', '--a=b=', 'a,', 'x ', '"', "'", '@', '(', 'file://', 'A=1;');
    const path = fc.constantFrom(
      '/ws',
      '/ws/a',
      '/home/me/link/a',
      '/opt/../ws/a',
      '/ws/./b/../a.js',
      '/home/me/../../ws',
    );
    const after = fc.constantFrom('', ' x', ':ro', ',b', '"', ';', '/', '\n');
    await fc.assert(
      fc.asyncProperty(before, path, after, fc.boolean(), async (head, middle, tail, isArgument) => {
        const text = head + middle + tail;
        const uses = await usesOf(isArgument ? { args: [text] } : { env: { NODE_OPTIONS: text } }, files);
        assert.equal(uses, isArgument ? `argument ${text}` : `variable NODE_OPTIONS ${text}`);
      }),
      { numRuns: dose(300, 5_000) },
    );
  });
});
