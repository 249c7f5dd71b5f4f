import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DrivenHost, type Ended, mcpl, type Message } from './cliProgram.ts';

const STATE = { command: 'mcpl-demo', args: ['state'], featureSets: { enabled: ['state.*'] } };
const BOOK = { server: 'demo', featureSet: 'state.book' };

suite('mcpl host --control and states', function () {
  this.timeout(60_000);
  let folder: string;
  let host: DrivenHost;
  let lastId: number;
  const opened: DrivenHost[] = [];

  setup(async () => {
    folder = mkdtempSync(join(tmpdir(), 'mcpl-cli-states-'));
    lastId = 0;
    host = await open();
  });

  teardown(async () => {
    for (const each of opened.splice(0)) await each.end();
    rmSync(folder, { recursive: true, force: true });
  });

  async function open(store = 'store.db'): Promise<DrivenHost> {
    const next = new DrivenHost('--store', join(folder, store));
    opened.push(next);
    await next.ask(++lastId, 'configure', { servers: { demo: STATE } });
    await next.ask(++lastId, 'start', { server: 'demo' });
    return next;
  }

  function ask(command: string, members: object = {}, of = host): Promise<unknown> {
    return of.ask(++lastId, command, members);
  }

  async function call(tool: string, args: object = {}, of = host): Promise<Message> {
    return (await ask('call', { server: 'demo', tool, args }, of)) as Message;
  }

  async function place(text: string): Promise<number> {
    const { kept } = await call('add_page', { text });
    const { kind, place } = kept as { readonly kind: string; readonly place: number };
    assert.equal(kind, 'kept');
    return place;
  }

  async function rows(of = host): Promise<readonly Message[]> {
    return ((await ask('checkpoints', BOOK, of)) as { readonly rows: readonly Message[] }).rows;
  }

  test('keeps them, goes back, branches, and goes on after a restart', async () => {
    const first = await place('One');
    const second = await place('Two');
    assert.equal((await call('list_pages'))['kept'], undefined);
    assert.deepEqual(
      (await rows()).map(({ place, parent, form, isHead }) => [place, parent, form, isHead]),
      [
        [second, first, 'patch', true],
        [first, undefined, 'data', false],
      ],
    );
    const { target, left, hindrance } = (await ask('planRollback', { place: first })) as Message;
    assert.deepEqual(
      [Reflect.get(target as object, 'place'), (left as readonly Message[]).map((each) => each['place']), hindrance],
      [first, [second], undefined],
    );
    const name = (await rows()).at(-1)?.['shownAs'];
    const { kind, head } = (await ask('rollback', { ...BOOK, checkpoint: name })) as Message;
    assert.deepEqual([kind, Reflect.get(head as object, 'place')], ['rolledBack', first]);
    assert.equal((await call('list_pages'))['text'], '1: One');
    const third = await place('Other');
    assert.deepEqual(
      (await rows()).map(({ place, graph }) => [place, Reflect.get(graph as object, 'lane')]),
      [
        [third, 1],
        [second, 0],
        [first, 0],
      ],
    );
    await host.end();
    host = await open();
    assert.equal((await call('list_pages'))['text'], '1: One\n2: Other');
    const [lineage] = (await ask('lineages')) as readonly Message[];
    assert.deepEqual([lineage?.['keeper'], lineage?.['count']], ['host', 3]);
    const { text } = (await ask('state', { place: second })) as { readonly text: string };
    assert.match(text, /"pages":\[\{"id":1,"text":"One"\},\{"id":2,"text":"Two"\}\]/);
  });

  test('reports states that could not be computed, and blocked calls', async () => {
    await place('One');
    const { kept, remarks } = await call('edit_page', { page: 1, text: 'x', wrongPatch: true });
    assert.equal(Reflect.get(kept as object, 'kind'), 'broken');
    assert.equal((remarks as readonly string[]).length, 1);
    const { featureSet, tool } = await host.hear({ event: 'stateTrouble' });
    assert.deepEqual([featureSet, tool], ['state.book', 'edit_page']);
    const { code, suggestion } = await call('list_pages');
    assert.deepEqual([code, typeof suggestion], ['STATE_BLOCKED', 'string']);
    const [broken, first] = await rows();
    assert.deepEqual([broken?.['isHead'], first?.['isHead'], typeof broken?.['problem']], [false, true, 'string']);
    await ask('continueFrom', { place: first?.['place'] });
    assert.equal((await call('list_pages'))['text'], '1: One');
  });

  test('says why something is not done', async () => {
    const first = await place('One');
    await ask('stop', { server: 'demo' });
    const refused = (await ask('rollback', { place: first })) as Message;
    assert.deepEqual([refused['code'], typeof refused['message']], ['ROLLBACK_UNAVAILABLE', 'string']);
    const none = (await ask('rollback', { place: 999 })) as Message;
    assert.deepEqual([none['code'], typeof none['suggestion']], ['UNKNOWN_CHECKPOINT', 'string']);
  });

  test('two hosts of one store see what the other does', async () => {
    const other = await open();
    await ask('watchLineages', { on: true }, other);
    const first = await place('One');
    for (;;) {
      const { lineages } = await other.hear({ event: 'lineages' });
      if ((lineages as readonly Message[]).some(({ head }) => head === first)) break;
    }
    assert.equal((await call('list_pages', {}, other))['text'], '1: One');
    await ask('annotate', { place: first, name: 'the beginning', isPinned: true }, other);
    assert.deepEqual(
      (await rows()).map(({ name, isPinned }) => [name, isPinned]),
      [['the beginning', true]],
    );
  });

  test('writes a lineage to a file, which another store takes in, and gives it up', async () => {
    await place('One');
    await place('Two');
    const file = join(folder, 'book.export');
    assert.deepEqual(await ask('exportLineage', { ...BOOK, file }), { file, checkpoints: 2 });
    const other = await open('other.db');
    assert.deepEqual(await ask('importLineage', { ...BOOK, file }, other), { added: 2, known: 0 });
    assert.deepEqual(await ask('importLineage', { ...BOOK, file }, other), { added: 0, known: 2 });
    assert.equal((await rows(other)).length, 2);
    assert.equal(await ask('forgetLineage', BOOK), null);
    assert.deepEqual([(await rows()).length, (await call('list_pages'))['text']], [0, 'The book is empty.']);
  });
});

