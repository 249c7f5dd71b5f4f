import assert from 'node:assert/strict';
import type { CheckpointDetail, LineageRow } from '../../../../src/core/index.ts';
import {
  checkpointTimeText,
  emptyText,
  keptText,
  sizeText,
  titleText,
} from '../../../../src/editor/lineage/lineageText.ts';
import { noStateText, pageDetail, pageRow } from '../../../../src/editor/lineage/pageRows.ts';
import { mcpl, view } from '../../../support/featureSets.ts';
import { running, snapshot } from '../../../support/serverSnapshots.ts';
import { AT, node, NOTES } from './lineageFakes.ts';

const row = (rest: Partial<LineageRow> = {}): LineageRow => ({
  position: 4,
  node: node('chk_b', { place: 7 }),
  isHead: false,
  isOnLine: true,
  conversations: 0,
  rollbacks: 0,
  graph: undefined,
  ...rest,
});

const detail = (rest: Partial<CheckpointDetail> = {}): CheckpointDetail => ({
  ...NOTES,
  node: node('chk_b', { place: 7, parent: 6 }),
  keeper: 'host',
  parent: node('chk_a', { place: 6 }),
  children: 2,
  body: '[{"op":"remove","path":"/a"}]',
  isBodyCut: false,
  isHead: false,
  moves: [],
  ...rest,
});

const facts = (given: CheckpointDetail): readonly string[] =>
  pageDetail(given, false, AT).facts.map(({ label, value }) => `${label}: ${value}`);

suite('A row of a lineage', () => {
  test('is what was called, when, and how much came with it', () => {
    assert.deepEqual(pageRow(row(), AT + 1_000), {
      position: 4,
      place: 7,
      id: 'chk_b',
      name: '',
      tool: 'edit',
      args: 'path: a.md',
      time: '16:04:21',
      size: 'patch 120 B',
      kind: 'good',
      isHead: false,
      isOnLine: true,
      isPinned: false,
      conversations: 0,
      rollbacks: 0,
      link: 'named',
      graph: undefined,
      spoken: 'chk_b, made by edit, path: a.md, 16:04:21, patch 120 B.',
    });
  });

  test('says to those who do not see it what is drawn', () => {
    const spoken = [
      row({ node: node('chk_b', { name: 'before', isPinned: true, copy: 2 }), isHead: true, conversations: 2 }),
      row({ rollbacks: 1 }),
      row({ rollbacks: 3, conversations: 1 }),
      row({ node: node('chk_c', { problem: 'No.', isPinned: false }), isOnLine: false }),
      row({ node: node('chk_p', { form: 'placeholder', tool: undefined, args: undefined, size: 0 }) }),
      row({ node: node('chk_q', { isPruned: true, form: 'opaque', tool: undefined, link: 'rollback' }) }),
    ].map((each) => pageRow(each, AT).spoken);
    assert.deepEqual(spoken, [
      'chk_b#2, named before, head, made by edit, path: a.md, 16:04:21, patch 120 B, pinned, 2 chats here.',
      'chk_b, made by edit, path: a.md, 16:04:21, patch 120 B, rolled back to.',
      'chk_b, made by edit, path: a.md, 16:04:21, patch 120 B, rolled back to 3 times, 1 chat here.',
      'chk_c, broken: it has no state, made by edit, path: a.md, 16:04:21, patch 120 B.',
      'chk_p, unknown: only its name is known, 16:04:21.',
      'chk_q, pruned: its server no longer has it, made by a rollback, path: a.md, 16:04:21.',
    ]);
  });

  test('is one line of plain text, whatever a server sends', () => {
    const { id, tool, args, name } = pageRow(
      row({
        node: node('chk\u202e\n1'.repeat(40), { tool: 'ed\tit\u200b', args: 'a\n\nb', name: '[x](command:y)' }),
      }),
      AT,
    );
    assert.deepEqual(
      [id.length, /[\n\u202e]/.test(id), tool, args, name],
      [60, false, 'ed it‹U+200B›', 'a b', '[x] (command:y)'],
    );
  });
});

