import assert from 'node:assert/strict';
import {
  CHECKPOINT_ACTIONS,
  countText,
  decodeFromLineagePage,
  decodeLineagePageState,
  type FromLineagePage,
  LINEAGE_CHOICES,
  noRowsText,
  shortCountText,
  yearOf,
} from '../../../../src/webview/lineage/lineageMessages.ts';

const filter = { text: 'edit', only: 'line' } as const;

suite('What the lineage page says', () => {
  test('is decoded if it is a known message', () => {
    const messages: readonly FromLineagePage[] = [
      { type: 'ready', key: '', filter },
      { type: 'filter', filter },
      { type: 'choose', key: 'files files.edit' },
      { type: 'rows', list: 3, from: 0, count: 100 },
      { type: 'select', place: 7 },
      { type: 'locate', place: 7 },
      { type: 'unblock', place: 7 },
      ...CHECKPOINT_ACTIONS.map((action) => ({ type: 'act', action, place: 0 }) as const),
      { type: 'compare', places: [3, 7] },
      { type: 'export' },
      { type: 'import' },
      { type: 'open' },
      { type: 'retry' },
    ];
    for (const message of messages) assert.deepEqual(decodeFromLineagePage(structuredClone(message)), message);
  });

  test('is ignored otherwise', () => {
    const others: readonly unknown[] = [
      undefined,
      null,
      'retry',
      [],
      {},
      { type: 'delete', place: 1 },
      { type: 'select' },
      { type: 'select', place: -1 },
      { type: 'locate', place: 1.5 },
      { type: 'unblock', place: '1' },
      { type: 'act', action: 'forget', place: 1 },
      { type: 'act', action: 'pin', place: Number.NaN },
      { type: 'compare', places: [1] },
      { type: 'compare', places: [1, 2, 3] },
      { type: 'compare', places: [1, '2'] },
      { type: 'rows', list: 1, from: 0 },
      { type: 'choose', key: 7 },
      { type: 'choose', key: 'k'.repeat(2_001) },
      { type: 'ready', filter },
      { type: 'ready', key: '' },
      { type: 'filter', filter: { text: 'x', only: 'some' } },
      { type: 'filter', filter: { text: 'x'.repeat(1_001), only: 'all' } },
    ];
    for (const other of others) assert.equal(decodeFromLineagePage(other), undefined, JSON.stringify(other));
  });

  test('asks for no more rows than a screen shows, and brings nothing along', () => {
    const message = { type: 'rows', list: 1, from: 2, count: 1e9, more: 'x' };
    assert.deepEqual(decodeFromLineagePage(message), { type: 'rows', list: 1, from: 2, count: 1_000 });
  });
});

suite('What the lineage page keeps', () => {
  test('is read back, with and without a selection', () => {
    assert.deepEqual(decodeLineagePageState({ key: 'a', filter, scroll: 3 }), { key: 'a', filter });
    assert.deepEqual(decodeLineagePageState({ key: 'a', filter, place: 4 }), { key: 'a', filter, place: 4 });
    assert.deepEqual(decodeLineagePageState({ key: 'a', filter, place: 'x' }), { key: 'a', filter });
  });

  test('is ignored if it is invalid', () => {
    for (const other of [undefined, 3, {}, { key: 'a' }, { key: 3, filter }, { key: 'a', filter: { text: '' } }])
      assert.equal(decodeLineagePageState(other), undefined);
  });
});

suite('How many checkpoints there are', () => {
  test('is text, and short in narrow views', () => {
    const all = { text: '', only: 'all' } as const;
    assert.equal(countText({ total: 100_000, all: 100_000 }, all), '100,000 checkpoints');
    assert.equal(countText({ total: 1, all: 1 }, all), '1 checkpoint');
    assert.equal(countText({ total: 1_000_000, all: 1_000_000 }, all), '1,000,000 checkpoints');
    assert.equal(countText({ total: 999, all: 1_000 }, filter), '999 of 1,000 checkpoints');
    assert.equal(countText({ total: 12, all: 1_300 }, filter), '12 of 1,300 checkpoints');
    assert.equal(shortCountText({ total: 3, all: 3 }, all), '3');
    assert.equal(shortCountText({ total: 0, all: 1_300 }, { text: '', only: 'problems' }), '0 of 1,300');
  });

  test('includes the next step if there are none', () => {
    assert.equal(noRowsText({ total: 1, all: 2 }, filter), '');
    assert.match(noRowsText({ total: 0, all: 0 }, filter), /Call a tool/);
    assert.match(noRowsText({ total: 0, all: 2 }, filter), /Escape/);
    const texts = LINEAGE_CHOICES.map((only) => noRowsText({ total: 0, all: 2 }, { text: '', only }));
    assert.equal(new Set(texts).size, LINEAGE_CHOICES.length);
    for (const text of texts) assert.match(text, /Choose/);
  });
});

suite('The time of a checkpoint', () => {
  test('begins with the year, which may be left out, or has none', () => {
    const times = ['2026-11-18 16:04', '16:04:21', '01-01 00:00', '', '2026-11-18'];
    assert.deepEqual(times.map(yearOf), ['2026-', '', '', '', '']);
  });
});
