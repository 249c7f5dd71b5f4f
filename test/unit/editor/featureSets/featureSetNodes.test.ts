import assert from 'node:assert/strict';
import type { FeatureSetView } from '../../../../src/core/index.ts';
import { MCPL_USES } from '../../../../src/core/model/mcpl.ts';
import { joinedChanges, stillAsShown } from '../../../../src/editor/featureSets/featureSetChanges.ts';
import { featureSetsNodes } from '../../../../src/editor/featureSets/featureSetNodes.ts';
import { permissionsOf } from '../../../../src/editor/featureSets/featureSetText.ts';
import { serverNode } from '../../../../src/editor/servers/serverTreeNodes.ts';
import type { TreeNode } from '../../../../src/editor/shared/treeNode.ts';
import { mcpl, view } from '../../../support/featureSets.ts';
import { renderTree } from '../../../support/renderTree.ts';
import { running, snapshot, tool } from '../../../support/serverSnapshots.ts';

const ON = { state: 'enabled' } as const;

function nodes(sets: readonly FeatureSetView[]): readonly TreeNode[] {
  return featureSetsNodes(snapshot('memory', running(), { mcpl: mcpl(sets) }));
}

function rowsOf(sets: readonly FeatureSetView[]): string {
  return renderTree(nodes(sets));
}

function all(among: readonly TreeNode[]): readonly TreeNode[] {
  return among.flatMap((node) => [node, ...all(node.children)]);
}

function find(sets: readonly FeatureSetView[], label: string): TreeNode {
  const found = all(nodes(sets)).find((node) => node.label === label);
  assert.ok(found);
  return found;
}