suite('A checkpoint to be looked at', () => {
  test('has its call, its parent, and its later use', () => {
    const moves = [
      { at: AT - 60_000, kind: 'rollback', from: 9, to: 7, refusal: undefined },
      { at: AT - 7_200_000, kind: 'continue', from: 9, to: 7, refusal: 'Not\nnow.' },
    ] as const;
    assert.deepEqual(facts(detail({ isHead: true, moves })), [
      'Of: notes (notes.edit)',
      'Head: the next call begins here',
      'Made by: edit',
      'Arguments: path: a.md',
      'Time: 2026-11-18 16:04:21, just now',
      'Parent: chk_a',
      'Followed by: 2 checkpoints',
      'Came with it: a patch of 120 B',
      'State kept by: MCP Live',
      'Rolled back to: 2026-11-18 16:03:21, 1 min ago',
      'Continued from: 2026-11-18 14:04:21, 2 h ago, refused: Not now.',
    ]);
    const parents = (['none', 'assumed', 'rollback', 'trimmed'] as const).map((link) =>
      facts(detail({ node: node('chk_b', { link }) })).find((fact) => fact.startsWith('Parent')),
    );
    assert.deepEqual(parents, [
      'Parent: none: it is a beginning',
      'Parent: chk_a, assumed: the server did not say',
      'Parent: chk_a, by a rollback to it',
      'Parent: no longer kept',
    ]);
  });

  test('shows what came with it as the user reads it', () => {
    const shown = pageDetail(detail(), false, AT);
    assert.deepEqual([shown.bodyLabel, shown.body], ['Patch', '[\n  {\n    "op": "remove",\n    "path": "/a"\n  }\n]']);
    const cut = pageDetail(detail({ body: '{"a":"lo', isBodyCut: true, node: node('c', { form: 'data' }) }), false, AT);
    assert.deepEqual([cut.bodyLabel, cut.body], ['State, its beginning', '{"a":"lo']);
    const deep = `${'['.repeat(400)}1${']'.repeat(400)}`;
    assert.equal(pageDetail(detail({ body: deep }), false, AT).body, deep);
    assert.equal(pageDetail(detail({ body: undefined }), false, AT).bodyLabel, '');
  });

  test('offers what can be done with it, and no more', () => {
    const actions = (given: Partial<CheckpointDetail>, isBlocked = false): string =>
      pageDetail(detail(given), isBlocked, AT).actions.join(' ');
    const some = {
      'a good one': actions({}),
      'the head': actions({ isHead: true }),
      'the head, blocked': actions({ isHead: true }, true),
      'a broken one': actions({ node: node('c', { problem: 'No.' }) }),
      'a pruned one': actions({ node: node('c', { isPruned: true }) }),
      'one of the server': actions({ keeper: 'server', node: node('c', { form: 'opaque', isPinned: true }) }),
      'one of the server, pruned': actions({ keeper: 'server', node: node('c', { form: 'opaque', isPruned: true }) }),
      'a beginning': actions({ parent: undefined }),
    };
    assert.deepEqual(some, {
      'a good one': 'rollBack continue openState compareWithParent compareWithHead pin name copyId',
      'the head': 'rollBack openState compareWithParent pin name copyId',
      'the head, blocked': 'rollBack continue openState compareWithParent pin name copyId',
      'a broken one': 'rollBack pin name copyId',
      'a pruned one': 'continue openState compareWithParent compareWithHead pin name copyId',
      'one of the server': 'rollBack unpin name copyId',
      'one of the server, pruned': 'pin name copyId',
      'a beginning': 'rollBack continue openState compareWithHead pin name copyId',
    });
  });

  test('says what is wrong with it, and why no state of it can be read', () => {
    const problem = (rest: object): string => pageDetail(detail({ node: node('c', rest) }), false, AT).problem;
    assert.deepEqual(
      [
        problem({}),
        problem({ problem: 'Operation 3 does not fit.' }),
        problem({ isPruned: true }),
        problem({ form: 'placeholder' }),
      ],
      [
        '',
        'Operation 3 does not fit.',
        'Its server no longer has it, and cannot go back to it.',
        'Another checkpoint names it as its parent. Nothing else is known about it.',
      ],
    );
    assert.deepEqual(
      [
        noStateText(detail({ node: node('c', { problem: 'No.' }) })),
        noStateText(detail({ keeper: 'server' })),
        noStateText(detail({ node: node('c', { form: 'placeholder' }) })),
        noStateText(detail({ node: node('c', { form: 'same' }) })),
      ],
      [
        'There is no state at c: No.',
        'The server itself keeps the state at chk_b.',
        'Of c only its name is known.',
        'No state has come for c yet.',
      ],
    );
  });
});

suite('Texts about checkpoints', () => {
  test('is short, with the day if it is another one', () => {
    assert.deepEqual(
      [
        checkpointTimeText(AT, AT + 3_600_000),
        checkpointTimeText(AT, AT + 86_400_000),
        sizeText(999),
        sizeText(1_234),
        sizeText(10_000_000),
      ],
      ['16:04:21', '2026-11-18 16:04', '999 B', '1.2 KB', '10.0 MB'],
    );
    assert.equal(titleText(node('chk_b', { name: 'before the move' })), 'chk_b "before the move"');
  });

  test('says what became of the state that a call returned', () => {
    assert.deepEqual(
      [
        keptText({ kind: 'kept', checkpoint: 'chk_d', place: 4 }),
        keptText({ kind: 'known', checkpoint: 'chk_d', place: 4 }),
        keptText({ kind: 'broken', checkpoint: 'chk_d', place: 4, problem: 'Operation 1 does not fit.' }),
        keptText({ kind: 'lost', checkpoint: undefined, problem: 'The disk is full.' }),
      ],
      [
        'Checkpoint chk_d is kept.',
        'Checkpoint chk_d was there already.',
        'Checkpoint chk_d has no state: Operation 1 does not fit.',
        'The state was not kept: The disk is full.',
      ],
    );
  });

  test('names the next step without any', () => {
    const server = (rest: object): string =>
      emptyText([snapshot('notes', running(), { mcpl: mcpl([view('notes.edit', rest)]) })]);
    assert.deepEqual(
      [emptyText([]), server({ hostState: true }), server({ rollback: true, state: 'enabled' })].map((text) =>
        text.replace('No checkpoint yet. ', ''),
      ),
      [
        'Servers with a feature set that has a state make one with each call. Add such a server, or try the demo server, and check the feature set in the Servers view.',
        'notes (notes.edit) has a state: check its feature set in the Servers view, then call one of its tools.',
        'Call a tool of notes (notes.edit): the state that it returns is kept, and shown here.',
      ],
    );
  });
});
