import assert from 'node:assert/strict';
import { comparison, listKey, type PressedKey, withMark } from '../../../../src/webview/lineage/lineageKeys.ts';
import type { ListView } from '../../../../src/webview/shared/listWindow.ts';

const view: ListView = { scrollTop: 0, height: 220, rowHeight: 22, start: 0, end: 100 };

const press = (key: string, modifiers: Partial<PressedKey> = {}): PressedKey => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  ...modifiers,
});

suite('A key in the list of checkpoints', () => {
  const meaning = (key: string, modifiers: Partial<PressedKey> = {}, current: number | undefined = 20): string => {
    const meant = listKey(press(key, modifiers), current, view);
    if (meant === undefined) return '-';
    return meant.kind === 'go' ? `go ${meant.position}` : meant.kind;
  };

  test('moves, opens, marks, compares, or begins a search', () => {
    const keys = ['ArrowUp', 'ArrowDown', 'PageUp', 'PageDown', 'Home', 'End', 'Enter', ' ', 'f', 'Ä', '#', '7'];
    assert.deepEqual(
      keys.map((key) => meaning(key)),
      ['go 19', 'go 21', 'go 11', 'go 29', 'go 0', 'go 99', 'open', 'mark', 'type', 'type', 'type', 'type'],
    );
    assert.equal(meaning('Enter', { shiftKey: true }), 'compare');
    assert.equal(meaning('A', { shiftKey: true }), 'type');
    assert.deepEqual(listKey(press('ArrowDown'), undefined, view), { kind: 'go', position: 0 });
  });

  test('of the editor or the browser is left to them', () => {
    for (const key of ['Tab', 'F5', 'Escape', 'ContextMenu', 'Shift', 'Dead', 'Process'])
      assert.equal(meaning(key), '-');
    for (const modifier of ['ctrlKey', 'metaKey', 'altKey'] as const)
      for (const key of ['f', 'ArrowDown', 'Enter', ' ']) assert.equal(meaning(key, { [modifier]: true }), '-');
  });
});

suite('Checkpoints that are marked', () => {
  test('are two at the most, those that were marked last', () => {
    assert.deepEqual(withMark([], 3), [3]);
    assert.deepEqual(withMark([3], 9), [3, 9]);
    assert.deepEqual(withMark([3, 9], 5), [9, 5]);
    assert.deepEqual(withMark([9, 5], 9), [5]);
  });

  test('are compared with each other, or one with what is selected, the older first', () => {
    assert.deepEqual(comparison([9, 5], 7), [5, 9]);
    assert.deepEqual(comparison([9], 7), [7, 9]);
    assert.deepEqual(comparison([2], 7), [2, 7]);
    assert.equal(comparison([7], 7), undefined);
    assert.equal(comparison([7], undefined), undefined);
    assert.equal(comparison([], 7), undefined);
  });
});
