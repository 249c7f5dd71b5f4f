import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { graphLines, keptText, lineage, lineageText } from '../../../src/cli/lineageCommand.ts';
import { UsageError } from '../../../src/cli/usage.ts';
import { HostError, type LineageWindow, type RowGraph } from '../../../src/core/index.ts';
import { FakeHost } from './fakeHost.ts';
import { checkpoint, row, summary } from './fakeLineages.ts';

function graph(lane: number, through: readonly number[] = [], children: readonly number[] = [], folded = 0): RowGraph {
  return { lane, through, children, hasParent: true, folded };
}

function drawn(...graphs: readonly RowGraph[]): string {
  return graphs
    .map(graphLines)
    .flatMap(({ above, row: line }) => (above === undefined ? [line] : [above, line]))
    .join('\n');
}

function windowOf(rows: LineageWindow['rows'], total = rows.length): LineageWindow {
  return { version: 1, total, all: total, head: 0, lanes: 1, rows };
}

suite('A lineage at a terminal', () => {
  test('a line of checkpoints is drawn below each other', () => {
    assert.equal(drawn(graph(0), graph(0, [], [0])), '*\n*');
  });

  test('a branch goes off where its parent is', () => {
    assert.equal(drawn(graph(0), graph(1, [0]), graph(0, [], [0, 1])), '*\n| *\n|/\n*');
  });

  test('a line crosses those that are between', () => {
    const rows = [graph(0), graph(1, [0]), graph(2, [0, 1]), graph(0, [1], [0, 2]), graph(0, [], [0, 1])];
    assert.equal(drawn(...rows), ['*', '| *', '| | *', '|_|/', '* |', '|/', '*'].join('\n'));
    assert.equal(drawn(graph(0, [], [0, 1, 3])), '|/___/\n*');
  });

  test('a line comes from the left too, and what is not drawn is counted', () => {
    assert.equal(drawn(graph(2, [1], [0])), ' \\|_\n  | *');
    assert.equal(drawn(graph(0, [], [0], 7)), '* (+7)');
  });

  test('shows what is known of each checkpoint, and nothing that a terminal would act on', () => {
    const rows = [
      row(checkpoint(5, { name: 'before\u001b[31m' }), { isHead: true }),
      row(checkpoint(4, { problem: 'Operation 1 (add /x) does not fit.', isPinned: true }), {
        graph: graph(1, [0]),
        conversations: 1,
      }),
      row(checkpoint(3, { copy: 2, link: 'assumed', isPruned: true }), {
        graph: graph(0, [], [0, 1]),
        conversations: 3,
        rollbacks: 2,
      }),
      row(checkpoint(2, { form: 'placeholder', tool: undefined, args: undefined, checkpoint: 'a\nb' }), {
        graph: undefined,
      }),
    ];
    assert.deepEqual(lineageText(summary({ count: 9, blocked: checkpoint(4) }), windowOf(rows, 9)), [
      'files files.book: 9 checkpoints, kept by the host',
      '! Calls are refused until a rollback: there is no state at chk_4.',
      '* chk_5 "before[31m" (head) 2026-02-03T10:00:05Z write {"text":"x"}',
      '| * chk_4 (1 conversation, pinned) 2026-02-03T10:00:04Z write {"text":"x"} ! Operation 1 (add /x) does not fit.',
      '|/',
      '* chk_3#2 (rolled back to 2 times, 3 conversations, no longer at the server, parent assumed) 2026-02-03T10:00:03Z write {"text":"x"}',
      '* a b (only its name is known) 2026-02-03T10:00:02Z',
      '… and 5 older. Show more with --limit.',
    ]);
    assert.deepEqual(lineageText(summary({ featureSet: '', count: 1, keeper: 'server' }), windowOf([])), [
      'files (of no feature set): 1 checkpoint, kept by the server',
    ]);
  });

  test('a call says what became of the state that came with its result', () => {
    const kept = { kind: 'kept', checkpoint: 'chk_1\u0007', place: 1 } as const;
    const broken = { ...kept, kind: 'broken', problem: 'It does not fit.' } as const;
    assert.deepEqual(
      [
        keptText(kept, 'files.book', true),
        keptText(kept, 'files.book', false),
        keptText({ ...kept, kind: 'known' }, undefined, true),
        keptText(broken, '', true),
        keptText({ kind: 'lost', checkpoint: undefined, problem: 'The disk is full.' }, undefined, true),
      ],
      [
        'checkpoint chk_1 kept (files.book)',
        'checkpoint chk_1 kept until this command ends (files.book); --store <file> keeps it longer',
        'checkpoint chk_1 was known already',
        '! checkpoint chk_1 has no state: It does not fit.',
        '! The state was not kept: The disk is full.',
      ],
    );
  });
});

suite('The command "lineage"', () => {
  let folder: string;
  let host: FakeHost;
  let out: string;
  let err: string;

  setup(() => {
    folder = mkdtempSync(join(tmpdir(), 'mcpl-lineage-'));
    host = new FakeHost();
    out = err = '';
  });

  teardown(() => {
    host.traced.dispose();
    rmSync(folder, { recursive: true });
  });

  function run(content: string, more: object = {}): Promise<number> {
    const store = join(folder, 'store');
    writeFileSync(store, content);
    const terminal = { out: (text: string) => void (out += text), err: (text: string) => void (err += text) };
    const command = { store, limit: 20, json: false, server: undefined, featureSet: undefined, ...more };
    return lineage(command, { terminal, createHost: () => host });
  }

  const STORE = 'SQLite format 3\0 and more';

  test('shows the lineages of a server, or says that it has none', async () => {
    assert.equal(await run(STORE), 0);
    assert.match(out, /^files files\.book: 2 checkpoints, kept by the host\n\* chk_2 \(head\) .*\n\* chk_1 .*\n$/);
    assert.equal(await run(STORE, { server: 'other' }), 0);
    assert.deepEqual([err, host.did], ['There are no such checkpoints.\n', ['close', 'close']]);
  });

  test('gives the same as JSON', async () => {
    await run(STORE, { json: true, featureSet: 'files.book', limit: 3 });
    const [first] = JSON.parse(out) as readonly { count: number; window: { rows: readonly { shownAs: string }[] } }[];
    assert.deepEqual([first?.count, first?.window.rows.map(({ shownAs }) => shownAs)], [2, ['chk_2', 'chk_1']]);
    assert.equal(host.lineages.queries[0]?.count, 3);
  });

  test('leaves alone what is no store, and what is not there', async () => {
    await assert.rejects(run('{"mcpl.servers": {}}'), new UsageError(`${join(folder, 'store')} is no store.`));
    assert.equal(readFileSync(join(folder, 'store'), 'utf8'), '{"mcpl.servers": {}}');
    await assert.rejects(run('', { store: join(folder, 'none') }), /^UsageError: The store cannot be read: ENOENT/);
    assert.deepEqual(host.did, []);
  });

  test('says why the store could not be read', async () => {
    host.lineages.failure = new HostError('STORAGE_FAILED', 'It is locked.', { layer: 'host', suggestion: 'Wait.' });
    assert.equal(await run(STORE), 4);
    assert.deepEqual([err, host.did], ['It is locked. Wait.\n', ['close']]);
  });
});
