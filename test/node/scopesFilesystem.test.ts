import assert from 'node:assert/strict';
import { readFileSync, existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createNodeHost } from '../../src/cli/nodeHost.ts';
import { type Host, isHostError, type JsonObject } from '../../src/core/index.ts';
import { descendants, waitUntil } from '../support/processes.ts';
import { type Answer, LISTS, ScopeFolders } from './mcpl/scopeCase.ts';

const require = createRequire(import.meta.url);
const SERVER = join(
  dirname(require.resolve('@modelcontextprotocol/server-filesystem/package.json')),
  'dist',
  'index.js',
);

const FILES = {
  'src/a.ts': 'one\ntwo\n',
  '.env': 'KEY=1\n',
  'secrets/k': 'secret\n',
  '../out/letter.txt': 'Dear\n',
  link: { to: '/out' },
} as const;
const DENIED = 'not called: settings';
const CLOSED = 'not called: dismissed';

/**
 * A published server without MCPL: scopes come from settings, and targets from the tools' schemas. The server itself
 * can reach both folders, so every denial comes from the host.
 */
suite('Scopes of the published file server', function () {
  this.timeout(60_000);
  let folders: ScopeFolders;
  let host: Host;
  let asked: string[];
  let person: Answer[];

  setup(async () => {
    folders = new ScopeFolders(FILES);
    asked = [];
    person = [];
    const files = {
      command: process.execPath,
      args: [SERVER, folders.ws, folders.out],
      cwd: folders.ws,
      scopes: { '*': folders.realIn(LISTS) },
      scopeAdapters: { list_allowed_directories: [] },
    };
    // It restricts itself to the open folders.
    host = createNodeHost({ servers: { files } });
    host.approvals.onDidAsk(({ id, subject: { action, why, targets } }) => {
      const places = targets.map(({ from, real }) => `${from} ${real}`);
      asked.push(folders.shown(`${action.kind === 'call' ? action.tool : ''} ${why}: ${places.join(', ')}`));
      void host.approvals.answer(id, person.shift() ?? 'dismiss');
    });
    await host.start('files');
    await waitUntil('its tools', () => (host.server('files')?.tools.length ?? 0) > 0);
  });

  teardown(async () => {
    await host.close();
    folders.remove();
    assert.deepEqual(descendants(), [], 'no process is left behind');
  });

  async function call(tool: string, args: JsonObject): Promise<string> {
    try {
      const { modelText } = await host.callTool({ server: 'files', tool, args: folders.realIn(args), route: 'api' });
      return folders.shown(modelText);
    } catch (error) {
      if (!isHostError(error, 'SCOPE_DENIED')) throw error;
      return `not called: ${String((error.data as JsonObject)['reason'])}`;
    }
  }

  const content = (path: string): string => readFileSync(folders.real(path), 'utf8');

  test('reading is allowed, denied or asked about by what the path really is', async () => {
    person.push('once');
    const answers = [
      await call('read_text_file', { path: '/ws/src/a.ts' }),
      await call('read_text_file', { path: 'src/a.ts', head: 1 }),
      await call('read_text_file', { path: '/ws/.env' }),
      await call('read_text_file', { path: 'src/../SECRETS/k' }),
      await call('read_media_file', { path: '/ws/secrets/k' }),
      await call('get_file_info', { path: '/ws/link/../.env' }),
      await call('read_text_file', { path: '/ws/link/letter.txt' }),
      await call('read_text_file', { path: '/out/letter.txt' }),
      await call('read_text_file', { path: '/etc/passwd' }),
    ];
    assert.deepEqual(answers, ['one\ntwo\n', 'one', DENIED, DENIED, DENIED, DENIED, 'Dear\n', CLOSED, CLOSED]);
    assert.deepEqual(asked, [
      'read_text_file unlisted: /arguments/path /out/letter.txt',
      'read_text_file unlisted: /arguments/path /out/letter.txt',
      'read_text_file unlisted: /arguments/path /etc/passwd',
    ]);
  });

  test('of several files one that is denied keeps all from being read', async () => {
    const answers = [
      await call('read_multiple_files', { paths: ['/ws/src/a.ts'] }),
      await call('read_multiple_files', { paths: ['/ws/src/a.ts', '/ws/secrets/k'] }),
      await call('read_multiple_files', { paths: ['/ws/src/a.ts', '/out/letter.txt'] }),
    ];
    assert.deepEqual(answers, ['/ws/src/a.ts:\none\ntwo\n\n', DENIED, CLOSED]);
    assert.deepEqual(asked, [
      'read_multiple_files unlisted: /arguments/paths/0 /ws/src/a.ts, /arguments/paths/1 /out/letter.txt',
    ]);
  });

  test('writing touches the path and not what is written, however much that looks like a path', async () => {
    const text = '/etc/passwd';
    const edits = [
      { oldText: 'one', newText: '/ws/secrets/k' },
      { oldText: 'two', newText: '../../etc/shadow' },
    ];
    const answers = [
      await call('write_file', { path: '/ws/src/new.txt', content: text }),
      await call('write_file', { path: '/ws/.env', content: text }),
      await call('write_file', { path: '/ws/secrets/new', content: text }),
      await call('write_file', { path: '/out/new', content: text }),
      await call('edit_file', { path: '/ws/.env', edits: [{ oldText: 'KEY', newText: 'X' }] }),
      await call('create_directory', { path: '/ws/.cfg/secrets' }),
    ];
    assert.deepEqual(answers, ['Successfully wrote to /ws/src/new.txt', DENIED, DENIED, CLOSED, DENIED, DENIED]);
    assert.match(await call('edit_file', { path: '/ws/src/a.ts', edits }), /^\+\/ws\/secrets\/k$/m);
    assert.deepEqual(asked, ['write_file unlisted: /arguments/path /out/new']);
    assert.deepEqual(
      [content('/ws/src/new.txt'), folders.shown(content('/ws/src/a.ts')), content('/ws/.env')],
      [text, '/ws/secrets/k\n../../etc/shadow\n', 'KEY=1\n'],
    );
    const made = ['/ws/secrets/new', '/out/new', '/ws/.cfg'].filter((path) => existsSync(folders.real(path)));
    assert.deepEqual(made, []);
  });

  test('moving touches both ends', async () => {
    person.push('dismiss', 'once');
    const answers = [
      await call('move_file', { source: '/ws/secrets/k', destination: '/ws/src/k' }),
      await call('move_file', { source: '/ws/src/a.ts', destination: '/ws/secrets/a.ts' }),
      await call('move_file', { source: '/ws/src/a.ts', destination: '/ws/link/a.ts' }),
      await call('move_file', { source: '/out/letter.txt', destination: '/ws/src/letter.txt' }),
      await call('move_file', { source: '/ws/src/a.ts', destination: '/ws/src/b.ts' }),
    ];
    assert.deepEqual(answers, [
      DENIED,
      DENIED,
      CLOSED,
      'Successfully moved /out/letter.txt to /ws/src/letter.txt',
      'Successfully moved /ws/src/a.ts to /ws/src/b.ts',
    ]);
    assert.deepEqual(asked, [
      'move_file unlisted: /arguments/source /ws/src/a.ts, /arguments/destination /out/a.ts',
      'move_file unlisted: /arguments/source /out/letter.txt, /arguments/destination /ws/src/letter.txt',
    ]);
    assert.deepEqual(
      [content('/ws/secrets/k'), content('/ws/src/b.ts'), content('/ws/src/letter.txt')],
      ['secret\n', 'one\ntwo\n', 'Dear\n'],
    );
  });

  test('folders are denied with what is denied in them, and allowed with what is allowed', async () => {
    const answers = [
      await call('list_directory', { path: '/ws/src' }),
      await call('list_directory', { path: '/ws/secrets' }),
      await call('list_directory_with_sizes', { path: '/ws/secrets/' }),
      await call('directory_tree', { path: 'secrets' }),
      await call('search_files', { path: '/ws/secrets', pattern: '**/*' }),
      await call('directory_tree', { path: '/out' }),
      await call('directory_tree', { path: '/ws/src' }),
    ];
    const tree = answers.pop() ?? '';
    assert.deepEqual(answers, ['[FILE] a.ts', DENIED, DENIED, DENIED, DENIED, CLOSED]);
    assert.deepEqual(JSON.parse(tree), [{ name: 'a.ts', type: 'file' }]);
    assert.deepEqual(asked, ['directory_tree unlisted: /arguments/path /out']);
  });

  test('a tool that the settings leave alone is called as ever', async () => {
    assert.equal(await call('list_allowed_directories', {}), 'Allowed directories:\n/ws\n/out');
    assert.deepEqual(asked, []);
  });
});
