import assert from 'node:assert/strict';
import type { TraceEntry } from '../../../../src/core/index.ts';
import { checkpointFate, checkpointIn } from '../../../../src/editor/trace/traceCheckpoint.ts';
import { traceMessage, traceRow } from '../../../../src/editor/trace/traceText.ts';
import { AT, node, NOTES } from '../lineage/lineageFakes.ts';

const answer = (result: object, rest: Partial<TraceEntry> = {}): TraceEntry => {
  const text = JSON.stringify({ jsonrpc: '2.0', id: 3, result });
  const shown = { size: text.length, text, isCut: false };
  return { n: 5, at: AT, direction: 'received', kind: 'result', method: 'tools/call', id: 3, ...shown, ...rest };
};

suite('The checkpoint of a traced answer', () => {
  test('is found where the answer to a tool call has one, and nowhere else', () => {
    const state = { checkpoint: 'chk_d', parent: null };
    const long = { content: 'x'.repeat(30_000), state };
    assert.deepEqual(
      [
        checkpointIn(answer({ state })),
        checkpointIn(answer({ content: [{ checkpoint: 'chk_x' }] })),
        checkpointIn(answer({ state }, { method: 'tools/list' })),
        checkpointIn(answer({ state }, { direction: 'sent' })),
        checkpointIn(answer({ state: { checkpoint: 7 } })),
        checkpointIn(answer(long)),
        checkpointIn(answer({}, { text: '{"result":{"state":{"checkpoint":"chk_c","da', isCut: true })),
        checkpointIn(answer({}, { text: '{"checkpoint":‹secret›}' })),
      ],
      ['chk_d', undefined, undefined, undefined, undefined, 'chk_d', 'chk_c', undefined],
    );
  });

  test('is in its row, and what became of it with its text', () => {
    const entry = answer({ state: { checkpoint: 'chk_d' } });
    assert.equal(traceRow(entry, 0).method, 'tools/call · chk_d');
    assert.match(traceMessage(entry, 'checkpoint chk_d is kept').facts, / · id 3 · \d+ B · checkpoint chk_d is kept$/);
    assert.doesNotMatch(traceMessage(entry).facts, /checkpoint/);
  });

  test('is kept, broken or not kept; of several of one name it is the one of that time', () => {
    const kept = { ...node('chk_d'), ...NOTES };
    const broken = { ...node('chk_d', { at: AT + 60_000, copy: 2, problem: 'It does not fit.' }), ...NOTES };
    assert.deepEqual(
      [
        checkpointFate('chk_d', AT + 5, [broken, kept]),
        checkpointFate('chk_d', AT + 60_001, [broken, kept]),
        checkpointFate('chk_d', AT, [{ ...kept, featureSet: '', isPruned: true }]),
        checkpointFate('chk_d', AT, []),
      ],
      [
        'checkpoint chk_d is kept in notes (notes.edit)',
        'checkpoint chk_d#2 in notes (notes.edit) is broken: It does not fit.',
        'checkpoint chk_d is kept, and its server no longer has it',
        'checkpoint chk_d was not kept',
      ],
    );
  });
});
