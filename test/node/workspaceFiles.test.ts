import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createHost, type HostOptions, type StartAnswer } from '../../src/cli/library.ts';

/** Creates a file next to itself and ends. */
const PROGRAM = `require('node:fs').writeFileSync(require('node:path').join(__dirname, 'ran'), process.cwd());`;

suite('A repository whose files could run as a server of the user', () => {
  const before = process.env['HOME'];
  let top: string;
  let home: string;
  let repository: string;

  setup(() => {
    top = realpathSync(mkdtempSync(join(tmpdir(), 'mcpl-repository-')));
    home = join(top, 'home');
    repository = join(top, 'repository');
    const bin = join(repository, 'node_modules', '.bin');
    mkdirSync(home);
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(repository, 'server.js'), PROGRAM);
    writeFileSync(join(bin, 'some-server'), `#!${process.execPath}\n${PROGRAM}`);
    chmodSync(join(bin, 'some-server'), 0o755);
    symlinkSync(repository, join(home, 'link'));
    process.env['HOME'] = home;
    process.env['USERPROFILE'] = home;
  });

  teardown(() => {
    if (before === undefined) delete process.env['HOME'];
    else process.env['HOME'] = before;
    rmSync(top, { recursive: true, force: true });
  });

  const ran = (): boolean =>
    existsSync(join(repository, 'ran')) || existsSync(join(repository, 'node_modules', '.bin', 'ran'));

  /** The result when the repository enables the server and each question is answered like this. */
  async function outcome(entry: HostOptions['servers'], answer: StartAnswer): Promise<string> {
    let asked = '';
    const host = createHost({
      servers: { srv: { ...entry, restart: 'never', timeouts: { start: 10 } } },
      workspaceServers: { srv: { enabled: true } },
      folders: [repository],
      onStartQuestion: ({ reason }) => {
        asked += `${reason}, `;
        return Promise.resolve(answer);
      },
    });
    const isOver = (): boolean => ['stopped', 'failed'].includes(host.server('srv')?.state.kind ?? '');
    await new Promise<void>((resolve) => {
      const listening = host.onDidChangeServer(() => {
        if (!isOver()) return;
        listening.dispose();
        resolve();
      });
      if (isOver()) resolve();
    });
    await host.close();
    return `${asked}${ran() ? 'ran' : 'did not run'}`;
  }

  const node = process.execPath;

  test('does not run by its working folder alone', async () => {
    assert.equal(await outcome({ command: node, args: ['server.js'] }, 'start'), 'did not run');
    assert.equal(await outcome({ command: './server.js' }, 'start'), 'did not run');
  });

  const WAYS: Readonly<Record<string, () => HostOptions['servers']>> = {
    cwd: () => ({ command: node, args: ['server.js'], cwd: repository }),
    'an absolute argument': () => ({ command: node, args: [join(repository, 'server.js')] }),
    'an argument that climbs': () => ({ command: node, args: ['../repository/server.js'] }),
    'a link': () => ({ command: node, args: ['link/server.js'] }),
    'a value behind =': () => ({ command: node, args: [`--require=${join(repository, 'server.js')}`, '-e', '0'] }),
    program: () => ({ command: join(repository, 'node_modules', '.bin', 'some-server') }),
    'PATH of the settings': () => ({
      command: 'some-server',
      env: { PATH: `/nowhere${delimiter}${join(home, 'link', 'node_modules', '.bin')}` },
    }),
    NODE_OPTIONS: () => ({ command: node, args: ['-e', '0'], env: { NODE_OPTIONS: '--require=./link/server.js' } }),
    'a script with a quoted folder': () => ({ command: 'sh', args: ['-c', `cd "$HOME"/link && "${node}" server.js`] }),
    'a folder that a script names': () => ({ command: 'sh', args: ['-c', `cd .. && "${node}" repository/server.js`] }),
    'a variable in a script': () => ({
      command: 'sh',
      args: ['-c', `"${node}" $PLACE/server.js`],
      env: { PLACE: repository },
    }),
    envFile: () => ({ command: node, args: ['-e', '0'], envFile: join(home, 'link', 'env') }),
  };

  for (const [name, entryOf] of Object.entries(WAYS))
    test(`runs by ${name} only after a question was answered`, async () => {
      writeFileSync(join(repository, 'env'), `NODE_OPTIONS=--require=${join(repository, 'server.js')}\n`);
      assert.equal(await outcome(entryOf(), 'dontStart'), 'workspaceFiles, did not run');
      assert.equal(await outcome(entryOf(), 'start'), 'workspaceFiles, ran');
    });
});