suite('the feature sets of a server', () => {
  test('are rows with a checkbox and what they use, above its tools', () => {
    const sets = [
      view('recall', { ...ON, uses: ['contextHooks.beforeInference'] }),
      view('reminders', { uses: ['pushEvents', 'tools'] }),
    ];
    const server = snapshot('memory', running(), { mcpl: mcpl(sets), tools: [tool('note')] });
    assert.equal(
      renderTree([serverNode(server)]),
      [
        '> memory (running · 1 tool · 2025-06-18 · MCPL 0.2 · 1 of 2 sets on) <circle-filled> #server+stoppable+enabled+mcpl',
        '  > Feature Sets (1 of 2 on) <checklist> #featureSets',
        '    [x] recall (reads prompts) #featureSet',
        '    [ ] reminders (events, tools) #featureSet+pushes',
        '  > Tools (1) <tools>',
        '    [x] note (asks first) <shield> #tool+asks+offered',
        '  Log <output>',
      ].join('\n'),
    );
  });

  test('are absent for a plain MCP server, and reported as absent if an MCPL server declares none', () => {
    assert.deepEqual(featureSetsNodes(snapshot('files', running())), []);
    assert.equal(rowsOf([]), 'Feature Sets (none declared) <checklist> #featureSets');
  });

  test('nest by the dots in their names, with more than one below', () => {
    const sets = [
      view('memory.recall', ON),
      view('audio.speech.out'),
      view('memory.edit.notes', ON),
      view('memory.edit.all'),
    ];
    assert.equal(
      rowsOf(sets),
      [
        '> Feature Sets (2 of 4 on) <checklist> #featureSets',
        '  [ ] v memory (2 of 3 on) #featureSet',
        '    [x] recall #featureSet',
        '    [ ] v edit (1 of 2 on) #featureSet',
        '      [x] notes #featureSet',
        '      [ ] all #featureSet',
        '  [ ] audio.speech.out #featureSet',
      ].join('\n'),
    );
    assert.deepEqual(find(sets, 'memory').featureSets, ['memory.recall', 'memory.edit.notes', 'memory.edit.all']);
    assert.equal(find(sets, 'memory').featureSet, undefined);
  });

  test('may have others below: its box is for all of them, and its text describes only itself', () => {
    const sets = [view('memory', ON), view('memory.recall', ON), view('memory.edit')];
    const rows = (first: string, recall: string, edit: string): string =>
      [first, `    [${recall}] recall #featureSet`, `    [${edit}] edit #featureSet`].join('\n');
    assert.equal(
      rowsOf(sets),
      `> Feature Sets (2 of 3 on) <checklist> #featureSets\n${rows('  [ ] v memory (2 of 3 on · itself on) #featureSet', 'x', ' ')}`,
    );
    const on = sets.map((one) => ({ ...one, ...ON }));
    assert.equal(
      rowsOf(on),
      `> Feature Sets (3 of 3 on) <checklist> #featureSets\n${rows('  [x] v memory (3 of 3 on) #featureSet', 'x', 'x')}`,
    );
    const node = find(sets, 'memory');
    assert.deepEqual([node.featureSet, node.featureSets], ['memory', ['memory', 'memory.recall', 'memory.edit']]);
    assert.equal(node.tooltip, 'memory\nOn.\nWith the sets below it: 2 of 3 on.');
  });

  test('show without a box what cannot be on, and with a warning what the server did or says otherwise', () => {
    const sets = [
      view('odd.empty', { state: 'invalid', problem: 'It has no description.' }),
      view('odd.other', { state: 'changed', uses: ['tools'] }),
      view('odd.sly', { ...ON, undeclared: ['pushEvents'], alsoEvents: 'open' }),
      view('odd.quiet', { ...ON, uses: ['pushEvents'], push: 'inbox' }),
    ];
    assert.equal(
      rowsOf(sets),
      [
        '> Feature Sets (2 of 3 on) <checklist> #featureSets',
        '  [ ] v odd (2 of 3 on) #featureSet',
        '    empty (cannot be used) <warning> #featureSet',
        '    [ ] other (changed since you allowed it · tools) <warning> #featureSet',
        '    [x] sly (pushEvents refused: not declared) <warning> #featureSet+undeclaredEvents',
        '    [x] quiet (muted · events) #featureSet',
      ].join('\n'),
    );
    assert.deepEqual([find(sets, 'empty').featureSets, find(sets, 'empty').checkbox], [[], undefined]);
    assert.deepEqual(find(sets, 'odd').featureSets, ['odd.other', 'odd.sly', 'odd.quiet']);
    assert.deepEqual(
      ['empty', 'other', 'sly', 'quiet'].map((label) => find(sets, label).tooltip.split('\n').slice(1, 3)),
      [
        ['It cannot be turned on: It has no description.'],
        [
          'Off: its declaration changed since you turned it on. Check it to allow the new declaration.',
          'It declares these uses:',
        ],
        ['On.', 'pushEvents refused: not declared.'],
        [
          'On.',
          'You get no notifications of its events. To get them again, change "push" in the settings of the server.',
        ],
      ],
    );
  });

  test('say in the tooltip what each use means before what the server says', () => {
    const uses = ['contextHooks.beforeInference', 'constructor'];
    const set = view('memory.recall', { uses, tools: ['note', 'find'], description: 'Recalls [notes](command:x).' });
    assert.equal(
      find([set], 'memory.recall').tooltip,
      [
        'memory.recall',
        'Off: the host refuses everything that belongs to it.',
        'It declares these uses:',
        '• contextHooks.beforeInference: may read what you write to a model, and add to it',
        '• constructor: unknown here, and without effect',
        'Its tools: note, find',
        '',
        'Recalls [notes](command:x).',
      ].join('\n'),
    );
  });

  test('keep hostile names and long lists within one short row', () => {
    const uses = Array.from({ length: 40 }, (_, i) => `use${i}\n${'x'.repeat(500)}`);
    const sets = [view('a..b'), view('.'), view('__proto__.x', { uses }), view(`q\u202e${'y'.repeat(250)}`)];
    const [root, ...rows] = all(nodes(sets));
    assert.equal(root?.description, '0 of 4 on');
    assert.deepEqual(
      rows.slice(0, 3).map(({ label }) => label),
      ['a..b', '.', '__proto__.x'],
    );
    for (const row of rows) {
      assert.ok(row.label.length <= 200 && row.description.length < 600, row.description);
      assert.doesNotMatch(`${row.label}${row.description}${row.spoken}`, /[\n\u202e]/);
    }
    assert.match(rows[2]?.description ?? '', /, and 32 more$/);
    assert.equal(new Set(rows.map(({ id }) => id)).size, 4);
  });

  test('are in the tooltip of the server with its dialect', () => {
    const remarks = ['It asks for channels, which this host does not have.'];
    const server = snapshot('memory', running(), {
      mcpl: mcpl([view('a', ON), view('b')], { version: '0.4', claimed: '0.4.1', remarks }),
    });
    assert.deepEqual(serverNode(server).tooltip.split('\n').slice(-5), [
      'MCPL: 0.4 (the server says 0.4.1)',
      'Feature sets: 1 of 2 on',
      'It asks for channels, which this host does not have.',
      'Process: 4711',
      'Defined in workspace settings, enabled',
    ]);
    const stopped = { ...server, state: { kind: 'stopped', reason: 'byUser' } } as const;
    assert.equal(serverNode(stopped).description, 'stopped');
  });
});

