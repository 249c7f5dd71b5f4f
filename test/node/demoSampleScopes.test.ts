import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { cp, mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'jsonc-parser';
import { createHost, type Host, isHostError, type JsonObject } from '../../src/cli/library.ts';

const sample = fileURLToPath(new URL('../sample/workspace/', import.meta.url));

/** The steps about files in the sample's README. */
suite('The files of the sample workspace', () => {
  let host: Host;
  let folder: string;
  /** The questions to the user, and the answers. */
  let asked: string[];
  let choice: 'once' | 'deny';

  setup(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'sample-scopes-')));
    await cp(sample, folder, { recursive: true });
    const settings = parse(await readFile(join(folder, '.vscode/settings.json'), 'utf8')) as {
      readonly 'mcpl.servers': { readonly files: JsonObject };
    };
    const files = { ...settings['mcpl.servers'].files, featureSets: { enabled: ['files.edit'] } };
    const onStartQuestion = () => Promise.resolve('start' as const);
    host = createHost({ workspaceServers: { files }, folders: [folder], onStartQuestion });
    const changes = new EventEmitter();
    host.onDidChangeServer(() => changes.emit('any'));
    await host.start('files');
    const isReady = (): boolean => host.server('files')?.mcpl?.sets.every(({ state }) => state === 'enabled') === true;
    while (!isReady()) await once(changes, 'any');
    asked = [];
    choice = 'once';
    host.approvals.onDidAsk(({ id, subject }) => {
      const targets = subject.targets.map(({ from, real }) => `${from} ${real.replace(folder, '~')}`);
      asked.push(`${subject.action.kind} ${subject.why}: ${targets.join(', ')}`);
      void host.approvals.answer(id, choice);
    });
  });

  teardown(async () => {
    await host.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function call(tool: string, args: JsonObject): Promise<string> {
    try {
      const { modelText } = await host.callTool({ server: 'files', tool, args, route: 'api' });
      return modelText.replaceAll(folder, '~');
    } catch (error) {
      if (isHostError(error)) return `${error.code} ${JSON.stringify(error.data)}`;
      throw error;
    }
  }

  const append = (path: string): Promise<string> => call('append_line', { path, line: '- Bread' });
  const text = (path: string): Promise<string> => readFile(join(folder, path), 'utf8');

  test('what is allowed is done at once', async () => {
    assert.equal(await append('notes/shopping.md'), 'Appended a line to ~/notes/shopping.md');
    assert.match(await text('notes/shopping.md'), /\n- Bread\n$/);
    assert.match(await call('read_text', { path: join(folder, 'notes/shopping.md') }), /^# Shopping\n/);
    assert.deepEqual(asked, []);
  });

  for (const path of ['.env', 'notes/secrets/door.txt', 'notes/../.env', 'notes/SECRETS/x', 'notes/secrets'])
    test(`${path} is denied without a question`, async () => {
      assert.equal(await append(path), 'SCOPE_DENIED {"reason":"settings"}');
      assert.equal(
        await call('move_file', { from: 'notes/shopping.md', to: path }),
        'SCOPE_DENIED {"reason":"settings"}',
      );
      assert.match(await call('request_access', { path }), /^The host refused: "The settings of the host deny it\."/);
      assert.deepEqual(asked, []);
      assert.equal(await text('.env'), await readFile(join(sample, '.env'), 'utf8'));
    });

  test('of what no list speaks of the user is asked', async () => {
    assert.equal(await append('drafts/letter.md'), 'Appended a line to ~/drafts/letter.md');
    choice = 'deny';
    assert.equal(await append('README.md'), 'SCOPE_DENIED {"reason":"byPerson"}');
    assert.deepEqual(asked, [
      'call unlisted: /arguments/path ~/drafts/letter.md',
      'call unlisted: /arguments/path ~/README.md',
    ]);
    assert.equal(await text('README.md'), await readFile(join(sample, 'README.md'), 'utf8'));
  });

  test('a label that differs from the payload is shown with it', async () => {
    const result = await call('request_access', { path: 'drafts/letter.md', label: 'notes/shopping.md' });
    assert.equal(result, 'The host approved "read" of drafts/letter.md, once. Its payload came back as it was sent.');
    assert.deepEqual(asked, ['elevate disagreement: label ~/notes/shopping.md, /payload/path ~/drafts/letter.md']);
  });

  test('what the host sends along is shown', async () => {
    assert.match(
      await call('read_text', { path: 'notes/../notes/shopping.md', showScope: true }),
      /\nScope of this call: \{"label":"~\/notes\/shopping\.md","payload":\{"path":"~\/notes\/shopping\.md"\}\}$/,
    );
  });
});
