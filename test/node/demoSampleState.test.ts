import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'jsonc-parser';
import { type Checkpoint, createHost, type Host, isHostError, type JsonObject } from '../../src/cli/library.ts';

const sample = new URL('../sample/workspace/.vscode/settings.json', import.meta.url);

/** The steps for the server "state" in the sample's README. */
suite('The states of the sample workspace', () => {
  let host: Host;
  let folder: string;

  setup(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sample-state-'));
    await open();
  });

  teardown(async () => {
    await host.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function open(): Promise<void> {
    const settings = parse(await readFile(sample, 'utf8')) as {
      readonly 'mcpl.servers': { readonly state: JsonObject };
    };
    const state = { ...settings['mcpl.servers'].state, featureSets: { enabled: ['state.*'] } };
    host = createHost({ servers: { state }, storageFile: join(folder, 'mcpl.sqlite') });
    const changes = new EventEmitter();
    host.onDidChangeServer(() => changes.emit('any'));
    await host.start('state');
    const isReady = (): boolean => host.server('state')?.mcpl?.sets.every(({ state }) => state === 'enabled') === true;
    while (!isReady() || host.server('state')?.listing.kind === 'unread') await once(changes, 'any');
  }

  async function call(tool: string, args: JsonObject = {}): Promise<string> {
    try {
      return (await host.callTool({ server: 'state', tool, args, route: 'api' })).modelText;
    } catch (error) {
      if (!isHostError(error)) throw error;
      return error.code;
    }
  }

  /** Newest first. */
  async function checkpoints(featureSet: string): Promise<readonly (Checkpoint & { readonly isHead: boolean })[]> {
    const filter = { text: '', only: 'all' } as const;
    const { rows } = await host.lineages.window({ server: 'state', featureSet, filter, from: 0, count: 100 });
    return rows.map(({ node, isHead }) => ({ ...node, isHead }));
  }

  async function goBack(featureSet: string, nth: number): Promise<string> {
    const place = (await checkpoints(featureSet)).at(-nth)?.place;
    assert.ok(place !== undefined);
    const result = await host.lineages.rollBack(place);
    return result.kind === 'refused' ? `refused: ${result.reason}` : result.kind;
  }

  test('a book goes back, branches, and is there after a restart', async () => {
    for (const text of ['One', 'Two', 'Three']) await call('add_page', { text });
    assert.deepEqual(
      (await checkpoints('state.book')).map(({ form, tool, link }) => `${form} ${tool} ${link}`),
      ['patch add_page named', 'patch add_page named', 'data add_page none'],
    );
    assert.equal(await call('list_pages'), '1: One\n2: Two\n3: Three');
    assert.equal(await goBack('state.book', 1), 'rolledBack');
    assert.equal(await call('list_pages'), '1: One');
    assert.equal(await call('add_page', { text: 'Other' }), 'Added page 2.');
    const kept = await checkpoints('state.book');
    assert.deepEqual(
      kept.map(({ isHead }) => isHead),
      [true, false, false, false],
    );
    assert.equal(kept[0]?.parent, kept[3]?.place);
    await host.close();
    await open();
    assert.equal(await call('list_pages'), '1: One\n2: Other');
    assert.equal(await goBack('state.book', 3), 'rolledBack');
    assert.equal(await call('list_pages'), '1: One\n2: Two\n3: Three');
  });

  test('a wrong patch is marked, changes nothing, and blocks calls until a rollback', async () => {
    await call('add_page', { text: 'One' });
    assert.match(await call('edit_page', { page: 1, text: 'x', wrongPatch: true }), /^Wrote page 1 anew\./);
    assert.match((await checkpoints('state.book'))[0]?.problem ?? '', /\/chapters\/0\/text/);
    assert.equal(await call('list_pages'), 'STATE_BLOCKED');
    assert.equal(await goBack('state.book', 1), 'rolledBack');
    assert.equal(await call('list_pages'), '1: One');
  });

  test('a ledger does not go back behind what was sent, nor to what it no longer keeps', async () => {
    for (let amount = 1; amount <= 3; amount++) await call('add_entry', { text: 'Item', amount });
    assert.equal(await goBack('state.ledger', 2), 'rolledBack');
    assert.match(await call('show_ledger'), /The balance is 3\.$/);
    await call('send_ledger');
    assert.match(
      await goBack('state.ledger', 1),
      /^refused: The ledger was sent at ledger-\w+, which cannot be undone/,
    );
    await call('add_entry', { text: 'Item', amount: 5 });
    await call('add_entry', { text: 'Item', amount: 6 });
    assert.equal(await goBack('state.ledger', 1), 'pruned');
    const pruned = (await checkpoints('state.ledger')).map(({ isPruned }) => isPruned);
    assert.deepEqual(pruned, [false, false, false, false, false, true]);
    assert.match(await call('show_ledger'), /The balance is 14\.$/);
  });

  test('a ledger starts empty after its server has ended, and says so', async () => {
    await call('add_entry', { text: 'Item', amount: 1 });
    await host.restart('state');
    assert.equal(
      await call('add_entry', { text: 'Item', amount: 2 }),
      'Added. The balance is 2. (The ledger began anew with this server.)',
    );
    assert.deepEqual(
      (await checkpoints('state.ledger')).map(({ link, isHead }) => `${link} ${isHead}`),
      ['none true', 'none false'],
    );
  });
});