suite('what many checkboxes say', () => {
  test('is one change for each server and direction, the later click counting', () => {
    assert.deepEqual(
      joinedChanges([
        { server: 'a', names: ['m', 'm.x', 'm.y'], on: true },
        { server: 'b', names: ['q'], on: false },
        { server: 'a', names: ['m.x'], on: false },
        { server: 'b', names: [], on: true },
      ]),
      [
        { server: 'a', names: ['m.x'], on: false },
        { server: 'a', names: ['m', 'm.y'], on: true },
        { server: 'b', names: ['q'], on: false },
      ],
    );
  });
});

suite('what the user chose of feature sets', () => {
  test('is what was shown: a declaration that the server changed or added meanwhile is not', () => {
    const shown = [view('same', { uses: ['tools'] }), view('more', { uses: ['tools'] }), view('gone')];
    const now = [
      view('same', { uses: ['tools'], description: 'In other words.', state: 'enabled' }),
      view('more', { uses: ['tools', 'contextHooks.beforeInference'] }),
      view('new'),
    ];
    assert.deepEqual(stillAsShown(shown, now), ['same']);
  });
});

suite('The permissions that feature sets ask for', () => {
  test('are named once each, the most sensitive first, however many sets ask for them', () => {
    const sets = [
      view('a', { uses: ['tools', 'pushEvents'] }),
      view('b', { uses: ['tools', 'contextHooks.afterInference'] }),
      view('c', { uses: ['inferenceRequest', 'contextHooks.beforeInference', 'inferenceRequest.streaming'] }),
    ];
    assert.deepEqual(permissionsOf(sets, 'notify'), [
      'read your prompts',
      'read answers',
      'use models',
      'send events',
      'offer tools',
    ]);
  });

  test('include every right that a set can have', () => {
    const sets = [view('all', { uses: [...MCPL_USES], hostState: true, rollback: true, scoped: true })];
    assert.deepEqual(permissionsOf(sets, 'blocking'), [
      'read your prompts',
      'read and change answers',
      'use models',
      "see your model's name",
      'send events',
      'offer tools',
      'store its state here',
    ]);
  });

  test('include tools that a set has without declaring them, and no use that has no effect', () => {
    assert.deepEqual(permissionsOf([view('a', { uses: ['teleport'], tools: ['note'] })], 'none'), ['offer tools']);
    assert.deepEqual(permissionsOf([view('a', { uses: ['teleport'], scoped: true, rollback: true })], undefined), []);
  });
});
