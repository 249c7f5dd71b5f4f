import assert from 'node:assert/strict';
import { applyPatch } from 'rfc6902';
import { MAX_KEPT } from '../../../src/demo/ledger.ts';
import type { DemoMessage, DemoState } from '../../support/demoMessages.ts';
import { DemoHost } from './demoHost.ts';

const BOOK = 'state.book';
const LEDGER = 'state.ledger';

function textOf({ result, error }: DemoMessage): string {
  if (error !== undefined) return `error ${error.code} ${error.message} ${JSON.stringify(error.data)}`;
  return `${result.isError === true ? 'ERROR ' : ''}${result.content[0].text}`;
}

/** The state after an answer, computed like a host. */
function after(before: object | undefined, state: DemoState | undefined): object {
  assert.ok(state !== undefined);
  if (state.data !== undefined) return state.data;
  const value: object = structuredClone(before ?? {});
  const problems = applyPatch(value, (state.patch ?? []) as Parameters<typeof applyPatch>[1]);
  assert.deepEqual(
    problems.filter((problem) => problem !== null),
    [],
  );
  return value;
}

suite('The book of the demo, which the host keeps (MCPL §8.3)', () => {
  let host: DemoHost;

  setup(async () => {
    host = new DemoHost(['state']);
    await host.open(BOOK, LEDGER);
  });

  teardown(() => host.end());

  test('is declared with who keeps its state, and that one can go back', async () => {
    const { featureSets } = (await host.open()).result.capabilities.experimental.mcpl;
    assert.deepEqual(
      Object.entries(featureSets).map(([name, { rollback, hostState }]) => [name, rollback, hostState]),
      [
        [BOOK, true, true],
        [LEDGER, true, false],
      ],
    );
  });

  test('answers the whole state at first, and differences to their parent afterwards', async () => {
    const first = await host.call('add_page', { text: 'One' });
    assert.deepEqual(first.result.state, {
      checkpoint: 'page-1',
      parent: null,
      data: { checkpoint: 'page-1', nextId: 2, pages: [{ id: 1, text: 'One' }] },
    });
    const state = after(undefined, first.result.state);
    const second = await host.callWith({ state }, 'add_page', { text: 'Two' });
    assert.deepEqual(second.result.state, {
      checkpoint: 'page-2',
      parent: 'page-1',
      patch: [
        { op: 'add', path: '/pages/-', value: { id: 2, text: 'Two' } },
        { op: 'replace', path: '/nextId', value: 3 },
        { op: 'replace', path: '/checkpoint', value: 'page-2' },
      ],
    });
    const edited = await host.callWith({ state: after(state, second.result.state) }, 'edit_page', {
      page: 1,
      text: 'First',
    });
    const third = after(after(state, second.result.state), edited.result.state);
    const removed = await host.callWith({ state: third }, 'remove_page', { page: 2 });
    assert.deepEqual(after(third, removed.result.state), {
      checkpoint: 'page-4',
      nextId: 3,
      pages: [{ id: 1, text: 'First' }],
    });
  });

  test('knows only what it is sent: an older state makes a branch of its own', async () => {
    const state = after(undefined, (await host.call('add_page', { text: 'One' })).result.state);
    await host.callWith({ state }, 'add_page', { text: 'Two' });
    const branch = (await host.callWith({ state }, 'add_page', { text: 'Other' })).result.state;
    assert.deepEqual([branch?.checkpoint, branch?.parent], ['page-3', 'page-1']);
    const listed = await host.callWith({ state: after(state, branch) }, 'list_pages');
    assert.equal(textOf(listed), '1: One\n2: Other');
    assert.equal(listed.result.state, undefined);
    assert.equal(textOf(await host.call('list_pages')), 'The book is empty.');
  });

  test('refuses foreign states and missing pages without creating a checkpoint', async () => {
    const NO_BOOK = 'ERROR What the host sent along as the state is not a book of this server. Nothing was changed.';
    for (const state of [null, [], 'x', {}, { checkpoint: 'page-1', nextId: 1, pages: [{ id: 'x' }] }]) {
      const refused = await host.callWith({ state }, 'add_page', { text: 'x' });
      assert.deepEqual([textOf(refused), refused.result.state], [NO_BOOK, undefined]);
    }
    const missing = await host.call('edit_page', { page: 7, text: 'x' });
    assert.equal(textOf(missing), 'ERROR There is no page 7. List the pages to see their numbers.');
    assert.equal(missing.result.state, undefined);
  });

  test('sends on request a difference that fits nothing', async () => {
    const state = after(undefined, (await host.call('add_page', { text: 'One' })).result.state);
    const { result } = await host.callWith({ state }, 'edit_page', { page: 1, text: 'x', wrongPatch: true });
    assert.deepEqual(result.state?.patch?.[0], { op: 'replace', path: '/chapters/0/text', value: 'x' });
    assert.throws(() => after(state, result.state), /MissingError/);
  });

  test('goes back wherever the host wants, because the next call brings the state', async () => {
    assert.deepEqual((await host.rollBack(BOOK, 'page-1')).result, { checkpoint: 'page-1', success: true });
    assert.equal(
      textOf(await host.rollBack(BOOK, 'chk_1')),
      'error -32005 Checkpoint not found {"checkpoint":"chk_1"}',
    );
  });

  test('is refused while its set is off, unknown, or not named', async () => {
    host.update([], [BOOK]);
    assert.equal(
      textOf(await host.rollBack(BOOK, 'page-1')),
      `error -32001 Feature set not enabled {"featureSet":"${BOOK}","canEnable":true}`,
    );
    assert.equal(
      textOf(await host.rollBack('toString', 'page-1')),
      'error -32003 Unknown feature set {"featureSet":"toString"}',
    );
    for (const odd of [7, null, 'x'.repeat(513)]) assert.equal((await host.rollBack(LEDGER, odd)).error?.code, -32602);
  });
});

