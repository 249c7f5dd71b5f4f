import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DemoClient } from './demoClient.ts';

const HOST = { experimental: { mcpl: { version: '0.2', featureSets: { enabled: ['files.edit'], disabled: [] } } } };

suite('The files of the demo server', () => {
  let demo: DemoClient;
  let folder: string;
  let lastId: number;

  setup(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'demo-files-')));
    await mkdir(join(folder, 'notes'));
    await writeFile(join(folder, 'notes/a.md'), 'one\ntwo');
    lastId = 0;
    demo = new DemoClient(['files'], folder);
    await demo.initialize('2025-11-25', HOST);
  });

  teardown(async () => {
    await demo.end();
    await rm(folder, { recursive: true, force: true });
  });

  const at = (path: string): string => join(folder, path);

  /** Calls with a scope of exactly these paths, as the host builds it, or without any. */
  async function call(name: string, args: object, ...approved: readonly string[]): Promise<string> {
    const [path, ...others] = approved.map(at);
    const payload = { path, ...(others.length > 0 && { targets: [path, ...others] }) };
    const scope = path === undefined ? undefined : { label: path, payload };
    const { result } = await demo.scoped(++lastId, name, args, scope);
    return `${result.isError === true ? 'ERROR ' : ''}${result.content[0].text.replaceAll(folder, '~')}`;
  }

  /** Requests an approval, and answers it. */
  async function ask(path: string, mode: string, answer: object): Promise<string> {
    const asking = call('request_access', { path, mode });
    const earlier = demo.messages.filter(({ method }) => method === 'scope/elevate');
    const { id } = await demo.until((message) => message.method === 'scope/elevate' && !earlier.includes(message));
    demo.send({ id, result: answer });
    return asking;
  }

  const approve = (path: string, mode: string): Promise<string> =>
    ask(path, mode, { approved: true, payload: { path, mode } });

  const text = (path: string): Promise<string> => readFile(at(path), 'utf8');

  test('are read, added to and moved within the scope of the call', async () => {
    assert.equal(await call('read_text', { path: 'notes/a.md' }, 'notes/a.md'), 'one\ntwo');
    assert.equal(
      await call('append_line', { path: at('notes/../notes/a.md'), line: 'drei ☕' }, 'notes/a.md'),
      'Appended a line to ~/notes/a.md',
    );
    await call('append_line', { path: 'notes/a.md', line: 'four' }, 'notes/a.md');
    assert.equal(await text('notes/a.md'), 'one\ntwo\ndrei ☕\nfour\n');
    await call('append_line', { path: 'notes/new.md', line: 'first' }, 'notes/new.md');
    assert.equal(await text('notes/new.md'), 'first\n');
    assert.equal(
      await call('move_file', { from: 'notes/new.md', to: 'moved.md' }, 'notes/new.md', 'moved.md'),
      'Moved ~/notes/new.md to ~/moved.md',
    );
    assert.deepEqual([await readdir(folder), await readdir(at('notes'))], [['moved.md', 'notes'], ['a.md']]);
  });

  test('are left alone without a scope, and outside of it', async () => {
    await writeFile(at('.env'), 'KEY=1');
    const none =
      'ERROR Nothing was done: the host sent no scope with this call and has not approved ~/notes/a.md. Call request_access with this path and the mode "append" first. If that is refused, tell the person, and try no other way.';
    assert.equal(await call('append_line', { path: 'notes/a.md', line: 'x' }), none);
    const other = (asked: string, target: string): string =>
      `ERROR Nothing was done: "${asked}" is ~/${target}, and the host approved this call for "~/notes/a.md". Call again with the real path.`;
    assert.equal(await call('read_text', { path: '.env' }, 'notes/a.md'), other('.env', '.env'));
    const to = { from: 'notes/a.md', to: 'b.md' };
    assert.equal(await call('move_file', to, 'notes/a.md'), other('b.md', 'b.md'));
    // An approval for a file covers neither its folder, nor paths with the same beginning, nor words in the payload.
    assert.match(await call('read_text', { path: 'notes/a.md' }, 'notes'), /^ERROR Nothing was done/);
    assert.match(await call('append_line', { path: 'notes/a.md.x', line: 'x' }, 'notes/a.md'), /^ERROR Nothing was/);
    const scope = { label: at('b'), payload: { path: at('b'), mode: 'append' } };
    const word = await demo.scoped(++lastId, 'append_line', { path: 'append', line: 'x' }, scope);
    assert.equal(word.result.isError, true);
    assert.deepEqual([await readdir(folder), await text('notes/a.md')], [['.env', 'notes'], 'one\ntwo']);
  });

  test('are open to one call for each approval that was asked for', async () => {
    assert.match(await approve('notes/a.md', 'append'), /^The host approved "append" of notes\/a\.md, once\./);
    assert.match(await call('read_text', { path: 'notes/a.md' }), /^ERROR Nothing was done/);
    assert.equal(await call('append_line', { path: 'notes/a.md', line: 'x' }), 'Appended a line to ~/notes/a.md');
    assert.match(await call('append_line', { path: 'notes/a.md', line: 'x' }), /^ERROR Nothing was done/);
    assert.equal(await text('notes/a.md'), 'one\ntwo\nx\n');
  });

  test('stay closed after an answer that approves something else, or nothing', async () => {
    const line = { path: 'notes/a.md', line: 'x' };
    for (const answer of [
      { approved: false, payload: { path: 'notes/a.md', mode: 'append' } },
      { approved: true, payload: { path: 'notes/b.md', mode: 'append' } },
      { approved: true, payload: { path: 'notes/a.md', mode: 'read' } },
      { approved: true },
    ]) {
      await ask('notes/a.md', 'append', answer);
      assert.match(await call('append_line', line), /^ERROR Nothing was done/);
      assert.match(await call('append_line', { path: 'notes/b.md', line: 'x' }), /^ERROR Nothing was done/);
    }
    assert.equal(await text('notes/a.md'), 'one\ntwo');
  });

  test('are closed again when the feature set is switched off', async () => {
    await approve('notes/a.md', 'read');
    for (const [enabled, disabled] of [
      [[], ['files.edit']],
      [['files.edit'], []],
    ])
      demo.send({ method: 'featureSets/update', params: { enabled, disabled } });
    assert.match(await call('read_text', { path: 'notes/a.md' }), /^ERROR Nothing was done/);
  });

  test('are not reached by links that the host has not spoken of', async () => {
    await writeFile(at('secret'), 'hidden');
    await symlink(at('secret'), at('notes/link'));
    await symlink(folder, at('notes/up'));
    await symlink(at('nowhere'), at('notes/dangling'));
    await symlink('loop', at('notes/loop'));
    const led = (path: string): string =>
      `ERROR Nothing was done: "${path}" is ~/secret, and the host approved this call for "~/${path}". Call again with the real path.`;
    for (const path of ['notes/link', 'notes/up/secret', 'notes/up/notes/link'])
      assert.equal(await call('read_text', { path }, path), led(path));
    // The host computed the target of the link.
    assert.equal(await call('read_text', { path: 'notes/link' }, 'secret'), 'hidden');
    for (const [path, code] of [
      ['notes/dangling', 'ENOENT'],
      ['notes/loop', 'ELOOP'],
      ['notes/a.md/x', 'ENOTDIR'],
    ] as const)
      assert.equal(
        await call('append_line', { path, line: 'x' }, path),
        `ERROR Where "~/${path}" leads cannot be found out (${code}). Nothing was done.`,
      );
    await approve('notes/link', 'append');
    assert.match(await call('append_line', { path: 'notes/link', line: 'x' }), /has not approved ~\/secret/);
    assert.deepEqual([await text('secret'), (await readdir(folder)).includes('nowhere')], ['hidden', false]);
  });

  test('may lie in a folder that is itself reached by a link', async () => {
    const other = `${folder}-link`;
    await symlink(folder, other);
    try {
      const scope = { label: join(other, 'notes/a.md') };
      const { result } = await demo.scoped(++lastId, 'read_text', { path: join(other, 'notes/a.md') }, scope);
      assert.equal(result.content[0].text, 'one\ntwo');
    } finally {
      await rm(other);
    }
  });

  test('are small texts, and nothing is written over', async () => {
    await writeFile(at('b.bin'), Buffer.from([0xff, 0xfe, 0]));
    await writeFile(at('nul'), 'a\0b');
    await writeFile(at('big'), '');
    await truncate(at('big'), 2_000_000);
    await writeFile(at('long'), 'ä'.repeat(40_000));
    await writeFile(at('empty'), '');
    execFileSync('mkfifo', [at('pipe')]);
    const read = (path: string): Promise<string> => call('read_text', { path }, path);
    assert.deepEqual(
      [
        await read('b.bin'),
        await read('nul'),
        await read('big'),
        await read('notes'),
        await read('pipe'),
        await read('x'),
      ],
      [
        'ERROR ~/b.bin is no text in UTF-8. Read another file.',
        'ERROR ~/nul is no text in UTF-8. Read another file.',
        'ERROR ~/big has more than 1048576 bytes. Name a smaller file.',
        'ERROR ~/notes is no file. Name a file.',
        'ERROR ~/pipe is no file. Name a file.',
        'ERROR ~/x: There is no such file or folder. Check the path.',
      ],
    );
    assert.equal(await read('long'), `${'ä'.repeat(32_768)}\n(The first 65536 of 80000 bytes.)`);
    assert.equal(await read('empty'), '');
    assert.equal(
      await call('move_file', { from: 'notes/a.md', to: 'empty' }, 'notes/a.md', 'empty'),
      'ERROR ~/empty: There is something already. Choose another name.',
    );
    assert.match(
      await call('append_line', { path: 'none/x', line: 'x' }, 'none/x'),
      /^ERROR ~\/none\/x: There is no such/,
    );
    assert.equal(
      await call('read_text', { path: 'a\u001bb' }, 'a'),
      'ERROR A path must have no control characters. Nothing was done.',
    );
    assert.deepEqual([await text('notes/a.md'), await text('empty')], ['one\ntwo', '']);
  });

  test('show the scope that came with the call to who asks for it', async () => {
    const args = { path: 'notes/a.md', showScope: true };
    const scope = { label: at('notes/a.md'), payload: { path: at('notes/a.md'), more: 1 } };
    const { result } = await demo.scoped(++lastId, 'read_text', args, scope);
    assert.equal(result.content[0].text, `one\ntwo\nScope of this call: ${JSON.stringify(scope)}`);
    assert.deepEqual(result.structuredContent, { targets: [at('notes/a.md')], scope });
    assert.match(await call('read_text', args), /other way\.\nScope of this call: none\.$/);
  });
});
