import assert from 'node:assert/strict';
import type { LineageSummary } from '../../../../src/core/model/lineage.ts';
import { stateRemarks } from '../../../../src/core/consent/startRemarks.ts';

suite('What a question about a start says of kept states', () => {
  test('is nothing where none were kept under the name of the server', () => {
    assert.deepEqual(stateRemarks([], 'memory'), []);
    assert.deepEqual(stateRemarks([lineage('other', 'notes', 3), lineage('memory', 'notes', 0)], 'memory'), []);
  });

  test('names the feature sets with how many checkpoints they have', () => {
    const all = [lineage('memory', 'notes', 1), lineage('memory', '', 2), lineage('other', 'x', 4)];
    assert.deepEqual(stateRemarks(all, 'memory'), [
      'It continues with the state that was kept for "memory": 1 checkpoint of "notes", 2 checkpoints of no feature set.',
    ]);
  });

  test('names all of many', () => {
    const all = Array.from({ length: 9 }, (_, index) => lineage('memory', `s${index}`, 2));
    assert.match(stateRemarks(all, 'memory').join(), /"s7", 2 checkpoints of "s8"\.$/);
  });
});

function lineage(server: string, featureSet: string, count: number): LineageSummary {
  const rest = {
    id: 1,
    keeper: 'host',
    size: 0,
    head: undefined,
    others: [],
    blocked: undefined,
    changedAt: 0,
  } as const;
  return { ...rest, server, featureSet, count };
}