suite('Commands at a terminal and states', function () {
  this.timeout(60_000);
  let folder: string;
  let store: string;

  setup(() => {
    folder = mkdtempSync(join(tmpdir(), 'mcpl-cli-states-'));
    store = join(folder, 'store.db');
  });

  teardown(() => rmSync(folder, { recursive: true, force: true }));

  const call = (options: readonly string[], ...words: readonly string[]): Promise<Ended> =>
    mcpl('call', '--enable', 'state.*', ...options, ...words, '--', 'mcpl-demo', 'state');

  test('a call goes on from the one before, and says what it kept', async () => {
    const first = await call(['--store', store], 'add_page', 'text=One');
    assert.deepEqual([first.code, first.out], [0, 'Added page 1.\n']);
    assert.match(first.err, /^checkpoint page-[0-9a-f]{8} kept \(state\.book\)\n$/);
    assert.equal((await call(['--store', store], 'add_page', 'text=Two')).code, 0);
    const wrong = await call(['--store', store], 'edit_page', 'page=1', 'text=x', 'wrongPatch=true');
    assert.match(wrong.err, /^! The state page-[0-9a-f]{8} that came with it could not be made: [^\n]*\n$/);
    const refused = await call(['--store', store], 'list_pages');
    assert.deepEqual([refused.code, refused.out], [4, '']);
    assert.match(refused.err, /^The tool "list_pages" was not called: /);

    const drawn = await mcpl('lineage', '--store', store);
    assert.deepEqual([drawn.code, drawn.err], [0, '']);
    const lines = drawn.out
      .replaceAll(/page-[0-9a-f]{8}/g, 'page')
      .replaceAll(/ \d{4}-\S+Z/g, '')
      .split('\n');
    assert.deepEqual(lines.slice(0, 2), [
      'mcpl-demo state.book: 3 checkpoints, kept by the host',
      '! Calls are refused until a rollback: there is no state at page.',
    ]);
    assert.match(lines[2] ?? '', /^\* page edit_page .* ! .*\/chapters\/0\/text/);
    assert.deepEqual(lines.slice(3), ['* page (head) add_page {"text":"Two"}', '* page add_page {"text":"One"}', '']);
  });

  test('without a store it says that it keeps nothing', async () => {
    const { out, err } = await call([], 'add_page', 'text=One');
    assert.equal(out, 'Added page 1.\n');
    assert.match(
      err,
      /^checkpoint page-[0-9a-f]{8} kept until this command ends \(state\.book\); --store <file> keeps/,
    );
    const missing = await mcpl('lineage', '--store', store);
    assert.deepEqual([missing.code, readdirSync(folder)], [2, []]);
    assert.match(missing.err, /^The store cannot be read: ENOENT/);
    const usage = await mcpl('lineage');
    assert.deepEqual(
      [usage.code, usage.err.split('\n')[0]],
      [2, 'Say with --store <file> where checkpoints are kept.'],
    );
  });
});
