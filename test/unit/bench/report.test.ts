import assert from 'node:assert/strict';
import type { Measure, Samples, Target } from '../../bench/measure.ts';
import { measuredText, verdictsOf, verdictsText } from '../../bench/report.ts';
import { figure, range, table } from '../../bench/table.ts';
import { judge } from '../../bench/verdict.ts';

const lines = (text: string): readonly string[] => text.split('\n');

const measureWith = (targets: readonly Target[]): Measure => ({
  id: 'rt',
  title: 'Round trip',
  variants: ['ours', 'theirs'],
  metrics: [{ key: 'p50', title: 'p50 µs' }],
  compared: [{ metric: 'p50', to: 'theirs' }],
  targets,
  repetitions: 3,
  repeat: async () => ({}),
});

const samples: Samples = {
  ours: [{ p50: 8 }, { p50: 80 }, { p50: 10 }],
  theirs: [{ p50: 10 }, { p50: 100 }, { p50: 20 }],
};
const ratio = (limits: Partial<Target>): Target => ({
  id: '1a',
  what: 'p50 / theirs',
  metric: 'p50',
  of: 'ours',
  to: 'theirs',
  ...limits,
});

suite('report of the benchmark', () => {
  test('a figure has the digits that mean something', () => {
    assert.deepEqual([0.0123, 1.234, 12.34, 123.4, 1_234_567.8, -1234.5, 0, 20, Number.NaN].map(figure), [
      '0.012',
      '1.23',
      '12.3',
      '123',
      '1 234 568',
      '-1 235',
      '0',
      '20',
      '-',
    ]);
  });

  test('what was always the same has no spread', () => {
    assert.equal(range({ median: 2.5, min: 2.5, max: 2.5 }, 'x'), '2.50x');
    assert.equal(range({ median: 2.5, min: 2, max: 2.5 }, 'x'), '2.50x [2..2.50]');
    assert.equal(range({ median: Number.NaN, min: Number.NaN, max: Number.NaN }, 'x'), '-');
  });

  test('a table sets words left and figures right', () => {
    assert.deepEqual(
      lines(
        table(
          ['', 'µs'],
          [
            ['ours', '1'],
            ['theirs', '12345'],
          ],
        ),
      ),
      ['           µs', '------  -----', 'ours        1', 'theirs  12345'],
    );
  });

  test('measured values are shown next to their ratios to the peer', () => {
    assert.deepEqual(lines(measuredText({ measure: measureWith([]), samples })), [
      'Round trip (3 repetitions)',
      '              p50 µs        p50 µs / theirs',
      '------  ------------  ---------------------',
      'ours      10 [8..80]  0.800x [0.500..0.800]',
      'theirs  20 [10..100]',
    ]);
  });

  test('a ratio is judged by its median', () => {
    assert.equal(judge(ratio({ atMost: 0.8 }), samples)?.met, true);
    assert.equal(judge(ratio({ atMost: 0.79 }), samples)?.met, false);
    assert.equal(judge(ratio({ atLeast: 0.8 }), samples)?.met, true);
    assert.equal(judge(ratio({ atLeast: 0.81 }), samples)?.met, false);
  });

  test('a figure without a peer is judged as it is', () => {
    const own: Target = { id: '5', what: 'p50', metric: 'p50', of: 'ours', atMost: 10 };
    assert.deepEqual(judge(own, samples), { target: own, measured: { median: 10, min: 8, max: 80 }, met: true });
  });

  test('what was not measured meets no target', () => {
    assert.equal(judge({ ...ratio({ atMost: 1 }), metric: 'p99' }, samples)?.met, false);
    assert.equal(judge({ ...ratio({ atMost: 1 }), to: 'nobody' }, samples), undefined);
  });

  test('verdicts name the target, what was measured and what is wanted', () => {
    const measure = measureWith([ratio({ atMost: 0.88 }), ratio({ atLeast: 1.8 })]);
    assert.deepEqual(lines(verdictsText(verdictsOf({ measure, samples }))), [
      'target                             measured     wanted  verdict',
      '------  ------------  ---------------------  ---------  -------',
      '1a      p50 / theirs  0.800x [0.500..0.800]  <= 0.880x      met',
      '1a      p50 / theirs  0.800x [0.500..0.800]   >= 1.80x   MISSED',
    ]);
  });
});
