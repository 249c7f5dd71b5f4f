import assert from 'node:assert/strict';
import { serverNode } from '../../../../src/editor/servers/serverTreeNodes.ts';
import { checkpointsNode } from '../../../../src/editor/lineage/lineageNodes.ts';
import { statusText } from '../../../../src/editor/servers/statusText.ts';
import { mcpl, view } from '../../../support/featureSets.ts';
import { renderTree } from '../../../support/renderTree.ts';
import { running, snapshot } from '../../../support/serverSnapshots.ts';
import { line, node, summary } from './lineageFakes.ts';

const rows = (...args: Parameters<typeof serverNode>): readonly string[] =>
  renderTree(serverNode(...args).children)
    .split('\n')
    .filter((row) => !row.includes('Log') && !row.includes('Tools'));

suite('The checkpoints in the Servers view', () => {
  test('are a row below their feature set, with the head and how many they are', () => {
    const sets = [view('notes', { state: 'enabled' }), view('notes.edit', { state: 'enabled' }), view('notes.read')];
    const lineages = [summary(line(12)), summary(line(1_200), { featureSet: 'notes' })];
    assert.deepEqual(rows(snapshot('notes', running(), { mcpl: mcpl(sets) }), [], lineages), [
      '> Feature Sets (2 of 3 on) <checklist> #featureSets',
      '  [ ] v notes (2 of 3 on · itself on) #featureSet',
      '    Checkpoints (1,200 · chk_1200) <git-commit> #checkpoints',
      '    [x] v edit #featureSet',
      '      Checkpoints (12 · chk_12) <git-commit> #checkpoints',
      '    [ ] read #featureSet',
    ]);
  });

  test('are below the server where their set is not to be seen, and of no server but their own', () => {
    const lineages = [summary(line(3)), summary(line(1), { featureSet: '' })];
    const stopped = snapshot('notes', { kind: 'stopped', reason: 'byUser' });
    assert.deepEqual(rows(stopped, [], lineages), [
      'Checkpoints (notes.edit · 3 · chk_3) <git-commit> #checkpoints',
      'Checkpoints (1 · chk_1) <git-commit> #checkpoints',
    ]);
  });

  test('warn where the next call is refused, and say why', () => {
    const given = checkpointsNode(summary(line(2), { blocked: node('chk_3'), head: node('chk_2', { name: 'good' }) }));
    assert.deepEqual(
      [given.description, given.icon?.name, given.facets, given.spoken],
      ['needs you · 2 · good', 'warning', ['checkpoints', 'blocked'], 'Checkpoints, needs you, 2, good'],
    );
    assert.deepEqual(given.tooltip.split('\n'), [
      'The next call begins at good.',
      'The state of chk_3 could not be made: calls are refused.',
      'Continue from the last good checkpoint, or roll back.',
      'MCP Live keeps the states.',
      'Select to see the lineage.',
    ]);
    const status = statusText([snapshot('notes', running())], [], { blocked: 1 });
    assert.deepEqual([status.text, status.isUrgent], ['$(mcp) 1 $(warning) 1', true]);
  });
});