suite('The ledger of the demo, which it keeps itself (MCPL §8.7)', () => {
  let host: DemoHost;
  let last: string;

  setup(async () => {
    host = new DemoHost(['state']);
    await host.open(LEDGER);
    last = '';
  });

  teardown(() => host.end());

  /** A call with the current checkpoint, like from a host: its text and its step. */
  async function call(name: string, args: object = {}): Promise<string> {
    const answer = await host.callWith(last === '' ? {} : { checkpoint: last }, name, args);
    const { state } = answer.result;
    if (state !== undefined) last = state.checkpoint;
    return `${textOf(answer)}${state === undefined ? '' : ` [${state.parent} > ${state.checkpoint}]`}`;
  }

  const add = (amount: number): Promise<string> => call('add_entry', { text: `Item ${amount}`, amount });

  async function goBack(checkpoint: string): Promise<string> {
    const answer = await host.rollBack(LEDGER, checkpoint);
    if (answer.error !== undefined) return textOf(answer);
    if (answer.result.success) last = checkpoint;
    return JSON.stringify(answer.result);
  }

  test('names its checkpoints and their parents, and never what is in them', async () => {
    assert.deepEqual(
      [await add(3), await add(4), await call('show_ledger')],
      [
        'Added. The balance is 3. [null > ledger-1]',
        'Added. The balance is 7. [ledger-1 > ledger-2]',
        '3: Item 3\n4: Item 4\nThe balance is 7.',
      ],
    );
  });

  test('goes back and branches, whichever checkpoint the host names', async () => {
    for (const amount of [1, 2, 4]) await add(amount);
    assert.equal(await goBack('ledger-1'), '{"checkpoint":"ledger-1","success":true}');
    assert.equal(await add(8), 'Added. The balance is 9. [ledger-1 > ledger-4]');
    assert.equal(await goBack('ledger-2'), '{"checkpoint":"ledger-2","success":true}');
    last = '';
    assert.equal(await call('show_ledger'), '1: Item 1\n2: Item 2\nThe balance is 3.');
    last = 'ledger-3';
    assert.equal(await add(16), 'Added. The balance is 23. [ledger-3 > ledger-5]');
  });

  test('keeps the newest few, and says of the others that it has them no more (MCPL §8.8)', async () => {
    for (let i = 0; i <= MAX_KEPT; i++) await add(1);
    assert.equal(await goBack('ledger-1'), 'error -32005 Checkpoint not found {"checkpoint":"ledger-1"}');
    assert.equal(await goBack('ledger-2'), '{"checkpoint":"ledger-2","success":true}');
    last = 'ledger-1';
    assert.equal(await add(1), 'ERROR This server no longer keeps the checkpoint ledger-1. Roll back to a newer one.');
  });

  test('does not go back behind what was sent, and says why (MCPL §8.6)', async () => {
    await add(1);
    await add(2);
    assert.equal(
      await call('send_ledger'),
      'Sent to the accountant. There is no way back behind this. [ledger-2 > ledger-3]',
    );
    await add(4);
    assert.equal(
      await goBack('ledger-1'),
      '{"checkpoint":"ledger-1","success":false,"reason":"The ledger was sent at ledger-3, which cannot be undone"}',
    );
    assert.equal(await goBack('ledger-3'), '{"checkpoint":"ledger-3","success":true}');
    assert.equal(await call('show_ledger'), '1: Item 1\n2: Item 2\nThe balance is 3.');
    assert.deepEqual(host.logged, ['The ledger was sent to the accountant: 2 entries.']);
  });

  test('starts empty if the server of the host’s checkpoint has ended', async () => {
    last = 'ledger-of-another-life';
    assert.equal(await add(5), 'Added. The balance is 5. (The ledger began anew with this server.) [null > ledger-1]');
  });
});

suite('The states of the demo for a host without MCPL', () => {
  test('are kept by the server, and not sent', async () => {
    const host = new DemoHost(['state']);
    await host.initialize({});
    const { tools } = (await host.request('tools/list')).result;
    assert.equal(tools.length, 7);
    await host.call('add_page', { text: 'One' });
    const added = await host.callWith({ state: { pages: 'hostile' }, checkpoint: 7 }, 'add_page', { text: 'Two' });
    assert.deepEqual([textOf(added), added.result.state], ['Added page 2.', undefined]);
    assert.equal(textOf(await host.call('list_pages')), '1: One\n2: Two');
    const entry = await host.callWith({ checkpoint: 'none' }, 'add_entry', { text: 'x', amount: 2 });
    assert.deepEqual([textOf(entry), entry.result.state], ['Added. The balance is 2.', undefined]);
    assert.equal((await host.rollBack('state.book', 'page-1')).error?.code, -32601);
    host.end();
  });

  test('are left out beside the notes, of which one kind is enough', async () => {
    const host = new DemoHost();
    await host.initialize({});
    const { tools } = (await host.request('tools/list')).result;
    assert.ok(tools.every(({ name }) => !name.endsWith('_page')));
    host.end();
  });
});
